"""Edits in JSON keep every other byte, and never leave a file that says something else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.agent.client_files.jsonc import parse, remove_member, set_member
from memdown.errors import ConfigError

COMMENTED = """\
// my servers
{
    /* kept */ "mcpServers": {
        "other": {"command": "x"}, // the first
    },
    "theme": "dark" // last
}
"""


def test_a_new_file() -> None:
    text = set_member("", ["mcpServers", "memdown"], {"command": "m"})
    assert json.loads(text) == {"mcpServers": {"memdown": {"command": "m"}}}


def test_comments_and_layout_stay() -> None:
    text = set_member(COMMENTED, ["mcpServers", "memdown"], {"command": "m", "args": ["a"]})
    for words in ("// my servers", "/* kept */", "// the first", "// last", '"theme": "dark"'):
        assert words in text
    assert parse(text)["mcpServers"]["memdown"] == {"command": "m", "args": ["a"]}
    assert '\n        "memdown": {\n            "command": "m"' in text


def test_setting_again_changes_nothing_and_replaces_in_place() -> None:
    once = set_member(COMMENTED, ["mcpServers", "memdown"], {"command": "m"})
    assert set_member(once, ["mcpServers", "memdown"], {"command": "m"}) == once
    other = set_member(once, ["mcpServers", "memdown"], {"command": "n"})
    assert other == once.replace('"m"', '"n"')


def test_removing_leaves_the_rest() -> None:
    once = set_member(COMMENTED, ["mcpServers", "memdown"], {"command": "m"})
    gone = remove_member(once, ["mcpServers", "memdown"])
    assert parse(gone) == parse(COMMENTED)
    assert "// the first" in gone
    assert remove_member(COMMENTED, ["mcpServers", "memdown"]) == COMMENTED


@pytest.mark.parametrize(
    "text", ["{", "[1]", '"x"', "{'a': ", '{"mcpServers": 5}', '{"mcpServers": []}']
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        set_member(text, ["mcpServers", "memdown"], {})


KEYS = st.sampled_from(["a", "b", "mcpServers", "memdown", "ü", '"', "//"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
INDENTS = st.sampled_from([None, 2, 4, "\t"])


@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.lists(KEYS, min_size=1, max_size=3),
    VALUES,
    INDENTS,
)
def test_any_document_ends_up_as_asked_or_is_refused(
    data: dict[str, Any], path: list[str], value: Any, indent: Any
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    inner: Any = data
    for name in path[:-1]:
        inner = inner.get(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        with pytest.raises(ConfigError):
            set_member(text, path, value)
        return
    changed = set_member(text, path, value)
    read: Any = json.loads(changed)
    for name in path:
        read = read[name]
    assert read == value
    if path[-1] not in inner:
        assert parse(remove_member(changed, path)) is not None
        json.loads(remove_member(changed, path))
