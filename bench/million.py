"""A million chunks in PostgreSQL and LanceDB: how long it takes to make, how large, how fast.

The notes of a smaller workspace are indexed once; then its rows are copied inside the engine, each copy
under paths of its own. A copied vector lies between its original and one of that one's neighbours, with
some noise, so that all lie where real ones do and no two in the same place. The texts repeat, so the
figures say nothing of what is found; recall is that of the vector index.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.engines import (
    CLIENT_COLUMNS,
    ask_in_process,
    ask_together,
    clients_shown,
    postgres,
    settings_for,
    workload,
    write_settings,
)
from bench.generate import Workload
from bench.measure import milliseconds, save, table
from memdown import Memory
from memdown.config import load_settings
from memdown.embedders.bundled import BundledEmbedder
from memdown.index.manifest import variant_of
from memdown.index.postgres import upkeep, vectors
from memdown.index.postgres.connection import Place, connect
from memdown.index.postgres.generations import (
    LAYOUT,
    Live,
    move_to_own_shelf,
    read_live,
    write_index,
)
from memdown.index.postgres.link import Link
from memdown.types import FILE_SPAN, SOURCES

# A copied vector goes up to so far towards one of so many neighbours of its original, and by so much
# noise away from the line between them, before it has length 1 again.
_TOWARDS, _NEIGHBOURS, _NOISE = 0.7, 32, 0.2
_COMMON = ("offer", "decision", "project", "last week decisions", "meeting notes about the project")
# Earlier versions of a LanceDB table are kept for two weeks, as by default.
_KEPT_SECONDS = 14 * 24 * 3600.0
_ASKED = 100
_RECALLED = 30
# So many of the nearest chunks a search asks for.
_NEAREST = 40
_VECTORS_AT_ONCE = 5_000
_SERVER = {"shared_buffers": "2GB", "max_wal_size": "8GB", "autovacuum": "off"}


def run(
    base: int, copies: int, engines: Sequence[str], clients: Sequence[int], keep: Path | None
) -> None:
    """Make the index in each engine named, ask it, and print and keep what was measured.

    In `keep` the indexes stay, and are only asked the next time, also by another version of Memdown.
    """
    with workload(base, keep) as (load, folder):
        figures = {name: _ENGINES[name](load, folder, copies, clients) for name in engines}
    save("million", {"base": load.chunks, "copies": copies, "engines": figures})
    print(_shown(figures))


def _postgres(load: Workload, folder: Path, copies: int, clients: Sequence[int]) -> dict[str, Any]:
    is_made = (folder / "server").exists()
    with postgres(folder, **_SERVER) as url:
        write_settings(folder, "postgres", {"driver": "postgres", "url": url})
        figures: dict[str, Any] = {}
        if not is_made:
            figures |= _base(load, folder, "postgres")
            figures |= _stage("copying", lambda: _copy_rows(url, copies))
            figures |= _stage("HNSW", lambda: _improve(url, upkeep.make_index))
            figures |= _stage("lists", lambda: _improve(url, upkeep.put_lists_together))
        _adopt(url, folder)
        with Memory.from_settings(settings_for(load.folder, folder, "postgres")) as memory:
            status = memory.status().store
        figures |= {"chunks": sum(status.chunks.values()), "bytes": status.size_bytes}
        figures |= _asked(load, folder, "postgres")
        figures["recall"] = _recall(url, load)
        figures["clients"] = ask_together(
            load.folder, folder, "postgres", _questions(load), clients
        )
        return figures


def _lancedb(load: Workload, folder: Path, copies: int, clients: Sequence[int]) -> dict[str, Any]:
    place = folder / "lance"
    is_made = place.exists()
    write_settings(folder, "lancedb", {"driver": "lancedb", "url": str(place)})
    figures: dict[str, Any] = {}
    if not is_made:
        figures |= _base(load, folder, "lancedb")
        figures |= _stage("copying", lambda: _copy_lance(place / "main", copies))
        figures |= _stage("indexes", lambda: _index_lance(place / "main"))
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    figures |= {"chunks": load.chunks * (copies + 1), "bytes": size}
    figures |= _asked(load, folder, "lancedb")
    figures["recall"] = _recall_lance(place / "main", load)
    figures["clients"] = ask_together(load.folder, folder, "lancedb", _questions(load), clients)
    return figures


_ENGINES: dict[str, Callable[[Workload, Path, int, Sequence[int]], dict[str, Any]]] = {
    "postgres": _postgres,
    "lancedb": _lancedb,
}


def _base(load: Workload, folder: Path, name: str) -> dict[str, Any]:
    def index() -> None:
        with Memory.from_settings(settings_for(load.folder, folder, name)) as memory:
            memory.sync()

    return _stage("indexing the base", index)


def _stage(name: str, work: Callable[[], None]) -> dict[str, float]:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"{name}: {seconds:,.0f} s", file=sys.stderr, flush=True)
    return {f"{name} s": seconds}


def _copy_rows(url: str, copies: int) -> None:
    """Copy the live generation's rows on a shelf of their own, moved by whole files and blocks."""
    with contextlib.closing(connect(url, None)) as db:
        live = read_live(Place(db, "memdown", "main"), None)
        assert live is not None
        with db.transaction():
            place = move_to_own_shelf(live)
        shelf, generation = place.shelf, place.generation
        ((first, last),) = db.execute(
            f"SELECT min(id), max(id) FROM memdown.files_{shelf}"
        ).fetchall()
        step = (last - first + 1) // 1_000 * 1_000 + 1_000
        keys, base = _read_vectors(db, shelf)
        near, rng = _neighbours(base), np.random.default_rng(1)
        for number in range(1, copies + 1):
            shift = number * step
            with db.transaction():
                _copy_once(db, shelf, number, shift, last)
                moved = keys + shift * FILE_SPAN
                _write_vectors(db, shelf, generation, moved, _moved(base, near, rng))
        db.execute(
            "UPDATE memdown.generations SET chunks = chunks * %s, passages = passages * %s, "
            "tokens = tokens * %s WHERE generation = %s",
            (*[copies + 1] * 3, generation),
        )


