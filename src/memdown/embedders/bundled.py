"""The embedder that comes with the install: static word-piece vectors, no key, no network.

The weights and the tokenizer are data files of the `wordllama` package. They are read directly,
because importing the package costs half a second and its own loader may go online.

The tokenizer merges characters to pieces in a fixed order (byte-pair encoding), but never across
words, nor with characters of most scripts. So the pieces of a text are those of its words, and of its
Chinese or Thai characters, and each of them has to be cut only once. Few are cut here, since loading
the `tokenizers` package takes longer than a search; many by it.
"""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memdown.embedders import word_pieces
from memdown.embedders.word_pieces import WordPieces
from memdown.errors import EmbedderError
from memdown.types import NearWord
from memdown.values import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from memdown.embedders.options import Options
    from memdown.types import Vector, Vectors

_SPACE = "▁"
_SIGNS = {"<unk>": 0, "<s>": 1, "</s>": 2}
_SIGN = pattern("(<unk>|</?s>)")
# Marks in front of units that are no words; no word has white space in it.
_INNER, _IS_SIGN = "\n", "\t"
_NO_WORDS = (_INNER, _IS_SIGN, _SPACE)
# Characters that are merged with no others: Thai to Tibetan, Burmese, Khmer, Chinese, Japanese,
# Korean, full-width forms, and all that lies beyond 16 bits.
LONERS = (
    "\u0e01-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uffef"
    "\U00010000-\U0010ffff"
)
# In the file of this size, what gives the piece with the lowest number is merged first.
_KNOWN_SIZE = 1_842_796
# One long word takes too long here.
_LONG_WORD = 1_000
_NO_PIECE = 1 << 30


def units(text: str) -> list[str]:
    """What a text is made of, in order: mostly words, in small letters.

    The vectors of capitalised words are worse than those of the same words in small, and runs of
    white space carry no meaning.
    """
    text = text.lower()
    if _SPACE in text or ("<" in text and _SIGN.search(text)):
        return _rare_units(" ".join(text.split()))
    if text.isascii() or not _loner().search(text):
        return text.split()
    # Each loner is a unit, and so is what stands between two of them.
    found = _words_and_loners().findall(f" {' '.join(text.split())}")
    return [(unit[1:] or _SPACE) if unit[0] == " " else _INNER + unit for unit in found]


@cache
def _loner() -> re.Pattern[str]:
    return pattern(f"[{LONERS}]")


@cache
def _words_and_loners() -> re.Pattern[str]:
    # Made when needed: it takes milliseconds.
    return pattern(f" ?[^{LONERS} ]+|[{LONERS}]| ")


def _rare_units(text: str) -> list[str]:
    """The units of a text that holds signs of the tokenizer's own."""
    found: list[str] = []
    for segment in _SIGN.split(text):
        if segment in _SIGNS:
            found.append(_IS_SIGN + segment)
        elif segment:
            words = segment.replace(" ", _SPACE).split(_SPACE)
            found += [word or _SPACE for word in words]
    return found


class CutUnits(NamedTuple):
    """Units and their pieces: int32, those of one unit behind those of another, and how many each has, int64."""

    units: Sequence[str]
    pieces: NDArray[np.int32]
    sizes: NDArray[np.int64]


