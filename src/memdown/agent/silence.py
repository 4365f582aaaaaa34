"""`NO_REPLY`: what a model says when the user should hear nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

NO_REPLY = "NO_REPLY"


def spoken(text: str) -> str:
    """The text to deliver: nothing if it starts with NO_REPLY."""
    return "".join(spoken_deltas([text]))


def spoken_deltas(deltas: Iterable[str]) -> Iterator[str]:
    """Pass streamed text on, unless it turns out to start with NO_REPLY.

    Text is held back only as long as it may still become NO_REPLY, however it is cut up.
    """
    gate = ReplyGate()
    for delta in deltas:
        if ready := gate.push(delta):
            yield ready
    if rest := gate.finish():
        yield rest


class ReplyGate:
    """Holds the beginning of a streamed reply until it is clear whether it may be heard."""

    __slots__ = ("_held", "_open", "silent")

    def __init__(self) -> None:
        self.silent = False
        self._open = False
        self._held = ""

    def push(self, delta: str) -> str:
        """Take some more text; what may be delivered now."""
        if self._open:
            return delta
        if self.silent:
            return ""
        self._held += delta
        beginning = self._held.lstrip()
        if beginning.startswith(NO_REPLY):
            self.silent = True
            return ""
        if NO_REPLY.startswith(beginning):
            return ""
        self._open = True
        return self._held

    def finish(self) -> str:
        """The reply is over; what was held back and may be delivered after all."""
        if self._open or self.silent:
            return ""
        return self._held if self._held.strip() else ""