def _copy_once(db: Any, shelf: str, number: int, shift: int, last: int) -> None:
    columns = {
        "files": {
            "id": f"id + {shift}",
            "path": f"'copy{number}/' || path",
            "block": f"block + {shift}",
        },
        "chunks": {"key": f"key + {shift * FILE_SPAN}", "id": f"id || '-{number}'"},
        "postings": {"block": f"block + {shift << 12}"},
    }
    bounds = {
        "files": f"id <= {last}",
        "chunks": f"key < {(last + 1) * FILE_SPAN}",
        "postings": f"block >= 0 AND block < {(last + 1) << 12}",
    }
    for name, changed in columns.items():
        target = f"memdown.{name}_{shelf}"
        names = [
            column
            for (column,) in db.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
                "AND NOT attisdropped ORDER BY attnum",
                (target,),
            )
        ]
        values = ", ".join(changed.get(column, column) for column in names)
        db.execute(f"INSERT INTO {target} SELECT {values} FROM {target} WHERE {bounds[name]}")


def _read_vectors(db: Any, shelf: str) -> tuple[Any, Any]:
    rows = db.execute(
        f"SELECT key, embedding FROM memdown.chunks_{shelf} WHERE embedding IS NOT NULL"
    ).fetchall()
    vectors = np.stack([np.frombuffer(packed, np.float32) for _, packed in rows])
    return np.array([key for key, _ in rows], np.int64), vectors


