"""What is remembered stands in the note, whole, and nothing else in it changes."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.errors import PathRefused, WorkspaceError
from memdown.notes import (
    Workspace,
    append,
    decode,
    excerpt,
    open_workspace,
    read_note,
    remember,
    repair,
    scan,
)
from memdown.notes.document import heading_paths
from memdown.notes.pending import Intent, lock_file, locked, record
from memdown.types import Citation

TODAY = datetime.date(2026, 3, 1)
LOG = "memory/2026-03-01.md"
Remember = Callable[..., Citation]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace").mkdir()
    return open_workspace(tmp_path / "workspace")


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "state/locks"


@pytest.fixture
def note(workspace: Workspace, locks: Path) -> Remember:
    """Remember a text, for today unless told otherwise."""

    def write(text: str, *, durable: bool = False) -> Citation:
        return remember(workspace, text, durable=durable, today=TODAY, lock_dir=locks)

    return write


def test_a_new_daily_log(workspace: Workspace, note: Remember) -> None:
    citation = note("We bought the ER-605 router.")

    text = (workspace.folder / LOG).read_text()
    assert text == "# 2026-03-01\n\n- We bought the ER-605 router.\n"
    assert str(citation) == "memory/2026-03-01.md#L3-L3"


def test_a_new_curated_note(workspace: Workspace, note: Remember) -> None:
    citation = note("Prefers tea.", durable=True)

    assert (workspace.folder / "MEMORY.md").read_text() == "# Memory\n\n- Prefers tea.\n"
    assert citation == Citation("MEMORY.md", 3, 3)


def test_the_curated_note_may_be_spelled_small(workspace: Workspace, note: Remember) -> None:
    (workspace.folder / "memory.md").write_text("# Mine\n")

    assert note("Prefers tea.", durable=True).path == "memory.md"
    assert len(list(workspace.folder.iterdir())) == 1


def test_entries_follow_each_other(workspace: Workspace, note: Remember) -> None:
    note("one")
    note("two\nmore of two\n\n  and indented")
    citation = note("three")

    text = (workspace.folder / LOG).read_text()
    assert text == ("# 2026-03-01\n\n- one\n- two\n  more of two\n\n    and indented\n- three\n")
    assert citation == Citation(LOG, 8, 8)


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("", "# 2026-03-01\n\n- new\n", 3),
        ("text", "text\n\n- new\n", 3),
        ("text\n", "text\n\n- new\n", 3),
        ("text\n\n", "text\n\n- new\n", 3),
        ("- old", "- old\n- new\n", 2),
        ("- old\n", "- old\n- new\n", 2),
        ("a\r\n- old\r\n", "a\r\n- old\r\n- new\r\n", 3),
        ("a\r\n- old", "a\r\n- old\r\n- new\r\n", 3),
        ("a\r\ntext\r\n", "a\r\ntext\r\n\r\n- new\r\n", 4),
        ("\n", "\n- new\n", 2),
        ("x" * 9000 + "\n", "x" * 9000 + "\n\n- new\n", 3),
    ],
)
def test_a_fresh_line_in_the_style_of_the_file(
    workspace: Workspace, note: Remember, before: str, after: str, line: int
) -> None:
    path = workspace.folder / LOG
    path.parent.mkdir()
    path.write_bytes(before.encode())

    citation = note("new")

    assert path.read_bytes().decode() == after
    assert citation == Citation(LOG, line, line)


@pytest.mark.parametrize(
    "text", ["## Decisions\n- a\n- b", "1. first", "> quoted", "```\ncode\n```", "| a | b |"]
)
def test_markdown_is_kept_as_it_is(workspace: Workspace, note: Remember, text: str) -> None:
    citation = note(text)

    assert (workspace.folder / LOG).read_text() == f"# 2026-03-01\n\n{text}\n"
    assert citation == Citation(LOG, 3, 3 + text.count("\n"))


@settings(max_examples=100, deadline=None)
@given(
    st.text(alphabet="ab-# \r\n\t", max_size=30),
    st.text(min_size=1) | st.text(alphabet="a\n\r\0-# ", min_size=1),
)
def test_the_citation_names_exactly_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, before: str, text: str
) -> None:
    """Whatever stood there stays, byte for byte, and the cited lines are the entry."""
    top = tmp_path_factory.mktemp("top")
    old = before.encode()
    (top / "MEMORY.md").write_bytes(old)
    workspace = open_workspace(top)
    try:
        cited = remember(workspace, text, durable=True, today=TODAY, lock_dir=top / "locks")
    except WorkspaceError:
        assert (top / "MEMORY.md").read_bytes() == old
        return
    data, _ = read_note(workspace, "MEMORY.md")
    assert data.startswith(old)
    lines = cited.end_line - cited.start_line + 1
    shown = excerpt(decode(data, cited.path), cited.path, cited.start_line, lines)
    assert shown.end_line == shown.total_lines
    assert squeezed(shown.text) in (squeezed(text), f"-{squeezed(text)}")


def squeezed(text: str) -> str:
    """What must survive of a text: all but white space, controls and lone surrogates."""
    kept = (c for c in text if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(kept)


def test_a_heading_in_a_text_takes_nothing_with_it(workspace: Workspace, note: Remember) -> None:
    """What is written later does not stand below it; in code a `#` is none."""
    note("We agreed:\n# Plan\n```sh\n# comment\n```\n#tag\n")
    note("Ana likes tea")
    text = (workspace.folder / LOG).read_text()
    assert text == (
        "# 2026-03-01\n\n- We agreed:\n      # Plan\n  ```sh\n  # comment\n  ```\n  #tag\n- Ana likes tea\n"
    )
    lines = text.split("\n")
    assert [path for _, path in heading_paths(lines)] == ["2026-03-01"]


def test_what_no_note_can_hold_is_left_out(workspace: Workspace, note: Remember) -> None:
    note("a\0b\x1b[31m\udce4c\x85\rnext")

    assert (workspace.folder / LOG).read_text() == "# 2026-03-01\n\n- ab[31mc\n  next\n"


@pytest.mark.parametrize("text", ["", " \n\t", "\0\udce4"])
def test_an_empty_text(workspace: Workspace, note: Remember, text: str) -> None:
    with pytest.raises(WorkspaceError, match="empty"):
        note(text)
    assert scan(workspace).files == {}


def test_too_large_a_text(workspace: Workspace, note: Remember) -> None:
    note("x" * 256 * 1024)
    with pytest.raises(WorkspaceError, match="256 KB"):
        note("ü" * 128 * 1024 + "x")


def test_nothing_is_added_to_utf16(workspace: Workspace, note: Remember) -> None:
    path = workspace.folder / "MEMORY.md"
    path.write_bytes("# Memory\n".encode("utf-16"))
    before = path.read_bytes()

    with pytest.raises(WorkspaceError, match="UTF-16"):
        note("new", durable=True)
    assert path.read_bytes() == before


def test_any_note_of_the_workspace_can_be_appended_to(workspace: Workspace, locks: Path) -> None:
    cited = append(workspace, "memory/home/network.md", "ER-605", title="Network", lock_dir=locks)

    assert cited == Citation("memory/home/network.md", 3, 3)
    assert (workspace.folder / cited.path).read_text() == "# Network\n\n- ER-605\n"


@pytest.mark.parametrize("path", ["../x.md", "x.md", "memory/x.txt", "/etc/x.md", "memory/.x.md"])
def test_nothing_is_written_outside(workspace: Workspace, locks: Path, path: str) -> None:
    with pytest.raises(PathRefused):
        append(workspace, path, "text", title="", lock_dir=locks)


def test_extra_paths_are_only_read(workspace: Workspace, locks: Path) -> None:
    (workspace.folder / "docs").mkdir()
    (workspace.folder / "docs/a.md").write_text("text")

    with pytest.raises(PathRefused, match="only read"):
        append(
            open_workspace(workspace.folder, ["docs"]), "docs/a.md", "x", title="", lock_dir=locks
        )


def test_a_folder_of_memory_stays_writable_when_it_is_an_extra_path_too(
    workspace: Workspace, locks: Path
) -> None:
    both = open_workspace(workspace.folder, ["memory/home", "."])

    assert append(both, "memory/home/a.md", "x", title="A", lock_dir=locks).path


def test_links_and_pipes_are_not_written_to(
    workspace: Workspace, note: Remember, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("outside")
    target = workspace.folder / "MEMORY.md"

    target.symlink_to(outside)
    with pytest.raises(PathRefused, match="symbolic link"):
        note("x", durable=True)
    target.unlink()
    target.symlink_to(tmp_path / "new.md")
    with pytest.raises(PathRefused, match="symbolic link"):
        note("x", durable=True)
    target.unlink()
    os.link(outside, target)
    with pytest.raises(PathRefused, match="hard link"):
        note("x", durable=True)
    target.unlink()
    os.mkfifo(target)
    with pytest.raises(PathRefused, match="regular file"):
        note("x", durable=True)
    target.unlink()
    target.mkdir()
    with pytest.raises(PathRefused, match="regular file"):
        note("x", durable=True)
    (workspace.folder / "memory").symlink_to(tmp_path)
    with pytest.raises(PathRefused, match="symbolic link"):
        note("x")

    assert outside.read_text() == "outside"
    assert not (tmp_path / "new.md").exists()
    assert not (tmp_path / "2026-03-01.md").exists()


def test_a_workspace_that_vanished(workspace: Workspace, note: Remember) -> None:
    workspace.folder.rmdir()

    with pytest.raises(WorkspaceError, match="does not exist"):
        note("x")


def test_a_state_folder_that_is_a_file(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(WorkspaceError, match="lock file"):
        remember(workspace, "x", durable=True, today=TODAY, lock_dir=tmp_path / "file")
    assert scan(workspace).files == {}


def test_the_lock_lies_outside_the_workspace_and_is_private(
    workspace: Workspace, note: Remember, locks: Path
) -> None:
    note("x")

    assert sorted(path.name for path in workspace.folder.iterdir()) == ["memory"]
    [file] = locks.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert locks.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_size == 0


def test_a_writer_that_never_ends_is_named(workspace: Workspace, locks: Path) -> None:
    file = lock_file(workspace.folder, locks)

    with (
        locked(file),
        pytest.raises(WorkspaceError, match="Another process"),
        locked(file, timeout=0.05),
    ):
        pass


LIMITED = """
import datetime, pathlib, resource, sys
from memdown.errors import WorkspaceError
from memdown.notes import open_workspace, remember
folder, locks, limit, text = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
try:
    remember(open_workspace(pathlib.Path(folder)), text, durable=True,
             today=datetime.date(2026, 3, 1), lock_dir=pathlib.Path(locks))
