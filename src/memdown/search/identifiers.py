"""Numbers and codes in a question: looked for whole, not by the numbers that are in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memdown.text import Identifier, QueryTerms, distinct_terms, prefix_terms
from memdown.types import Snapshot, Source, TextQuery

_LOOKED_AT = 20
# Of a page of numbers, so many are asked for one by one; of the others only the whole is looked for.
_MOST_ASKED = 16
# The letters before a number are a word of their own if there are so many: Python3, Windows11.
_A_WORD = 4


class Look(NamedTuple):
    """Where to look: the notes of these sources, or only these files of them."""

    snapshot: Snapshot
    sources: tuple[Source, ...]
    files: frozenset[int] | None = None

    def match(self, words: Sequence[str], limit: int) -> list[int]:
        """Some passages that hold one of the words."""
        query = TextQuery(tuple(words), (), (), self.sources, limit, self.files)
        return [match.key for match in self.snapshot.match_text(query).matches]


def settle(terms: QueryTerms, look: Look) -> tuple[QueryTerms, tuple[str, ...]]:
    """What to look for, now that the notes are known, and the identifiers that none of them holds.

    Of what a note holds whole, or in parts beside one another (PB 1500), the parts alone tell nothing; of
    what none holds, neither does a note that shares a number with it.
    """
    left_out: set[str] = set()
    unheld: list[str] = []
    exact: list[list[str]] = []
    for one in terms.identifiers[_MOST_ASKED:]:
        left_out.update(one.parts)
    for one in terms.identifiers[:_MOST_ASKED]:
        held = [term for term in one.spellings if look.match([term], 1)]
        if held:
            left_out.update([*one.spellings, *one.parts])
            left_out.difference_update(held)
            exact.append(held)
        elif not _stands_in_parts(one, look):
            unheld.append(one.text)
            left_out.update([*one.spellings, *one.parts])
            left_out.difference_update(part for part in one.parts if _is_word(one, part))
    if not left_out:
        return terms, ()
    words = tuple(word for word in terms.words if word not in left_out)
    settled = replace(
        terms,
        words=words,
        prefixes=tuple(prefix_terms(words)) if terms.prefixes else (),
        exact=terms.exact.union(*exact).intersection(words),
    )
    return settled, tuple(unheld)


def _is_word(one: Identifier, part: str) -> bool:
    return one.text.isalnum() and part.isalpha() and len(part) >= _A_WORD


def _stands_in_parts(one: Identifier, look: Look) -> bool:
    """Whether a line holds all parts; the parts of a mere number, such as 10.4.7.31, are by chance."""
    if not one.parts or not any(map(str.isalpha, one.text)):
        return False
    parts = [part for part in one.parts if part.isalnum()]
    keys = look.match(parts, _LOOKED_AT)
    chunks = look.snapshot.load(list(set(look.snapshot.chunk_keys(keys).values())))
    return any(
        distinct_terms(line).issuperset(parts)
        for stored in chunks.values()
        for line in stored.chunk.text.split("\n")
    )
