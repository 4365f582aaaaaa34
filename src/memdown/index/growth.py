"""Adding to the index what a transcript has more: each portion goes behind what is stored.

The last chunk of a file may have room left. It is cut anew together with what follows, so that the
chunks are the same as if the whole file had been read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memdown.index.changes import Chunking
from memdown.index.store import Writer, Writes
from memdown.types import Chunk, Document, FileState, IndexedFile, StoredChunk, Vectors
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.transcripts import Portion


@dataclass(frozen=True, slots=True)
class Addition:
    """The chunks of a portion; the first `keep` are stored already.

    They follow the rows before number `replaces`, or, where that is None, make up the whole file.
    """

    chunks: Sequence[Chunk]
    keep: int = 0
    replaces: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said in the portion: only what is known of the file changes."""
        return self.replaces is not None and not self.chunks

    @property
    def fresh(self) -> Sequence[Chunk]:
        """The chunks that need vectors."""
        return self.chunks[self.keep :]


def cut_portion(
    writer: Writer,
    portion: Portion,
    chunking: Chunking,
    model: str,
    *,
    is_known: bool = False,
    embedded: bool = False,
) -> Addition:
    """Cut a portion so that it continues what is stored of its file.

    Of a file that `is_known`, chunks that are stored stay; with `embedded`, if they have vectors.
    """
    path = portion.state.path
    if not portion.document.text and not portion.fresh:
        return Addition((), replaces=0)
    last = None if portion.fresh else writer.last_chunk(path)
    if last is None:
        chunks = chunking.cut(portion.document, model)
        keep = writer.stored_prefix(path, chunks, embedded=embedded) if is_known else 0
        return Addition(chunks, keep)
    chunks = chunking.cut(_continued(last.chunk, portion.document), model)
    return Addition(_without_overlap(chunks, last), replaces=last.key)


def write_portion(
    writer: Writer,
    state: FileState,
    addition: Addition,
    vectors: Vectors | None,
    passages: Vectors | None = None,
) -> None:
    """Store a portion, in one transaction; `vectors` are of its fresh chunks, `passages` of all its passages."""
    if addition.is_empty:
        writer.apply(Writes(touched=[state]))
        return
    file = IndexedFile(state, addition.chunks, vectors, addition.keep, passages, addition.replaces)
    writer.apply(Writes([file]))


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
    """The chunks, the first without passages for lines that the chunk before has already."""
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
