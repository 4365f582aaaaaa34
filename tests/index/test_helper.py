"""A second process that finds terms and makes vectors: the index is the same to the byte, whatever happens to it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw
import pytest

from memdown import Memory, Progress
from memdown.index import embedding, helper, pipeline
from memdown.index.sqlite.connection import connect
from waiting import eventually

LINES = (
    "- Nora: did you see the invoice of 2026-03-01 at 10:30?",
    "**Fahim Khan:** I'm Fahim, and CI (continuous integration) ran 3 times last week",
    "小明： 我是小明。多么美好的一天",
    "see `docs/a b/c.md` and https://example.org/a_b",
    "Πού είναι το κλειδί; 😀 คุณวรวิทย์",
    "## Garden > shed",
)
COLUMNS = {
    "chunks": "number, key, id, path, hash, text, embedding, headings, passages, lines",
    "files": "id, path, source, hash, date, problem, tags, names",
    "segments": "segment, part, number, data",
    "manifest": "*",
    "chunks_fts_data": "*",
    "chunks_vec_vector_chunks00": "*",
    "chunks_vec_rowids": "*",
}


_alone: dict[str, list[object]] = {}


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few notes are many portions, and there are cores enough."""
    for name in ("_MOST_CHUNKS_A_SHARE", "_CHUNKS_A_BATCH"):
        monkeypatch.setattr(pipeline, name, 30)
    monkeypatch.setattr(helper, "_cores", lambda: 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    for note in range(40):
        lines = [f"{LINES[n % len(LINES)]} {note} word{note * n} of it" for n in range(note * 4)]
        text = "\n".join(lines) + "\n"
        (workspace / f"memory/note{note}.md").write_text(text, "utf-8")
    return workspace


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(number) for one in found for number in one.read_text().split()]


def helpers(process: int | None = None) -> list[int]:
    """The processes of this kind that a process, or this one, has started."""
    found = []
    for child in children(process or os.getpid()):
        with suppress(OSError):
            if b"memdown.index.helper" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def indexed(
    folder: Path,
    state: Path,
    progress: Callable[[Progress], None] | None = None,
    *,
    force: bool = False,
) -> dict[str, list[object]]:
    """All that is in a new index but for times."""
    with Memory.open(folder, state_dir=state) as memory:
        report = memory.sync(progress=progress)
        if force:
            report = memory.sync(force=True, progress=progress)
        assert not report.failed
        assert report.chunks > 150
    with closing(connect(state / "memory/main.sqlite", read_only=True)) as db:
        return {table: rows(db, f"SELECT {what} FROM {table}") for table, what in COLUMNS.items()}


def rows(db: apsw.Connection, sql: str) -> list[object]:
    return list(db.execute(sql))


@pytest.fixture
def alone(folder: Path, tmp_path: Path) -> dict[str, list[object]]:
    """The index that one process makes, once for all tests."""
    if not _alone:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(helper, "_cores", lambda: 1)
            _alone.update(indexed(folder, tmp_path / "alone"))
    return dict(_alone)


@pytest.mark.parametrize("force", [False, True])
def test_two_processes_make_the_same_index(
    folder: Path,
    tmp_path: Path,
    alone: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
    force: bool,
) -> None:
    """And all of it is made by the second one, which is gone afterwards."""
    monkeypatch.delattr(embedding, "add_up")
    seen: set[int] = set()
    files = len(os.listdir("/proc/self/fd"))
    made = indexed(folder, tmp_path / "two", lambda _: seen.update(helpers()), force=force)
    assert len(seen) == 1 + force
    assert helpers() == []
    assert len(os.listdir("/proc/self/fd")) <= files
    if force:
        # A rebuild has segments of higher numbers.
        made["segments"] = [tuple(row)[1:] for row in made["segments"]]  # type: ignore[arg-type]
        alone["segments"] = [tuple(row)[1:] for row in alone["segments"]]  # type: ignore[arg-type]
        made["manifest"] = alone["manifest"]
    assert made == alone


@pytest.mark.parametrize(
    ("number", "after"),
    [
        (signal.SIGKILL, 1),
        (signal.SIGKILL, 22),
        (signal.SIGKILL, 38),
        (signal.SIGTERM, 30),
        (signal.SIGSTOP, 22),
    ],
)
def test_whoever_ends_or_freezes_it_the_index_is_the_same(
    folder: Path,
    tmp_path: Path,
    alone: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    after: int,
) -> None:
    monkeypatch.setattr(helper, "_ANSWER_SECONDS", 0.5)

    def hit(progress: Progress) -> None:
        if progress.completed == after:
            for process in helpers():
                os.kill(process, number)

    assert indexed(folder, tmp_path / "two", hit) == alone
    assert helpers() == []


