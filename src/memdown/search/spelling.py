"""How the notes write what a question names: misspelled words, short forms that they define, compounds
whose parts stand apart, words of another language, and speakers by other names.

Misspellings are asked for when a search found nothing, so that may take longer than a search. A word is
put right by one letter that is missing, too many, wrong or at its neighbour's place; the first one is
trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from memdown.index.reader import Reader, Rows, Sought, Unit, word
from memdown.index.store import Snapshot
from memdown.search.candidates import file_mask
from memdown.search.query import Asked, units_of
from memdown.text import (
    Alternative,
    QueryTerms,
    fold,
    index_terms,
    is_stop,
    prefix_terms,
    without_stop_words,
)
from memdown.text.acronyms import (
    DEFINES,
    Definition,
    alike,
    defined_by,
    definitions_in,
    forms_of,
)
from memdown.text.cues import (
    INTRODUCES,
    SPEAKER,
    introduces,
    label_of,
    names_in,
    sounds_like,
    speaker_terms,
)
from memdown.text.scripts import in_latin
from memdown.text.stemming import stem
from memdown.text.stopwords import is_english
from memdown.text.synonyms import as_terms, meanings
from memdown.text.terms import is_gram, ordered_terms, token_terms, tokens
from memdown.tuning import TUNING
from memdown.types import Embedder, Source, knows_synonyms
from memdown.values import dataclass

_WORDS = TUNING.words

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LEAST_LETTERS, _MOST_LETTERS = 4, 20
_MOST_WORDS = 4
# So many passages that may define a short form are read.
_MOST_READ = 12
# What joins the parts of compounds in German, Dutch and the languages of Scandinavia, and how long each part
# is at least.
_JOINTS = ("", "s", "es", "n", "en", "er", "e")
_LEAST_PART = 4
# Of compounds that end with a word of a question: how long what stands before it is at least, and how many count.
_LEAST_FIRST, _MOST_COMPOUNDS = 3, 12
# So many passages with a name are read for an introduction, which mostly comes first, and so many messages for
# the labels of speakers with its first letter.
_MOST_INTRODUCING, _MOST_LABELS = 12, 24


class Correction(NamedTuple):
    """A word of a question that no note holds, as it is written and as a term, and what is meant."""

    written: str
    term: str
    meant: str
    meant_term: str


def put_right(
    question: str,
    words: Sequence[str],
    snapshot: Snapshot,
    sources: tuple[Source, ...],
    embedder: Embedder | None,
) -> list[Correction]:
    """What the notes hold instead of those of some words that stand nowhere.

    A word that the embedder knows is right, though no note holds it.
    """
    written = {term: token.lower() for term, token in _written(question).items()}
    doubtful = [term for term in words if _may_be_misspelled(written.get(term, ""))]
    reader = snapshot.reader(Sought(tuple(doubtful), sources=sources)) if doubtful else None
    present = set(reader.holding(doubtful, file_mask(reader, sources))) if reader else set()
    absent = [term for term in doubtful if term not in present]
    if knows_synonyms(embedder):
        absent = [term for term in absent if not embedder.has_word(written[term])]
    found = (_correction(written[term], term, snapshot, sources) for term in absent[:_MOST_WORDS])
    return [one for one in found if one]


def _written(question: str) -> dict[str, str]:
    """The words of a question as they are written, by their terms."""
    return {"".join(token_terms(token)): token for _, token in tokens(question)}


def corrected(question: str, put_right: Sequence[Correction]) -> str:
    """A question with what is meant in the place of what is written."""
    for one in put_right:
        question = re.sub(rf"\b{one.written}\b", one.meant, question, flags=re.IGNORECASE)
    return question


def spellings(word: str) -> list[str]:
    """What a word may have been meant to be, the likeliest slips first: swapped letters."""
    ends = range(1, len(word) + 1)
    shorter = [word[:n] + word[n + 1 :] for n in range(1, len(word))]
    longer = [word[:n] + letter + word[n:] for n in ends for letter in _LETTERS]
    changed = [
        word[:n] + letter + word[n + 1 :] for n in range(1, len(word)) for letter in _LETTERS
    ]
    unlike = dict.fromkeys([*_swapped(word), *shorter, *longer, *changed])
    unlike.pop(word, None)
    return without_stop_words(unlike)


def _swapped(word: str) -> list[str]:
    return [word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(1, len(word) - 1)]


def _may_be_misspelled(word: str) -> bool:
    return _LEAST_LETTERS <= len(word) <= _MOST_LETTERS and word.isascii() and word.isalpha()


def _correction(
    word: str, term: str, snapshot: Snapshot, sources: tuple[Source, ...]
) -> Correction | None:
    # Words of four letters are too much alike, unless two letters changed places.
    unlike = spellings(word) if len(word) > _LEAST_LETTERS else _swapped(word)
    possible: dict[str, str] = {}
    for meant in unlike:
        # What is left of "theings" is no word that anybody meant.
        if len(stemmed := stem(meant)) >= _LEAST_LETTERS and not is_stop(stemmed):
            possible.setdefault(stemmed, meant)
    reader = snapshot.reader(Sought(tuple(possible), sources=sources))
    found = next(reader.holding(list(possible), file_mask(reader, sources)), None)
    return Correction(word, term, possible[found], found) if found else None


def other_forms(
    question: str,
    terms: QueryTerms,
    reader: Reader,
    snapshot: Snapshot,
    sources: tuple[Source, ...],
) -> tuple[Alternative, ...]:
    """What the notes may hold in the place of words of a question."""
    defined = _defined_forms(question, terms, reader, sources)
    # Most questions have only words that the notes hold as well.
    absent = [term for term in terms.words if not len(reader.posting(word(term)).rows)]
    if not absent:
        return defined
    written = _written(question)
    look = _Look(snapshot, sources)
    return (
        *defined,
        *_parts_of_compounds(absent, written, look),
        *_compounds_with(question, absent, written, reader),
        *_translations(question, terms, absent, look),
        *_in_latin(absent, look),
    )


class _Look(NamedTuple):
    """Where to look for words that a question does not have."""

    snapshot: Snapshot
    sources: tuple[Source, ...]

    def reader(self, words: tuple[str, ...]) -> Reader:
        """What can tell which of some words there are."""
        return self.snapshot.reader(Sought(words, sources=self.sources))


def _defined_forms(
    question: str, terms: QueryTerms, reader: Reader, sources: tuple[Source, ...]
) -> tuple[Alternative, ...]:
    """The long forms of a question's short ones, and the other way round, as the notes define them.

    A passage that defines a form holds it, so that every reader of what a question looks for has it.
    """
    # Most notes define nothing, which one look tells.
    if not len(reader.posting(word(DEFINES)).rows):
        return ()
    in_order = _in_order(question, terms)
    present = list(reader.holding(defined_by(in_order), file_mask(reader, sources)))
    if not present:
        return ()
    found = [
        other
        for one in dict.fromkeys(_definitions(present, reader))
        for other in _other_form(one, in_order)
    ]
    return tuple(dict.fromkeys(found))


def _parts_of_compounds(
    absent: Sequence[str], written: Mapping[str, str], look: _Look
) -> tuple[Alternative, ...]:
    """The two words that a compound is made of, where the notes hold both but not the compound.

    Which words there are only the notes tell: *Staubecken* is no dust corner where nobody has either.
    """
    asked = {term: fold(written.get(term, "")) for term in absent}
    cuts = {
        term: list(_cuts(compound))
        for term, compound in asked.items()
        if len(compound) > 2 * _LEAST_PART and compound.isalpha()
    }
    possible = tuple({part for pairs in cuts.values() for pair in pairs for part in pair})
    if not possible:
        return ()
    reader = look.reader(possible)
    present = set(reader.holding(possible, file_mask(reader, look.sources)))
    found = []
    for term, pairs in cuts.items():
        whole = [pair for pair in pairs if present.issuperset(pair)]
        # The more even the parts are, the less likely are they chance.
        best = max(whole, key=lambda pair: min(map(len, pair)), default=())
        found += [Alternative(term, (part,), _WORDS.compound_part) for part in best]
    return tuple(found)


def _compounds_with(
    question: str, absent: Sequence[str], written: Mapping[str, str], reader: Reader
) -> tuple[Alternative, ...]:
    """The compounds of the notes that end with a word which no note holds: who asks for the *Pass* finds the
    *Reisepass*. Where words are written apart, as in English, what ends alike is another word."""
    ends = [
        term
        for term in absent
        if _may_be_a_part(term) and written.get(term, "").isalpha() and not is_gram(term)
    ]
    if not ends or is_english(question):
        return ()
    return tuple(
        Alternative(term, (compound,), _WORDS.compound_part)
        for term in ends
        for compound in islice(
            (one for one in reader.ending(term) if len(one) >= len(term) + _LEAST_FIRST),
            _MOST_COMPOUNDS,
        )
    )


def _in_latin(absent: Sequence[str], look: _Look) -> tuple[Alternative, ...]:
    """Names and brands that notes write in Latin letters and a question in Cyrillic ones."""
    possible = {term: tuple(index_terms(latin)) for term in absent if (latin := in_latin(term))}
    if not possible:
        return ()
    wanted = tuple({one for latin in possible.values() for one in latin})
    present = set(look.reader(wanted).holding(wanted, None))
    return tuple(
        Alternative(term, latin, _WORDS.translated)
        for term, latin in possible.items()
        if latin and present.issuperset(latin)
    )


def _translations(
    question: str, terms: QueryTerms, absent: Sequence[str], look: _Look
) -> tuple[Alternative, ...]:
    """What a word that no note holds is called in other languages, as far as notes hold that."""
    found = [
        Alternative(one.term, translated, _WORDS.translated)
        for one in meanings(question, terms.words)
        if one.term in absent
        for translated in as_terms(one.others, one.term)
    ]
    possible = tuple({term for one in found for term in one.terms})
    if not possible:
        return ()
    present = set(look.reader(possible).holding(possible, None))
    return tuple(one for one in found if present.issuperset(one.terms))


def _cuts(compound: str) -> Iterator[tuple[str, str]]:
    """All two parts that a word may be made of, as terms."""
    for place in range(_LEAST_PART, len(compound) - _LEAST_PART + 1):
        first, last = compound[:place], stem(compound[place:])
        for joint in _JOINTS:
            pair = stem(first.removesuffix(joint)), last
            if first.endswith(joint) and all(map(_may_be_a_part, pair)):
                yield pair


def _may_be_a_part(term: str) -> bool:
    return len(term) >= _LEAST_PART and not is_stop(term)


def _in_order(question: str, terms: QueryTerms) -> list[str]:
    """The terms of a question in order, without stop words."""
    words = frozenset(terms.words)
    return [term for term in ordered_terms(question) if term in words or not is_stop(term)]


def _definitions(present: Sequence[str], reader: Reader) -> list[Definition]:
    rows = np.unique(np.concatenate([reader.posting(word(one)).rows for one in present]))[
        :_MOST_READ
    ]
    return [one for text in reader.texts(rows.tolist()) for one in definitions_in(text)]


def _other_form(one: Definition, in_order: Sequence[str]) -> list[Alternative]:
    """What may stand for words of a question by one definition; nothing if it uses both forms."""
    short, long = forms_of(one)
    asked = list(map(alike, in_order))
    if not short or not long:
        return []
    abbreviated, place = alike(short[0]) in asked, _place(list(map(alike, long)), asked)
    if abbreviated == (place is not None):
        return []
    if place is None:
        return [
            Alternative(
                in_order[asked.index(alike(short[0]))], long, _WORDS.defined_form, defined=True
            )
        ]
    return [
        Alternative(term, short, _WORDS.defined_form, defined=True)
        for term in in_order[place : place + len(long)]
    ]


def _place(some: list[str], every: list[str]) -> int | None:
    """Where some terms stand one after the other among others; None if nowhere."""
    starts = range(len(every) - len(some) + 1)
    return next((n for n in starts if every[n : n + len(some)] == some), None)


@dataclass(frozen=True, slots=True)
class SpeakerMeant:
    """A name of a question, and the word of a speaker's label that is meant by it."""

    name: str
    speaker: str
    # Whether the notes hold the name as well.
    present: bool


