"""Transcripts as documents, a portion at a time: turns flattened to lines, secrets redacted."""

from __future__ import annotations

import datetime
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memdown.transcripts.discovery import (
    Mark,
    goes_on,
    opened,
    parse_mark,
    read_lines,
    samples_of,
    scan_transcripts,
    state_of,
)
from memdown.transcripts.messages import (
    BrokenLine,
    TranscriptTurn,
    flattened,
    read_turn,
    without_recalled,
)
from memdown.types import Document, Failure, FileState
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.text.redaction import Redactor

# Large enough for good batches, small enough that memory stays flat for a transcript of any size.
PORTION_CHARS = 1_000_000
_TURNS_AT_ONCE = 256
# So many messages with a secret are looked at again when a conversation goes on.
_SECRETS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Portion:
    """Some turns of a transcript that are not indexed yet, and the state once they are.

    `fresh` means that it is the first portion and takes the place of all that is indexed.
    """

    document: Document
    state: FileState
    fresh: bool


def read_portions(folder: str, state: FileState, known: FileState | None) -> Iterator[Portion]:
    """What must be indexed of a transcript: only what was added, if the rest is unchanged."""
    with opened(folder, state.path) as file:
        facts = os.fstat(file)
        now = state_of(state.path, facts)
        mark = _resume(file, now, known)
        fresh = mark is None
        mark = mark or Mark()
        redactor = _knowing(file, mark.secrets)
        while True:
            part = _read(file, mark, redactor)
            mark = replace(part.mark, samples=samples_of(file, part.mark.offset))
            # Until all is read the state looks like a shorter file, so that a sync that is
            # stopped here is continued by the next one.
            yield Portion(
                _document(state.path, part.lines, mark),
                replace(
                    now,
                    size=now.size if part.is_last else mark.offset,
                    digest=str(mark),
                    date=_date(mark.time or now.mtime_ns // 1_000_000),
                ),
                fresh,
            )
            if part.is_last:
                return
            fresh = False


def added_messages(folder: str, state: FileState, known: FileState, most: int) -> int:
    """How many messages were added since a transcript was indexed; counting stops at `most`."""
    with opened(folder, state.path) as file:
        mark = _resume(file, state, known)
        if mark is None:
            return most
        count = 0
        for line in read_lines(file, mark.offset, mark.lines):
            try:
                count += bool(line.data) and read_turn(line.data or b"", 0) is not None
            except BrokenLine:
                continue
            if count >= most:
                break
        return count


@dataclass(frozen=True, slots=True)
class Count:
    """What a transcript holds: messages, unusable lines, its last activity, how the user began."""

    messages: int
    skipped: int
    time: int
    first: str


def count_lines(folder: str, path: str) -> Count:
    """Go through a transcript once and count; `first` is raw and may hold secrets."""
    messages = skipped = time = 0
    first = ""
    with opened(folder, path) as file:
        for line in read_lines(file, 0, 0):
            if line.data is not None and (not line.data or line.data.isspace()):
                continue
            try:
                turn = None if line.data is None else read_turn(line.data, line.number)
            except BrokenLine:
                skipped += 1
                continue
            skipped += line.data is None
            if turn is not None:
                messages += 1
                time = max(time, turn.time or 0)
                if not first and turn.role == "user":
                    first = turn.text
    return Count(messages, skipped, time, first)


def read_turns(folder: str, path: str) -> Iterator[TranscriptTurn]:
    """Every turn of a transcript with its secrets redacted, white space as it was."""
    from memdown.text.redaction import Redactor

    with opened(folder, path) as file:
        redactor = Redactor()
        waiting: list[TranscriptTurn] = []
        for turn in _turns(file):
            waiting.append(turn)
            if len(waiting) >= _TURNS_AT_ONCE:
                yield from _redacted(waiting, redactor)
                waiting = []
        yield from _redacted(waiting, redactor)


def _turns(file: int, offset: int = 0) -> Iterator[TranscriptTurn]:
    for line in read_lines(file, offset, 0):
        if line.data and line.data.strip():
            try:
                turn = read_turn(line.data, line.number)
            except BrokenLine:
                continue
            if turn is not None:
                yield turn


def _redacted(turns: Sequence[TranscriptTurn], redactor: Redactor) -> Iterator[TranscriptTurn]:
    texts = redactor.redact_all([turn.text for turn in turns])
    for turn, text in zip(turns, texts, strict=True):
        yield replace(turn, text=text)


def _knowing(file: int, secrets: Sequence[int]) -> Redactor:
    """A redactor that knows what was a secret in the part that is indexed already."""
    from memdown.text.redaction import Redactor

    redactor = Redactor()
    for place in secrets:
        # Two, since the message before may have asked for it; at last, what was said last, which
        # may be a question that is answered now.
        turns = islice(_turns(file, place), 1 if place == secrets[-1] else 2)
        redactor.redact_all([without_recalled(turn.text) for turn in turns])
    return redactor


def _resume(file: int, now: FileState, known: FileState | None) -> Mark | None:
    """Where to go on; None if the transcript must be read from its start."""
    mark = parse_mark(known.digest) if known else None
    if known is None or mark is None or known.inode != now.inode:
        return None
    if known.size == now.size and known.mtime_ns != now.mtime_ns:
        return None
    return mark if goes_on(file, now.size, mark) else None


class _Part(NamedTuple):
    """Turns as numbered lines without secrets, the mark behind them, and whether that is all."""

    lines: list[tuple[int, str]]
    mark: Mark
    is_last: bool


def _read(file: int, mark: Mark, redactor: Redactor) -> _Part:
    """The next turns."""
    offset = mark.offset + (mark.open and os.pread(file, 1, mark.offset) == b"\n")
    waiting: list[tuple[int, TranscriptTurn]] = []
    lines: list[tuple[int, str]] = []
    secrets, last = mark.secrets[:-1], mark.secrets[-1:]
    number, messages, skipped, time = mark.lines, mark.messages, mark.skipped, mark.time
    is_open = mark.open and offset == mark.offset
    chars = 0
    done = True
    for line in read_lines(file, offset, number):
        turn = None
        if line.data is None:
            if not line.closed:
                break
            skipped += 1
        elif line.data and not line.data.isspace():
            try:
                turn = read_turn(line.data, line.number)
            except BrokenLine:
                # The last line may still be being written.
                if not line.closed:
                    break
                skipped += 1
        start, offset, number, is_open = offset, line.end, line.number, not line.closed
        if turn is not None:
            messages += 1
            time = max(time, turn.time or 0)
            waiting.append((start, turn))
            last = (start,)
            chars += len(turn.text)
            if len(waiting) >= _TURNS_AT_ONCE:
                flat = _flatten(waiting, redactor)
                lines += flat.lines
                secrets += flat.secrets
                waiting.clear()
            if chars >= PORTION_CHARS:
                done = False
                break
    flat = _flatten(waiting, redactor)
    kept = (*(*secrets, *flat.secrets)[-_SECRETS_KEPT:], *last)
    behind = Mark(offset, number, messages, skipped, is_open, time, secrets=kept)
    return _Part([*lines, *flat.lines], behind, done)


class _Flat(NamedTuple):
    """Turns as numbered lines without secrets, and where to begin to read so that each is seen."""

    lines: list[tuple[int, str]]
    secrets: tuple[int, ...]


def _flatten(turns: Sequence[tuple[int, TranscriptTurn]], redactor: Redactor) -> _Flat:
    raw = [without_recalled(turn.text) for _, turn in turns]
    lines: list[tuple[int, str]] = []
    secrets: list[int] = []
    before = None
    for (place, turn), text, clean in zip(turns, raw, redactor.redact_all(raw), strict=True):
        if clean is not text:
            secrets.append(place if before is None else before)
        before = place
        if clean and not clean.isspace():
            lines.append((turn.line, flattened(turn.role, clean)))
    return _Flat(lines, tuple(secrets))


def _document(path: str, turns: Sequence[tuple[int, str]], mark: Mark) -> Document:
    text = "\n".join(line for _, line in turns)
    return Document(
        path=path,
        source="sessions",
        text=text,
        digest=hashlib.sha256(str(mark).encode()).hexdigest(),
        line_map=tuple(number for number, _ in turns),
    )


def _date(milliseconds: int) -> datetime.date | None:
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000).astimezone().date()
    except (OverflowError, OSError, ValueError):
        return None


