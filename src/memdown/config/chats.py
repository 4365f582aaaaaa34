"""Who asks: the kind of chat a question comes from, and the key of its session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memdown.errors import ConfigError, QueryError

ChatType = Literal["direct", "group", "channel"]
CHAT_TYPES: tuple[ChatType, ...] = get_args(ChatType)
CHAT_VARIABLE, KEY_VARIABLE = "MEMDOWN_CHAT", "MEMDOWN_SESSION_KEY"


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a question was asked; `key` is the session's key without its agent's part.

    `also` is another type that it was said to have: then both must be allowed.
    """

    kind: ChatType = "direct"
    channel: str | None = None
    key: str = ""
    raw_key: str = ""
    also: ChatType | None = None

    @property
    def is_direct(self) -> bool:
        """Whether nobody else reads along."""
        return self.kind == "direct" and self.also is None


def chat_of(kind: str = "direct", session_key: str | None = None) -> Chat:
    """A chat by its type and, if there is one, by its session's key; the stricter one counts.

    A group stays a group whatever its key looks like. Keys read
    `agent:<agent>:<channel>:<type>:<id>`, or `agent:<agent>:main` for the owner's own.
    """
    told = next((one for one in CHAT_TYPES if one == kind), None)
    if told is None:
        raise QueryError(f"{kind[:40]!r} is no kind of chat; use one of {', '.join(CHAT_TYPES)}.")
    if not session_key:
        return Chat(told)
    raw = session_key.strip().lower()
    parts = raw.split(":")
    if parts[0] == "agent" and len(parts) > 2:
        parts = parts[2:]
    found: ChatType = next(
        (one for part in parts[1:] for one in CHAT_TYPES[1:] if one == part), "direct"
    )
    channel = parts[0] if len(parts) > 1 else None
    also = told if told not in ("direct", found) else None
    if also and found == "direct":
        found, also = also, None
    return Chat(found, channel, ":".join(parts), raw, also)


def chat_in(environ: Mapping[str, str]) -> Chat:
    """The chat that whoever started this program says it is for."""
    kind = environ.get(CHAT_VARIABLE, "").strip().lower() or "direct"
    try:
        return chat_of(kind, environ.get(KEY_VARIABLE, "").strip() or None)
    except QueryError as error:
        raise ConfigError(f"{CHAT_VARIABLE}: {error}") from None
