"""Which transcripts an agent has, their lines, and how far each was read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from memdown.errors import NoteNotFound, NoteUnreadable, PathRefused
from memdown.types import Failure, FileState
from memdown.values import dataclass, pattern

PREFIX = "sessions/"
SUFFIX = ".jsonl"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNUSABLE = pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff/\\]")


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The transcripts found, by path, and what could not be looked at."""

    files: dict[str, FileState] = field(default_factory=dict)
    problems: tuple[Failure, ...] = ()


def scan_transcripts(folder: Path) -> Transcripts:
    """Every transcript in the folder. Archived ones have another ending and do not count."""
    files: dict[str, FileState] = {}
    problems: list[Failure] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(SUFFIX) or entry.name.startswith("."):
                    continue
                path = PREFIX + entry.name
                problem = _problem(entry)
                if problem:
                    problems.append(Failure(_shown(path), f"{_shown(path)} {problem}."))
                    continue
                try:
                    files[path] = state_of(path, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
    except (FileNotFoundError, NotADirectoryError):
        return Transcripts()
    except OSError as error:
        reason = f"{folder} cannot be listed ({error.strerror}); check its permissions."
        return Transcripts({}, (Failure(PREFIX, reason),))
    return Transcripts(dict(sorted(files.items())), tuple(problems))


def state_of(path: str, facts: os.stat_result) -> FileState:
    """What tells whether a transcript changed."""
    return FileState(
        path, "sessions", facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
    )


@contextmanager
def opened(folder: str | Path, path: str) -> Iterator[int]:
    """A descriptor of a transcript, opened without following a link."""
    name = path.removeprefix(PREFIX)
    if not name.endswith(SUFFIX) or _UNUSABLE.search(name) or name.startswith("."):
        raise PathRefused(
            f"{_shown(path)} is no transcript; use a name `memdown sessions list` shows."
        )
    try:
        file = os.open(Path(folder) / name, _FLAGS)
    except FileNotFoundError:
        raise NoteNotFound(
            f"There is no transcript {_shown(path)}; `memdown sessions list` shows those there are."
        ) from None
    except OSError as error:
        raise NoteUnreadable(
            f"{_shown(path)} cannot be read ({error.strerror}); check its permissions."
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise PathRefused(f"{_shown(path)} is not a regular file; move it out of the sessions.")
        yield file
    finally:
        os.close(file)


def _problem(entry: os.DirEntry[str]) -> str | None:
    if _UNUSABLE.search(entry.name):
        return "has a control character in its name; rename the file"
    if entry.is_symlink():
        return "is a symbolic link, which is never followed; copy the transcript instead"
    if not entry.is_file(follow_symlinks=False):
        return "is not a regular file; move it out of the sessions"
    return None


def _shown(path: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in path[:200])


BLOCK_BYTES = 256 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line without its newline; `data` is None if it was too long to be held.

    `end` is where the next line starts; `closed` tells whether a newline ends this one.
    """

    number: int
    end: int
    data: bytes | None
    closed: bool = True


def read_lines(file: int, offset: int, number: int) -> Iterator[TranscriptLine]:
    """The lines of an open file from `offset` on, where line `number` + 1 starts."""
    pieces: list[bytes] = []
    size = 0
    while block := os.pread(file, BLOCK_BYTES, offset):
        start = 0
        while (newline := block.find(b"\n", start)) >= 0:
            size += newline - start
            number += 1
            if size > MAX_LINE_BYTES:
                data = None
            elif pieces:
                data = b"".join((*pieces, block[start:newline]))
            else:
                data = block[start:newline]
            yield TranscriptLine(number, offset + newline + 1, data)
            pieces.clear()
            size = 0
            start = newline + 1
        size += len(block) - start
        if size > MAX_LINE_BYTES:
            pieces.clear()
        elif start < len(block):
            pieces.append(block[start:])
        offset += len(block)
    if size:
        yield TranscriptLine(
            number + 1, offset, None if size > MAX_LINE_BYTES else b"".join(pieces), False
        )


# Raised when parsing or redaction changes, so that transcripts are read anew.
RULES = 3
_SAMPLES = 16
_SAMPLE_BYTES = 1024
_TAIL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Mark:
    """The part of a transcript that is indexed: its first `offset` bytes.

    `open` means that the last line had no newline yet; `time` is the last activity in ms. `secrets`
    are places of the file where a message with a secret is near, so that a later message which
    repeats the secret is redacted too, and at last the place of the last message; the secrets
    themselves are kept nowhere.
    """

    offset: int = 0
    lines: int = 0
    messages: int = 0
    skipped: int = 0
    open: bool = False
    time: int = 0
    samples: str = field(default="")
    secrets: tuple[int, ...] = ()

    def __str__(self) -> str:
        return (
            f"{RULES}:{self.offset}:{self.lines}:{self.messages}:{self.skipped}:{int(self.open)}:"
            f"{self.time}:{self.samples}:{'.'.join(map(str, self.secrets))}"
        )


def parse_mark(text: str) -> Mark | None:
    """The mark that `str` wrote; None for anything else, also for one made by other rules."""
    parts = text.split(":")
    places = parts[8].split(".") if len(parts) == 9 and parts[8] else []
    if len(parts) != 9 or not all(part.isdecimal() for part in (*parts[:7], *places)):
        return None
    if parts[0] != str(RULES):
        return None
    _, offset, lines, messages, skipped, is_open, time = map(int, parts[:7])
    return Mark(
        offset, lines, messages, skipped, bool(is_open), time, parts[7], tuple(map(int, places))
    )


def samples_of(file: int, offset: int) -> str:
    """A digest of some places before `offset`: the same few, however long the file is."""
    digest = hashlib.blake2b(digest_size=16)
    for number in range(_SAMPLES):
        at = offset * number // _SAMPLES
        digest.update(os.pread(file, min(_SAMPLE_BYTES, offset - at), at))
    start = max(0, offset - _TAIL_BYTES)
    digest.update(os.pread(file, offset - start, start))
    return digest.hexdigest()


def goes_on(file: int, size: int, mark: Mark) -> bool:
    """Whether the file still starts with what was read, so that only the rest is new."""
    if size < mark.offset or samples_of(file, mark.offset) != mark.samples:
        return False
    return not (mark.open and size > mark.offset and os.pread(file, 1, mark.offset) != b"\n")
