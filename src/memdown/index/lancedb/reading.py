"""One version of the live table, for one search: the chunks that may answer, by LanceDB's own indexes.

Its full-text index is over our own terms, cut at white space and changed in no way; beginnings of words
are terms of their own there. Figures of the whole table are exact for rare terms, which the index can
count, and estimated from a sample for common ones, of which the weight hardly depends on it.
"""

from __future__ import annotations

import datetime
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from memdown.index.filters import FileListing, Filter, folders_of, meanings
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import (
    Columns,
    Limit,
    Tables,
    TableVersion,
    VectorColumn,
    mapped,
    needed,
    rows_of,
)
from memdown.index.lancedb.engine import PLACE
from memdown.index.lancedb.rows import BEGINNING, EMBEDDING
from memdown.index.pace import Clock, Pace
from memdown.index.packing import count_passages, source_keys
from memdown.index.reader import Reader, Sought, Unit, Whole
from memdown.index.shortlist import (
    FEW_CHUNKS,
    ListedChunk,
    give_memory_back,
    read_shortlist,
    unpack_terms,
    words_ending,
)
from memdown.index.vector_blocks import unpack_vectors
from memdown.types import FILE_SPAN, SOURCES, FileState, Source, StoredChunk, Vector, Vectors

# From so many rows on vectors have an index of their own; comparing all takes too long then.
MANY = 20_000
# How many parts of an index over vectors are looked into, and how many are compared exactly.
PROBES, REFINED = 80, 2
# How many chunks the full-text index gives for a question, and for what asks for fewer passages at least.
_CANDIDATES, _LEAST_CANDIDATES = 300, 60
# So many of the nearest chunks at least.
_LEAST_NEAREST = 12
# What is known of so many files is kept for the next search.
_MOST_FILES = 4_096
# How many chunks tell of all: of their passages, terms and vectors.
_SAMPLE, _DRAWN_AT_ONCE = 1_500, 100
# A term that stands in so many passages of the sample is common: the sample tells how common.
_FEW_IN_SAMPLE = 8
# A rarer one that is in so many candidates is counted by the index, up to so many chunks.
_WORTH_COUNTING, _MOST_COUNTED = 40, 2_000
# How many counts are kept.
_MOST_COUNTS = 4_096
# Of the files that must be represented, so many.
_MOST_PREFERRED = 2_000
_KEYS_A_READ = 2_000
# A table of so many chunks is read through for words that end alike, and of so many chunks that have one
# the words are taken: LanceDB gives out no list of its terms.
_MOST_READ_THROUGH, _MOST_ENDING = 60_000, 100
# What an answer lacks if there was no time for it.
_WORDS, _VECTORS = "words were looked up in what is alike only", "found by words only"
_COLUMNS = ["key", "passages", "terms", "passage_vectors"]

Listed = dict[int, ListedChunk]
_Result = TypeVar("_Result")
log = logging.getLogger("memdown")


