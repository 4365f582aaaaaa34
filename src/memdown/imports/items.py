"""What an import brings in, each item made when it is needed, and how foreign files are read."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from memdown.errors import ImportFailed
from memdown.text.redaction import Redactor
from memdown.transcripts.discovery import read_lines
from memdown.transcripts.messages import BrokenLine, parse_entry
from memdown.types import Failure

Kind = Literal["note", "transcript", "settings"]
_TURNS_AT_ONCE = 256
_UNSAFE = re.compile(r"[^\w.@+=-]+")


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One file to be made: a note of the workspace, a transcript of an agent, or the settings.

    `name` is where it goes: below the workspace, the sessions folder or the state folder. `about` is
    what the registry of sessions is told of a conversation. With `link`, a link to that file is made.
    """

    kind: Kind
    origin: str
    name: str
    content: Callable[[], Iterator[bytes]]
    agent: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    link: Path | None = None


@dataclass(frozen=True, slots=True)
class SourceContents:
    """What a source holds, what of it cannot be used, and what else is to be known."""

    items: tuple[ImportItem, ...] = ()
    problems: tuple[Failure, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """One turn of a foreign conversation."""

    role: Literal["user", "assistant"]
    text: str
    time: str | int | None = None


@dataclass(frozen=True, slots=True)
class ForeignTranscript:
    """A foreign conversation; `turns` reads it."""

    id: str
    origin: str
    turns: Callable[[], Iterator[ImportedTurn]]
    facts: dict[str, Any] = field(default_factory=dict)


def transcript(source: str, log: ForeignTranscript, agent: str | None = None) -> ImportItem:
    """A conversation as a transcript of ours: a line of facts, a line a turn, no secrets."""

    def content() -> Iterator[bytes]:
        head = {
            "type": "session",
            "version": 3,
            "id": log.id,
            **log.facts,
            "origin": {"source": source, "path": log.origin},
        }
        yield _line(head)
        redactor = Redactor()
        for turns in _batches(log.turns()):
            texts = redactor.redact_all([turn.text for turn in turns])
            for turn, text in zip(turns, texts, strict=True):
                entry: dict[str, Any] = {"type": "message"}
                if turn.time is not None:
                    entry["timestamp"] = turn.time
                content = [{"type": "text", "text": text}]
                yield _line({**entry, "message": {"role": turn.role, "content": content}})

    name = f"{source}-{distinct(log.id)}.jsonl"
    about = {"channel": source, **log.facts}
    return ImportItem("transcript", log.origin, name, content, agent, about)


def note(source: str, origin: str, name: str, text: Callable[[], str]) -> ImportItem:
    """A Markdown file as a note under `memory/imports/<source>/`, with its origin in a comment."""

    def content() -> Iterator[bytes]:
        yield with_origin(text(), source, origin).encode("utf-8", "replace")

    return ImportItem("note", origin, f"memory/imports/{source}/{name}", content)


def with_origin(text: str, source: str, origin: str) -> str:
    """The text with a comment that tells where it came from, below a front matter."""
    clean = origin.replace("--", "- -").replace("\n", " ")
    comment = f"<!-- imported from {source}: {clean} -->\n"
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        end += len("\n---\n")
        return f"{text[:end]}{comment}{text[end:]}"
    return f"{comment}\n{text}"


def shown(path: Path, home: Path) -> str:
    """A path as a person writes it, from the home folder on."""
    try:
        return f"~/{path.relative_to(home).as_posix()}"
    except ValueError:
        return path.as_posix()


def safe(name: str) -> str:
    """A name that any disk takes: letters, digits and a few signs, not hidden, not too long."""
    return _UNSAFE.sub("-", name).strip("-.")[:120] or "untitled"


def distinct(name: str) -> str:
    """A safe name that no other name becomes: what had to be changed gets a digest of what it was."""
    clean = safe(name)
    if clean == name:
        return clean
    return f"{clean}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _batches(turns: Iterable[ImportedTurn]) -> Iterator[list[ImportedTurn]]:
    iterator = iter(turns)
    while batch := list(islice(iterator, _TURNS_AT_ONCE)):
        yield batch


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


MAX_NOTE_BYTES = 16 * 1024 * 1024
_BLOCK_CHARS = 1024 * 1024
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file; lines that are broken or too long are passed over."""
    try:
        file = os.open(path, _FLAGS)
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read ({error.strerror}); check it.") from None
    try:
        for line in read_lines(file, 0, 0):
            if line.data and not line.data.isspace():
                try:
                    yield parse_entry(line.data)
                except BrokenLine:
                    continue
    finally:
        os.close(file)


def markdown_below(folder: Path) -> Iterator[Path]:
    """The Markdown files below a folder, in order; links and hidden ones do not count."""
    for root, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root) / name
            if name.lower().endswith(".md") and not name.startswith(".") and not path.is_symlink():
                yield path


def note_text(path: Path) -> str:
    """The text of a Markdown file."""
    try:
        if path.stat().st_size > MAX_NOTE_BYTES:
            raise ImportFailed(f"{path} is larger than 16 MB; split it.")
        return path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read ({error.strerror}); check it.") from None


def elements(file: IO[str], where: str) -> Iterator[Any]:
    """The elements of a JSON array of any size, each parsed when it is reached."""
    decoder = json.JSONDecoder()
    buffer, at = file.read(_BLOCK_CHARS), 0
    at = _next(buffer, at)
    if buffer[at : at + 1] != "[":
        raise ImportFailed(f"{where} is no JSON array; export it again.")
    at += 1
    wanted = _BLOCK_CHARS
    while True:
        at = _next(buffer, at, ",")
        if buffer[at : at + 1] == "]":
            return
        try:
            element, end = decoder.raw_decode(buffer, at)
            # A number at the end of what was read may go on.
            complete = end < len(buffer)
        except (json.JSONDecodeError, RecursionError):
            complete = False
        if complete:
            yield element
            at, wanted = end, _BLOCK_CHARS
            continue
        more = file.read(wanted)
        if not more:
            raise ImportFailed(f"{where} ends in the middle or is damaged; export it again.")
        buffer, at, wanted = buffer[at:] + more, 0, wanted * 2


def _next(text: str, at: int, also: str = "") -> int:
    while at < len(text) and (text[at] in " \t\r\n\ufeff" or text[at] in also):
        at += 1
    return at
