"""A chunk's passages and headings, packed closely, and rows that fill their pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.store_contract import PRINT, chunk, put, state
from memdown.errors import IndexCorrupt
from memdown.index.layout import lay_out, outline, units_of
from memdown.index.packing import (
    as_bytes,
    count_passages,
    pack_closely,
    pack_lines,
    pack_passages,
    unpack_chunk,
)
from memdown.index.sqlite import create
from memdown.notes.chunks import chunk_document, text_digest
from memdown.notes.document import read_document
from memdown.types import Chunk, FileState, Passage


def _packed(made: Chunk) -> tuple[str, bytes]:
    return pack_closely(made, units_of(lay_out(outline([made])))[0])


def _unpacked(made: Chunk, packed: tuple[str, bytes]) -> Chunk:
    headings, passages = packed
    place = (made.path, made.source, made.start_line, made.end_line)
    text = as_bytes(made.text)
    above = as_bytes(headings)
    return unpack_chunk(1, made.id, *place, above, text, made.digest, passages, None, None).chunk


_LINES = st.sampled_from(
    [
        "# One",
        "## Two > three",
        "### Four",
        "- a point",
        "  more of it",
        "",
        "",
        "text " * 90,
        "\tx",
        "| a | b |",
        "|---|---|",
    ]
)


@given(st.lists(_LINES, max_size=60))
def test_what_is_packed_comes_back(lines: list[str]) -> None:
    document = read_document(FileState("memory/a.md", "memory", 1, 1), "\n".join(lines))
    for made in chunk_document(
        document, tokens=400, overlap=80, model="m", headings=document.headings
    ):
        packed = _packed(made)
        unpacked = _unpacked(made, packed)
        assert replace(unpacked, lines=made.lines) == made
        # One by one as well as all of them.
        count = len(made.passages)
        assert [unpacked.passages[n] for n in range(-count, count)] == [*made.passages] * 2
        assert count_passages(packed[1]) == len(made.passages)
        assert len(packed[1]) <= len(pack_passages(made)[1]) + 4


def test_lines_that_do_not_count_up_come_back() -> None:
    """As in a chat: a message of several lines stands on one line of its file."""
    text = "Anna: hello\nhow are you?\n\nBob: fine"
    passages = (Passage(0, 24, 3, 3, ""), Passage(26, 35, 7, 7, ""))
    made = replace(
        chunk("a.jsonl", 3, ["x"]),
        text=text,
        digest=text_digest(text),
        end_line=7,
        heading="",
        passages=passages,
        lines=(3, 3, 3, 7),
    )
    headings, packed = _packed(made)
    assert len(packed) < len(pack_passages(made)[1])
    unpacked = unpack_chunk(
        1,
        made.id,
        made.path,
        made.source,
        made.start_line,
        made.end_line,
        as_bytes(headings),
        as_bytes(text),
        made.digest,
        packed,
        pack_lines(made),
        None,
    )
    assert unpacked.chunk == made


@pytest.mark.parametrize(
    "passages",
    [
        [Passage(0, 3, 1, 1, "A"), Passage(4, 70_000, 2, 2, "A")],
        [Passage(0, 3, 1, 1, "A"), Passage(40, 50, 2, 2, "A")],
        [Passage(0, 3, 9, 9, "A"), Passage(4, 5, 2, 2, "A")],
        [Passage(0, 3, 1, 30, "A"), Passage(4, 5, 31, 31, "A")],
        [Passage(0, 3, 1, 1, "A"), Passage(4, 5, 2, 2, "\tB")],
        [Passage(n * 2, n * 2 + 1, n + 1, n + 1, "A") for n in range(400)],
        [],
    ],
)
def test_what_lies_otherwise_is_packed_as_before(passages: list[Passage]) -> None:
    made = replace(chunk("a.md", 1, ["some text"]), heading="A", passages=tuple(passages))
    packed = _packed(made)
    assert packed == pack_passages(made)
    assert _unpacked(made, packed) == made


def test_a_cut_blob_is_damage() -> None:
    made = chunk("a.md", 1, ["one", "two", "three"])
    headings, passages = _packed(made)
    for cut in (passages[:5], passages[:-2], passages[:-4], passages + b"\1\1"):
        with pytest.raises(IndexCorrupt):
            _unpacked(made, (headings, cut))


def test_rows_of_chunks_fill_their_pages(tmp_path: Path) -> None:
    """Rows of about a ninth of a page, in an order that leaves little of each page."""
    path = tmp_path / "index.sqlite"
    store = create(path)
    store.begin(PRINT)
    made = [
        chunk("a.md", n, [f"{n} " + "x" * (1_400 + n * 37 % 500 - n * 91 % 1_300 // (n % 9 + 1))])
        for n in range(1, 1_000)
    ]
    put(store, state("a.md"), made, None)
    store.close()
    db = apsw.Connection(str(path))
    try:
        sql = "SELECT avg(unused) FROM dbstat WHERE name = 'chunks' AND pagetype = 'leaf'"
        ((unused,),) = db.execute(sql).fetchall()
        assert float(str(unused)) < 350
        keys = [key for (key,) in db.execute("SELECT key FROM chunks ORDER BY number")]
        assert keys != sorted(keys)
        assert sorted(keys) == list(range(keys[0], keys[0] + len(keys)))
    finally:
        db.close()
