"""Notes are read whole and as they are, and nothing else can be read."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memdown.errors import MemdownError, NoteNotFound, PathRefused, WorkspaceError
from memdown.notes import Workspace, append, decode, excerpt, open_workspace, read_note, scan
from memdown.types import Excerpt

SECRET = b"the secret"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Notes amid everything that must not be opened."""
    top = tmp_path_factory.mktemp("top").resolve()
    home = top / "workspace"
    (home / "memory/sub").mkdir(parents=True)
    (home / "memory/.git").mkdir()
    (home / "docs").mkdir()
    (top / "team").mkdir()
    for path in ("MEMORY.md", "memory/a.md", "memory/sub/b.MD", "docs/c.md", "../team/d.md"):
        (home / path).write_bytes(b"note")
    for path in (
        "secret.md",
        "memory/secret.txt",
        "memory/secret",
        "memory/.secret.md",
        "memory/.git/secret.md",
        "../secret.md",
        "../team/secret.txt",
    ):
        (home / path).write_bytes(SECRET)
    (home / "memory/link.md").symlink_to(top / "secret.md")
    (home / "memory/out").symlink_to(top)
    (home / "memory/near.md").symlink_to("a.md")
    os.link(top / "secret.md", home / "memory/hard.md")
    os.mkfifo(home / "memory/fifo.md")
    (home / "memory/folder.md").mkdir()
    return open_workspace(home, ["docs", "../team", "../gone", "memory/out"])


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("MEMORY.md", "MEMORY.md"),
        ("memory.md", "MEMORY.md"),
        ("Memory.MD", "MEMORY.md"),
        ("./MEMORY.md", "MEMORY.md"),
        ("memory/a.md", "memory/a.md"),
        (".//memory/./a.md/", "memory/a.md"),
        ("memory/sub/b.MD", "memory/sub/b.MD"),
        ("docs/c.md", "docs/c.md"),
    ],
)
def test_notes_can_be_read(workspace: Workspace, given: str, path: str) -> None:
    data, state = read_note(workspace, given)

    assert data == b"note"
    assert state.path == path
    assert (state.source, state.size, state.digest) == ("memory", 4, "")


def test_a_note_of_an_extra_path_is_read_by_its_absolute_path(workspace: Workspace) -> None:
    path = f"{workspace.folder.parent}/team/d.md"

    assert read_note(workspace, path)[1].path == path


def test_both_spellings_of_the_curated_note_can_exist(tmp_path: Path) -> None:
    """Only on disks that tell upper from lower case, such as those of Linux."""
    (tmp_path / "MEMORY.md").write_text("upper")
    (tmp_path / "memory.md").write_text("lower")
    workspace = open_workspace(tmp_path)
    same = len(list(tmp_path.iterdir())) == 1

    assert list(scan(workspace).files) == (["MEMORY.md"] if same else ["MEMORY.md", "memory.md"])
    assert read_note(workspace, "memory.md")[0] == b"lower"
    assert read_note(workspace, "MEMORY.md")[0] == (b"lower" if same else b"upper")


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "/",
        ".",
        "..",
        "../secret.md",
        "memory/../secret.md",
        "memory/../../secret.md",
        "memory/..",
        "secret.md",
        "/etc/passwd",
        "/etc/passwd.md",
        "~/secret.md",
        "memory",
        "memory/secret.txt",
        "memory/secret",
        "memory/.secret.md",
        "memory/.git/secret.md",
        "memory/link.md",
        "memory/near.md",
        "memory/out/secret.md",
        "memory/hard.md",
        "memory/fifo.md",
        "memory/folder.md",
        "memory/a.md\0.txt",
        "memory\\a.md",
        "..\\secret.md",
        "memory/\udce4.md",
        "memory/\n.md",
        "docs",
        "docsecret.md",
        "x" * 5000 + ".md",
        "memory/" + "x" * 300 + ".md",
        "memory/" + "d/" * 100 + "x.md",
    ],
)
def test_anything_else_is_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(PathRefused) as refused:
        read_note(workspace, path)

    message = str(refused.value)
    assert message.isprintable()
    assert message.endswith(".")
    assert len(message) < 500


def test_the_absolute_path_of_a_file_beside_the_notes_is_refused(workspace: Workspace) -> None:
    top = workspace.folder.parent
    for path in (f"{top}/secret.md", f"{top}/team/secret.txt", f"{top}/team/../secret.md"):
        with pytest.raises(PathRefused):
            read_note(workspace, path)


@pytest.mark.parametrize(
    "path", ["memory/gone.md", "memory/gone/x.md", "memory/a.md/x.md", "docs/gone.md"]
)
def test_a_missing_note(workspace: Workspace, path: str) -> None:
    with pytest.raises(NoteNotFound, match=f"no note {path}"):
        read_note(workspace, path)


