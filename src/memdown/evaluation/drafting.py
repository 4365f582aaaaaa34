"""Questions about one's own notes, drafted without a language model.

Each is made from one line: a fact turned into a question, a name, or an identifier. They do not
repeat the line, and code, front matter, tables and fragments are left out. A person should read
them once; they test finding, not understanding.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from memdown.evaluation.phrasing import ask_about, ask_by_words
from memdown.evaluation.questions import Evidence, Question
from memdown.notes.document import read_front_matter
from memdown.text import index_terms, query_terms, without_stop_words

_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-z])|(?<=[。！？])")
_MARKUP = re.compile(
    r"^\s*(?:[-*+]|\d+[.)]|>)\s+(?:\[[ xX]\]\s+)?|[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}|`"
)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[^\W\d_a-z]\w+(?: [^\W\d_a-z]\w+)+")
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_IDENTIFIER = re.compile(r"[\x21-\x7e]{4,60}")
# Figures, dates, times and the names of notes say nothing by themselves.
_NO_IDENTIFIER = re.compile(r"[\W\d]+[a-z]{0,2}|.*\.md|https?://.*", re.IGNORECASE)
_ADDRESS = re.compile(r"\S+://\S+|\S*\w/\w\S*|\S+\.md\b")
_LEAST_TERMS = 3
_LONGEST_HEADING = 5
_LONGEST_NAME = 3


@dataclass(frozen=True, slots=True)
class _Line:
    place: Evidence
    text: str
    heading: str


def draft_questions(
    notes: Mapping[str, Sequence[str]], count: int, *, seed: int = 1
) -> list[Question]:
    """At most `count` questions, of every kind alike and from as many notes as can be."""
    draw = Random(seed)
    lines = [line for path in sorted(notes) for line in _texts(path, notes[path])]
    spread = Counter(term for line in lines for term in set(index_terms(line.text)))
    kinds = [
        _turns([one for line in lines for one in kind(line, spread)], draw)
        for kind in (_facts, _names, _identifiers)
    ]
    # What no pattern fits is asked by its words, but only when there is nothing better.
    rest = _turns([one for line in lines for one in _by_words(line, spread)], draw)
    drafted: dict[str, Question] = {}
    for question in itertools.chain(_alternating(kinds), rest):
        if len(drafted) == count:
            break
        drafted.setdefault(question.text, question)
    return list(drafted.values())


def _alternating(kinds: Sequence[Iterator[Question]]) -> Iterator[Question]:
    for turn in itertools.zip_longest(*kinds):
        yield from (question for question in turn if question is not None)


def _texts(path: str, lines: Sequence[str]) -> Iterator[_Line]:
    """The lines of a note that say something, with the heading they stand under."""
    heading, fence, start = "", "", read_front_matter(lines).lines
    for number, line in enumerate(lines[start:], start=start + 1):
        bare = line.lstrip()
        mark = bare[:3] if bare.startswith(("```", "~~~")) else ""
        if mark and fence in ("", mark):
            fence = "" if fence else mark
            continue
        if fence or line.startswith(("    ", "\t")) or bare.startswith(("|", "<")):
            continue
        if match := _HEADING.match(bare):
            heading = _plain(match[1])
            continue
        if text := _plain(line):
            yield _Line(Evidence(path, number, number), text, heading)


def _plain(line: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", line)).split())


def _turns(questions: list[Question], draw: Random) -> Iterator[Question]:
    """The questions by chance, one of every note before the second of any."""
    by_note: dict[str, list[Question]] = {}
    draw.shuffle(questions)
    for question in questions:
        by_note.setdefault(question.evidence[0].path, []).append(question)
    for turn in range(max(map(len, by_note.values()), default=0)):
        yield from (found[turn] for found in by_note.values() if turn < len(found))


def _facts(line: _Line, spread: Counter[str]) -> Iterator[Question]:
    """Sentences as questions, where these name something that few other lines name."""
    for sentence in _sentences(line):
        asked = ask_about(sentence)
        if asked and not _is_distinctive(asked, spread):
            asked = _under(line.heading, asked)
        if asked and _is_distinctive(asked, spread) and not _repeats(asked, line.text):
            yield Question(asked, (line.place,))


def _by_words(line: _Line, spread: Counter[str]) -> Iterator[Question]:
    """Sentences that fit no pattern, by two of their words."""
    for sentence in _sentences(line):
        if ask_about(sentence) is None:
            asked = ask_by_words(sentence, _rare_words(sentence, spread))
            if asked and _is_distinctive(asked, spread):
                yield Question(asked, (line.place,))


def _sentences(line: _Line) -> Iterator[str]:
    """What says something by itself; fragments are left out."""
    for sentence in _SENTENCE.split(_ADDRESS.sub("", line.text)):
        if len(set(_content(sentence))) >= _LEAST_TERMS:
            yield sentence


def _rare_words(sentence: str, spread: Counter[str]) -> list[str]:
    """The words of a sentence that tell most, the rarest first."""
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]{3,}", sentence) if _content(word)]
    return sorted(dict.fromkeys(words), key=lambda word: max(spread[t] for t in _content(word)))


def _content(text: str) -> list[str]:
    return without_stop_words(index_terms(text))


def _is_distinctive(question: str, spread: Counter[str]) -> bool:
    """Whether the question holds a word that at most two lines hold."""
    return any(1 <= spread[term] <= 2 for term in _content(question))


def _under(heading: str, question: str) -> str | None:
    """The question with what it is about; None if the heading is a date or a sentence."""
    words = heading.split()
    if not 1 <= len(words) <= _LONGEST_HEADING or any(word[0].isdigit() for word in words):
        return None
    return f"{heading}: {question}"


def _repeats(question: str, text: str) -> bool:
    """Whether more than three words stand in a row as in the note."""
    asked, said = re.findall(r"\w+", question.lower()), re.findall(r"\w+", text.lower())
    rows = {tuple(said[n : n + 4]) for n in range(len(said) - 3)}
    return any(tuple(asked[n : n + 4]) in rows for n in range(len(asked) - 3))


def _names(line: _Line, spread: Counter[str]) -> Iterator[Question]:
    """Names that stand in no other line."""
    for match in _NAME.finditer(line.text):
        words = match[0].split()
        if (
            all(word[0].isupper() for word in words)
            and len(words) <= _LONGEST_NAME
            and spread[index_terms(match[0])[-1]] == 1
        ):
            yield Question(f"who or what is {match[0]}?", (line.place,))


def _identifiers(line: _Line, spread: Counter[str]) -> Iterator[Question]:
    """Identifiers, versions and addresses that stand in no other line, as they are written."""
    for word in line.text.split():
        word = word.strip(".,;:!?()[]\"'“”")
        exact = query_terms(word).exact
        if (
            len(exact) == 1
            and _IDENTIFIER.fullmatch(word)
            and not _NO_IDENTIFIER.fullmatch(word)
            and all(spread[term] == 1 for term in exact)
        ):
            yield Question(f"what is {word}?", (line.place,))
