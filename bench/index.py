"""How long indexing takes: from nothing, with nothing changed, with one file changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from bench.calibration import calibrate, describe, unit
from bench.generate import Workload, generate
from bench.measure import Timing, middle, save, table, timed
from memdown import Memory, SyncReport
from memdown.embedders import create
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.types import Embedder, FileState

PHASES = ("scan", "read", "chunk", "embed", "write")
_REPEATS = 5


def run(chunks: int = 10_000) -> None:
    """Index a made-up workspace of `chunks` chunks and print where the time went."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(generate(Path(folder, "notes"), chunks), Path(folder, "state"))


def _measure(load: Workload, state: Path) -> None:
    texts = chunk_texts(load.folder)
    before = calibrate()
    with Memory.open(load.folder, state_dir=state) as memory:
        report, full = timed(memory.sync)
        unchanged = _repeat(memory.sync)
        one_file = _repeat(lambda: _change_one_file(load, memory))
    embedder = create("bundled")
    embedder.embed_query("loads the model")
    embedding = _embed_alone(embedder, texts)
    after = calibrate()
    one = unit(before, after)
    timings = {
        "full index": full,
        "embedding alone": embedding,
        "nothing changed": unchanged,
        "one file changed": one_file,
    }
    on_disk = sum(path.stat().st_size for path in state.rglob("*") if path.is_file())
    print(
        table(
            f"index: {len(texts):,} chunks, {load.files:,} files, {load.size_bytes / 1e6:.1f} MB",
            ("", "wall s", "CPU s", "CPU / calibration", "chunks a CPU second"),
            [
                (
                    name,
                    f"{t.wall:.3f}",
                    f"{t.cpu:.3f}",
                    f"{t.cpu / one:.1f}",
                    f"{len(texts) / t.cpu:,.0f}"
                    if name in ("full index", "embedding alone")
                    else "",
                )
                for name, t in timings.items()
            ],
        )
    )
    print(_phase_table(report, full))
    print(
        f"\nindex on disk: {on_disk / 1e6:.1f} MB, {on_disk / load.size_bytes:.2f} × the text;"
        f" full index is {full.cpu / embedding.cpu:.2f} × embedding alone (CPU)"
    )
    save(
        "index",
        {
            "chunks": len(texts),
            "chunks_asked": load.chunks,
            "files": load.files,
            "text_bytes": load.size_bytes,
            "index_bytes": on_disk,
            "timings": {name: asdict(timing) for name, timing in timings.items()},
            "phases": dict(report.seconds),
            "failed": len(report.failed),
            "calibration": describe(before, after),
        },
    )


def _phase_table(report: SyncReport, full: Timing) -> str:
    """Where a full index spent its time on the clock."""
    seconds = dict(report.seconds)
    named = [*PHASES, *(phase for phase in seconds if phase not in PHASES)]
    rows = [(phase, seconds.get(phase, 0.0)) for phase in named]
    rows.append(("rest", full.wall - sum(seconds.values())))
    return table(
        "full index by phase (wall)",
        ("phase", "s", "share"),
        [(phase, f"{spent:.3f}", f"{spent / full.wall:.0%}") for phase, spent in rows],
    )


def _repeat(work: Callable[[], object]) -> Timing:
    return middle(timed(work)[1] for _ in range(_REPEATS))


def _change_one_file(load: Workload, memory: Memory) -> None:
    with Path(load.folder, "MEMORY.md").open("a", encoding="utf-8") as note:
        note.write("- One more line, so that this file is not what it was.\n")
    memory.sync()


def chunk_texts(notes: Path) -> list[str]:
    """The texts that an index of the notes embeds."""
    texts: list[str] = []
    for path in sorted(notes.rglob("*.md")):
        file = FileState(str(path.relative_to(notes)), "memory", 0, 0)
        document = read_document(file, path.read_text(encoding="utf-8"))
        chunks = chunk_document(document, tokens=400, overlap=80, model="")
        texts.extend(chunk.text for chunk in chunks)
    return texts


def _embed_alone(embedder: Embedder, texts: list[str]) -> Timing:
    def work() -> None:
        for start in range(0, len(texts), 256):
            embedder.embed_batch(texts[start : start + 256])

    return timed(work)[1]
