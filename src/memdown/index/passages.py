"""What the keyword index of every store holds of a chunk, so that all stores find the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memdown import text as terms
from memdown.text.cues import cues_of, label_of, speaker_terms
from memdown.types import Chunk, Passage, Vectors

TEXT_WEIGHT, HEAD_WEIGHT = 1.0, 0.3
# The bundled embedder's first numbers mean most: with 64 of 256 passages are told apart as well.
PASSAGE_DIMS = 64
_SHORT = 200
# Dates, times, paths and markup.
_UNSAID = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|`[^`\n]*[/\d][^`\n]*`|https?://\S+|[*_`|#\[\]]+|^\W*\d+[.)]\s"
)


def shorten(vectors: Vectors, dims: int = PASSAGE_DIMS) -> Vectors:
    """The first `dims` numbers of vectors, shape (n, D), brought to length one again."""
    import numpy as np

    short = vectors[:, :dims]
    lengths = np.sqrt(np.einsum("ij,ij->i", short, short))
    lengths[lengths == 0] = 1
    shortened: Vectors = short / lengths[:, None]
    return shortened


def passage_texts(chunk: Chunk, only: int | None = None) -> list[str]:
    """What is embedded of each passage, or of `only` one: a short one under its heading, without what says
    nothing to an embedder but weighs as much as words."""
    wanted = chunk.passages if only is None else chunk.passages[only : only + 1]
    return [_said(chunk.text[one.start : one.end], one.heading or chunk.heading) for one in wanted]


def _said(text: str, heading: str) -> str:
    if len(text) > _SHORT:
        return text
    last = heading.rpartition(" > ")[2]
    said = " ".join(_UNSAID.sub(" ", text if last in text else f"{last}: {text}").split())
    return said if any(map(str.isalpha, said)) else text


def feature_terms(chunk: Chunk) -> list[tuple[str, ...]]:
    """What each passage tells besides its words, as terms outside the space of words.

    Who speaks goes on until another label or a heading; the lines that a chunk repeats from the one
    before tell who speaks in its first passage.
    """
    found: list[tuple[str, ...]] = []
    speaker: tuple[str, ...] = ()
    place = 0
    for passage in chunk.passages:
        before = chunk.text[place : passage.start].split("\n") if not found else ()
        text = chunk.text[passage.start : passage.end]
        for line in (*before, *text.split("\n")):
            if line.startswith("#"):
                speaker = ()
            elif name := label_of(line):
                speaker = speaker_terms(name)
        found.append((*speaker, *cues_of(text)))
    return found


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
