"""Named points at which a test can let the process die; they do nothing for anyone else.

With `MEMDOWN_FAILPOINT=rebuild.before_flip` in the environment the process kills itself, as by
`kill -9`, when it gets to that point; with `rebuild.file:3` when it gets there the third time.
"""

from __future__ import annotations

import os
import signal

VARIABLE = "MEMDOWN_FAILPOINT"


def _wanted(text: str) -> tuple[str, int]:
    name, _, count = text.partition(":")
    return name, int(count) if count.isdigit() else 1


_NAME, _left = _wanted(os.environ.get(VARIABLE, ""))


def reach(name: str) -> None:
    """Say that this point is reached; here the process ends if a test asked for it."""
    global _left
    if name != _NAME:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
