"""What the keyword index of every store holds of a chunk, so that all stores find the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from memdown import text as terms
from memdown.types import Chunk

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3


def passage_terms(chunk: Chunk) -> Iterator[tuple[list[str], list[str]]]:
    """The terms of each passage, and those of what stands above it: file name, names, headings."""
    return ((text.split(), head.split()) for text, head in joined_terms(chunk))


def joined_terms(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The same as `passage_terms`, with the terms joined by white space."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    if chunk.names:
        name = f"{name} {chunk.names}"
    for passage in chunk.passages:
        words = terms.joined_terms(chunk.text[passage.start : passage.end])
        yield words, _head_terms(name, passage.heading)


@lru_cache(maxsize=64)
def _head_terms(name: str, heading: str) -> str:
    return terms.joined_terms(f"{name} {heading}")
