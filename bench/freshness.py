"""What staying fresh costs: a sync with nothing to do, one changed note, and an idle watcher."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from bench.calibration import calibrate, describe
from bench.measure import Timing, middle, save, table, timed
from memdown import Memory

_FILES, _REPEATS = 5_000, 15
_IDLE_SECONDS = 60.0
_FOLDERS = 50


def run(files: int = _FILES) -> None:
    """Index `files` notes of about ten chunks each, then measure what keeping up with them costs."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder, "notes"), Path(folder, "state"), files)


def _measure(notes: Path, state: Path, files: int) -> None:
    _write(notes, files)
    before = calibrate()
    with Memory.open(notes, state_dir=state) as memory:
        chunks = memory.sync().chunks
        rounds = [
            (timed(lambda: bare_scan(str(notes)))[1], timed(memory.sync)[1])
            for _ in range(_REPEATS)
        ]
        bare, nothing = (middle(side) for side in zip(*rounds, strict=True))
        changed, embedding = [], []
        for number in range(_REPEATS):
            _change(notes, number)
            report, timing = timed(memory.sync)
            changed.append(timing)
            embedding.append(Timing(report.seconds.get("embed", 0.0), 0.0))
    one, embedded = middle(changed), middle(embedding)
    memory_mb, cpu = _idle_watch(notes, state)
    over = one.wall - nothing.wall - embedded.wall
    print(
        table(
            f"freshness: {files:,} files, {chunks:,} chunks",
            ("", "measured", "at most"),
            [
                ("bare scandir and stat, ms", f"{bare.wall * 1000:.1f}", ""),
                ("sync, nothing changed, ms", f"{nothing.wall * 1000:.1f}", ""),
                ("  as a multiple of the bare scan", f"{nothing.wall / bare.wall:.2f}", "3"),
                ("sync, one note changed, ms", f"{one.wall * 1000:.1f}", ""),
                ("  more than nothing and embedding, ms", f"{over * 1000:.1f}", "30"),
                ("idle watch, MB of memory", f"{memory_mb:.0f}", "120"),
                ("idle watch, % of one core", f"{cpu * 100:.2f}", "0.5"),
            ],
        )
    )
    save(
        "freshness",
        {
            "files": files,
            "chunks": chunks,
            "bare": asdict(bare),
            "nothing_changed": asdict(nothing),
            "one_changed": asdict(one),
            "one_changed_over": over,
            "watch_memory_mb": memory_mb,
            "watch_cpu_share": cpu,
            "calibration": describe(before, calibrate()),
        },
    )


def _write(notes: Path, files: int) -> None:
    rng = random.Random(1)
    words = [f"word{number}" for number in range(3000)]
    for number in range(files):
        note = notes / f"memory/d{number % _FOLDERS}/n{number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(rng.choices(words, k=20)) for _ in range(78)]
        note.write_text("\n".join(lines) + "\n", encoding="utf-8")


def bare_scan(folder: str) -> int:
    """The least that finding out what changed can cost."""
    found, folders = 0, [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    found += 1
    return found


def _change(notes: Path, number: int) -> None:
    with (notes / f"memory/d{number}/n{number}.md").open("a", encoding="utf-8") as note:
        note.write("One more line, so that this note is not what it was.\n")


def _idle_watch(notes: Path, state: Path) -> tuple[float, float]:
    """Memory in MB and the share of a core that `memdown watch` takes when nothing happens."""
    command = [sys.executable, "-m", "memdown.cli", "watch", "--quiet", "--workspace", str(notes)]
    process = subprocess.Popen(command, env={**os.environ, "MEMDOWN_STATE_DIR": str(state)})
    try:
        time.sleep(10.0)
        first, start = _cpu_seconds(process.pid), time.monotonic()
        time.sleep(_IDLE_SECONDS)
        share = (_cpu_seconds(process.pid) - first) / (time.monotonic() - start)
        status = Path(f"/proc/{process.pid}/status").read_text()
        kilobytes = next(
            line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")
        )
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    return int(kilobytes) / 1024, share


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
