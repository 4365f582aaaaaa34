"""The SQLite store: connections, the writer, rebuilds and snapshots."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as with_changes
from pathlib import Path
from typing import TypeAlias

import apsw

from memdown.errors import DiskFull, IndexBusy, IndexCorrupt, StoreError
from memdown.files import locked, reach
from memdown.index.loading import Follower
from memdown.index.passages import Terms
from memdown.index.snapshot import ReaderSnapshot
from memdown.index.sqlite import damage, filing, generations, integrity, schema, tables, vectors
from memdown.index.sqlite.connection import (
    connect,
    is_unshared,
    mapped,
    one_view,
    spare_space,
    transaction,
)
from memdown.index.sqlite.damage import Damaged
from memdown.index.sqlite.generations import tidy
from memdown.index.sqlite.schema import LIVE, NEXT
from memdown.index.sqlite.tables import SqliteView
from memdown.index.sqlite.vectors import write_cache
from memdown.index.store import Rebuild, Writes, dims_of
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)
from memdown.values import dataclass

# Who a file is: its device and number; None while there is none.
_Identity: TypeAlias = tuple[int, int] | None

log = logging.getLogger("memdown")

_LOCK_SECONDS = 60.0
_MOST_ASIDE = 3
_FILES_A_REMOVAL = 64


@dataclass(frozen=True, slots=True)
class _State:
    """Which index file it is, how it was made, and at which revision."""

    index: _Identity
    fingerprint: Fingerprint | None
    revision: int

    @property
    def dims(self) -> int | None:
        """How long its vectors are."""
        return self.fingerprint.dims if self.fingerprint else None


def create(
    path: Path,
    *,
    vector_enabled: bool = True,
    extension_path: str | None = None,
    cache_entries: int = 50_000,
    **_: object,
) -> SqliteStore:
    """A store in the given file, which is made on the first write."""
    return SqliteStore(path, vector_enabled, extension_path, cache_entries)


class SqliteStore:
    """One index file. Many threads and processes may read while one writes."""

    def __init__(
        self,
        path: Path,
        vector_enabled: bool = True,
        extension_path: str | None = None,
        cache_entries: int = 50_000,
    ) -> None:
        self._path = path
        self._vector_enabled = vector_enabled
        self._extension_path = extension_path
        self._cache_entries = cache_entries
        self._vector_error: str | None = None if vector_enabled else "turned off in the settings"
        self._fts_error: str | None = None
        self._equipped = False
        self._readers: list[tuple[apsw.Connection, _Identity]] = []
        self._writer: apsw.Connection | None = None
        self._writer_of: _Identity = None
        self._damaged: _Identity = None
        self._known_files: tuple[object, dict[str, FileState]] | None = None
        self._writer_lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._follower = Follower()
        self._opened: weakref.WeakKeyDictionary[apsw.Connection, _Identity] = (
            weakref.WeakKeyDictionary()
        )
        self._known_state: tuple[object, _State] | None = None
        self._numbered: tuple[object, Mapping[int, FileState]] | None = None
        self._just_read: tuple[object, Mapping[int, FileState]] | None = None
        self._new_chunks = 0
        self._closed = False

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        with self._reading() as db:
            return None if db is None else self._state(db).fingerprint

    def state(self) -> object:
        """What tells one state of the live generation from another; a rebuild beside it changes none."""
        with self._reading() as db:
            return None if db is None else self._state(db)

    def files(self) -> dict[str, FileState]:
        """Every indexed file."""
        with self._reading() as db:
            if db is None:
                return {}
            known = self._known_files
            if known is None or known[0] != self._number(db):
                with one_view(db):
                    number, numbered = self._number(db), tables.read_numbered(db)
                # A search needs them by number as well, in a moment.
                self._just_read = (number, numbered)
                by_path = {file.path: file for file in numbered.values()}
                known = self._known_files = (number, by_path)
            return dict(known[1])

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        if not self._cache_entries or not digests:
            return {}
        with self._writing_to() as db:
            found = vectors.read_cache(db, key, digests)
            if found:
                with transaction(db):
                    vectors.touch_cache(db, key, list(found))
            return found

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if not self._cache_entries or not digests:
            return
        with self._writing_to() as db:
            with transaction(db):
                write_cache(db, key, digests, vectors, self._cache_entries)
                reach("cache.writing")
            reach("cache.written")

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._reading() as db:
            return 0 if db is None else filing.stored_prefix(db, LIVE, path, chunks, embedded)

    def apply(self, writes: Writes) -> None:
        """Write files, each whole or not at all; some of them in one transaction."""
        self._apply(writes)
        for first in range(0, len(writes.removed), _FILES_A_REMOVAL):
            with self._writing_to() as db, transaction(db):
                some = writes.removed[first : first + _FILES_A_REMOVAL]
                filing.remove_files(db, self._generation(db, LIVE), some)
                tables.next_revision(db)

    def _apply(self, writes: Writes, rebuild: Rebuild | None = None) -> None:
        whole = [file for file in writes.files if file.replaces is None]
        if whole:
            tokens = writes.tokens if len(whole) == len(writes.files) else None
            self._write_files(whole, rebuild, tokens=tokens)
        for file in writes.files:
            if file.replaces is not None:
                self._write_files([file], rebuild, file.replaces)
        if writes.touched:
            with self._writing_to() as db, transaction(db):
                filing.touch_files(db, LIVE if rebuild is None else NEXT, writes.touched)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._writing_to() as db:
            return tables.last_chunk(db, LIVE, path)

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made."""
        with self._writing_to() as db, transaction(db):
            # Its vectors, if there were any, may have had another length.
            vectors.drop(db, LIVE)
            vectors.forget_strays(db)
            tables.write_fingerprint(db, fingerprint)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all."""
        with self._writing_to() as db:
            generations.begin(db)
            reach("rebuild.begun")
            target = Rebuild(
                fingerprint,
                lambda writes: self._apply(writes, target),
                lambda path: tables.last_chunk(db, NEXT, path),
            )
            try:
                yield target
                reach("rebuild.before_flip")
                generations.publish(db, target.fingerprint)
            except BaseException:
                # A full disk may refuse this too; the next writer clears what is left.
                with contextlib.suppress(apsw.Error):
                    generations.clear_leftovers(db)
                raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[ReaderSnapshot]:
        """One unchanging view for one search."""
        with self._reading() as db:
            if db is None:
                raise StoreError(f"There is no index at {self._path} yet: run `memdown index`.")
            with one_view(db):
                state = self._state(db)
                view = SqliteView(db, state, state.dims, lambda: self._files_by_number(db, state))
                with self._follower.reading(view) as reader:
                    yield ReaderSnapshot(reader, view.files())

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer among all processes; False when another still is after `timeout`."""
        with contextlib.ExitStack() as held:
            with mapped(self._path):
                acquired = held.enter_context(locked(self._lock_file, timeout))
            if acquired:
                with self._writing_to() as db:
                    spare_space(db, self._path)
                    generations.clear_leftovers(db)
                    if self._vector_error is None:
                        vectors.clear_strays(db)
                self._new_chunks = 0
            yield acquired
            if acquired and not self._closed:
                with contextlib.suppress(DiskFull), self._writing_to() as db:
                    tidy(db, self._new_chunks, with_fts=self._fts_error is None)

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        with self._reading() as db:
            if db is not None and not self._equipped:
                # Reading needs no extension, so nothing is known of it yet.
                self._equip(db)
            fingerprint = None if db is None else tables.read_fingerprint(db)
            return StoreStatus(
                files={} if db is None else tables.count_by_source(db, "files"),
                chunks={} if db is None else tables.count_by_source(db, "chunks"),
                cache_entries=0 if db is None else vectors.count_cached(db),
                fts_available=self._fts_error is None,
                fts_error=self._fts_error,
                vector_available=self._vector_error is None,
                vector_error=self._vector_error,
                vector_engine="compared in process, stored "
                f"{'by sqlite-vec' if self._vector_error is None else 'as blobs'}",
                dims=fingerprint.dims if fingerprint else None,
                location=str(self._path),
                size_bytes=sum(file.stat().st_size for file in self._files_on_disk()),
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        with self._reading() as db:
            return db is not None and generations.has_leftovers(db)

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._reading() as db:
            if db is None:
                return []
        with self._writing_to() as db:
            wrong = integrity.problems(db)
        if wrong:
            self._damaged = self._identity()
        return wrong

    def set_aside(self) -> str | None:
        """Move a damaged index and its side files away together, so that a new one can be made.

        None if another process has done so already.
        """
        with mapped(self._path), locked(self._lock_file, _LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"The index {self._path} is damaged, but another process is writing to it; "
                    "try again when that is done."
                )
            self._disconnect()
            damaged, self._damaged = self._damaged, None
            if damaged is None or damaged != self._identity():
                return None
            number = 1
            while (aside := self._aside(number)).exists():
                number += 1
            for file in self._files_on_disk():
                file.rename(aside.with_name(aside.name + file.name.removeprefix(self._path.name)))
                reach("aside.half")
            for old in range(1, number - _MOST_ASIDE + 1):
                for file in self._path.parent.glob(f"{self._aside(old).name}*"):
                    file.unlink(missing_ok=True)
            return str(aside)

    def close(self) -> None:
        """Close every connection; a closed store cannot be used again."""
        self._closed = True
        self._disconnect()

    def _disconnect(self) -> None:
        with self._writer_lock, self._pool_lock:
            for db in (*(db for db, _ in self._readers), *([self._writer] if self._writer else [])):
                db.close()
            self._readers.clear()
            self._writer = None
            self._follower.forget()

    @property
    def _lock_file(self) -> Path:
        return self._path.with_name(self._path.name + ".lock")

    def _aside(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.damaged-{number}")

    def _identity(self) -> _Identity:
        """Which file the index is now: another process may have set a damaged one aside."""
        try:
            facts = os.stat(self._path)  # noqa: PTH116 - before every read, so it must be fast
        except OSError:
            return None
        return facts.st_dev, facts.st_ino

    def _write_files(
        self,
        files: Sequence[IndexedFile],
        rebuild: Rebuild | None = None,
        key: int | None = None,
        tokens: Terms | None = None,
    ) -> None:
        """Write files in one transaction; with `key`, the one file's rows from that number on."""
        if not files:
            return
        prefix = LIVE if rebuild is None else NEXT
        dims = dims_of(files)
        with self._writing_to() as db, transaction(db):
            if dims and self._vector_error is None:
                vectors.create(db, prefix, dims)
            fingerprint = rebuild.fingerprint if rebuild else tables.read_fingerprint(db)
            if fingerprint and fingerprint.dims is None and dims:
                fingerprint = with_changes(fingerprint, dims=dims)
                if rebuild is None:
                    tables.write_fingerprint(db, fingerprint)
                else:
                    rebuild.fingerprint = fingerprint
            model = fingerprint.key.model if fingerprint else ""
            generation = self._generation(db, prefix, model)
            if key is None:
                dims = fingerprint.dims if fingerprint else dims
                filing.write_files(db, generation, files, dims, tokens)
            else:
                filing.extend_file(db, generation, key, files[0])
            if rebuild is None:
                tables.next_revision(db)
            number = int(str(db.pragma("application_id")))
        self._new_chunks += sum(len(file.chunks) - file.keep for file in files)
        known = self._known_files
        if rebuild is None and known is not None and known[0] == (self._writer_of, number - 1):
            # Reading thousands of rows again because of a few would cost more than writing them.
            known[1].update((file.state.path, file.state) for file in files)
            self._known_files = ((self._writer_of, number), known[1])

    def _files_by_number(self, db: apsw.Connection, state: _State) -> Mapping[int, FileState]:
        known = self._numbered
        if known is None or known[0] != state:
            just_read, self._just_read = self._just_read, None
            same = just_read is not None and just_read[0] == self._number(db)
            files = just_read[1] if just_read and same else tables.read_numbered(db)
            known = self._numbered = (state, files)
        return known[1]

    def _state(self, db: apsw.Connection) -> _State:
        """What a search is going to see."""
        known = self._known_state
        if known is not None and known[0] == self._number(db):
            return known[1]
        with one_view(db):
            number = self._number(db)
            fingerprint, revision = tables.read_fingerprint(db), tables.read_revision(db)
            state = _State(number[0], fingerprint, revision)
        self._known_state = (number, state)
        return state

    def _number(self, db: apsw.Connection) -> tuple[_Identity, object]:
        """Which file is open and how often it was written: every transaction of any process counts."""
        return self._opened.get(db), db.pragma("application_id")

    def _generation(self, db: apsw.Connection, prefix: str, model: str = "") -> filing.Generation:
        names = schema.table_names(db)
        has_vec = f"{prefix}chunks_vec" in names
        return filing.Generation(
            prefix,
            with_fts=self._fts_error is None and f"{prefix}chunks_fts" in names,
            with_vec=has_vec and self._vector_error is None,
            leaves_strays=has_vec and self._vector_error is not None,
            model=model,
        )

    @contextlib.contextmanager
    def _writing_to(self) -> Iterator[apsw.Connection]:
        with self._writer_lock, self._noting_damage(), mapped(self._path):
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            writer = self._writer
            if writer and not writer.in_transaction and self._writer_of != self._identity():
                writer.close()
                self._writer = None
            if self._writer is None:
                self._writer = self._open_writer()
                self._writer_of = self._identity()
            yield self._writer

    def _open_writer(self) -> apsw.Connection:
        db = connect(self._path)
        if schema.is_of_another_program(db):
            db.close()
            self._leave_to_its_program()
            db = connect(self._path)
        try:
            self._equip(db)
            is_older = schema.migrate(db, self._path)
            damage.check_checksums(db, writing=True)
            if is_older:
                log.warning(
                    "The index %s was made by an earlier version of Memdown; "
                    "it is made anew from the notes.",
                    self._path,
                )
            if integrity.machine_died(db, self._path):
                wrong = integrity.problems(db)
                if wrong:
                    raise Damaged("; ".join(wrong))
            integrity.note_boot(db)
        except BaseException:
            db.close()
            raise
        return db

    def _leave_to_its_program(self) -> None:
        """Move an index with the documents' tables, but not ours, out of the way; nothing is lost."""
        aside = self._path.with_name(f"{self._path.name}.openclaw")
        for file in self._files_on_disk():
            # Another process may be doing the same.
            with contextlib.suppress(FileNotFoundError):
                file.rename(aside.with_name(aside.name + file.name.removeprefix(self._path.name)))
        log.warning(
            "The index %s was made by another program, such as OpenClaw; it is now %s, "
            "and a new one is made from the notes.",
            self._path,
            aside,
        )

    @contextlib.contextmanager
    def _noting_damage(self) -> Iterator[_Identity]:
        """Remembers which file was found damaged, so that only that one is set aside; yields the one there is."""
        identity = self._identity()
        try:
            yield identity
        except IndexCorrupt:
            self._damaged = identity
            raise
        except StoreError as error:
            if self._closed or identity is None or self._identity() == identity:
                raise
            # Another thread or process has set it aside meanwhile; the new one is to be looked at.
            self._damaged = identity
            raise IndexCorrupt(f"The index {self._path} was moved away ({error}).") from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        """A connection of its own for the block; None while there is no index."""
        with self._noting_damage() as identity, mapped(self._path):
            db = self._take_reader(identity)
            try:
                yield db
            except BaseException:
                if db is not None:
                    db.close()
                raise
            if db is not None:
                with self._pool_lock:
                    if self._closed or is_unshared(db):
                        db.close()
                    else:
                        self._readers.append((db, identity))

    def _take_reader(self, identity: _Identity) -> apsw.Connection | None:
        with self._pool_lock:
            if self._closed:
                raise StoreError("This memory is closed; open it again with Memory.open.")
            while self._readers:
                db, opened = self._readers.pop()
                if opened == identity:
                    return db
                db.close()
        if identity is None:
            return None
        try:
            return self._open_reader(identity)
        except (StoreError, apsw.Error):
            # Someone may have set it aside since the look at it, and made another.
            current = self._identity()
            if current == identity:
                raise
        return self._take_reader(current)

    def _open_reader(self, identity: _Identity) -> apsw.Connection | None:
        db = connect(self._path, read_only=True)
        try:
            schema.check_version(db, self._path)
            if not schema.is_current(db):
                db.close()
                return None
            self._opened[db] = identity
            damage.check_checksums(db, writing=False)
            if integrity.machine_died(db, self._path):
                # A writer looks at everything before it writes; where none can, checksums must do.
                with contextlib.suppress(StoreError), self._writing_to():
                    pass
        except BaseException:
            db.close()
            raise
        return db

    def _equip(self, db: apsw.Connection) -> None:
        if self._vector_enabled:
            self._vector_error = vectors.load_extension(db, self._extension_path)
        if self._vector_error is not None:
            vectors.stand_in(db)
        self._fts_error = schema.fts5_error(db)
        self._equipped = True

    def _files_on_disk(self) -> list[Path]:
        names = [self._path.with_name(self._path.name + suffix) for suffix in ("", "-wal", "-shm")]
        return [file for file in names if file.exists()]
