"""One search's view of an index on a server: the chunks that may answer, from the server's own tables.

The posting lists of what is asked for are scored by BM25, from the rarest on as far as a budget
allows: the words left out then stand in so many passages that they tell little. The server compares
vectors. The chunks of the best by words and by meaning are the shortlist that is ranked.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import logging
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
from psycopg.pq import TransactionStatus

from memdown.index.bm25 import idf, length_norms, saturate
from memdown.index.filters import Filter
from memdown.index.packing import file_keys, source_keys
from memdown.index.passages import HEAD_WEIGHT, TEXT_WEIGHT
from memdown.index.postgres import chunk_rows, file_rows, postings, vectors
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
from memdown.index.postgres.postings import NOTHING, PackedPosting
from memdown.index.postgres.vectors import Means
from memdown.index.reader import Reader, Sought, Unit, Whole, word
from memdown.index.shortlist import (
    FEW_CHUNKS,
    KeyedPosting,
    ListedChunk,
    places_of,
    read_shortlist,
)
from memdown.index.similarity import highest, in_files
from memdown.types import (
    FILE_SPAN,
    SOURCES,
    FileState,
    Source,
    StoredChunk,
    Vectors,
)

log = logging.getLogger("memdown")

# How many postings one search may read, 8 bytes each. With 1,500,000 the first result of a million
# chunks was another for 1 of the 50 questions it was chosen on, and the server worked half as much again.
BUDGET = 900_000
# From so many passages on it is worth asking first how long the lists are.
MANY_PASSAGES = 300_000
# A list that is longer is merged with others only if it must be.
_LONG_LIST = 50_000
# A phrase is looked for in so many passages that hold all of its words.
_MOST_PHRASES = 400
# The chunks that are read for their words at most, and the passages that stand for each unit at least.
_MOST_CHUNKS, _EACH_UNIT = 400, 4
# So many of the best passages are looked up for them: a chunk holds several.
_MOST_PASSAGES = 700
# Of the best passages so many are shown with what is around them: chunks so many passages away are in.
_AROUND, _REACH = 60, 8
# Of so many of the files that must be represented, the beginnings are in.
_MOST_PREFERRED = 100

# What an answer lacks if there was no time for it.
_WORDS, _VECTORS = "words were looked up in what is alike only", "found by words only"
# A word of which nobody can tell how rare it is, stands in one of so many passages.
_UNKNOWN_SHARE = 100

# Larger than any key.
_NO_KEY = np.iinfo(np.int64).max

Keys = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(slots=True)
class Kept:
    """What one search leaves for the next: a whole small index, and means that change little."""

    state: object = None
    reader: Reader | None = None
    means: dict[tuple[object, Source], Means] = field(default_factory=dict)
    # The generation that is known to have an index over vectors, shelves whose chunks tell of their terms.
    indexed: int = 0
    telling: set[str] = field(default_factory=set)


def give_memory_back() -> None:
    """Let the system have what a search over very many postings needed for a moment.

    The C library keeps it for the next time, which is too much for a process that mostly waits.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


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
    ) -> None:
        self._server = server
        self._live = live
        self._place = live.place
        self._dims = dims
        self._kept = kept
        self._reconnect = reconnect
        self._deadline = time.monotonic() + patience
        self._missing: dict[str, str] = {}
        self._latest: Reader | None = None
        # A question is often looked up twice, with other forms of its words the second time.
        self._files: dict[int, FileState] = {}
        self._near: dict[object, list[int]] = {}

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
        return list(self._missing.values())

    def let_go(self) -> None:
        """Keep no reader: it keeps this view, and each would wait for the other to go."""
        self._latest = None

    def reader(self, sought: Sought) -> Reader:
        """The chunks that may answer, or all of a small index.

        Who has waited too long already gets what is there instead of another look.
        """
        if self._missing and self._latest is not None:
            return self._latest
        if self._live.chunks <= FEW_CHUNKS:
            return self._everything()
        self._latest = self._shortlist(sought)
        return self._latest

    def _shortlist(self, sought: Sought) -> Reader:
        lists = self._lists_in_time(sought)
        wanted = _best_passages(lists, sought, self._live)
        frequencies = lists.frequencies()
        near = self._nearest_once(sought)
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

    def _lists_in_time(self, sought: Sought) -> _Lists:
        """The posting lists; none if that takes too long and meaning may tell instead.

        Where time is up already, words are worth the wait, and vectors are not.
        """
        if not self._can_compare(sought) or self._is_late():
            return self._lists(sought)
        try:
            with until(self._place.db, self._deadline):
                return self._lists(sought)
        except psycopg.OperationalError as error:
            self._give_up(_WORDS, error)
            return _Lists({}, {})

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

    def _lists(self, sought: Sought) -> _Lists:
        """The posting lists of all that is looked for, as far as they may be read."""
        phrases = [phrase for phrase in sought.phrases if len(phrase) > 1]
        words = list(dict.fromkeys([*sought.words, *(term for one in phrases for term in one)]))
        prefixes: Sequence[str] = sought.prefixes
        known: dict[str, int] | None = None
        blocks = None
        if sought.files is not None or self._live.passages > MANY_PASSAGES:
            known = postings.counts(self._place, words, prefixes, self._live.lists)
            if sought.files is not None:
                blocks = _blocks(self._place, sought.files)
            else:
                words, prefixes = _affordable(words, prefixes, known)
        read = postings.read(self._place, words, prefixes, blocks, self._live.lists)
        found: dict[Unit, _Scored] = {}
        for term in words:
            one = read.get(term, NOTHING)
            count = len(one.keys) if known is None else known.get(term, 0)
            found[word(term)] = _Scored(one, count)
        for prefix in prefixes:
            one = _prefix(read.get(f"{prefix}*", NOTHING))
            count = len(one.keys) if known is None else max(len(one.keys), known[f"{prefix}*"])
            found[Unit("prefix", (prefix,))] = _Scored(one, count)
        for phrase in phrases:
            one = _phrase(self._place, phrase, {term: found.get(word(term)) for term in phrase})
            found[Unit("phrase", phrase)] = _Scored(one, len(one.keys))
        return _Lists(found, known or {})

    def _nearest_once(self, sought: Sought) -> list[int]:
        vector = None if sought.vector is None else sought.vector.tobytes()
        asked = (vector, sought.sources, sought.chunks, sought.files, sought.preferred)
        if asked not in self._near:
            self._near[asked] = self._nearest(sought)
        return [*self._near[asked]]

    def _chunks_of(self, passages: Keys, chunks: Sequence[int]) -> list[ListedChunk]:
        """The chunks of some passages, the best first, and others, by ascending key; their files are known then."""
        rows = _read_chunks(self._place, passages, chunks, told=self._tells())
        listed = [_listed(row) for row in rows]
        for key, *_, path, source, date, problem, tags, names in rows:
            number = key // FILE_SPAN
            if number not in self._files:
                file = FileState(path, source, 0, 0, 0, 0, "", date, problem, tuple(tags), names)
                self._files[number] = file
        return sorted(listed)

    def _tells(self) -> bool:
        """Whether chunks may come without their terms: tables of an earlier version lack a column."""
        if self._place.shelf not in self._kept.telling and chunk_rows.tells(self._place):
            self._kept.telling.add(self._place.shelf)
        return self._place.shelf in self._kept.telling

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
                        sought.chunks,
                        files,
                        chunks=self._live.chunks,
                        indexed=self._has_index(),
                    )
            except psycopg.errors.InternalError_ as error:
                # This search goes on with keywords alone.
                log.warning("Vectors could not be compared on %s: %s", self._server, error)
                return keys
            except psycopg.OperationalError as error:
                self._give_up(_VECTORS, error)
                return keys
        return keys

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

    def _whole(self, frequencies: _Frequencies) -> Whole:
        live = self._live
        if _WORDS in self._missing:
            # Nobody can tell how rare a word is: each counts alike.
            frequencies = _Frequencies({}, {}, live.passages // _UNKNOWN_SHARE)
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


@dataclass(frozen=True, slots=True)
class _Scored:
    """A posting list as far as it was read, and in how many passages of all its unit stands."""

    posting: PackedPosting
    count: int


@dataclass(frozen=True, slots=True)
class _Lists:
    """What was read for a question; `known` are the counts that were asked for first."""

    found: dict[Unit, _Scored]
    known: dict[str, int]

    def of_chunks(self, keys: Sequence[int]) -> dict[Unit, KeyedPosting]:
        """What is left of them for some chunks, by ascending keys; phrases are counted in the chunks."""
        first = np.array(keys, np.int64)
        # A chunk ends before the next one, or with its file.
        after = np.minimum(np.append(first[1:], _NO_KEY), (first // FILE_SPAN + 1) * FILE_SPAN)
        return {
            unit: _within(one.posting, first, after)
            for unit, one in self.found.items()
            if unit.kind != "phrase" and postings.can_store(unit.terms[0])
        }

    def frequencies(self) -> _Frequencies:
        """What is left of them when the best passages are found."""
        return _Frequencies({unit: one.count for unit, one in self.found.items()}, self.known)


@dataclass(frozen=True, slots=True)
class _Frequencies:
    """How many passages hold each unit that was read for, and each term that was counted."""

    read: dict[Unit, int]
    known: dict[str, int]
    every: int | None = None

    def of(self, unit: Unit, live: Live) -> int:
        """In how many passages of the index a unit stands; `every`, if they cannot be asked for."""
        if self.every is not None:
            return self.every
        place, packed = live.place, live.lists
        if unit in self.read:
            return self.read[unit]
        name = f"{unit.terms[0]}*" if unit.kind == "prefix" else unit.terms[0]
        if name not in self.known:
            if unit.kind == "prefix":
                self.known.update(postings.counts(place, [], unit.terms, packed))
            else:
                self.known.update(dict.fromkeys(unit.terms, 0))
                self.known.update(postings.counts(place, unit.terms, [], packed))
        if unit.kind == "phrase":
            return min(self.known.get(term, 0) for term in unit.terms)
        return self.known.get(name, 0)


def _within(posting: PackedPosting, first: Keys, after: Keys) -> KeyedPosting:
    """The part of a posting list between some keys and those after them."""
    begins, ends = np.searchsorted(posting.keys, first), np.searchsorted(posting.keys, after)
    counts = ends - begins
    places = np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts)
    return KeyedPosting(posting.keys[places], posting.text[places], posting.head[places])


def _affordable(
    words: Sequence[str], prefixes: Sequence[str], known: dict[str, int]
) -> tuple[list[str], list[str]]:
    """The words and prefixes with the shortest lists, up to the budget; the shortest in any case."""
    cost = {word: known.get(word, 0) for word in words}
    cost |= {f"{prefix}*": known.get(f"{prefix}*", 0) for prefix in prefixes}
    chosen: set[str] = set()
    spent = 0
    for name in sorted(cost, key=lambda name: cost[name]):
        if spent and spent + cost[name] > BUDGET:
            break
        spent += cost[name]
        chosen.add(name)
    return (
        [word for word in words if word in chosen],
        [prefix for prefix in prefixes if f"{prefix}*" in chosen],
    )


def _prefix(every: PackedPosting) -> PackedPosting:
    """The passages whose text holds a term with a prefix, each once."""
    inside = every.text > 0
    keys, places = np.unique(every.keys[inside], return_inverse=True)
    often = np.bincount(places, every.text[inside], minlength=len(keys)).astype(np.float32)
    lengths = np.zeros(len(keys), np.int32)
    lengths[places] = every.lengths[inside]
    return PackedPosting(keys, often, np.zeros(len(keys), np.float32), lengths)


def _phrase(
    place: Place, phrase: tuple[str, ...], lists: Mapping[str, _Scored | None]
) -> PackedPosting:
    """The passages whose text holds terms in order; verified by the terms stored with their chunks."""
    known = (lists.get(term) for term in phrase)
    each = [NOTHING if one is None else one.posting for one in known]
    rarest = min(each, key=lambda one: len(one.keys))
    keys = rarest.keys
    for one in each:
        keys = keys[np.isin(keys, one.keys[one.text > 0])]
    keys = keys[:_MOST_PHRASES]
    counts = _occurrences(place, phrase, keys.tolist())
    often = np.array([counts.get(key, 0) for key in keys.tolist()], np.float32)
    lengths = rarest.lengths[np.searchsorted(rarest.keys, keys)]
    some = often > 0
    return PackedPosting(
        keys[some], often[some], np.zeros(int(some.sum()), np.float32), lengths[some]
    )


def _occurrences(place: Place, phrase: tuple[str, ...], keys: Sequence[int]) -> dict[int, int]:
    if not keys:
        return {}
    rows = run(
        place.db,
        place.sql(
            "SELECT DISTINCT ON (c.key) c.key, c.terms FROM unnest(%s::bigint[]) AS p, "
            "LATERAL (SELECT key, terms FROM {chunks} WHERE generation = %s AND key <= p "
            "ORDER BY key DESC LIMIT 1) AS c"
        ),
        (numbers(keys), place.generation),
        binary=True,
    )
    wanted, found = set(keys), {}
    sought = f" {' '.join(phrase)} ".encode("utf-8", "surrogatepass")
    for first, packed in rows:
        lines = zlib.decompress(packed).partition(b"\t")[0].split(b"\n")
        for key, line in enumerate(lines, start=first):
            if key in wanted:
                found[key] = len(places_of(b" " + line + b" ", sought))
    return found


def _best_passages(lists: _Lists, sought: Sought, live: Live) -> Keys:
    """The best passages of each source by BM25, and some for each unit."""
    held = [(unit, one) for unit, one in lists.found.items() if len(one.posting.keys)]
    if not held:
        return np.empty(0, np.int64)
    each = [(one.posting.keys, _gains(one, live)) for _, one in held]
    best: list[Keys] = []
    for source in sought.sources:
        mine = [_between(*one, source_keys(source)) for one in each]
        if sought.files is not None:
            mine = [_only(*one, sought.files) for one in mine]
        best.append(best_sums(mine, sought.passages))
        if sought.preferred:
            then = [_only(*one, sought.preferred) for one in mine]
            best.append(best_sums(then, sought.passages))
    best += [keys[highest(gains, _EACH_UNIT, above=0.0)] for keys, gains in each]
    found = np.unique(np.concatenate(best))
    if sought.files is not None:
        found = found[in_files(found, sought.files)]
    scores = np.zeros(len(found))
    for one in each:
        scores += _looked_up(found, *one)
    # The best first, since only so many chunks are read.
    best_first = found[np.argsort(-scores, kind="stable")]
    return np.concatenate(
        [best_first[:_AROUND], _beside(best_first[:_AROUND]), best_first[_AROUND:]]
    )


def best_sums(lists: Sequence[tuple[Keys, Scores]], count: int) -> Keys:
    """The keys with the `count` highest sums of their gains in ascending lists, and those equal to one.

    Long lists come last. Once what they could add at most is less than what the best have, no key wins
    that stands in them alone: then they are looked into for the best, and no longer merged (MaxScore).
    """
    short = [one for one in lists if len(one[0]) <= _LONG_LIST]
    long = [one for one in lists if len(one[0]) > _LONG_LIST]
    long.sort(key=lambda one: -float(one[1].max()))
    keys, scores = _summed(short)
    for number, one in enumerate(long):
        left = sum(float(gains.max()) for _, gains in long[number:])
        least = np.partition(scores, -count)[-count] if len(scores) >= count else 0.0
        if least > left:
            kept = scores + left >= least
            keys, scores = keys[kept], scores[kept]
            scores = scores + _looked_up(keys, *one)
        else:
            keys, scores = _summed([(keys, scores), one])
    best: Keys = keys[highest(scores, count, above=0.0)]
    return best


def _looked_up(keys: Keys, listed: Keys, gains: Scores) -> Scores:
    """The gains of keys in an ascending list; 0 for those that it does not hold."""
    if not len(listed):
        return np.zeros(len(keys))
    places = np.minimum(np.searchsorted(listed, keys), len(listed) - 1)
    return np.where(listed[places] == keys, gains[places], 0.0)


def _between(keys: Keys, gains: Scores, bounds: range) -> tuple[Keys, Scores]:
    first, last = np.searchsorted(keys, [bounds.start, bounds.stop])
    return keys[first:last], gains[first:last]


def _only(keys: Keys, gains: Scores, files: frozenset[int]) -> tuple[Keys, Scores]:
    inside = in_files(keys, files)
    return keys[inside], gains[inside]


def _summed(lists: Sequence[tuple[Keys, Scores]]) -> tuple[Keys, Scores]:
    """Each key of several ascending lists once, with the sum of its gains."""
    some = [one for one in lists if len(one[0])]
    if not some:
        return np.empty(0, np.int64), np.empty(0)
    if len(some) == 1:
        return some[0]
    every = np.concatenate([keys for keys, _ in some])
    # A sort that makes use of what is in order already.
    order = np.argsort(every, kind="stable")
    every = every[order]
    firsts = np.flatnonzero(np.diff(every, prepend=every[0] - 1))
    gains = np.concatenate([gains for _, gains in some])
    return every[firsts], np.add.reduceat(gains[order], firsts)


def _beside(keys: Keys) -> Keys:
    """Passages some places before and behind others, in the same file: their chunks are neighbours."""
    every = (keys[:, None] + np.array([-_REACH, _REACH])).ravel()
    of_file: Keys = every[every // FILE_SPAN == np.repeat(keys // FILE_SPAN, 2)]
    return of_file


def _gains(one: _Scored, live: Live) -> Scores:
    posting = one.posting
    often = np.float32(TEXT_WEIGHT) * posting.text + np.float32(HEAD_WEIGHT) * posting.head
    weight = np.float32(idf(live.passages, min(one.count, live.passages)))
    gains = weight * saturate(often, length_norms(posting.lengths, live.average_length))
    return gains.astype(np.float64)


def _blocks(place: Place, files: frozenset[int]) -> list[int]:
    """The first files of the blocks that hold these files."""
    return [
        block
        for (block,) in run(
            place.db,
            place.sql("SELECT DISTINCT block FROM {files} WHERE generation = %s AND id = ANY(%s)"),
            (place.generation, sorted(files)),
        )
    ]


def _read_chunks(place: Place, passages: Keys, chunks: Sequence[int], *, told: bool) -> list[Any]:
    """The rows of the chunks of some passages, the best first, and of others; with those of their files."""
    terms = "CASE WHEN c.told IS NULL THEN c.terms END, c.told" if told else "c.terms, NULL::bytea"
    return run(
        place.db,
        place.sql(
            # The chunk of a passage is the one with the largest number not above it.
            "WITH best AS (SELECT c.key FROM unnest(%s::bigint[]) WITH ORDINALITY AS w (p, n), "
            "LATERAL (SELECT key FROM {chunks} WHERE generation = %s AND key <= p "
            f"ORDER BY key DESC LIMIT 1) AS c GROUP BY c.key ORDER BY min(n) LIMIT {_MOST_CHUNKS}) "
            f"SELECT c.key, c.passages, {terms}, c.embedding, c.passage_vectors, "
            "f.path, f.source, f.date, f.problem, f.tags, f.names "
            "FROM {chunks} c JOIN {files} f ON f.generation = c.generation AND f.id = c.key >> 24 "
            "WHERE c.generation = %s AND c.key = ANY(ARRAY("
            "SELECT key FROM best UNION SELECT unnest(%s::bigint[])))"
        ),
        (
            numbers(passages[:_MOST_PASSAGES].tolist()),
            place.generation,
            place.generation,
            numbers(chunks),
        ),
        binary=True,
    )


def _listed(row: Any) -> ListedChunk:
    """The chunk of such a row."""
    key, passages, terms, told, vector, own, *_ = row
    packed = None if terms is None else zlib.decompress(terms)
    return ListedChunk(key, passages, packed, vector, own, told)


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