def test_a_missing_curated_note(tmp_path: Path) -> None:
    with pytest.raises(NoteNotFound, match=r"MEMORY\.md"):
        read_note(open_workspace(tmp_path), "MEMORY.md")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    monkeypatch.chdir(tmp_path / "memory")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        with pytest.raises(PathRefused, match="regular file"):
            read_note(open_workspace(tmp_path), "memory/s.md")


FRAGMENTS = st.sampled_from(
    [
        "memory",
        "MEMORY.md",
        "a.md",
        "sub",
        "b.MD",
        "out",
        "link.md",
        "hard.md",
        "fifo.md",
        "docs",
        "c.md",
        "team",
        "d.md",
        "secret.md",
        "secret.txt",
        "..",
        ".",
        "~",
        ".git",
        "\x00",
        "\\",
    ]
)
PATHS = st.text() | st.lists(FRAGMENTS | st.text(max_size=3)).map("/".join)


@settings(max_examples=500, deadline=None)
@given(PATHS, st.booleans())
@example("memory/out/secret.md", False)
@example("team/d.md", True)
def test_any_path_gives_a_note_or_a_clear_error(
    workspace: Workspace, path: str, absolute: bool
) -> None:
    if absolute:
        path = f"{workspace.folder.parent}/{path}"
    try:
        data, _ = read_note(workspace, path)
    except MemdownError as error:
        said = str(error)
    else:
        said = decode(data, path)
        assert said == "note"
    assert said.isprintable()


def test_no_descriptor_is_left_open(workspace: Workspace) -> None:
    before = len(os.listdir("/dev/fd"))
    for path in ("memory/a.md", "memory/link.md", "memory/out/x.md", "memory/gone.md", "docs/c.md"):
        with contextlib.suppress(MemdownError):
            read_note(workspace, path)

    assert len(os.listdir("/dev/fd")) == before


SWAPPING = """
import os, sys
folder, outside = sys.argv[1:]
print("ready", flush=True)
while True:
    os.rename(folder, folder + ".away")
    os.symlink(outside, folder)
    os.unlink(folder)
    os.rename(folder + ".away", folder)
"""


def test_a_link_slipped_in_meanwhile_is_not_followed(tmp_path: Path) -> None:
    """Where a path is checked first and opened later, this reads the secret within moments."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_bytes(SECRET)
    (tmp_path / "workspace/memory/sub").mkdir(parents=True)
    (tmp_path / "workspace/memory/sub/a.md").write_bytes(b"note")
    workspace = open_workspace(tmp_path / "workspace")
    arguments = [str(tmp_path / "workspace/memory/sub"), str(tmp_path / "outside")]
    outcomes = set()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", SWAPPING, *arguments], stdout=subprocess.PIPE
    ) as swapping:
        try:
            assert swapping.stdout
            swapping.stdout.readline()
            for _ in range(5000):
                try:
                    outcomes.add(read_note(workspace, "memory/sub/a.md")[0])
                except (PathRefused, NoteNotFound) as error:
                    outcomes.add(type(error).__name__.encode())
                found = scan(workspace)
                sizes = {state.size for state in found.files.values()}
                assert sizes <= {len(b"note")}
        finally:
            swapping.send_signal(signal.SIGKILL)

    assert SECRET not in outcomes
    assert b"note" in outcomes


@pytest.mark.parametrize("writing", [False, True])
def test_a_hard_link_that_is_gone_at_once_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writing: bool
) -> None:
    """Opened while it is a link, and unlinked before it is looked at, a file has one name again."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / "ws/memory").mkdir(parents=True)
    note = tmp_path / "ws/memory/n.md"
    note.hardlink_to(secret)
    workspace = open_workspace(tmp_path / "ws")
    really_open = os.open

    def open_and_unlink(name: str, flags: int, *more: int, dir_fd: int | None = None) -> int:
        descriptor = really_open(name, flags, *more, dir_fd=dir_fd)
        if name == "n.md" and os.fstat(descriptor).st_nlink > 1:
            note.unlink()
            note.write_text("mine")
        return descriptor

    monkeypatch.setattr(os, "open", open_and_unlink)
    if writing:
        append(workspace, "memory/n.md", "entry", title="N", lock_dir=tmp_path / "locks")
        assert note.read_text().startswith("mine")
        assert "entry" in note.read_text()
    else:
        assert read_note(workspace, "memory/n.md")[0] == b"mine"
    assert secret.read_text() == "secret"


