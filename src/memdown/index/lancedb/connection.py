"""The way to the engine process, which is started when it is needed, and the tables that it keeps."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memdown.errors import DiskFull, MissingExtra, StoreError
from memdown.files import acquire_or_fail, open_file, release
from memdown.index.lancedb import engine
from memdown.types import Vector, Vectors

# How long a search waits for what it can do without, and for one answer that it needs. After the latter
# nobody asks for a while: a storage that is silent stays so for the next.
PATIENCE_SECONDS = 1.5
READ_SECONDS = 10.0
_SILENT_SECONDS = 5.0
# What tells most comes first.
_REASONS = (
    (r"<Code>(\w+)</Code>\s*<Message>([^<]*)", "{0}: {1}"),
    (r"Failed to get (\w+) credentials", "no credentials of {0} were found"),
    (r"TokenRequest", "no credentials were found"),
    (r"source: BadScheme", "plain http is only used if AWS_ALLOW_HTTP is true"),
    (r"failed to lookup address information: ([^\"]*)", "{0}"),
    (r"(Connection refused|Connection reset|timed out|Network is unreachable)", "{0}"),
    (r"inner: Status \{ status: (\d{3})", "status {0}"),
    (r"(No object store provider found for scheme: '\w*')", "{0}"),
    (r"(no Azure account name in URI, and no storage account configured)", "{0}"),
)
# An engine process that does not say hello for so long, however long its work may take, is ended.
ALIVE_SECONDS = 3.0
_START_SECONDS = 60.0
# It ends by itself when it has had no client for so long, or clients that ask nothing.
_WITHOUT_CLIENTS, _WITHOUT_REQUESTS = 60.0, 900.0
# Storage that is reached by the network has settings and secrets in the environment; nothing else goes there.
_OF_STORAGE = (
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "GCP_",
    "OSS_",
    "ALIBABA_",
    "OBJECT_STORE_",
    "HF_",
    "SSL_CERT_",
)
_ALSO_OF_STORAGE = {"HOME", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
_OF_ALL = ("LANCE_", "LANCEDB_", "LD_LIBRARY_PATH", "PYTHONPATH", "MALLOC_ARENA_MAX", "TMPDIR")
_FEW_ARENAS = "2"
# An address of a socket is no longer.
_LONGEST = 107
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class EngineFailed(RuntimeError):
    """What LanceDB says is wrong, or what is with its process."""


class _Lost(Exception):
    """The engine process went away in the middle."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Until when an answer is waited for (monotonic clock), and whether it is needed."""

    until: float
    is_needed: bool


def needed() -> Limit:
    """The limit of what a search needs."""
    return Limit(time.monotonic() + READ_SECONDS, is_needed=True)


@contextlib.contextmanager
def mapped(place: str) -> Iterator[None]:
    """Turns the errors of a block into ours; LanceDB tells them apart by their text only."""
    try:
        yield
    except TimeoutError as error:
        raise StoreError(
            f"The index {place} cannot be reached ({error}); check the network and the storage, then "
            "ask again."
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        storage = _storage_reason(str(error)) if "://" in place else None
        if storage is not None:
            raise StoreError(
                f"The index {place} cannot be reached ({storage}); check the address, the network and "
                "the credentials in the environment."
            ) from error
        text = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        if "No space left" in str(error):
            raise DiskFull(
                f"No space left for the index {place}; free some and run `memdown index` again "
                "(your notes are untouched)."
            ) from error
        raise StoreError(
            f"The index {place} cannot be used ({text}); check the address and its permissions, "
            "or make it anew with `memdown index --force`."
        ) from error


def _storage_reason(text: str) -> str | None:
    """What a storage has against a request, out of what all layers of a program print of it; None if it is
    not about that."""
    for pattern, reason in _REASONS:
        if found := re.search(pattern, text):
            return reason.format(*found.groups())
    return None


def _environment(place: str) -> dict[str, str]:
    """What an engine process for this place has in its environment, besides where programs are."""
    is_remote = "://" in place
    given = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_OF_ALL)
        or (is_remote and (name.startswith(_OF_STORAGE) or name.upper() in _ALSO_OF_STORAGE))
    }
    threads = str(max(2, min(8, os.cpu_count() or 2)))
    # Every thread of LanceDB keeps for itself what it has freed, and it begins dozens.
    usual = {
        "MALLOC_ARENA_MAX": _FEW_ARENAS,
        "LANCE_CPU_THREADS": threads,
        "LANCE_IO_THREADS": threads,
    }
    return usual | given


