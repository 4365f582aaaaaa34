"""What the keyword index of every store holds of a chunk, so that all stores find the same."""

from __future__ import annotations

from collections.abc import Iterator

from memdown.text import index_terms, without_stop_words
from memdown.types import Chunk

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3


def passage_terms(chunk: Chunk) -> Iterator[tuple[list[str], list[str]]]:
    """The terms of each passage, and those of what stands above it: file name and headings."""
    name = chunk.path.removeprefix("memory/").removesuffix(".md").removesuffix(".jsonl")
    for passage in chunk.passages:
        text = without_stop_words(index_terms(chunk.text[passage.start : passage.end]))
        yield text, without_stop_words(index_terms(f"{name} {passage.heading}"))
