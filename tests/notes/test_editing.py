"""An edit replaces a note whole, and never a version that its editor has not seen."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.errors import NoteChanged, NoteNotFound, PathRefused, WorkspaceError
from memdown.notes import Note, Workspace, editing, open_workspace, read_whole, save, swapping


@pytest.fixture
def notes(tmp_path: Path) -> Workspace:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    (tmp_path / "ws" / "MEMORY.md").write_text("# Memory\n")
    return open_workspace(tmp_path / "ws")


def edit(notes: Workspace, path: str, text: str, base: str | None) -> Note:
    return save(notes, path, text, base=base, lock_dir=notes.folder.parent / "locks")


def leftovers(notes: Workspace) -> list[str]:
    return [
        name for _, _, names in os.walk(notes.folder) for name in names if name.endswith(".tmp")
    ]


def test_an_edit_replaces_the_text(notes: Workspace) -> None:
    before = read_whole(notes, "MEMORY.md")
    after = edit(notes, "MEMORY.md", "# New\n", before.version)
    assert (notes.folder / "MEMORY.md").read_text() == "# New\n"
    assert after == read_whole(notes, "MEMORY.md")
    assert leftovers(notes) == []


def test_a_version_changed_meanwhile_is_kept_and_shown(notes: Workspace) -> None:
    before = read_whole(notes, "MEMORY.md")
    (notes.folder / "MEMORY.md").write_text("# Theirs\n")
    with pytest.raises(NoteChanged) as caught:
        edit(notes, "MEMORY.md", "# Mine\n", before.version)
    assert caught.value.current == read_whole(notes, "MEMORY.md")
    assert (notes.folder / "MEMORY.md").read_text() == "# Theirs\n"
    edit(
        notes, "MEMORY.md", "# Both\n", caught.value.current.version if caught.value.current else ""
    )
    assert (notes.folder / "MEMORY.md").read_text() == "# Both\n"


def test_a_change_between_the_check_and_the_swap_is_put_back(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors save without asking our lock; the last moment before the swap is theirs too."""
    before = read_whole(notes, "MEMORY.md")

    def and_another_saves(point: str) -> None:
        if point == "save.drafted":
            other = notes.folder / "other"
            other.write_text("# Theirs, just now\n")
            other.replace(notes.folder / "MEMORY.md")

    monkeypatch.setattr(swapping, "reach", and_another_saves)
    with pytest.raises(NoteChanged) as caught:
        edit(notes, "MEMORY.md", "# Mine\n", before.version)
    assert caught.value.current is not None
    assert caught.value.current.text == "# Theirs, just now\n"
    assert (notes.folder / "MEMORY.md").read_text() == "# Theirs, just now\n"
    assert leftovers(notes) == []


def test_a_note_removed_meanwhile_is_not_brought_back_unasked(notes: Workspace) -> None:
    before = read_whole(notes, "MEMORY.md")
    (notes.folder / "MEMORY.md").unlink()
    with pytest.raises(NoteChanged) as caught:
        edit(notes, "MEMORY.md", "# Mine\n", before.version)
    assert caught.value.current is None
    assert edit(notes, "MEMORY.md", "# Mine\n", None).text == "# Mine\n"


def test_a_new_note_is_made_with_its_folders(notes: Workspace) -> None:
    edit(notes, "memory/people/ida.md", "# Ida\n", None)
    assert (notes.folder / "memory/people/ida.md").read_text() == "# Ida\n"
    assert leftovers(notes) == []


def test_a_new_note_does_not_replace_another(notes: Workspace) -> None:
    with pytest.raises(NoteChanged):
        edit(notes, "MEMORY.md", "# Mine\n", None)
    assert (notes.folder / "MEMORY.md").read_text() == "# Memory\n"


def test_a_system_that_cannot_swap_still_saves(
    notes: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swapping, "_RENAME", "no_such_call")
    before = read_whole(notes, "MEMORY.md")
    edit(notes, "MEMORY.md", "# New\n", before.version)
    edit(notes, "memory/new.md", "# New\n", None)
    assert (notes.folder / "MEMORY.md").read_text() == "# New\n"
    assert (notes.folder / "memory/new.md").stat().st_nlink == 1
    assert leftovers(notes) == []


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/passwd", "x.md", "memory/.hidden.md", "memory/a.txt"]
)
def test_only_notes_can_be_edited(notes: Workspace, path: str) -> None:
    with pytest.raises(PathRefused):
        edit(notes, path, "x", None)


