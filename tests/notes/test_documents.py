"""Titles, digests and headings of notes."""

from __future__ import annotations

import datetime
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.notes.document import heading_paths, read_document, title_of
from memdown.types import FileState


def test_a_document_carries_the_facts_of_its_file() -> None:
    day = datetime.date(2026, 3, 1)
    file = FileState("memory/2026-03-01.md", "memory", 8, 1, date=day)

    document = read_document(file, "\n# Sunday\n")

    assert (document.path, document.source, document.date) == (file.path, "memory", day)
    assert document.title == "Sunday"
    assert document.digest == hashlib.sha256(b"\n# Sunday\n").hexdigest()
    assert document.headings == ((2, "Sunday"),)
    assert document.line_map is None


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("memory/a.md", "---\ntitle: 'Home network'\n---\n# Other\n", "Home network"),
        ("memory/a.md", "---\r\nTitle: Home\r\n---\r\ntext", "Home"),
        ("memory/a.md", "---\ntags: [x]\n---\n## First\n# Second\n", "First"),
        ("memory/a.md", "---\ntitle: >-\n  folded\n  twice\n---\n# Heading", "folded twice"),
        ("memory/a.md", "---\ntitle: no end of the front matter\n# Heading", "Heading"),
        ("memory/a.md", "```\n# a comment\n```\n# Heading ##\n", "Heading"),
        ("memory/a.md", "#\n# C#\n", "C#"),
        ("memory/home_network-plan.md", "#tag only\n", "home network plan"),
        ("memory/2026-03-01.md", "", "2026-03-01"),
        ("memory/2026-03-01-router-setup.MD", "text", "2026-03-01 router setup"),
        ("/srv/shared/การเงิน.md", "ข้อความ", "การเงิน"),
    ],
)
def test_title(path: str, text: str, title: str) -> None:
    assert title_of(path, text.split("\n")) == title


def headings(text: str) -> list[tuple[int, str]]:
    return heading_paths(text.split("\n"))


def test_headings_nest_by_level() -> None:
    text = "before\n# Home\n\n## Network\ntext\n### Router\n## Garden\n# Work\n"

    assert headings(text) == [
        (2, "Home"),
        (4, "Home > Network"),
        (6, "Home > Network > Router"),
        (7, "Home > Garden"),
        (8, "Work"),
    ]


def test_a_skipped_level_and_an_empty_heading_end_what_was_above() -> None:
    assert headings("# A\n### B\n## C\n#\ntext") == [
        (1, "A"),
        (2, "A > B"),
        (3, "A > C"),
        (4, ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# comment\n```",
        "~~~~\n# comment\n~~~\n# still code\n",
        "```\n# never closed",
        "    # indented code",
        "#tag",
        "####### seven",
        "---\n# front matter comment\n---\n",
        "- item\n---\n",
        "- item\n  more\n---\n",
        "| a |\n---\n",
        "two lines of\nprose\n---\n",
        "***\n---\n",
        "---\n---\n---\n",
        "",
    ],
)
def test_what_only_looks_like_a_heading(text: str) -> None:
    assert headings(text) == []


def test_code_with_backticks_in_a_line_opens_no_fence() -> None:
    assert headings("```x``` is code\n# Heading") == [(2, "Heading")]


def test_underlined_headings_count_from_the_line_of_their_text() -> None:
    assert headings("Home\n====\n\nNetwork\r\n---\r\ntext") == [(1, "Home"), (4, "Home > Network")]


def test_a_huge_heading_is_cut() -> None:
    """The heading is stored with each passage under it; 5 MB of it must not be."""
    [(line, path)] = headings("# " + "word " * 1_000_000)

    assert line == 1
    assert len(path) <= 200


def test_hostile_lines_cost_linear_time() -> None:
    """Each of these makes a backtracking pattern run for hours."""
    for line in ("# " + " " * 2_000_000 + "x", "=" * 2_000_000 + "x", "`" * 2_000_000 + "x"):
        assert len(headings(f"text\n{line}\n")) <= 1


@given(st.text(alphabet="#=-`~ \t\r\nab>|1.", max_size=200))
def test_change_points_ascend_and_lie_in_the_text(text: str) -> None:
    lines = text.split("\n")
    numbers = [number for number, _ in heading_paths(lines)]

    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= len(lines) for number in numbers)


@given(st.text())
def test_any_text_is_a_document(text: str) -> None:
    document = read_document(FileState("memory/a.md", "memory", 0, 0), text)

    assert document.text == text
    assert "\n" not in document.title


ANA = """---
title: Ana Ribeiro
date: 2026-02-11
tags: [People, design]
aliases: [Anita]
---

Likes tea. #Tea/green

## Work

Lead designer.
"""


def test_front_matter_names_dates_and_tags_a_note() -> None:
    day = datetime.date(2025, 1, 1)
    document = read_document(FileState("memory/2025-01-01.md", "memory", 0, 0, date=day), ANA)

    assert document.title == "Ana Ribeiro"
    assert document.date == datetime.date(2026, 2, 11)
    assert document.headings == (
        (1, "Ana Ribeiro"),
        (7, "Ana Ribeiro"),
        (10, "Ana Ribeiro > Work"),
    )
    assert document.tags == ("people", "design", "tea/green")
    assert document.names == "Anita People design"


def test_a_title_that_is_the_first_heading_stands_there_once() -> None:
    text = "---\ntitle: Home\n---\n# home\n## Network\n# Other\n"
    document = read_document(FileState("a.md", "memory", 0, 0), text)
    assert document.headings == (
        (1, "Home"),
        (4, "home"),
        (5, "home > Network"),
        (6, "Home > Other"),
    )


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#work at the start", ["work"]),
        ("in the text #work, and (#home) too", ["work", "home"]),
        ("- [ ] a task #to-do #2026-plan #プロジェクト", ["to-do", "2026-plan", "プロジェクト"]),
        ("#Work and #work", ["work"]),
        ("#cafe is a word, #bad too", ["cafe", "bad"]),
        ("# heading", []),
        ("##two", []),
        ("#", []),
        ("#123 and issue #45", []),
        ("a#b, C#, &#39; and f#sharp", []),
        ("https://example.org/page#top and [x](#anchor) and [y](a.md#b)", []),
        ("#fff #FFFFFF #a1b2c3 #00f8 #abcdef", []),
        ("`#include` and ``#define x``", []),
        ("```c\n#include <a>\n```\n#after", ["after"]),
        ("~~~\n#inside", []),
    ],
)
def test_tags_in_the_text(text: str, tags: list[str]) -> None:
    assert list(read_document(FileState("a.md", "memory", 0, 0), text).tags) == tags


def test_tables_with_the_names_of_their_columns() -> None:
    text = (
        "# Services\n\n| service | owner |  |\n|:--|---|--:|\n| search | Mei | 9200 |\n| shop | Ana | 80 |\n\n"
        "| no | ruler |\n| a | b |\n| c | d |\n\n```\n| code | x |\n|---|---|\n| a | b |\n```\n"
        "  | city |\n  |---|\n  | Ghent |"
    )
    tables = read_document(FileState("memory/a.md", "memory", 1, 1), text).tables
    assert tables == ((5, 6, "service | owner"), (19, 19, "city"))