class Cutter:
    """Cuts units into the numbers of their pieces, with the tokenizer's file."""

    def __init__(self, file: Path, vocabulary: Mapping[str, int] | None = None) -> None:
        self._file = file
        self._known = file.stat().st_size == _KNOWN_SIZE
        if vocabulary is not None:
            self._vocabulary = vocabulary

    def packed(self, weights: _Weights) -> word_pieces.Packed:
        """All pieces, and the words in small letters that are one, with what near words are found by."""
        words = [
            piece
            for piece in self._vocabulary
            if len(piece) > _LEAST_LETTERS
            and piece[0] == _SPACE
            and piece.islower()
            and piece[1:].isalpha()
        ]
        vectors = _as_bytes(weights.short([self._vocabulary[word] for word in words], _NEAR_DIMS))
        return word_pieces.make(self._vocabulary, words, vectors)

    def cut(self, wanted: Sequence[str], *, more_to_come: bool) -> list[list[int]]:
        """The pieces of each unit; if there is `more_to_come`, loading `tokenizers` pays."""
        words = [unit for unit in wanted if unit[0] not in _NO_WORDS]
        if self._known and not more_to_come:
            words = [word for word in words if len(word) > _LONG_WORD]
        made = dict(zip(words, self._by_tokenizer(words), strict=True)) if words else {}
        return [made[unit] if unit in made else self._one(unit) for unit in wanted]

    def cut_many(self, wanted: Iterable[str]) -> CutUnits:
        """The same of many units, words first."""
        units = list(wanted)
        words = [unit for unit in units if unit[0] not in _NO_WORDS]
        others = [unit for unit in units if unit[0] in _NO_WORDS]
        cut = list(map(self._one, others))
        pieces, sizes = self._encoded(words)
        return CutUnits(
            words + others,
            np.array(pieces + list(chain.from_iterable(cut)), np.int32),
            np.concatenate([sizes, np.array(list(map(len, cut)), np.int64)]),
        )

    def _one(self, unit: str) -> list[int]:
        if unit[0] == _IS_SIGN:
            return [_SIGNS[unit[1:]]]
        if unit[0] == _INNER:
            return self._pieces(unit[1:])
        return self._pieces(unit if unit == _SPACE else _SPACE + unit)

    def _pieces(self, text: str) -> list[int]:
        """Merge the two neighbours that give the piece with the lowest number, while there are any.

        Of several that give the same piece, those with the lowest numbers come first, then those
        further left.
        """
        numbers = self._vocabulary
        if isinstance(numbers, WordPieces):
            numbers = numbers.quickest()
        if text in numbers:
            return [numbers[text]]
        number = numbers.get
        parts: list[str] = []
        for character in text:
            if character in numbers:
                parts.append(character)
            else:
                parts += [f"<0x{byte:02X}>" for byte in character.encode("utf-8", "replace")]
        pairs = [number(a + b, _NO_PIECE) for a, b in pairwise(parts)]
        while pairs:
            best = min(pairs)
            if best == _NO_PIECE:
                break
            place = pairs.index(best)
            if pairs.count(best) > 1:
                same = [place for place, pair in enumerate(pairs) if pair == best]
                place = min(same, key=lambda i: (numbers[parts[i]], numbers[parts[i + 1]]))
            merged = parts[place] + parts[place + 1]
            parts[place : place + 2] = [merged]
            del pairs[place]
            if place:
                pairs[place - 1] = number(parts[place - 1] + merged, _NO_PIECE)
            if place < len(pairs):
                pairs[place] = number(merged + parts[place + 1], _NO_PIECE)
        return [numbers[part] for part in parts]

    def _by_tokenizer(self, words: Sequence[str]) -> list[list[int]]:
        pieces, sizes = self._encoded(words)
        ends = np.cumsum(sizes).tolist()
        return [pieces[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def _encoded(self, words: Sequence[str]) -> tuple[list[int], NDArray[np.int64]]:
        """The pieces of some words, one after the other, and how many each has."""
        if not words:
            return [], np.zeros(0, np.int64)
        text = " ".join(words).encode("utf-8", "replace").decode()
        made = self._tokenizer.encode(text, add_special_tokens=False)
        return made.ids, np.bincount(np.array(made.word_ids, np.int64), minlength=len(words))

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        data = self._file.read_bytes()
        if not self._known:
            every: dict[str, int] = json.loads(data)["model"]["vocab"]
            return every
        # The rest of the file is twice as long, and not needed here.
        start = data.index(b'"vocab": ') + len(b'"vocab": ')
        end = data.rindex(b"}", start, data.index(b'"merges"')) + 1
        pieces: dict[str, int] = json.loads(data[start:end])
        return pieces

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer, pre_tokenizers

        tokenizer = Tokenizer.from_file(str(self._file))
        # Gives the same pieces, and tells of which word each of them is.
        tokenizer.pre_tokenizer = pre_tokenizers.Split(_SPACE, "merged_with_next")
        return tokenizer


MODEL = "wordllama-l2-supercat-256"
DIMS = 256
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
# Twice 16 MB of vectors: of the words met lately, and of those met before. Of many texts, 24 MB.
_MOST_WORDS, _MOST_OF_MANY = 16_384, 24_576
_CHARACTERS_AT_ONCE = 30_000
_MANY_TEXTS = 128
_MANY_WORDS = 2_048
_FEW_PIECES = 64
_LETTERS_A_PIECE = 3
# Words from this similarity on mean nearly the same, the nearest so many of them.
_LEAST_NEAR, _MOST_NEAR, _MOST_ASKED = 0.5, 8, 4_096
_LEAST_LETTERS, _NEAR_DIMS = 3, 128
# So that the vectors of their pieces stay in the processor's cache.
_WORDS_AT_ONCE = 200
# Longer lists are added up one by one; so many numbers of sums stay in the processor's cache.
_MANY_ROWS, _NUMBERS_AT_ONCE = 256, 1 << 19


class _Words:
    """The vectors of the words met so far. A row, once it is named, never changes."""

    __slots__ = ("numbers", "rows")

    def __init__(self, most: int) -> None:
        self.numbers: dict[str, int] = {}
        self.rows = np.empty((most, DIMS), dtype=np.float32)

    def of(self, numbers: Sequence[int], dims: int) -> Vectors:
        """The first `dims` numbers of some rows."""
        wanted = np.array(numbers, dtype=np.intp)
        rows: Vectors = self.rows.take(wanted, axis=0) if dims == DIMS else self.rows[wanted, :dims]
        return rows

    def add(self, words: Sequence[str], rows: Vectors) -> None:
        first = len(self.numbers)
        self.rows[first : first + len(words)] = rows
        self.numbers.update(zip(words, range(first, first + len(words)), strict=True))


class BundledEmbedder:
    """Averages the vectors of a text's word pieces. Thread-safe; files are read on first use.

    Each word's sum is kept, so that a text costs a look-up and an addition per word.
    """

    id = "bundled"
    model = MODEL
    dims: int | None = DIMS
    provider_key = "bundled-lower"
    cacheable = False
    instant = True
    text_weight: float | None = 0.7

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._words = self._older = _Words(0)
        self._loaded: tuple[Cutter, _Weights] | None = None
        self._near: _NearWords | None = None

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        return self.embed_short(texts, DIMS)

    def embed_short(self, texts: Sequence[str], dims: int) -> Vectors:
        """Vectors of the first `dims` numbers, of length one; the model is made to be cut like that."""
        rows = self._added_up(texts, dims)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0] = 1
        rows /= lengths[:, None]
        return rows

    def embed_words(self, words: Sequence[str], dims: int) -> Vectors:
        """What words add to a sum; of any length. Of many, none is kept: who asks for so many keeps them.

        Those of one note are kept: when it changes, nearly all of them come again.
        """
        if len(words) < _MANY_WORDS:
            return self._added_up(words, dims)
        each = list(map(units, words))
        cutter, weights = self._files()
        cut = cutter.cut_many(dict.fromkeys(chain.from_iterable(each)))
        rows = weights.sums(cut, dims)
        place = dict(zip(cut.units, range(len(rows)), strict=True))
        numbers = np.fromiter(map(place.__getitem__, chain.from_iterable(each)), np.int32)
        return sums_of_lists(rows, numbers, list(map(len, each)))

    def make_ready(self) -> None:
        """Load what only many words need."""
        cutter, weights = self._files()
        weights.sums(cutter.cut_many(["ready"]), 1)

    def _added_up(self, texts: Sequence[str], dims: int) -> Vectors:
        rows = np.zeros((len(texts), dims), dtype=np.float32)
        for first, group in _groups(texts):
            self._add_up(group, rows[first : first + len(group)], len(texts) >= _MANY_TEXTS)
        return rows

    def knows(self, text: str) -> bool:
        """Whether a text has a word whose pieces mean something; those of "xqzt" are single letters."""
        words = [word for word in units(text) if word.isalpha()]
        cut = self._files()[0].cut(words, more_to_come=False) if words else []
        return any(
            len(word) >= _LETTERS_A_PIECE * len(pieces)
            for word, pieces in zip(words, cut, strict=True)
        )

    def synonyms(self, word: str) -> Sequence[NearWord]:
        """Words of nearly the same meaning, nearest first; none for a word of several pieces."""
        return self._near_words().of(word)

    def has_word(self, word: str) -> bool:
        """Whether a word is one piece."""
        return word in self._near_words()

    def _near_words(self) -> _NearWords:
        if self._near is None:
            self._near = _NearWords(_pieces_of(self._folder))
        return self._near

    def _files(self) -> tuple[Cutter, _Weights]:
        if self._loaded is None:
            tokenizer, weights = _package_file(_TOKENIZER), _package_file(_WEIGHTS)
            known = _known_pieces(self._folder, tokenizer, weights)
            self._loaded = (Cutter(tokenizer, known), _Weights(weights))
        return self._loaded

    def _add_up(self, texts: Sequence[str], out: np.ndarray, more_to_come: bool) -> None:
        """Add the vectors of each text's words to its row."""
        found: list[str] = []
        ends = []
        for text in texts:
            found += units(text)
            ends.append(len(found))
        words = self._words
        try:
            numbers = list(map(words.numbers.__getitem__, found))
        except KeyError:
            words = self._learn(found, more_to_come)
            numbers = list(map(words.numbers.__getitem__, found))
        vectors = words.of(numbers, out.shape[1])
        if len(found) == len(texts) and ends[0] == 1 and ends == list(range(1, len(texts) + 1)):
            out[:] = vectors
            return
        start = 0
        for row, end in enumerate(ends):
            if end > start + 1:
                np.add.reduce(vectors[start:end], axis=0, out=out[row])
            elif end > start:
                out[row] = vectors[start]
            start = end

    def _learn(self, found: Sequence[str], more_to_come: bool) -> _Words:
        """The words with all of these among them."""
        with self._lock:
            words = self._words
            new = set(found).difference(words.numbers)
            if len(words.numbers) + len(new) > len(words.rows):
                # Whoever still reads the old ones keeps them.
                self._older, new = words, set(found)
                most = _MOST_OF_MANY if more_to_come else _MOST_WORDS
                words = _Words(max(most, len(new)))
            older = self._older
            known = [word for word in new if word in older.numbers]
            if known:
                words.add(known, older.rows[[older.numbers[word] for word in known]])
                new.difference_update(known)
            words.add(list(new), self._sums(list(new), more_to_come))
            self._words = words
            return words

    def _sums(self, words: Sequence[str], more_to_come: bool) -> Vectors:
        cutter, weights = self._files()
        cut = cutter.cut(words, more_to_come=more_to_come)
        rows = np.zeros((len(words), DIMS), dtype=np.float32)
        for first in range(0, len(words), _WORDS_AT_ONCE):
            some = cut[first : first + _WORDS_AT_ONCE]
            vectors = weights.of(list(chain.from_iterable(some)))
            start = 0
            for row, pieces in enumerate(some, start=first):
                end = start + len(pieces)
                np.add.reduce(vectors[start:end], axis=0, out=rows[row])
                start = end
        return rows


class _Weights:
    """The vectors of the pieces, mapped: a search needs a few of the 32,000 rows."""

    def __init__(self, file: Path) -> None:
        try:
            with file.open("rb") as data:
                size = int.from_bytes(data.read(8), "little")
                facts = json.loads(data.read(size))["embedding.weight"]
            if facts["dtype"] != "F16" or facts["shape"][1] != DIMS:
                raise ValueError(facts)
            start = 8 + size + facts["data_offsets"][0]
            self._halves = np.memmap(file, "<u2", "r", start, tuple(facts["shape"]))
        except (OSError, ValueError, KeyError, OverflowError) as error:
            raise EmbedderError(
                f"{file} cannot be read ({error}); reinstall it with "
                "`pip install --force-reinstall wordllama`."
            ) from error

    def of(self, pieces: Sequence[int]) -> Vectors:
        halves = np.asarray(self._halves)[pieces]
        if len(pieces) < _FEW_PIECES:
            return halves.view(np.float16).astype(np.float32)
        rows: Vectors = self._wide.take(halves)
        return rows

    def short(self, pieces: Sequence[int] | NDArray[np.int64], dims: int) -> Vectors:
        """The first `dims` numbers of the vectors of some pieces."""
        halves = np.ascontiguousarray(self._halves[pieces, :dims])
        rows: Vectors = self._wide.take(halves)
        return rows

    def sums(self, cut: CutUnits, dims: int) -> Vectors:
        """The first `dims` numbers of what the vectors of each unit's pieces sum up to."""
        used = np.flatnonzero(np.bincount(cut.pieces))
        place = np.zeros(len(self._halves), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        return sums_of_lists(self.short(used, dims), place[cut.pieces], cut.sizes)

    @cached_property
    def _wide(self) -> np.ndarray:
        """Every number of 16 bits as one of 32: looking it up is ten times faster than a cast."""
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


class _NearWords:
    """The vectors of the words that are one piece, of fewer dimensions and a byte a number: 1.3 MB."""

    def __init__(self, pieces: WordPieces) -> None:
        self._pieces = pieces
        self._vectors = pieces.vectors

        # Few words are asked for again and again: "birthday", "address", "number".
        self.of = lru_cache(maxsize=_MOST_ASKED)(self._of)

    def __contains__(self, word: str) -> bool:
        return self._pieces.row(_SPACE + word) is not None

    def _of(self, word: str) -> Sequence[NearWord]:
        row = self._pieces.row(_SPACE + word)
        if row is None:
            return ()
        import simsimd

        distances = np.asarray(
            simsimd.cdist(self._vectors[row : row + 1], self._vectors, "cosine"), np.float32
        )[0]
        # Few are near enough; to put all others in order would take longer than to compare them.
        first = np.flatnonzero(distances < 1.001 - _LEAST_NEAR)
        if len(first) > _MOST_NEAR + 1:
            first = first[np.argpartition(distances[first], _MOST_NEAR)[: _MOST_NEAR + 1]]
        found = sorted(
            (self._near(n, distances) for n in first.tolist() if n != row),
            key=lambda one: -one.similarity,
        )
        return tuple(one for one in found if one.similarity >= _LEAST_NEAR)

    def _near(self, row: int, distances: NDArray[np.float32]) -> NearWord:
        return NearWord(self._pieces.at_row(row)[1:], 1.0 - float(distances[row]))


def _as_bytes(vectors: Vectors) -> NDArray[np.int8]:
    """Vectors at a byte a number, each as large as it can be."""
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    vectors = vectors * (127 / np.maximum(largest, 1e-9))[:, None]
    return np.rint(vectors, out=vectors).astype(np.int8)


def sums_of_lists(
    rows: Vectors, numbers: NDArray[np.int32], sizes: Sequence[int] | NDArray[np.int64]
) -> Vectors:
    """The sum of the rows of each list of numbers; lists of these sizes stand one after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    if len(numbers) == len(sizes) and np.array_equal(ends, np.arange(1, len(sizes) + 1)):
        one_each: Vectors = rows.take(numbers, axis=0)
        return one_each
    return sums_of(rows, numbers, ends - sizes, ends)


def sums_of(
    rows: Vectors, numbers: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> Vectors:
    """The sum of the rows of each list of numbers, float32 (m, dims); lists stand from `starts` to `ends`.

    The longest come first, so that the k-th rows of all lists that have so many are added at
    once: several times faster than list by list.
    """
    sizes = ends - starts
    order = np.argsort(-sizes, kind="stable")
    result = np.zeros((len(sizes), rows.shape[1]), np.float32)
    many = int(np.searchsorted(-sizes[order], -_MANY_ROWS))
    for one in order[:many].tolist():
        result[one] = rows[numbers[starts[one] : ends[one]]].sum(axis=0)
    step = _NUMBERS_AT_ONCE // max(1, rows.shape[1])
    for first in range(many, len(order), step):
        some = order[first : first + step]
        fewer = -sizes[some]
        some = some[: np.searchsorted(fewer, 0)]
        total = rows.take(numbers[starts[some]], axis=0)
        for place in range(1, int(-fewer[0])):
            upto = int(np.searchsorted(fewer, -place))
            total[:upto] += rows.take(numbers[starts[some[:upto]] + place], axis=0)
        result[some] = total
    return result


# The pieces of this process, whichever embedder needs them first.
_pieces: WordPieces | None = None


def _known_pieces(folder: Path | None, *sources: Path) -> WordPieces | None:
    """The pieces, if this process has them or a file in the folder does."""
    global _pieces
    if _pieces is None and folder is not None:
        _pieces = word_pieces.load(folder, sources)
    return _pieces


def _pieces_of(folder: Path | None) -> WordPieces:
    """The pieces, made and kept in the folder if need be."""
    global _pieces
    sources = _package_file(_TOKENIZER), _package_file(_WEIGHTS)
    known = _known_pieces(folder, *sources)
    if known is None:
        made = Cutter(sources[0]).packed(_Weights(sources[1]))
        if folder is not None:
            word_pieces.save(folder, sources, made)
        known = _pieces = word_pieces.opened(made)
    return known


def _groups(texts: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """The texts in parts that are not too long, each with the number of its first one."""
    first = size = 0
    for number, text in enumerate(texts):
        if size and size + len(text) > _CHARACTERS_AT_ONCE:
            yield first, texts[first:number]
            first, size = number, 0
        size += len(text)
    if first < len(texts):
        yield first, texts[first:]


def _package_file(name: str) -> Path:
    spec = importlib.util.find_spec("wordllama")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / name
        if path.is_file():
            return path
    raise EmbedderError(
        "The bundled embedder's files are missing: reinstall it with "
        "`pip install --force-reinstall wordllama`, or set memorySearch.provider to another one."
    )


def create(options: Options | None = None) -> BundledEmbedder:
    """The bundled embedder; there is nothing to choose but where it keeps its words."""
    folder = options.model_cache_dir if options else None
    return BundledEmbedder(Path(folder) if folder else None)
