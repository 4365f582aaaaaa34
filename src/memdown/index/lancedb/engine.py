"""The engine process: the one process of a user on a host that loads LanceDB, for all who ask it.

LanceDB and PyArrow are 100 MB of programs, and their threads keep as much again for themselves; here that is
paid once, with an environment that a library must not change for the program that uses it. A request and its
answer are plain values, packed by `marshal`: a column is a list, a column of vectors a tuple (`as_columns`).
Run by its path, so that nothing else of Memdown is loaded:

    engine.py SOCKET LOCK SECONDS-WITHOUT-CLIENTS SECONDS-WITHOUT-REQUESTS
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import marshal
import os
import socket
import struct
import sys
import threading
import time
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

# How many opened tables are kept, and how much of their files, of all databases together.
_MOST_TABLES = 64
# Rows of so many files are kept, of all databases together: every search needs some hundred of them.
_MOST_FILES = 100_000
_INDEX_CACHE, _METADATA_CACHE = 768 << 20, 64 << 20
# Whoever does not take an answer for so long is not there any more.
_SEND_SECONDS = 120.0
_WAITING_CLIENTS = 256
_ALL = (1 << 31) - 1
# Asked for like a column: where a row lies in its version, by which it is found again without a look-up.
PLACE = "_rowid"
_LENGTH = struct.Struct("<Q")
_PEER = struct.Struct("3i")
_READ_BYTES = 1 << 20

Columns = dict[str, Any]
Rows = dict[int, tuple[Any, ...]]


def send(link: socket.socket, value: Any, descriptor: int | None = None) -> None:
    """Send a plain value, and a file that is to be kept open until the other side has done with it."""
    data = marshal.dumps(value)
    length = _LENGTH.pack(len(data))
    if descriptor is None:
        link.sendall(length)
    else:
        socket.send_fds(link, [length], [descriptor])
    link.sendall(data)


def receive(link: socket.socket, descriptors: list[int] | None = None) -> Any:
    """What was sent; EOFError if the other side has gone. Files that came along go into `descriptors`."""
    length = b""
    while len(length) < _LENGTH.size:
        if descriptors is None:
            part = link.recv(_LENGTH.size - len(length))
        else:
            part, came, _, _ = socket.recv_fds(link, _LENGTH.size - len(length), 1)
            descriptors += came
        if not part:
            raise EOFError
        length += part
    (left,) = _LENGTH.unpack(length)
    data = bytearray(left)
    view = memoryview(data)
    while view:
        count = link.recv_into(view, min(len(view), _READ_BYTES))
        if not count:
            raise EOFError
        view = view[count:]
    # Only processes of this user get to the socket.
    return marshal.loads(data)  # noqa: S302


def peer(link: socket.socket) -> tuple[int, int]:
    """The process at the other end, and its user; 0 and this user where the system does not say.

    Then the folder alone, which is this user's, keeps others away.
    """
    if sys.platform != "linux":
        return 0, os.geteuid()
    process, user, _ = _PEER.unpack(
        link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    )
    return process, user


class Databases:
    """The databases and tables that are open; the least recently used are closed. Thread-safe."""

    def __init__(self) -> None:
        import lancedb

        self._lancedb = lancedb
        self._session = lancedb.Session(_INDEX_CACHE, _METADATA_CACHE)
        self._open: dict[str, Any] = {}
        self._tables: OrderedDict[tuple[str, str, int | None], Any] = OrderedDict()
        self._files: OrderedDict[tuple[str, str, int], Rows] = OrderedDict()
        self._lock = threading.Lock()
        self._writing: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def writing(self, place: str) -> threading.Lock:
        """Held by whoever writes to a database: one request is done after the other."""
        with self._lock:
            return self._writing[place]

    def database(self, place: str) -> Any:
        """The database in a folder or at an address."""
        with self._lock:
            found = self._open.get(place)
        if found is None:
            # Every read sees what other processes have written.
            found = self._lancedb.connect(
                place, read_consistency_interval=datetime.timedelta(0), session=self._session
            )
            with self._lock:
                self._open[place] = found
        return found

    def latest(self, place: str, name: str) -> Any:
        """A table that sees what others write; None if there is none."""
        return self._kept(place, name, None)

    def at(self, place: str, name: str, version: int) -> Any:
        """One version of a table, which stays what it is."""
        return self._kept(place, name, version)

    def _kept(self, place: str, name: str, version: int | None) -> Any:
        key = (place, name, version)
        with self._lock:
            table = self._tables.get(key)
            if table is not None:
                self._tables.move_to_end(key)
                return table
        try:
            table = self.database(place).open_table(name)
        except (ValueError, FileNotFoundError) as error:
            if version is None and "not found" in str(error).lower():
                return None
            raise
        if version is not None:
            table.checkout(version)
        with self._lock:
            self._tables[key] = table
            while len(self._tables) > _MOST_TABLES:
                self._tables.popitem(last=False)
        return table

    def files(self, place: str, name: str, version: int) -> Rows:
        """What is kept of the files of one version of a table, by their keys."""
        key = (place, name, version)
        with self._lock:
            kept = self._files.setdefault(key, {})
            self._files.move_to_end(key)
            while sum(map(len, self._files.values())) > _MOST_FILES:
                self._files.popitem(last=False)
        return kept

    def forget(self, place: str) -> None:
        """Close a database with all its tables."""
        with self._lock:
            self._open.pop(place, None)
            for key in [key for key in self._tables if key[0] == place]:
                del self._tables[key]
            for one in [one for one in self._files if one[0] == place]:
                del self._files[one]


def as_columns(found: Any) -> Columns:
    """Columns of an Arrow table as lists; vectors as their length, the numbers, and which rows have one."""
    import pyarrow as pa

    columns: Columns = {}
    for name in found.schema.names:
        column = found[name]
        if not pa.types.is_fixed_size_list(column.type):
            columns[name] = column.to_pylist()
            continue
        has = column.is_valid()
        some = column.filter(has)
        flat = some.combine_chunks().flatten().to_numpy() if len(some) else None
        numbers = b"" if flat is None else flat.astype("<f4").tobytes()
        columns[name] = (column.type.list_size, numbers, has.to_pylist())
    return columns


def as_arrow(columns: Columns, schema: Any) -> Any:
    """The Arrow table of some columns; what is not given is null."""
    import numpy as np
    import pyarrow as pa

    count = max((_length(column) for column in columns.values()), default=0)
    arrays = []
    for field in schema:
        column = columns.get(field.name, [None] * count)
        if isinstance(column, tuple):
            dims, numbers, has = column
            flat = np.zeros((count, dims), np.float32)
            flat[np.array(has, bool)] = np.frombuffer(numbers, "<f4").reshape(-1, dims)
            lacks = pa.array(~np.array(has, bool))
            arrays.append(
                pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), dims, mask=lacks)
            )
        else:
            arrays.append(pa.array(column, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def _length(column: Any) -> int:
    return len(column[2] if isinstance(column, tuple) else column)


def _schema(fields: Sequence[tuple[str, str | int]]) -> Any:
    """The columns of a table: each with its type, or the length of its vectors."""
    import pyarrow as pa

    return pa.schema(
        [
            (name, pa.list_(pa.float32(), kind) if isinstance(kind, int) else kind)
            for name, kind in fields
        ]
    )


def _names(dbs: Databases, place: str) -> list[str]:
    names: list[str] = []
    token = None
    while True:
        page = dbs.database(place).list_tables(page_token=token)
        names += page.tables
        token = page.page_token
        if not token:
            return names


def _open(dbs: Databases, place: str, name: str) -> tuple[int, list[str]] | None:
    table = dbs.latest(place, name)
    return None if table is None else (table.version, table.schema.names)


def _rows(dbs: Databases, place: str, name: str) -> Columns | None:
    table = dbs.latest(place, name)
    return None if table is None else as_columns(table.to_arrow())


def _files(
    dbs: Databases, place: str, name: str, version: int, columns: list[str], keys: list[int]
) -> Columns:
    """Columns of the rows of files, always the same ones; a row is read once."""
    kept = dbs.files(place, name, version)
    if missing := [key for key in keys if key not in kept]:
        where = f"key IN ({', '.join(map(str, missing))})"
        found = _select(dbs.at(place, name, version), columns, where, None)
        kept.update(
            zip(found["key"], zip(*(found[one] for one in columns), strict=True), strict=True)
        )
    some = [kept[key] for key in keys if key in kept]
    return {one: [row[at] for row in some] for at, one in enumerate(columns)}


def _indexed(table: Any) -> list[str]:
    """The columns that have an index, unless it is of the kind that vectors had before."""
    return [
        column
        for index in table.list_indices()
        for column in index.columns
        if index.index_type != "IvfPq"
    ]


def _small_files(table: Any) -> int:
    return int(table.stats()["fragment_stats"]["num_small_fragments"])


def _count(table: Any, where: str | None) -> int:
    return int(table.count_rows(where))


def _columns(query: Any, columns: list[str]) -> Any:
    """A query for some columns; the place of a row is none of them for LanceDB."""
    if PLACE not in columns:
        return query.select(columns)
    return query.select([name for name in columns if name != PLACE]).with_row_id(True)


def _select(table: Any, columns: list[str], where: str | None, limit: int | None) -> Columns:
    query = _columns(table.search(), columns).limit(limit or _ALL)
    return as_columns((query.where(where) if where else query).to_arrow())


def _take(table: Any, columns: list[str], offsets: list[int]) -> Columns:
    return as_columns(table.take_offsets(offsets).select(columns).to_arrow())


def _at_places(table: Any, columns: list[str], places: list[int]) -> Columns:
    return as_columns(table.take_row_ids(places).select(columns).to_arrow())


def _words(
    table: Any, columns: list[str], column: str, words: str, where: str | None, limit: int
) -> Columns:
    from lancedb.query import MatchQuery

    asked = MatchQuery(words, column)  # type: ignore[call-arg]
    query = _columns(table.search(asked, query_type="fts").limit(limit), [*columns, "_score"])
    return as_columns((query.where(where, prefilter=True) if where else query).to_arrow())


def _nearest(
    table: Any,
    columns: list[str],
    column: str,
    vector: bytes,
    where: str | None,
    limit: int,
    probes: int,
    refined: int,
) -> Columns:
    import numpy as np

    query = table.search(np.frombuffer(vector, "<f4"), vector_column_name=column)
    query = _columns(query.distance_type("cosine").limit(limit), [*columns, "_distance"])
    query = query.nprobes(probes).refine_factor(refined)
    return as_columns((query.where(where, prefilter=True) if where else query).to_arrow())


def _create(
    dbs: Databases, place: str, name: str, fields: list[tuple[str, str | int]], rows: Columns
) -> None:
    schema = _schema(fields)
    made = as_arrow(rows, schema) if rows else None
    dbs.database(place).create_table(name, made, schema=schema, exist_ok=True)


def _drop(dbs: Databases, place: str, name: str) -> None:
    dbs.database(place).drop_table(name, ignore_missing=True)
    dbs.forget(place)


def _drop_all(dbs: Databases, place: str) -> None:
    dbs.database(place).drop_all_tables()
    dbs.forget(place)


def _add_column(table: Any, field: tuple[str, str | int]) -> None:
    if field[0] not in table.schema.names:
        table.add_columns(_schema([field]).field(0))


def _add(table: Any, rows: Columns) -> None:
    table.add(as_arrow(rows, table.schema), on_bad_vectors="null")


def _merge(table: Any, key: str, rows: Columns, gone: str | None) -> None:
    merge = table.merge_insert(key).when_matched_update_all().when_not_matched_insert_all()
    if gone:
        merge = merge.when_not_matched_by_source_delete(gone)
    merge.execute(as_arrow(rows, table.schema), on_bad_vectors="null")


def _delete(table: Any, where: str) -> None:
    table.delete(where)


def _update(table: Any, where: str, values: dict[str, Any]) -> None:
    table.update(where=where, values=values)


def _optimize(table: Any, kept_seconds: float) -> None:
    """Put files together and clear older versions; if none is kept, also what a killed writer left."""
    kept = datetime.timedelta(seconds=kept_seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table.optimize(cleanup_older_than=kept, delete_unverified=not kept_seconds)


def _rewrite(table: Any) -> None:
    """Write every row anew: compaction leaves rows in their file until a tenth of it is deleted."""
    column = table.schema.names[0]
    table.update(where="true", values_sql={column: column})


def _index(table: Any, column: str, kind: str) -> None:
    """An index by key, of words as they stand between white space, or of vectors: those at a byte a number."""
    from lancedb.index import FTS, BTree, IvfSq

    words = FTS(
        base_tokenizer="whitespace",
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )
    configs = {"keys": BTree(), "words": words, "vectors": IvfSq(distance_type="cosine")}
    if column not in _indexed(table):
        # There may be one of the kind before.
        table.create_index(column, config=configs[kind], replace=True)


# What is done with databases, with one version of a table, and with a table as it is now.
_OF_DATABASES: dict[str, Callable[..., Any]] = {
    "names": _names,
    "open": _open,
    "rows": _rows,
    "files": _files,
    "forget": Databases.forget,
    "create": _create,
    "drop": _drop,
    "drop all": _drop_all,
}
_OF_VERSIONS: dict[str, Callable[..., Any]] = {
    "indexed": _indexed,
    "small files": _small_files,
    "count": _count,
    "select": _select,
    "take": _take,
    "at places": _at_places,
    "words": _words,
    "nearest": _nearest,
}
_OF_TABLES: dict[str, Callable[..., Any]] = {
    "add column": _add_column,
    "add": _add,
    "merge": _merge,
    "delete": _delete,
    "update": _update,
    "optimize": _optimize,
    "rewrite": _rewrite,
    "index": _index,
}
_READS = {"names", "open", "rows", "files", "forget", *_OF_VERSIONS}


def perform(dbs: Databases, place: str, operation: str, arguments: Sequence[Any]) -> Any:
    """Do what a client asks for; `arguments` begin with a table's name, and its version to read."""
    if operation in _OF_DATABASES:
        return _OF_DATABASES[operation](dbs, place, *arguments)
    name, *rest = arguments
    if operation in _OF_VERSIONS:
        return _OF_VERSIONS[operation](dbs.at(place, name, rest[0]), *rest[1:])
    return _OF_TABLES[operation](dbs.database(place).open_table(name), *rest)