def speakers_meant(asked: Asked, snapshot: Snapshot) -> Asked:
    """The question with speakers in the place of names that they go by."""
    names = [name for name in names_in(asked.query.text) if _term(name) in asked.query.terms.words]
    if not names:
        return asked
    # Whoever says to be called so is among the best by these words.
    sought = Sought(
        (*map(_term, names), INTRODUCES),
        sources=asked.options.sources,
        files=asked.files,
        passages=_MOST_INTRODUCING * 2 * len(names),
    )
    reader = snapshot.reader(sought)
    reader.fetch(units_of(asked.query))
    for name in names:
        meant = _meant(name, reader)
        if meant is not None:
            asked = _asked_of(meant, asked)
    return asked


def _meant(name: str, reader: Reader) -> SpeakerMeant | None:
    rows = reader.posting(word(_term(name))).rows
    label = _introduced(name, rows, reader) if len(rows) else _spelled_otherwise(name, reader)
    return None if label is None else SpeakerMeant(name, label, present=len(rows) > 0)


def _is_speaker(name: str, reader: Reader) -> bool:
    """Whether lines begin with a name, or with one of its words."""
    return any(
        reader.document_frequency(word(term)) >= TUNING.least_labels for term in speaker_terms(name)
    )


def _introduced(name: str, rows: Rows, reader: Reader) -> str | None:
    """The speaker who says to be called so, unless one has this name."""
    spoken = reader.among(word(INTRODUCES), rows)[:_MOST_INTRODUCING].tolist()
    # Most notes introduce nobody, which is told sooner than who speaks.
    if not spoken or _is_speaker(name, reader):
        return None
    for line in (line for text in reader.texts(spoken) for line in text.split("\n")):
        label = label_of(line)
        if label is not None and introduces(line, name) and _is_speaker(label, reader):
            return label.split()[0]
    return None


