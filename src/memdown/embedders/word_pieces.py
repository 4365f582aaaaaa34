"""The bundled embedder's word pieces in one small file that is mapped, not read.

The tokenizer's own file takes 30 ms to read, and what near words are found by as long again to make from
the weights; a search needs a few dozen pieces of 32,000. So both are written once, beside the models of the
state folder, in the form in which they are looked up:

a line of JSON    version, what the files were that all this was made from, how many pieces and words there are
`ends`            uint32 (P,), where the name of each piece ends; pieces in order of their bytes
`numbers`         uint32 (P,), the number of each piece
`places`          uint32 (W,), which pieces are whole words, in the order of the tokenizer's file
`vectors`         int8 (W, D), the words' vectors
`names`           the names, one after the other

Where the file cannot be written or is another one's, everything is made anew for this process.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memdown.files import make_folder

_VERSION = 1
_NAME = f"bundled-words-{_VERSION}"
_PLACE = np.dtype("<u4")
# From so many look-ups on, all pieces are taken out: one look-up here takes a hundred times as long as in a dict.
_FEW_LOOKS = 2_000

Bytes = memoryview | bytes


class WordPieces(Mapping[str, int]):
    """Piece → its number; and the pieces that are whole words, with their vectors int8 (W, D)."""

    def __init__(
        self, ends: Bytes, numbers: Bytes, places: Bytes, vectors: NDArray[np.int8], names: Bytes
    ) -> None:
        self.vectors = vectors
        # A view of memory gives a number several times faster than an array does.
        self._ends = memoryview(ends).cast("B").cast("I")
        self._numbers = memoryview(numbers).cast("B").cast("I")
        self._places = np.frombuffer(places, _PLACE)
        self._names = memoryview(names)
        self._all: dict[str, int] = {}
        self._looked = 0

    def quickest(self) -> Mapping[str, int]:
        """What to look pieces up in: a dict of all, once many were looked up."""
        return self._all or self

    def __getitem__(self, piece: str) -> int:
        if self._all:
            return self._all[piece]
        self._looked += 1
        if self._looked > _FEW_LOOKS:
            self._all = dict(zip(self, self._numbers.tolist(), strict=True))
            return self._all[piece]
        place = self._place(piece)
        if place is None:
            raise KeyError(piece)
        return self._numbers[place]

    def __iter__(self) -> Iterator[str]:
        return (self._text(place) for place in range(len(self)))

    def __len__(self) -> int:
        return len(self._ends)

    def row(self, piece: str) -> int | None:
        """The row of a whole word's vector; None for any other piece."""
        if self._all and piece not in self._all:
            return None
        place = self._place(piece)
        rows = [] if place is None else np.flatnonzero(self._places == place).tolist()
        return rows[0] if rows else None

    def at_row(self, row: int) -> str:
        """The piece that is the whole word of a row."""
        return self._text(int(self._places[row]))

    def _place(self, piece: str) -> int | None:
        name = _as_bytes(piece)
        place = bisect_left(range(len(self)), name, key=self._name)
        return place if place < len(self) and self._name(place) == name else None

    def _name(self, place: int) -> bytes:
        return bytes(self._names[self._ends[place - 1] if place else 0 : self._ends[place]])

    def _text(self, place: int) -> str:
        return self._name(place).decode("utf-8", "surrogatepass")


def _as_bytes(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogatepass")


class Packed(NamedTuple):
    """The parts of a file, in order."""

    ends: bytes
    numbers: bytes
    places: bytes
    vectors: NDArray[np.int8]
    names: bytes


def make(vocabulary: Mapping[str, int], words: Sequence[str], vectors: NDArray[np.int8]) -> Packed:
    """What the file holds of all pieces, and of those that are whole words, with a vector each."""
    names = sorted(map(_as_bytes, vocabulary))
    numbers = [vocabulary[name.decode("utf-8", "surrogatepass")] for name in names]
    place = {name: number for number, name in enumerate(names)}
    return Packed(
        np.cumsum([len(name) for name in names]).astype(_PLACE).tobytes(),
        np.array(numbers, _PLACE).tobytes(),
        np.array([place[_as_bytes(word)] for word in words], _PLACE).tobytes(),
        vectors,
        b"".join(names),
    )


def opened(made: Packed) -> WordPieces:
    """The pieces as they are looked up."""
    return WordPieces(*made)


def load(folder: Path, sources: Sequence[Path]) -> WordPieces | None:
    """The pieces from the file in a folder, if it was made from these files as they are now."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        with (folder / _NAME).open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            head = file.readline()
        facts = json.loads(head)
        pieces, words, dims = facts["pieces"], facts["words"], facts["dims"]
        if facts["made_of"] != _stamps(sources):
            return None
        parts, at = [], len(head)
        for size in (4 * pieces, 4 * pieces, 4 * words, words * dims, facts["names"]):
            parts.append(mapped[at : at + size])
            at += size
        if at != len(mapped):
            return None
        ends, numbers, places, vectors, names = parts
        rows = np.frombuffer(vectors, np.int8).reshape(words, dims)
        return WordPieces(ends, numbers, places, rows, names)
    return None


def save(folder: Path, sources: Sequence[Path], made: Packed) -> None:
    """Write the file; not being able to is no loss."""
    words, dims = made.vectors.shape
    facts = {
        "made_of": _stamps(sources),
        "pieces": len(made.ends) // 4,
        "words": words,
        "dims": dims,
        "names": len(made.names),
    }
    head = json.dumps(facts).encode()
    # Numbers of four bytes begin at a place that four divides.
    head += b" " * (-(len(head) + 1) % 4) + b"\n"
    beside = folder / f"{_NAME}.{os.getpid()}"
    with contextlib.suppress(OSError):
        make_folder(folder)
        try:
            beside.touch(mode=0o600)
            with beside.open("wb") as file:
                file.writelines(
                    (head, made.ends, made.numbers, made.places, made.vectors.tobytes(), made.names)
                )
            beside.replace(folder / _NAME)
        finally:
            beside.unlink(missing_ok=True)


def _stamps(sources: Sequence[Path]) -> list[list[int]]:
    return [[facts.st_size, facts.st_mtime_ns] for facts in (file.stat() for file in sources)]
