"""Where the terms of a query stand in a text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from memdown.text.terms import compound_parts, is_gram, normal_run, ordered_terms, tokens

_LONGEST_GRAM: Final = 3


def match_spans(text: str, words: Collection[str]) -> list[tuple[int, int]]:
    """The spans of the text whose terms are among `words`, merged and in order."""
    wanted = frozenset(words)
    merged: list[tuple[int, int]] = []
    for start, end in _spans(text, wanted):
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _spans(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    for start, token in tokens(text):
        spans = _gram_spans if is_gram(token) else _word_spans
        for first, last in spans(token, wanted):
            yield start + first, start + last


def _word_spans(token: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """The whole token if it is wanted whole, else the parts of it that are."""
    terms = ordered_terms(token)
    if wanted.isdisjoint(terms):
        return []
    found = []
    if terms[0] not in wanted:
        for start, part in compound_parts(token):
            found += [(start + first, start + last) for first, last in _word_spans(part, wanted)]
    return found or [(0, len(token))]


def _gram_spans(run: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    normal = normal_run(run)
    if len(normal) != len(run):
        return [] if wanted.isdisjoint(ordered_terms(run)) else [(0, len(run))]
    return [
        (start, end)
        for start in range(len(run))
        for end in range(start + 1, min(start + _LONGEST_GRAM, len(run)) + 1)
        if normal[start:end] in wanted
    ]
