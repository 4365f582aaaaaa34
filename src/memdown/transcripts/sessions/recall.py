"""Exact recall: text in transcripts, word for word, with what was said around it."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memdown.transcripts import Turn, read_turns, scan_transcripts


@dataclass(frozen=True, slots=True)
class Recalled:
    """One turn that holds the text, and the turns before and after it."""

    path: str
    turn: Turn
    before: tuple[Turn, ...]
    after: tuple[Turn, ...]


def recall(
    folder: Path, text: str, *, context: int = 2, limit: int = 20, session: str | None = None
) -> list[Recalled]:
    """Every turn that holds `text`, whatever its case and spacing, newest transcripts first.

    Secrets are redacted before the search, so nobody can look for one.
    """
    wanted = _folded(text)
    if not wanted:
        return []
    files = scan_transcripts(folder).files
    newest = sorted(files.values(), key=lambda file: (-file.mtime_ns, file.path))
    found: list[Recalled] = []
    for file in newest:
        if session and file.path != f"sessions/{session.removesuffix('.jsonl')}.jsonl":
            continue
        for hit in _within(folder, file.path, wanted, context):
            found.append(hit)
            if len(found) >= limit:
                return found
    return found


def messages_around(folder: Path, path: str, line: int, count: int) -> list[Turn]:
    """The turn at a line of a transcript, and about `count` in all around it, secrets redacted.

    A line that holds no turn means the one before it.
    """
    half = max(0, count - 1) // 2
    before: deque[Turn] = deque(maxlen=half + 1)
    after: list[Turn] = []
    for turn in read_turns(str(folder), path):
        if turn.line <= line or not before:
            before.append(turn)
        else:
            after.append(turn)
            if len(after) >= half:
                break
    return [*before, *after]


def _within(folder: Path, path: str, wanted: str, context: int) -> Iterator[Recalled]:
    before: deque[Turn] = deque(maxlen=context)
    open_hits: deque[tuple[Turn, tuple[Turn, ...], list[Turn]]] = deque()
    for turn in read_turns(str(folder), path):
        for hit in open_hits:
            hit[2].append(turn)
        while open_hits and len(open_hits[0][2]) >= context:
            yield _closed(path, open_hits.popleft())
        if wanted in _folded(turn.text):
            if context:
                open_hits.append((turn, tuple(before), []))
            else:
                yield Recalled(path, turn, (), ())
        before.append(turn)
    while open_hits:
        yield _closed(path, open_hits.popleft())


def _closed(path: str, hit: tuple[Turn, tuple[Turn, ...], list[Turn]]) -> Recalled:
    return Recalled(path, hit[0], hit[1], tuple(hit[2]))


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())
