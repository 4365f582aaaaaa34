"""Transcripts: how fast they are parsed and redacted, and what going on with a long one costs."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.calibration import calibrate, describe
from bench.generate import generate
from bench.measure import Timing, middle, milliseconds, save, table, timed

_CONFIG = (
    "{agents: {defaults: {memorySearch: {provider: 'bundled', "
    "sources: ['memory', 'sessions'], experimental: {sessionMemory: true}}}}}"
)
_MESSAGES = 50
_REPEATS = 9


def run(megabytes: int = 100) -> None:
    """Measure both figures and say whether they are what they should be."""
    before = calibrate()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = _texts(folder / "notes")
        speed = _speed(folder / "speed", texts)
        small = _appending(folder / "small", texts, 1)
        large = _appending(folder / "large", texts, megabytes)
    ratio = large.cpu / small.cpu
    print(
        table(
            f"transcripts (appending: medians of {_REPEATS}, ms)",
            ("what", "wall", "CPU"),
            [
                (
                    f"{_MESSAGES} messages to 1 MB",
                    milliseconds(small.wall),
                    milliseconds(small.cpu),
                ),
                (
                    f"{_MESSAGES} messages to {megabytes} MB",
                    milliseconds(large.wall),
                    milliseconds(large.cpu),
                ),
            ],
        )
    )
    print(f"parsing and redaction at least 20 MB/s: {'yes' if speed >= 20 else 'NO'} ({speed:.1f})")
    print(f"appending costs the same within 20%: {'yes' if ratio <= 1.2 else 'NO'} ({ratio:.2f})")
    save(
        "transcripts",
        {
            "parse_redact_mb_per_s": speed,
            "append_small_cpu_s": small.cpu,
            "append_large_cpu_s": large.cpu,
            "large_megabytes": megabytes,
            "ratio": ratio,
            "calibration": describe(before, calibrate()),
        },
    )


def _texts(folder: Path) -> list[str]:
    """Paragraphs of made-up notes, as what people and assistants say to each other."""
    generate(folder, chunks=2_000)
    found: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        found += [part for part in path.read_text("utf-8").split("\n\n") if len(part) > 40]
    return found


def _lines(texts: list[str], seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    number = 0
    while True:
        number += 1
        text = "\n\n".join(rng.choices(texts, k=rng.choice((1, 1, 2, 4))))
        if number % 40 == 0:
            text += f"\nexport API_TOKEN={rng.getrandbits(128):032x}"
        entry = {
            "type": "message",
            "id": f"{number:08x}",
            "timestamp": "2026-03-01T10:00:00.000Z",
            "message": {
                "role": "user" if number % 2 else "assistant",
                "content": [{"type": "text", "text": text}],
            },
        }
        yield json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _write(path: Path, texts: list[str], megabytes: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("wb") as file:
        for line in _lines(texts, 1):
            size += file.write(line)
            if size >= megabytes * 1_000_000:
                return


def _speed(folder: Path, texts: list[str]) -> float:
    """Megabytes of transcript that one core parses, flattens and redacts in a second of work."""
    from memdown.transcripts import read_portions, scan_transcripts

    _write(folder / "speed.jsonl", texts, 20)
    (state,) = scan_transcripts(folder).files.values()

    def read() -> None:
        for _ in read_portions(str(folder), state, None):
            pass

    return state.size / 1e6 / middle(timed(read)[1] for _ in range(5)).cpu


def _appending(folder: Path, texts: list[str], megabytes: int) -> Timing:
    """What it takes to index 50 more messages of a conversation that is already indexed."""
    from memdown import Memory

    state, workspace = folder / "state", folder / "workspace"
    transcript = state / "agents" / "main" / "sessions" / "talk.jsonl"
    _write(transcript, texts, megabytes)
    (state / "memdown.json5").write_text(_CONFIG)
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("- A note.\n")
    more = _lines(texts, 2)
    timings = []
    with Memory.open(workspace, state_dir=state) as memory:
        memory.sync()
        for _ in range(_REPEATS + 1):
            with transcript.open("ab") as file:
                file.writelines(next(more) for _ in range(_MESSAGES))
            report, timing = timed(memory.sync)
            if report.indexed != 1:
                raise SystemExit("The appended messages were not indexed; nothing was measured.")
            timings.append(timing)
    # The first one after the long index pays for caches that are still cold.
    return middle(timings[1:])
