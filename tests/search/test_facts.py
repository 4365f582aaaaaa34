"""Facts: bullets, rows and lone lines stand by themselves; prose, talk and code do not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memdown.notes.chunks import chunk_document
from memdown.notes.document import heading_paths
from memdown.notes.facts import (
    FactSpan,
    adjoin,
    facts_in,
    heading_at,
    is_heading,
    section_at,
    unit_after,
    unit_before,
    units_of,
)
from memdown.search.snippets import Taken, grow, show_fact
from memdown.types import Chunk, Document

NOTE = """\
# Home

Intro line one
and two.

## Network

- The router is an ER605
  in the hall cupboard
- Switch
  - port 1: printer
  - port 2: nas

One lone line.

| Who | Phone |
|-----|-------|
| Ana | 555   |
| Bob | 666   |

---

```sh
ls

# no heading
```

1. first
2. second
"""


def chunks_of(text: str, tokens: int = 400) -> list[Chunk]:
    headings = heading_paths(text.split("\n"))
    document = Document("a.md", "memory", text, "d")
    return chunk_document(
        document, tokens=tokens, overlap=tokens // 5, model="m", headings=headings
    )


def chunk_of(text: str) -> Chunk:
    return chunks_of(text)[0]


def texts(text: str) -> list[tuple[str, bool]]:
    return [(text[one.start : one.end], one.is_fact) for one in units_of(chunk_of(text))]


def test_what_a_note_consists_of() -> None:
    assert texts(NOTE) == [
        ("Intro line one\nand two.", False),
        ("- The router is an ER605\n  in the hall cupboard", True),
        ("- Switch\n  - port 1: printer\n  - port 2: nas", True),
        ("One lone line.", True),
        ("| Ana | 555   |", True),
        ("| Bob | 666   |", True),
        ("```sh\nls\n\n# no heading\n```", False),
        ("1. first", True),
        ("2. second", True),
    ]


def test_the_first_row_of_a_table_and_front_matter_are_no_facts() -> None:
    table = "| room | lamp |\n|---|---|\n| hall | E27 |\n| attic | GU10 |"
    assert texts(table) == [("| hall | E27 |", True), ("| attic | GU10 |", True)]
    assert texts("---\ntags: [home]\n---\n- The lamp is red.") == [("- The lamp is red.", True)]
    # Only what a note begins with is front matter.
    assert len(texts("Lamps:\n\n---\ntags: [home]\n---\n")) == 2


def test_of_a_long_list_below_a_bullet_each_is_a_fact() -> None:
    text = "- Ports\n" + "\n".join(f"  - port {n}: machine {n}" for n in range(12))
    assert len(list(units_of(chunk_of(text)))) > 5


def test_a_talk_is_no_list_of_facts() -> None:
    """The line with the date stands alone, but what follows belongs together."""
    talk = "# Talk\nDate: 2026-01-02\n\nAna: Hello\nBen: Hi\nAna: How are you?\n"
    chunk = chunk_of(talk)
    assert facts_in(chunk, chunk.passages[1]) == []


def test_a_long_paragraph_is_no_fact() -> None:
    assert [one.is_fact for one in units_of(chunk_of("word " * 200))] == [False]


def test_the_headings_above_a_fact() -> None:
    text = "# A\n\n- one\n\n## B\n\n- two\n\n### C\n\n- three\n\n## D\n\n- four\n"
    chunk = chunk_of(text)
    above = [heading_at(chunk, one.start) for one in units_of(chunk)]
    assert above == ["A", "A > B", "A > B > C", "A > D"]


CODE = (
    "# Server\n\n## Start\n\n```\n"
    + "".join(f"run step number {n}\n" for n in range(9))
    + "```\n\nThen wait.\n\n## Stop\n\n- Press the red button.\n\n## Move\n\n- Call Mats first.\n"
)


def test_a_chunk_that_begins_in_code_ends_there() -> None:
    """The end of code that began in the chunk before is no beginning: what follows is no code."""
    *_, before, chunk = chunks_of(CODE, tokens=40)
    assert "```\n" not in before.text.partition("```\n")[2]
    found = {chunk.text[one.start : one.end]: one for one in units_of(chunk)}
    assert found["- Press the red button."].is_fact
    assert found["- Call Mats first."].is_fact
    above = {text: heading_at(chunk, one.start) for text, one in found.items()}
    assert above["- Press the red button."] == "Server > Stop"
    assert above["- Call Mats first."] == "Server > Move"


def test_code_with_a_language_always_begins() -> None:
    text = "- a\n\n```sh\nls\n```\n\n- b\n"
    assert texts(text) == [("- a", True), ("```sh\nls\n```", False), ("- b", True)]


def test_a_window_ends_at_the_next_heading() -> None:
    text = "# A\n\nOne line\nand two.\n\n# B\n\nThree lines\nand four.\n\n# C\n\nFive.\n"
    chunk = chunk_of(text)
    number = next(n for n, one in enumerate(chunk.passages) if one.heading == "B")
    place = grow(chunk, number, [0.0] * len(chunk.passages), (), 700, Taken())
    assert place
    assert chunk.text[place[0] : place[1]] == "# B\n\nThree lines\nand four."


def fact_at(chunk: Chunk, start: int) -> FactSpan:
    return next(one for one in units_of(chunk) if one.start == start)


def shown(text: str, wanted: str, shares: dict[str, float], **options: int) -> str | None:
    chunk = chunk_of(text)
    by_fact = {fact_at(chunk, text.index(one)): share for one, share in shares.items()}
    place = show_fact(chunk, fact_at(chunk, text.index(wanted)), by_fact, 700, Taken(), **options)
    return chunk.text[place[0] : place[1]] if place else None


def test_a_fact_is_shown_alone() -> None:
    assert shown(NOTE, "- Switch", {"- Switch": 1.0}) == (
        "- Switch\n  - port 1: printer\n  - port 2: nas"
    )


def test_facts_that_fit_as_well_are_shown_together() -> None:
    shares = {"| Ana": 0.9, "| Bob": 1.0, "One lone": 0.1}
    assert shown(NOTE, "| Bob", shares) == "| Ana | 555   |\n| Bob | 666   |"


def test_context_is_shown_where_nothing_is_sure() -> None:
    assert shown("- a\n- b\n- c\n- d\n- e\n", "- c", {"- c": 0.1}, context=3) == "- c\n- d\n- e"


def test_nothing_of_another_section_is_shown_with_it() -> None:
    text = "# A\n\n- a\n\n# B\n\n- b\n"
    assert shown(text, "- a", {"- a": 1.0, "- b": 1.0}, context=9) == "- a"


def test_what_is_shown_already_is_not_shown_again() -> None:
    chunk = chunk_of("- a\n- b\n")
    taken = Taken()
    one, other = fact_at(chunk, 0), fact_at(chunk, 4)
    assert show_fact(chunk, one, {one: 1.0, other: 1.0}, 700, taken) == (0, 7)
    assert show_fact(chunk, other, {one: 1.0, other: 1.0}, 700, taken) is None


@given(st.text(alphabet="ab -*#|\n`1. é\t", max_size=300))
def test_units_of_any_text_are_in_order_and_do_not_overlap(text: str) -> None:
    end = 0
    for one in units_of(replace(chunk_of("a"), text=text, passages=())):
        assert end <= one.start < one.end <= len(text)
        assert not text[one.start].isspace()
        end = one.end


@given(
    st.lists(
        st.sampled_from(
            [
                "- a",
                "- b ",
                "- ",
                "- [ ] to do",
                "| x | y |",
                "9 words",
                "  - c",
                "  more of it",
                "words",
                "# One",
                "  ## Two",
                "| a | b |",
                "|---|---|",
                "---",
                "Ana: hello",
                "é" * 700,
                "- " + "x" * 700,
                "",
                "",
                "",
                "  ",
            ]
        ),
        max_size=24,
    )
)
def test_what_is_read_in_parts_is_what_is_read_as_a_whole(lines: list[str]) -> None:
    """Code depends on all that stands above it, so a text with code is read as a whole."""
    parts = chunks_of("\n".join(["- first", *lines]), tokens=9_999)[0]
    text = parts.text
    whole = replace(parts, text=f"{text}\n\n```\nls\n```")
    assert list(units_of(parts)) == list(units_of(whole))[:-1]
    for passage in parts.passages:
        assert facts_in(parts, passage) == facts_in(whole, passage)
        assert is_heading(parts, passage) == is_heading(whole, passage)
        ours, theirs = section_at(parts, passage.start), section_at(whole, passage.start)
        assert ours == (theirs[0], min(theirs[1], len(parts.text)))
    for one, following in pairwise(units_of(whole)):
        if following.start < len(text):
            assert unit_after(parts, one) == unit_after(whole, one)
            assert unit_before(parts, following) == unit_before(whole, following)
            assert adjoin(parts, one, following) == (unit_after(whole, one) == following)
