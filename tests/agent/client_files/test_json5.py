"""One member of a JSON5 file changed, everything else as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.agent.client_files import jsonc
from memdown.agent.client_files.json5 import remove_member, set_member, value_at
from memdown.errors import ConfigError

TEXT = """\
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


def test_comments_and_layout_stay() -> None:
    after = set_member(TEXT, ["agents", "defaults", "memorySearch", "query", "maxResults"], 9)
    assert after == TEXT.replace(
        "/* paid */\n",
        "/* paid */\n        query: {\n          maxResults: 9,\n        },\n",
    )
    assert set_member(TEXT, ["agents", "defaults", "workspace"], "/x") == TEXT.replace(
        "'~/notes'", '"/x"'
    )


def test_strict_json_stays_strict() -> None:
    after = set_member('{"a": {"b": 1}}', ["a", "c", "d"], [1])
    assert jsonc.parse(after) == {"a": {"b": 1, "c": {"d": [1]}}}
    import json

    assert json.loads(after)


@pytest.mark.parametrize("text", ["", "\n", "// only a comment\n", "/* x */"])
def test_a_file_without_an_object_gets_one_and_keeps_its_comment(text: str) -> None:
    after = set_member(text, ["a", "b"], True)
    assert jsonc.parse(after) == {"a": {"b": True}}
    assert text.strip() in after


def test_a_member_is_taken_out() -> None:
    after = remove_member(TEXT, ["agents", "defaults", "memorySearch", "provider"])
    assert value_at(jsonc.parse(after), ["agents", "defaults", "memorySearch"]) == {}
    assert "where they are" in after
    assert remove_member(TEXT, ["agents", "nothing"]) == TEXT


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
    from memdown.text.json5_text import dumps

    try:
        after = set_member(dumps(data), path, value)
    except ConfigError:
        return
    wanted = data
    for name in path[:-1]:
        wanted = wanted.setdefault(name, {})
    wanted[path[-1]] = value
    assert jsonc.parse(after) == data
