"""Questions about one's own notes, drafted without a language model.

Each is made from one line: a sentence of which some words are left out, a name with a word from
beside it, or an identifier. A person should read them once; they test finding, not understanding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from memdown.evaluation.questions import Evidence, Question
from memdown.text import index_terms, is_gram, query_terms, without_stop_words

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_MARKUP = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#+|>)\s+(?:\[[ xX]\]\s+)?|[*_`|]")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[^\W\d_a-z]\w+(?: [^\W\d_a-z]\w+)+")
_KEPT = 0.6
_LEAST_TERMS, _MOST_WORDS = 4, 24
_LEAST_GRAMS = 8


@dataclass(frozen=True, slots=True)
class _Line:
    place: Evidence
    text: str


def draft_questions(
    notes: Mapping[str, Sequence[str]], count: int, *, seed: int = 1
) -> list[Question]:
    """At most `count` questions, of every kind alike and from as many notes as can be."""
    draw = Random(seed)
    lines = [_Line(Evidence(path, n, n), text) for path, n, text in _texts(notes)]
    spread = Counter(term for line in lines for term in set(index_terms(line.text)))
    kinds = [
        _turns([one for line in lines for one in kind(line, spread, draw)], draw)
        for kind in (_sentences, _names, _identifiers)
    ]
    drafted: dict[str, Question] = {}
    while kinds and len(drafted) < count:
        for kind in list(kinds):
            question = next(kind, None)
            if question is None:
                kinds.remove(kind)
            elif len(drafted) < count:
                drafted.setdefault(question.text, question)
    return list(drafted.values())


def _texts(notes: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int, str]]:
    for path in sorted(notes):
        fenced = False
        for number, line in enumerate(notes[path], start=1):
            if line.lstrip().startswith(("```", "~~~")):
                fenced = not fenced
            text = " ".join(_MARKUP.sub(" ", line).split())
            if text and not fenced and not line.startswith("#"):
                yield path, number, text


def _turns(questions: list[Question], draw: Random) -> Iterator[Question]:
    """The questions by chance, one of every note before the second of any."""
    by_note: dict[str, list[Question]] = {}
    draw.shuffle(questions)
    for question in questions:
        by_note.setdefault(question.evidence[0].path, []).append(question)
    for turn in range(max(map(len, by_note.values()), default=0)):
        yield from (found[turn] for found in by_note.values() if turn < len(found))


def _sentences(line: _Line, spread: Counter[str], draw: Random) -> Iterator[Question]:
    """Sentences that hold words no other line has, with some of their words left out."""
    for sentence in _SENTENCE.split(line.text):
        terms = without_stop_words(index_terms(sentence))
        rare = [term for term in set(terms) if spread[term] == 1]
        if len(set(terms)) < _LEAST_TERMS or not rare:
            continue
        text = _shortened(sentence, draw)
        kept = set(index_terms(text))
        if len(kept) >= _LEAST_TERMS - 1 and any(spread[term] <= 2 for term in kept):
            yield Question(text, (line.place,))


def _shortened(sentence: str, draw: Random) -> str:
    """A sentence of which some words are held out; of scripts without spaces, one stretch."""
    words = sentence.rstrip(".!?…。！？").split()
    if len(words) <= 2 and any(map(is_gram, index_terms(sentence))):
        text = "".join(words)
        size = max(_LEAST_GRAMS, round(_KEPT * len(text)))
        start = draw.randrange(max(1, len(text) - size + 1))
        return text[start : start + size]
    words = words[:_MOST_WORDS]
    number = max(3, round(_KEPT * len(words)))
    kept = sorted(draw.sample(range(len(words)), min(number, len(words))))
    return " ".join(words[n].strip(",;:()[]\"'“”") for n in kept)


def _names(line: _Line, spread: Counter[str], draw: Random) -> Iterator[Question]:
    """Names that stand in no other line, with the most telling word from beside them."""
    for match in _NAME.finditer(line.text):
        name = match[0]
        if any(spread[term] > 1 for term in index_terms(name)[-1:]):
            continue
        rest = line.text[: match.start()] + line.text[match.end() :]
        beside = [
            word
            for word in re.findall(r"[^\W\d_]{4,}", rest)
            if without_stop_words(index_terms(word))
        ]
        yield Question(" ".join([name, *draw.sample(beside, min(1, len(beside)))]), (line.place,))


def _identifiers(line: _Line, spread: Counter[str], draw: Random) -> Iterator[Question]:  # noqa: ARG001
    """Identifiers, versions and addresses that stand in no other line, as they are written."""
    for word in line.text.split():
        word = word.strip(".,;:!?()[]\"'“”")
        exact = query_terms(word).exact
        if len(exact) == 1 and all(spread[term] == 1 for term in exact):
            yield Question(word, (line.place,))
