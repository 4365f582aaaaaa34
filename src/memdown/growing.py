"""Indexing files that only ever grow: each new portion is added behind what is stored.

The last chunk of a file may have room left. It is cut anew together with what follows, so that the
chunks are the same as if the whole file had been read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from memdown.types import Chunk, Document, FileState, StoredChunk, Vectors, Writer

if TYPE_CHECKING:
    from memdown.transcripts import Portion

Cut: TypeAlias = Callable[[Document], list[Chunk]]
Embed: TypeAlias = "Callable[[Sequence[Chunk]], Vectors | None]"


@dataclass(frozen=True, slots=True)
class Growth:
    """A transcript that may hold more; `portions` reads what is not indexed, given what is."""

    state: FileState
    portions: Callable[[FileState | None], Iterator[Portion]]


def write_portions(
    writer: Writer, growth: Growth, known: FileState | None, cut: Cut, embed: Embed
) -> Iterator[int]:
    """Add a transcript's new portions, one transaction each; yields how many chunks each made."""
    for portion in growth.portions(known):
        last = None if portion.fresh else writer.last_chunk(portion.state.path)
        if not portion.document.text and not portion.fresh:
            writer.touch(portion.state)
            yield 0
        elif last is None:
            chunks = cut(portion.document)
            keep = writer.stored_prefix(portion.state.path, chunks) if known else 0
            writer.replace(portion.state, chunks, embed(chunks[keep:]), keep)
            yield len(chunks)
        else:
            chunks = _without_overlap(cut(_continued(last.chunk, portion.document)), last)
            writer.extend(portion.state, last.key, chunks, embed(chunks))
            yield len(chunks)


def _continued(chunk: Chunk, document: Document) -> Document:
    lines = chunk.lines or tuple(
        range(chunk.start_line, chunk.start_line + chunk.text.count("\n") + 1)
    )
    return replace(
        document,
        text=f"{chunk.text}\n{document.text}",
        line_map=(*lines, *(document.line_map or ())),
    )


def _without_overlap(chunks: list[Chunk], last: StoredChunk) -> list[Chunk]:
    """The chunks, the first without passages for lines that the chunk before holds already."""
    start = last.chunk.passages[0].start if last.chunk.passages else 0
    if not start or not chunks:
        return chunks
    first = chunks[0]
    passages = tuple(
        passage
        if passage.start >= start
        else passage._replace(start=start, start_line=first.line_at(start))
        for passage in first.passages
        if passage.end > start
    )
    return [replace(first, passages=passages or first.passages), *chunks[1:]]
