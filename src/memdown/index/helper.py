"""A process beside a full index that finds terms and makes vectors, while the next notes are read and the last written.

Both are a pure function of chunks, so whatever happens to it, the same can be made here. It gets portions of
chunks and answers in their order. What is asked and answered stands in files that have no name, one for each
portion that is under way; one byte on a pipe says which of them is ready. So nobody waits for a pipe that is full.
A file holds plain values packed by `marshal`, and arrays as they are.

Started as `python -m memdown.index.helper FILE...`, with the numbers of those files. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import marshal
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import memdown
from memdown.embedders.bundled import DIMS, BundledEmbedder
from memdown.index.layout import Outline, outline
from memdown.index.passage_vectors import PASSAGE_DIMS, Embedded, KnownWords, add_up_outline
from memdown.index.passages import FoundTerms, Occurrences, occurrences
from memdown.text import TERMS_VERSION
from memdown.types import Chunk, Embedder
from memdown.values import dataclass

log = logging.getLogger("memdown")

# One is worked on, one waits for it, and one is answered and not yet read.
_PORTIONS = 3
# A portion takes about a second; a process that says nothing for so long will not any more.
_ANSWER_SECONDS = 60.0
# How often it looks whether the process that started it is still there: a fork of that may keep the input open.
_LOOK_SECONDS = 5.0
# No key, no secret: it reaches nothing but its files.
_KEPT = (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
)
_LENGTH = struct.Struct("<Q")
# Code of another version, put in the place of this one meanwhile, may find other terms.
_VERSION = f"{memdown.__version__} {TERMS_VERSION}"


def help_for(embedder: Embedder) -> Helper | None:
    """A process that makes what this embedder would, if there is a core for it and it can be started."""
    # A program that Python was built into would start itself.
    is_python = Path(sys.executable or "").name.startswith("python")
    is_able = is_python and hasattr(os, "preadv") and _cores() > 1
    if type(embedder) is not BundledEmbedder or not is_able:
        return None
    try:
        return Helper()
    except OSError as error:
        log.info("The index is made by one process: %s", error)
        return None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, eq=False)
class AskedPortion:
    """A portion that the process was asked about, and the number of its file."""

    chunks: Sequence[Chunk]
    number: int


class Helper:
    """The process, as it is seen from outside. For one thread, which ends it.

    So many portions `ahead` can be asked for while the answer about one is waited for.
    """

    ahead = _PORTIONS - 1

    def __init__(self) -> None:
        self._files: list[int] = []
        try:
            for _ in range(_PORTIONS):
                self._files.append(_nameless_file())
            # A session of its own: what is typed at the terminal does not reach it.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, *map(str, self._files)],
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=self._files,
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            self._close_files()
            raise
        self._free = list(range(_PORTIONS))
        self._is_lost = False

    def ask(self, chunks: Sequence[Chunk]) -> AskedPortion | None:
        """Ask about a portion; None if it has enough to do already, or is lost."""
        if self._is_lost or not self._free:
            return None
        number = self._free.pop(0)
        assert self._process.stdin is not None  # noqa: S101
        try:
            _write_outline(self._files[number], outline(chunks))
            self._process.stdin.write(bytes([number]))
        except (OSError, ValueError) as error:
            self._lose(error)
            return None
        return AskedPortion(chunks, number)

    def answer(self, asked: AskedPortion) -> Embedded | None:
        """The answer about the portion that was asked about first of those that wait; None if it is lost."""
        if self._is_lost:
            return None
        file = self._files[asked.number]
        try:
            self._wait_for(asked.number)
            made = _read_answer(file, asked.chunks)
            os.ftruncate(file, 0)
        except (OSError, ValueError, TypeError, EOFError, MemoryError, struct.error) as error:
            self._lose(error)
            return None
        self._free.append(asked.number)
        return made

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._close_files()

    def _wait_for(self, number: int) -> None:
        assert self._process.stdout is not None  # noqa: S101
        pipe = self._process.stdout.fileno()
        if not select.select([pipe], [], [], _ANSWER_SECONDS)[0]:
            raise TimeoutError(f"no answer for {_ANSWER_SECONDS:.0f} seconds")
        if os.read(pipe, 1) != bytes([number]):
            raise ValueError("it ended, or answered something else")

    def _lose(self, error: Exception) -> None:
        """Go on without it."""
        log.info("The second process of the index is lost, the rest is made by one: %s", error)
        self._is_lost = True
        self._process.kill()

    def _close_files(self) -> None:
        while self._files:
            os.close(self._files.pop())


def _environment() -> dict[str, str]:
    """What Python needs to start and to find the same modules as here."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    places = [os.path.abspath(place) for place in sys.path if place]  # noqa: PTH100
    # Nothing is multiplied: the threads for that would only wait.
    return {**kept, "PYTHONPATH": os.pathsep.join(places), "OPENBLAS_NUM_THREADS": "1"}


