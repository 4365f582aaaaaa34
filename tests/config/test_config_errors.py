"""Unknown and ill-typed keys: the sentence names the file, the key and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.config_case import load, search
from memdown.errors import ConfigError


def failure(tmp_path: Path, content: str | dict[str, object], **variables: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content, **variables)
    message = str(caught.value)
    file = f"{tmp_path / 'memdown.json5'}: "
    assert message.startswith(file)
    assert "\n" not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return message.removeprefix(file)


@pytest.mark.parametrize(
    ("section", "key", "meant"),
    [
        ({"quary": {}}, "quary", "query"),
        ({"max_results": 5}, "max_results", "query.maxResults"),
        ({"maxResults": 5}, "maxResults", "query.maxResults"),
        ({"Enabled": True}, "Enabled", "enabled"),
        ({"query": {"maxResult": 5}}, "query.maxResult", "query.maxResults"),
        ({"query": {"max_results": 5}}, "query.max_results", "query.maxResults"),
        ({"query": {"hybrid": {"mmr": {"lamda": 1}}}}, "query.hybrid.mmr.lamda", "query.hybrid.mmr.lambda"),
        ({"query": {"hybrid": {"mmr": {"lambda_": 1}}}}, "query.hybrid.mmr.lambda_", "query.hybrid.mmr.lambda"),
        ({"remote": {"apikey": "x"}}, "remote.apikey", "remote.apiKey"),
        ({"watch": True}, "watch", "sync.watch"),
    ],
)  # fmt: skip
def test_an_unknown_key_with_a_near_one(
    tmp_path: Path, section: dict[str, object], key: str, meant: str
) -> None:
    assert failure(tmp_path, search(section)) == (
        f"agents.defaults.memorySearch.{key} is not a key that Memdown knows; "
        f'did you mean "{meant}"?'
    )


def test_an_unknown_key_with_nothing_near(tmp_path: Path) -> None:
    assert failure(tmp_path, search({"zzzzzz": 1})) == (
        "agents.defaults.memorySearch.zzzzzz is not a key that Memdown knows; "
        "remove it; `memdown config show` has all keys."
    )


def test_a_very_long_unknown_key(tmp_path: Path) -> None:
    assert "is not a key" in failure(tmp_path, search({"x" * 100_000: 1}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"agents": {"defaults": {"compaction": {"memoryFlush": {"promt": "x"}}}}},
         'agents.defaults.compaction.memoryFlush.promt is not a key that Memdown knows; did you mean "memoryFlush.prompt"?'),
        ({"memory": {"qmd": {"update": {"intervall": "5m"}}}},
         'memory.qmd.update.intervall is not a key that Memdown knows; did you mean "qmd.update.interval"?'),
        ({"memory": {"qmd": {"paths": [{"path": "x"}, {"path": "y", "nmae": "z"}]}}},
         'memory.qmd.paths[1].nmae is not a key that Memdown knows; did you mean "qmd.paths[].name"?'),
        ({"memory": {"qmd": {"paths": [{"name": "x"}]}}},
         "memory.qmd.paths[0].path is missing; add it, or remove the object around it."),
        ({"memory": {"qmd": {"paths": [{"path": " "}]}}},
         "memory.qmd.paths[0].path is empty; give it a value."),
        ({"memory": {"qmd": {"scope": {"rules": [{}]}}}},
         "memory.qmd.scope.rules[0].action is missing; add it, or remove the object around it."),
    ],
)  # fmt: skip
def test_our_other_sections(tmp_path: Path, content: dict[str, object], message: str) -> None:
    assert failure(tmp_path, content) == message


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"enabled": "yes"}, 'enabled is "yes" but must be true or false'),
        ({"enabled": 1}, "enabled is 1 but must be true or false"),
        ({"query": {"maxResults": "6"}}, 'query.maxResults is "6" but must be a whole number'),
        ({"query": {"maxResults": 6.5}}, "query.maxResults is 6.5 but must be a whole number"),
        ({"query": {"maxResults": True}}, "query.maxResults is true but must be a whole number"),
        ({"query": {"maxResults": None}}, "query.maxResults is null but must be a whole number"),
        ({"query": {"minScore": []}}, "query.minScore is a list but must be a number"),
        ({"query": 5}, "query must be an object"),
        ({"query": []}, "query must be an object"),
        ({"model": {}}, "model is an object but must be text"),
        ({"extraPaths": "notes"}, 'extraPaths is "notes" but must be a list'),
        ({"extraPaths": ["a", 5]}, "extraPaths[1] is 5 but must be text"),
        ({"store": {"path": 5}}, "store.path is 5 but must be text"),
        ({"model": ["x" * 99]}, "model is a list but must be text"),
        ({"query": {"maxResults": "x" * 99}}, f'query.maxResults is "{"x" * 56}… but must be'),
    ],
)
def test_an_ill_typed_value(tmp_path: Path, section: dict[str, object], message: str) -> None:
    found = failure(tmp_path, search(section))
    assert found.startswith(f"agents.defaults.memorySearch.{message}")
    assert found.endswith("; correct it, or remove the key to get the default.") or "…" in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"memory": {"backend": "qdm"}}, 'memory.backend is "qdm" but must be "builtin" or "qmd"; did you mean "qmd"?'),
        ({"memory": {"citations": True}}, 'memory.citations is true but must be "auto", "on" or "off"; choose one of them.'),
        ({"plugins": {"slots": {"memory": "memory-lancdb"}}},
         'plugins.slots.memory is "memory-lancdb" but must be "memory-core", "memory-lancedb" or "none"; did you mean "memory-lancedb"?'),
        (search({"sources": ["memory", "session"]}),
         'agents.defaults.memorySearch.sources[1] is "session" but must be "memory" or "sessions"; did you mean "sessions"?'),
        ({"memory": {"qmd": {"searchMode": "hybrid"}}},
         'memory.qmd.searchMode is "hybrid" but must be "search", "vsearch" or "query"; choose one of them.'),
    ],
)  # fmt: skip
def test_a_word_that_is_no_choice(tmp_path: Path, content: dict[str, object], message: str) -> None:
    assert failure(tmp_path, content) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"agents": 5}, "agents must be an object; correct it or remove the key."),
        ({"agents": {"defaults": []}}, "agents.defaults must be an object; correct it or remove the key."),
        ({"agents": {"list": {}}}, "agents.list must be a list; correct it or remove the key."),
        ({"agents": {"defaults": {"memorySearch": True}}},
         "agents.defaults.memorySearch must be an object; correct it or remove the key."),
        ({"agents": {"list": [{"id": "main", "memorySearch": 5}]}},
         "agents.list[0].memorySearch must be an object; correct it or remove the key."),
        ({"memory": "qmd"}, "memory must be an object; correct it or remove the key."),
        ({"models": {"providers": []}}, "models.providers must be an object; correct it or remove the key."),
        ({"models": {"providers": {"openai": "sk-1"}}},
         "models.providers.openai must be an object; correct it or remove the key."),
        ({"plugins": {"slots": []}}, "plugins.slots must be an object; correct it or remove the key."),
        ({"agents": {"defaults": {"workspace": 5}}},
         "agents.defaults.workspace must be the path of a folder; correct it or remove the key."),
        ({"agents": {"list": [{"id": "main", "workspace": []}]}},
         "agents.list[0].workspace must be the path of a folder; correct it or remove the key."),
    ],
)  # fmt: skip
def test_the_objects_around_our_sections(
    tmp_path: Path, content: dict[str, object], message: str
) -> None:
    assert failure(tmp_path, content) == message


@pytest.mark.parametrize(
    ("remote", "message"),
    [
        ({"baseUrl": "api.example.com"}, "baseUrl must start with http:// or https:// and a host; correct it."),
        ({"baseUrl": "https://"}, "baseUrl must start with http:// or https:// and a host; correct it."),
        ({"baseUrl": "https://a b"}, "baseUrl must start with http:// or https:// and a host; correct it."),
        ({"baseUrl": "https://me:hunter2@example.com/v1"},
         "baseUrl must not hold a user or password; put them into apiKey or headers."),
        ({"headers": {"a b": "x"}}, "headers has a name that no HTTP header can have; correct it."),
        ({"headers": {"": "x"}}, "headers has a name that no HTTP header can have; correct it."),
        ({"headers": {"X-A": "a\r\nX-B: b"}}, "headers.X-A holds a line break or a control character; remove it."),
        ({"headers": {"X-A": 5}}, "headers.X-A is something else but must be text; correct it, or remove the key to get the default."),
        ({"apiKey": 5}, "apiKey is something else but must be text; correct it, or remove the key to get the default."),
    ],
)  # fmt: skip
def test_addresses_and_headers(tmp_path: Path, remote: dict[str, object], message: str) -> None:
    found = failure(tmp_path, search({"remote": remote}))
    assert found == f"agents.defaults.memorySearch.remote.{message}"


@pytest.mark.parametrize(
    "url", ["http://localhost:11434", "HTTPS://example.com/v1/", "http://[::1]/?a=@b"]
)
def test_addresses_that_are_fine(tmp_path: Path, url: str) -> None:
    assert load(tmp_path, search({"remote": {"baseUrl": url}})).remote.base_url == url


def test_null_means_nothing_where_nothing_can_be_meant(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        {
            "agents": None,
            "memory": None,
            "models": {"providers": {"openai": None}},
            "plugins": None,
        },
    )
    assert settings.provider == "auto"
    assert load(tmp_path, search({"model": None})).model is None


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ({"memory": {"citation": "on"}}, "memory.citation is not read; did you mean citations?"),
        ({"agents": {"defaults": {"memorysearch": {}}}},
         "agents.defaults.memorysearch is not read; did you mean memorySearch?"),
        ({"agents": {"list": [{"id": "main", "memorySearh": {}}]}},
         "agents.list[0].memorySearh is not read; did you mean memorySearch?"),
        ({"agents": {"defaults": {"compaction": {"memoryFlsh": {}}}}},
         "agents.defaults.compaction.memoryFlsh is not read; did you mean memoryFlush?"),
        ({"agent": {}}, "agent is not read; did you mean agents?"),
        ({"$include": "x.json5"}, "$include is not followed; copy what Memdown needs into this file."),
        ({"agents": {"$include": "x.json5"}},
         "agents.$include is not followed; copy what Memdown needs into this file."),
    ],
)  # fmt: skip
def test_what_may_be_meant_for_us_among_foreign_keys_is_noted(
    tmp_path: Path, content: dict[str, object], note: str
) -> None:
    """It may belong to another program, so it is no error, but it must not go unseen."""
    assert load(tmp_path, content).notes == (note,)