DEBOUNCE_SECONDS = 5.0


def sessions_folder(state_dir: Path, agent: str) -> Path:
    """Where the conversations of one agent are; no agent looks into another's."""
    return state_dir / "agents" / agent / "sessions"


class Conversations:
    """The transcripts in one folder; none at all unless `enabled`.

    A conversation that goes on is indexed in the background only once `delta_bytes` or
    `delta_messages` were added, and not sooner than 5 s after that was noticed. A search or a new
    session does not wait for that.

    Transcripts are loaded when they are needed: most memories have none, and start faster so.
    """

    def __init__(
        self,
        folder: Path,
        *,
        enabled: bool,
        delta_bytes: int,
        delta_messages: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.enabled = enabled
        self._delta_bytes = delta_bytes
        self._delta_messages = delta_messages
        self._clock = clock
        self._changed_since: dict[str, float] = {}

    def scan(self) -> tuple[dict[str, FileState], tuple[Failure, ...]]:
        """The transcripts there are, as far as they count, and what could not be looked at."""
        if not self.enabled:
            return {}, ()
        found = scan_transcripts(self.folder)
        return found.files, found.problems

    def portions(self, state: FileState, known: FileState | None) -> Iterator[Portion]:
        """What a transcript has beyond what is known of it, a part at a time."""
        return read_portions(str(self.folder), state, known)

    def settled(self, state: FileState, known: FileState | None) -> bool:
        """Whether a transcript that changed has grown enough, for long enough, to be indexed."""
        if not self._grown(state, known):
            self._changed_since.pop(state.path, None)
            return False
        now = self._clock()
        if now - self._changed_since.setdefault(state.path, now) < DEBOUNCE_SECONDS:
            return False
        del self._changed_since[state.path]
        return True

    def ripe_in(self) -> float | None:
        """In how many seconds the next of the transcripts that wait may be indexed; None: none waits."""
        now = self._clock()
        # What is long over was indexed by a search meanwhile, or is gone.
        self._changed_since = {
            path: since
            for path, since in self._changed_since.items()
            if now - since < DEBOUNCE_SECONDS + 1
        }
        first = min(self._changed_since.values(), default=None)
        return None if first is None else max(0.0, first + DEBOUNCE_SECONDS - now)

    def _grown(self, state: FileState, known: FileState | None) -> bool:
        mark = parse_mark(known.digest) if known else None
        added = state.size - (mark.offset if mark else 0)
        if added < 0 or added >= self._delta_bytes or not self._delta_messages:
            return True
        known = known or FileState(state.path, "sessions", 0, 0)
        return added_messages(str(self.folder), state, known, self._delta_messages) >= (
            self._delta_messages
        )