def test_links_are_not_followed(notes: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (notes.folder / "memory" / "link.md").symlink_to(secret)
    with pytest.raises((PathRefused, NoteNotFound, NoteChanged)):
        edit(notes, "memory/link.md", "x", None)
    (notes.folder / "memory" / "out").symlink_to(tmp_path)
    with pytest.raises((PathRefused, NoteNotFound)):
        edit(notes, "memory/out/new.md", "x", None)
    assert secret.read_text() == "secret"
    assert not (tmp_path / "new.md").exists()


def test_extra_paths_are_only_read(tmp_path: Path) -> None:
    for name in ("ws/memory", "more"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "more" / "a.md").write_text("a")
    notes = open_workspace(tmp_path / "ws", [str(tmp_path / "more")])
    note = read_whole(notes, str(tmp_path / "more" / "a.md"))
    assert not note.editable
    with pytest.raises(PathRefused):
        edit(notes, note.path, "b", note.version)


def test_permissions_stay(notes: Workspace) -> None:
    file = notes.folder / "MEMORY.md"
    file.chmod(0o640)
    edit(notes, "MEMORY.md", "new", read_whole(notes, "MEMORY.md").version)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_what_no_note_can_hold_is_refused(notes: Workspace, text: str) -> None:
    with pytest.raises(WorkspaceError):
        edit(notes, "MEMORY.md", text, read_whole(notes, "MEMORY.md").version)
    assert (notes.folder / "MEMORY.md").read_text() == "# Memory\n"


def test_utf_16_is_not_edited(notes: Workspace) -> None:
    (notes.folder / "MEMORY.md").write_text("# Memory\n", encoding="utf-16")
    note = read_whole(notes, "MEMORY.md")
    assert not note.editable
    with pytest.raises(WorkspaceError, match="UTF-16"):
        edit(notes, "MEMORY.md", "x", note.version)


def test_the_mark_and_the_line_endings_stay(notes: Workspace) -> None:
    file = notes.folder / "MEMORY.md"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    edit(notes, "MEMORY.md", "one\nthree\n", read_whole(notes, "MEMORY.md").version)
    assert file.read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"


def test_lines_of_a_mixed_file_keep_their_endings(notes: Workspace) -> None:
    """Otherwise a diff would show lines that nobody touched."""
    file = notes.folder / "MEMORY.md"
    file.write_bytes(b"one\r\ntwo\nthree\r\nfour\n")
    edit(notes, "MEMORY.md", "one\ntwo\nnew\nthree\nfour\n", read_whole(notes, "MEMORY.md").version)
    assert file.read_bytes() == b"one\r\ntwo\nnew\nthree\r\nfour\n"


@given(st.text(alphabet="ab\r\n", max_size=30), st.text(alphabet="ab\n", max_size=30))
def test_the_text_is_what_was_written_up_to_line_endings(old: str, new: str) -> None:
    written = editing._encoded(new, old.encode()).decode()
    assert written.replace("\r\n", "\n") == new


@given(st.text(alphabet="ab\r\n\ufeff", max_size=30))
def test_saving_what_was_read_changes_nothing(old: str) -> None:
    """A text field gives back every line ending as a newline; lone returns are lost at most."""
    data = old.replace("\r\n", "\n").replace("\r", "").replace("\n", "\r\n").encode()
    shown = data.decode("utf-8-sig").replace("\r\n", "\n")
    assert editing._encoded(shown, data) == data


def test_edits_and_appends_at_once_lose_nothing(notes: Workspace) -> None:
    """Both take the same lock; an edit of an outdated version is refused, never merged by force."""
    from memdown.notes import append

    locks = notes.folder.parent / "locks"

    def add(name: str) -> None:
        for number in range(20):
            append(notes, "memory/log.md", f"{name}{number}", title="Log", lock_dir=locks)

    append(notes, "memory/log.md", "start", title="Log", lock_dir=locks)
    threads = [threading.Thread(target=add, args=(name,)) for name in "xy"]
    for thread in threads:
        thread.start()
    edits = 0
    while any(thread.is_alive() for thread in threads) or not edits:
        note = read_whole(notes, "memory/log.md")
        try:
            edit(notes, "memory/log.md", note.text + f"- edit {edits}\n", note.version)
            edits += 1
        except NoteChanged:
            continue
    for thread in threads:
        thread.join()
    text = (notes.folder / "memory/log.md").read_text()
    for expected in [f"{name}{number}" for name in "xy" for number in range(20)]:
        assert text.count(f"- {expected}\n") == 1
    for number in range(edits):
        assert f"- edit {number}\n" in text