def _write_vectors(db: Any, shelf: str, generation: int, keys: Any, vectors: Any) -> None:
    """Binary rows: three fields, each with its length before it; a vector is 2 bytes a number."""
    dims = vectors.shape[1]
    rows = np.zeros(
        len(keys),
        [("fields", ">i2"), ("length1", ">i4"), ("generation", ">i8"), ("length2", ">i4"),
         ("key", ">i8"), ("length3", ">i4"), ("dims", ">i2"), ("unused", ">i2"),
         ("numbers", ">f2", dims)],
    )  # fmt: skip
    rows["fields"], rows["length1"], rows["length2"], rows["length3"] = 3, 8, 8, 4 + 2 * dims
    rows["generation"], rows["key"], rows["dims"], rows["numbers"] = generation, keys, dims, vectors
    with db.cursor().copy(f"COPY memdown.vectors_{shelf} FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + rows.tobytes() + b"\xff\xff")


def _neighbours(vectors: Any) -> Any:
    """The rows of the nearest vectors of each, the vector itself left out; int32 (n, _NEIGHBOURS)."""
    found = np.empty((len(vectors), _NEIGHBOURS), np.int32)
    for start in range(0, len(vectors), _VECTORS_AT_ONCE):
        alike = vectors[start : start + _VECTORS_AT_ONCE] @ vectors.T
        alike[np.arange(len(alike)), np.arange(start, start + len(alike))] = -2
        found[start : start + len(alike)] = np.argpartition(-alike, _NEIGHBOURS)[:, :_NEIGHBOURS]
    return found


def _moved(vectors: Any, neighbours: Any, rng: np.random.Generator) -> Any:
    """Each vector somewhere between itself and one of its neighbours."""
    drawn = neighbours[np.arange(len(vectors)), rng.integers(_NEIGHBOURS, size=len(vectors))]
    share = rng.uniform(0, _TOWARDS, (len(vectors), 1)).astype(np.float32)
    noise = rng.standard_normal(vectors.shape, np.float32) * (_NOISE / vectors.shape[1] ** 0.5)
    moved = (1 - share) * vectors + share * vectors[drawn] + noise
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


def _improve(url: str, work: Callable[[Link, Live], None]) -> None:
    """Do now what the product does in the background after a sync."""
    with contextlib.closing(Link(url, None, "main", "memdown", None)) as link:
        with link.reading() as db:
            live = link.live(db)
        assert live is not None
        work(link, live)


def _adopt(url: str, folder: Path) -> None:
    """Use an index that another version made as if this one had made it: what it holds is nearly the same,
    and how long a search takes is what is measured."""
    place = folder / "bare"
    place.mkdir(exist_ok=True)
    (place / "MEMORY.md").write_text("One note.\n")
    settings = load_settings(workspace=place, environ={"MEMDOWN_STATE_DIR": str(place)})
    with Memory.from_settings(settings) as memory:
        memory.sync()
        ours = memory.index.store.fingerprint()
    with contextlib.closing(connect(url, None)) as db:
        live = read_live(Place(db, "memdown", "main"), None)
        assert live is not None
        assert ours is not None
        ours = replace(ours, dims=live.fingerprint.dims)
        if ours == live.fingerprint:
            return
        print(f"the index was made by another version: {live.fingerprint}", file=sys.stderr)
        db.execute("DELETE FROM memdown.indexes WHERE live = %s", (live.place.generation,))
        write_index(live.place, ours)
    with contextlib.closing(
        sqlite3.connect(folder / "state" / "memory" / "main.host.sqlite")
    ) as host:
        host.execute("UPDATE chosen SET variant = ?", (variant_of(ours, LAYOUT),))
        host.commit()


def _copy_lance(place: Path, copies: int) -> None:
    import lancedb
    import pyarrow as pa

    from memdown.index.lancedb.connection import EngineClient, Tables
    from memdown.index.lancedb.database import read_pointers

    (pointer,) = read_pointers(Tables(EngineClient(str(place)))).values()
    live = lancedb.connect(place).open_table(pointer.table)
    base = live.to_arrow().combine_chunks()
    keys, files = base["key"].to_numpy(), base["file"].to_numpy()
    step = int(max(files[files < 1 << 36]) + 1_000)
    dims = base.schema.field("embedding").type.list_size
    vectors = base["embedding"].combine_chunks()
    flat = np.nan_to_num(vectors.fill_null([0.0] * dims).flatten().to_numpy().reshape(-1, dims))
    near, rng = _neighbours(flat), np.random.default_rng(1)
    for number in range(1, copies + 1):
        shift = number * step
        moved = _moved(flat, near, rng).astype(np.float32)
        changed = {
            "key": pa.array(np.where(keys < 0, keys - shift, keys + shift * FILE_SPAN)),
            "file": pa.array(files + shift),
            "path": pa.array([f"copy{number}/{path}" for path in base["path"].to_pylist()]),
            "embedding": pa.FixedSizeListArray.from_arrays(
                pa.array(moved.ravel()), dims, mask=vectors.is_null()
            ),
        }
        new = base
        for name, values in changed.items():
            at = new.schema.get_field_index(name)
            new = new.set_column(at, new.schema.field(name), values)
        live.add(new, on_bad_vectors="null")


def _recall_lance(place: Path, load: Workload) -> float:
    """Which share of the true first six a search is given, for the vectors of some questions."""
    import lancedb

    from memdown.index.lancedb.connection import EngineClient, Tables
    from memdown.index.lancedb.database import read_pointers
    from memdown.index.lancedb.reading import PROBES, REFINED

    (pointer,) = read_pointers(Tables(EngineClient(str(place)))).values()
    live: Any = lancedb.connect(place).open_table(pointer.table)
    found = wanted = 0
    for vector in BundledEmbedder().embed_batch(_questions(load)[:_RECALLED]):
        query = live.search(vector, vector_column_name="embedding").distance_type("cosine")
        query = query.select(["key", "_distance"]).limit(_NEAREST)
        near = query.nprobes(PROBES).refine_factor(REFINED).to_arrow()["key"].to_pylist()
        query = live.search(vector, vector_column_name="embedding").distance_type("cosine")
        exact = query.select(["key", "_distance"]).limit(6).bypass_vector_index().to_arrow()
        found += len({*near[:6]} & {*exact["key"].to_pylist()})
        wanted += len(exact)
    return found / max(1, wanted)


def _index_lance(place: Path) -> None:
    from memdown.index.lancedb.connection import EngineClient, Tables
    from memdown.index.lancedb.database import read_pointers
    from memdown.index.lancedb.reading import make_indexes

    db = Tables(EngineClient(str(place)))
    (pointer,) = read_pointers(db).values()
    make_indexes(db, pointer.table)
    db.optimize(pointer.table, _KEPT_SECONDS)


def _questions(load: Workload) -> list[str]:
    step = max(1, len(load.questions) // _ASKED)
    return [*_COMMON, *(question.text for question in load.questions[::step])]


def _asked(load: Workload, folder: Path, name: str) -> dict[str, Any]:
    """One client: some questions to warm up, then others; the common words apart."""
    asked = _questions(load)
    before = [question.text for question in load.questions if question.text not in asked]
    measured = ask_in_process(load.folder, folder, name, asked, before[:_ASKED])
    walls: list[float] = measured.pop("walls")
    measured.pop("found")
    return measured | {"common": dict(zip(_COMMON, walls, strict=False))}


def _recall(url: str, load: Workload) -> float:
    """Which share of the true first six the index gives, for the vectors of some questions."""
    asked = BundledEmbedder().embed_batch(_questions(load)[:_RECALLED])
    found = wanted = 0
    with contextlib.closing(connect(url, None)) as db:
        live = read_live(Place(db, "memdown", "main"), None)
        assert live is not None
        for vector in asked:
            with db.transaction():
                near = vectors.nearest(live.place, vector, SOURCES, 6, chunks=live.chunks)
            with db.transaction():
                exact = vectors.nearest(live.place, vector, SOURCES, 6, chunks=0)
            found += len({*near} & {*exact})
            wanted += len(exact)
    return found / max(1, wanted)


def _shown(figures: dict[str, dict[str, Any]]) -> str:
    columns = ("wall p50", "wall p95", "worst", "CPU p50")
    each = [
        (
            name,
            f"{row['chunks']:,}",
            f"{row['bytes'] / 1e9:.1f}",
            milliseconds(row["first s"]),
            *(milliseconds(row[column]) for column in columns),
            f"{row['client MB']:.0f}",
        )
        for name, row in figures.items()
    ]
    header = ("engine", "chunks", "GB", "first ms", *columns, "client MB")
    together = [
        (name, *clients_shown(count, one))
        for name, row in figures.items()
        for count, one in row["clients"].items()
    ]
    return "\n".join(
        [
            table("a million chunks (ms, warm)", header, each),
            table("clients, each a process", ("engine", *CLIENT_COLUMNS), together),
        ]
    )
