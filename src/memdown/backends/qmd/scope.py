"""Which chats may see what `qmd` finds: the first rule that matches decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memdown.config.qmd_settings import QmdMatch, QmdScope

_KINDS = {"group": "group", "channel": "channel"}


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a question was asked; `key` is the session's key without its agent's part.

    `also` is another type that it was said to have: then both must be allowed.
    """

    kind: str = "direct"
    channel: str | None = None
    key: str = ""
    raw_key: str = ""
    also: str | None = None


def chat_of(kind: str = "direct", session_key: str | None = None) -> Chat:
    """A chat by its type and, if there is one, by its session's key; the stricter one counts.

    A group stays a group whatever its key looks like. Keys read `agent:<agent>:<channel>:<type>:<id>`, or `agent:<agent>:main` for the owner's own.
    """
    if not session_key:
        return Chat(kind)
    raw = session_key.strip().lower()
    parts = raw.split(":")
    if parts[0] == "agent" and len(parts) > 2:
        parts = parts[2:]
    found = next((_KINDS[part] for part in parts[1:] if part in _KINDS), "direct")
    channel = parts[0] if len(parts) > 1 else None
    also = kind if kind != "direct" and kind != found else None
    if also and found == "direct":
        found, also = also, None
    return Chat(found, channel, ":".join(parts), raw, also)


def is_allowed(scope: QmdScope, chat: Chat) -> bool:
    """Whether this chat may see results."""
    if chat.also and not is_allowed(scope, replace(chat, kind=chat.also, also=None)):
        return False
    for rule in scope.rules:
        if _matches(rule.match, chat):
            return rule.action == "allow"
    return scope.default == "allow"


def _matches(match: QmdMatch, chat: Chat) -> bool:
    return (
        match.chat_type in (None, chat.kind)
        and (match.channel is None or match.channel.lower() == chat.channel)
        and chat.key.startswith((match.key_prefix or "").lower())
        and chat.raw_key.startswith((match.raw_key_prefix or "").lower())
    )
