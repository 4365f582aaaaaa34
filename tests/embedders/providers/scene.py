"""A workspace, a configuration that leads to the loopback server, and memories over them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from embedders.providers.loopback import KEY, Loopback
from memdown import Memory
from memdown.config import load_settings
from memdown.embedders import JobOptions, Setup, Timeouts
from memdown.opening import embedder_setup

QUICK = Timeouts(query=3.0, batch=4.0, first_pause=0.02, longest_pause=0.1)


@dataclass
class Scene:
    """Everything that a test of a whole memory with a provider needs."""

    folder: Path
    server: Loopback
    state: Path
    search: dict[str, Any] = field(default_factory=dict)
    job_changes: dict[str, Any] = field(default_factory=dict)
    timeouts: Timeouts = QUICK

    def write(self, **notes: str) -> None:
        """Write notes: `memory__x="text"` is memory/x.md."""
        for name, text in notes.items():
            file = self.folder / "workspace" / f"{name.replace('__', '/')}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def config(self, **changes: Any) -> Path:
        """The configuration file: OpenAI at the loopback server, unless changed."""
        remote = {"baseUrl": self.server.base("openai"), "apiKey": KEY}
        search = {"provider": "openai", "remote": remote, **self.search, **changes}
        file = self.folder / "config.json5"
        file.write_text(json.dumps({"agents": {"defaults": {"memorySearch": search}}}))
        return file

    def setup(self, **changes: Any) -> Setup:
        settings = load_settings(config=self.config(**changes), workspace=self.workspace)
        setup = embedder_setup(settings)
        jobs: JobOptions = replace(setup.options.jobs, **self.job_changes)
        return replace(setup, options=replace(setup.options, timeouts=self.timeouts, jobs=jobs))

    @contextmanager
    def memory(self, **changes: Any) -> Iterator[Memory]:
        """A memory with quick time limits, wired as any other."""
        settings = load_settings(config=self.config(**changes), workspace=self.workspace)
        setup = self.setup(**changes)
        with (
            patch("memdown.opening.embedder_setup", lambda *_: setup),
            Memory.from_settings(settings) as memory,
        ):
            yield memory