def _spelled_otherwise(name: str, reader: Reader) -> str | None:
    """The speaker whose name sounds like one that stands nowhere, unless one has this name."""
    rows = reader.posting(Unit("prefix", (SPEAKER + name[0].lower(),))).rows
    if not len(rows) or _is_speaker(name, reader):
        return None
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST_LABELS)).astype(np.int64)]
    labels = [
        part
        for text in reader.texts(some.tolist())
        if (label := label_of(text)) and _is_speaker(label, reader)
        for part in label.split()
    ]
    return next((label for label in labels if sounds_like(label, name)), None)


def _asked_of(meant: SpeakerMeant, asked: Asked) -> Asked:
    query, term, speaker = asked.query, _term(meant.name), _term(meant.speaker)
    terms = query.terms
    words = tuple(dict.fromkeys(speaker if one == term else one for one in terms.words))
    alternatives = tuple(one for one in terms.alternatives if one.word != term)
    if meant.present:
        # Others may have the name as well.
        alternatives = (*alternatives, Alternative(speaker, (term,), _WORDS.own_name))
    prefixes = tuple(prefix_terms(words)) if terms.prefixes else ()
    text = re.sub(rf"\b{re.escape(meant.name)}\b", meant.speaker, query.text)
    query = replace(
        query,
        text=text,
        terms=replace(terms, words=words, prefixes=prefixes, alternatives=alternatives),
    )
    if asked.embedder and asked.embedder.instant and query.vector is not None:
        query = replace(query, vector=asked.embedder.embed_query(text))
    respelled = (
        {**asked.respelled} if meant.present else {**asked.respelled, meant.name: meant.speaker}
    )
    return replace(asked, query=query, respelled=respelled)


def _term(name: str) -> str:
    return "".join(index_terms(name)[:1])
