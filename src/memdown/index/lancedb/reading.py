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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from lancedb.index import FTS, BTree, IvfPq
from lancedb.query import MatchQuery
from numpy.typing import NDArray

from memdown.index.filters import FileListing, Filter, folders_of, meanings
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import READ_SECONDS, Waits, mapped
from memdown.index.lancedb.rows import BEGINNING
from memdown.index.packing import count_passages, source_keys
from memdown.index.reader import Reader, Sought, Unit, Whole
from memdown.index.shortlist import (
    FEW_CHUNKS,
    ListedChunk,
    read_shortlist,
    unpack_terms,
    words_ending,
)
from memdown.index.vector_blocks import unpack_vectors
from memdown.types import FILE_SPAN, SOURCES, FileState, Source, StoredChunk, Vector, Vectors

# From so many rows on vectors have an index of their own; comparing all takes too long then.
MANY = 100_000
# How many parts of an index over vectors are looked into, and how many are compared exactly.
_PROBES, _REFINED = 40, 10
# How many chunks the full-text index gives for a question.
_CANDIDATES = 300
# How many chunks tell of all: of their passages, terms and vectors.
_SAMPLE = 1_500
# A term that stands in so many passages of the sample is common: the sample tells how common.
_FEW_IN_SAMPLE = 8
# A rarer one that is in so many candidates is counted by the index, up to so many chunks.
_WORTH_COUNTING, _MOST_COUNTED = 40, 2_000
# Of the files that must be represented, so many.
_MOST_PREFERRED = 2_000
_KEYS_A_READ = 2_000
# A table of so many chunks is read through for words that end alike, and of so many chunks that have one
# the words are taken: LanceDB gives out no list of its terms.
_MOST_READ_THROUGH, _MOST_ENDING = 60_000, 100
# What an answer lacks if there was no time for it.
_WORDS, _VECTORS = "words were looked up in what is alike only", "found by words only"
_ALL = (1 << 31) - 1
_COLUMNS = ["key", "passages", "terms", "passage_vectors"]
_FILE_COLUMNS = ["key", "path", "source", "digest", "facts"]

Keys = NDArray[np.int64]
Listed = dict[int, ListedChunk]
_Result = TypeVar("_Result")
log = logging.getLogger("memdown")


def read(table: Any, where: str, columns: list[str]) -> Any:
    """Rows of a table as Arrow columns, all of them if none is named."""
    query = table.search().select(columns or table.schema.names).limit(_ALL)
    return (query.where(where) if where else query).to_arrow()


def by_key(table: Any, keys: Sequence[int], columns: list[str]) -> list[dict[str, Any]]:
    """Rows by their numbers."""
    found: list[dict[str, Any]] = []
    for start in range(0, len(keys), _KEYS_A_READ):
        some = ", ".join(map(str, keys[start : start + _KEYS_A_READ]))
        found += read(table, f"key IN ({some})", columns).to_pylist()
    return found


