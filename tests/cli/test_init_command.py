"""`memdown init`, as people use it: here, once, and nothing that exists is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands import memdown, memdown_process
from memdown import Memory


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder as Obsidian makes it."""
    folder = tmp_path / "vault"
    for path, text in {
        "Boat.md": "# Boat\n\nThe boat Albatros lies in Kiel.\n",
        "Projects/Alpha.md": "# Alpha\n\nAlpha ships in May.\n",
        "Archive/Old.md": "# Old\n\nNobody reads the zeppelin plan.\n",
        ".obsidian/workspace.md": "the hidden zebra\n",
        ".gitignore": "Archive/\n",
        "picture.png": "no note",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_an_empty_folder_gets_a_memory_and_three_lines_what_to_do(tmp_path: Path) -> None:
    done = memdown_process("init", cwd=tmp_path)
    assert done.returncode == 0
    assert listing(tmp_path) == ["MEMORY.md", "memory"]
    first, *after = done.stdout.splitlines()
    assert str(tmp_path) in first
    assert [line.split()[:2] for line in after] == [
        ["memdown", "remember"],
        ["memdown", "search"],
        ["memdown", "mcp"],
    ]
    (tmp_path / "MEMORY.md").write_text("mine")
    again = memdown("init", cwd=tmp_path)
    assert "Nothing was changed" in again.stdout
    assert (tmp_path / "MEMORY.md").read_text() == "mine"


def test_a_vault_is_adopted_as_it_is(vault: Path) -> None:
    before = listing(vault)
    done = memdown("init", cwd=vault)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 notes" in done.stdout
    assert listing(vault) == sorted([*before, ".memdown.json5"])
    assert "Boat.md" in memdown("search", "where is the boat?", cwd=vault).stdout
    below = memdown("search", "when does Alpha ship?", cwd=vault / "Projects")
    assert "Projects/Alpha.md" in below.stdout
    for hidden in ("zeppelin", "zebra"):
        assert hidden not in memdown("search", hidden, cwd=vault).stdout
    assert memdown("get", "Archive/Old.md", cwd=vault).returncode == 2
    told = memdown("index", cwd=vault)
    assert "1 folder left out by .gitignore or .memdownignore" in told.stdout
    wrote = memdown("remember", "The boat was sold.", cwd=vault)
    assert "Remembered in memory/" in wrote.stdout
    assert "sold" in memdown("search", "was the boat sold?", cwd=vault).stdout


def test_what_is_ignored_later_leaves_the_index(vault: Path) -> None:
    memdown("init", cwd=vault)
    assert "Boat.md" in memdown("search", "boat", cwd=vault).stdout
    (vault / ".memdownignore").write_text("Boat.md\n!Archive/\n")
    assert "Boat.md" not in memdown("search", "boat", cwd=vault).stdout
    assert "Archive/Old.md" in memdown("search", "zeppelin plan", cwd=vault).stdout
    report = json.loads(memdown("index", "--json", cwd=vault).stdout)
    assert report["ignored"] == ["Boat.md"]


def test_adopted_notes_can_be_edited(vault: Path) -> None:
    """They are the user's own, unlike extra paths, which are only read."""
    memdown("init", cwd=vault)
    with Memory.open(vault) as memory:
        note = memory.notebook.read("Projects/Alpha.md")
        assert note.editable
        memory.notebook.edit("Projects/Alpha.md", "# Alpha\n\nIn June.\n", base=note.version)
    assert "June" in (vault / "Projects/Alpha.md").read_text()


def test_a_folder_with_an_order_of_its_own_keeps_it(tmp_path: Path) -> None:
    """A workspace of OpenClaw has more Markdown beside MEMORY.md, which is not memory."""
    for name in ("MEMORY.md", "AGENTS.md", "SOUL.md"):
        (tmp_path / name).write_text(f"# {name}\n")
    done = memdown("init", "--json", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert (data["adopted"], data["notes"], data["created"]) == (False, 1, ["memory/"])
    data = json.loads(memdown("init", "--adopt", "--json", cwd=tmp_path).stdout)
    assert (data["adopted"], data["notes"]) == (True, 3)
    data = json.loads(memdown("init", "--no-adopt", "--json", cwd=tmp_path).stdout)
    assert (data["adopted"], data["notes"]) == (False, 1)


def test_the_home_folder_is_never_adopted_unasked(tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    (home / "code").mkdir()
    (home / "code/README.md").write_text("x")
    data = json.loads(memdown("init", "--json", cwd=home).stdout)
    assert (data["adopted"], data["notes"]) == (False, 1)


def test_a_folder_that_is_named(tmp_path: Path) -> None:
    done = memdown("init", "new/deep", cwd=tmp_path)
    assert done.returncode == 0
    assert listing(tmp_path / "new/deep") == ["MEMORY.md", "memory"]
    assert f"--workspace {tmp_path / 'new/deep'}" in done.stdout
    (tmp_path / "file").write_text("x")
    assert memdown("init", "file", cwd=tmp_path).returncode == 2


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone whose author has a memory of his own in it, and a package of that name."""
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / "memory").mkdir()
    (folder / "memory/__init__.py").write_text("")
    (folder / "MEMORY.md").write_text("# Memory\n\n- The author likes tabs.\n")
    return folder


def test_a_checkout_may_be_searched_but_is_written_to_only_after_init(checkout: Path) -> None:
    before = listing(checkout)
    assert "tabs" in memdown("search", "what does the author like?", cwd=checkout).stdout
    for command in (["remember", "My secret plan."], ["import", str(checkout), "--apply"]):
        refused = memdown(*command, cwd=checkout / "memory")
        assert refused.returncode == 2
        assert "you never made it yours" in refused.stderr
        assert "memdown init" in refused.stderr
    assert listing(checkout) == before
    told = memdown("init", cwd=checkout)
    assert "memory/ holds other files" in told.stderr
    assert memdown("remember", "My plan.", cwd=checkout).returncode == 0


def test_a_package_called_memory_is_no_memory(checkout: Path) -> None:
    (checkout / "MEMORY.md").unlink()
    before = listing(checkout)
    refused = memdown("remember", "A note.", cwd=checkout)
    assert refused.returncode == 2
    assert "does not exist" in refused.stderr
    assert listing(checkout) == before


def test_a_workspace_made_before_there_was_a_list_goes_on_working(tmp_path: Path) -> None:
    """Earlier versions left no trace of `init` but the files."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- Tea.\n")
    assert "Tea" in memdown("search", "tea", cwd=tmp_path).stdout
    assert memdown("remember", "Coffee too.", cwd=tmp_path / "memory").returncode == 0
    assert "Coffee" in memdown("search", "coffee", cwd=tmp_path).stdout
