"""Edits in other programs' JSON, JSON5 and TOML keep every other byte and say what was asked, or nothing is done."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.agent.client_files import (
    parse_json,
    remove_member,
    remove_table,
    set_member,
    set_table,
    value_at,
)
from memdown.errors import ConfigError
from memdown.text.json5_text import dumps

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
    assert parse_json(text)["mcpServers"]["memdown"] == {"command": "m", "args": ["a"]}
    assert '\n        "memdown": {\n            "command": "m"' in text


def test_setting_again_changes_nothing_and_replaces_in_place() -> None:
    once = set_member(COMMENTED, ["mcpServers", "memdown"], {"command": "m"})
    assert set_member(once, ["mcpServers", "memdown"], {"command": "m"}) == once
    other = set_member(once, ["mcpServers", "memdown"], {"command": "n"})
    assert other == once.replace('"m"', '"n"')


def test_removing_leaves_the_rest() -> None:
    once = set_member(COMMENTED, ["mcpServers", "memdown"], {"command": "m"})
    gone = remove_member(once, ["mcpServers", "memdown"])
    assert parse_json(gone) == parse_json(COMMENTED)
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
        assert parse_json(remove_member(changed, path)) is not None
        json.loads(remove_member(changed, path))


JSON5_TEXT = """\
// My settings.
{
  agents: {
    defaults: {
      workspace: '~/notes', // where they are
      memorySearch: {
        provider: "openai", /* paid */
      },
    },
  },
}
"""


def test_comments_and_layout_of_json5_stay() -> None:
    after = set_member(JSON5_TEXT, ["agents", "defaults", "memorySearch", "query", "maxResults"], 9)
    assert after == JSON5_TEXT.replace(
        "/* paid */\n",
        "/* paid */\n        query: {\n          maxResults: 9,\n        },\n",
    )
    assert set_member(JSON5_TEXT, ["agents", "defaults", "workspace"], "/x") == JSON5_TEXT.replace(
        "'~/notes'", '"/x"'
    )


def test_strict_json_stays_strict() -> None:
    after = set_member('{"a": {"b": 1}}', ["a", "c", "d"], [1])
    assert parse_json(after) == {"a": {"b": 1, "c": {"d": [1]}}}
    assert json.loads(after)


@pytest.mark.parametrize("text", ["", "\n", "// only a comment\n", "/* x */"])
def test_a_file_without_an_object_gets_one_and_keeps_its_comment(text: str) -> None:
    after = set_member(text, ["a", "b"], True, json5=True)
    assert parse_json(after) == {"a": {"b": True}}
    assert text.strip() in after


def test_a_member_is_taken_out() -> None:
    after = remove_member(JSON5_TEXT, ["agents", "defaults", "memorySearch", "provider"])
    assert value_at(parse_json(after), ["agents", "defaults", "memorySearch"]) == {}
    assert "where they are" in after
    assert remove_member(JSON5_TEXT, ["agents", "nothing"]) == JSON5_TEXT


def test_what_is_no_object_is_not_replaced() -> None:
    with pytest.raises(ConfigError, match="a is no object"):
        set_member("{a: 1}", ["a", "b"], 1)


NAMES = st.sampled_from(["a", "b", "c-d", "x y"])
TREES = st.recursive(
    st.one_of(st.integers(), st.text(max_size=5), st.booleans()),
    lambda inner: st.one_of(st.dictionaries(NAMES, inner, max_size=3), st.lists(inner, max_size=2)),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, TREES, max_size=3), st.lists(NAMES, min_size=1, max_size=3), TREES)
def test_only_the_one_member_changes(data: dict[str, Any], path: list[str], value: Any) -> None:
    """In whatever style the file is written."""
    try:
        after = set_member(dumps(data), path, value)
    except ConfigError:
        return
    wanted = data
    for name in path[:-1]:
        wanted = wanted.setdefault(name, {})
    wanted[path[-1]] = value
    assert parse_json(after) == data


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
    rest = iter(changed.splitlines())
    assert all(line in rest for line in text.splitlines()), "every line, in its order"
    assert tomllib.loads(changed)["mcp_servers"]["memdown"] == ENTRY


def test_a_table_that_is_set_again_is_replaced_in_place() -> None:
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
        "mcp_servers = 5\n",
        "x = ",
    ],
)
def test_toml_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        set_table(text, PATH, ENTRY)


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {other = {command = 'x'}} # mine\n",
        "[mcp_servers] # mine\nmemdown = {command = 'x'}\n",
        "[mcp_servers.memdown] # mine\ncommand = 'x'\nargs = [\n  'a',\n]\n[z]\n",
        "mcp_servers.memdown.command = 'x'\n# mine\n",
    ],
)
def test_a_table_is_set_however_it_is_written(text: str) -> None:
    changed = set_table(text, PATH, ENTRY)
    assert tomllib.loads(changed)["mcp_servers"]["memdown"] == ENTRY
    assert "mine" in changed
