"""A world in which the effect of one setting can be seen, and the list of what was seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from embedders.providers.loopback import Loopback
from memdown import Memory
from memdown.config import Settings, load_settings
from memdown.testing import HashEmbedder

SEARCH = "agents.defaults.memorySearch."
_TOPS = ("agents.", "memory.", "models.", "plugins.")

Case = Callable[["World"], None]
CASES: dict[str, Case] = {}


def shows(*keys: str) -> Callable[[Case], Case]:
    """Says that a case observes the effect of these keys; short names are of `memorySearch`."""

    def note(case: Case) -> Case:
        for key in keys:
            name = full(key)
            assert name not in CASES, f"{name} has a case already"
            CASES[name] = case
        return case

    return note


def full(key: str) -> str:
    return key if key.startswith(_TOPS) else SEARCH + key


def tree(changes: Mapping[str, object]) -> dict[str, Any]:
    """Dotted keys as the object of a configuration file."""
    result: dict[str, Any] = {}
    for key, value in changes.items():
        *way, last = full(key).split(".")
        inner = result
        for part in way:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return result


@dataclass
class World:
    """A workspace, a state folder and a provider, all of them this test's own."""

    folder: Path
    state: Path
    server: Loopback
    monkeypatch: pytest.MonkeyPatch

    def write(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def say(self, name: str, *texts: str) -> None:
        """A transcript of the agent `main`."""
        file = self.state / "agents" / "main" / "sessions" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        said = [{"type": "message", "message": {"role": "user", "content": one}} for one in texts]
        file.write_text("".join(json.dumps(one) + "\n" for one in said))

    def config(self, changes: Mapping[str, object]) -> Path:
        file = self.folder.parent / "config.json5"
        file.write_text(json.dumps(tree(changes)))
        return file

    def settings(self, changes: Mapping[str, object]) -> Settings:
        return load_settings(config=self.config(changes), workspace=self.folder)

    @contextmanager
    def memory(
        self, changes: Mapping[str, object] | None = None, *, fresh: bool = True, **options: Any
    ) -> Iterator[Memory]:
        """A memory with these settings; `fresh` begins a new index, `embedder=None` configures one."""
        if fresh:
            for file in self.state.glob("memory/*"):
                file.unlink()
        options.setdefault("embedder", HashEmbedder())
        with Memory.from_settings(self.settings(changes or {}), **options) as memory:
            yield memory

    def remote(self, **more: object) -> dict[str, object]:
        """The settings that lead to the provider."""
        given = {"provider": "openai", "remote.baseUrl": self.server.base("openai")}
        return {**given, "remote.apiKey": self.server.key, **more}


def found(memory: Memory, query: str, **options: Any) -> list[str]:
    return [hit.path for hit in memory.search(query, **options).hits]
