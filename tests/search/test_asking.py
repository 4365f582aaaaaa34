"""The Python door: what cannot be meant gets a sentence, and the names can be found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memdown
from memdown import Memory, QueryError, WorkspaceError


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"query": None}, "The query must be text, not NoneType."),
        ({"query": b"tea"}, "The query must be text, not bytes."),
        ({"max_results": 0}, "max_results is 0; ask for 1 result or more."),
        ({"max_results": -1}, "max_results is -1; ask for 1 result or more."),
        ({"max_results": "3"}, "max_results is '3'; ask for 1 result or more."),
        ({"min_score": 5}, "min_score is 5; a score is between 0 and 1."),
        ({"min_score": float("nan")}, "min_score is nan; a score is between 0 and 1."),
        ({"sources": ["foo"]}, "There is no source 'foo'; there are notes and sessions."),
        ({"sources": "foo"}, "There is no source 'foo'; there are notes and sessions."),
        ({"sources": []}, "sources is []; give notes, sessions or both."),
    ],
)
def test_a_request_that_cannot_be_meant(
    asked: dict[str, Any],
    sentence: str,
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(write_notes({"MEMORY.md": "Tea.\n"}))
    with pytest.raises(QueryError) as caught:
        memory.search(**{"query": "tea", **asked})
    assert str(caught.value) == sentence


def test_reasons_name_no_option_of_the_command_line(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """They go to Python and to models, which have no such options."""
    memory = open_memory(write_notes({"MEMORY.md": "Tea with Ana.\n"}))
    reasons = memory.search("tea cosy", min_score=1).reasons
    assert not any("--" in reason for reason in reasons)
    with pytest.raises(WorkspaceError) as caught:
        Memory.open("/no/such/folder")
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    "names", [[], [".git"], ["AGENTS.md"], ["README.md", "src.py"], ["memory.md", "x.py"]]
)
def test_a_folder_that_may_become_a_workspace_opens(tmp_path: Path, names: list[str]) -> None:
    """New ones are empty; those of agents and projects have some Markdown before any memory."""
    for name in names:
        (tmp_path / name).touch()
    Memory.open(tmp_path).close()


def test_a_folder_full_of_other_things_is_a_mistake_that_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "passwd").touch()
    with pytest.raises(WorkspaceError, match="holds no notes"):
        Memory.open(tmp_path)


def test_the_public_names_can_be_completed() -> None:
    assert sorted(dir(memdown)) == sorted([*memdown.__all__, "__version__"])


def test_conversations_that_are_switched_off_are_named_as_the_reason(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    """ "Nothing resembles the query" would send people looking for other words."""
    memory = open_memory(write_notes({"MEMORY.md": "Tea with Ana.\n"}))
    (reason, *_) = memory.search("tea", sources=["sessions"]).reasons
    assert reason.startswith("conversations are not indexed")
