"""Looking for words in files byte by byte, and blanking them there."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memdown.errors import WorkspaceError

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Needles:
    """A pattern for some words in bytes: as UTF-8 and as JSON escapes them, in any case."""

    pattern: re.Pattern[bytes]


def text_pattern(words: str) -> re.Pattern[str]:
    """A pattern for some words in text: any case, any white space between them."""
    return re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)


def needles_of(words: str) -> Needles:
    """How words may stand in a file."""
    forms = {form for case in (words, words.lower(), words.upper()) for form in _forms(case)}
    patterns = [
        rb"\s+".join(re.escape(part) for part in form.split(b" "))
        for form in sorted(forms, key=len, reverse=True)
    ]
    return Needles(re.compile(b"|".join(patterns), re.IGNORECASE))


def _forms(words: str) -> Iterator[bytes]:
    plain = " ".join(words.split())
    yield plain.encode("utf-8")
    yield json.dumps(plain)[1:-1].encode()
    yield json.dumps(plain, ensure_ascii=False)[1:-1].encode("utf-8")


def lines_holding(file: Path, needles: Needles) -> list[int]:
    """The lines of a file that hold the words; 0 stands for a place in a binary file."""
    try:
        data = file.read_bytes()
    except OSError:
        return []
    found = [match.start() for match in needles.pattern.finditer(data)]
    if b"\0" in data[:4096]:
        return [0] if found else []
    return [data.count(b"\n", 0, start) + 1 for start in found]


def blank_in_file(file: Path, needles: Needles, mark: str) -> int:
    """Replace the words in a file of text by a mark, line for line; how often they stood there.

    The new version takes the old one's place in one step; if someone wrote meanwhile, it is tried again.
    """
    for _ in range(_TRIES):
        try:
            before = file.stat()
            data = file.read_bytes()
        except OSError:
            return 0
        clean, count = needles.pattern.subn(mark.encode(), data)
        if not count:
            return 0
        draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}.tmp")
        try:
            draft.write_bytes(clean)
            draft.chmod(before.st_mode & 0o7777)
            now = file.stat()
            if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                continue
            draft.replace(file)
            return count
        except OSError as error:
            raise WorkspaceError(
                f"{file} cannot be rewritten ({error.strerror}); make its folder writable and try again."
            ) from None
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
    raise WorkspaceError(f"{file} is being written all the time; end that program and try again.")