def make_indexes(table: Any) -> None:
    """Make the indexes that a table lacks: by key, by term, and over very many vectors."""
    count = table.count_rows()
    if count <= FEW_CHUNKS:
        return
    there = {tuple(index.columns) for index in table.list_indices()}
    if ("key",) not in there:
        table.create_index("key", config=BTree(), replace=False)
    if ("terms",) not in there:
        words = FTS(
            base_tokenizer="whitespace",
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        table.create_index("terms", config=words, replace=False)
    if count > MANY and "embedding" in table.schema.names and ("embedding",) not in there:
        table.create_index("embedding", config=IvfPq(distance_type="cosine"), replace=False)


def _has_index(table: Any) -> bool:
    """Whether a table's terms can be searched by LanceDB itself."""
    return any(index.columns == ["terms"] for index in table.list_indices())


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


@dataclass(slots=True)
class ReadCache:
    """What one search leaves for the next: a whole small table, or the figures of a large one."""

    state: object = None
    reader: Reader | None = None
    drawn: object = None
    figures: Figures | None = None
    chunks: int = 0
    # Whether a search has been answered whole: the indexes are open then.
    is_warm: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LanceSnapshot:
    """One search's view; without a table nothing was written yet, `dims` is None without vectors."""

    place: str
    table: Any
    dims: int | None
    kept: ReadCache
    waits: Waits
    patience: float
    late: dict[str, str] = field(default_factory=dict)

    def missing(self) -> Sequence[str]:
        """What there was no time for."""
        return list(self.late.values())

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
        paths = self._ask(
            lambda: read(self.table, "key < 0 AND strpos(path, '/') > 0", ["path"])["path"]
        )
        return frozenset(name for path in paths.to_pylist() for name in folders_of(path))

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
        found = self._ask(lambda: read(self.table, f"key < 0 AND {where}", _FILE_COLUMNS))
        return {-row["key"]: rows.read_file_row(row) for row in found.to_pylist()}

    def _has_files(self, where: str) -> bool:
        if self.table is None:
            return False
        return bool(self._ask(lambda: self.table.count_rows(f"key < 0 AND {where}")))

    def _ask(self, work: Callable[[], _Result]) -> _Result:
        """What is read of the table, in time."""
        with mapped(self.place):
            return self.waits.ask(work)

    def _ask_soon(self, what: str, work: Callable[[], Listed], deadline: float) -> Listed:
        """The chunks that something finds, or none if that takes longer than a search waits for it."""
        # If one of both took too long, the other is all there is.
        until = None if self.late else deadline
        with mapped(self.place):
            try:
                return self.waits.ask(work, until)
            except TimeoutError as error:
                if until is None:
                    raise
                log.warning("%s took too long: %s", self.place, error)
                self.late[what] = f"{self.place} took too long, {what}"
                return {}

    def chunks(self, keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their text, by key."""
        if self.table is None or not keys:
            return {}
        numbers = {-(key // FILE_SPAN) for key in keys}
        columns = [*rows.CHUNK_COLUMNS, "facts"]
        found = self._ask(lambda: by_key(self.table, [*sorted(numbers), *keys], columns))
        dates: dict[str, datetime.date | None] = {
            row["path"]: rows.read_file_row(row).date for row in found if row["key"] < 0
        }
        return {
            row["key"]: rows.read_chunk_row(row, dates.get(row["path"]))
            for row in found
            if row["key"] >= 0
        }

    def vectors(self, limit: int) -> tuple[list[int], Vectors]:
        """The keys of at most `limit` chunks, evenly drawn if there are more, and their vectors."""
        if not self._has_vectors:
            return [], np.empty((0, self.dims or 1), np.float32)
        with mapped(self.place):
            # All vectors may take long: this is no search.
            keys = np.sort(read(self.table, "embedding IS NOT NULL", ["key"])["key"].to_numpy())
            drawn = keys[:: max(1, -(-len(keys) // limit))].tolist()
            parts = [
                _Found.of(
                    read(self.table, _among(drawn[n : n + _KEYS_A_READ]), _with_vectors(["key"]))
                )
                for n in range(0, len(drawn), _KEYS_A_READ)
            ]
        found = {key: vector for part in parts for key, vector in part.vectors.items()}
        if not found:
            return [], np.empty((0, self.dims or 1), np.float32)
        return sorted(found), np.stack([found[key] for key in sorted(found)])

    def reader(self, sought: Sought) -> Reader:
        """The chunks that may answer, or all of a small table."""
        if self.table is None:
            return read_shortlist([], {}, self.dims, self.chunks, None)
        figures = self._ask(self._whole_figures)
        if figures is None:
            return self._ask(self._everything)
        listed = list(self._listed(sought, figures).values())
        numbers = sorted({one.key // FILE_SPAN for one in listed})
        found = self._ask(
            lambda: by_key(self.table, [-number for number in numbers], _FILE_COLUMNS)
        )
        files = {-row["key"]: rows.read_file_row(row) for row in found}
        frequencies = _Frequencies(self, figures)
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
        return frequencies.reader

    def _whole_figures(self) -> Figures | None:
        """What a sample tells of the table; None if it is small, or has no index: it is read whole then."""
        count = self.table.count_rows("key >= 0")
        self.kept.chunks = count
        if count <= FEW_CHUNKS or not _has_index(self.table):
            return None
        return self._figures(count)

    def _listed(self, sought: Sought, figures: Figures) -> Listed:
        """The chunks that words and meaning find, as far as there is time for both."""
        terms = _asked_terms(sought)
        found: Listed = {}
        # The first search of a process opens indexes, which may take longer.
        deadline = time.monotonic() + (self.patience if self.kept.is_warm else READ_SECONDS)
        for source in sought.sources:
            if not figures.chunks.get(source):
                continue
            for where in _scopes(sought, source, figures):
                by_meaning = partial(self._by_meaning, sought, where)
                by_words = partial(self._by_words, terms, where)
                if not self._can_compare(sought):
                    found |= self._ask(by_words)
                    continue
                if _WORDS not in self.late:
                    found |= self._ask_soon(_WORDS, by_words, deadline)
                if _VECTORS not in self.late:
                    found |= self._ask_soon(_VECTORS, by_meaning, deadline)
            if sought.preferred:
                found |= self._ask(partial(self._beginnings, sought.preferred, source))
        self.kept.is_warm = self.kept.is_warm or not self.late
        return found

    def _ending(self, end: str) -> set[str]:
        """The longer words that end like this, unless the table is too large to be read through."""
        # The bytes of half a character are in no condition.
        if not end.isalpha() or self.kept.chunks > _MOST_READ_THROUGH:
            return set()
        where = f"key >= 0 AND regexp_like(terms, '[^\\s]{end}\\s')"
        if self.late:
            return set()
        query = self.table.search().where(where).select(["terms"]).limit(_MOST_ENDING)
        found = self._ask(lambda: query.to_arrow()["terms"].to_pylist())
        texts = (terms.partition("\t")[0].replace("\n", " ") for terms in found)
        every = f" {' '.join(texts)} ".encode("utf-8", "surrogatepass")
        return words_ending(every, end)

    def _everything(self) -> Reader:
        state = (self.table.name, self.table.version, self.dims)
        if self.kept.reader is None or self.kept.state != state:
            found = read(self.table, "key >= 0", self._columns)
            listed = list(_Found.of(found).listed().values())
            stored = self.chunks([one.key for one in listed])
            reader = read_shortlist(listed, self.files(), self.dims, lambda _: stored, None)
            self.kept.reader, self.kept.state = reader, state
        return self.kept.reader

    def _figures(self, count: int) -> Figures:
        """What a sample tells; of a large table it is drawn anew when that has grown by a tenth."""
        size = self.table.version if count <= _SAMPLE else round(10 * float(np.log(count)))
        drawn = (self.table.name, self.dims, count <= _SAMPLE, size)
        if self.kept.figures is None or self.kept.drawn != drawn:
            self.kept.figures = self._draw(count)
            self.kept.drawn = drawn
        return self.kept.figures

    def _draw(self, count: int) -> Figures:
        every = self.table.count_rows()
        places = np.unique(np.linspace(0, every - 1, min(every, _SAMPLE)).astype(int)).tolist()
        rows_drawn = self.table.take_offsets(places).select(self._columns).to_arrow()
        listed = [one for key, one in _Found.of(rows_drawn).listed().items() if key >= 0]
        held: Counter[str] = Counter()
        passages = tokens = 0
        for one in listed:
            for terms in unpack_terms(
                (one.terms or b"").decode("utf-8", "surrogatepass"), count_passages(one.passages)
            ):
                held.update(terms.every().keys() | rows.beginnings(terms.text))
                passages += 1
                tokens += terms.length
        share = max(1, len(listed)) / max(1, count)
        sessions = source_keys("sessions")
        of_sessions = self.table.count_rows(f"key >= {sessions.start} AND key < {sessions.stop}")
        return Figures(
            {"memory": count - of_sessions, "sessions": of_sessions},
            max(1.0, passages / share),
            tokens / max(1, passages),
            share,
            held,
            {source: _chunk_mean(listed, source, self.dims or 1) for source in SOURCES},
            _passage_mean(listed),
        )

    def _by_words(self, terms: Sequence[str], where: str) -> Listed:
        if not terms:
            return {}
        query = self._match(terms).limit(_CANDIDATES).select([*self._columns, "_score"])
        return _Found.of(
            (query.where(where, prefilter=True) if where else query).to_arrow()
        ).listed()

    def _by_meaning(self, sought: Sought, where: str) -> Listed:
        if not self._can_compare(sought):
            return {}
        query = (
            self.table.search(sought.vector, vector_column_name="embedding")
            .distance_type("cosine")
            .where(where or "key >= 0", prefilter=True)
            .select([*self._columns, "_distance"])
            .limit(sought.chunks)
            .nprobes(_PROBES)
            .refine_factor(_REFINED)
        )
        return _Found.of(query.to_arrow()).listed()

    def _beginnings(self, preferred: frozenset[int], source: Source) -> Listed:
        """The first chunks of files that must be represented."""
        mine = [n * FILE_SPAN for n in sorted(preferred) if n * FILE_SPAN in source_keys(source)]
        some = _among(mine[-_CANDIDATES:])
        return _Found.of(read(self.table, some, self._columns)).listed() if mine else {}

    def count_chunks(self, term: str) -> int:
        """In how many chunks a term stands, counted up to a limit."""
        found = self._match([term]).limit(_MOST_COUNTED).select(["key", "_score"])
        return len(self._ask(found.to_arrow))

    def _match(self, terms: Sequence[str]) -> Any:
        query = MatchQuery(" ".join(terms), "terms")  # type: ignore[call-arg]
        return self.table.search(query, query_type="fts")

    def _can_compare(self, sought: Sought) -> bool:
        vector = sought.vector
        return vector is not None and self._has_vectors and vector.size == self.dims

    @property
    def _has_vectors(self) -> bool:
        return (
            self.table is not None
            and self.dims is not None
            and "embedding" in self.table.schema.names
        )

    @property
    def _columns(self) -> list[str]:
        return _with_vectors(_COLUMNS) if self._has_vectors else list(_COLUMNS)


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


def _with_vectors(columns: Sequence[str]) -> list[str]:
    return [*columns, "embedding"]


def _among(keys: Sequence[int]) -> str:
    return f"key IN ({', '.join(map(str, keys))})"


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


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Rows of chunks as they came from a table."""

    rows: list[dict[str, Any]]
    vectors: dict[int, Vector]

    @classmethod
    def of(cls, found: Any) -> _Found:
        vectors: dict[int, Vector] = {}
        if "embedding" in found.schema.names:
            some = found.filter(found["embedding"].is_valid())
            if len(some):
                flat = some["embedding"].combine_chunks().flatten().to_numpy()
                every = flat.reshape(len(some), -1).astype(np.float32)
                vectors = dict(zip(some["key"].to_pylist(), every, strict=True))
            found = found.drop_columns(["embedding"])
        return cls(found.to_pylist(), vectors)

    def listed(self) -> Listed:
        """The chunks by key."""
        return {
            row["key"]: ListedChunk(
                row["key"],
                row["passages"],
                row["terms"].encode("utf-8", "surrogatepass"),
                None if vector is None else vector.tobytes(),
                row["passage_vectors"],
            )
            for row, vector in ((row, self.vectors.get(row["key"])) for row in self.rows)
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
        if chunks < _WORTH_COUNTING or self._snapshot.late:
            # All chunks that hold so rare a term are among the candidates, unless there was no time.
            return here
        return max(here, round(self._snapshot.count_chunks(term) * here / chunks))


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