def by_key(
    table: TableVersion, keys: Sequence[int], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Rows by their numbers."""
    found: list[dict[str, Any]] = []
    for start in range(0, len(keys), _KEYS_A_READ):
        found += rows_of(table.select(columns, _among(keys[start : start + _KEYS_A_READ])))
    return found


def make_indexes(db: Tables, name: str) -> None:
    """Make the indexes that a table lacks: by key, by term, and over very many vectors."""
    table = db.table(name)
    count = 0 if table is None else table.count()
    if table is None or count <= FEW_CHUNKS:
        return
    there = table.indexed()
    wanted = {"key": "keys", "terms": "words"}
    if count > MANY and EMBEDDING in table.columns:
        wanted[EMBEDDING] = "vectors"
    for column, kind in wanted.items():
        if column not in there:
            db.index(name, column, kind)


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What a sample tells of a table: passages in all, their length, common terms, mean vectors.

    `share` is how much of the table the sample is; `held` counts the passages of it with a term.
    """

    chunks: Mapping[Source, int]
    passages: float
    average: float
    share: float
    held: Counter[str]
    chunk_mean: Mapping[Source, Vector]
    passage_mean: Vector | None
    # In how many chunks rarer terms stand, of those that searches have asked for.
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class ReadCache:
    """What one search leaves for the next: a whole small table, or the figures of a large one."""

    state: object = None
    reader: Reader | None = None
    drawn: object = None
    figures: Figures | None = None
    counted: object = None
    chunks: int = 0
    has_words: bool = False
    # Files by their numbers, of one version of a table.
    files_of: object = None
    files: dict[int, FileState] = field(default_factory=dict)
    # Whether a search has been answered whole: the indexes are open then.
    is_warm: bool = False
    pace: Pace = field(default_factory=Pace)


@dataclass(frozen=True, slots=True, eq=False)
class LanceSnapshot:
    """One search's view; without a table nothing was written yet, `dims` is None without vectors."""

    place: str
    table: TableVersion | None
    dims: int | None
    kept: ReadCache
    is_local: bool
    clock: Clock
    late: dict[str, str] = field(default_factory=dict)
    # What was left out, since too little time was left; in the order in which it was.
    left_out: dict[str, None] = field(default_factory=dict)
    counting: list[_Frequencies] = field(default_factory=list)
    # Where the chunks lie that were found, by key.
    places: dict[int, int] = field(default_factory=dict)

    def end(self) -> None:
        """Let go of what was read: readers and their frequencies hold each other, megabytes of them."""
        for frequencies in self.counting:
            frequencies.reader = None
        if self.counting:
            self.clock.stop()
            give_memory_back()

    def missing(self) -> Sequence[str]:
        """What there was no time for."""
        if self.late or not self.left_out:
            return list(self.late.values())
        return [f"{self.place} is slow, left out: {', '.join(self.left_out)}"]

    def leaves_out(self, what: str) -> bool:
        """Whether there is too little time left for something; then it is told that it is missing."""
        if self.kept.chunks <= FEW_CHUNKS or not self.is_hurried:
            return False
        self.left_out[what] = None
        return True

    @property
    def is_hurried(self) -> bool:
        """Whether what an answer can do without should be left out."""
        return bool(self.late) or (not self.is_local and self.clock.is_hurried)

    @property
    def _share(self) -> float:
        """The share of its work that a search has time for; a folder on this host's disk has no limit."""
        return 1.0 if self.is_local else self.clock.share

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number."""
        return self._files_where("true")

    def dated(self, first: datetime.date, last: datetime.date) -> Mapping[int, Source]:
        """The numbers of the files of a time that lack nothing, and their sources."""
        found = self._files_where(_of_time(first, last))
        return {number: file.source for number, file in found.items() if not file.problem}

    def matching(self, wanted: Filter, sources: Sequence[Source]) -> frozenset[int]:
        """The numbers of the files that a filter lets through; the table is asked for no others."""
        among = _are_any("source", sources)
        where = " AND ".join(
            [among, _of_time(wanted.since, wanted.until), *map(_may_have_tag, wanted.tags)]
        )
        if wanted.folder:
            for name in meanings(wanted.folder):
                inside = _is_in_folder(name)
                if self._has_files(f"{among} AND {inside}"):
                    where = f"{where} AND {inside}"
                    break
            else:
                # In other case: the rules of the table for that are others.
                return FileListing(self.files()).matching(wanted, sources)
        return FileListing(self._files_where(where)).matching(wanted, sources)

    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, however deep."""
        if self.table is None:
            return frozenset()
        where = "key < 0 AND strpos(path, '/') > 0"
        paths = self._ask(lambda table: table.select(["path"], where)["path"])
        return frozenset(name for path in paths for name in folders_of(path))

    def tags(self) -> frozenset[str]:
        """Every tag that a file has."""
        return frozenset(
            tag
            for file in self._files_where('strpos(facts, \'"tags": ["\') > 0').values()
            for tag in file.tags
        )

    def _files_where(self, where: str) -> dict[int, FileState]:
        if self.table is None:
            return {}
        return self._ask(lambda table: dict(rows.read_files(table, f"key < 0 AND {where}")))

    def _has_files(self, where: str) -> bool:
        return self.table is not None and bool(self._count(f"key < 0 AND {where}"))

    def _ask(self, work: Callable[[TableVersion], _Result]) -> _Result:
        """What is read of the table, in time."""
        with mapped(self.place):
            return work(self._within(needed()))

    def _within(self, limit: Limit) -> TableVersion:
        """The table, asked with a limit; a folder on this host's disk needs none."""
        assert self.table is not None  # noqa: S101
        return self.table if self.is_local else self.table.within(limit)

    def _ask_soon(
        self, what: str, work: Callable[[TableVersion], Listed], deadline: float
    ) -> Listed | None:
        """The chunks that something finds; None if that takes longer than a search waits for it."""
        with mapped(self.place):
            try:
                return work(self._within(Limit(deadline, is_needed=False)))
            except TimeoutError as error:
                log.warning("%s took too long: %s", self.place, error)
                self.late[what] = f"{self.place} took too long, {what}"
                return None

    def chunks(self, keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, by key."""
        if self.table is None or not keys:
            return {}
        # Below 0 are the rows of files.
        found = self._ask(partial(self._rows, [key for key in keys if key >= 0]))
        files = self._files_of({row["key"] // FILE_SPAN for row in found})
        return {
            row["key"]: rows.read_chunk_row(row, files[row["key"] // FILE_SPAN]) for row in found
        }

    def _rows(self, keys: Sequence[int], table: TableVersion) -> list[dict[str, Any]]:
        """The rows of chunks; where one lies that was found before need not be looked up."""
        placed = [self.places[key] for key in keys if key in self.places]
        found = rows_of(table.at_places(rows.CHUNK_COLUMNS, placed)) if placed else []
        return found + by_key(
            table, [key for key in keys if key not in self.places], rows.CHUNK_COLUMNS
        )

    def _files_of(self, numbers: Collection[int]) -> dict[int, FileState]:
        """Some files by their numbers; those of the last searches are not read again."""
        kept, version = self.kept, self.table and (self.table.name, self.table.version)
        if kept.files_of != version or len(kept.files) > _MOST_FILES:
            kept.files, kept.files_of = {}, version
        known = kept.files
        missing = [number for number in sorted(numbers) if number not in known]
        read: dict[int, FileState] = {}
        if missing:
            read = self._ask(lambda table: dict(rows.files_of(table, missing)))
            known.update(read)
        every = known | read
        return {number: every[number] for number in numbers if number in every}

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""
        found: dict[int, Vector] = {}
        if self.table is not None and self._has_vectors:
            with mapped(self.place):
                # All vectors may take long: this is no search.
                keys = sorted(self.table.select(["key"], "embedding IS NOT NULL")["key"])
                drawn = keys[:: max(1, -(-len(keys) // limit))]
                for start in range(0, len(drawn), _KEYS_A_READ):
                    some = _among(drawn[start : start + _KEYS_A_READ])
                    found |= _vectors_of(self.table.select(["key", EMBEDDING], some))
        if not found:
            return [], np.empty((0, self.dims or 1), np.float32)
        return sorted(found), np.stack([found[key] for key in sorted(found)])

    def reader(self, sought: Sought) -> Reader:
        """The chunks that may answer, or all of a small table."""
        if self.table is None:
            return read_shortlist([], {}, self.dims, self.chunks, None)
        figures = self._whole_figures()
        if figures is None:
            return self._ask(self._everything)
        listed = list(self._listed(sought, figures).values())
        files = self._files_of({one.key // FILE_SPAN for one in listed})
        frequencies = _Frequencies(self, figures)
        self.counting.append(frequencies)
        whole = Whole(
            passages=max(1, round(figures.passages)),
            average_length=figures.average,
            chunks=figures.chunks,
            chunk_mean=figures.chunk_mean,
            passage_mean=figures.passage_mean,
            frequency=frequencies.of,
        )
        frequencies.reader = read_shortlist(
            listed, files, self.dims, self.chunks, whole, ending=self._ending
        )
        self.clock.note_candidates()
        return frequencies.reader

    def _whole_figures(self) -> Figures | None:
        """What a sample tells of the table; None if it is small, or has no index: it is read whole then."""
        assert self.table is not None  # noqa: S101
        kept, state = self.kept, (self.table.name, self.table.version)
        if kept.counted != state:
            kept.chunks = self._count("key >= 0")
            is_large = kept.chunks > FEW_CHUNKS
            kept.has_words = is_large and "terms" in self._ask(TableVersion.indexed)
            kept.counted = state
        if kept.chunks <= FEW_CHUNKS or not kept.has_words:
            return None
        return self._figures(self.table, kept.chunks)

    def _count(self, where: str | None = None) -> int:
        return self._ask(lambda table: table.count(where))

    def _listed(self, sought: Sought, figures: Figures) -> Listed:
        """The chunks that words and meaning find, as far as there is time for both."""
        terms = _asked_terms(sought)
        found: Listed = {}
        # The first search of a process opens indexes, which may take longer.
        deadline = self.clock.deadline if self.kept.is_warm else needed().until
        for source in sought.sources:
            if not figures.chunks.get(source):
                continue
            for where in _scopes(sought, source, figures):
                by_words = partial(self._by_words, terms, where, sought)
                by_meaning = partial(self._by_meaning, sought, where)
                if not self._can_compare(sought) or _VECTORS in self.late:
                    found |= self._ask(by_words)
                elif _WORDS in self.late:
                    found |= self._ask(by_meaning)
                else:
                    found |= self._by_both(by_words, by_meaning, deadline)
            if sought.preferred:
                found |= self._ask(partial(self._beginnings, sought.preferred, source))
        self.kept.is_warm = self.kept.is_warm or not self.late
        return found

    def _by_both(
        self,
        by_words: Callable[[TableVersion], Listed],
        by_meaning: Callable[[TableVersion], Listed],
        deadline: float,
    ) -> Listed:
        """What words and meaning find, both looked for at once; if both take too long, meaning is all there
        is, and waited for: it is under way."""
        beside = ThreadPoolExecutor(1)
        asked = beside.submit(by_meaning, self._within(needed()))
        try:
            listed = self._ask_soon(_WORDS, by_words, deadline)
            with mapped(self.place):
                if listed is None:
                    return asked.result()
                try:
                    return listed | asked.result(max(0.0, deadline - time.monotonic()))
                except TimeoutError as error:
                    log.warning("%s took too long: %s", self.place, error)
                    self.late[_VECTORS] = f"{self.place} took too long, {_VECTORS}"
                    return listed
        finally:
            beside.shutdown(wait=False)

    def _ending(self, end: str) -> set[str]:
        """The longer words that end like this, unless the table is too large to be read through."""
        # The bytes of half a character are in no condition.
        if not end.isalpha() or self.kept.chunks > _MOST_READ_THROUGH:
            return set()
        where = f"key >= 0 AND regexp_like(terms, '[^\\s]{end}\\s')"
        if self.late:
            return set()
        found = self._ask(lambda table: table.select(["terms"], where, _MOST_ENDING)["terms"])
        texts = (terms.partition("\t")[0].replace("\n", " ") for terms in found)
        every = f" {' '.join(texts)} ".encode("utf-8", "surrogatepass")
        return words_ending(every, end)

    def _everything(self, table: TableVersion) -> Reader:
        state = (table.name, table.version, self.dims)
        if self.kept.reader is None or self.kept.state != state:
            listed = list(_listed(table.select(self._columns, "key >= 0")).values())
            stored = self.chunks([one.key for one in listed])
            reader = read_shortlist(listed, self.files(), self.dims, lambda _: stored, None)
            self.kept.reader, self.kept.state = reader, state
        return self.kept.reader

    def _figures(self, table: TableVersion, count: int) -> Figures:
        """What a sample tells; of a large table it is drawn anew when that has grown by a tenth."""
        size = table.version if count <= _SAMPLE else round(10 * float(np.log(count)))
        drawn = (table.name, self.dims, count <= _SAMPLE, size)
        if self.kept.figures is None or self.kept.drawn != drawn:
            self.kept.figures = self._draw(count)
            self.kept.drawn = drawn
        return self.kept.figures

    def _draw(self, count: int) -> Figures:
        every = self._count()
        places = np.unique(np.linspace(0, every - 1, min(every, _SAMPLE)).astype(int)).tolist()
        held: Counter[str] = Counter()
        drawn: list[ListedChunk] = []
        passages = tokens = 0
        for start in range(0, len(places), _DRAWN_AT_ONCE):
            some = places[start : start + _DRAWN_AT_ONCE]
            # Each portion has its time: a machine with much to do is no storage that is silent.
            read = self._ask(partial(TableVersion.take, columns=self._columns, offsets=some))
            for one in _listed(read).values():
                for terms in unpack_terms(
                    (one.terms or b"").decode("utf-8", "surrogatepass"),
                    count_passages(one.passages),
                ):
                    held.update(terms.every().keys() | rows.beginnings(terms.text))
                    passages += 1
                    tokens += terms.length
                drawn.append(one._replace(terms=None))
        share = max(1, len(drawn)) / max(1, count)
        if share < 1.0:
            # Of rarer terms the sample does not tell how rare they are.
            held = Counter({term: n for term, n in held.items() if n >= _FEW_IN_SAMPLE})
        sessions = source_keys("sessions")
        of_sessions = self._count(f"key >= {sessions.start} AND key < {sessions.stop}")
        return Figures(
            {"memory": count - of_sessions, "sessions": of_sessions},
            max(1.0, passages / share),
            tokens / max(1, passages),
            share,
            held,
            {source: _chunk_mean(drawn, source, self.dims or 1) for source in SOURCES},
            _passage_mean(drawn),
        )

    def _by_words(
        self, terms: Sequence[str], where: str, sought: Sought, table: TableVersion
    ) -> Listed:
        if not terms:
            return {}
        columns = [PLACE, *(_COLUMNS if sought.vector is None else self._columns)]
        share = self._share
        if share < 1.0:
            self.left_out["further candidates"] = None
        most = min(round(share * _CANDIDATES), max(_LEAST_CANDIDATES, sought.passages))
        return self._placed(table.with_words(columns, "terms", " ".join(terms), where, most))

    def _by_meaning(self, sought: Sought, where: str, table: TableVersion) -> Listed:
        if sought.vector is None or not self._can_compare(sought):
            return {}
        found = table.nearest(
            [PLACE, *self._columns],
            EMBEDDING,
            sought.vector,
            # Rows of files have no vector.
            where or None,
            min(sought.chunks, max(_LEAST_NEAREST, round(self._share * sought.chunks))),
            round(self._share * PROBES),
            REFINED,
        )
        return self._placed(found)

    def _placed(self, found: Columns) -> Listed:
        """The chunks among rows that were found; where they lie is kept for when they are read."""
        self.places.update(zip(found["key"], found[PLACE], strict=True))
        return _listed(found)

    def _beginnings(self, preferred: frozenset[int], source: Source, table: TableVersion) -> Listed:
        """The first chunks of files that must be represented."""
        mine = [n * FILE_SPAN for n in sorted(preferred) if n * FILE_SPAN in source_keys(source)]
        some = _among(mine[-_CANDIDATES:])
        return self._placed(table.select([PLACE, *self._columns], some)) if mine else {}

    def count_chunks(self, term: str, figures: Figures) -> int:
        """In how many chunks a term stands, counted up to a limit; as long as the figures hold, once."""
        counts = figures.counts
        if term not in counts:
            if len(counts) >= _MOST_COUNTS:
                counts.clear()
            found = self._ask(
                lambda table: table.with_words([PLACE], "terms", term, None, _MOST_COUNTED)
            )
            counts[term] = len(found[PLACE])
        return counts[term]

    def _can_compare(self, sought: Sought) -> bool:
        vector = sought.vector
        return vector is not None and self._has_vectors and vector.size == self.dims

    @property
    def _has_vectors(self) -> bool:
        return self.table is not None and self.dims is not None and EMBEDDING in self.table.columns

    @property
    def _columns(self) -> list[str]:
        return [*_COLUMNS, EMBEDDING] if self._has_vectors else _COLUMNS


def _of_time(first: datetime.date | None, last: datetime.date | None) -> str:
    """The condition that a file's day is not before one and not after another."""
    if first is None and last is None:
        return "true"
    # In JSON no text holds this mark: its own would be written with a backslash.
    day = f"split_part(split_part(facts, '{rows.DATE_MARK}', 2), '\"', 1)"
    bounds = [f"{day} >= '{first}'"] if first else []
    bounds += [f"{day} <= '{last}'"] if last else []
    return " AND ".join([f"{day} <> ''", *bounds])


def _is_in_folder(name: str) -> str:
    return f"(path = {_quoted(name)} OR starts_with(path, {_quoted(name + '/')}))"


def _may_have_tag(tag: str) -> str:
    """A condition that every file with a tag, or one below it, meets."""
    return f"strpos(facts, {_quoted(json.dumps(tag)[:-1])}) > 0"


def _are_any(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(_quoted, values))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _among(keys: Sequence[int]) -> str:
    return f"key IN ({', '.join(map(str, keys))})" if keys else "false"


def _asked_terms(sought: Sought) -> list[str]:
    """What the full-text index is asked for."""
    phrases = (term for phrase in sought.phrases for term in phrase)
    prefixes = (BEGINNING + prefix for prefix in sought.prefixes)
    return list(dict.fromkeys([*sought.words, *phrases, *prefixes]))


def _scopes(sought: Sought, source: Source, figures: Figures) -> list[str]:
    """The conditions under which a source is looked through: what may be found, and what must be."""
    bounds = source_keys(source)
    is_all = figures.chunks.get(source) == sum(figures.chunks.values())
    inside = "" if is_all else f"key >= {bounds.start} AND key < {bounds.stop}"
    scopes = []
    for files in (sought.files, *([sought.preferred] if sought.preferred else [])):
        if files is None:
            scopes.append(inside)
            continue
        mine = [n for n in sorted(files) if n * FILE_SPAN in bounds]
        if mine:
            some = ", ".join(
                map(str, mine[-_MOST_PREFERRED:] if files is sought.preferred else mine)
            )
            scopes.append(f"file IN ({some}) AND key >= 0")
    return scopes


def _vectors_of(found: Columns) -> dict[int, Vector]:
    """The vectors of rows by key."""
    column = found.get(EMBEDDING)
    if not isinstance(column, VectorColumn):
        return {}
    each = zip(found["key"], column.each(), strict=True)
    return {key: vector for key, vector in each if vector is not None}


def _listed(found: Columns) -> Listed:
    """The chunks among rows, by key."""
    vectors = {key: vector.tobytes() for key, vector in _vectors_of(found).items()}
    return {
        row["key"]: ListedChunk(
            row["key"],
            row["passages"],
            row["terms"].encode("utf-8", "surrogatepass"),
            vectors.get(row["key"]),
            row["passage_vectors"],
        )
        for row in rows_of(found)
        if row["key"] >= 0
    }


class _Frequencies:
    """In how many passages of the table terms stand; `reader` is that of the shortlist."""

    def __init__(self, snapshot: LanceSnapshot, figures: Figures) -> None:
        self._snapshot = snapshot
        self._figures = figures
        self._known: dict[Unit, int] = {}
        self.reader: Reader | None = None

    def of(self, unit: Unit) -> int:
        """About how many; counted where it is rare."""
        if unit not in self._known:
            self._known[unit] = self._estimated(unit)
        return self._known[unit]

    def _estimated(self, unit: Unit) -> int:
        if self.reader is None:
            return 0
        rows = self.reader.posting(unit).rows
        here = len(rows)
        if unit.kind == "phrase":
            return here
        term = BEGINNING + unit.terms[0] if unit.kind == "prefix" else unit.terms[0]
        drawn = self._figures.held.get(term, 0)
        if drawn >= _FEW_IN_SAMPLE or self._figures.share >= 1.0:
            return max(here, round(drawn / self._figures.share))
        chunks = len(np.unique(self.reader.passage_chunk[rows]))
        if chunks < _WORTH_COUNTING or self._snapshot.is_hurried:
            # All chunks that hold so rare a term are among the candidates, unless there was no time.
            return here
        return max(here, round(self._snapshot.count_chunks(term, self._figures) * here / chunks))


def _chunk_mean(listed: Sequence[ListedChunk], source: Source, dims: int) -> Vector:
    bounds = source_keys(source)
    mine = [
        np.frombuffer(one.vector, np.float32)
        for one in listed
        if one.key in bounds and one.vector is not None
    ]
    mean: Vector = np.mean(mine, axis=0, dtype=np.float32) if mine else np.zeros(dims, np.float32)
    return mean


def _passage_mean(listed: Sequence[ListedChunk]) -> Vector | None:
    each = [unpack_vectors(one.passage_vectors) for one in listed if one.passage_vectors]
    if not each:
        return None
    every = np.concatenate([one.numbers * one.scale[:, None] for one in each])
    mean: Vector = every.mean(axis=0, dtype=np.float32)
    return mean
