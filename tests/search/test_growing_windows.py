"""Windows: whole lines around the best passage, never a line twice, never too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memdown.notes.chunks import chunk_document
from memdown.notes.document import heading_paths
from memdown.search.snippets import Taken, below_heading, grow, pieces_of, show_below
from memdown.types import Chunk, Document, StoredChunk


def chunk_of(text: str) -> Chunk:
    return chunk_document(Document("a.md", "memory", text, "d"), tokens=400, overlap=80, model="m")[
        0
    ]


def shown(chunk: Chunk, number: int, size: int = 700, words: tuple[str, ...] = ()) -> str:
    place = grow(chunk, number, [0.0] * len(chunk.passages), words, size, Taken())
    assert place is not None
    return chunk.text[place[0] : place[1]]


def test_a_short_chunk_is_shown_whole() -> None:
    assert shown(chunk_of("# Home\n\nThe router.\nThe switch.\n"), 0) == (
        "# Home\n\nThe router.\nThe switch."
    )


def test_a_window_holds_whole_lines() -> None:
    lines = [f"Line {n}: " + "word " * 20 for n in range(14)]
    chunk = chunk_of("\n".join(lines))
    for number in range(len(chunk.passages)):
        for line in shown(chunk, number).split("\n"):
            assert line.strip() in {one.strip() for one in lines}


def test_of_a_long_line_the_sentence_with_the_words_is_shown() -> None:
    filler = "This sentence says nothing at all. " * 20
    chunk = chunk_of(f"{filler}The zebra is called Zoe. {filler}")
    assert "Zoe" in shown(chunk, 0, 200, ("zebra",))


def test_of_an_endless_line_the_part_with_the_words_is_shown() -> None:
    """Not its beginning: a line of 70 kB need not have a single full stop."""
    filler = " ".join(f"word{n}" for n in range(100))
    chunk = chunk_of(f"{filler} Quentin owns the sailing boat Albatros {filler}")
    assert "Albatros" in shown(chunk, 0, 200, ("sail", "boat"))


def test_no_line_is_shown_twice() -> None:
    chunk = chunk_of("\n".join(f"Line {n} " + "x" * 150 for n in range(9)))
    taken = Taken()
    seen: list[str] = []
    for number in range(len(chunk.passages)):
        place = grow(chunk, number, [0.0] * len(chunk.passages), (), 400, taken)
        if place:
            seen += chunk.text[place[0] : place[1]].split("\n")
    assert len(seen) == len(set(seen))


def test_it_grows_to_the_side_that_is_wanted() -> None:
    chunk = chunk_of("\n".join(f"{letter}" * 350 for letter in "abc"))
    assert len(chunk.passages) == 3
    for wanted, expected in (([0.9, 1.0, 0.1], "a"), ([0.1, 1.0, 0.9], "c")):
        place = grow(chunk, 1, wanted, (), 710, Taken())
        assert place is not None
        assert expected in chunk.text[place[0] : place[1]]


@given(st.text(alphabet="ab .\n。é", min_size=1, max_size=900), st.integers(20, 300))
def test_any_text_gives_pieces_in_order_and_windows_of_the_size(text: str, size: int) -> None:
    pieces = pieces_of(text, size)
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)
    chunks = chunk_document(
        Document("a.md", "memory", text, "d"), tokens=400, overlap=80, model="m"
    )
    for chunk in chunks:
        for number in range(len(chunk.passages)):
            assert 0 < len(shown(chunk, number, size)) <= size


NOTE = "# Home\n\n## Networks\n\n| name | for |\n|---|---|\n| ebbe | us |\n| flut | guests |\n\n## Power\n\nGreen.\n"


def noted(text: str, tokens: int = 400, overlap: int = 80) -> list[StoredChunk]:
    document = Document("a.md", "memory", text, "d")
    headings = heading_paths(text.split("\n"))
    chunks = chunk_document(document, tokens=tokens, overlap=overlap, model="m", headings=headings)
    found: list[StoredChunk] = []
    for chunk in chunks:
        key = found[-1].key + len(found[-1].chunk.passages) if found else 0
        found.append(StoredChunk(key, chunk, None))
    return found


def below(chunks: list[StoredChunk], title: str, taken: Taken) -> str | None:
    by_key = {one.key: one for one in chunks}
    stored, passage = next(
        (one, passage)
        for one in chunks
        for passage in one.chunk.passages
        if one.chunk.text[passage.start : passage.end].startswith(title)
    )
    found = below_heading(stored, passage, by_key)
    if found is None:
        return None
    place = show_below(found, 700, taken)
    return place and found.chunk.text[place[0] : place[1]]


def test_a_heading_is_shown_with_the_first_lines_below_it() -> None:
    chunks = noted(NOTE)
    networks = "## Networks\n\n| name | for |\n|---|---|\n| ebbe | us |\n| flut | guests |"
    assert below(chunks, "## Networks", Taken()) == networks
    assert below(chunks, "# Home", Taken()) == f"# Home\n\n{networks}"
    assert below(chunks, "## Power", Taken()) is None, "its line is a fact and shown as one"


def test_a_heading_at_the_end_of_a_chunk_is_shown_with_what_follows_in_the_next() -> None:
    text = "# Home\n\n" + "word " * 50 + "\n\n## Backup\n\nSettings are exported every month.\n"
    for overlap, shown in (
        (5, "## Backup\n\nSettings are exported every month."),
        (0, "Settings are exported every month."),
    ):
        chunks = noted(text, tokens=70, overlap=overlap)
        assert chunks[0].chunk.text.rstrip().endswith("## Backup")
        taken = Taken()
        assert below(chunks, "## Backup", taken) == shown
        assert below(chunks, "## Backup", taken) is None, "it is shown already"


def test_a_heading_with_nothing_below_it_stands_by_itself() -> None:
    assert below(noted("Some text.\n\n# Later\n"), "# Later", Taken()) is None
