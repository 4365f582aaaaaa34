"""Whatever stands in the file: settings or a ConfigError, never anything else."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.config_case import load
from memdown.config import Settings
from memdown.config.keys import as_json, walk
from memdown.config.search_settings import MemorySearch
from memdown.config.settings import CompactionSettings, MemorySection
from memdown.errors import ConfigError


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


KEYS = sorted(
    {
        part.removesuffix("[]")
        for section in (MemorySearch, CompactionSettings, MemorySection)
        for key in walk(section)
        for part in key.path.split(".")
    }
)
SECRET = "hunter2-secret"

scalars: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["memory", "sessions", "5m", "direct", "allow", "qmd", "env", "~", "~/x", "${A}"]
    )
)
words = st.sampled_from([*KEYS, "id", "source", "$include"]) | st.text(max_size=8)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)


def nested(path: list[str], value: object) -> object:
    for part in reversed(path):
        value = [{part.removesuffix("[]"): value}] if part.endswith("[]") else {part: value}
    return value


def shaped(section: type) -> st.SearchStrategy[Any]:
    """Objects that have a known key somewhere, with any value: most reach the deeper checks."""
    paths = [key.path.replace("[].", "[]/").replace(".", "/") for key in walk(section)]

    def build(path: str) -> st.SearchStrategy[Any]:
        return scalars.map(lambda value: nested(path.split("/"), value))

    return st.sampled_from(paths).flatmap(build)


def outcome(folder: Path, content: object, **variables: str) -> Settings | None:
    with contextlib.suppress(ConfigError):
        loaded = load(folder, json.dumps(content), **variables)
        assert json.dumps(as_json(loaded))
        return loaded
    return None


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=200)


@relaxed
@given(section=json_values | shaped(MemorySearch))
def test_anything_under_memory_search(folder: Path, section: object) -> None:
    content = {"agents": {"defaults": {"memorySearch": section}}}
    loaded = outcome(folder, content, A="v")
    if loaded is not None:
        query, chunking = loaded.query, loaded.chunking
        assert 1 <= query.max_results <= 100
        assert query.min_score is None or 0 <= query.min_score <= 1
        assert 8 <= chunking.tokens <= 8192
        assert 0 <= chunking.overlap < chunking.tokens
        assert (query.hybrid.temporal_decay.half_life_days or 1) > 0
        assert loaded.sources
        assert loaded.store.path.is_absolute()


@relaxed
@given(own=json_values | shaped(MemorySearch), below=shaped(MemorySearch))
def test_anything_in_two_layers(folder: Path, own: object, below: object) -> None:
    entry = {"id": "main", "memorySearch": own}
    outcome(folder, {"agents": {"defaults": {"memorySearch": below}, "list": [entry]}}, A="v")


@relaxed
@given(
    memory=json_values | shaped(MemorySection), compaction=json_values | shaped(CompactionSettings)
)
def test_anything_under_memory_and_compaction(
    folder: Path, memory: object, compaction: object
) -> None:
    outcome(folder, {"memory": memory, "agents": {"defaults": {"compaction": compaction}}}, A="v")


@relaxed
@given(
    document=st.dictionaries(
        st.sampled_from(["agents", "memory", "models", "plugins", "x"]), json_values
    )
)
def test_any_document(folder: Path, document: object) -> None:
    outcome(folder, document, A="v")


@relaxed
@given(content=st.binary(max_size=60) | st.text(max_size=60))
def test_any_bytes(folder: Path, content: bytes | str) -> None:
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    with contextlib.suppress(ConfigError):
        load(folder, content)


@relaxed
@given(
    value=st.just(SECRET) | st.lists(st.just(SECRET)) | st.dictionaries(words, st.just(SECRET)),
    place=st.sampled_from(["remote.apiKey", "remote.headers", "store.url", "store.readUrl"]),
    other=shaped(MemorySearch),
)
def test_a_secret_is_never_shown(folder: Path, value: object, place: str, other: Any) -> None:
    section = {**other}
    first, second = place.split(".")
    section[first] = {second: value}
    try:
        loaded = load(folder, {"agents": {"defaults": {"memorySearch": section}}}, A="v")
        shown = f"{loaded!r}{as_json(loaded)}"
    except ConfigError as error:
        shown = str(error)
    assert "hunter2" not in shown
