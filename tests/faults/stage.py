"""Real processes over one workspace, and what must be true when they are gone."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from faults.worker import ANCHOR, ENTRY, open_memory, seal, work
from forked import Forked
from memdown import Memory, files
from memdown.index import merging
from memdown.index.sqlite import filing
from memdown.index.sqlite.connection import connect
from memdown.index.sqlite.tables import load_chunks
from waiting import eventually

WORKER = Path(__file__).with_name("worker.py")
ROLES = ("write", "save", "sync", "rebuild", "search")
DONE = ("WROTE", "SAVED", "SYNCED", "REBUILT", "SEARCHED")
KILLED = "`kill -9` of processes that write, save, sync, rebuild and search"
QUERIES = ("anchor lighthouse keeper", "entry checked", "topic 3 alpha", "beta gamma")


class Stage:
    """A workspace, a state folder, and the processes that use them."""

    def __init__(self, top: Path, topics: int = 12, load: tuple[str, ...] = ()) -> None:
        self.folder = top / "workspace"
        self.state = top / "state"
        self.top = top
        (self.folder / "memory").mkdir(parents=True)
        (self.folder / "MEMORY.md").write_text(f"# Memory\n\n{ANCHOR}\n")
        for number in range(topics):
            lines = [f"topic {number} alpha beta gamma line {line} of it" for line in range(60)]
            (self.folder / f"memory/topic{number}.md").write_text("\n\n".join(lines) + "\n")
        self._load = load
        self._processes: list[Forked] = []
        self._outputs: list[Path] = []
        self._roles: set[str] = set()

    @property
    def index(self) -> Path:
        return self.state / "memory/main.sqlite"

    def start(self, role: str, *more: object, failpoint: str = "") -> Forked:
        self._roles.add(role)
        output = self.top / f"output-{len(self._outputs)}"
        self._outputs.append(output)
        output.touch()
        environ = {**os.environ, files.VARIABLE: failpoint}
        given = (role, self.folder, self.state, *more)
        process = Forked(work, *given, output=output, environ=environ, load=self._load)
        self._processes.append(process)
        return process

    def wait_ready(self, process: Forked) -> None:
        """Wait until a process has begun with its work."""
        output = self._outputs[self._processes.index(process)]

        def is_ready() -> bool:
            assert process.poll() is None, output.read_text()
            return b"READY" in output.read_bytes()

        eventually(is_ready, pause=0.01, what="a process that begins")

    def kill_at_random(self, kills: int, meanwhile: Iterable[Forked] = ()) -> None:
        """Run one process of each role, kill one after the other, and end when each did some work.

        Those that do their work `meanwhile` must come to its end.
        """
        rng = random.Random(4)
        running = {role: self.start(role, f"{role}0") for role in ROLES}
        for kill in range(1, kills + 1):
            role = rng.choice(ROLES)
            # On a busy machine a process needs a while to come to what it is killed in.
            self.wait_ready(running[role])
            time.sleep(rng.uniform(0.0, 0.7))
            running[role].send_signal(signal.SIGKILL)
            running[role].wait()
            running[role] = self.start(role, f"{role}{kill}")
        for process in meanwhile:
            assert process.wait(600) == 0, self.said()
        self.wait_for_work()
        self.stop()

    def wait_for_work(self) -> None:
        """Until every role has done its work once; what must never happen ends the wait."""

        def all_did() -> bool:
            self.check_nothing_bad()
            done = self.done()
            return all(done[role] for role in self._roles)

        eventually(all_did, 300.0, pause=0.05, what="work of every role")

    def done(self) -> dict[str, int]:
        """How often each role has done its work."""
        words = [line.partition(" ")[0] for line in self.said()]
        return {role: words.count(word) for role, word in zip(ROLES, DONE, strict=True)}

    def stop(self) -> None:
        """Kill every process of this stage that is left."""
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()

    def said(self) -> list[str]:
        """Every whole line that any process printed."""
        lines: list[str] = []
        for output in self._outputs:
            lines += output.read_text().split("\n")[:-1]
        return lines

    def memory(self) -> Memory:
        return open_memory(self.folder, self.state)

    def entries(self) -> list[str]:
        """The names of all entries in the notes; a torn one fails."""
        found = []
        for file in sorted(self.folder.rglob("*.md")):
            text = file.read_text()
            assert text.count("entry ") == len(ENTRY.findall(text)), f"torn entry in {file}"
            for name, sealed in ENTRY.findall(text):
                assert seal(name) == sealed, name
                found.append(name)
        return found

    def check_notes(self) -> int:
        """Every acknowledged entry is there once; how many there are."""
        acknowledged = [
            line.split()[1] for line in self.said() if line.startswith(("WROTE ", "SAVED "))
        ]
        found = self.entries()
        assert len(found) == len(set(found))
        missing = set(acknowledged) - set(found)
        assert not missing, f"{len(missing)} of {len(acknowledged)} lost: {sorted(missing)[:5]}"
        return len(acknowledged)

    def check_index(self) -> None:
        """After one sync, the index is what a rebuild from nothing makes; no litter is left."""
        with self.memory() as memory:
            memory.sync()
            assert memory.index.check() == []
            answers = answers_of(memory)
        fresh = self.top / f"fresh-{len(list(self.top.iterdir()))}"
        # When facts came is known from the journal alone: an index made anew has the same one.
        shutil.copytree(self.state / "journal", fresh / "journal")
        with open_memory(self.folder, fresh) as memory:
            memory.sync()
            expected = answers_of(memory)
        assert answers == expected
        assert contents(self.index) == contents(fresh / "memory/main.sqlite")

    def check_nothing_bad(self) -> None:
        bad = [
            line
            for line in self.said()
            if not re.match(r"[A-Z]+( |$)", line) or line.startswith("BAD")
        ]
        assert bad == []


@contextlib.contextmanager
def staged(top: Path, topics: int = 12, load: tuple[str, ...] = ()) -> Iterator[Stage]:
    """A stage whose processes are gone afterwards; `load` are modules that all of them need."""
    stage = Stage(top, topics, load)
    try:
        yield stage
    finally:
        stage.stop()


class Nearly(float):
    """A score that equals others but for the noise of its last digits."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(float(self) - float(other)) < 1e-3

    __hash__ = None  # type: ignore[assignment]


