"""Misspelled words: how the notes spell what a query names and no note holds.

Only asked when a search found nothing, so it may take longer than a search. A word is put right by
one letter that is missing, too many, wrong or at its neighbour's place; the first one is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence

from memdown.index.reader import Sought
from memdown.index.store import Snapshot
from memdown.search.candidates import file_mask
from memdown.text import without_stop_words
from memdown.types import Source

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LEAST_LETTERS, _MOST_LETTERS = 5, 20
_MOST_WORDS = 4


def put_right(
    words: Sequence[str], snapshot: Snapshot, sources: tuple[Source, ...]
) -> dict[str, str]:
    """The words that stand nowhere, each with what the notes hold instead; those without are left out."""
    doubtful = [term for term in words if _may_be_misspelled(term)]
    reader = snapshot.reader(Sought(tuple(doubtful), sources=sources)) if doubtful else None
    held = set(reader.holding(doubtful, file_mask(reader, sources))) if reader else set()
    unheld = [term for term in doubtful if term not in held]
    found = ((term, _spelling(term, snapshot, sources)) for term in unheld[:_MOST_WORDS])
    return {term: spelling for term, spelling in found if spelling}


def spellings(word: str) -> list[str]:
    """What a word may have been meant to be, the likeliest slips first: swapped letters."""
    ends = range(1, len(word) + 1)
    swapped = [word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(1, len(word) - 1)]
    shorter = [word[:n] + word[n + 1 :] for n in range(1, len(word))]
    longer = [word[:n] + letter + word[n:] for n in ends for letter in _LETTERS]
    changed = [
        word[:n] + letter + word[n + 1 :] for n in range(1, len(word)) for letter in _LETTERS
    ]
    unlike = dict.fromkeys([*swapped, *shorter, *longer, *changed])
    unlike.pop(word, None)
    return without_stop_words(unlike)


def _may_be_misspelled(word: str) -> bool:
    return _LEAST_LETTERS <= len(word) <= _MOST_LETTERS and word.isascii() and word.isalpha()


def _spelling(term: str, snapshot: Snapshot, sources: tuple[Source, ...]) -> str | None:
    possible = spellings(term)
    reader = snapshot.reader(Sought(tuple(possible), sources=sources))
    return next(reader.holding(possible, file_mask(reader, sources)), None)
