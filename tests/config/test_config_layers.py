"""`agents.defaults` below, the agent's own entry above, key by key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.config_case import load
from memdown.config.document import Layer, SectionLayers
from memdown.errors import ConfigError

LAYERED = """
{
  agents: {
    defaults: {
      memorySearch: {
        provider: "openai",
        extraPaths: ["a", "b"],
        query: { maxResults: 10, hybrid: { candidateMultiplier: 2, mmr: { enabled: true } } },
        remote: { headers: { "X-A": "1", "X-B": "2" } },
      },
    },
    list: [
      { id: "main" },
      "not an entry",
      { name: "without id", memorySearch: { provider: "voyage" } },
      { id: "work", memorySearch: {
          extraPaths: ["c"],
          query: { hybrid: { mmr: { lambda: 0.5 } } },
          remote: { headers: { "X-B": "3" } },
          model: null,
      } },
      { id: "work", memorySearch: { provider: "gemini" } },
    ],
  },
}
"""


def test_an_agent_without_settings_has_the_defaults(tmp_path: Path) -> None:
    for agent in ("main", "unlisted"):
        settings = load(tmp_path, LAYERED, agent=agent)
        assert settings.provider == "openai"
        assert settings.query.max_results == 10


def test_an_agent_overrides_key_by_key(tmp_path: Path) -> None:
    settings = load(tmp_path, LAYERED, agent="work")
    assert settings.provider == "openai"
    assert settings.extra_paths == ("c",)
    assert settings.query.max_results == 10
    assert settings.query.hybrid.candidate_multiplier == 2
    assert settings.query.hybrid.mmr.enabled is True
    assert settings.query.hybrid.mmr.lambda_ == 0.5
    assert {name: value.reveal() for name, value in settings.remote.headers.items()} == {
        "X-A": "1",
        "X-B": "3",
    }


def test_ids_in_the_file_do_not_tell_case(tmp_path: Path) -> None:
    content = "{agents: {list: [{id: 'Work', memorySearch: {provider: 'none'}}]}}"
    assert load(tmp_path, content, agent="work").provider == "none"


def test_an_error_names_the_layer_it_is_in(tmp_path: Path) -> None:
    content = """{agents: {
        defaults: {memorySearch: {query: {maxResults: 5}}},
        list: [{id: "a"}, {id: "work", memorySearch: {query: {maxResults: "x", minScore: 0}}}],
    }}"""
    with pytest.raises(ConfigError, match=r"agents\.list\[1\]\.memorySearch\.query\.maxResults"):
        load(tmp_path, content, agent="work")
    assert load(tmp_path, content).query.max_results == 5


def test_another_agent_s_mistake_does_not_matter(tmp_path: Path) -> None:
    content = "{agents: {list: [{id: 'other', memorySearch: {bogus: '${NOT_SET}'}}]}}"
    assert load(tmp_path, content).provider == "auto"


def test_the_index_path_knows_the_agent(tmp_path: Path) -> None:
    def path(store: str, agent: str) -> Path:
        content = f"{{agents: {{defaults: {{memorySearch: {{store: {{path: '{store}'}}}}}}}}}}"
        return load(tmp_path, content, agent=agent).store.path

    assert path("~/idx/{agentId}/{agentId}.db", "work") == tmp_path / "home/idx/work/work.db"
    assert path("/srv/one.db", "work") == Path("/srv/one.db")
    assert path("rel.db", "work") == tmp_path / "home/.memdown/rel.db"
    assert path("", "work") == tmp_path / "home/.memdown/memory/work.sqlite"


trees = st.recursive(
    st.integers() | st.lists(st.integers()),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from("abc"), trees)


@given(below=objects, above=objects)
def test_merging_keeps_what_the_upper_layer_does_not_say(
    below: dict[str, object], above: dict[str, object]
) -> None:
    def check(low: object, high: object, merged: object) -> None:
        if not (isinstance(low, dict) and isinstance(high, dict)):
            assert merged == high
            return
        assert isinstance(merged, dict)
        assert merged.keys() == low.keys() | high.keys()
        for key, value in merged.items():
            if key not in high:
                assert value == low[key]
            elif key in low:
                check(low[key], high[key], value)
            else:
                assert value == high[key]

    origin = SectionLayers(Path("f"), (Layer("below", below), Layer("above", above)))
    check(below, above, origin.merged())
