"""A save and other programs that save at the same moment: whatever anyone saved is in some note."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown import Memory
from memdown.cli import run
from memdown.errors import NoteChanged, WorkspaceError
from memdown.notes import (
    Workspace,
    append,
    drafts,
    kept_versions,
    open_workspace,
    read_whole,
    recover,
    save,
    scan,
    swapping,
    unfinished_save,
)
from memdown.notes.swapping import original_of
from notes.killed import ended, save_beside

POINTS = ("save.drafted", "save.swapped", "save.looked", "save.back")
BASE = "# Home\n\nThe router is an ER605.\n"


def make(top: Path) -> Workspace:
    (top / "ws/memory").mkdir(parents=True)
    (top / "ws/memory/home.md").write_text(BASE)
    (top / "ws/MEMORY.md").write_text(BASE)
    return open_workspace(top / "ws")


@pytest.fixture
def notes(tmp_path: Path) -> Workspace:
    return make(tmp_path)


def edit(notes: Workspace, text: str = "# Mine\n", path: str = "memory/home.md") -> str:
    """Save over the version that stands there; how it ended."""
    base = read_whole(notes, path).version
    try:
        save(notes, path, text, base=base, lock_dir=notes.folder.parent / "locks")
    except NoteChanged:
        return "changed"
    except WorkspaceError:
        return "busy"
    return "saved"


def texts(notes: Workspace) -> list[str]:
    """What all notes say."""
    return [(notes.folder / path).read_text() for path in scan(notes).files]


def replace_note(note: Path, text: str) -> None:
    """Save as most editors do."""
    other = note.with_name("other.tmp")
    other.write_text(text)
    other.replace(note)


def at(monkeypatch: pytest.MonkeyPatch, *actions: tuple[str, Callable[[], object]]) -> None:
    """Let others do something when a save comes to a point, the first time it does."""
    waiting = list(actions)

    def reach(point: str) -> None:
        if waiting and waiting[0][0] == point:
            waiting.pop(0)[1]()

    monkeypatch.setattr(swapping, "reach", reach)


@pytest.mark.parametrize("path", ["memory/home.md", "MEMORY.md"])
def test_an_editor_that_saves_twice_loses_nothing(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Swapping back blindly would undo the second save."""
    note = notes.folder / path
    at(
        monkeypatch,
        ("save.drafted", lambda: replace_note(note, "second")),
        ("save.swapped", lambda: replace_note(note, "third")),
    )
    assert edit(notes, path=path) == "changed"
    assert note.read_text() == "third"
    assert "second" in texts(notes)
    (kept,) = kept_versions(scan(notes).files)
    assert Path(path).stem in kept.path
    assert drafts(notes) == []