except WorkspaceError as error:
    print(error)
"""


def remember_limited(workspace: Workspace, locks: Path, limit: int, text: str) -> str:
    """Remember in a process whose files cannot grow past `limit`, as on a disk that is full."""
    arguments = [str(workspace.folder), str(locks), str(limit), text]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_full_disk_leaves_the_note_as_it_was(workspace: Workspace, locks: Path) -> None:
    """The first part of the entry still fits, so it is written and has to be taken back."""
    path = workspace.folder / "MEMORY.md"
    path.write_text("- old\n" * 1000)
    before = path.read_bytes()

    said = remember_limited(workspace, locks, len(before) + 100, "new " * 100)

    assert "no space left to write MEMORY.md, and nothing was changed" in said
    assert path.read_bytes() == before
    remember(workspace, "later", durable=True, today=TODAY, lock_dir=locks)
    assert path.read_bytes() == before + b"- later\n"


def test_a_full_disk_leaves_no_new_note(workspace: Workspace, locks: Path) -> None:
    said = remember_limited(workspace, locks, 10, "new " * 100)

    assert "no space left" in said
    assert list(workspace.folder.iterdir()) == []


@pytest.mark.parametrize("cut", [1, 9, 20, 30])
def test_what_was_cut_off_is_completed(workspace: Workspace, locks: Path, cut: int) -> None:
    data = "- a new entry: Grüße 🌱\n".encode()
    path = workspace.folder / "MEMORY.md"
    path.write_bytes(b"# Memory\n" + data[:cut])
    with locked(lock_file(workspace.folder, locks)) as lock:
        record(lock, Intent("MEMORY.md", 9, data))

    repair(workspace, locks)

    assert path.read_bytes() == b"# Memory\n" + data


@pytest.mark.parametrize(
    "content",
    ["# Memory\n", "# Memory\n- edited by hand\n", "# Memory\n- a new en, edited", "", None],
)
def test_a_note_that_went_on_is_left_alone(
    workspace: Workspace, locks: Path, content: str | None
) -> None:
    """Nothing was written, or somebody cleaned up meanwhile."""
    path = workspace.folder / "MEMORY.md"
    if content is not None:
        path.write_text(content)
    with locked(lock_file(workspace.folder, locks)) as lock:
        record(lock, Intent("MEMORY.md", 9, b"- a new entry\n"))

    repair(workspace, locks)

    assert (path.read_text() if path.exists() else None) == content
    assert lock_file(workspace.folder, locks).stat().st_size == 0


@pytest.mark.parametrize(
    "junk", [b"{", b"[]", b"\0\0\0", b'{"path": 1}', b'{"path":"../x.md","offset":0,"text":"a"}']
)
def test_a_broken_record_is_dropped(
    workspace: Workspace, locks: Path, note: Remember, junk: bytes
) -> None:
    locks.mkdir(parents=True)
    lock_file(workspace.folder, locks).write_bytes(junk)

    note("x", durable=True)

    assert (workspace.folder / "MEMORY.md").read_text() == "# Memory\n\n- x\n"


def test_repair_writes_nothing_where_nothing_was_written(workspace: Workspace, locks: Path) -> None:
    repair(workspace, locks)

    assert not locks.exists()
