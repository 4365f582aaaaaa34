"""One search's view of an index on a server: the chunks that may answer, from the server's own tables.

Posting lists tell which passages may answer by their words, and the server compares vectors. The chunks of
the best by words and by meaning are the shortlist that is ranked.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql
from psycopg.pq import TransactionStatus

from memdown.errors import StoreError
from memdown.index.filters import Filter
from memdown.index.pace import Clock, Pace
from memdown.index.packing import file_keys, lines_of_all
from memdown.index.postgres import chunk_rows, file_rows, postings, vectors
from memdown.index.postgres.choosing import (
    BUDGET,
    AskedLists,
    UnitCounts,
    best_passages,
    read_lists,
)
from memdown.index.postgres.connection import (
    PATIENCE_SECONDS,
    Connection,
    Place,
    begin_again,
    numbers,
    run,
    until,
)
from memdown.index.postgres.generations import Live
from memdown.index.postgres.vectors import Means
from memdown.index.reader import Reader, Sought, Whole
from memdown.index.shortlist import (
    FEW_CHUNKS,
    ListedChunk,
    read_shortlist,
)
from memdown.types import (
    FILE_SPAN,
    SOURCES,
    FileState,
    Source,
    StoredChunk,
    Vectors,
)

log = logging.getLogger("memdown")

# The chunks that are read for their words at most.
_MOST_CHUNKS = 400
# So many of the best passages are looked up for them: a chunk holds several.
_MOST_PASSAGES = 700
# So many of the nearest are read, however little time is left.
_LEAST_NEAREST = 40
# Of the postings that a search may read this share is read in any case: words that are left out are missed most.
_LEAST_BUDGET = 0.5
# Of so many of the files that must be represented, the beginnings are in.
_MOST_PREFERRED = 100

# Comparing the vectors of so many chunks takes long enough to do something else meanwhile.
_WORTH_ASKING_ASIDE = 5_000

# What an answer lacks if there was no time for it.
_WORDS, _VECTORS = "words were looked up in what is alike only", "found by words only"
# A word of which nobody can tell how rare it is, stands in one of so many passages.
_UNKNOWN_SHARE = 100

Keys = NDArray[np.int64]


@dataclass(slots=True)
class Kept:
    """What one search leaves for the next: a whole small index, and means that change little."""

    state: object = None
    reader: Reader | None = None
    means: dict[tuple[object, Source], Means] = field(default_factory=dict)
    # The generation that is known to have an index over vectors, shelves whose chunks tell of their terms.
    indexed: int = 0
    brief_shelves: set[str] = field(default_factory=set)
    pace: Pace = field(default_factory=Pace)
    # Whether a pooler stands between: who waits for a second connection there may keep others from a first.
    is_pooled: bool | None = None


class PostgresSnapshot:
    """One search's view: a read transaction on a connection of its own."""

    def __init__(
        self,
        server: str,
        live: Live,
        dims: int | None,
        kept: Kept,
        reconnect: Callable[[], Connection],
        patience: float = PATIENCE_SECONDS,
        ask_aside: AskAside | None = None,
    ) -> None:
        self._server = server
        self._live = live
        self._place = live.place
        self._dims = dims
        self._kept = kept
        self._reconnect = reconnect
        self._clock = Clock(patience, kept.pace)
        self._deadline = self._clock.deadline
        self._missing: dict[str, str] = {}
        # What was left out, since too little time was left; in the order in which it was.
        self._left_out: dict[str, None] = {}
        self._latest: Reader | None = None
        # A question is often looked up twice, with other forms of its words the second time.
        self._files: dict[int, FileState] = {}
        self._near: dict[object, list[int]] = {}
        self._ask_aside = ask_aside
        # The chunks that were read, and the passages that the server has found them by.
        self._rows: dict[int, ListedChunk] = {}
        self._spans = _NO_SPANS
        self._looked_up: Keys = np.empty(0, np.int64)

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return file_rows.read_numbered(self._place)

    def dated(self, first: datetime.date, last: datetime.date) -> Mapping[int, Source]:
        """The numbers of the files of a time that lack nothing, and their sources."""
        return file_rows.read_dated(self._place, first, last)

    def matching(self, wanted: Filter, sources: Sequence[Source]) -> frozenset[int]:
        """The numbers of the files that a filter lets through."""
        return file_rows.matching(self._place, wanted, sources)

    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, however deep."""
        return file_rows.folders(self._place)

    def tags(self) -> frozenset[str]:
        """Every tag that a file has."""
        return file_rows.tags(self._place)

    def chunks(self, keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, by key."""
        return chunk_rows.load_chunks(self._place, keys) if keys else {}

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""
        return vectors.sample(self._place, limit)

    def missing(self) -> Sequence[str]:
        """What there was no time for."""
        if self._missing or not self._left_out:
            return list(self._missing.values())
        return [f"{self._server} is slow, left out: {', '.join(self._left_out)}"]

    def leaves_out(self, what: str) -> bool:
        """Whether there is too little time left for something; then it is told that it is missing."""
        if self._live.chunks <= FEW_CHUNKS or not (self._is_late() or self._clock.is_hurried):
            return False
        self._left_out[what] = None
        return True

    def let_go(self) -> None:
        """Keep no reader: it keeps this view, and each would wait for the other to go."""
        self._clock.stop()
        self._latest = None
        self._rows.clear()

    def reader(self, sought: Sought) -> Reader:
        """The chunks that may answer, or all of a small index.

        Who has waited too long already gets what is there instead of another look.
        """
        if self._missing and self._latest is not None:
            return self._latest
        if self._live.chunks <= FEW_CHUNKS:
            return self._everything()
        self._latest = self._shortlist(sought)
        self._clock.note_candidates()
        return self._latest

    def _shortlist(self, sought: Sought) -> Reader:
        ahead = self._compare_ahead(sought)
        lists = self._lists_in_time(sought)
        wanted = best_passages(lists, sought, self._live)
        frequencies = lists.frequencies()
        near = self._nearest_once(sought, ahead)
        # The key of a file's first passage is that of its first chunk.
        near += [file_keys(number).start for number in sorted(sought.preferred)[-_MOST_PREFERRED:]]
        rows = self._chunks_of(wanted, near)
        known = lists.of_chunks([row.key for row in rows])
        # They may be a million postings, and are read.
        del lists
        whole = self._whole(frequencies)
        return read_shortlist(
            rows,
            self._files,
            self._dims,
            self.chunks,
            whole,
            known,
            self._ending,
            partial(_terms_of, self._place),
        )

    def _ending(self, end: str) -> set[str]:
        return set() if self._is_late() else postings.ending(self._place, end)

    def _is_late(self) -> bool:
        return bool(self._missing) or time.monotonic() >= self._deadline

    def _lists_in_time(self, sought: Sought) -> AskedLists:
        """The posting lists; none if that takes too long and meaning may tell instead.

        Where time is up already, words are worth the wait, and vectors are not.
        """
        if not self._can_compare(sought) or self._is_late():
            return read_lists(self._live, sought)
        try:
            with until(self._place.db, self._deadline):
                return read_lists(
                    self._live, sought, round(max(_LEAST_BUDGET, self._clock.share) * BUDGET)
                )
        except psycopg.OperationalError as error:
            self._give_up(_WORDS, error)
            return AskedLists({}, {})

    def _give_up(self, what: str, error: psycopg.OperationalError) -> None:
        """Go on without something that the server has no time for."""
        log.warning("%s took too long: %s", self._server, error)
        self._missing[what] = f"{self._server} took too long, {what}"
        db = self._place.db
        if db.closed:
            db = self._reconnect()
        elif db.info.transaction_status == TransactionStatus.INERROR:
            begin_again(db)
        self._place = replace(self._place, db=db)
        self._live = replace(self._live, place=self._place)

    def _everything(self) -> Reader:
        kept = self._kept
        if kept.reader is None or kept.state != (self._live.state, self._dims):
            rows = _every_chunk(self._place)
            stored = self.chunks([row.key for row in rows])
            reader = read_shortlist(rows, self.files(), self._dims, lambda _: stored, None)
            kept.reader, kept.state = reader, (self._live.state, self._dims)
        return kept.reader

    def _compare_ahead(self, sought: Sought) -> _Ahead | None:
        """Have the server compare vectors while posting lists are read and scored, if that is worth it."""
        if (
            self._ask_aside is None
            or sought.vector is None
            or sought.files is not None
            or sought.preferred
            or not (self._can_compare(sought) and self._place.has_vectors)
            or self._live.chunks < _WORTH_ASKING_ASIDE
            or _asked_by_meaning(sought) in self._near
            or self._is_late()
        ):
            return None
        statements = vectors.comparing(
            self._place,
            sought.vector,
            sought.sources,
            self._near_count(sought),
            indexed=self._has_index(),
            share=self._clock.share,
        )
        return _Ahead(partial(self._ask_aside, statements, self._deadline))

    def _nearest_once(self, sought: Sought, ahead: _Ahead | None) -> list[int]:
        asked = _asked_by_meaning(sought)
        if asked not in self._near:
            found = None if ahead is None else ahead.keys(self._deadline)
            self._near[asked] = self._nearest(sought) if found is None else found
        return [*self._near[asked]]

    def _chunks_of(self, passages: Keys, chunks: Sequence[int]) -> list[ListedChunk]:
        """The chunks of some passages, the best first, and others, by ascending key; their files are known then.

        What an earlier look has read is not read again.
        """
        share = self._clock.share
        best = passages[: round(share * min(len(passages), _MOST_PASSAGES))]
        most = round(share * _MOST_CHUNKS)
        if share < 1.0 and len(passages):
            self._left_out["further candidates"] = None
        others = [key for key in chunks if key not in self._rows]
        new = best[self._spans.holders(best, self._looked_up) < 0]
        self._read(new, others, most)
        self._looked_up = np.concatenate([self._looked_up, new])
        held = self._spans.holders(best, self._looked_up)
        firsts = list(dict.fromkeys(held[held >= 0].tolist()))[:most]
        wanted = dict.fromkeys([*firsts, *(key for key in chunks if key in self._rows)])
        return sorted(self._rows[key] for key in wanted)

    def _read(self, passages: Keys, chunks: Sequence[int], most: int) -> None:
        """Read at most so many chunks of some passages, the best first, and others, with their files."""
        if not len(passages) and not chunks:
            return
        rows = _read_chunks(self._place, passages, chunks, most, brief=self._has_brief())
        listed = [one for one in map(_listed, rows) if one.key not in self._rows]
        self._rows |= {one.key: one for one in listed}
        self._spans = self._spans.and_of(listed)
        for key, *_, path, source, date, problem, tags, names in rows:
            number = key // FILE_SPAN
            if number not in self._files:
                file = FileState(path, source, 0, 0, 0, 0, "", date, problem, tuple(tags), names)
                self._files[number] = file

    def _has_brief(self) -> bool:
        """Whether chunks may come without their terms: tables of an earlier version lack a column."""
        if self._place.shelf not in self._kept.brief_shelves and chunk_rows.has_brief(self._place):
            self._kept.brief_shelves.add(self._place.shelf)
        return self._place.shelf in self._kept.brief_shelves

    def _nearest(self, sought: Sought) -> list[int]:
        """The keys of the nearest chunks; none if the server cannot compare vectors now."""
        if sought.vector is None or not self._can_compare(sought):
            return []
        keys: list[int] = []
        # If words took too long, meaning is all there is.
        limit = float("inf") if _WORDS in self._missing else self._deadline
        if time.monotonic() >= limit:
            self._missing[_VECTORS] = f"{self._server} took too long, {_VECTORS}"
            return []
        for files in (sought.files, *([sought.preferred] if sought.preferred else [])):
            try:
                with until(self._place.db, limit) if limit < float("inf") else nullcontext():
                    keys += vectors.nearest(
                        self._place,
                        sought.vector,
                        sought.sources,
                        self._near_count(sought),
                        files,
                        chunks=self._live.chunks,
                        indexed=self._has_index(),
                        share=self._clock.share,
                    )
            except psycopg.errors.InternalError_ as error:
                # This search goes on with keywords alone.
                log.warning("Vectors could not be compared on %s: %s", self._server, error)
                return keys
            except psycopg.OperationalError as error:
                self._give_up(_VECTORS, error)
                return keys
        return keys

    def _near_count(self, sought: Sought) -> int:
        """How many of the nearest chunks there is time to read."""
        return min(sought.chunks, max(_LEAST_NEAREST, round(self._clock.share * sought.chunks)))

    def _can_compare(self, sought: Sought) -> bool:
        return sought.vector is not None and self._dims == sought.vector.size

    def _has_index(self) -> bool:
        """Whether the server has an index over vectors; once there is one, it stays."""
        generation, known = self._place.generation, self._kept.indexed
        if known != generation and self._live.chunks > vectors.FEW:
            self._kept.indexed = (
                generation if vectors.has_index(self._place, self._dims or 0) else 0
            )
        return self._kept.indexed == generation

    def _whole(self, frequencies: UnitCounts) -> Whole:
        live = self._live
        if _WORDS in self._missing:
            # Nobody can tell how rare a word is: each counts alike.
            frequencies = UnitCounts({}, {}, live.passages // _UNKNOWN_SHARE)
        means = {source: self._means(source) for source in SOURCES}
        return Whole(
            passages=live.passages,
            average_length=live.average_length,
            chunks={source: mean.chunks for source, mean in means.items()},
            chunk_mean={source: mean.chunk for source, mean in means.items()},
            passage_mean=next(
                (one.passage for one in means.values() if one.passage is not None), None
            ),
            frequency=lambda unit: frequencies.of(unit, live),
        )

    def _means(self, source: Source) -> Means:
        """The mean vectors of a source; of a large index they are looked for once."""
        live, known = self._live, self._kept.means
        is_large = live.chunks > vectors.FEW_HERE
        key = (live.place.generation if is_large else live.state, source)
        if key not in known:
            if len(known) > len(SOURCES) * 2:
                known.clear()
            known[key] = vectors.means(live.place, source, self._dims or 1, live.chunks)
        return known[key]


AskAside = Callable[[Sequence[sql.Composable], float], list[list[Any]]]


class _Ahead:
    """The nearest chunks, asked for in a thread of its own while something else is done."""

    def __init__(self, ask: Callable[[], list[list[Any]]]) -> None:
        self._ask = ask
        self._found: list[int] | None = None
        self._thread = threading.Thread(target=self._run, name="memdown-nearest", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        # Who waits for it asks again, and then learns what is wrong.
        with contextlib.suppress(psycopg.Error, StoreError):
            self._found = [key for rows in self._ask() for (key,) in rows]

    def keys(self, deadline: float) -> list[int] | None:
        """Their keys; None if that failed, or took longer than to some time of the monotonic clock."""
        self._thread.join(max(0.0, deadline - time.monotonic()))
        return None if self._thread.is_alive() else self._found


def _asked_by_meaning(sought: Sought) -> object:
    """What the nearest chunks depend on."""
    vector = None if sought.vector is None else sought.vector.tobytes()
    return vector, sought.sources, sought.chunks, sought.files, sought.preferred


@dataclass(frozen=True, slots=True)
class _Spans:
    """The keys of chunks, ascending, and for each the key after its last passage."""

    keys: Keys
    after: Keys

    def and_of(self, rows: Sequence[ListedChunk]) -> _Spans:
        """With those of other chunks."""
        if not rows:
            return self
        new = np.fromiter((one.key for one in rows), np.int64, len(rows))
        ends = new + lines_of_all([one.passages for one in rows])[0]
        keys = np.concatenate([self.keys, new])
        order = np.argsort(keys)
        return _Spans(keys[order], np.concatenate([self.after, ends])[order])

    def holders(self, passages: Keys, looked_up: Keys) -> Keys:
        """The key of the chunk that holds each passage; -1 where none of these does.

        What was `looked_up` may be behind the end of its file: its chunk is the last before it.
        """
        if not len(self.keys):
            return np.full(len(passages), -1, np.int64)
        places = np.searchsorted(self.keys, passages, side="right") - 1
        inside = (places >= 0) & ((passages < self.after[places]) | np.isin(passages, looked_up))
        return np.where(inside, self.keys[places], -1)


_NO_SPANS = _Spans(np.empty(0, np.int64), np.empty(0, np.int64))


def _read_chunks(
    place: Place, passages: Keys, chunks: Sequence[int], most: int, *, brief: bool
) -> list[Any]:
    """The rows of the chunks of some passages, the first `most`, and of others; with those of their files."""
    terms = "CASE WHEN c.told IS NULL THEN c.terms END, c.told" if brief else "c.terms, NULL::bytea"
    return run(
        place.db,
        place.sql(
            # The chunk of a passage is the one with the largest number not above it.
            "WITH best AS (SELECT c.key FROM unnest(%s::bigint[]) WITH ORDINALITY AS w (p, n), "
            "LATERAL (SELECT key FROM {chunks} WHERE generation = %s AND key <= p "
            f"ORDER BY key DESC LIMIT 1) AS c GROUP BY c.key ORDER BY min(n) LIMIT {most}) "
            f"SELECT c.key, c.passages, {terms}, c.embedding, c.passage_vectors, "
            "f.path, f.source, f.date, f.problem, f.tags, f.names "
            "FROM {chunks} c JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
            "WHERE c.generation = %s AND c.key = ANY(ARRAY("
            "SELECT key FROM best UNION SELECT unnest(%s::bigint[])))"
        ),
        (
            numbers(passages.tolist()),
            place.generation,
            place.generation,
            numbers(chunks),
        ),
        binary=True,
    )


def _listed(row: Any) -> ListedChunk:
    """The chunk of such a row."""
    key, passages, terms, brief, vector, own, *_ = row
    packed = None if terms is None else zlib.decompress(terms)
    return ListedChunk(key, passages, packed, vector, own, brief)


def _terms_of(place: Place, keys: Sequence[int]) -> dict[int, bytes]:
    """The terms of some chunks."""
    rows = run(
        place.db,
        place.sql(
            "SELECT key, terms FROM {chunks} WHERE generation = %s AND key = ANY(%s::bigint[])"
        ),
        (place.generation, numbers(keys)),
        binary=True,
    )
    return {key: zlib.decompress(terms) for key, terms in rows}


def _every_chunk(place: Place) -> list[ListedChunk]:
    """All chunks with their terms."""
    rows = run(
        place.db,
        place.sql(
            "SELECT key, passages, terms, embedding, passage_vectors FROM {chunks} "
            "WHERE generation = %s"
        ),
        (place.generation,),
        binary=True,
    )
    return [
        ListedChunk(key, passages, zlib.decompress(terms), vector, own)
        for key, passages, terms, vector, own in rows
    ]