def test_what_is_added_to_our_version_before_it_goes_back_is_kept(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = notes.folder / "memory/home.md"

    def add() -> None:
        with note.open("a") as file:
            file.write("added\n")

    at(
        monkeypatch,
        ("save.drafted", lambda: replace_note(note, "second")),
        ("save.looked", add),
    )
    assert edit(notes) == "changed"
    assert note.read_text() == "# Mine\nadded\n"
    assert "second" in texts(notes)


def test_a_note_deleted_while_it_goes_back(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = notes.folder / "memory/home.md"
    at(
        monkeypatch,
        ("save.drafted", lambda: replace_note(note, "second")),
        ("save.looked", note.unlink),
    )
    assert edit(notes) == "changed"
    assert "second" in texts(notes)
    assert drafts(notes) == []


def test_a_note_that_a_program_has_open_to_write_is_not_replaced(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it writes next would go into a file that has no name any more."""
    if sys.platform != "linux":
        return  # Only Linux tells who has a file open; docs/web.md says so.
    note = notes.folder / "memory/home.md"
    with note.open("a") as file:
        assert edit(notes) == "busy"
        file.write("added\n")
    assert note.read_text() == f"{BASE}added\n"
    file = note.open("a")
    file.write("more\n")
    at(monkeypatch, ("save.swapped", lambda: None), ("save.swapped", file.close))
    assert edit(notes) == "changed"
    assert note.read_text() == f"{BASE}added\nmore\n"
    assert drafts(notes) == []
    with note.open() as reader:
        assert edit(notes) == "saved", "a reader is in nobody's way"
        assert reader.read()


def test_a_link_put_in_the_place_of_the_note(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = notes.folder / "memory/home.md"

    def link() -> None:
        note.unlink()
        note.symlink_to("elsewhere")

    at(monkeypatch, ("save.drafted", link))
    with pytest.raises(WorkspaceError):
        save(
            notes,
            "memory/home.md",
            "# Mine\n",
            base=read_whole(notes, "memory/home.md").version,
            lock_dir=notes.folder.parent / "locks",
        )
    assert note.is_symlink()
    assert drafts(notes) == []


ACTIONS = st.sampled_from(["", "", "replace", "rewrite", "append"])


@settings(max_examples=150)
@given(st.lists(ACTIONS, min_size=12, max_size=12))
def test_whatever_others_do_meanwhile_nothing_is_lost(actions: list[str]) -> None:
    """Their last whole save, and everything added since, is in some note; no draft is left."""
    with tempfile.TemporaryDirectory() as top, pytest.MonkeyPatch.context() as patch:
        notes = make(Path(top))
        note = notes.folder / "memory/home.md"
        waiting = list(actions)
        must: list[str] = []

        def reach(point: str) -> None:
            action = waiting.pop(0) if waiting and point in POINTS else ""
            text = f"theirs {len(waiting)}\n"
            if action in ("replace", "rewrite"):
                replace_note(note, text) if action == "replace" else note.write_text(text)
                must[:] = [text]
            elif action == "append":
                with note.open("a") as file:
                    file.write(text)
                must.append(text)

        patch.setattr(swapping, "reach", reach)
        ended = edit(notes)
        found = texts(notes)
        for text in must:
            assert any(text in one for one in found), (ended, text, found)
        if ended == "saved":
            assert must or note.read_text() == "# Mine\n"
        assert drafts(notes) == []


DEADLY = (
    "save.recorded",
    "save.drafting",
    "save.drafted",
    "save.swapped",
    "save.looked",
    "save.back",
    "save.done",
    "save.settled",
)


def killed_at(top: Path, point: str, editor: str, lock_dir: Path) -> bool:
    """Whether a save by a process of its own was killed at a point; not all are on its way."""
    code = ended(save_beside, editor, top, lock_dir, output=top / "said", failpoint=point)
    return code == -signal.SIGKILL


@pytest.mark.parametrize("editor", ["editor", "alone"])
@pytest.mark.parametrize("point", DEADLY)
def test_killed_at_any_point_the_next_writer_settles_it(
    tmp_path: Path, point: str, editor: str
) -> None:
    """What an editor saved is in a note, and no hidden file stays."""
    notes = make(tmp_path)
    was_killed = killed_at(tmp_path, point, editor, tmp_path / "locks")
    assert was_killed or (point in ("save.looked", "save.back") and editor == "alone")
    append(notes, "memory/log.md", "next", title="Log", lock_dir=tmp_path / "locks")
    assert drafts(notes) == []
    assert unfinished_save(notes, tmp_path / "locks") is None
    found = texts(notes)
    if editor == "editor" and point in ("save.drafted", *DEADLY[3:]):
        assert sum("quillon" in one for one in found) == 1
    assert (notes.folder / "memory/home.md").read_text() in (
        BASE,
        "# Mine\n" * 50_000,
        "# Theirs, saved just before the swap: quillon\n",
    )


def test_the_next_command_tells_of_a_version_that_was_kept(
    tmp_path: Path, own_state: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Until then the only copy of what an editor saved was in a hidden file."""
    notes = make(tmp_path)
    assert killed_at(tmp_path, "save.swapped", "editor", own_state / "locks")
    at_workspace = ["--workspace", str(notes.folder)]
    run(["status", *at_workspace])
    assert "A save of memory/home.md was cut off" in capfd.readouterr().err
    command = [sys.executable, "-m", "memdown.cli"]
    # On a slow machine a search may answer before the large note is indexed.
    indexing = [*command, "index", *at_workspace]
    said = subprocess.run(indexing, capture_output=True, text=True, check=True)
    searching = [*command, "search", "quillon", *at_workspace]
    found = subprocess.run(searching, capture_output=True, text=True, check=True)
    (kept,) = kept_versions(scan(notes).files)
    assert kept.path in found.stdout
    assert kept.reason in said.stderr
    run(["status", *at_workspace])
    assert kept.reason in capfd.readouterr().err
    run(["doctor", *at_workspace])
    assert kept.reason in capfd.readouterr().out
    assert drafts(notes) == []


def test_doctor_finds_drafts_that_no_journal_knows(
    notes: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Older versions left them, and so does a state folder that was deleted."""
    left = {
        "memory/.memdown-00000000000000aa.tmp": "only here",
        ".memdown-00000000000000bb.tmp": "root",
        "memory/.memdown-00000000000000cc.tmp": BASE,
        "memory/.memdown-00000000000000dd.tmp": "",
    }
    for path, text in left.items():
        (notes.folder / path).write_text(text)
    (notes.folder / "memory/.memdown-mine.tmp").write_text("not ours")
    at_workspace = ["--workspace", str(notes.folder)]
    run(["doctor", *at_workspace])
    assert ".memdown-00000000000000aa.tmp" in capsys.readouterr().out
    run(["doctor", "--fix", *at_workspace])
    assert drafts(notes) == []
    assert sorted(texts(notes)) == sorted([BASE, BASE, "only here", "root"])
    assert (notes.folder / "memory/.memdown-mine.tmp").exists()
    assert recover(notes, notes.folder.parent / "locks") == []


def test_a_state_of_the_memory_tells_of_kept_versions(
    notes: Workspace, open_memory: Callable[..., Memory]
) -> None:
    (notes.folder / "memory/home.kept-0a1b2c3d.md").write_text("theirs")
    (problem,) = open_memory(notes.folder).status().problems
    assert problem.path == "memory/home.kept-0a1b2c3d.md"


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("memory/home.kept-0a1b2c3d.md", "memory/home.md"),
        ("memory/2026-03-01.kept-0a1b2c3d.md", "memory/2026-03-01.md"),
        ("memory/home.kept-forever.md", None),
        ("memory/home.md", None),
    ],
)
def test_names_of_kept_versions(path: str, original: str | None) -> None:
    assert original_of(path) == original
