"""Front matter as people write it, and as they break it."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.notes.document import read_front_matter

DAY = datetime.date(2026, 2, 11)


def read(*lines: str) -> dict[str, object]:
    """What is understood of the lines of a block."""
    front = read_front_matter(["---", *lines, "---", "text"])
    assert front.lines in (0, len(lines) + 2)
    found = {
        "title": front.title,
        "date": front.date,
        "tags": front.tags,
        "aliases": front.aliases,
    }
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["title: Ana Ribeiro"], {"title": "Ana Ribeiro"}),
        (['Title: "Ana: a life"  # of hers'], {"title": "Ana: a life"}),
        (["title: 'Ana'", "title: Bob"], {"title": "Ana"}),
        (["title: C# and F#  # a comment"], {"title": "C# and F#"}),
        (["title: >-", "  folded", "  twice", "date: 2026-02-11"], {"title": "folded twice", "date": DAY}),
        (["tags: [people, design]"], {"tags": ("people", "design")}),
        (["tags: [ 'a, b', c/d , #e ]"], {"tags": ("a, b", "c/d", "e")}),
        (["tags:", "  - people", "  - design # hm"], {"tags": ("people", "design")}),
        (["tags:", "- people", "- '#design'", "title: x"], {"tags": ("people", "design"), "title": "x"}),
        (["tags: people, design"], {"tags": ("people", "design")}),
        (["tags: people design"], {"tags": ("people", "design")}),
        (["tags: [", "  a,", "  b", "]", "title: x"], {"tags": ("a", "b"), "title": "x"}),
        (["tag: work"], {"tags": ("work",)}),
        (["aliases: [Anita, \"A. R.\"]"], {"aliases": ("Anita", "A. R.")}),
        (["aliases:", "  - Anita Ribeiro"], {"aliases": ("Anita Ribeiro",)}),
        (["alias: Anita"], {"aliases": ("Anita",)}),
        (["date: 2026-02-11"], {"date": DAY}),
        (["date: 2026-02-11T10:00:00+01:00"], {"date": DAY}),
        (["date: '2026-02-11 10:00'"], {"date": DAY}),
        (["date: 2026/2/11"], {"date": DAY}),
        (["date: 11.02.2026"], {"date": DAY}),
        (["date: February 11, 2026"], {"date": DAY}),
        (["date: 11. Februar 2026"], {"date": DAY}),
        (["# only a comment", "", "title: x"], {"title": "x"}),
    ],
)  # fmt: skip
def test_what_people_write(lines: list[str], expected: dict[str, object]) -> None:
    assert read(*lines) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["date: yesterday"],
        ["date: 2026-02-30"],
        ["date: March"],
        ["title:"],
        ["title: ''"],
        ["tags: []"],
        ["tags: ["],
        ["tags: [,,]"],
        ["other: {a: [1, {b: c}]}"],
        ["? complex", ": key"],
        ["!!python/object/apply:os.system ['true']"],
        ["a: &a [*a, *a]"],
        ["\x00\x01: \x7f"],
        ["x" * 100_000],
        ["x: " + "[" * 100_000],
    ],
)
def test_what_says_nothing(lines: list[str]) -> None:
    assert read(*lines) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\ntitle: no end",
        "\n---\ntitle: not at the top\n---\n",
        "---\nA line of prose under a ruler.\n---\n",
        "---\n# Heading\n\nProse.\n---\n",
        "--- \x00\ntitle: x\n---",
        "---\n" + "a: b\n" * 1_000 + "---\n",
    ],
)
def test_what_is_no_front_matter(text: str) -> None:
    """Text must never vanish from a page because of two rulers."""
    assert read_front_matter(text.split("\n")).lines == 0


def test_windows_line_ends_and_three_dots() -> None:
    front = read_front_matter("---\r\ntitle: Home\r\ntags: [a]\r\n...\r\ntext".split("\n"))
    assert (front.lines, front.title, front.tags) == (4, "Home", ("a",))


@given(st.text(alphabet="---\n:[]#'\" \tatge|>&*!{}\x00é", max_size=200))
def test_nothing_is_an_error(text: str) -> None:
    front = read_front_matter(f"---\n{text}\n---\n".split("\n"))
    assert isinstance((front.title, front.date, front.tags, front.aliases), tuple)
