"""SQLite, PostgreSQL and LanceDB side by side: indexing, warm hybrid searches, 16 clients at once."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from bench.generate import Workload, generate
from bench.measure import milliseconds, percentile, resident_mb, save, table, timed
from memdown import Memory
from memdown.config import Settings, load_settings
from memdown.errors import MemdownError

_WARM_UP = 40
_ASKED = 200
_CLIENTS = 16
# Questions that each client asks before time is taken.
_OPENING = 5
_SECONDS = 15.0
CLIENT_COLUMNS = ("clients", "searches /s", "p50 ms", "p95", "slowest", "partial", "errors", "busy")


def run(chunks: int = 50_000, keep: Path | None = None) -> None:
    """Index a made-up workspace in each engine and ask each the same questions."""
    with workload(chunks, keep) as (load, folder), postgres(folder) as url:
        engines = {
            "sqlite": {"driver": "sqlite", "path": str(folder / "index.sqlite")},
            "postgres": {"driver": "postgres", "url": url},
            "lancedb": {"driver": "lancedb", "path": str(folder / "index.sqlite")},
        }
        _measure(load, folder, engines)


@contextlib.contextmanager
def workload(chunks: int, keep: Path | None) -> Iterator[tuple[Workload, Path]]:
    """Made-up notes, and a folder for their indexes: one that goes, or one that stays for the next time."""
    with tempfile.TemporaryDirectory() as temporary:
        # A server that must not run as root has to get into it.
        Path(temporary).chmod(0o711)
        load = generate(Path(temporary, "notes"), chunks)
        if keep is None:
            yield load, Path(temporary)
            return
        keep.mkdir(exist_ok=True, parents=True)
        if not (keep / "notes").exists():
            shutil.move(load.folder, keep / "notes")
        yield replace(load, folder=keep / "notes"), keep


@contextlib.contextmanager
def postgres(folder: Path, **settings: str) -> Iterator[str]:
    """The address of a server in a folder, made if it is not there."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from index.postgres_server import Server

    place = folder / "server"
    is_new = not place.exists()
    place.mkdir(exist_ok=True)
    server = Server(place)
    # A host knows a server by its address.
    port = place / "port"
    if is_new:
        server.create()
        port.write_text(str(server.port))
    server.port = int(port.read_text())
    try:
        yield server.start(**settings).url
    finally:
        server.stop()


