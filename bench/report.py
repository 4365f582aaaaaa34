"""`python -m bench.report`: docs/performance.md and its plots, from the figures of `make bench`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.drawing import Points, lines
from bench.measure import RESULTS

DOCS = Path(__file__).parent.parent / "docs"
_PAGE, _GROWTH, _SEARCH = "performance.md", "images/growth.svg", "images/search-peers.svg"
# Measured times differ by this much from run to run.
_NOISE = 1.1

Size = dict[str, Any]
Figure = Callable[[Size], float]


def _search(kind: str, figure: str) -> Figure:
    return lambda size: float(size["ours"]["search"]["kinds"][kind][figure])


def _index(name: str, figure: str = "cpu") -> Figure:
    return lambda size: float(size["ours"]["index"][name][figure])


COSTS: dict[str, Figure] = {
    "full index": _index("full"),
    "cold search": lambda size: float(size["ours"]["cold"]["search"]["cpu"]),
    "one note changed": _index("one_changed"),
    "nothing changed": _index("nothing_changed"),
    "search, natural": _search("natural", "cpu_p50"),
    "search, identifier": _search("identifier", "cpu_p50"),
    "search, script": _search("script", "cpu_p50"),
}


def main() -> None:
    """Write the page and its plots."""
    facts = json.loads((RESULTS / "performance.json").read_text(encoding="utf-8"))
    sizes: list[Size] = facts["sizes"]
    (DOCS / _GROWTH).write_text(_growth_plot(sizes), encoding="utf-8")
    (DOCS / _SEARCH).write_text(_peer_plot(sizes), encoding="utf-8")
    (DOCS / _PAGE).write_text(_page(facts["machine"], sizes), encoding="utf-8")
    print(f"written: docs/{_PAGE}, docs/{_GROWTH}, docs/{_SEARCH}")


def _page(machine: str, sizes: Sequence[Size]) -> str:
    unit = sum(size["unit"] for size in sizes) / len(sizes)
    parts = [
        "# Performance",
        'Made by `make bench` (`make bench SIZES="1000 10000"` is quick) on generated notes, the '
        f"same bytes every time; {machine}. Times are CPU time of all threads and processes, with wall time in "
        "brackets: other work on the machine changes the one much less than the other. A fixed "
        "piece of work, half plain Python and half numpy, is timed before and after each size: it "
        f"took {unit * 1000:.0f} ms here, and *× cal.* is CPU time divided by it, for comparing "
        "machines. Searches include embedding the question and looking for changed notes.",
        "## Warm search",
        _table(["chunks", "kind", "p50", "p95", "p99", "p50 × cal."], _search_rows(sizes)),
        "## Indexing",
        _table(
            [
                "chunks",
                "full index",
                "× embedding alone",
                "× `wordllama` alone",
                "nothing changed",
                "× bare scan",
                "one note changed",
                "full × cal.",
            ],
            [_index_row(size) for size in sizes],
        ),
        "Embedding alone is by our code, and by the package that the vectors come from; the wall "
        "time of ours is compared, too, because two processes make an index of some thousand chunks where there "
        "are two cores. A bare scan is the least that finding a change can cost: listing every folder and asking for the size "
        "and time of every file. Where the wall time of a full index goes:",
        _table(
            ["chunks", "scan", "read", "chunk", "embed", "write", "rest"],
            [_phase_row(size) for size in sizes],
        ),
        "## Start-up, memory and disk",
        _table(
            [
                "chunks",
                "`memdown search`",
                "`memdown --help`",
                "`import numpy`",
                "memory while searching",
                "peak while indexing",
                "index",
                "index / text",
            ],
            [_weight_row(size) for size in sizes],
        ),
        "## Several at once",
        _table(
            [
                "chunks",
                "1 thread",
                "8 threads, one `Memory`",
                "cores in use",
                "1 process",
                "4 processes, one index",
                "p50 during a rebuild",
                "× without",
            ],
            [_crowd_row(size) for size in sizes],
        ),
        "Searches a second; the rebuild runs in another process, on the same cores.",
        "## Growth",
        f"![CPU time by number of chunks]({_GROWTH})",
        _growth_words(sizes),
        "## Other engines",
        f"![Warm search beside other engines]({_SEARCH})",
        _table(
            ["chunks", "", "full index", "search p50", "search p95", "memory", "index", "× cal."],
            _peer_rows(sizes),
        ),
        "Each engine runs in a process and an environment of its own, one after the other, with "
        "the same questions. FTS5 + sqlite-vec, LanceDB and txtai get our chunks and vectors, so "
        "their index time is without reading, cutting and embedding; what it took us to embed a question is "
        "counted for everyone. memsearch reads the notes and uses our embedder. Theirs is a "
        "hybrid search of six results without our later steps. A search of Memdown also checks "
        "whether a note changed.",
    ]
    skipped = [
        f"- {name}, {size['chunks']:,} chunks: {peer['skipped']}"
        for size in sizes
        for name, peer in size["peers"].items()
        if "skipped" in peer
    ]
    if skipped:
        parts.append("\n".join(["Not measured:", "", *skipped]))
    return "\n\n".join(parts) + "\n"


def _search_rows(sizes: Sequence[Size]) -> list[list[str]]:
    return [
        [
            f"{size['chunks']:,}",
            kind,
            *(_both(row[f"cpu_{p}"], row[f"wall_{p}"]) for p in ("p50", "p95", "p99")),
            f"{row['cpu_p50'] / size['unit']:.4f}",
        ]
        for size in sizes
        for kind, row in size["ours"]["search"]["kinds"].items()
    ]


def _index_row(size: Size) -> list[str]:
    index, embed = size["ours"]["index"], size["ours"]["embed"]
    return [
        f"{size['chunks']:,}",
        _timing(index["full"]),
        f"{index['full']['cpu'] / embed['cpu']:.2f} ({index['full']['wall'] / embed['wall']:.2f})",
        f"{index['full']['cpu'] / embed['stock_cpu']:.2f}",
        _timing(index["nothing_changed"]),
        f"{index['nothing_changed']['cpu'] / index['bare_scan']['cpu']:.2f}",
        _timing(index["one_changed"]),
        f"{index['full']['cpu'] / size['unit']:.1f}",
    ]


def _phase_row(size: Size) -> list[str]:
    index = size["ours"]["index"]
    phases: dict[str, float] = index["phases"]
    rest = index["full"]["wall"] - sum(phases.values())
    return [f"{size['chunks']:,}", *(_seconds(spent) for spent in (*phases.values(), rest))]


def _weight_row(size: Size) -> list[str]:
    own = size["ours"]
    return [
        f"{size['chunks']:,}",
        _timing(own["cold"]["search"]),
        _timing(own["cold"]["help"]),
        _timing(own["cold"]["import numpy"]),
        f"{own['search']['resident_mb']:.0f} MB",
        f"{own['index']['peak_mb']:.0f} MB",
        f"{own['index']['disk'] / 1e6:.1f} MB",
        f"{own['index']['disk'] / size['text_bytes']:.2f}",
    ]


def _crowd_row(size: Size) -> list[str]:
    threads, processes = size["ours"]["threads"], size["ours"]["processes"]
    alone, meanwhile = size["ours"]["rebuild"]["alone"], size["ours"]["rebuild"]["meanwhile"]
    return [
        f"{size['chunks']:,}",
        f"{threads['alone_per_second']:.0f}/s",
        f"{threads['per_second']:.0f}/s",
        f"{threads['cores']:.1f}",
        f"{processes['alone_per_second']:.0f}/s",
        f"{processes['per_second']:.0f}/s",
        _both(meanwhile["cpu_p50"], meanwhile["wall_p50"]),
        f"{meanwhile['cpu_p50'] / alone['cpu_p50']:.2f} "
        f"({meanwhile['wall_p50'] / alone['wall_p50']:.2f})",
    ]


def _peer_rows(sizes: Sequence[Size]) -> list[list[str]]:
    rows = []
    for size in sizes:
        own = size["ours"]
        ours = {
            "full": own["index"]["full"],
            "kinds": own["search"]["kinds"],
            "resident_mb": own["search"]["resident_mb"],
            "disk": own["index"]["disk"],
        }
        for name, one in {"**Memdown**": ours, **size["peers"]}.items():
            if "skipped" in one:
                continue
            search = one["kinds"]["natural"]
            rows.append(
                [
                    f"{size['chunks']:,}",
                    f"{name} {one.get('version', '')}".strip(),
                    _timing(one["full"]),
                    _both(search["cpu_p50"], search["wall_p50"]),
                    _both(search["cpu_p95"], search["wall_p95"]),
                    f"{one['resident_mb']:.0f} MB",
                    f"{one['disk'] / 1e6:.1f} MB",
                    f"{search['cpu_p50'] / size['unit']:.4f}",
                ]
            )
    return rows


def growth(sizes: Sequence[Size]) -> list[tuple[str, int, int, float]]:
    """For each cost and each step to a larger size: how much it grows when the notes double."""
    steps = []
    for name, cost in COSTS.items():
        for small, large in pairwise(sizes):
            power = math.log(cost(large) / cost(small), large["chunks"] / small["chunks"])
            steps.append((name, small["chunks"], large["chunks"], 2.0**power))
    return steps


def _growth_words(sizes: Sequence[Size]) -> str:
    steps = growth(sizes)
    if not steps:
        return "Growth needs two sizes."
    over = [step for step in steps if step[3] > 2 * _NOISE]
    name, small, large, factor = max(steps, key=lambda step: step[3])
    worst = f"{name}, {factor:.2f} times a doubling from {small:,} to {large:,}"
    if not over:
        return (
            "The dashed line doubles with the notes. When the notes double, no cost more than doubles, "
            f"but for {_NOISE - 1:.0%} of noise; the steepest is {worst}."
        )
    listed = "; ".join(f"{n}, {s:,} to {b:,}: {f:.2f} times" for n, s, b, f in over)
    return f"The dashed line doubles with the notes. More than doubled: {listed}."


def _growth_plot(sizes: Sequence[Size]) -> str:
    series: dict[str, Points] = {
        name: [(size["chunks"], cost(size) * 1000) for size in sizes]
        for name, cost in COSTS.items()
    }
    first, last = sizes[0]["chunks"], sizes[-1]["chunks"]
    start = min(points[0][1] for points in series.values())
    return lines(
        "CPU time by number of chunks",
        series,
        across=lambda value: f"{value:,.0f}",
        up=_milliseconds,
        below="chunks",
        dashed={"twice": [(first, start), (last, start * last / first)]},
    )


def _peer_plot(sizes: Sequence[Size]) -> str:
    series: dict[str, list[tuple[float, float]]] = {"Memdown": []}
    for size in sizes:
        own = size["ours"]["search"]["kinds"]["natural"]["cpu_p50"]
        series["Memdown"].append((size["chunks"], own * 1000))
        for name, peer in size["peers"].items():
            if "skipped" not in peer:
                found = peer["kinds"]["natural"]["cpu_p50"]
                series.setdefault(name, []).append((size["chunks"], found * 1000))
    return lines(
        "Warm search, CPU p50",
        series,
        across=lambda value: f"{value:,.0f}",
        up=_milliseconds,
        below="chunks",
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("--:" for _ in header[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _timing(timing: dict[str, float]) -> str:
    return _both(timing["cpu"], timing["wall"])


def _both(cpu: float, wall: float) -> str:
    return f"{_seconds(cpu)} ({_seconds(wall)})"


def _seconds(seconds: float) -> str:
    if seconds >= 10:
        return f"{seconds:.0f} s"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.2g} ms"


def _milliseconds(value: float) -> str:
    return f"{value / 1000:,.0f} s" if value >= 1000 else f"{value:g} ms"


if __name__ == "__main__":
    main()
