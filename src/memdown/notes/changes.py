"""What one change of a note is, and what is kept of its text (pure functions).

A change is kept as the bytes between the first and the last line that differ. Secrets are not kept: their
bytes are zeros there.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.text.redaction.finding import Span

# A larger note is recorded without its text.
MOST_NOTE: Final = 1024 * 1024
# So many lines around a change are looked at with it for secrets.
_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class By:
    """Who changes something: a person, an agent, an import; and in which session, at which line.

    What one act does to several notes has `together` in common.
    """

    actor: str = "memdown"
    session: str = ""
    together: str = ""


SELF: Final = By()


def one_act(by: By) -> By:
    """The same one, for changes of several notes that belong together."""
    return By(by.actor, by.session, uuid.uuid4().hex)


OUTSIDE: Final = By("outside")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one note.

    `removed` stood at byte `at` before, `added` stands there since. `before` and `after` are the
    digests of the whole note; an empty one means that there was no note. `undoes` is the number of
    the change that this one took back. `whole` is False where the note was too large to keep.
    Changes of several notes that one act made have the same `together`; they are taken back together.
    """

    id: int
    time: datetime.datetime
    actor: str
    session: str
    path: str
    at: int
    removed: bytes
    added: bytes
    before: str
    after: str
    undoes: int = 0
    whole: bool = True
    together: str = ""

    @property
    def kind(self) -> str:
        """What happened to the note: `created`, `removed` or `changed`."""
        return "created" if not self.before else "changed" if self.after else "removed"

    @property
    def removed_text(self) -> str:
        """The lines that went, as text; secrets as dots."""
        return _shown(self.removed)

    @property
    def added_text(self) -> str:
        """The lines that came, as text; secrets as dots."""
        return _shown(self.added)


@dataclass(frozen=True, slots=True)
class Delta:
    """The lines between the first and the last that differ in two versions, as bytes."""

    at: int
    removed: bytes
    added: bytes


def delta(before: bytes, after: bytes) -> Delta:
    """What differs between two versions, in whole lines."""
    start = _common(before, after)
    start = before.rfind(b"\n", 0, start) + 1
    most = min(len(before), len(after)) - start
    end = _common(before[::-1][:most], after[::-1][:most])
    # The last lines count from a line break on.
    if end:
        tail = before[len(before) - end :]
        cut = tail.find(b"\n") + 1
        behind_break = all(
            len(text) == end or text[len(text) - end - 1 : len(text) - end] == b"\n"
            for text in (before[start:], after[start:])
        )
        end = end if behind_break else len(tail) - cut if cut else 0
    return Delta(start, before[start : len(before) - end], after[start : len(after) - end])


def masked(data: bytes) -> bytes:
    """The bytes with those of secrets as zeros, which no note holds."""
    from memdown.text.redaction.conversation import Redactor

    found = Redactor().find_all([data])[0]
    return _blanked(data, found) if found else data


def masked_all(notes: Sequence[bytes]) -> list[bytes]:
    """Each note for itself as `masked` makes it, several times faster than one by one."""
    from memdown.text.redaction.finding import find_all

    found, _ = find_all(notes)
    return [masked(data) if spans else data for data, spans in zip(notes, found, strict=True)]


def _blanked(data: bytes, found: Sequence[Span]) -> bytes:
    clean = bytearray(data)
    for start, end, _ in found:
        clean[start:end] = bytes(end - start)
    return bytes(clean)


def kept_bytes(data: bytes) -> bytes:
    """What the journal keeps of a version: all of it without secrets; nothing of a note that is too long."""
    return masked(data) if len(data) <= MOST_NOTE else b""


def spliced(kept: bytes, before: bytes, after: bytes) -> bytes:
    """The new version as it is kept, from the old one: only what is new is looked at for secrets.

    Lines around it are looked at with it, since a secret may be named on one line and follow on another.
    """
    if len(kept) != len(before) or len(after) > MOST_NOTE:
        return kept_bytes(after)
    change = delta(before, after)
    behind = change.at + len(change.removed)
    ahead = _lines_back(before, change.at)
    tail = before[behind : _lines_on(before, behind)]
    clean = masked(before[ahead : change.at] + change.added + tail)
    start = change.at - ahead
    return kept[: change.at] + clean[start : start + len(change.added)] + kept[behind:]


def _lines_back(data: bytes, at: int) -> int:
    for _ in range(_AROUND):
        at = data.rfind(b"\n", 0, max(0, at - 1)) + 1
    return at


def _lines_on(data: bytes, at: int) -> int:
    for _ in range(_AROUND):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


def _common(one: bytes, other: bytes) -> int:
    """The length of what two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shown(data: bytes) -> str:
    return data.replace(b"\0", b"\xc2\xb7").decode("utf-8", "replace")
