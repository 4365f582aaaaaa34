"""How long warm searches take, by kind of question, and how many find their line."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from bench.calibration import calibrate, describe, unit
from bench.generate import KINDS, Question, Workload, generate
from bench.measure import Timing, milliseconds, percentile, save, table, timed
from memdown import Answer, Memory

_WARM_UP = 20
# Apart, because old daily logs are ranked lower on purpose and topics are not.
_FOUND = ("found in topics", "found in daily logs")


def run(chunks: int = 10_000) -> None:
    """Ask a made-up workspace of `chunks` chunks all its questions."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(generate(Path(folder, "notes"), chunks), Path(folder, "state"))


def _measure(load: Workload, state: Path) -> None:
    with Memory.open(load.folder, state_dir=state) as memory:
        memory.sync()
    before = calibrate()
    with Memory.open(load.folder, state_dir=state) as memory:
        first = timed(lambda: memory.search("what is new?"))[1]
        figures = {kind: _ask(memory, load.of_kind(kind)) for kind in KINDS}
    after = calibrate()
    one = unit(before, after)
    columns = ("wall p50", "wall p95", "wall p99", "CPU p50", "CPU p95")
    print(
        table(
            f"search: {load.chunks:,} chunks, {load.files:,} files (ms, warm)",
            ("kind", "asked", *columns, "CPU p50 / calibration", *_FOUND),
            [
                (
                    kind,
                    f"{row['asked']:,}",
                    *(milliseconds(row[column]) for column in columns),
                    f"{row['CPU p50'] / one:.4f}",
                    *(f"{row[column]:.0%}" for column in _FOUND),
                )
                for kind, row in figures.items()
            ],
        )
    )
    print(f"first search of a process: {milliseconds(first.wall)} ms")
    save(
        "search",
        {
            "chunks_asked": load.chunks,
            "files": load.files,
            "first_seconds": first.wall,
            "kinds": figures,
            "calibration": describe(before, after),
        },
    )


def _ask(memory: Memory, questions: tuple[Question, ...]) -> dict[str, Any]:
    """Ask each question once, after a few for warming up."""
    for question in questions[:_WARM_UP]:
        memory.search(question.text)
    found: dict[bool, list[bool]] = {True: [], False: []}
    taken: list[Timing] = []
    for question in questions:
        answer, timing = timed(partial(memory.search, question.text))
        taken.append(timing)
        found[_is_dated(question.path)].append(_holds(answer, question))
    walls, cpus = [t.wall for t in taken], [t.cpu for t in taken]
    return {
        "asked": len(questions),
        "wall p50": percentile(walls, 0.5),
        "wall p95": percentile(walls, 0.95),
        "wall p99": percentile(walls, 0.99),
        "CPU p50": percentile(cpus, 0.5),
        "CPU p95": percentile(cpus, 0.95),
        "found in topics": _share(found[False]),
        "found in daily logs": _share(found[True]),
    }


def _holds(answer: Answer, question: Question) -> bool:
    """Whether one of the hits shows the line that answers the question."""
    return any(
        hit.path == question.path and hit.start_line <= question.line <= hit.end_line
        for hit in answer.hits
    )


def _is_dated(path: str) -> bool:
    return path.startswith("memory/2")


def _share(found: list[bool]) -> float:
    return sum(found) / max(1, len(found))
