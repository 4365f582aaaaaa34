"""The benchmark's report: every figure has its place, and growth is told as it is."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from bench import drawing, measure, report
from bench.measure import Timing, spread

TIMES = {"wall": 0.02, "cpu": 0.01}


def size(chunks: int, search_ms: float) -> dict[str, Any]:
    asked = spread([Timing(search_ms / 500, search_ms / 1000)] * 3)
    kinds = dict.fromkeys(("natural", "identifier", "script"), asked)
    return {
        "chunks": chunks,
        "files": chunks // 10,
        "text_bytes": chunks * 1_400,
        "unit": 0.1,
        "ours": {
            "index": {
                "full": TIMES,
                "bare_scan": TIMES,
                "nothing_changed": TIMES,
                "one_changed": TIMES,
                "phases": dict.fromkeys(("scan", "read", "chunk", "embed", "write"), 0.001),
                "peak_mb": 100.0,
                "disk": chunks * 2_000,
            },
            "embed": {**TIMES, "stock_cpu": 0.02},
            "search": {"kinds": kinds, "first": TIMES, "resident_mb": 90.0},
            "threads": {"alone_per_second": 400.0, "per_second": 700.0, "cores": 1.9},
            "processes": {"alone_per_second": 400.0, "per_second": 750.0},
            "rebuild": {"alone": asked, "meanwhile": asked},
            "cold": {"search": TIMES, "help": TIMES, "import numpy": TIMES},
        },
        "peers": {
            "LanceDB": {
                "full": TIMES,
                "kinds": kinds,
                "resident_mb": 200.0,
                "disk": 5,
                "version": "0.40",
            },
            "txtai": {"skipped": "cannot be installed: no network"},
        },
    }


def test_the_page_is_made_from_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "images").mkdir()
    monkeypatch.setattr(report, "DOCS", tmp_path)
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    facts = {"machine": "a machine", "sizes": [size(1_000, 2.0), size(2_000, 3.0)]}
    (tmp_path / "performance.json").write_text(json.dumps(facts))
    report.main()
    page = (tmp_path / "performance.md").read_text()
    assert "| 1,000 | natural | 2 ms (4 ms)" in page
    assert "| 2,000 | LanceDB 0.40 |" in page
    assert "- txtai, 1,000 chunks: cannot be installed: no network" in page
    assert "no cost more than doubles" in page
    for image in ("growth.svg", "search-peers.svg"):
        assert f"images/{image}" in page
        ET.parse(tmp_path / "images" / image)


def test_a_cost_that_grows_too_fast_is_named() -> None:
    sizes = [size(1_000, 1.0), size(10_000, 100.0)]
    steps = {name: factor for name, _, _, factor in report.growth(sizes)}
    assert steps["search, natural"] == pytest.approx(4.0)
    assert steps["full index"] == pytest.approx(1.0)
    assert "More than doubled: search, natural, 1,000 to 10,000: 4.00" in report._growth_words(
        sizes
    )


def test_one_size_is_enough_for_a_plot() -> None:
    plot = drawing.lines(
        "One <point>", {"a & b": [(1_000, 2.0)]}, across=str, up=str, below="chunks"
    )
    assert ET.fromstring(plot) is not None


def test_percentiles_are_of_wall_and_cpu() -> None:
    found = measure.spread([Timing(number, number / 2) for number in range(1, 101)])
    assert (found["wall_p50"], found["wall_p99"], found["cpu_p95"]) == (50, 99, 47.5)
