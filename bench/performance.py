"""`make bench`: every cost at several sizes, beside the peers, as JSON for `bench.report`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import ours, peering
from bench.calibration import calibrate, unit
from bench.generate import KINDS, generate
from bench.measure import milliseconds, save, table

SIZES = (1_000, 10_000, 50_000, 200_000)


def run(sizes: Sequence[int] = SIZES, peers: Sequence[str] = tuple(peering.PEERS)) -> None:
    """Measure each size in turn; what is done is saved after each."""
    results: list[dict[str, Any]] = []
    for chunks in sorted(sizes):
        # Not in memory, where many machines keep their temporary files.
        with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
            results.append(_size(Path(folder), chunks, peers))
        facts = {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "sizes": results}
        path = save("performance", facts)
        print(_summary(results[-1]), flush=True)
    print(f"\nwritten to {path}; `python -m bench.report` makes docs/performance.md of it")


def _size(folder: Path, chunks: int, peers: Sequence[str]) -> dict[str, Any]:
    print(f"{chunks:,} chunks: making the notes", flush=True)
    load = generate(folder / "notes", chunks)
    asked = {kind: [question.text for question in load.of_kind(kind)] for kind in KINDS}
    (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    before = calibrate()
    print(f"{chunks:,} chunks: Memdown", flush=True)
    own = ours.measure(folder)
    shutil.rmtree(folder / "state")
    after = calibrate()
    others: dict[str, Any] = {}
    if peers:
        peering.prepare(folder)
    for name in peers:
        print(f"{chunks:,} chunks: {name}", flush=True)
        others[name] = peering.measure(name, folder, chunks)
    return {
        "chunks": chunks,
        "files": load.files,
        "text_bytes": load.size_bytes,
        "unit": unit(before, after),
        "calibration": {"before": asdict(before), "after": asdict(after)},
        "ours": own,
        "peers": others,
    }


def _summary(size: dict[str, Any]) -> str:
    own, one = size["ours"], size["unit"]
    index, cold = own["index"], own["cold"]
    rows = [
        ("full index", index["full"]),
        ("embedding alone", own["embed"]),
        ("nothing changed", index["nothing_changed"]),
        ("one note changed", index["one_changed"]),
        *((f"search, {kind}", _middle(row)) for kind, row in own["search"]["kinds"].items()),
        ("search during a rebuild", _middle(own["rebuild"]["meanwhile"])),
        ("memdown search, cold", cold["search"]),
        ("memdown --help", cold["help"]),
    ]
    for name, peer in size["peers"].items():
        if "skipped" not in peer:
            rows.append((f"{name}: full index", peer["full"]))
            rows.append((f"{name}: search", _middle(peer["kinds"]["natural"])))
    return table(
        f"{size['chunks']:,} chunks (ms)",
        ("", "wall", "CPU", "CPU / calibration"),
        [
            (name, milliseconds(t["wall"]), milliseconds(t["cpu"]), f"{t['cpu'] / one:.4f}")
            for name, t in rows
        ],
    )


def _middle(row: dict[str, float]) -> dict[str, float]:
    return {"wall": row["wall_p50"], "cpu": row["cpu_p50"]}