def _nameless_file() -> int:
    """A file in memory where the system has such files, else one that is deleted already."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("memdown")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _write(file: int, values: Any, arrays: Sequence[NDArray[Any]] = ()) -> None:
    head = marshal.dumps(values)
    place = 0
    plain = (memoryview(_LENGTH.pack(len(head))), memoryview(head))
    for left in (*plain, *map(_bytes_of, arrays)):
        while left:
            done = os.pwrite(file, left, place)
            left, place = left[done:], place + done
    os.ftruncate(file, place)


def _read(file: int) -> Any:
    """The plain values in a file."""
    (length,) = _LENGTH.unpack(os.pread(file, _LENGTH.size, 0))
    if length > os.fstat(file).st_size:
        raise ValueError("the answer is cut off")
    data = bytearray(length)
    _fill(memoryview(data), file, _LENGTH.size)
    # Only these two processes have the file.
    return marshal.loads(data)  # noqa: S302


def _fill(left: memoryview, file: int, place: int) -> int:
    """Read from a place of a file on until there is nothing left to fill; the place behind it."""
    while left:
        count = os.preadv(file, [left], place)
        if not count:
            raise ValueError("the answer is cut off")
        left, place = left[count:], place + count
    return place


def _fill_from_end(file: int, arrays: Sequence[NDArray[Any]]) -> None:
    """Read the arrays with which a file ends."""
    place = os.fstat(file).st_size - sum(array.nbytes for array in arrays)
    for array in arrays:
        place = _fill(_bytes_of(array), file, place)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _write_outline(file: int, given: Outline) -> None:
    """What `_read_outline` reads."""
    *plain, sizes, counts, passages = given
    _write(file, plain, [sizes, counts, np.ascontiguousarray(passages)])


def _read_outline(file: int) -> Outline:
    text, names, above, first_lines, lines, headings = _read(file)
    sizes, counts = np.empty(len(names), np.int32), np.empty(len(names), np.int32)
    passages = np.empty((len(headings), 4), np.int32)
    _fill_from_end(file, (sizes, counts, passages))
    return Outline(text, names, above, first_lines, lines, headings, sizes, counts, passages)


def _write_answer(file: int, made: Embedded) -> None:
    """What `_read_answer` reads."""
    found, terms = occurrences(made.tokens), made.tokens
    arrays = [made.chunks, made.passages, terms.lines, found.lengths]
    arrays += [found.term, found.row, found.position]
    _write(
        file,
        (_VERSION, len(found.term), found.names, terms.units),
        [np.ascontiguousarray(array) for array in arrays],
    )


def _read_answer(file: int, chunks: Sequence[Chunk]) -> Embedded:
    """What was made of some chunks; ValueError if it cannot be that."""
    version, size, names, units = _read(file)
    if version != _VERSION or len(units) != len(chunks):
        raise ValueError("the answer is of another version, or about other chunks")
    counts = np.array([len(chunk.passages) for chunk in chunks], np.int64)
    passages = int(counts.sum())
    vectors = np.empty((len(chunks), DIMS), np.float32)
    short = np.empty((passages, PASSAGE_DIMS), np.float32)
    lines, lengths = np.empty((passages, 2), np.int32), np.empty(passages, np.int64)
    term, row, position = (np.empty(size, np.int32) for _ in range(3))
    _fill_from_end(file, (vectors, short, lines, lengths, term, row, position))
    is_sound = _are_below(term, len(names)) and _are_below(row, passages)
    if not is_sound or not np.isfinite(vectors).all() or not np.isfinite(short).all():
        raise ValueError("the answer is about other passages")
    found = Occurrences(names, term, row, position, lengths)
    return Embedded(FoundTerms(found, counts, lines, units), vectors, short)


def _are_below(numbers: NDArray[np.int32], most: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < most)


def _requests() -> Iterator[int]:
    """The files in which something is asked, until the input ends."""
    parent = os.getppid()
    while os.getppid() == parent:
        if select.select([0], [], [], _LOOK_SECONDS)[0]:
            number = os.read(0, 1)
            if not number:
                return
            yield number[0]


def main(files: Sequence[int]) -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # There are no cycles among hundreds of thousands of passages.
    gc.disable()
    embedder, known = BundledEmbedder(), KnownWords()
    embedder.make_ready()
    for number in _requests():
        file = files[number]
        _write_answer(file, add_up_outline(embedder, _read_outline(file), known))
        os.write(1, bytes([number]))


if __name__ == "__main__":
    # Whoever asked is not there any more.
    with contextlib.suppress(BrokenPipeError):
        main(list(map(int, sys.argv[1:])))
