"""Reading foreign files: line by line, element by element, never more than needed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from memdown.errors import ImportFailed
from memdown.transcripts.lines import read_lines
from memdown.transcripts.messages import BrokenLine, parse_entry

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
