"""What an import brings in: notes, transcripts and settings, each made when it is needed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from memdown.text.redaction import Redactor
from memdown.types import Failure

Kind = Literal["note", "transcript", "settings"]
_TURNS_AT_ONCE = 256
_UNSAFE = re.compile(r"[^\w.@+=-]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One file to be made: a note of the workspace, a transcript of an agent, or the settings.

    `name` is where it goes: below the workspace, the sessions folder or the state folder.
    """

    kind: Kind
    origin: str
    name: str
    content: Callable[[], Iterator[bytes]]
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a source holds, and what of it cannot be used."""

    items: tuple[Item, ...] = ()
    problems: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a foreign conversation."""

    role: Literal["user", "assistant"]
    text: str
    time: str | int | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """A foreign conversation; `turns` reads it."""

    id: str
    origin: str
    turns: Callable[[], Iterator[Said]]
    facts: dict[str, Any] = field(default_factory=dict)


def transcript(source: str, talk: Talk, agent: str | None = None) -> Item:
    """A conversation as a transcript of ours: a line of facts, a line a turn, no secrets."""

    def content() -> Iterator[bytes]:
        head = {
            "type": "session",
            "version": 3,
            "id": talk.id,
            **talk.facts,
            "origin": {"source": source, "path": talk.origin},
        }
        yield _line(head)
        redactor = Redactor()
        for turns in _batches(talk.turns()):
            texts = redactor.redact_all([turn.text for turn in turns])
            for turn, text in zip(turns, texts, strict=True):
                entry: dict[str, Any] = {"type": "message"}
                if turn.time is not None:
                    entry["timestamp"] = turn.time
                content = [{"type": "text", "text": text}]
                yield _line({**entry, "message": {"role": turn.role, "content": content}})

    return Item("transcript", talk.origin, f"{source}-{distinct(talk.id)}.jsonl", content, agent)


def note(source: str, origin: str, name: str, text: Callable[[], str]) -> Item:
    """A Markdown file as a note under `memory/imports/<source>/`, with its origin in a comment."""

    def content() -> Iterator[bytes]:
        yield with_origin(text(), source, origin).encode("utf-8", "replace")

    return Item("note", origin, f"memory/imports/{source}/{name}", content)


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


def _batches(turns: Iterable[Said]) -> Iterator[list[Said]]:
    iterator = iter(turns)
    while batch := list(islice(iterator, _TURNS_AT_ONCE)):
        yield batch


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"
