"""Numbers and codes in a question: looked for whole, not by the numbers that are in them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from memdown.index.reader import Reader, Rows, common_rows, word
from memdown.search.candidates import file_mask
from memdown.text import Identifier, QueryTerms, distinct_terms, prefix_terms
from memdown.types import Source

_LOOKED_AT = 20
# Of a page of numbers, so many are asked for one by one; of the others only the whole is looked for.
_MOST_ASKED = 16
# The letters before a number are a word of their own if there are so many: Python3, Windows11.
_A_WORD = 4


class SearchScope(NamedTuple):
    """Where to look: in the passages of these sources, or only of these files of them."""

    reader: Reader
    sources: tuple[Source, ...]
    files: frozenset[int] | None = None

    def rows(self, term: str) -> Rows:
        """The passages that hold a term."""
        rows = self.reader.posting(word(term)).rows
        mask = file_mask(self.reader, self.sources, self.files)
        return rows if mask is None else rows[mask[self.reader.passage_file[rows]]]


def looked_for(terms: QueryTerms) -> tuple[str, ...]:
    """What must be known to settle the identifiers of a question."""
    some = terms.identifiers[:_MOST_ASKED]
    return tuple(dict.fromkeys(term for one in some for term in (*one.spellings, *one.parts)))


def settle(terms: QueryTerms, look: SearchScope) -> tuple[QueryTerms, tuple[str, ...]]:
    """What to look for, now that the notes are known, and the identifiers that none of them holds.

    Of what a note holds whole, or in parts beside one another (PB 1500), the parts alone tell nothing; of
    what none holds, neither does a note that shares a number with it.
    """
    left_out: set[str] = set()
    absent: list[str] = []
    exact: list[list[str]] = []
    for one in terms.identifiers[_MOST_ASKED:]:
        left_out.update(one.parts)
    for one in terms.identifiers[:_MOST_ASKED]:
        present = [term for term in one.spellings if len(look.rows(term))]
        if present:
            left_out.update([*one.spellings, *one.parts])
            left_out.difference_update(present)
            exact.append(present)
        elif not _stands_in_parts(one, look):
            absent.append(one.text)
            left_out.update([*one.spellings, *one.parts])
            left_out.difference_update(part for part in one.parts if _is_word(one, part))
    if not left_out:
        return terms, ()
    words = tuple(term for term in terms.words if term not in left_out)
    settled = replace(
        terms,
        words=words,
        prefixes=tuple(prefix_terms(words)) if terms.prefixes else (),
        exact=terms.exact.union(*exact).intersection(words),
    )
    return settled, tuple(absent)


def _is_word(one: Identifier, part: str) -> bool:
    return one.text.isalnum() and part.isalpha() and len(part) >= _A_WORD


def _stands_in_parts(one: Identifier, look: SearchScope) -> bool:
    """Whether a line holds all parts; the parts of a mere number, such as 10.4.7.31, are by chance."""
    if not one.parts or not any(map(str.isalpha, one.text)):
        return False
    parts = [part for part in one.parts if part.isalnum()]
    rows = look.rows(parts[0]) if parts else np.empty(0, np.int32)
    for part in parts[1:]:
        rows = common_rows(rows, look.rows(part))
    some = sorted(set(look.reader.passage_chunk[rows[:_LOOKED_AT]].tolist()))
    chunks = look.reader.chunks(some)
    return any(
        distinct_terms(line).issuperset(parts)
        for stored in chunks.values()
        for line in stored.chunk.text.split("\n")
    )
