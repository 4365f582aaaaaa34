"""A watcher that was asleep, whose root was replaced, on a system with hardly any watches."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.figures import Campaign
from faults.stage import WORKER, contents, staged
from faults.worker import open_memory
from waiting import eventually

FOLDERS = 60
LIMITED = 'echo 50 > /proc/sys/user/max_inotify_watches; exec "$@"'


def write_files(folder: Path, count: int, text: str) -> None:
    for number in range(FOLDERS):
        (folder / f"memory/d{number}").mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"memory/d{number % FOLDERS}/n{number}.md").write_text(f"{text} {number}\n")


def wait_until_fresh(
    folder: Path, state: Path, count: int, process: subprocess.Popen[bytes]
) -> float:
    start = time.monotonic()
    with open_memory(folder, state) as memory:

        def is_fresh() -> bool:
            assert process.poll() is None
            asked = time.monotonic()
            status = memory.status()
            if not status.dirty and sum(status.store.files.values()) == count:
                return True
            # Looking at all files takes a while too; the watcher shall have the most of the time.
            time.sleep(3 * (time.monotonic() - asked))
            return False

        eventually(is_fresh, 1200.0, pause=0.05, what="a fresh index")
    return time.monotonic() - start


def sleep_through_changes(top: Path, count: int, campaign: Campaign) -> float:
    done = campaign(f"files change while the watcher sleeps, 50 watches for {FOLDERS} folders")
    with staged(top) as stage:
        shutil.rmtree(stage.folder / "memory")
        write_files(stage.folder, count, "first text")
        output = (top / "watch-output").open("wb")
        process = subprocess.Popen(
            [
                *("unshare", "--user", "--map-root-user", "sh", "-c", LIMITED, "sh"),
                *(sys.executable, WORKER, "watch", stage.folder, stage.state),
            ],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(WORKER.parent.parent)},
        )
        try:
            wait_until_fresh(stage.folder, stage.state, count + 1, process)
            with stage.memory() as memory:

                def is_scanning() -> bool:
                    assert process.poll() is None, (top / "watch-output").read_text()
                    return "scanning" in (memory.status().watcher or "")

                eventually(is_scanning, pause=0.05)
            process.send_signal(signal.SIGSTOP)
            (stage.folder / "memory").rename(top / "replaced")
            write_files(stage.folder, count, "second text, which is another one,")
            process.send_signal(signal.SIGCONT)
            seconds = wait_until_fresh(stage.folder, stage.state, count + 1, process)
            with stage.memory() as memory:
                watcher = memory.status().watcher
        finally:
            process.kill()
            process.wait()
            output.close()
        assert "watch limit" in (watcher or "")
        with stage.memory() as memory:
            assert memory.index.check() == []
        with open_memory(stage.folder, top / "fresh") as memory:
            memory.sync()
        assert contents(stage.index) == contents(top / "fresh/memory/main.sqlite")
    done(
        f"{count:,} files, folder replaced",
        f"the index equals the files after {seconds:.1f} s; `status` tells that it scans",
    )
    return seconds


def test_a_sleeping_watcher(tmp_path: Path, campaign: Campaign) -> None:
    sleep_through_changes(tmp_path, 300, campaign)


@pytest.mark.long
def test_forty_thousand_files_behind_a_sleeping_watcher(tmp_path: Path, campaign: Campaign) -> None:
    assert sleep_through_changes(tmp_path, 40_000, campaign) < 180.0


@pytest.mark.long
def test_twenty_thousand_unrelated_files(tmp_path: Path, campaign: Campaign) -> None:
    """Beside the notes there may be a whole project; watching must not grow with it."""
    done = campaign("a large project beside the watched notes")
    with staged(tmp_path) as stage:
        for number in range(20_000):
            place = stage.folder / f"project/d{number % 500}/f{number}.md"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("not a note\n")
        process = stage.start("watch")
        try:
            with stage.memory() as memory:

                def is_watching() -> bool:
                    assert process.poll() is None
                    return (memory.status().watcher or "").startswith("by file events")

                eventually(is_watching, pause=0.05)
            descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
            infos = Path(f"/proc/{process.pid}/fdinfo").glob("*")
            watches = sum(info.read_text().count("inotify wd:") for info in infos)
        finally:
            stage.stop()
    assert descriptors < 40
    assert watches < 10
    done("20,000 files", f"{descriptors} descriptors, {watches} watches")


def test_a_growing_note_does_not_put_a_sync_off_for_ever(tmp_path: Path) -> None:
    """Quiet time is waited for, but not without end."""
    with staged(tmp_path) as stage:
        process = stage.start("watch")
        note = stage.folder / "memory/growing.md"
        with stage.memory() as memory:

            def grow() -> bool:
                assert process.poll() is None
                with note.open("a") as file:
                    file.write("one more line\n")
                return "memory/growing.md" in memory.index.store.files()

            eventually(grow)
