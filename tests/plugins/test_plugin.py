"""A package that nobody here knows brings an embedder, which is then used by its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the sample plugin was installed into, by pip."""
    target = tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*install, "--no-deps", "--target", str(target), str(SAMPLE)],
        check=True,
        capture_output=True,
    )
    return target


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "memdown.cli", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("The router stands in the hall.\n")
    config = {
        "agents": {"defaults": {"memorySearch": {"provider": "letters"}}},
        "plugins": {"entries": {"letters": {"config": {"model": "letters-2"}}}},
    }
    (tmp_path / "config.json5").write_text(json.dumps(config))
    return tmp_path


def test_a_search_uses_the_plugin(installed: Path, notes: Path) -> None:
    done = run(
        installed,
        "search",
        "router",
        "-w",
        str(notes),
        "--json",
        "--config",
        str(notes / "config.json5"),
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["provider"], answer["model"]) == ("letters", "letters-2")
    assert answer["results"][0]["path"] == "MEMORY.md"


def test_the_plugin_is_in_the_table_and_can_be_tried(installed: Path, notes: Path) -> None:
    config = str(notes / "config.json5")
    table = run(installed, "providers", "--config", config).stdout
    line = next(line for line in table.splitlines() if "letters" in line)
    assert line.startswith("*")
    tried = run(installed, "providers", "test", "letters", "--config", config)
    assert "letters works: letters-2, 26 dimensions" in tried.stdout


def test_without_the_package_the_name_is_unknown(notes: Path) -> None:
    done = run(notes, "search", "router", "-w", str(notes), "--config", str(notes / "config.json5"))
    assert done.returncode == 2
    assert "memorySearch.provider is 'letters', which is not installed" in done.stderr


def test_a_store_of_a_plugin_is_used_with_its_own_options(installed: Path, notes: Path) -> None:
    shelf = notes / "shelf"
    search = {"provider": "letters", "store": {"driver": "shelf"}}
    plugins = {"entries": {"shelf": {"config": {"shelf": str(shelf)}}}}
    config = notes / "shelf.json5"
    agents = {"defaults": {"memorySearch": search}}
    config.write_text(json.dumps({"agents": agents, "plugins": plugins}))
    asked = ("search", "router", "-w", str(notes), "--json", "--config", str(config))
    done = run(installed, *asked)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["path"] == "MEMORY.md"
    assert [file.name for file in shelf.iterdir() if file.suffix == ".json"] == ["main.json"]


def test_the_author_of_a_store_runs_the_contract(installed: Path, tmp_path: Path) -> None:
    """All of it: the store keeps what docs/plugins.md says, and nothing of ours stores for it."""
    environ = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--rootdir", str(tmp_path), "-c", os.devnull, str(SAMPLE / "shelf_contract.py")),
        ],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
