"""A sample store: every agent's index is one JSON file on a shelf that its config names.

It is made for a few thousand chunks: all of it is read into memory, and written anew with each change.
"""

import base64
import contextlib
import dataclasses
import datetime
import fcntl
import json
import os
import threading
import time
from pathlib import Path

import numpy as np

from memdown.errors import StoreError
from memdown.index.reader import IndexedChunks, read_in_memory
from memdown.index.snapshot import ReaderSnapshot
from memdown.index.store import Rebuild, Writes, dims_of
from memdown.types import (
    Chunk,
    FileState,
    Fingerprint,
    ModelKey,
    Passage,
    StoredChunk,
    StoreStatus,
)


def create(*, agent, config, cache_entries=0, **_):
    """Called by Memdown, with the settings of this plugin in `config`."""
    return Shelf(Path(config["shelf"]) / f"{agent}.json", cache_entries)


@dataclasses.dataclass(frozen=True)
class Shelved:
    """A file of the index: what is known of it, its chunks, and their vectors or None."""

    state: FileState
    chunks: tuple
    vectors: tuple


@dataclasses.dataclass(frozen=True)
class Index:
    """One state of the whole index."""

    fingerprint: Fingerprint | None
    files: dict
    cache: dict


def changed(files, writes: Writes):
    """The files after some writes."""
    files = dict(files)
    for file in writes.files:
        old = files.get(file.state.path, Shelved(file.state, (), ()))
        keep = file.keep
        if file.replaces is not None:
            keep = sum(first < file.replaces for first in _firsts(old.chunks))
        fresh = file.chunks if file.replaces is not None else file.chunks[keep:]
        rows = [None] * len(fresh) if file.vectors is None else list(file.vectors)
        files[file.state.path] = Shelved(
            file.state, (*old.chunks[:keep], *fresh), (*old.vectors[:keep], *rows)
        )
    for state in writes.touched:
        files[state.path] = dataclasses.replace(files[state.path], state=state)
    return {path: file for path, file in files.items() if path not in writes.removed}


def _firsts(chunks):
    """The number of each chunk's first passage in its file."""
    first = 0
    for chunk in chunks:
        yield first
        first += len(chunk.passages)


