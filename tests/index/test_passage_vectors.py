"""Vectors of passages: many at a time from the rows of their words, the same as one by one."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.embedders.bundled import BundledEmbedder
from memdown.index import passage_vectors, passages
from memdown.index.changes import Chunking
from memdown.index.passage_vectors import PASSAGE_DIMS, KnownWords, add_up, passage_texts
from memdown.index.passages import occurrences, tokenise
from memdown.notes.document import read_document
from memdown.types import Chunk, FileState

EMBEDDER = BundledEmbedder()

LINES = st.sampled_from(
    [
        "# Garden > shed",
        "- [ ] buy **paint** on 2026-03-01 at 10:30",
        "1. first of all",
        "12:30",
        "see `docs/a b/c.md` and `code`",
        "https://example.org/a_b and foo_bar",
        "多么美好的一天 with friends",
        "| a | b |",
        "",
        "word " * 60,
        "long " * 400,
        "Nora: did you see it?",
    ]
)


def chunks_of(text: str) -> list[Chunk]:
    state = FileState(path="memory/a.md", source="memory", size=1, mtime_ns=1, digest="")
    return Chunking().cut(read_document(state, text), "model")


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=30))
def test_passages_have_the_vectors_of_their_texts(lines: list[str]) -> None:
    chunks = chunks_of("\n".join(lines))
    texts = [text for chunk in chunks for text in passage_texts(chunk)]
    made = add_up(EMBEDDER, chunks)
    assert made.passages == pytest.approx(EMBEDDER.embed_short(texts, PASSAGE_DIMS), abs=1e-5)
    whole = EMBEDDER.embed_batch([chunk.text for chunk in chunks])
    assert made.chunks == pytest.approx(whole, abs=1e-5)


def test_no_chunks_have_no_vectors() -> None:
    made = add_up(EMBEDDER, [])
    assert made.chunks.shape == (0, 256)
    assert made.passages.shape == (0, PASSAGE_DIMS)


def test_tokens_of_some_chunks_are_a_part_of_those_of_all() -> None:
    text = "# Head\n\n" + "".join(
        f"- Nora: number {n} is 多么美好的一天 in `a/b` of {'w' * 30}{n}?\n" for n in range(300)
    )
    chunks = chunks_of(text)
    whole = tokenise(chunks)
    alone, part = (occurrences(one) for one in (tokenise(chunks[2:5]), whole.of(2, 5)))
    assert len(chunks) > 5
    assert alone.names == part.names
    for name in ("term", "row", "position", "lengths"):
        assert np.array_equal(getattr(alone, name), getattr(part, name))


def test_words_that_are_known_from_before_have_the_same_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether they are among those that are kept, new, or of a table that had to grow."""
    monkeypatch.setattr(passage_vectors, "_MANY_TOKENS", 1)
    portions = [
        chunks_of(
            "# Garden\n\n"
            + "".join(f"- **paint{n % (9 + 40 * k)}** 10:30 {k} {n}\n" for n in range(90))
        )
        for k in range(4)
    ]
    known = KnownWords(60)
    for some in [*portions, *portions]:
        made, alone = add_up(EMBEDDER, some, known), add_up(EMBEDDER, some)
        assert np.array_equal(made.chunks, alone.chunks)
        assert np.array_equal(made.passages, alone.passages)


def test_a_table_of_words_that_was_replaced_takes_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also while nobody looks for cycles, as long as a full index is made."""
    monkeypatch.setattr(passages, "_MOST_PIECES", 0)
    chunks = chunks_of("# Garden\n\nThe paint is in the shed.\n")
    gc.disable()
    try:
        vocabulary = weakref.ref(tokenise(chunks).pieces.vocabulary)
        tokenise(chunks)
        assert vocabulary() is None
    finally:
        gc.enable()
