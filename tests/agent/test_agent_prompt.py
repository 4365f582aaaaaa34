"""The prompt section appears only where it can be followed."""

from __future__ import annotations

import pytest

from memdown.agent import prompt_section, show_citations


def test_the_section_tells_to_search_read_and_admit() -> None:
    text = prompt_section(["memory_search", "memory_get"])
    for words in ("decisions", "preferences", "to-dos", "memory_get", "say that you checked"):
        assert words in text


@pytest.mark.parametrize(
    ("tools", "mode"), [([], "full"), (["bash"], "full"), (["memory_search"], "minimal")]
)
def test_no_section_without_a_tool_or_in_a_short_prompt(tools: list[str], mode: str) -> None:
    assert prompt_section(tools, mode=mode) == ""


def test_without_citations_paths_stay_unsaid() -> None:
    assert "Do not mention file paths" in prompt_section(["memory_search"], citations=False)


@pytest.mark.parametrize(
    ("mode", "chat", "shown"),
    [
        ("auto", "direct", True),
        ("auto", "group", False),
        ("auto", "channel", False),
        ("on", "group", True),
        ("off", "direct", False),
    ],
)
def test_citations_by_chat_type(mode: str, chat: str, shown: bool) -> None:
    assert show_citations(mode, chat) is shown  # type: ignore[arg-type]
