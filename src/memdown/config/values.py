"""The small values that settings are made of: secrets, durations, the chat that asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from memdown.errors import ConfigError, QueryError
from memdown.validation import WrittenAsText
from memdown.values import dataclass, pattern

_DURATION = pattern(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|s|m|h|d))+|[0-9]{1,9}")
_DURATION_PART = pattern(r"([0-9.]+)(ms|s|m|h|d)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Secret:
    """A text that never shows itself: not in logs, errors, tracebacks or `repr`.

    A plain class, because `dataclasses.asdict` would open a dataclass and copy the text out.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(set)"

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))


@dataclass(frozen=True, slots=True)
class Duration(WrittenAsText):
    """A span of time as it is written in the file: `5m`, `90s`, `1h30m`; a bare number is minutes."""

    text: str

    def __post_init__(self) -> None:
        if not _DURATION.fullmatch(self.text.strip()):
            raise ValueError("a time such as 30s, 5m or 1h30m")

    @property
    def seconds(self) -> float:
        """The span in seconds; 0 means never."""
        parts = _DURATION_PART.findall(self.text)
        return sum(float(number) * _SECONDS[unit or "m"] for number, unit in parts)


def about(
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    zero_is_default: bool = False,
    path: bool = False,
) -> dict[str, object]:
    """What a field says of itself: its meaning and, for a number, its limits.

    `low` and `high` are limits a value is moved to; a negative value, or one not above `above`,
    is an error. In a `path`, `~` is expanded.
    """
    facts: dict[str, object] = {"description": meaning}
    if low is not None or high is not None:
        facts |= {"ge": 0, "low": low, "high": high}
    if above is not None:
        facts["gt"] = above
    return facts | {"zero_is_default": zero_is_default, "path": path}


class Shared:
    """For settings that stand among keys of other programs: an unknown key is left alone."""

    __slots__ = ()


ChatType = Literal["direct", "group", "channel"]
CHAT_TYPES: tuple[ChatType, ...] = get_args(ChatType)
# What a session's key calls a talk with one person, and who begins one without anybody else reading along.
_DIRECT = frozenset({"direct", "dm"})
_OWN = frozenset({"main", "subagent", "cron", "hook", "acp"})
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
    `agent:<agent>:<channel>:<type>:<id>`, or `agent:<agent>:main` for the owner's own; a type that is
    not known, such as a guild, counts as a group.
    """
    known = next((one for one in CHAT_TYPES if one == kind), None)
    if known is None:
        raise QueryError(f"{kind[:40]!r} is no kind of chat; use one of {', '.join(CHAT_TYPES)}.")
    if not session_key:
        return Chat(known)
    raw = session_key.strip().lower()
    parts = raw.split(":")
    if parts[0] == "agent" and len(parts) > 2:
        parts = parts[2:]
    found: ChatType = next(
        (one for part in parts[1:] for one in CHAT_TYPES[1:] if one == part),
        "direct" if _is_of_one(parts) else "group",
    )
    channel = parts[0] if len(parts) > 1 else None
    also = known if known not in ("direct", found) else None
    if also and found == "direct":
        found, also = also, None
    return Chat(found, channel, ":".join(parts), raw, also)


def _is_of_one(parts: Sequence[str]) -> bool:
    """Whether a key without a type that is shared is one person's: what is not known may be a guild or a room."""
    return len(parts) < 3 or parts[0] in _OWN or not _DIRECT.isdisjoint(parts[1:])


def chat_in(environ: Mapping[str, str]) -> Chat:
    """The chat that whoever started this program says it is for."""
    kind = environ.get(CHAT_VARIABLE, "").strip().lower() or "direct"
    try:
        return chat_of(kind, environ.get(KEY_VARIABLE, "").strip() or None)
    except QueryError as error:
        raise ConfigError(f"{CHAT_VARIABLE}: {error}") from None