# What every connection begins with, and what tells that this process still answers.
HELLO = "hello"


class EngineService:
    """Answers all clients, each in a thread, until none has been there, or asked, for some time."""

    def __init__(self, name: str, without_clients: float, without_requests: float) -> None:
        self._name = name
        self._limits = without_clients, without_requests
        self._databases = Databases()
        self._clients = self._writes = 0
        self._last = time.monotonic()
        self._lock = threading.Lock()

    def run(self, listening: socket.socket, lock: str) -> None:
        """Take in clients; ends when nobody needs this any more."""
        listening.settimeout(min(1.0, self._limits[0]))
        while True:
            try:
                link, _ = listening.accept()
            except TimeoutError:
                if self._is_needed():
                    continue
                descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                with contextlib.suppress(BlockingIOError):
                    # Whoever starts an engine has this locked: it may want this one.
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                os.close(descriptor)
                continue
            if peer(link)[1] != os.geteuid():
                link.close()
                continue
            with self._lock:
                self._clients += 1
            link.settimeout(None)
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _is_needed(self) -> bool:
        with self._lock:
            # A read that takes so long gets no answer from its storage.
            limit = self._limits[1 if self._clients else 0]
            return self._writes > 0 or time.monotonic() - self._last < limit

    def _serve(self, link: socket.socket) -> None:
        # The writer's lock: it is held for a client that dies until what it asked for is done.
        held: list[int] = []
        try:
            with link:
                while True:
                    request = receive(link, held)
                    answer = self._answer(request)
                    link.settimeout(_SEND_SECONDS)
                    send(link, answer)
                    link.settimeout(None)
                    del request, answer
        except (EOFError, OSError):
            return
        finally:
            for descriptor in held:
                os.close(descriptor)
            with self._lock:
                self._clients -= 1
                self._last = time.monotonic()

    def _answer(self, request: Any) -> tuple[str, Any]:
        operation, place, arguments = request
        if operation == HELLO:
            return "done", self._name
        is_write = operation not in _READS
        turn = self._databases.writing(place) if is_write else contextlib.nullcontext()
        with self._lock:
            self._writes += is_write
            self._last = time.monotonic()
        try:
            with turn:
                return "done", self._perform(place, operation, arguments)
        except Exception as error:
            return "failed", str(error).strip() or type(error).__name__
        finally:
            with self._lock:
                self._writes -= is_write
                self._last = time.monotonic()

    def _perform(self, place: str, operation: str, arguments: Sequence[Any]) -> Any:
        try:
            return perform(self._databases, place, operation, arguments)
        except Exception:
            # What was open may be what is wrong: of a folder that was deleted, and made anew.
            self._databases.forget(place)
            if operation not in _READS:
                raise
            return perform(self._databases, place, operation, arguments)


def main(place: str, lock: str, without_clients: str, without_requests: str) -> None:
    """Answer at a socket; what is printed before `ready` says why it cannot."""
    name = place.rpartition("/")[2]
    service = EngineService(name, float(without_clients), float(without_requests))
    with socket.socket(socket.AF_UNIX) as listening:
        usual = os.umask(0o177)
        listening.bind(place)
        os.umask(usual)
        mine = os.stat(place).st_ino  # noqa: PTH116
        listening.listen(_WAITING_CLIENTS)
        print("ready", flush=True)
        with open(os.devnull, "r+b") as nothing:  # noqa: PTH123
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        service.run(listening, lock)
        with contextlib.suppress(FileNotFoundError):
            if os.stat(place).st_ino == mine:  # noqa: PTH116
                os.unlink(place)  # noqa: PTH108
    # A thread that waits for a storage keeps nobody.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