def answers_of(memory: Memory) -> list[list[tuple[object, ...]]]:
    """What some questions find. Rows of an index may be numbered otherwise than in a rebuilt one,
    so that sums differ in their last digits, and equal scores come in another order: of those that
    are worth nothing, others may be the last that are shown."""
    found = []
    for query in QUERIES:
        answer = memory.search(query, min_score=0.0, max_results=50)
        worth = [hit for hit in answer.hits if hit.score > 1e-3]
        hits = [(h.path, h.start_line, h.end_line, h.snippet, Nearly(h.score)) for h in worth]
        found.append(sorted(hits, key=lambda hit: hit[:4]))
    return [list(hits) for hits in found]


def contents(index: Path) -> dict[str, list[Any]]:
    """Everything in an index that does not depend on when it was written."""
    db = connect(index)
    try:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        assert not [name for name in tables if name.startswith(("next_", "old_"))]
        keys = [key for (key,) in db.execute("SELECT key FROM chunks")]
        db.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, chunks_fts, col)").fetchall()
        return {
            "files": db.execute(
                "SELECT path, source, hash, size FROM files ORDER BY path"
            ).fetchall(),
            "chunks": sorted(
                (stored.chunk for stored in load_chunks(db, keys).values()),
                key=lambda chunk: (chunk.path, chunk.passages[0].start_line),
            ),
            "terms": db.execute("SELECT term, doc FROM temp.v ORDER BY 1").fetchall(),
            "postings": postings_of(db),
        }
    finally:
        db.close()


def postings_of(db: Any) -> list[tuple[bytes, int]]:
    """Every term of the segments that are there, and how many living passages hold it."""

    def read(segment: int, part: str, number: int) -> bytes:
        return filing.read_block(db, "", segment, part, number)

    manifest, _ = filing.read_manifest(db, "")
    if not manifest:
        return []
    (merged,) = merging.merge(manifest, range(len(manifest)), read)

    def stored(_: int, part: str, number: int) -> bytes:
        return merged.parts.get((part, number), b"")

    lists = merging.read_lists(0, stored)
    counts = [int(end - start) for start, end in pairwise(lists.starts)]
    return list(zip(lists.names, counts, strict=True))
