"""What the keyword index of every store holds of a chunk, so that all stores find the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from memdown import text as terms
from memdown.types import Chunk, Passage

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3


def passage_terms(chunk: Chunk) -> Iterator[tuple[list[str], list[str]]]:
    """The terms of each passage, and those of what stands above it: file name, names, headings."""
    return ((text.split(), head.split()) for text, head in joined_terms(chunk))


def joined_terms(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """The same as `passage_terms`, with the terms joined by white space."""
    for passage in chunk.passages:
        words = terms.joined_terms(chunk.text[passage.start : passage.end])
        yield words, _head_terms(head_text(chunk, passage))


def head_text(chunk: Chunk, passage: Passage) -> str:
    """What stands above a passage: file name, names of the document, headings."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    return f"{name} {chunk.names} {passage.heading}" if chunk.names else f"{name} {passage.heading}"


@lru_cache(maxsize=64)
def _head_terms(head: str) -> str:
    return terms.joined_terms(head)
