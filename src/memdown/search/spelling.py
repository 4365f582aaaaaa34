"""Misspelled words: how the notes spell what a query names and no note holds.

Only asked when a search found nothing, so it may take longer than a search. A word is put right by
one letter that is missing, too many, wrong or at its neighbour's place; the first one is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memdown.text import distinct_terms, without_stop_words
from memdown.types import Snapshot, Source, TextQuery

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LEAST_LETTERS, _MOST_LETTERS = 5, 20
_MOST_WORDS = 4
_LOOKED_AT = 5


def put_right(
    words: Iterable[str], snapshot: Snapshot, sources: Sequence[Source]
) -> dict[str, str]:
    """The words that stand nowhere, each with what the notes hold instead; those without are left out."""
    found: dict[str, str] = {}
    tried = 0
    for word in words:
        if tried == _MOST_WORDS:
            break
        if _may_be_misspelled(word) and not _match(snapshot, [word], sources, 1):
            tried += 1
            if spelling := _spelling(word, snapshot, sources):
                found[word] = spelling
    return found


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


def _spelling(word: str, snapshot: Snapshot, sources: Sequence[Source]) -> str | None:
    possible = spellings(word)
    keys = _match(snapshot, possible, sources, _LOOKED_AT)
    chunks = snapshot.load(list(set(snapshot.chunk_keys(keys).values())))
    held = frozenset().union(*(distinct_terms(stored.chunk.text) for stored in chunks.values()))
    return next((spelling for spelling in possible if spelling in held), None)


def _match(
    snapshot: Snapshot, words: Sequence[str], sources: Sequence[Source], limit: int
) -> list[int]:
    found = snapshot.match_text(TextQuery(tuple(words), (), (), tuple(sources), limit))
    return [match.key for match in found.matches]
