"""The merge of three versions, as the page does it: whatever both sides did, no line is lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from memdown.web.site import Site

# Few different lines, so that both sides often touch the same ones.
LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d", "- e"]), max_size=9)
# Once with the lines of both where they clash, and once with theirs.
_MERGE = """([base, mine, theirs]) => ["both", "theirs"].map((choice) => {
    const parts = merge(base, mine, theirs);
    for (const part of parts) part.choice = choice;
    return { clashes: parts.filter((part) => part.clash), text: joined(parts) };
})"""


@pytest.fixture
def site(shown_site: Site) -> Site:
    return shown_site


@pytest.fixture
def editor(page: Page, base: str) -> Page:
    page.goto(f"{base}/notes/memory/home.md?view=edit")
    page.wait_for_selector("html[data-ready]")
    return page


def check_merge(editor: Page, base: list[str], mine: list[str], theirs: list[str]) -> None:
    both: Any
    other: Any
    both, other = editor.evaluate(_MERGE, [base, mine, theirs])
    lines = Counter(both["text"].split("\n"))
    for side in (mine, theirs):
        added = Counter(side) - Counter(base)
        assert not added - lines, "a line that one side wrote is gone"
    if mine == base:
        assert (both["text"], both["clashes"]) == ("\n".join(theirs), [])
    if theirs == base or mine == theirs:
        assert (both["text"], both["clashes"]) == ("\n".join(mine), [])
    if both["clashes"]:
        shown = Counter(line for clash in both["clashes"] for line in clash["mine"])
        kept = Counter(other["text"].split("\n"))
        lost = Counter(mine) - Counter(base) - kept
        assert not lost - shown, "what a choice leaves out was not in sight"


_SETTINGS = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": [HealthCheck.function_scoped_fixture],
}


@given(LINES, LINES, LINES)
@settings(max_examples=150, **_SETTINGS)  # type: ignore[arg-type]
def test_no_line_is_lost(editor: Page, base: list[str], mine: list[str], theirs: list[str]) -> None:
    check_merge(editor, base, mine, theirs)


@pytest.mark.long
@given(LINES, LINES, LINES)
@settings(max_examples=5_000, **_SETTINGS)  # type: ignore[arg-type]
def test_no_line_is_lost_in_a_campaign(
    editor: Page, base: list[str], mine: list[str], theirs: list[str]
) -> None:
    check_merge(editor, base, mine, theirs)
