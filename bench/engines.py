"""SQLite against PostgreSQL: warm hybrid searches, and 16 clients at once."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.generate import Workload, generate
from bench.measure import milliseconds, percentile, save, table, timed
from memdown import Memory
from memdown.config import Settings, load_settings

_WARM_UP = 20
_ASKED = 200
_CLIENTS = 16
_SECONDS = 15.0


def run(chunks: int = 50_000) -> None:
    """Index a made-up workspace in each engine and ask each the same questions."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from stores.postgres_server import Server

    server = Server()
    try:
        server.create().start()
        with tempfile.TemporaryDirectory() as folder:
            load = generate(Path(folder, "notes"), chunks)
            engines = {
                "sqlite": {"driver": "sqlite", "path": str(Path(folder, "index.sqlite"))},
                "postgres": {"driver": "postgres", "url": server.url},
            }
            _measure(load, Path(folder), engines)
    finally:
        server.remove()


def _measure(load: Workload, folder: Path, engines: Mapping[str, dict[str, str]]) -> None:
    asked = [question.text for question in load.questions][:: max(1, len(load.questions) // _ASKED)]
    figures = {
        name: _engine(_settings(load, folder, store), asked) for name, store in engines.items()
    }
    columns = ("index s", "p50 s", "p95 s", "one client /s", "16 clients /s", "errors")
    print(
        table(
            f"engines: {load.chunks:,} chunks, hybrid search (warm)",
            ("engine", "index s", "p50 ms", "p95 ms", *columns[3:]),
            [
                (
                    name,
                    f"{row['index s']:.0f}",
                    milliseconds(row["p50 s"]),
                    milliseconds(row["p95 s"]),
                    f"{row['one client /s']:.1f}",
                    f"{row['16 clients /s']:.1f}",
                    str(row["errors"]),
                )
                for name, row in figures.items()
            ],
        )
    )
    save("engines", {"chunks": load.chunks, "engines": figures})


def _settings(load: Workload, folder: Path, store: dict[str, str]) -> Settings:
    config = folder / "memdown.json"
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": {"store": store}}}}))
    return load_settings(
        config=config, workspace=load.folder, environ={"MEMDOWN_STATE_DIR": str(folder / "state")}
    )


def _engine(settings: Settings, asked: Sequence[str]) -> dict[str, Any]:
    with Memory.from_settings(settings) as memory:
        _, indexing = timed(memory.sync)
        for question in asked[:_WARM_UP]:
            memory.search(question)
        walls = [timed(partial(memory.search, question))[1].wall for question in asked]
        alone, wrong = _together(memory, asked, 1)
        many, more_wrong = _together(memory, asked, _CLIENTS)
    return {
        "index s": indexing.wall,
        "p50 s": percentile(walls, 0.5),
        "p95 s": percentile(walls, 0.95),
        "one client /s": alone,
        "16 clients /s": many,
        "errors": wrong + more_wrong,
    }


def _together(memory: Memory, asked: Sequence[str], clients: int) -> tuple[float, int]:
    """Searches a second by so many clients, and how many failed."""
    done: list[bool] = []
    end = time.perf_counter() + _SECONDS

    def ask(first: int) -> None:
        number = first
        while time.perf_counter() < end:
            try:
                memory.search(asked[number % len(asked)])
                done.append(True)
            except Exception:
                done.append(False)
            number += 1

    threads = [threading.Thread(target=ask, args=(n * 7,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done.count(True) / _SECONDS, done.count(False)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
