"""Numbers out of bounds, weights, sources and other values that are not taken as written."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.config_case import load, search
from memdown.config import HybridSettings, Settings
from memdown.config.document import Layer, SectionLayers
from memdown.config.keys import walk
from memdown.config.limits import fit, settle
from memdown.config.search_settings import MemorySearch, QuerySettings
from memdown.config.settings import CompactionSettings, MemorySection
from memdown.errors import ConfigError


def nested(path: str, value: object) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {first: nested(rest, value) if rest else value}


def at(settings: object, path: str) -> Any:
    for name in path.split("."):
        settings = getattr(settings, name)
    return settings


@pytest.mark.parametrize(
    ("key", "field", "given", "expected"),
    [
        ("query.maxResults", "query.max_results", 0, 1),
        ("query.maxResults", "query.max_results", 101, 100),
        ("query.maxResults", "query.max_results", 7.0, 7),
        ("query.minScore", "query.min_score", 2, 1),
        ("query.hybrid.candidateMultiplier", "query.hybrid.candidate_multiplier", 0, 1),
        ("query.hybrid.candidateMultiplier", "query.hybrid.candidate_multiplier", 21, 20),
        ("query.hybrid.mmr.lambda", "query.hybrid.mmr.lambda_", 1.5, 1),
        ("query.hybrid.temporalDecay.halfLifeDays", "query.hybrid.temporal_decay.half_life_days", 1e9, 36_500),
        ("chunking.tokens", "chunking.tokens", 1, 8),
        ("chunking.tokens", "chunking.tokens", 10_000, 8192),
        ("chunking.overlap", "chunking.overlap", 400, 399),
        ("chunking.overlap", "chunking.overlap", 9000, 399),
        ("cache.maxEntries", "cache.max_entries", 0, 0),
        ("sync.watchDebounceMs", "sync.watch_debounce_ms", 0, 0),
        ("sync.intervalMinutes", "sync.interval_minutes", 0.5, 0.5),
        ("remote.batch.concurrency", "remote.batch.concurrency", 1000, 16),
    ],
)  # fmt: skip
def test_numbers_are_moved_to_the_nearest_limit(
    tmp_path: Path, key: str, field: str, given: float, expected: float
) -> None:
    settings = load(tmp_path, search(nested(key, given)))
    value = at(settings, field)
    assert value == expected
    noted = any(f"agents.defaults.memorySearch.{key} is" in note for note in settings.notes)
    assert noted == (given != expected)


def test_small_chunks_pull_the_overlap_down(tmp_path: Path) -> None:
    settings = load(tmp_path, search({"chunking": {"tokens": 20}}))
    assert settings.chunking.overlap == 19
    assert "overlap is 80, which counts as 19" in settings.notes[0]


@pytest.mark.parametrize(
    "key",
    [
        "query.maxResults",
        "query.minScore",
        "query.hybrid.vectorWeight",
        "query.hybrid.textWeight",
        "query.hybrid.mmr.lambda",
        "query.hybrid.temporalDecay.halfLifeDays",
        "chunking.tokens",
        "chunking.overlap",
        "cache.maxEntries",
        "sync.watchDebounceMs",
        "sync.intervalMinutes",
        "sync.sessions.deltaBytes",
        "remote.batch.timeoutMinutes",
    ],
)
def test_a_negative_number_is_an_error(tmp_path: Path, key: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"memorySearch\.{key} is -1 but must be (at least|above) 0"
    ):
        load(tmp_path, search(nested(key, -1)))


def test_every_number_refuses_to_be_negative() -> None:
    """So that a setting added later cannot forget its limits."""
    for section in (MemorySearch, CompactionSettings, MemorySection):
        for key in walk(section):
            if "int" in str(key.field.type) or "float" in str(key.field.type):
                assert {"ge", "gt"} & key.field.metadata.keys(), key.path


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none(tmp_path: Path, value: str) -> None:
    content = f"{{agents: {{defaults: {{memorySearch: {{query: {{minScore: {value}}}}}}}}}}}"
    with pytest.raises(ConfigError, match=rf"minScore is {value} but must be a finite number"):
        load(tmp_path, content)


@pytest.mark.parametrize("value", ["1e300", "9223372036854775808", "-1e30", "0x" + "f" * 5000])
def test_numbers_beyond_sense(tmp_path: Path, value: str) -> None:
    content = f"{{agents: {{defaults: {{memorySearch: {{query: {{maxResults: {value}}}}}}}}}}}"
    with pytest.raises(ConfigError, match="maxResults is a number too large to be meant"):
        load(tmp_path, content)


def test_a_half_life_of_nothing_is_an_error(tmp_path: Path) -> None:
    content = search({"query": {"hybrid": {"temporalDecay": {"halfLifeDays": 0}}}})
    with pytest.raises(ConfigError, match=r"halfLifeDays is 0 but must be above 0; "):
        load(tmp_path, content)


def weights(tmp_path: Path, **given: float) -> tuple[float | None, float | None]:
    hybrid = load(tmp_path, search({"query": {"hybrid": given}})).query.hybrid
    return hybrid.vector_weight, hybrid.text_weight


def test_weights(tmp_path: Path) -> None:
    assert weights(tmp_path) == (None, None)
    assert weights(tmp_path, vectorWeight=0.7, textWeight=0.3) == pytest.approx((0.7, 0.3))
    assert weights(tmp_path, vectorWeight=3, textWeight=1) == (0.75, 0.25)
    assert weights(tmp_path, vectorWeight=1, textWeight=0) == (1, 0)
    assert weights(tmp_path, vectorWeight=0.25) == (0.25, 0.75)
    assert weights(tmp_path, textWeight=0.25) == (0.75, 0.25)
    assert weights(tmp_path, textWeight=0) == (1, 0)
    assert weights(tmp_path, vectorWeight=0) == (0, 1)


def test_weights_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"vectorWeight and textWeight are both 0; give one"):
        weights(tmp_path, vectorWeight=0, textWeight=0)
    with pytest.raises(ConfigError, match=r"vectorWeight is 7 and stands alone; give both"):
        weights(tmp_path, vectorWeight=7)
    with pytest.raises(ConfigError, match=r"textWeight is 1\.5 and stands alone"):
        weights(tmp_path, textWeight=1.5)


positive = st.floats(min_value=0, max_value=1e18)


@given(vector=positive, text=positive)
def test_two_weights_always_sum_to_one(vector: float, text: float) -> None:
    origin = SectionLayers(Path("f"), (Layer("p", {}),))
    given = MemorySearch(
        query=QuerySettings(hybrid=HybridSettings(vector_weight=vector, text_weight=text))
    )
    if vector == text == 0:
        with pytest.raises(ConfigError):
            settle(given, origin)
        return
    hybrid = settle(given, origin).query.hybrid
    assert hybrid.vector_weight is not None
    assert hybrid.text_weight is not None
    assert math.isclose(hybrid.vector_weight + hybrid.text_weight, 1)
    assert (hybrid.vector_weight > hybrid.text_weight) <= (vector > text)


def test_sessions_count_only_when_switched_on(tmp_path: Path) -> None:
    both: dict[str, object] = {"sources": ["sessions", "memory", "memory"]}
    off = load(tmp_path, search(both))
    assert off.sources == ("memory",)
    assert "counts only when experimental.sessionMemory is true" in off.notes[0]
    on = load(tmp_path, search({**both, "experimental": {"sessionMemory": True}}))
    assert on.sources == ("memory", "sessions")
    assert on.notes == ()
    alone = load(tmp_path, search({"sources": ["sessions"]}))
    assert alone.sources == ("memory",)
    assert load(tmp_path, search({"sources": []})).sources == ("memory",)


def test_blank_texts_count_as_not_set(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        {
            "agents": {
                "defaults": {
                    "workspace": " ",
                    "memorySearch": {
                        "provider": " ",
                        "model": "",
                        "extraPaths": ["", "  ", " notes "],
                        "remote": {"apiKey": "  ", "baseUrl": ""},
                        "store": {"driver": ""},
                    },
                    "compaction": {"memoryFlush": {"prompt": ""}},
                }
            }
        },
    )
    assert settings.provider == "auto"
    assert settings.model is None
    assert settings.extra_paths == ("notes",)
    assert settings.remote.api_key is None
    assert settings.remote.base_url is None
    assert settings.store.driver == "sqlite"
    assert "NO_REPLY" in settings.compaction.memory_flush.prompt
    assert settings.workspace == tmp_path / "home/.memdown/workspace"


def test_tilde_in_paths(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        {
            **search(
                {
                    "local": {"modelPath": "~/m.gguf", "modelCacheDir": "~"},
                    "store": {"vector": {"extensionPath": "~/vec0"}},
                    "extraPaths": ["~/kept as it is"],
                }
            ),
            "memory": {"qmd": {"paths": [{"path": "~/q"}], "sessions": {"exportDir": "~/e"}}},
        },
    )
    home = tmp_path / "home"
    assert settings.local.model_path == str(home / "m.gguf")
    assert settings.local.model_cache_dir == str(home)
    assert settings.store.vector.extension_path == str(home / "vec0")
    assert settings.qmd.paths[0].path == str(home / "q")
    assert settings.qmd.sessions.export_dir == str(home / "e")
    assert settings.extra_paths == ("~/kept as it is",)


def test_a_model_of_hugging_face_is_no_path(tmp_path: Path) -> None:
    name = "hf:someone/model-GGUF/model.gguf"
    assert load(tmp_path, search({"local": {"modelPath": name}})).local.model_path == name


def test_qmd_values(tmp_path: Path) -> None:
    def qmd(section: dict[str, object]) -> Settings:
        return load(tmp_path, {"memory": {"qmd": section}})

    timeouts = qmd({"limits": {"timeoutMs": 0}, "update": {"updateTimeoutMs": 0}}).qmd
    assert timeouts.limits.timeout_ms == 4000
    assert timeouts.update.update_timeout_ms == 120_000
    assert qmd({"sessions": {"retentionDays": 0}}).qmd.sessions.retention_days is None
    assert qmd({"sessions": {"retentionDays": 9}}).qmd.sessions.retention_days == 9
    dm = qmd({"scope": {"rules": [{"action": "deny", "match": {"chatType": "dm"}}]}}).qmd
    assert dm.scope.rules[0].match.chat_type == "direct"
    assert dm.scope.rules[0].action == "deny"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("30s", 30), ("1h30m", 5400), ("250ms", 0.25), ("1.5h", 5400), ("2d", 172_800),
     ("10", 600), ("0", 0), (" 5m ", 300)],
)  # fmt: skip
def test_times(tmp_path: Path, text: str, seconds: float) -> None:
    settings = load(tmp_path, {"memory": {"qmd": {"update": {"interval": text}}}})
    assert settings.qmd.update.interval.seconds == pytest.approx(seconds)


@pytest.mark.parametrize("value", ["", "soon", "5 m", "-5m", "m", "1e3s", "٣m", "9" * 400, 5])
def test_times_that_are_none(tmp_path: Path, value: object) -> None:
    with pytest.raises(ConfigError, match=r"memory\.qmd\.update\.interval is .* but must be"):
        load(tmp_path, {"memory": {"qmd": {"update": {"interval": value}}}})


def test_defaults_are_within_their_own_limits() -> None:
    """Without a file the limits are not applied, so the defaults must not need them."""
    for section in (MemorySearch(), CompactionSettings(), MemorySection()):
        origin = SectionLayers(Path("f"), (Layer("p", {}),))
        assert fit(section, origin, str) == section
        assert origin.notes == []
        assert is_dataclass(section)
        assert fields(section)