def test_too_large_a_note(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"x" * 1001)
    with (tmp_path / "memory.md").open("wb") as file:
        file.truncate(100_000_000)
    workspace = open_workspace(tmp_path)

    assert len(read_note(workspace, "MEMORY.md", max_bytes=1001)[0]) == 1001
    with pytest.raises(WorkspaceError, match="larger than"):
        read_note(workspace, "MEMORY.md", max_bytes=1000)
    with pytest.raises(WorkspaceError, match=r"memory.md is larger than 34 MB; split it"):
        read_note(workspace, "memory.md")


def test_a_note_that_changes_is_read_whole(tmp_path: Path) -> None:
    """Two versions of equal pages take turns; no read may mix them unless its facts tell so."""
    note = tmp_path / "MEMORY.md"
    versions = [letter * 200_000 for letter in (b"a", b"b")]
    note.write_bytes(versions[0])
    workspace = open_workspace(tmp_path)
    done = threading.Event()

    def change() -> None:
        turn = 0
        with note.open("r+b", buffering=0) as file:
            while not done.is_set():
                turn = 1 - turn
                file.seek(0)
                file.write(versions[turn])

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(20):
            data, state = read_note(workspace, "MEMORY.md")
            mixed = data not in versions
            trusted = state.same_stat(scan(workspace).files["MEMORY.md"])
            if mixed and trusted:
                # Two writes within one tick of the clock: the next one tells.
                time.sleep(0.05)
                trusted = state.same_stat(scan(workspace).files["MEMORY.md"])
            assert not (mixed and trusted)
    finally:
        done.set()
        writer.join()


def test_the_facts_of_a_note_equal_those_of_a_scan(tmp_path: Path) -> None:
    note = tmp_path / "MEMORY.md"
    note.write_text("text")
    workspace = open_workspace(tmp_path)

    assert read_note(workspace, "MEMORY.md")[1] == scan(workspace).files["MEMORY.md"]


def test_a_change_just_after_a_read_shows_in_the_facts(tmp_path: Path) -> None:
    """Of equal length and in the same tick of a coarse clock, it once stayed unseen for ever."""
    note = tmp_path / "MEMORY.md"
    workspace = open_workspace(tmp_path)
    for number in range(10, 30):
        note.write_text(f"router {number}")
        _, state = read_note(workspace, "MEMORY.md")
        note.write_text(f"router {number + 50}")

        assert not state.same_stat(scan(workspace).files["MEMORY.md"])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("Grüße, 日記 🌱\r\n".encode(), "Grüße, 日記 🌱\r\n"),
        (b"\xef\xbb\xbf# Title", "# Title"),
        ("# Title ü".encode("utf-16"), "# Title ü"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "é"),
    ],
)
def test_text_is_decoded(data: bytes, text: str) -> None:
    assert decode(data, "memory/a.md") == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"caf\xe9", "not UTF-8 text"),
        (b"\xed\xa0\x80", "not UTF-8 text"),
        (b"\xff\xfea", "not UTF-8 text"),
        (b"PK\x03\x04\x00\x00", "binary"),
        ("x".encode("utf-32"), "binary"),
        ("x".encode("utf-16-le"), "binary"),
    ],
)
def test_what_is_no_text_is_explained(data: bytes, reason: str) -> None:
    with pytest.raises(WorkspaceError, match=f"memory/a.md.*{reason}"):
        decode(data, "memory/a.md")


@given(st.binary())
def test_any_bytes_are_text_or_a_clear_error(data: bytes) -> None:
    with contextlib.suppress(WorkspaceError):
        decode(data, "memory/a.md").encode("utf-8")


@pytest.mark.parametrize(
    ("start", "lines", "expected"),
    [
        (1, None, Excerpt("a.md", "one\n\nthree", 1, 3, 3)),
        (2, 1, Excerpt("a.md", "", 2, 2, 3)),
        (2, 99, Excerpt("a.md", "\nthree", 2, 3, 3)),
        (4, 2, Excerpt("a.md", "", 4, 3, 3)),
        (10**9, None, Excerpt("a.md", "", 10**9, 10**9 - 1, 3)),
    ],
)
@pytest.mark.parametrize("text", ["one\n\nthree\n", "one\n\nthree", "one\r\n\r\nthree\r\n"])
def test_excerpt(text: str, start: int, lines: int | None, expected: Excerpt) -> None:
    assert excerpt(text, "a.md", start, lines) == expected


def test_an_empty_note_has_no_lines() -> None:
    assert excerpt("", "a.md", 1, 5) == Excerpt("a.md", "", 1, 0, 0)


@pytest.mark.parametrize(("start", "lines"), [(0, 1), (-3, 1), (1, 0), (1, -1)])
def test_lines_that_cannot_be(start: int, lines: int) -> None:
    with pytest.raises(WorkspaceError, match=r"a\.md"):
        excerpt("text", "a.md", start, lines)