def test_it_goes_by_its_input_and_not_by_ctrl_c(
    folder: Path,
    tmp_path: Path,
    alone: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(embedding, "add_up")

    def hit(progress: Progress) -> None:
        # By then it has answered once, so that it is beyond its start.
        if progress.completed > 30:
            for process in helpers():
                os.kill(process, signal.SIGINT)

    assert indexed(folder, tmp_path / "two", hit) == alone


NONSENSE = {
    "ends at once": "",
    "says nothing and ends": "os.read(0, 1)",
    "answers with what it was asked": "\nwhile number := os.read(0, 1): os.write(1, number)",
    "answers another portion": "\nwhile number := os.read(0, 1): os.write(1, b'x')",
    "answers with nothing": """
while number := os.read(0, 1):
    os.ftruncate(int(sys.argv[-3:][number[0]]), 0)
    os.write(1, number)""",
    "answers with anything": """
while number := os.read(0, 1):
    os.pwrite(int(sys.argv[-3:][number[0]]), os.urandom(5000), 8)
    os.write(1, number)""",
}


@pytest.mark.parametrize("what", NONSENSE)
def test_a_process_that_does_something_else_is_not_believed(
    folder: Path,
    tmp_path: Path,
    alone: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    program = tmp_path / "python-that-is-none"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{NONSENSE[what]}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with caplog.at_level(logging.INFO, "memdown"):
        assert indexed(folder, tmp_path / "two") == alone
    assert "The second process of the index is lost" in caplog.text


@pytest.mark.parametrize("program", ["", "/nowhere/python3", "/bin/false"])
def test_without_a_python_to_start_one_process_does_it(
    folder: Path,
    tmp_path: Path,
    alone: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
    program: str,
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    assert indexed(folder, tmp_path / "two") == alone


def test_few_notes_are_left_to_one_process(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    with Memory.open(folder, state_dir=tmp_path / "state") as memory:
        memory.sync()
        (folder / "memory/note3.md").write_text("One line more.\n")
        memory.sync(progress=lambda _: seen.extend(helpers()))
    assert seen == []


def test_it_has_no_secret_in_its_environment(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "a-key-of-somebody")
    said: list[bytes] = []

    def look(_: Progress) -> None:
        said.extend(Path(f"/proc/{process}/environ").read_bytes() for process in helpers())

    indexed(folder, tmp_path / "state", look)
    assert any(b"PYTHONPATH=" in one for one in said)
    assert not any(b"a-key-of-somebody" in one or b"KEY" in one for one in said)


SYNC = """
import os, sys, time
from memdown import Memory
from memdown.index import helper, pipeline
pipeline._MOST_CHUNKS_A_SHARE = pipeline._CHUNKS_A_BATCH = 30
helper._cores = lambda: 2
def progress(one):
    if one.completed == 30:
        if sys.argv[3] == "forks" and not os.fork():
            os.close(1), os.close(2)
            time.sleep(60)
            os._exit(0)
        print("half", flush=True)
        time.sleep(60)
with Memory.open(sys.argv[1], state_dir=sys.argv[2]) as memory:
    memory.sync(progress=progress)
"""


@contextmanager
def syncing(folder: Path, state: Path, how: str = "") -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of making an index."""
    process = subprocess.Popen(
        [sys.executable, "-c", SYNC, str(folder), str(state), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    yield process
    process.kill()
    process.communicate()


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_the_process_that_started_it(
    folder: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """And the next sync goes on from there."""
    with syncing(folder, tmp_path / "state") as process:
        (second,) = helpers(process.pid)
        process.send_signal(number)
        process.wait(60)
        eventually(lambda: not is_there(second), what="the end of the second process")
    with Memory.open(folder, state_dir=tmp_path / "state") as memory:
        report = memory.sync()
        assert report.complete
        assert report.indexed + report.unchanged == 40
        assert memory.index.check() == []


def test_a_fork_that_has_its_input_open_does_not_keep_it(folder: Path, tmp_path: Path) -> None:
    with syncing(folder, tmp_path / "state", "forks") as process:
        (second,) = helpers(process.pid)
        (fork,) = set(children(process.pid)) - {second}
        process.kill()
        process.wait(60)
        eventually(lambda: not is_there(second), what="the end of the second process")
        assert is_there(fork)
        os.kill(fork, signal.SIGKILL)
