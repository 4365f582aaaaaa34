"""The PostgreSQL store: one agent's index on a server that many agents and hosts share."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace as with_changes
from pathlib import Path

import psycopg

from memdown.errors import ConfigError, IndexBusy, StoreError
from memdown.files import reach
from memdown.index.manifest import Manifest, is_older, same_for_all, variant_of
from memdown.index.ownership import (
    Ownership,
    ReportTurn,
    find_orphans,
    is_report_due,
    joining,
    pack_paths,
)
from memdown.index.postgres import (
    cache,
    chunk_rows,
    file_rows,
    generations,
    schema,
    upkeep,
    writing,
)
from memdown.index.postgres.choosing import MANY_PASSAGES
from memdown.index.postgres.connection import (
    PATIENCE_SECONDS,
    REPLICA_CONNECT_SECONDS,
    Connection,
    Place,
    checked_url,
    is_pooled,
    run,
    shown,
)
from memdown.index.postgres.generations import LAYOUT, Live
from memdown.index.postgres.link import Link
from memdown.index.postgres.reading import (
    AskAside,
    Kept,
    PostgresSnapshot,
)
from memdown.index.postgres.upkeep import ServerDetails
from memdown.index.shortlist import give_memory_back
from memdown.index.store import Rebuild, Writes, dims_of
from memdown.types import (
    SOURCES,
    Chunk,
    FileState,
    Fingerprint,
    IndexedFile,
    ModelKey,
    Source,
    StoredChunk,
    StoreStatus,
    Vector,
    Vectors,
)

log = logging.getLogger("memdown")

SCHEMA = "memdown"
_LOCK_SECONDS = 60.0
_REMOVED_AT_ONCE = 50
_FRESH_SECONDS = 1.0


def create(
    url: str | None,
    *,
    read_url: str | None = None,
    agent: str = "main",
    schema: str = SCHEMA,
    host_file: Path | None = None,
    vector_enabled: bool = True,
    cache_entries: int = 50_000,
    patience: float = PATIENCE_SECONDS,
    **_: object,
) -> PostgresStore:
    """A store on the server at `url`; searches read from `read_url`, if there is one.

    `host_file` is where this host keeps what it knows of its own files; without one the index is
    taken to be of this host alone. A search waits `patience` seconds for what it can do without.
    """
    if not url:
        raise ConfigError(
            "memorySearch.store.driver is postgres, but there is no address: set "
            "memorySearch.store.url or the variable MEMDOWN_POSTGRES_URL."
        )
    write = checked_url(url, "memorySearch.store.url")
    read = None
    if read_url:
        read = checked_url(read_url, "memorySearch.store.readUrl", REPLICA_CONNECT_SECONDS)
    place = f"{shown(write)}/{schema}/{agent}"
    manifest = Manifest(host_file, place) if host_file else None
    link = Link(write, read, agent, schema, manifest)
    return PostgresStore(link, vector_enabled, cache_entries, patience)


class PostgresStore:
    """One agent's index. Many threads, processes and hosts may read while one writes."""

    def __init__(
        self, link: Link, vector_enabled: bool, cache_entries: int, patience: float
    ) -> None:
        self._link = link
        self._manifest = link.manifest
        self._vector_enabled = vector_enabled
        self._cache_entries = cache_entries
        self._patience = patience
        self._known_files: tuple[object, dict[str, FileState]] | None = None
        self._kept = Kept()
        self._turn = ReportTurn()
        self._peeked: Live | None = None
        self._peeked_at = 0.0

    def fingerprint(self) -> Fingerprint | None:
        """How the index was made; None if there is none yet."""
        live, self._peeked = self._peeked, None
        # A search has just asked whether anything changed; it reads from a view that is newer, in any case.
        if live is None or time.monotonic() - self._peeked_at > _FRESH_SECONDS:
            live = self._link.peek()
        return live.fingerprint if live else None

    def state(self) -> object:
        """What tells one state of the index from another: any change makes a new one."""
        self._peeked, self._peeked_at = self._link.peek(), time.monotonic()
        return None if self._peeked is None else self._peeked.state

    def files(self) -> dict[str, FileState]:
        """Every indexed file that this host has, with its facts on this host's disk."""
        manifest = self._manifest
        with self._link.reading() as db:
            live = self._link.live(db)
            if live is None:
                return {}
            if manifest is None:
                known = self._known_files
                if known is None or known[0] != live.state:
                    known = self._known_files = (live.state, file_rows.read_files(live.place))
                return dict(known[1])
            if manifest.learned() != live.position:
                self._learn(manifest, live)
        return manifest.files()

    def _learn(self, manifest: Manifest, live: Live) -> None:
        """Ask what changed since this host knew all its files in the index; the first time, for all."""
        position = manifest.learned()
        if position is not None:
            generation, revision, losses = map(int, position.split())
            if generation == live.place.generation and revision <= live.revision:
                removed = generations.removed_since(live, losses)
                if removed is not None:
                    changed = file_rows.read_changed(live.place, revision)
                    gone = [
                        path
                        for path in (manifest.files() if removed else ())
                        if generations.removal_name(path) in removed
                    ]
                    manifest.learn(live.position, changed, gone)
                    return
        manifest.learn(live.position, file_rows.read_files(live.place).values(), whole=True)

    def is_settled(self, found: str) -> bool:
        """Whether this was noted last, and nothing happened to this host's files in the index since."""
        if self._manifest is None:
            return False
        noted = self._manifest.settled()
        if noted is None or noted[1] != found:
            return False
        with self._link.reading() as db:
            live = self._link.live(db)
            is_settled = (
                live is not None
                and noted[0] == live.settled_state
                and not file_rows.lacks_vectors(live.place)
            )
        if is_settled and self._turn.is_due(self._manifest):
            # Whoever has nothing to write says once a day that it is there.
            with contextlib.suppress(StoreError), self.writing(0.0):
                pass
        return is_settled

    def settle(self, found: str) -> None:
        """Note that all files are indexed which a look at this host's disk has `found`."""
        if self._manifest is None:
            return
        with self._link.reading() as db:
            live = self._link.live(db)
        if live is not None:
            self._manifest.settle(live.settled_state, found)

    def cached(self, key: ModelKey, digests: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are already known, by the digest of their text."""
        if not self._cache_entries or not digests:
            return {}
        with self._link.transaction() as db:
            return cache.read(self._link.at(db), key, digests)

    def remember_vectors(self, key: ModelKey, digests: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors for later, whatever happens to the index."""
        if not self._cache_entries or not digests:
            return
        with self._link.transaction() as db:
            cache.write(self._link.at(db), key, digests, vectors, self._cache_entries)

    def stored_prefix(self, path: str, chunks: Sequence[Chunk], *, embedded: bool = False) -> int:
        """How many of a file's leading chunks are stored exactly as given."""
        with self._link.reading() as db:
            live = self._link.live(db)
            if live is None:
                return 0
            return chunk_rows.stored_prefix(live.place, path, chunks, embedded)

    def apply(self, writes: Writes) -> None:
        """Write files in one transaction; what is there as given is only noted for this host."""
        whole = [file for file in writes.files if file.replaces is None]
        new = self._without_known(whole) if self._manifest is not None else whole
        if new:
            self._claim([file.state for file in new])
            self._write(new)
        self._note([file.state for file in whole])
        for file in writes.files:
            if file.replaces is not None:
                self._claim([file.state])
                self._write([file], file.replaces)
                self._note([file.state])
        self._touch(writes.touched)
        self._remove(writes.removed)

    def last_chunk(self, path: str) -> StoredChunk | None:
        """A file's last chunk, from which a text that only ever grows is continued."""
        with self._link.reading() as db:
            live = self._link.live(db)
            return None if live is None else chunk_rows.last_chunk(live.place, path)

    def begin(self, fingerprint: Fingerprint) -> None:
        """Note how an index that is still empty will be made.

        If another host has made one in the same way, this host uses it from now on.
        """
        variant = variant_of(fingerprint, LAYOUT)
        with self._link.transaction() as db:
            at = self._link.at(db)
            live = generations.read_live(at, variant)
            if live is not None and live.chunks and self._manifest and not self._manifest.facts():
                log.warning(joining(self._link.agent, self._link.server))
            if live is None or (live.chunks == 0 and live.fingerprint != fingerprint):
                place = live.place if live else generations.new_generation(at)
                generations.write_index(place, fingerprint)
        self._choose(variant)

    @contextlib.contextmanager
    def rebuild(self, fingerprint: Fingerprint) -> Iterator[Rebuild]:
        """A new, empty index beside the live one: published whole on success, or not at all.

        Files that other hosts have, and this one never had, are taken over.
        """
        variant = variant_of(fingerprint, LAYOUT)
        with self._link.transaction() as db:
            at = self._link.at(db)
            old = generations.read_live(at, variant)
            place = generations.new_generation_beside(at, old)
        reach("rebuild.begun")
        target = Rebuild(
            fingerprint,
            lambda writes: self._apply_new(place, writes),
            lambda path: self._last_new(place, path),
        )
        try:
            yield target
            mine = self._manifest.facts() if self._manifest else {}
            with self._link.transaction() as db:
                self._link.check_epoch(db)
                if old is not None and self._manifest is not None:
                    known = file_rows.read_files(old.place).keys()
                    others = known - mine.keys() - target.noted.keys()
                    writing.copy_files(old.place, place, sorted(others), 0)
                self._claim(list(target.noted.values()))
                reach("rebuild.before_flip")
                if old is not None:
                    generations.retire(old.place)
                generations.write_index(place, target.fingerprint)
                reach("rebuild.in_flip")
            if self._manifest is not None:
                self._manifest.adopt(variant, target.noted.values())
            self._choose(variant)
            reach("rebuild.after_flip")
        finally:
            # Whichever generation is not live now: the old one, or the unfinished new one.
            with contextlib.suppress(psycopg.Error, StoreError):
                upkeep.clear_leftovers(self._link)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        """One unchanging view for one search, from the replica if there is one that can answer."""
        link = self._link
        with contextlib.ExitStack() as stack:
            live = stack.enter_context(link.seeing())
            if live is None:
                raise StoreError(
                    f"There is no index of {link.agent} on {link.server} yet: run `memdown index`."
                )
            dims = live.fingerprint.dims if self._vector_enabled else None
            view = PostgresSnapshot(
                link.server,
                live,
                dims,
                self._kept,
                lambda: stack.enter_context(link.reading()),
                self._patience,
                self._aside(live),
            )
            try:
                yield view
            finally:
                view.let_go()
                if live.passages > MANY_PASSAGES:
                    give_memory_back()

    def _aside(self, live: Live) -> AskAside | None:
        """How a search may ask something else meanwhile: not through a pooler, nor beside a replica."""
        if self._link.has_replica:
            return None
        if self._kept.is_pooled is None:
            self._kept.is_pooled = is_pooled(live.place.db)
        return None if self._kept.is_pooled else self._link.ask_aside

    @contextlib.contextmanager
    def writing(self, timeout: float) -> Iterator[bool]:
        """Be the one writer of this agent among all hosts; False when another still is."""
        self._peeked = None
        with self._link.locked(timeout) as acquired:
            if acquired:
                upkeep.clear_leftovers(self._link)
                upkeep.fill_vectors(self._link)
                upkeep.fill_ends(self._link)
            yield acquired
            if acquired:
                self._report_files()
        if acquired:
            upkeep.improve(self._link)

    def status(self) -> StoreStatus:
        """What the store holds and can do; writes nothing."""
        link = self._link
        with link.reading() as db:
            live = link.live(db)
            there = schema.is_readable(db, link.schema)
            error = self._vector_error(db, live)
            chunks: dict[Source, int] = {}
            if live is not None:
                counts = {one: chunk_rows.count_chunks(live.place, one) for one in SOURCES}
                chunks = {source: number for source, number in counts.items() if number}
            return StoreStatus(
                files=file_rows.count_by_source(live.place) if live else {},
                chunks=chunks,
                cache_entries=cache.count(link.at(db)) if there else 0,
                fts_available=True,
                fts_error=None,
                vector_available=error is None,
                vector_error=error,
                dims=live.fingerprint.dims if live else None,
                location=f"{link.server} ({link.schema}, {link.agent})",
                size_bytes=generations.size_of(live) if live else 0,
                vector_engine="pgvector",
                text_engine="BM25 over posting lists on the server",
            )

    def leftovers(self) -> bool:
        """Whether a rebuild that was killed has left something for the next writer to clear."""
        return upkeep.has_leftovers(self._link)

    def check(self) -> list[str]:
        """What is wrong with the index, after a thorough look at all of it."""
        with self._link.reading() as db:
            live = self._link.live(db)
            return list(chunk_rows.problems(live)) if live else []

    def set_aside(self) -> str | None:
        """Delete this agent's rows, so that a new index can be made; the cache stays."""
        link = self._link
        with link.transaction() as db:
            gone = run(
                db,
                link.at(db).sql("DELETE FROM {s}.indexes WHERE agent_id = %s RETURNING live"),
                (link.agent,),
            )
            self._known_files = None
        upkeep.clear_leftovers(link, grace=0.0)
        if self._manifest is not None:
            self._manifest.forget()
        return f"deleted from {link.server}" if gone else None

    def prepare(self, role: str | None = None) -> None:
        """Make the tables, and let a role that is not their owner use this agent's index."""
        with self._link.using() as db:
            if role is not None:
                schema.grant(db, self._link.schema, role, self._link.agent)

    def describe(self) -> ServerDetails:
        """What an operator wants to know; writes nothing."""
        return upkeep.describe(self._link)

    def own_tables(self) -> bool:
        """Give this agent tables of its own, whatever its size; False if it has them already."""
        with self._alone():
            return upkeep.own_tables(self._link)

    def vacuum(self) -> None:
        """Clear unused variants and generations, and give the space of deleted rows back."""
        with self._alone():
            upkeep.clear_unused(self._link)
            upkeep.outgrow_now(self._link)
        upkeep.improve_now(self._link)
        upkeep.vacuum(self._link)

    def ownership(self, days: float, gone: Sequence[str] = ()) -> Ownership | None:
        """Which hosts have files here, and what none of them has; None if it is this host's alone."""
        manifest = self._manifest
        if manifest is None:
            return None
        with self._link.reading() as db:
            live = self._link.live(db)
            return find_orphans(
                file_rows.read_files(live.place) if live else (),
                manifest.facts().keys(),
                upkeep.read_reports(self._link.at(db)),
                manifest.host(),
                days=days,
                gone=gone,
            )

    def remove_orphans(self, days: float, gone: Sequence[str], *, unreported: bool) -> list[str]:
        """Take files out that no living host has, and forget the hosts that are gone; which files."""
        with self._alone():
            found = self.ownership(days, gone)
            if found is None:
                return []
            paths = found.removable(unreported=unreported)
            for start in range(0, len(paths), _REMOVED_AT_ONCE):
                with self._link.changing() as (live, _):
                    for path in paths[start : start + _REMOVED_AT_ONCE]:
                        writing.remove_file(live.place, path)
            with self._link.transaction() as db:
                upkeep.forget_hosts(self._link.at(db), [one.host for one in found.gone])
            return paths

    def _report_files(self) -> None:
        """Let others know which files this host has, if they do not yet; it can wait if it fails."""
        manifest = self._manifest
        if manifest is None or not is_report_due(manifest):
            return
        try:
            with self._link.transaction() as db:
                packed = pack_paths(manifest.facts())
                host = manifest.host()
                upkeep.report_files(self._link.at(db), host, socket.gethostname(), packed)
        except (StoreError, psycopg.Error) as error:
            log.info("This host's files were not reported: %s", error)
        else:
            manifest.note_report()

    def close(self) -> None:
        """Close every connection; a closed store cannot be used again."""
        self._link.close()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with self.writing(_LOCK_SECONDS) as acquired:
            if not acquired:
                raise IndexBusy(
                    f"Another process is writing to {self._link.server}; try again when it is done."
                )
            yield

    def _write(self, files: Sequence[IndexedFile], key: int | None = None) -> None:
        """Write files into the live generation; with `key` rows from there on."""
        with self._link.changing() as (live, revision):
            writing.replace_files(live.place, files, key, revision, "index.file")
            dims = dims_of(files)
            if live.fingerprint.dims is None and dims:
                generations.write_index(live.place, with_changes(live.fingerprint, dims=dims))
            upkeep.outgrow(live)

    def _touch(self, files: Sequence[FileState]) -> None:
        """Keep the rows of files whose content is the same, with their new facts."""
        changed = list(files)
        if files and self._manifest is not None:
            with self._link.reading() as db:
                live = self._link.live(db)
                if live is not None:
                    known = file_rows.read_states(live.place, [file.path for file in files])
                    changed = [
                        file
                        for file in files
                        if file.path not in known or not same_for_all(file, known[file.path])
                    ]
        if changed:
            with self._link.changing() as (live, revision):
                for file in changed:
                    file_rows.write_file(live.place, file, revision)
        self._note(files)

    def _remove(self, paths: Sequence[str]) -> None:
        """Forget files that this host had; what it never had is not its to remove."""
        if self._manifest is not None:
            mine = self._manifest.facts()
            paths = [path for path in paths if path in mine]
        for path in paths:
            with self._link.changing() as (live, _):
                writing.remove_file(live.place, path)
                reach("index.removing")
            if self._manifest is not None:
                self._manifest.forget([path])

    def _apply_new(self, place: Place, writes: Writes) -> None:
        """Write files into a generation that is being made."""
        whole = [file for file in writes.files if file.replaces is None]
        with self._link.transaction() as db:
            self._link.check_epoch(db)
            if whole:
                writing.replace_files(place, whole, None, 0, "rebuild.file")
            for file in writes.files:
                if file.replaces is not None:
                    writing.replace_files(place, [file], file.replaces, 0, "rebuild.file")
            for state in writes.touched:
                file_rows.write_file(place, state)

    def _last_new(self, place: Place, path: str) -> StoredChunk | None:
        with self._link.using():
            return chunk_rows.last_chunk(place, path)

    def _without_known(self, files: Sequence[IndexedFile]) -> list[IndexedFile]:
        """The files that are not stored as given: those of other hosts may be the very same."""
        with self._link.reading() as db:
            live = self._link.live(db)
            if live is None:
                return list(files)
            new = []
            known = file_rows.read_states(live.place, [file.state.path for file in files])
            mine = self._manifest.facts() if self._manifest else {}
            for file in files:
                stored = known.get(file.state.path)
                if stored is not None and is_older(file.state, stored, mine):
                    continue
                is_there = (
                    stored is not None
                    and bool(stored.digest)
                    and same_for_all(file.state, stored)
                    and file.keep == 0
                    and chunk_rows.stored_prefix(
                        live.place, file.state.path, file.chunks, file.vectors is not None
                    )
                    == len(file.chunks)
                )
                if not is_there:
                    new.append(file)
            return new

    def _claim(self, files: Sequence[FileState]) -> None:
        if self._manifest is not None:
            self._manifest.claim([file.path for file in files])

    def _note(self, files: Sequence[FileState]) -> None:
        if self._manifest is not None:
            self._manifest.note(files)

    def _choose(self, variant: str) -> None:
        self._known_files = self._peeked = None
        self._link.choose(variant)

    def _vector_error(self, db: Connection, live: Live | None) -> str | None:
        if not self._vector_enabled:
            return "turned off in the settings"
        if not schema.has_vectors(db):
            return "the extension vector is not installed"
        if live is not None and not live.place.has_vectors:
            return "the extension vector was installed later; run `memdown index` as the owner"
        return None
