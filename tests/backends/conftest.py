"""A workspace whose memory is told to use `qmd`, and a `qmd` that can be made to misbehave."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder

FAKE = Path(__file__).with_name("fake_qmd.py")


@dataclass
class Scene:
    """A workspace, its configuration and the program it names."""

    folder: Path
    state: Path
    command: Path
    mood: Path
    opened: list[Memory] = field(default_factory=list)

    def install(self) -> None:
        # As a module, which is compiled once; as a script it would be compiled at every start.
        start = "import sys; sys.path.append(sys.argv.pop(1)); import fake_qmd as it; "
        start += "sys.exit(it.main(sys.argv[1:]))"
        self.command.write_text(
            f"#!/bin/sh\nexec '{sys.executable}' -I -S -c '{start}' '{FAKE.parent}' \"$@\"\n"
        )
        self.command.chmod(0o755)

    def behave(self, **moods: str) -> None:
        self.mood.write_text("\n".join(f"{name}={how}" for name, how in moods.items()))

    def open(self, config: Mapping[str, object] | None = None, **qmd: object) -> Memory:
        """A memory that uses `qmd` with these settings; `config` is what else the file says."""
        file = self.folder.parent / "memdown.json"
        given = {
            "command": str(self.command),
            "update": {"debounceMs": 0},
            "limits": {"timeoutMs": 20_000},
            **qmd,
        }
        told = {**(config or {}), "memory": {"backend": "qmd", "qmd": given}}
        file.write_text(json.dumps(told))
        settings = load_settings(config=file, workspace=self.folder)
        memory = Memory.from_settings(settings, embedder=HashEmbedder())
        self.opened.append(memory)
        return memory

    @property
    def home(self) -> Path:
        return self.state / "agents" / "main" / "qmd"

    def calls(self) -> list[list[str]]:
        file = self.home / "xdg-config" / "qmd" / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def rested(self) -> None:
        """Let the time pass after which `qmd` is tried again."""
        file = self.home / "state.json"
        data = json.loads(file.read_text())
        for name in ("searching", "updating", "embedding"):
            data[name]["until"] = 0
        file.write_text(json.dumps(data))


@pytest.fixture
def scene(
    write_notes: Callable[[dict[str, str]], Path],
    own_state: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Scene]:
    folder = write_notes(
        {
            "MEMORY.md": "# Memory\n\n- Ana prefers tea over coffee.\n",
            "memory/harbour.md": "# Harbour\n\nMaria runs the harbour office.\n",
        }
    )
    made = Scene(folder, own_state, tmp_path / "qmd", tmp_path / "mood")
    monkeypatch.setenv("FAKE_QMD_MOOD", str(made.mood))
    assert os.access(FAKE, os.R_OK)
    made.install()
    made.behave()
    yield made
    for memory in made.opened:
        memory.close()