@cache
def _version() -> str:
    """Tells this code, Python and LanceDB from others: clients of another version have their own engine.

    As have those that see other files under the same path, since they are in a sandbox.
    """
    found = importlib.util.find_spec("lancedb")
    if found is None or found.origin is None:
        raise MissingExtra("LanceDB", "lancedb")
    made = Path(found.origin).stat().st_mtime_ns
    code = hashlib.sha256(Path(engine.__file__).read_bytes()).hexdigest()
    root, mounts = Path("/").stat(), Path("/proc/self/ns/mnt")
    sees = (root.st_dev, root.st_ino, mounts.readlink().name if mounts.is_symlink() else "")
    return f"{code} {sys.executable} {found.origin} {made} {sees}"


def runtime_folder(length: int) -> Path:
    """A folder for sockets with names of this `length`, where nobody but this user gets in."""
    tops = [os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"]  # noqa: S108
    problem = OSError(
        "no folder for the socket of the engine process has a name that is short enough"
    )
    for top in filter(None, tops):
        folder = Path(top, f"memdown-{os.geteuid()}")
        if len(os.fsencode(folder)) + 1 + length > _LONGEST:
            continue
        try:
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            facts = folder.lstat()
        except OSError as error:
            problem = error
            continue
        if (
            not stat.S_ISDIR(facts.st_mode)
            or facts.st_uid != os.geteuid()
            or facts.st_mode & _OTHERS
        ):
            problem = PermissionError(f"{folder} is not a folder of this user alone: delete it")
            continue
        return folder
    raise problem


class EngineClient:
    """The way to the engine process that serves a place. Thread-safe: each thread has a socket of its own."""

    def __init__(self, place: str) -> None:
        self._environment = _environment(place)
        self.place = place
        about = f"{_version()} {sorted(self._environment.items())}"
        self._name = hashlib.sha256(about.encode(errors="surrogateescape")).hexdigest()[:16]
        self._lock = threading.Lock()
        self._idle: list[socket.socket] = []
        self._process = os.getpid()
        self._silent_until = 0.0
        # The file that makes this the one writer, and the sockets whose other side has it, too.
        self._held: int | None = None
        self._holding: list[socket.socket] = []
        self._was_left = False
        # A memory that nobody closed leaves nothing open either.
        weakref.finalize(self, _close_all, self._idle, self._holding)

    def reach(self) -> None:
        """Start the engine if it was never there: that is no fault of a storage that is waited for."""
        if not self._idle:
            self.ask(engine.HELLO)

    def hold(self, descriptor: int) -> None:
        """From now on the engine has this locked file, too, while it does what it is asked for here."""
        self._held, self._was_left = descriptor, False

    def let_go(self) -> bool:
        """The engine has it no longer; False if it is still at something that nobody waited for."""
        with self._lock:
            self._held = None
            _close_all(self._holding)
        return not self._was_left

    def ask(
        self,
        operation: str,
        *arguments: object,
        limit: Limit | None = None,
        is_write: bool = False,
        again: tuple[object, ...] = (),
    ) -> Any:
        """What the engine answers; asked once more of a new one if it goes away meanwhile.

        `again` is the request that is then made instead, if the same one could be done twice.
        """
        now = time.monotonic()
        if limit is not None and now < self._silent_until:
            raise TimeoutError(f"it has not answered for {READ_SECONDS:.0f} seconds")
        if limit is not None and limit.until <= now:
            raise TimeoutError("there is no time left")
        request: tuple[object, ...] = (operation, *arguments)
        for _ in range(2):
            try:
                done, answer = self._asked(request, limit, is_write)
            except _Lost:
                request = again or request
                continue
            if done != "done":
                raise EngineFailed(answer)
            return answer
        raise EngineFailed("the process that runs LanceDB ended twice while it worked on this")

    def _asked(self, request: tuple[object, ...], limit: Limit | None, is_write: bool) -> Any:
        held = self._held if is_write else None
        idle = self._idle if held is None else self._holding
        link, is_new = self._taken(idle)
        try:
            descriptor = held if is_new else None
            operation, *arguments = request
            begun = time.monotonic()
            self._send(link, (operation, self.place, tuple(arguments)), descriptor)
            self._wait(link, begun, limit)
            try:
                answer = engine.receive(link)
            except (EOFError, OSError) as error:
                raise _Lost from error
        except BaseException as error:
            self._was_left = self._was_left or (is_write and not isinstance(error, _Lost))
            link.close()
            raise
        with self._lock:
            (self._idle if held is None else self._holding).append(link)
        return answer

    def _send(self, link: socket.socket, request: object, descriptor: int | None) -> None:
        """Send a request; an engine that takes nothing for a while is looked at."""
        link.settimeout(ALIVE_SECONDS)
        try:
            engine.send(link, request, descriptor)
        except TimeoutError as error:
            _end(link)
            raise _Lost from error
        except OSError as error:
            raise _Lost from error
        finally:
            link.settimeout(None)

    def _wait(self, link: socket.socket, begun: float, limit: Limit | None) -> None:
        """Wait for the beginning of an answer, and see now and then that the process still lives."""
        looked = begun
        while True:
            now = time.monotonic()
            left = ALIVE_SECONDS - (now - looked)
            if limit is not None:
                left = min(left, limit.until - now)
            if select.select([link], [], [], max(0.0, left))[0]:
                return
            now = time.monotonic()
            is_late = limit is not None and now >= limit.until
            if not is_late or limit is None or limit.is_needed:
                self._look(link)
                looked = time.monotonic()
            if is_late and limit is not None:
                if limit.is_needed:
                    self._silent_until = time.monotonic() + _SILENT_SECONDS
                raise TimeoutError(f"it has not answered for {now - begun:.1f} seconds")

    def _look(self, link: socket.socket) -> None:
        """End the process at the other side of a socket if it answers nobody."""
        try:
            self._connect().close()
        except TimeoutError as error:
            _end(link)
            raise _Lost from error
        except (EOFError, OSError):
            # Another one may be there by now; this socket will tell that its own is gone.
            return

    def _taken(self, idle: list[socket.socket]) -> tuple[socket.socket, bool]:
        """One of the sockets that are idle, or a new one, and whether it is new."""
        with self._lock:
            if self._process != os.getpid():
                # A forked process has sockets of its own.
                self._process = os.getpid()
                _close_all(self._idle, self._holding)
            if idle:
                return idle.pop(), False
        try:
            return self._connect(), True
        except (EOFError, OSError):
            return self._started(), True

    def _connect(self) -> socket.socket:
        """A socket to an engine process that has answered; TimeoutError from one that is frozen."""
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(ALIVE_SECONDS)
        try:
            link.connect(str(self._socket))
            if engine.peer(link)[1] != os.geteuid():
                raise PermissionError("the engine process is another user's")
            engine.send(link, (engine.HELLO, "", ()))
            if engine.receive(link) != ("done", self._name):
                raise OSError("the engine process is of another version")
        except BaseException:
            link.close()
            raise
        link.settimeout(None)
        return link

    @property
    def _socket(self) -> Path:
        return runtime_folder(len(self._name)) / self._name

    def _started(self) -> socket.socket:
        """A socket to an engine process, which is made unless another client has just done it."""
        place = self._socket
        lock = place.with_name(f"lock-{self._name[0]}")
        descriptor = open_file(lock, os.O_RDWR)
        try:
            acquire_or_fail(descriptor, _START_SECONDS)
            try:
                return self._connect()
            except TimeoutError:
                self._end_frozen()
            except (EOFError, OSError):
                pass
            place.unlink(missing_ok=True)
            _start(place, lock, self._environment)
            return self._connect()
        finally:
            release(descriptor)

    def _end_frozen(self) -> None:
        """End the process that has the socket and answers nobody."""
        with socket.socket(socket.AF_UNIX) as link, contextlib.suppress(OSError):
            link.settimeout(ALIVE_SECONDS)
            link.connect(str(self._socket))
            _end(link)

    def close(self) -> None:
        """Let go of the engine process."""
        with self._lock:
            _close_all(self._idle, self._holding)


def _close_all(*groups: list[socket.socket]) -> None:
    for links in groups:
        while links:
            links.pop().close()


def _end(link: socket.socket) -> None:
    """End the process at the other side of a socket."""
    process, user = engine.peer(link)
    if process and user == os.geteuid():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _start(place: Path, lock: Path, environment: Mapping[str, str]) -> None:
    """Start an engine process, and wait until it answers."""
    limits = (str(_WITHOUT_CLIENTS), str(_WITHOUT_REQUESTS))
    # A session of its own: what is typed at a client's terminal does not reach it.
    process = subprocess.Popen(
        [sys.executable, "-P", engine.__file__, str(place), str(lock), *limits],
        env={"PATH": os.environ.get("PATH", os.defpath), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
        start_new_session=True,
    )
    # Whoever started it is told when it ends, and has to listen, or it stays as a zombie.
    threading.Thread(target=process.wait, name="memdown-engine", daemon=True).start()
    assert process.stdout is not None  # noqa: S101
    said, deadline = b"", time.monotonic() + _START_SECONDS
    with process.stdout as pipe:
        while b"ready\n" not in said:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                process.kill()
                raise TimeoutError("the process that runs LanceDB does not start")
            part = os.read(pipe.fileno(), 1 << 12)
            if not part:
                lines = said.decode(errors="replace").strip().splitlines()
                if not lines:
                    raise _Lost
                raise EngineFailed(f"the process that runs LanceDB cannot start: {lines[-1]}")
            said += part


@dataclass(frozen=True, slots=True)
class VectorColumn:
    """A column of vectors; `has` says which rows have one, `numbers` are those, float32, one row each."""

    has: Sequence[bool]
    numbers: Vectors

    def each(self) -> Iterator[Vector | None]:
        """The vector of each row."""
        rows = iter(self.numbers)
        return (next(rows) if has else None for has in self.has)


Columns = dict[str, Any]


def _packed(columns: Mapping[str, Any]) -> Columns:
    """Columns as they are sent."""
    return {
        name: (
            int(column.numbers.shape[1]),
            np.ascontiguousarray(column.numbers, "<f4").tobytes(),
            list(column.has),
        )
        if isinstance(column, VectorColumn)
        else list(column)
        for name, column in columns.items()
    }


def _unpacked(columns: Columns) -> Columns:
    for name, column in columns.items():
        if isinstance(column, tuple):
            dims, numbers, has = column
            columns[name] = VectorColumn(has, np.frombuffer(numbers, "<f4").reshape(-1, dims))
    return columns


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    """Columns as rows, without those of vectors."""
    plain = {name: one for name, one in columns.items() if not isinstance(one, VectorColumn)}
    return [dict(zip(plain, values, strict=True)) for values in zip(*plain.values(), strict=True)]


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a database. A write is done once, or at least not twice, whatever becomes of the engine."""

    link: EngineClient
    limit: Limit | None = None

    def within(self, limit: Limit | None) -> Tables:
        """The same, for reads that are waited for no longer."""
        return replace(self, limit=limit)

    def read(self, operation: str, *arguments: object) -> Any:
        """What the engine reads."""
        return self.link.ask(operation, *arguments, limit=self.limit)

    def _write(self, operation: str, *arguments: object, again: tuple[object, ...] = ()) -> None:
        self.link.ask(operation, *arguments, is_write=True, again=again)

    def names(self) -> set[str]:
        """The tables there are."""
        return set(self.read("names"))

    def table(self, name: str) -> TableVersion | None:
        """A table as it is now; None if there is none."""
        found = self.read("open", name)
        return None if found is None else TableVersion(self, name, found[0], tuple(found[1]))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Every row of a small table as it is now; none if there is no such table."""
        return rows_of(self.read("rows", name) or {})

    def create(
        self,
        name: str,
        fields: Sequence[tuple[str, str | int]],
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a table, with its rows, unless it is there.

        `fields` are its columns with their Arrow type, or the length of their vectors.
        """
        self._write("create", name, list(fields), _packed(columns or {}))

    def add_column(self, name: str, field: tuple[str, str | int]) -> None:
        """Give a table a column unless it has it."""
        self._write("add column", name, field)

    def add(self, name: str, columns: Mapping[str, Any], key: str) -> None:
        """Add rows, each with a `key` that is new."""
        rows = _packed(columns)
        self._write("add", name, rows, again=("merge", name, key, rows, None))

    def merge(
        self, name: str, columns: Mapping[str, Any], key: str, gone: str | None = None
    ) -> None:
        """Add rows, or replace those with the same `key`; others go if they meet the condition `gone`."""
        self._write("merge", name, key, _packed(columns), gone)

    def delete(self, name: str, where: str) -> None:
        """Delete the rows that meet a condition."""
        self._write("delete", name, where)

    def update(self, name: str, where: str, values: Mapping[str, object]) -> None:
        """Change the rows that meet a condition."""
        self._write("update", name, where, dict(values))

    def optimize(self, name: str, kept_seconds: float) -> None:
        """Put small files together, bring indexes up to date, clear versions that are older.

        With 0 seconds whoever reads an earlier version has to ask again.
        """
        self._write("optimize", name, kept_seconds)

    def rewrite(self, name: str) -> None:
        """Write every row anew and clear all earlier versions: what was removed is gone from disk."""
        self._write("rewrite", name)
        self.optimize(name, 0.0)

    def index(self, name: str, column: str, kind: str) -> None:
        """Make an index of `keys`, `words` or `vectors` unless the column has one."""
        self._write("index", name, column, kind)

    def drop(self, name: str) -> None:
        """Delete a table if it is there."""
        self._write("drop", name)

    def drop_all(self) -> None:
        """Delete every table."""
        self._write("drop all")

    def forget(self) -> None:
        """Let the engine close what it has open: the folder is another one now."""
        self.read("forget")


@dataclass(frozen=True, slots=True)
class TableVersion:
    """One version of a table."""

    tables: Tables
    name: str
    version: int
    columns: tuple[str, ...]

    def within(self, limit: Limit | None) -> TableVersion:
        """The same, for reads that are waited for no longer."""
        return replace(self, tables=self.tables.within(limit))

    def indexed(self) -> set[str]:
        """The columns that have an index."""
        return set(self._read("indexed"))

    def small_files(self) -> int:
        """How many files are small."""
        return int(self._read("small files"))

    def count(self, where: str | None = None) -> int:
        """How many rows meet a condition."""
        return int(self._read("count", where))

    def select(
        self, columns: Sequence[str], where: str | None = None, limit: int | None = None
    ) -> Columns:
        """Columns of the rows that meet a condition, all if none is given."""
        return _unpacked(self._read("select", list(columns), where, limit))

    def take(self, columns: Sequence[str], offsets: Sequence[int]) -> Columns:
        """Columns of the rows that are such and such in number."""
        return _unpacked(self._read("take", list(columns), list(offsets)))

    def files(self, columns: Sequence[str], keys: Sequence[int]) -> Columns:
        """Columns of the rows of files; who asks for them must always ask for the same."""
        return _unpacked(self._read("files", list(columns), list(keys)))

    def at_places(self, columns: Sequence[str], places: Sequence[int]) -> Columns:
        """Columns of the rows at places that were told as `PLACE`, in any order."""
        return _unpacked(self._read("at places", list(columns), list(places)))

    def with_words(
        self, columns: Sequence[str], column: str, words: str, where: str | None, limit: int
    ) -> Columns:
        """Columns of the rows that fit words best, with their `_score`."""
        return _unpacked(self._read("words", list(columns), column, words, where, limit))

    def nearest(
        self,
        columns: Sequence[str],
        column: str,
        vector: Vector,
        where: str | None,
        limit: int,
        probes: int = 1,
        refined: int = 1,
    ) -> Columns:
        """Columns of the rows with the nearest vectors, with their `_distance`.

        Of an index that many `probes` are looked into; `refined` times as many are compared exactly.
        """
        numbers = np.ascontiguousarray(vector, "<f4").tobytes()
        return _unpacked(
            self._read("nearest", list(columns), column, numbers, where, limit, probes, refined)
        )

    def _read(self, operation: str, *arguments: object) -> Any:
        return self.tables.read(operation, self.name, self.version, *arguments)
