"""What reaches a terminal: text, never commands to it that stand in a note or a file name.

A terminal obeys control characters: they clear the screen, rename the window or write over lines
that are there. Everything that the command line prints to a terminal goes through `guarded`, so no
command has to think of it. What Memdown itself sends, such as colours, is wrapped by `own`.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from memdown.types import Progress, ProgressCallback

# No note can hold it, so nothing in a note passes for a sequence of our own.
_MARK = os.urandom(12).hex()
_OWN = re.compile(f"{_MARK}(.*?){_MARK}", re.DOTALL)
# The progress bar.
_CLEAR = "\r\033[K"
_WIDTH = 24
_EVERY_SECONDS = 0.1
_QUIET_SECONDS = 0.5
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

# Shown by their codes: control characters (in C0 and C1), line separators, bidirectional overrides
# and isolates. The forms of those that JSON text may hold are JSON's own.
_SHOWN = {
    **{code: f"\\x{code:02x}" for code in range(0x20) if chr(code) not in "\n\t"},
    **{
        code: f"\\u{code:04x}"
        for code in (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
    },
    # The marks that only hint at a direction are common in Hebrew and Arabic; nothing is lost.
    **dict.fromkeys((0x061C, 0x200E, 0x200F), ""),
}


def terminal_columns() -> int:
    """How wide the terminal is."""
    # Brings the compressors with it; what is not printed to a terminal needs none of that.
    import shutil

    return shutil.get_terminal_size().columns


class Guarded:
    """A stream to a terminal that shows what a terminal would obey."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text harmlessly, and what `own` wrapped as it is."""
        pieces = _OWN.split(text)
        pieces[::2] = map(harmless, pieces[::2])
        self._stream.write("".join(pieces))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def harmless(text: str) -> str:
    """The text with every character that a terminal would obey shown by its code."""
    text = text.replace("\r\n", "\n").translate(_SHOWN)
    # Half a character cannot be encoded; a file name may hold one.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def guarded() -> Iterator[None]:
    """Guard standard output and standard error where they are terminals."""
    before = sys.stdout, sys.stderr
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = Guarded(sys.stdout)
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr = Guarded(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def own(sequence: str, stream: object) -> str:
    """A control sequence of our own, in the form that reaches the terminal behind `stream`."""
    return f"{_MARK}{sequence}{_MARK}" if isinstance(stream, Guarded) else sequence


def colours() -> bool:
    """Whether standard output can show colours and wants to."""
    return isinstance(sys.stdout, Guarded) and not os.environ.get("NO_COLOR")


def style(text: str, *names: str) -> str:
    """The text in a colour, bold or dim, where standard output shows that."""
    if not text or not colours():
        return text
    codes = ";".join(_CODES[name] for name in names)
    return own(f"\033[{codes}m", sys.stdout) + text + own("\033[0m", sys.stdout)


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """A callback that draws the progress on standard error, once the work is not a short one."""
    start = time.monotonic()
    drawn = 0.0
    over = False

    def draw(progress: Progress) -> None:
        nonlocal drawn
        now = time.monotonic()
        # A search does not wait for long indexing, which then goes on behind it.
        if over or now - start < _QUIET_SECONDS or now - drawn < _EVERY_SECONDS:
            return
        drawn = now
        line = bar_line(progress, now - start)
        shown = line[: terminal_columns() - 1]
        sys.stderr.write(own(_CLEAR, sys.stderr) + shown)
        sys.stderr.flush()

    def ignore(progress: Progress) -> None:
        """Nobody is looking."""

    try:
        yield draw if sys.stderr.isatty() else ignore
    finally:
        over = True
        if drawn:
            sys.stderr.write(own(_CLEAR, sys.stderr))
            sys.stderr.flush()


def bar_line(progress: Progress, seconds: float) -> str:
    """The bar with count, rate and remaining time."""
    share = progress.completed / progress.total if progress.total else 1.0
    rate = progress.completed / seconds if seconds > 0 else 0.0
    left = f"{(progress.total - progress.completed) / rate:.0f} s left" if rate else "starting"
    bar = "█" * int(share * _WIDTH) + "░" * (_WIDTH - int(share * _WIDTH))
    return (
        f"Indexing {bar} {progress.completed}/{progress.total} files, "
        f"{rate:.0f}/s, {left}  {progress.label}"
    )
