"""JSON5 text changed in place: the data is right and everything else stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.text.json5_text import (
    BadJson5,
    dumps,
    loads,
    with_item,
    with_value,
    without_key,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)

HAND_WRITTEN = """// my sessions, do not delete
{
  /* the one from work */
  'a': {name: 'Work', n: +1, list: [1, 2 /* two */ ], }, // trailing
  "b": {name: "Home \\" // no comment", hex: 0xFF, list: []},
  c: {list: [
    // first
    'x',
    // last
  ]}
}
"""


@given(values)
def test_what_is_written_is_read_back(value: object) -> None:
    assert loads(dumps(value)) == value


def test_a_value_is_replaced_and_comments_stay() -> None:
    changed = with_value(HAND_WRITTEN, ["a", "name"], "Office")
    assert changed is not None
    assert changed.replace('"Office"', "'Work'") == HAND_WRITTEN
    assert loads(changed)["a"]["name"] == "Office"


@pytest.mark.parametrize("key", ["a", "b", "c"])
def test_an_item_is_added_to_any_array(key: str) -> None:
    before = loads(HAND_WRITTEN)
    changed = with_item(HAND_WRITTEN, [key, "list"], {"role": "user"})
    assert changed is not None
    before[key]["list"].append({"role": "user"})
    assert loads(changed) == before
    for comment in (
        "// my sessions",
        "/* the one from work */",
        "/* two */",
        "// trailing",
        "// last",
    ):
        assert comment in changed


def test_a_key_is_added_or_removed() -> None:
    more = with_value(HAND_WRITTEN, ["d"], {"x": 1})
    assert more is not None
    assert loads(more) == {**loads(HAND_WRITTEN), "d": {"x": 1}}
    for key in ("a", "b", "c", "d"):
        less = without_key(more, [key])
        assert less is not None
        assert loads(less) == {k: v for k, v in loads(more).items() if k != key}
    assert without_key(HAND_WRITTEN, ["nowhere"]) is None
    assert with_item(HAND_WRITTEN, ["a", "name"], 1) is None


@given(st.dictionaries(st.text(max_size=8), values, max_size=4), st.text(max_size=8), values)
def test_any_key_of_any_object_can_be_set(data: dict[str, object], key: str, value: object) -> None:
    changed = with_value(dumps(data), [key], value)
    assert changed is not None
    assert loads(changed) == {**data, key: value}


@pytest.mark.parametrize(
    "text", ["", "{", "[1,", "{a:}", "nope", "[" * 100_000, "{a: 1} x", "\x00"]
)
def test_bad_text_is_an_error(text: str) -> None:
    with pytest.raises(BadJson5):
        loads(text)
