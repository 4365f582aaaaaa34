"""Edits in TOML keep every other byte."""

from __future__ import annotations

import tomllib

import pytest

from memdown.agent.client_files.toml import remove_table, set_table
from memdown.errors import ConfigError

CODEX = """\
# my settings
model = "gpt-5" # the good one

[mcp_servers.other]
command = "x"

[profiles.fast]
model = "mini"
"""
PATH = ("mcp_servers", "memdown")
ENTRY = {"command": 'a "b"', "args": ["mcp", "ü\\"], "env": {"MEMDOWN_STATE_DIR": "/x"}}


@pytest.mark.parametrize("text", ["", CODEX, CODEX.rstrip("\n"), "a = 1\r\n"])
def test_the_table_is_added_and_the_rest_stays(text: str) -> None:
    changed = set_table(text, PATH, ENTRY)
    assert changed.startswith(text.rstrip("\n"))
    assert tomllib.loads(changed)["mcp_servers"]["memdown"] == ENTRY


def test_setting_again_replaces_in_place() -> None:
    first = set_table(CODEX, PATH, ENTRY) + '\n[after]\nx = 1 # "]"\n'
    assert set_table(first, PATH, ENTRY) == first
    second = set_table(first, PATH, {"command": "n"})
    assert tomllib.loads(second)["mcp_servers"]["memdown"] == {"command": "n"}
    assert second.endswith('[after]\nx = 1 # "]"\n')
    assert "# the good one" in second


def test_removing_gives_back_what_was_there() -> None:
    assert remove_table(set_table(CODEX, PATH, ENTRY), PATH) == CODEX
    assert remove_table(CODEX, PATH) == CODEX
    assert remove_table(set_table("", PATH, ENTRY), PATH) == ""


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {other = {command = 'x'}}\n",
        "mcp_servers = 5\n",
        "[mcp_servers]\nmemdown = {command = 'x'}\n",
        "x = ",
    ],
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        set_table(text, PATH, ENTRY)
