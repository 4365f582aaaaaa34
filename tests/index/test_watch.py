"""Watching: every way in which notes change is noticed, and what is not a note costs nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown import Memory, SyncReport
from memdown.config import load_settings
from memdown.index import watch as watching
from memdown.testing import HashEmbedder
from waiting import eventually

WriteNotes = Callable[[dict[str, str]], Path]
CONFIG = "{agents: {defaults: {memorySearch: {sync: {watchDebounceMs: 50%s}}}}}"


@pytest.fixture
def folder(write_notes: WriteNotes) -> Path:
    return write_notes({"MEMORY.md": "Memory.\n", "memory/a.md": "Alpha.\n"})


class Watched:
    """A memory that is being watched in a thread, and what it reported."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.stop = threading.Event()
        self.reports: list[SyncReport] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        for report in self.memory.watch(self.stop):
            self.reports.append(report)

    def until(self, holds: Callable[[set[str]], bool]) -> set[str]:
        """Wait until the set of indexed files is as it should be."""

        def indexed() -> set[str] | None:
            assert self._thread.is_alive()
            files = set(self.memory.index.store.files())
            return files if holds(files) else None

        found = eventually(indexed, pause=0.05)
        assert found is not None
        return found

    def until_changed(self, path: str, digest: str) -> None:
        """Wait until a file is indexed with another text."""
        self.until(lambda _: self.memory.index.store.files()[path].digest != digest)

    def end(self) -> None:
        self.stop.set()
        self._thread.join()


