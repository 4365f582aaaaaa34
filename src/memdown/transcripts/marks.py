"""How far a transcript was read, and whether what was read is still what stands there.

A mark is kept in the index as the file's digest, so it is written together with the rows it
describes: a crash can never leave one without the other.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

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
