"""From segments to a `Reader`, kept in step with the index: only what is new is read.

What a search needs of every passage and chunk is read once for all segments, in a few large blobs.
Posting lists are read when a term is first asked for, vectors of passages when they are first
compared, and both are kept as long as there is room.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from memdown.errors import IndexCorrupt
from memdown.index import segments, vector_blocks
from memdown.index.merging import strike
from memdown.index.reader import NO_POSTING, Posting, Quantised, Reader, Unit
from memdown.index.segments import Dictionary, PostingList, Rows, Vocabulary, key_of_term
from memdown.index.vector_blocks import StoredVectors
from memdown.text.cues import FEATURE
from memdown.types import FILE_SPAN, SOURCES, FileState, StoredChunk, Vectors
from memdown.values import dataclass

Keys = NDArray[np.int64]
_T = TypeVar("_T", bound=np.generic)

# Posting lists are kept up to so many entries, five or six bytes each; passages' vectors up to 192 MB,
# which is about 400,000 chunks; those of a larger index are read when they are compared.
_MOST_ENTRIES = 14_000_000
_MOST_POSTINGS = 24_000
_MOST_VECTOR_BYTES = 192 << 20
# The text of so many chunks is kept, about 4 MB: questions that follow one another find the same notes.
_MOST_CHUNKS = 1_024
# So many blocks of lists are kept as they are stored, 64 MB: those of about 130,000 chunks.
_MOST_BLOCKS = 1_024
# Lists of so many entries in all are unpacked together.
_ENTRIES_AT_ONCE = 1 << 17
# Terms are found by their hashes once so many were looked for.
_FEW_LOOKS = 512
# Room for chunks to come, so that one more does not copy all vectors.
_SPARE, _LEAST_SPARE = 8, 256
_POSITIONS = 1 << 20


class View(Protocol):
    """One unchanging state of a stored index, for as long as it is open."""

    @property
    def revision(self) -> object:
        """What tells this state from every other one."""

    @property
    def dims(self) -> int | None:
        """How long the vectors are; None if there are none."""

    def manifest(self) -> Sequence[int]:
        """The segments in the order in which they count."""

    def block(self, segment: int, part: str, number: int) -> bytes:
        """A block of a segment; nothing where there is none."""

    def blocks_of(self, segment: int, part: str, numbers: Sequence[int]) -> Mapping[int, bytes]:
        """Several blocks by their numbers, as far as there are any."""

    def files(self) -> Mapping[int, FileState]:
        """Every file by its number, which is that of its chunks' keys divided by `FILE_SPAN`."""

    def chunks(self, keys: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Chunks with their text, by key."""

    def vectors(self, keys: Sequence[int]) -> Vectors:
        """The exact vectors of chunks, float32 (n, D), in the order asked for; zeros where none is."""


class _Packed(NamedTuple):
    """A posting list of a segment as it is stored before it is deflated, and how many entries it has."""

    segment: _Segment
    data: bytes
    entries: int
    is_sparse: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """One segment with what every search needs of it; `first` is its first row, `chunk` its first chunk."""

    number: int
    rows: Rows
    first: int
    chunk: int
    dictionaries: dict[int, Dictionary]
    kept: _Kept

    def dictionary(self, view: View) -> Dictionary:
        known = self.dictionaries.get(self.number)
        if known is None:
            known = Dictionary(view.block(self.number, "terms", 0))
            self.dictionaries[self.number] = known
        return known

    def holds(self, view: View, words: Collection[str]) -> set[str]:
        """Those of some words that stand in a text or a head here; one letter's words cost one look-up."""
        if not self.rows.count:
            return set()
        dictionary = self.dictionary(view)
        return {word for word in words if _has(dictionary, word)}

    def ending(self, view: View, end: str) -> set[str]:
        """The longer words of a text here that end like this."""
        if not self.rows.count:
            return set()
        found = self.dictionary(view).ending_with(key_of_term(end))
        names = (name.decode("utf-8", "surrogatepass") for name in found)
        return {name for name in names if name != end and name[0].isalnum()}

    def packed(self, view: View, number: int) -> _Packed:
        """The list of the term with this number as it is stored."""
        dictionary = self.dictionary(view)
        data = self._stream(view, "postings", dictionary.posting_ends, number)
        entries = dictionary.entries(number)
        is_sparse = segments.is_sparse(entries, len(self.rows.length))
        return _Packed(self, dictionary.posting(number, data), entries, is_sparse)

    def beginning(self, view: View, prefix: bytes) -> list[_Packed]:
        """The lists of all terms that begin like this."""
        if not self.rows.count:
            return []
        return [self.packed(view, number) for number in self.dictionary(view).beginning(prefix)]

    def phrase(self, view: View, terms: Sequence[str]) -> Posting:
        """Where these terms stand one after the other, and how often in each passage, with the rows of this
        segment only, from 0."""
        if not self.rows.count:
            return NO_POSTING
        dictionary = self.dictionary(view)
        places: Keys | None = None
        for step, term in enumerate(terms):
            number = dictionary.find(key_of_term(term))
            if number is None:
                return NO_POSTING
            packed = self.packed(view, number)
            found = segments.unpack_list(packed.data, packed.entries, self.rows.count)
            data = self._stream(view, "positions", dictionary.position_ends, number)
            positions = segments.unpack_positions(dictionary.positions(number, data), found.tf)
            rows = found.rows.astype(np.int64)
            begins = np.repeat(rows, found.tf) * _POSITIONS + positions - step + len(terms)
            places = (
                begins if places is None else np.intersect1d(places, begins, assume_unique=True)
            )
        rows = (np.empty(0, np.int64) if places is None else places) // _POSITIONS
        return _added_up(rows, np.ones(len(rows), np.uint8))

    def _stream(self, view: View, part: str, ends: memoryview[int], number: int) -> bytes:
        """What stands of a term in one of the streams, which ends there."""
        size = segments.STREAM_BLOCK
        first, begin = divmod(ends[number - 1] if number else 0, size)
        end = ends[number] - first * size
        if begin == end:
            return b""
        data = self.kept.block(view, self.number, part, first)
        if end > size:
            more = range(first + 1, first + (end - 1) // size + 1)
            data += b"".join([self.kept.block(view, self.number, part, n) for n in more])
        return data[begin:end]


def _has(dictionary: Dictionary, word: str) -> bool:
    if dictionary.has(key_of_term(word), key_of_term(word[:1])):
        return True
    # What a passage tells besides its words is never in a head.
    if word.startswith(FEATURE):
        return False
    return dictionary.has(key_of_term(word, head=True), key_of_term(word[:1], head=True))


def _added_up(rows: NDArray[np.integer], tf: NDArray[np.integer]) -> Posting:
    """Each row once, with all that is counted for it."""
    if not len(rows):
        return NO_POSTING
    if (rows[1:] > rows[:-1]).all():
        # Of one term, or of several that stand in different segments.
        return Posting(rows.astype(np.int32), tf.astype(np.float32), _none(len(rows)))
    order = np.argsort(rows, kind="stable")
    rows, tf = rows[order], tf[order]
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    often = np.add.reduceat(tf, first, dtype=np.float32)
    return Posting(rows[first].astype(np.int32), often, _none(len(first)))


# They take no room.
_ZEROS = np.broadcast_to(np.uint8(0), 1 << 31)


def _none(count: int) -> NDArray[np.uint8]:
    """As many zeros: most words stand in no head."""
    return _ZEROS[:count]


def _both(text: PostingList, head: PostingList) -> Posting:
    """A list of what texts hold and what stands above them."""
    rows, tf = text
    if not len(head.rows):
        return Posting(rows, tf, _none(len(rows))) if len(rows) else NO_POSTING
    at = rows.searchsorted(head.rows)
    new = rows.take(at, mode="clip") != head.rows if len(rows) else np.ones(len(at), bool)
    rows = np.insert(rows, at[new], head.rows[new])
    above = np.zeros(len(rows), np.uint8)
    # Each stands behind those that were put in before it.
    above[at + new.cumsum() - new] = head.tf
    return Posting(rows, np.insert(tf, at[new], 0), above)


class _Vectors:
    """The vectors of all chunks as bytes, in one array that can grow at its end."""

    def __init__(self, dims: int, count: int) -> None:
        room = count + max(_LEAST_SPARE, count // _SPARE)
        self.dims = dims
        self.used = 0
        self.numbers: NDArray[np.int8] = np.empty((room, dims), np.int8)
        self.scale: NDArray[np.float32] = np.empty(room, np.float32)

    def append(self, view: View, segment: int, count: int) -> None:
        at = self.used
        while at < self.used + count:
            number = (at - self.used) // vector_blocks.CHUNKS_A_BLOCK
            data = view.block(segment, "chunk_vectors", number)
            numbers, scale = vector_blocks.unpack_vectors(data)
            if not len(scale) or numbers.shape[1] != self.dims:
                # None, or of another length, as of an index that was emptied since.
                self.scale[at : self.used + count] = 0
                self.numbers[at : self.used + count] = 0
                break
            self.numbers[at : at + len(scale)], self.scale[at : at + len(scale)] = numbers, scale
            at += len(scale)
        self.used += count

    def now(self) -> Quantised:
        return Quantised(self.numbers[: self.used], self.scale[: self.used])


class _Terms(NamedTuple):
    """Where terms are found: in all segments of a vocabulary at once, in others one by one."""

    segments: Mapping[int, _Segment]
    vocabularies: Sequence[Vocabulary]
    others: Sequence[_Segment]


class _Standing(NamedTuple):
    """A segment that has a term, and its number there."""

    segment: _Segment
    number: int


def _in_heads(terms: Collection[str]) -> list[str]:
    """Those of some terms that may be in a head: what a passage tells besides its words never is."""
    return [term for term in terms if not term.startswith(FEATURE)]


def _keys(terms: Collection[str]) -> list[bytes]:
    """What terms stand under in texts, and behind these what they stand under in heads."""
    heads = (key_of_term(term, head=True) for term in _in_heads(terms))
    return [*map(key_of_term, terms), *heads]


def _first_row(one: _Standing) -> int:
    return one.segment.first


def _unpacked(each: Sequence[Sequence[_Packed]]) -> list[PostingList]:
    """The lists of several terms, each one's segments as one list; all are unpacked together."""
    every = [one for some in each for one in some]
    if not every:
        return [segments.NOTHING] * len(each)
    left = {
        kind: _unpacked_alike([one for one in every if one.is_sparse is kind])
        for kind in (False, True)
    }
    upto = {False: 0, True: 0}
    found = []
    for some in each:
        parts = []
        for one in some:
            rows, tf = left[one.is_sparse]
            begin = upto[one.is_sparse]
            end = upto[one.is_sparse] = begin + one.entries
            parts.append(PostingList(rows[begin:end], tf[begin:end]))
        found.append(_joined_lists(parts) if parts else segments.NOTHING)
    return found


def _joined_lists(parts: Sequence[PostingList]) -> PostingList:
    """One list in memory of its own."""
    rows, tf = zip(*parts, strict=True)
    return PostingList(np.concatenate(rows), np.concatenate(tf))


def _unpacked_alike(each: Sequence[_Packed]) -> PostingList:
    """Lists that are all packed or all not, one after the other."""
    if not each:
        return segments.NOTHING
    unpack = segments.unpack_sparse if each[0].is_sparse else segments.unpack_dense
    parts = []
    for some in _few_at_once(each):
        counts = [one.entries for one in some]
        rows, tf = unpack([one.data for one in some], counts)
        rows += np.array([one.segment.first for one in some], np.int32).repeat(counts)
        parts.append(PostingList(rows, tf))
    return parts[0] if len(parts) == 1 else _joined_lists(parts)


def _few_at_once(each: Sequence[_Packed]) -> Iterator[list[_Packed]]:
    """The lists, some at a time: unpacking takes several times the memory of what is unpacked."""
    some: list[_Packed] = []
    size = 0
    for one in each:
        if some and size + one.entries > _ENTRIES_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(one)
        size += one.entries
    yield some


class _Origin:
    """Fetches for one state of the index what is not in its arrays, through the view that is open.

    Several threads may search at once, each in a view of its own.
    """

    def __init__(self, each: Sequence[_Segment], dims: int | None, keys: Keys, kept: _Kept) -> None:
        self.segments = each
        self.dims = dims
        self._keys = keys
        self._numbers = tuple(one.number for one in each)
        self._bounds = np.array([one.first for one in each], np.int64)
        self._kept = kept
        self._chunks: dict[int, StoredChunk] = {}
        self._found_in: _Terms | None = None
        self._open = threading.local()

    @contextmanager
    def through(self, view: View) -> Iterator[None]:
        """Fetch through this view until the block ends; only in this thread."""
        before: View | None = getattr(self._open, "view", None)
        self._open.view = view
        try:
            yield
        finally:
            self._open.view = before

    @property
    def _view(self) -> View:
        view: View = self._open.view
        return view

    def posting(self, unit: Unit) -> Posting:
        """The posting list of a unit."""
        return self._kept.posting(unit, self._numbers, self._made)

    def fetch(self, units: Collection[Unit]) -> None:
        """Have the posting lists of some words at hand; they are unpacked together."""
        lacking = self._kept.lacking(units, self._numbers)
        if lacking and self.segments:
            made = self._words([one.terms[0] for one in lacking], 0)
            for unit, posting in zip(lacking, made, strict=True):
                self._kept.keep(unit, self._numbers, posting)

    def _made(self, unit: Unit, skip: int) -> Posting:
        """The list in all segments but the first `skip`."""
        if not self.segments[skip:]:
            return NO_POSTING
        if unit.kind == "word":
            return self._words(unit.terms, skip)[0]
        each, view = self.segments[skip:], self._view
        if unit.kind == "prefix":
            prefix = key_of_term(unit.terms[0])
            lists = [packed for one in each for packed in one.beginning(view, prefix)]
            return _added_up(*_unpacked([lists])[0])
        found = [(one.first, one.phrase(view, unit.terms)) for one in each]
        found = [(first, posting) for first, posting in found if len(posting.rows)]
        if not found:
            return NO_POSTING
        return Posting(
            np.concatenate([posting.rows + np.int32(first) for first, posting in found]),
            np.concatenate([posting.text_tf for _, posting in found]),
            _none(sum(len(posting.rows) for _, posting in found)),
        )

    def _words(self, terms: Sequence[str], skip: int) -> list[Posting]:
        """The lists of some words in all segments but the first `skip`."""
        view, first = self._view, self.segments[skip].first
        lists = _unpacked(
            [
                [one.segment.packed(view, one.number) for one in each if one.segment.first >= first]
                for each in self._standing(_keys(terms))
            ]
        )
        above = dict(zip(_in_heads(terms), lists[len(terms) :], strict=True))
        return [
            _both(text, above.get(term, segments.NOTHING))
            for term, text in zip(terms, lists, strict=False)
        ]

    def _standing(self, terms: Sequence[bytes]) -> list[list[_Standing]]:
        """The segments that have each term, in order."""
        places = self._terms(len(terms))
        found: list[list[_Standing]] = [[] for _ in terms]
        for vocabulary in places.vocabularies:
            for one in vocabulary.find(terms):
                if (segment := places.segments.get(one.segment)) is not None:
                    found[one.place].append(_Standing(segment, one.number))
        for segment in places.others:
            dictionary = segment.dictionary(self._view)
            for term, standing in zip(terms, found, strict=True):
                number = dictionary.find(term)
                if number is not None:
                    standing.append(_Standing(segment, number))
        for standing in found:
            standing.sort(key=_first_row)
        return found

    def _terms(self, count: int) -> _Terms:
        """Where so many terms are found: for a few it does not pay to look at all that there are."""
        self._kept.looked += count
        if self._found_in is None or not (
            self._found_in.vocabularies or self._kept.looked <= _FEW_LOOKS
        ):
            filled = {one.number: one for one in self.segments if one.rows.count}
            known: list[Vocabulary] = []
            if self._kept.looked > _FEW_LOOKS:
                every = {number: one.dictionary(self._view) for number, one in filled.items()}
                known = self._kept.vocabularies(every)
            covered = {number for one in known for number in one.dictionaries}
            others = [one for number, one in filled.items() if number not in covered]
            self._found_in = _Terms(filled, known, others)
        return self._found_in

    def holding(self, words: Collection[str]) -> set[str]:
        """Those of some words that have a posting list."""
        if self._terms(1).vocabularies:
            every = [*words, *_in_heads(words)]
            keys = _keys(words)
            return {one for one, at in zip(every, self._standing(keys), strict=True) if at}
        return set().union(*(one.holds(self._view, words) for one in self.segments))

    def ending(self, end: str) -> set[str]:
        """The longer words with a posting list that end like this."""
        return set().union(*(one.ending(self._view, end) for one in self.segments))

    def vectors_of(self, chunk_rows: Sequence[int]) -> Vectors:
        """The exact vectors of some chunks."""
        return self._view.vectors(self._keys[np.asarray(chunk_rows, np.intp)].tolist())

    def chunks(self, chunk_rows: Sequence[int]) -> Mapping[int, StoredChunk]:
        """Some chunks with their text, by row."""
        known = self._chunks
        found = {row: known[row] for row in chunk_rows if row in known}
        missing = [row for row in chunk_rows if row not in found]
        if missing:
            keys = self._keys[np.asarray(missing, np.intp)].tolist()
            stored = self._view.chunks(keys)
            read = {row: stored[key] for row, key in zip(missing, keys, strict=True)}
            if len(known) + len(read) > _MOST_CHUNKS:
                # Other threads may be looking into it: nothing is ever taken out of it.
                known = self._chunks = {}
            known.update(read)
            found |= read
        return found

    def passage_vectors_of(self, rows: Sequence[int] | NDArray[np.integer]) -> Quantised | None:
        """The vectors of some passages, int8 (n, D) and scales; None where there are none."""
        wanted = np.asarray(rows, np.int64)
        if (wanted[1:] < wanted[:-1]).any():
            order = np.argsort(wanted, kind="stable")
            found = self.passage_vectors_of(wanted[order])
            back = np.argsort(order, kind="stable")
            return found and Quantised(found.numbers[back], found.scale[back])
        packed: NDArray[np.uint8] | None = None
        scale = np.zeros(len(wanted), np.float32)
        like: StoredVectors | None = None
        view, begins = self._view, wanted.searchsorted(self._bounds)
        sizes = np.append(begins[1:], len(wanted)) - begins
        every = wanted - self._bounds.repeat(sizes)
        begin = 0
        for segment, size in enumerate(sizes.tolist()):
            if not size:
                continue
            mine, begin = slice(begin, begin + size), begin + size
            local = every[mine]
            count = self.segments[segment].rows.count
            stored = self._kept.passages(view, self._numbers, segment, count, local)
            if stored is None:
                continue
            if like is None or packed is None:
                like = stored
                packed = np.zeros((len(wanted), stored.rows.shape[1]), np.uint8)
            # By any other mode, what is taken would be copied once more.
            stored.rows.take(local, axis=0, out=packed[mine], mode="clip")
            stored.scale.take(local, out=scale[mine], mode="clip")
        # Where there are none, the scale is 0.
        return None if like is None or packed is None else Quantised(like.numbers(packed), scale)


class _SegmentVectors:
    """The vectors of a segment's passages in one array, as they are stored, filled block by block as they
    are asked for."""

    def __init__(self, count: int, like: StoredVectors) -> None:
        rows = np.empty((count, like.rows.shape[1]), np.uint8)
        self.stored = like._replace(rows=rows, scale=np.zeros(count, np.float32))
        self.filled = np.zeros(-(-count // vector_blocks.PASSAGES_A_BLOCK), bool)
        self.whole = False

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.stored.rows.nbytes + self.stored.scale.nbytes

    def fill(self, number: int, block: StoredVectors) -> None:
        """Put a block into its place."""
        start = number * vector_blocks.PASSAGES_A_BLOCK
        place = slice(start, start + len(block.scale))
        kind = (block.dims, block.half, block.rows.shape)
        if kind != (self.stored.dims, self.stored.half, self.stored.rows[place].shape):
            raise IndexCorrupt("The vectors of a segment are damaged; run `memdown index --force`.")
        self.stored.rows[place], self.stored.scale[place] = block.rows, block.scale
        self.filled[number] = True
        self.whole = bool(self.filled.all())


def _is_good(known: Vocabulary, dictionaries: Mapping[int, Dictionary]) -> bool:
    """Whether most of its terms are of segments that there still are."""
    left = [one.count for number, one in known.dictionaries.items() if number in dictionaries]
    return bool(2 * sum(left) > known.count)


_Known: TypeAlias = tuple[tuple[int, ...], Posting]
_UNKNOWN: _Known = (), NO_POSTING


class _Kept:
    """What was fetched and may be asked for again. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._postings: dict[Unit, _Known] = {}
        self._entries = 0
        self._vectors: dict[int, _SegmentVectors | None] = {}
        self._blocks: dict[tuple[int, str, int], bytes] = {}
        self._vocabularies: list[Vocabulary] = []
        # How often a term was looked for.
        self.looked = 0

    def vocabularies(self, dictionaries: Mapping[int, Dictionary]) -> list[Vocabulary]:
        """What finds a term in all of these segments at once; of those that were made the good ones are kept."""
        with self._lock:
            known = [one for one in self._vocabularies if _is_good(one, dictionaries)]
            covered = {number for one in known for number in one.dictionaries}
            rest = {n: one for n, one in dictionaries.items() if n not in covered}
            # Like segments, small ones are merged, or each look would go through many.
            while known and rest and known[-1].count <= sum(one.count for one in rest.values()):
                last = known.pop().dictionaries
                rest |= {n: one for n, one in last.items() if n in dictionaries}
            if rest:
                known.append(Vocabulary(rest))
            self._vocabularies = known
            return known

    def block(self, view: View, segment: int, part: str, number: int) -> bytes:
        """A block of the lists of a segment; the one that was read first makes room."""
        key = segment, part, number
        known = self._blocks.get(key)
        if known is None:
            known = view.block(segment, part, number)
            with self._lock:
                while len(self._blocks) >= _MOST_BLOCKS:
                    del self._blocks[next(iter(self._blocks))]
                self._blocks[key] = known
        return known

    def lacking(self, units: Collection[Unit], numbers: tuple[int, ...]) -> list[Unit]:
        """Those of some words of whose lists nothing is known in these segments; the others are dropped last."""
        with self._lock:
            known, found = self._postings, []
            for unit in dict.fromkeys(units):
                of = known.get(unit, _UNKNOWN)[0]
                if of and numbers[: len(of)] == of:
                    known[unit] = known.pop(unit)
                elif unit.kind == "word":
                    found.append(unit)
            return found

    def keep(self, unit: Unit, numbers: tuple[int, ...], known: Posting) -> None:
        """Keep the list of a unit in these segments."""
        with self._lock:
            self._entries -= len(self._postings.pop(unit, _UNKNOWN)[1].rows)
            self._postings[unit] = numbers, known
            # What is found nowhere is kept as well; it must not be kept for ever.
            self._entries += len(known.rows)
            while self._entries > _MOST_ENTRIES or len(self._postings) > _MOST_POSTINGS:
                oldest = next(iter(self._postings))
                self._entries -= len(self._postings.pop(oldest)[1].rows)

    def posting(
        self, unit: Unit, numbers: tuple[int, ...], made: Callable[[Unit, int], Posting]
    ) -> Posting:
        """The list of a unit in these segments; what is known of the first of them is not read again."""
        of, known = self._postings.get(unit, _UNKNOWN)
        if of == numbers:
            return known
        if of and numbers[: len(of)] == of:
            more = made(unit, len(of))
            if len(more.rows):
                known = Posting(
                    np.concatenate([known.rows, more.rows]),
                    np.concatenate([known.text_tf, more.text_tf]),
                    np.concatenate([known.head_tf, more.head_tf]),
                )
        else:
            known = made(unit, 0)
        self.keep(unit, numbers, known)
        return known

    def passages(
        self, view: View, numbers: tuple[int, ...], place: int, count: int, wanted: Keys
    ) -> StoredVectors | None:
        """The vectors of a segment's passages, of which at least those `wanted` are filled in.

        The segment is the one at `place` in `numbers` and has `count` passages. None if it has no vectors of passages.
        """
        number = numbers[place]
        known = self._vectors.get(number)
        if known is not None and known.whole:
            return known.stored
        with self._lock:
            if number not in self._vectors:
                self._vectors[number] = self._empty(view, number, count)
                self._drop_vectors(numbers, number)
            found = self._vectors[number]
            if found is None:
                return None
            blocks = np.flatnonzero(np.bincount(wanted // vector_blocks.PASSAGES_A_BLOCK))
            missing = blocks[~found.filled[blocks]].tolist()
            if missing:
                stored = view.blocks_of(number, "passage_vectors", missing)
                for block in missing:
                    found.fill(block, vector_blocks.read_vectors(stored.get(block, b"")))
            return found.stored

    def _empty(self, view: View, number: int, count: int) -> _SegmentVectors | None:
        first = vector_blocks.read_vectors(view.block(number, "passage_vectors", 0))
        return _SegmentVectors(count, first) if len(first.scale) else None

    def _drop_vectors(self, numbers: tuple[int, ...], newest: int) -> None:
        """Make room for the newest: first what is in no segment any more, then the oldest."""
        for gone in self._vectors.keys() - numbers:
            del self._vectors[gone]
        sizes = {one: 0 if some is None else some.size for one, some in self._vectors.items()}
        room = _MOST_VECTOR_BYTES - sum(sizes.values())
        for one in [one for one in sizes if one != newest]:
            if room >= 0:
                return
            room += sizes[one]
            del self._vectors[one]


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """What is in memory of one state of the index."""

    revision: object
    reader: Reader
    origin: _Origin
    vectors: _Vectors | None


class Follower:
    """The reader of an index, at whatever state it is asked for. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._kept = _Kept()

    @contextmanager
    def reading(self, view: View) -> Iterator[Reader]:
        """The reader of what a view shows; it may be used while the block runs, in this thread."""
        with self._lock:
            state = self._state
            if state is None or state.revision != view.revision:
                state = self._state = _load(view, state, self._kept)
        with state.origin.through(view):
            yield state.reader

    def forget(self) -> None:
        """Keep nothing in memory any more."""
        with self._lock:
            self._state, self._kept = None, _Kept()


def _load(view: View, was: _State | None, kept: _Kept) -> _State:
    numbers = tuple(view.manifest())
    before = was.origin.segments if was is not None else ()
    same = 0
    while same < min(len(before), len(numbers)) and before[same].number == numbers[same]:
        same += 1
    known = {one.number: one for one in before}
    each: list[_Segment] = list(before[:same])
    first = each[-1].first + each[-1].rows.count if each else 0
    chunk = each[-1].chunk + len(each[-1].rows.key) if each else 0
    for number in numbers[same:]:
        old = known.get(number)
        rows = old.rows if old else segments.read_rows(view.block(number, "rows", 0))
        each.append(_Segment(number, rows, first, chunk, old.dictionaries if old else {}, kept))
        first, chunk = first + rows.count, chunk + len(rows.key)
    keys = _joined([one.rows.key for one in each], np.empty(0, np.int64))
    dims = view.dims
    vectors = _loaded_vectors(view, dims, was, each, same, chunk) if dims else None
    origin = _Origin(each, dims, keys, kept)
    reader = _reader(view, each, keys, vectors.now() if vectors else None, origin)
    return _State(view.revision, reader, origin, vectors)


def _loaded_vectors(
    view: View,
    dims: int,
    was: _State | None,
    each: Sequence[_Segment],
    same: int,
    count: int,
) -> _Vectors:
    vectors = was.vectors if was is not None else None
    upto = each[same].chunk if same < len(each) else count
    if (
        vectors is None
        or vectors.dims != dims
        or vectors.used != upto
        or count > len(vectors.scale)
    ):
        fresh = _Vectors(dims, count)
        if vectors is not None and vectors.dims == dims:
            fresh.numbers[:upto], fresh.scale[:upto] = vectors.numbers[:upto], vectors.scale[:upto]
            fresh.used = upto
        else:
            same = 0
        vectors = fresh
    for one in each[same:]:
        vectors.append(view, one.number, len(one.rows.key))
    return vectors


def _reader(
    view: View,
    each: Sequence[_Segment],
    keys: Keys,
    vectors: Quantised | None,
    origin: _Origin,
) -> Reader:
    files = view.files()
    numbers = np.array(sorted(files), np.int64)
    states = [files[number] for number in numbers.tolist()]
    chunk_files = keys // FILE_SPAN
    chunk_alive = np.isin(chunk_files, numbers)
    for one in each:
        strike(chunk_alive[: one.chunk], keys[: one.chunk], one.rows.strikes)
    places = np.searchsorted(numbers, chunk_files).clip(max=max(0, len(numbers) - 1))
    passages = _joined([one.rows.passages for one in each], np.empty(0, np.int64))
    passage_chunk = np.repeat(np.arange(len(keys), dtype=np.int32), passages)
    return Reader(
        files=states,
        file_source=np.array([SOURCES.index(state.source) for state in states], np.uint8),
        passage_file=places.astype(np.int32)[passage_chunk],
        passage_chunk=passage_chunk,
        passage_lines=_joined([one.rows.lines for one in each], np.empty((0, 2), np.int32)),
        passage_length=_joined([one.rows.length for one in each], np.empty(0, np.int32)),
        alive=chunk_alive[passage_chunk],
        chunk_key=keys,
        chunk_file=places.astype(np.int32),
        chunk_alive=chunk_alive,
        chunk_vectors=vectors,
        origin=origin,
    )


def _joined(arrays: Sequence[NDArray[_T]], like: NDArray[_T]) -> NDArray[_T]:
    """The arrays one after the other; none of them gives none."""
    return np.concatenate([like, *arrays])