@pytest.fixture
def watch(folder: Path, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    started: list[Watched] = []

    def start(more: str = "") -> Watched:
        config = tmp_path / "watch.json5"
        config.write_text(CONFIG % more)
        settings = load_settings(workspace=folder, config=config)
        memory = Memory.from_settings(settings, embedder=HashEmbedder())
        watched = Watched(memory)
        started.append(watched)
        watched.until(lambda files: "memory/a.md" in files and settled(memory))
        return watched

    yield start
    for watched in started:
        watched.end()
        watched.memory.close()


def settled(memory: Memory) -> bool:
    return memory.status().watcher is not None


def test_new_changed_and_removed_notes(watch: Callable[..., Watched], folder: Path) -> None:
    watched = watch()
    (folder / "memory/b.md").write_text("Beta.\n")
    watched.until(lambda files: "memory/b.md" in files)
    (folder / "memory/b.md").unlink()
    watched.until(lambda files: "memory/b.md" not in files)
    before = watched.memory.index.store.files()["MEMORY.md"].digest
    (folder / "MEMORY.md").write_text("Memory, changed.\n")
    watched.until(lambda _: watched.memory.index.store.files()["MEMORY.md"].digest != before)


def test_editors_that_write_by_rename(watch: Callable[..., Watched], folder: Path) -> None:
    watched = watch()
    for number in range(3):
        before = watched.memory.index.store.files()["memory/a.md"].digest
        temporary = folder / "memory/.a.md.swp"
        temporary.write_text(f"Alpha, version {number}.\n")
        temporary.rename(folder / "memory/a.md")
        watched.until_changed("memory/a.md", before)


def test_folders_moved_in_and_changed_later(
    watch: Callable[..., Watched], folder: Path, tmp_path: Path
) -> None:
    watched = watch()
    (tmp_path / "elsewhere/deep").mkdir(parents=True)
    (tmp_path / "elsewhere/deep/c.md").write_text("Gamma.\n")
    (tmp_path / "elsewhere").rename(folder / "memory/moved")
    watched.until(lambda files: "memory/moved/deep/c.md" in files)
    (folder / "memory/moved/deep/d.md").write_text("Delta.\n")
    watched.until(lambda files: "memory/moved/deep/d.md" in files)


def test_a_root_that_is_deleted_and_made_again(watch: Callable[..., Watched], folder: Path) -> None:
    watched = watch()
    shutil.rmtree(folder / "memory")
    watched.until(lambda files: files == {"MEMORY.md"})
    (folder / "memory").mkdir()
    (folder / "memory/e.md").write_text("Epsilon.\n")
    watched.until(lambda files: "memory/e.md" in files)
    (folder / "memory/f.md").write_text("Phi.\n")
    watched.until(lambda files: "memory/f.md" in files)


def test_a_workspace_that_goes_and_comes_back(watch: Callable[..., Watched], folder: Path) -> None:
    """An unplugged disk is reported, and forgets nothing."""
    watched = watch()
    folder.rename(folder.with_name("away"))
    watched.until(
        lambda _: any("does not exist" in f.reason for r in watched.reports for f in r.failed)
    )
    assert set(watched.memory.index.store.files()) == {"MEMORY.md", "memory/a.md"}
    folder.with_name("away").rename(folder)
    (folder / "memory/back.md").write_text("Back.\n")
    watched.until(lambda files: "memory/back.md" in files)


def test_an_extra_folder_that_comes_later(
    watch: Callable[..., Watched], folder: Path, tmp_path: Path
) -> None:
    extra = tmp_path / "extra"
    watched = watch(f"}}, extraPaths: ['{extra}'], chunking: {{tokens: 400")
    extra.mkdir()
    (extra / "g.md").write_text("Eta.\n")
    watched.until(lambda files: str(extra / "g.md") in files)


def test_an_ignore_file_counts_as_a_change(watch: Callable[..., Watched], folder: Path) -> None:
    watched = watch()
    (folder / ".memdownignore").write_text("memory/a.md\n")
    watched.until(lambda files: files == {"MEMORY.md"})
    (folder / ".memdownignore").unlink()
    watched.until(lambda files: "memory/a.md" in files)


def test_unrelated_files_are_not_watched(watch: Callable[..., Watched], folder: Path) -> None:
    """A workspace may be a project with any number of folders beside the notes."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for number in range(300):
        (folder / f"project/p{number}").mkdir(parents=True)
        (folder / f"project/p{number}/x.md").write_text("not a note\n")
    watched = watch()
    places = watched.memory.index.syncer.sources.watched_folders()
    assert not [place for place in places if "project" in str(place)]
    if before:
        assert len(os.listdir("/proc/self/fd")) < before + 20


def test_without_events_it_scans_and_says_so(
    watch: Callable[..., Watched], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def refuse(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError("OS file watch limit reached. about [x]")

    monkeypatch.setattr(watchfiles, "watch", refuse)
    monkeypatch.setattr(watching, "_SCAN_SECONDS", 0.1)
    watched = watch()
    watched.until(lambda _: "watch limit" in (watched.memory.status().watcher or ""))
    (folder / "memory/h.md").write_text("Theta.\n")
    watched.until(lambda files: "memory/h.md" in files)
    assert watched.memory.status().watcher == (
        "scanning, because folders cannot be watched (OS file watch limit reached), "
        f"process {os.getpid()}"
    )


def test_one_bad_note_is_reported_once(watch: Callable[..., Watched], folder: Path) -> None:
    watched = watch()
    (folder / "memory/bad.md").write_bytes(b"\0\1\2" * 50)
    watched.until(lambda _: any(report.failed for report in watched.reports))
    (folder / "memory/i.md").write_text("Iota.\n")
    watched.until(lambda files: "memory/i.md" in files)
    assert len([r for r in watched.reports if r.failed and not r.indexed]) == 1


def test_nobody_watches(folder: Path) -> None:
    with Memory.open(folder) as memory:
        assert memory.status().watcher is None


def test_the_command_prints_reports_and_ends_on_sigterm(folder: Path, own_state: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "memdown.cli", "watch", "--json", "--workspace", folder],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(read_object(process.stdout))["indexed"] == 2
    (folder / "memory/j.md").write_text("Kappa.\n")
    assert json.loads(read_object(process.stdout))["indexed"] == 1
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    process.stdout.close()


def read_object(lines: Iterator[str]) -> str:
    text = ""
    for line in lines:
        text += line
        if line == "}\n":
            break
    return text


@pytest.mark.parametrize("kind", ["systemd", "launchd"])
def test_a_service_definition(folder: Path, kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memdown.cli", "watch", "--print-unit", kind, "-w", folder],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--quiet" in done.stdout
    assert str(folder) in done.stdout
    assert ("[Service]" in done.stdout) == (kind == "systemd")


def test_paths_with_blanks_are_quoted_in_a_unit(tmp_path: Path) -> None:
    from memdown.cli.services import service_definition

    place = tmp_path / "my 100% notes"
    (place / "memory").mkdir(parents=True)
    unit = service_definition("systemd", load_settings(workspace=place))
    assert f'"{tmp_path}/my 100%% notes"' in unit


def test_clocks_may_jump(watch: Callable[..., Watched], folder: Path) -> None:
    """Times in the future and restored old ones are changes like any other."""
    watched = watch()
    for when in (4_000_000_000, 1):
        before = watched.memory.index.store.files()["memory/a.md"].digest
        (folder / "memory/a.md").write_text(f"Alpha at {when}.\n")
        os.utime(folder / "memory/a.md", (when, when))
        watched.until_changed("memory/a.md", before)
    assert watched.memory.sync().indexed == 0