def _measure(load: Workload, folder: Path, engines: Mapping[str, dict[str, str]]) -> None:
    step = max(1, len(load.questions) // _ASKED)
    asked = [question.text for question in load.questions][::step]
    for name, store in engines.items():
        write_settings(folder, name, store)
    figures: dict[str, dict[str, Any]] = {}
    for name in engines:
        with Memory.from_settings(settings_for(load.folder, folder, name)) as memory:
            _, indexing = timed(memory.sync)
            size = memory.status().store.size_bytes
        figures[name] = {"index s": indexing.wall, "index CPU s": indexing.cpu, "bytes": size}
        print(f"{name}: indexed in {indexing.wall:.0f} s", file=sys.stderr)
    before = [question.text for question in load.questions][1::step][:_WARM_UP]
    _search(load.folder, folder, asked, before, figures)
    clients = ask_together(load.folder, folder, "postgres", asked)
    columns = ("wall p50", "wall p95", "worst", "CPU p50")
    print(
        table(
            f"engines: {load.chunks:,} chunks, hybrid search (ms, warm)",
            ("engine", "index s", "MB", "first", *columns, "client MB", "first equal", "overlap"),
            [
                (
                    name,
                    f"{row['index s']:.0f}",
                    f"{row['bytes'] / 1e6:,.0f}",
                    milliseconds(row["first s"]),
                    *(milliseconds(row[column]) for column in columns),
                    f"{row['client MB']:.0f}",
                    f"{row['first equal']:.0%}",
                    f"{row['overlap']:.2f}",
                )
                for name, row in figures.items()
            ],
        )
    )
    print(
        table(
            "clients on PostgreSQL, each a process",
            CLIENT_COLUMNS,
            [clients_shown(count, row) for count, row in clients.items()],
        )
    )
    save("engines", {"chunks": load.chunks, "engines": figures, "clients": clients})


def clients_shown(count: int, row: Mapping[str, float]) -> tuple[str, ...]:
    """A row of what `ask_together` measured, under `CLIENT_COLUMNS`."""
    times = (milliseconds(row[column]) for column in ("wall p50", "wall p95", "slowest s"))
    return (
        str(count),
        f"{row['per second']:.1f}",
        *times,
        f"{row['partial']:.1%}",
        str(row["errors"]),
        f"{row['busy']:.0%}",
    )


def write_settings(folder: Path, name: str, store: dict[str, str]) -> None:
    """Note how an engine is reached."""
    config = {"agents": {"defaults": {"memorySearch": {"store": store}}}}
    (folder / f"{name}.json").write_text(json.dumps(config))


def settings_for(notes: Path, folder: Path, name: str) -> Settings:
    """The settings of a memory of `notes` in the engine that `write_settings` named."""
    return load_settings(
        config=folder / f"{name}.json",
        workspace=notes,
        environ={"MEMDOWN_STATE_DIR": str(folder / "state")},
    )


def _search(
    notes: Path,
    folder: Path,
    asked: Sequence[str],
    before: Sequence[str],
    figures: dict[str, Any],
) -> None:
    """Every question to each engine, in a process of its own: what it holds is its memory."""
    found: dict[str, list[list[str]]] = {}
    for name in figures:
        measured = ask_in_process(notes, folder, name, asked, before)
        measured.pop("walls")
        found[name] = measured.pop("found")
        figures[name] |= measured
    for name, answers in found.items():
        pairs = list(zip(answers, found["sqlite"], strict=True))
        figures[name] |= {
            "first equal": sum(one[:1] == other[:1] for one, other in pairs) / len(pairs),
            "overlap": sum(map(_overlap, pairs)) / len(pairs),
        }


def ask_in_process(
    notes: Path, folder: Path, name: str, asked: Sequence[str], before: Sequence[str]
) -> dict[str, Any]:
    """What a new process measures that asks an engine all questions, `before` them some others."""
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    arguments = (notes, folder, name, list(asked), list(before), done)
    process = context.Process(target=_ask, args=arguments)
    process.start()
    measured: dict[str, Any] = done.get()
    process.join()
    return measured


def _overlap(pair: tuple[list[str], list[str]]) -> float:
    """Which share of the places that SQLite shows another engine shows, too."""
    one, other = pair
    return len({*one} & {*other}) / len(other) if other else float(not one)


def _ask(
    notes: Path, folder: Path, name: str, asked: list[str], before: list[str], done: Any
) -> None:
    settings = settings_for(notes, folder, name)
    bare = _bare(folder)
    with Memory.from_settings(settings) as memory:
        first = timed(partial(memory.search, before[0]))[1].wall
        for question in before:
            memory.search(question)
        timings, answers = [], []
        for question in asked:
            answer, timing = timed(partial(memory.search, question))
            timings.append(timing)
            answers.append([hit.citation or "" for hit in answer.hits])
        held = resident_mb()
    walls = [timing.wall for timing in timings]
    done.put(
        {
            "first s": first,
            "wall p50": percentile(walls, 0.5),
            "wall p95": percentile(walls, 0.95),
            "worst": max(walls),
            "CPU p50": percentile([timing.cpu for timing in timings], 0.5),
            "client MB": held - bare,
            "found": answers,
            "walls": walls,
        }
    )


def _bare(folder: Path) -> float:
    """What a process holds that has searched a memory of one note, in SQLite."""
    notes = folder / "bare"
    notes.mkdir(exist_ok=True)
    (notes / "MEMORY.md").write_text("One note.\n")
    settings = load_settings(workspace=notes, environ={"MEMDOWN_STATE_DIR": str(folder / "bare")})
    with Memory.from_settings(settings) as memory:
        for _ in range(3):
            memory.search("one note")
    return resident_mb()


def ask_together(
    notes: Path,
    folder: Path,
    name: str,
    asked: Sequence[str],
    counts: Sequence[int] = (1, _CLIENTS),
) -> dict[int, dict[str, float]]:
    """Searches a second by one client and by many, how long they took, how many failed or were partial,
    and how busy the machine was."""
    context = multiprocessing.get_context("spawn")
    figures = {}
    for count in counts:
        ready, done = context.Barrier(count + 1), context.Queue()
        arguments = (notes, folder, name, list(asked), ready, done)
        processes = [
            context.Process(target=_client, args=(*arguments, number)) for number in range(count)
        ]
        for process in processes:
            process.start()
        ready.wait()
        before = _busy_and_idle()
        results = [done.get() for _ in processes]
        after = _busy_and_idle()
        for process in processes:
            process.join()
        busy, idle = after[0] - before[0], after[1] - before[1]
        walls = [wall for one in results for wall in one.walls]
        figures[count] = {
            "per second": len(walls) / _SECONDS,
            "errors": sum(one.errors for one in results),
            "partial": sum(one.partial for one in results) / max(1, len(walls)),
            "wall p50": percentile(walls, 0.5),
            "wall p95": percentile(walls, 0.95),
            "slowest s": max(walls),
            "busy": busy / max(1, busy + idle),
        }
    return figures


@dataclass(slots=True)
class _Asked:
    """What one of several clients has measured: the seconds of each search, failed ones, partial answers."""

    walls: list[float]
    errors: int = 0
    partial: int = 0


def _client(
    notes: Path, folder: Path, name: str, asked: list[str], ready: Barrier, done: Any, number: int
) -> None:
    with Memory.from_settings(settings_for(notes, folder, name)) as memory:
        with contextlib.suppress(MemdownError):
            # Whoever fails here still has to be there when time is taken.
            for question in asked[:_OPENING]:
                memory.search(question)
        ready.wait()
        found = _Asked([])
        end = time.monotonic() + _SECONDS
        while (start := time.monotonic()) < end:
            question = asked[(7 * number + len(found.walls) + found.errors) % len(asked)]
            try:
                found.partial += memory.search(question).partial
                found.walls.append(time.monotonic() - start)
            except MemdownError:
                found.errors += 1
        done.put(found)


def _busy_and_idle() -> tuple[int, int]:
    """What all cores did so far, in ticks; waiting for a disk counts as idle."""
    numbers = [int(n) for n in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = numbers[3] + numbers[4]
    return sum(numbers) - idle, idle
