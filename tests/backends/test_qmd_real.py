"""The real `qmd`, installed from npm with a Node that it runs on, in its keyword mode."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder

VERSION = "2.8.3"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed programs; one that is installed already can be named."""
    given = os.environ.get("MEMDOWN_TEST_QMD_BIN")
    if given:
        return Path(given)
    folder = tmp_path_factory.mktemp("npm")
    npm = shutil.which("npm")
    assert npm, "npm is needed to install qmd"
    programs = folder / "node_modules" / ".bin"
    (folder / "package.json").write_text('{"private": true}')
    for package in ("node@22", f"@tobilu/qmd@{VERSION}"):
        # The second must see the first: npm picks a version that fits the Node it finds.
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", package],
            cwd=folder, env={**os.environ, "PATH": path}, check=True, capture_output=True,
        )  # fmt: skip
    return programs


def test_the_real_qmd_indexes_and_answers(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- Ana prefers tea over coffee.\n")
    (folder / "memory" / "harbour.md").write_text(
        "# Harbour\n\nThe crane is serviced every spring.\n\nMaria runs the harbour office.\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "Weird Name (v2).md").write_text("A heron stood in the pond.\n")
    config = tmp_path / "memdown.json"
    qmd = {
        "paths": [{"path": str(tmp_path / "elsewhere"), "name": "birds"}],
        "update": {"debounceMs": 0},
        "limits": {"timeoutMs": 30_000},
    }
    config.write_text(json.dumps({"memory": {"backend": "qmd", "qmd": qmd}}))
    settings = load_settings(config=config, workspace=folder)
    with Memory.from_settings(settings, embedder=HashEmbedder()) as memory:
        assert memory.sync().failed == ()
        for query, path, line in (
            ("Maria", "memory/harbour.md", 5),
            ("who runs the harbour office?", "memory/harbour.md", 5),
            ("tea coffee", "MEMORY.md", 3),
            ("-- heron", "qmd/birds/Weird Name (v2).md", 1),
        ):
            answer = memory.search(query)
            assert answer.provider == "qmd", answer.reasons
            assert answer.hits, (query, answer.reasons)
            hit = answer.hits[0]
            assert hit.path == path
            assert hit.start_line <= line <= hit.end_line
            text = memory.get(path).text.split("\n")
            assert "\n".join(text[hit.start_line - 1 : hit.end_line]).strip() == hit.snippet.strip()
        assert memory.search("zebra").hits == ()
        (folder / "memory" / "new.md").write_text("The ferry leaves at nine.\n")
        assert memory.search("ferry").hits[0].path == "memory/new.md"
        (folder / "memory" / "new.md").unlink()
        assert memory.search("ferry").hits == ()
        index = settings.state_dir / "agents/main/qmd/xdg-cache/qmd/index.sqlite"
        for file in index.parent.glob("index.sqlite*"):
            file.write_bytes(b"this is no database at all, only some text" * 100)
        broken = memory.search("Maria")
        assert broken.provider != "qmd"
        assert "not a database" in broken.reasons[0]
        assert memory.sync().failed == ()
    assert not (Path.home() / ".cache" / "qmd").exists()
    assert not (Path.home() / ".config" / "qmd").exists()
