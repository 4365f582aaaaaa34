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
            ("kind", "asked", *columns, "CPU p50 / calibration", "found"),
            [
                (
                    kind,
                    f"{row['asked']:,}",
                    *(milliseconds(row[column]) for column in columns),
                    f"{row['CPU p50'] / one:.4f}",
                    f"{row['found']:.0%}",
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
    found = 0
    taken: list[Timing] = []
    for question in questions:
        answer, timing = timed(partial(memory.search, question.text))
        taken.append(timing)
        found += _holds(answer, question)
    walls, cpus = [t.wall for t in taken], [t.cpu for t in taken]
    return {
        "asked": len(questions),
        "wall p50": percentile(walls, 0.5),
        "wall p95": percentile(walls, 0.95),
        "wall p99": percentile(walls, 0.99),
        "CPU p50": percentile(cpus, 0.5),
        "CPU p95": percentile(cpus, 0.95),
        "found": found / len(questions),
    }


def _holds(answer: Answer, question: Question) -> bool:
    """Whether one of the hits shows the line that answers the question."""
    return any(
        hit.path == question.path and hit.start_line <= question.line <= hit.end_line
        for hit in answer.hits
    )
