"""Words that were erased, kept as digests without content, so that nothing brings them back.

A tombstone is a salted digest of the words and their number. Texts that are written, imported or
indexed are compared with all tombstones; the words themselves stand nowhere.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from memdown.errors import WorkspaceError
from memdown.files import make_folder
from memdown.text.scripts import fold
from memdown.values import dataclass

ERASED: Final = "[erased]"
ERASED_FILE: Final = "erased.jsonl"
# Scripts without spaces are compared character by character.
_TOKEN: Final = re.compile(r"[^\W\u0e00-\u0eff\u2e80-\U0010ffff]+|\w")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The digest of some erased words, how many they were, and when they were erased."""

    id: str
    day: str
    count: int
    salt: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


def tombstone_file(lock_dir: Path) -> Path:
    """Where the tombstones of a state folder lie."""
    return lock_dir.parent / ERASED_FILE


def bury(file: Path, words: str, today: datetime.date) -> Tombstone:
    """Add a tombstone for words that were erased; the one that is there if there is one."""
    tokens = [token.text for token in _tokens(words)]
    if not tokens:
        raise WorkspaceError("There are no words to erase; give some.")
    for known in read_tombstones(file):
        if known.count == len(tokens) and _digest(known.salt, tokens) == known.digest:
            return known
    salt = secrets.token_hex(16)
    made = Tombstone(
        secrets.token_hex(4), today.isoformat(), len(tokens), salt, _digest(salt, tokens)
    )
    make_folder(file.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, json.dumps(asdict(made)).encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return made


def read_tombstones(file: Path) -> tuple[Tombstone, ...]:
    """All tombstones; a line that cannot be read is passed over."""
    try:
        facts = file.stat()
    except OSError:
        return ()
    return _read(file, facts.st_mtime_ns, facts.st_size)


def scrub(text: str, tombstones: tuple[Tombstone, ...]) -> str:
    """A text with erased words replaced by a mark; its lines stay where they are."""
    if not tombstones:
        return text
    spans = list(_spans(text, tombstones))
    for start, end in sorted(spans, reverse=True):
        breaks = "\n" * text.count("\n", start, end)
        text = f"{text[:start]}{ERASED}{breaks}{text[end:]}"
    return text


def refuse_erased(text: str, tombstones: tuple[Tombstone, ...]) -> None:
    """Raise an error if a text holds words that were erased."""
    if tombstones and next(_spans(text, tombstones), None) is not None:
        raise WorkspaceError(
            "This holds words that were erased for good, so it was not written; say it without them, "
            "or delete the line of that day in erased.jsonl of the state folder first."
        )


def _spans(text: str, tombstones: tuple[Tombstone, ...]) -> Iterator[tuple[int, int]]:
    tokens = list(_tokens(text))
    for stone in tombstones:
        last = 0
        for at in range(len(tokens) - stone.count + 1):
            window = tokens[at : at + stone.count]
            if window[0].start < last:
                continue
            if _digest(stone.salt, [token.text for token in window]) == stone.digest:
                last = window[-1].end
                yield window[0].start, last


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        yield _Token(fold(match[0]), match.start(), match.end())


def _digest(salt: str, tokens: list[str]) -> str:
    joined = " ".join(tokens).encode("utf-8", "replace")
    return hashlib.blake2b(joined, key=bytes.fromhex(salt), digest_size=20).hexdigest()


@functools.lru_cache(maxsize=8)
def _read(file: Path, _changed: int, _size: int) -> tuple[Tombstone, ...]:
    found = []
    for line in file.read_text("utf-8", "replace").splitlines():
        try:
            found.append(Tombstone(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return tuple(found)
