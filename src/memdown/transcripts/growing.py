"""Indexing files that only ever grow: each new portion is added behind what is stored.

The last chunk of a file may have room left. It is cut anew together with what follows, so that the
chunks are the same as if the whole file had been read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memdown.types import Chunk, Document, FileState, StoredChunk, Vectors, Writer

if TYPE_CHECKING:
    from memdown.transcripts import Portion

Cut: TypeAlias = Callable[[Document], list[Chunk]]


class Embedded(NamedTuple):
    """The vectors of some chunks; without them perhaps the reason why they are missing."""

    vectors: Vectors | None
    problem: str = ""


Embed: TypeAlias = Callable[[Sequence[Chunk]], Embedded]


@dataclass(frozen=True, slots=True)
class Growth:
    """A transcript that may hold more; `portions` reads what is not indexed, given what is."""

    state: FileState
    portions: Callable[[FileState | None], Iterator[Portion]]


def write_portions(
    writer: Writer,
    growth: Growth,
    known: FileState | None,
    cut: Cut,
    embed: Embed,
    *,
    embedded: bool,
    complete: bool = False,
) -> Iterator[int]:
    """Add a transcript's new portions, one transaction each; yields how many chunks each made.

    With `embedded` chunks should have vectors; with `complete` it is read from its start, to give
    them the vectors that they lack.
    """
    lacks = known.problem if known and not complete else ""
    for portion in growth.portions(None if complete else known):
        path = portion.state.path
        last = None if portion.fresh else writer.last_chunk(path)
        if portion.fresh:
            lacks = ""
        if not portion.document.text and not portion.fresh:
            writer.touch(replace(portion.state, problem=lacks))
            yield 0
        elif last is None:
            chunks = cut(portion.document)
            keep = writer.stored_prefix(path, chunks, embedded=embedded) if known else 0
            rows, problem = embed(chunks[keep:])
            lacks = lacks or problem
            writer.replace(replace(portion.state, problem=lacks), chunks, rows, keep)
            yield len(chunks)
        else:
            chunks = _without_overlap(cut(_continued(last.chunk, portion.document)), last)
            rows, problem = embed(chunks)
            lacks = lacks or problem
            writer.extend(replace(portion.state, problem=lacks), last.key, chunks, rows)
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