class Shelf:
    """The store. Threads and processes may read while one writes."""

    def __init__(self, file, cache_entries):
        self._file = file
        self._cache_entries = cache_entries
        self._lock = threading.RLock()
        self._known = (None, Index(None, {}, {}))
        self._reader = (None, None)

    def fingerprint(self):
        return self._read().fingerprint

    def begin(self, fingerprint):
        self._change(lambda index: dataclasses.replace(index, fingerprint=fingerprint))

    def files(self):
        return {path: file.state for path, file in self._read().files.items()}

    def apply(self, writes):
        def write(index):
            made, dims = index.fingerprint, dims_of(writes.files)
            if made and made.dims is None and dims:
                made = dataclasses.replace(made, dims=dims)
            return dataclasses.replace(index, fingerprint=made, files=changed(index.files, writes))

        self._change(write)

    def stored_prefix(self, path, chunks, *, embedded=False):
        return _stored_prefix(self._read().files, path, chunks, embedded)

    def last_chunk(self, path):
        return _last_chunk(self._read().files, path)

    @contextlib.contextmanager
    def rebuild(self, fingerprint):
        made = {}

        def write(writes):
            new = changed(made, writes)
            made.clear()
            made.update(new)

        target = Rebuild(fingerprint, write, lambda path: _last_chunk(made, path))
        yield target
        self._change(lambda index: Index(target.fingerprint, dict(made), index.cache))

    @contextlib.contextmanager
    def snapshot(self):
        index = self._read()
        if index.fingerprint is None:
            raise StoreError(f"There is no index at {self._file} yet: run `memdown index`.")
        known, reader = self._reader
        if known is not index:
            reader = read_in_memory([_indexed(file) for file in index.files.values()])
            self._reader = (index, reader)
        states = (file.state for file in index.files.values())
        yield ReaderSnapshot(reader, dict(enumerate(states)))

    def cached(self, key, digests):
        kept = self._read().cache
        return {one: kept[_name(key, one)] for one in digests if _name(key, one) in kept}

    def remember_vectors(self, key, digests, vectors):
        new = {_name(key, one): row for one, row in zip(digests, vectors, strict=True)}

        def write(index):
            kept = list({**index.cache, **new}.items())
            return dataclasses.replace(index, cache=dict(kept[-self._cache_entries :]))

        if self._cache_entries:
            self._change(write)

    @contextlib.contextmanager
    def writing(self, timeout):
        self._file.parent.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + timeout
        with self._file.with_suffix(".lock").open("w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if time.monotonic() < deadline:
                        time.sleep(0.02)
                        continue
                    yield False
                else:
                    yield True
                return

    def status(self):
        index = self._read()
        files = {}
        chunks = {}
        for file in index.files.values():
            source = file.state.source
            files[source] = files.get(source, 0) + bool(file.state.digest)
            chunks[source] = chunks.get(source, 0) + len(file.chunks)
        return StoreStatus(
            files=files,
            chunks=chunks,
            cache_entries=len(index.cache),
            fts_available=True,
            fts_error=None,
            vector_available=True,
            vector_error=None,
            dims=index.fingerprint.dims if index.fingerprint else None,
            location=str(self._file),
            size_bytes=self._file.stat().st_size if self._file.exists() else 0,
            vector_engine="shelf",
            text_engine="shelf",
        )

    def close(self):
        self._known = (None, Index(None, {}, {}))
        self._reader = (None, None)

    def _read(self):
        with self._lock:
            try:
                facts = self._file.stat()
            except FileNotFoundError:
                return Index(None, {}, {})
            state = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            if self._known[0] != state:
                self._known = (state, _load(json.loads(self._file.read_text())))
            return self._known[1]

    def _change(self, write):
        """Write the whole index anew, in one step."""
        with self._lock:
            index = write(self._read())
            self._file.parent.mkdir(parents=True, exist_ok=True)
            draft = self._file.with_suffix(".draft")
            draft.write_text(json.dumps(_dump(index)))
            os.replace(draft, self._file)
            facts = self._file.stat()
            self._known = ((facts.st_ino, facts.st_mtime_ns, facts.st_size), index)


def _stored_prefix(files, path, chunks, embedded):
    stored = files.get(path, Shelved(None, (), ()))
    same = 0
    for old, row, new in zip(stored.chunks, stored.vectors, chunks, strict=False):
        if old.id != new.id or (embedded and row is None):
            break
        same += 1
    return same


def _last_chunk(files, path):
    file = files.get(path)
    if file is None or not file.chunks:
        return None
    return StoredChunk([*_firsts(file.chunks)][-1], file.chunks[-1], file.state.date)


def _indexed(file):
    dims = next((len(row) for row in file.vectors if row is not None), None)
    if dims is None:
        return IndexedChunks(file.state, file.chunks, None)
    rows = [np.zeros(dims, np.float32) if row is None else row for row in file.vectors]
    return IndexedChunks(file.state, file.chunks, np.stack(rows))


def _name(key, digest):
    return "/".join((key.provider, key.model, key.provider_key, digest))


def _dump(index):
    made = index.fingerprint
    return {
        "fingerprint": None if made is None else dataclasses.asdict(made),
        "files": [
            {
                "state": dataclasses.asdict(file.state) | {"date": str(file.state.date or "")},
                "chunks": [dataclasses.asdict(chunk) for chunk in file.chunks],
                "vectors": [_packed(row) for row in file.vectors],
            }
            for file in index.files.values()
        ],
        "cache": {name: _packed(row) for name, row in index.cache.items()},
    }


def _load(data):
    made = data["fingerprint"]
    if made is not None:
        made = Fingerprint(**made | {"key": ModelKey(**made["key"])})
    files = {}
    for one in data["files"]:
        state = one["state"]
        date = datetime.date.fromisoformat(state["date"]) if state["date"] else None
        chunks = [
            Chunk(
                **chunk
                | {"passages": tuple(Passage(*passage) for passage in chunk["passages"])}
                | {"lines": None if chunk["lines"] is None else tuple(chunk["lines"])}
            )
            for chunk in one["chunks"]
        ]
        files[state["path"]] = Shelved(
            FileState(**state | {"date": date, "tags": tuple(state["tags"])}),
            tuple(chunks),
            tuple(_unpacked(row) for row in one["vectors"]),
        )
    cache = {name: _unpacked(row) for name, row in data["cache"].items()}
    return Index(made, files, cache)


def _packed(row):
    return None if row is None else base64.b64encode(np.asarray(row, np.float32)).decode()


def _unpacked(text):
    return None if text is None else np.frombuffer(base64.b64decode(text), np.float32)
