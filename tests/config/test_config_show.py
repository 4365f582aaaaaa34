"""`memdown config show`, the reference, and what an import loads."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from config.config_case import load
from memdown.config import Settings, load_settings
from memdown.config.keys import as_json, walk
from memdown.config.reference import render
from memdown.config.search_settings import MemorySearch
from memdown.config.settings import CompactionSettings, MemorySection

DOCS = Path(__file__).parents[2] / "docs"


def bare(settings: Settings) -> Settings:
    return replace(settings, config_path=None, notes=())


def test_what_is_shown_is_a_file_with_the_same_meaning(tmp_path: Path) -> None:
    first = load(
        tmp_path,
        """{
          agents: { defaults: {
            workspace: "~/ws",
            compaction: { reserveTokensFloor: 5 },
            memorySearch: {
              sources: ["sessions"], experimental: { sessionMemory: true },
              query: { maxResults: 900, hybrid: { vectorWeight: 3, textWeight: 1 } },
              extraPaths: ["a"], local: { modelPath: "~/m.gguf" },
            },
          } },
          memory: { backend: "qmd", qmd: { update: { interval: "1h30m" }, paths: [{ path: "x" }] } },
          models: { providers: { openai: { baseUrl: "http://x" } } },
          plugins: { slots: { memory: "none" } },
        }""",
    )
    shown = as_json(first)
    again = load(tmp_path, json.dumps(shown))
    assert bare(again) == bare(first)
    assert again.notes == ()
    assert as_json(again)["memory"] == shown["memory"]


def test_the_defaults_can_be_shown_and_read_back(tmp_path: Path) -> None:
    first = load_settings(environ={"HOME": str(tmp_path / "home")}, cwd=tmp_path)
    assert bare(load(tmp_path, as_json(first))) == bare(first)


def test_it_tells_how_the_settings_came_about(tmp_path: Path) -> None:
    settings = load(tmp_path, "{agent: 1}", agent="work")
    assert as_json(settings)["memdown"] == {
        "agent": "work",
        "stateDir": str(tmp_path / "home/.memdown"),
        "config": str(tmp_path / "memdown.json5"),
        "profileKeys": {},
        "notes": ["agent is not read; did you mean agents?"],
    }


def test_the_reference_is_current() -> None:
    """If this fails: python -m memdown.config.reference > docs/configuration.md"""
    assert (DOCS / "configuration.md").read_text("utf-8") == render()


def test_the_reference_can_be_written_by_its_command() -> None:
    command = [sys.executable, "-m", "memdown.config.reference"]
    result = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8")
    assert result.stdout == render()


def test_the_example_in_the_reference_works(tmp_path: Path) -> None:
    example = render().split("```json5\n")[1].split("```")[0]
    settings = load(tmp_path, example, agent="work", OPENAI_API_KEY="k")
    assert settings.query.max_results == 20
    assert settings.notes == ()


@pytest.mark.parametrize("section", [MemorySearch, CompactionSettings, MemorySection])
def test_every_key_says_what_it_is_for(section: type) -> None:
    for key in walk(section):
        assert key.branch or key.field.metadata["description"], key.path


def test_the_light_import_stays_light(tmp_path: Path) -> None:
    """A search without a configuration file must not pay for reading one."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from memdown.config import load_settings\n"
        "load_settings(environ={'HOME': sys.argv[1]}, cwd=Path(sys.argv[1]))\n"
        "heavy = {'pydantic', 'pydantic_core', 'pyjson5', 'numpy', 'json', 'difflib'}\n"
        "print(sorted(heavy & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, check=True, text=True)
    assert result.stdout.strip() == "[]"
