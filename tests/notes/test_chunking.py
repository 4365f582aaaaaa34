"""Chunks and passages: every rule of the specification, on text of every kind."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.notes.chunks import chunk_document, split_lines
from memdown.text import estimate_tokens, weight
from memdown.types import Chunk, Document, Table

LINES = st.lists(
    st.text("ab .é e\u0301ж中。の한กิ่ 👍🏽👩\u200d💻\t\x0b\u2028", max_size=90)
    | st.sampled_from(["", "", "   ", "# Heading", "x" * 500, "a b. " * 100, "中文。" * 60]),
    max_size=25,
)
SIZES = {"tokens": st.integers(1, 60), "overlap": st.integers(0, 40)}

# Busy machines pause tests for longer than hypothesis allows a single example.
unhurried = settings(deadline=None)


def document(text: str, line_map: tuple[int, ...] | None = None) -> Document:
    return Document("memory/a.md", "memory", text, digest="", line_map=line_map)


def chunked(text: str, tokens: int = 8, overlap: int = 2, **options: object) -> list[Chunk]:
    return chunk_document(
        document(text),
        tokens=tokens,
        overlap=overlap,
        model="m",
        **options,  # type: ignore[arg-type]
    )


def passage_texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text[p.start : p.end] for chunk in chunks for p in chunk.passages]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\nb\nc", ["a", "b", "c"]),
        ("a\rb", ["a\rb"]),
        ("a\u2028b\x0bc\x0cd\x85e", ["a\u2028b\x0bc\x0cd\x85e"]),
    ],
)
def test_lines_are_those_of_an_editor(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_no_chunk_exceeds_the_cap(lines: list[str], tokens: int, overlap: int) -> None:
    cap = max(32, tokens * 4)
    for chunk in chunked("\n".join(lines), tokens, overlap):
        assert len(chunk.text) <= cap
        assert weight(chunk.text) <= cap
        assert estimate_tokens(chunk.text) <= cap // 4


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"], st.sampled_from(["\n", "\r\n"]))
def test_a_chunk_is_a_literal_part_of_the_lines_it_names(
    lines: list[str], tokens: int, overlap: int, line_end: str
) -> None:
    for chunk in chunked(line_end.join(lines), tokens, overlap):
        named = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        assert chunk.text in named
        if chunk.start_line < chunk.end_line:
            first, *_, last = chunk.text.split("\n")
            assert lines[chunk.start_line - 1].endswith(first)
            assert lines[chunk.end_line - 1].startswith(last)


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_passages_cover_every_visible_character_once_and_in_order(
    lines: list[str], tokens: int, overlap: int
) -> None:
    text = "\n".join(lines)
    chunks = chunked(text, tokens, overlap)
    covered = "".join(passage_texts(chunks))
    assert "".join(covered.split()) == "".join(text.split())
    for chunk in chunks:
        assert chunk.passages
        ends = [0, *(passage.end for passage in chunk.passages)]
        assert all(p.start >= end for p, end in zip(chunk.passages, ends, strict=False))
        for passage in chunk.passages:
            assert chunk.start_line <= passage.start_line <= passage.end_line <= chunk.end_line
            assert chunk.text[passage.start : passage.end].strip()


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_passages_of_several_lines_are_short_and_say_where_they_stand(
    lines: list[str], tokens: int, overlap: int
) -> None:
    chunks = chunked("\n".join(lines), tokens, overlap)
    for chunk in chunks:
        for passage in chunk.passages:
            text = chunk.text[passage.start : passage.end]
            assert weight(text) <= 400 or "\n" not in text
            assert text in "\n".join(lines[passage.start_line - 1 : passage.end_line])
            assert text.count("\n") == passage.end_line - passage.start_line


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_line_ends_change_nothing(lines: list[str], tokens: int, overlap: int) -> None:
    lines = [*lines, "last"]
    unix = chunked("\n".join(lines), tokens, overlap)
    assert chunked("\r\n".join(lines), tokens, overlap) == unix
    assert chunked("\n".join(lines) + "\n", tokens, overlap) == unix


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_the_overlap_is_the_end_of_the_chunk_before(
    lines: list[str], tokens: int, overlap: int
) -> None:
    chunks = chunked("\n".join(lines), tokens, overlap)
    for before, chunk in pairwise(chunks):
        shared = lines[chunk.start_line - 1 : before.end_line]
        if not shared or weight(shared[0]) > max(32, tokens * 4):
            continue
        assert weight("\n".join(shared)) <= overlap * 4
        assert before.text.endswith("\n".join(shared))
        assert chunk.text.startswith("\n".join(shared))


@unhurried
@given(LINES, SIZES["tokens"], SIZES["overlap"])
def test_chunks_are_in_order_and_have_ids_of_their_own(
    lines: list[str], tokens: int, overlap: int
) -> None:
    chunks = chunked("\n".join(lines), tokens, overlap)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    starts = [(chunk.start_line, chunk.end_line) for chunk in chunks]
    assert starts == sorted(starts)
    assert chunks == chunked("\n".join(lines), tokens, overlap)


def test_lines_are_gathered_up_to_the_cap_and_overlap_by_whole_lines() -> None:
    text = "\n".join(f"line {number:02}" for number in range(1, 9))
    chunks = chunked(text, tokens=8, overlap=2)
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 4), (4, 7), (7, 8)]
    assert chunks[0].text == "line 01\nline 02\nline 03\nline 04"
    assert passage_texts(chunks) == (
        [
            "line 01\nline 02\nline 03\nline 04",
            "line 05\nline 06\nline 07",
            "line 08",
        ]
    )


def test_the_overlap_shrinks_where_the_next_line_needs_the_room() -> None:
    chunks = chunked("aaaa\nbbbb\n" + "c" * 26, tokens=8, overlap=8)
    assert [chunk.text for chunk in chunks] == ["aaaa\nbbbb", "bbbb\n" + "c" * 26]


def test_a_long_line_is_cut_into_pieces_of_one_line() -> None:
    chunks = chunked("short\n" + "word " * 28 + "\nend", tokens=8, overlap=8)
    assert [(c.start_line, c.end_line) for c in chunks] == [(1, 1), *[(2, 2)] * 4, (2, 3)]
    assert "".join(c.text for c in chunks[1:]) == "word " * 28 + "\nend"


def test_equal_pieces_of_one_line_have_different_ids() -> None:
    chunks = chunked("x" * 96, tokens=8)
    assert [chunk.text for chunk in chunks] == ["x" * 32] * 3
    name = f"memory:memory/a.md:1:1:{hashlib.sha256(b'x' * 32).hexdigest()}:m"
    assert [chunk.id for chunk in chunks] == [
        hashlib.sha256(f"{name}{suffix}".encode()).hexdigest() for suffix in ("", ":1", ":2")
    ]


def test_east_asian_text_is_sized_by_its_tokens() -> None:
    chunks = chunked("\n".join(["日本語の文章です。"] * 50), tokens=100, overlap=0)
    assert all(80 <= len(chunk.text) <= 100 for chunk in chunks[:-1])


@pytest.mark.parametrize("text", ["", "\n", "\n" * 5_000, " \n\t\n" * 500, "\u3000" * 3_000])
def test_nothing_comes_of_blank_text(text: str) -> None:
    assert chunked(text) == []


def test_blank_lines_at_the_end_make_no_chunk() -> None:
    assert [chunk.text.strip() for chunk in chunked("text" + "\n" * 200)] == ["text"]


def test_headings_name_passages_and_start_new_ones() -> None:
    text = "intro\n\n# Home\nrooms\n\n## Network\nrouter\nmore"
    headings = ((3, "Home"), (6, "Home > Network"))
    (chunk,) = chunked(text, tokens=400, headings=headings)
    assert chunk.heading == ""
    assert [(p.heading, p.start_line, p.end_line) for p in chunk.passages] == [
        ("", 1, 1),
        ("Home", 3, 4),
        ("Home > Network", 6, 8),
    ]
    later = chunked(text, tokens=8, overlap=0, headings=headings)[-1]
    assert later.heading == "Home > Network"


def test_the_columns_of_a_table_stand_above_its_rows() -> None:
    text = "| service | owner |\n|---|---|\n| search | Mei |\n| shop | Ana |\nafter"
    made = replace(document(text), tables=(Table(3, 4, "service | owner"),))
    (chunk,) = chunk_document(made, tokens=400, overlap=80, model="m", headings=((1, "Work"),))
    assert [(one.start_line, one.heading) for one in chunk.passages] == [
        (1, "Work"),
        (3, "Work > service | owner"),
        (4, "Work > service | owner"),
    ]


def test_lines_are_named_by_their_numbers_in_the_original() -> None:
    chunks = chunk_document(
        document("one\ntwo\nthree", line_map=(2, 5, 9)), tokens=400, overlap=80, model="m"
    )
    (chunk,) = chunks
    assert (chunk.start_line, chunk.end_line) == (2, 9)
    assert (chunk.passages[0].start_line, chunk.passages[0].end_line) == (2, 9)
    assert chunk.lines == (2, 5, 9)
    assert chunk.line_at(chunk.text.index("two")) == 5
    name = f"memory:memory/a.md:2:9:{chunk.digest}:m"
    assert chunk.id == hashlib.sha256(name.encode()).hexdigest()


def test_numbers_that_count_up_are_not_listed() -> None:
    mapped = document("one\ntwo\n\nfour", line_map=(4, 5, 6, 7))
    (chunk,) = chunk_document(mapped, tokens=400, overlap=80, model="m")
    assert chunk.lines is None
    assert chunk.line_at(chunk.text.index("four")) == 7


def test_passages_gather_lines_but_never_split_one() -> None:
    """A paragraph is matched best as a whole, even when it is longer than passages usually are."""
    short, paragraph = "The router has a blue light.", "It is in the hall. " * 30
    (chunk,) = chunked("\n".join([short] * 15 + [paragraph, short]), tokens=400)
    assert [text.count("\n") + 1 for text in passage_texts([chunk])] == [13, 2, 1, 1]
    assert passage_texts([chunk])[2] == paragraph


@pytest.mark.parametrize(
    "text",
    ["x" * 200_000, "e" + "\u0301" * 50_000, "\ud800\0" * 50_000, "中" * 50_000, "." * 100_000],
)
def test_pathological_lines(text: str) -> None:
    chunks = chunked(text, tokens=400, overlap=80)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(len(chunk.text) <= 1_600 for chunk in chunks)


def test_characters_are_never_split() -> None:
    text = "👩\u200d💻🇩🇪e\u0301น้ำ한" * 400
    for chunk in chunked(text, tokens=8, overlap=0):
        assert chunk.text[0] in "👩🇩eน한"
