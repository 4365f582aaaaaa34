"""Hits → passages that give up what they tell: a fact may be over though nothing about it resembles the question.

Who asks for the database finds "the database is MySQL". That one migrated from MySQL to Postgres shares no
word with the question, and is found by the words of the answer instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from memdown.index.reader import Reader, Rows, word
from memdown.notes.details import content_words
from memdown.notes.exchanges import distinctive_words, gives_up
from memdown.notes.statements import Fact, facts_of
from memdown.text.cues import CHANGES
from memdown.types import Hit
from memdown.values import dataclass

# Of so many of the first hits so many facts are followed, and so many of the newest passages are read.
_FOLLOWED, _MOST_FACTS, _MOST_READ = 2, 2, 4
# An answer of more words is a story.
_MOST_WORDS = 3
# A longer one says more than one thing.
_MOST_CHARACTERS = 140


@dataclass(frozen=True, slots=True)
class Followed:
    """A hit, the facts of it that answer, and the rows of passages that may give them up."""

    hit: Hit
    facts: tuple[Fact, ...]
    rows: tuple[int, ...]


def follow(hits: Sequence[Hit], question: str, reader: Reader) -> Iterator[Followed]:
    """Which passages may give up what the first hits tell."""
    if not len(reader.posting(word(CHANGES)).rows):
        return
    asked = content_words(question)
    answering = [(hit, tuple(_answering(hit, asked))) for hit in hits[:_FOLLOWED]]
    told = {fact.text: _answer_words(fact, asked) for _, facts in answering for fact in facts}
    if sought := [word(term) for terms in told.values() for term in terms]:
        reader.fetch(sought)
    for hit, facts in answering:
        each = [_holding(terms, reader) for fact in facts if (terms := told[fact.text])]
        rows = _in_lists(1, [some for some in each if len(some)])
        newer = (row for row in map(int, rows[::-1]) if _may_be_newer(row, hit, reader))
        if some := tuple(islice(newer, _MOST_READ)):
            yield Followed(hit, facts, some)


def is_successor(text: str, of: Followed, question: str) -> bool:
    """Whether a text says that a fact of the hit is over."""
    asked = content_words(question)
    return any(
        gives_up(newer.text, older.text, asked)
        for newer in facts_of(text)
        if not newer.struck
        for older in of.facts
    )


def _answering(hit: Hit, asked: frozenset[str]) -> Iterator[Fact]:
    """The first facts of a hit that have a word of the question, and are said to hold."""
    facts = facts_of(hit.snippet, hit.path) if hit.source == "memory" else ()
    return islice(
        (
            fact
            for fact in facts
            if len(fact.text) <= _MOST_CHARACTERS
            and not fact.struck
            and asked & content_words(fact.text)
        ),
        _MOST_FACTS,
    )


def _answer_words(fact: Fact, asked: frozenset[str]) -> list[str]:
    """The words of a fact that answer; none if they are a story."""
    terms = list(islice(distinctive_words(fact.text, asked), _MOST_WORDS + 1))
    return terms if len(terms) <= _MOST_WORDS else []


def _holding(terms: Sequence[str], reader: Reader) -> Rows:
    """The rows of passages that hold more than half of some words and tell that something is gone, ascending."""
    each: list[Rows] = []
    for count, term in enumerate(terms, start=1):
        if len(rows := reader.among_changes(word(term))):
            each.append(rows)
        if 2 * (len(each) + len(terms) - count) <= len(terms):
            # Whatever holds the others, it is not more than half of them.
            return np.empty(0, np.int32)
    # Of two or three words more than half are two.
    return _in_lists(min(2, len(terms)), each)


def _in_lists(least: int, each: Sequence[Rows]) -> Rows:
    """The rows, int32 and ascending, that stand in one or in two of some lists, in each of which they stand once."""
    if len(each) < 2:
        return each[0] if len(each) == least else np.empty(0, np.int32)
    rows = np.sort(np.concatenate(each))
    if least > 1:
        rows = rows[1:][rows[1:] == rows[:-1]]
    # Not by `np.unique`, whose first call imports all of `numpy.ma`.
    is_first = np.ones(len(rows), bool)
    is_first[1:] = rows[1:] != rows[:-1]
    found: Rows = rows[is_first]
    return found


def _may_be_newer(row: int, hit: Hit, reader: Reader) -> bool:
    file = reader.files[int(reader.passage_file[row])]
    if file.source != "memory":
        return False
    if file.path == hit.path:
        return bool(reader.passage_lines[row, 1] > hit.end_line)
    return file.date is None or hit.date is None or file.date >= hit.date
