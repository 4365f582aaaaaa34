"""Wall and CPU time of work in this process and of commands, and how figures are shown and kept."""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

RESULTS = Path(__file__).parent / "results"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds on the clock, and seconds of work by all cores together."""

    wall: float
    cpu: float


def timed(work: Callable[[], _T]) -> tuple[_T, Timing]:
    """Do some work in this process and say how long it took, all threads and processes that it ended included."""
    cpu, wall = _cpu_seconds(), time.perf_counter()
    result = work()
    return result, Timing(time.perf_counter() - wall, _cpu_seconds() - cpu)


def _cpu_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def run_command(command: Sequence[str], environ: Mapping[str, str]) -> Timing:
    """Run a command to its end; CPU time is the child's own, as the system counted it."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, env=dict(environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(
            f"`{' '.join(command)}` ended with exit code {process.returncode}; run it by hand to"
            " see why."
        )
    return Timing(wall, usage.ru_utime + usage.ru_stime)


def middle(timings: Iterable[Timing]) -> Timing:
    """The median, of wall and CPU time each."""
    kept = list(timings)
    return Timing(median(t.wall for t in kept), median(t.cpu for t in kept))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(taken: Sequence[Timing]) -> dict[str, float]:
    """The percentiles of wall and CPU seconds."""
    walls, cpus = [one.wall for one in taken], [one.cpu for one in taken]
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    found = {f"wall_{name}": percentile(walls, share) for name, share in shares.items()}
    found |= {f"cpu_{name}": percentile(cpus, share) for name, share in shares.items()}
    return {"asked": len(taken), **found}


def resident_mb() -> float:
    """The memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def peak_mb() -> float:
    """The most memory that this process held; `ru_maxrss` would count its parent's as well."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024 / 1e6


def children_peak_mb() -> float:
    """The most memory that any process held which this one started and ended, or that this one held then."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6


def questions(folder: Path) -> dict[str, list[str]]:
    """What the workload is asked, by kind."""
    asked: dict[str, list[str]] = json.loads((folder / "questions.json").read_text("utf-8"))
    return asked


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.2f}" if seconds < 0.1 else f"{seconds * 1000:,.0f}"


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain text table: the first column to the left, figures to the right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    shown = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([f"\n{title}", rule, shown[0], rule, *shown[1:]])


def save(name: str, figures: Mapping[str, Any]) -> Path:
    """Write the figures of one benchmark as JSON to bench/results/."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
