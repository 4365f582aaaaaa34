"""A conversation on disk: its history in the session store, what was said in a transcript."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memdown.agent.flush import FlushState, workspace_access
from memdown.agent.turns import Message, ToolCall, Usage
from memdown.config import Settings
from memdown.errors import WorkspaceError
from memdown.files import make_folder
from memdown.transcripts import sessions
from memdown.transcripts.reading import sessions_folder
from memdown.transcripts.sessions.entries import StoredToolCall, StoredUsage, ThinkingBlock
from memdown.transcripts.sessions.store import bring_over

_ROLES = ("system", "user", "assistant", "tool")


class SavedSession:
    """One session: every message is on disk before the next one is asked for."""

    def __init__(self, settings: Settings, session_id: str | None = None) -> None:
        self._settings = settings
        self._store = _store(settings)
        entry = self._store.get(session_id) if session_id else self._of_chat()
        self.id = entry.session_id
        self._transcript = self._store.folder / f"{self.id}.jsonl"

    def _of_chat(self) -> sessions.SessionEntry:
        """The session of the group or channel that this chat is in; else a new one."""
        chat = self._settings.chat
        if chat.kind != "direct":
            key = _group_key(self._settings)
            found = self._store.for_key(key, chat=chat.kind, channel=chat.channel)
            if found is not None:
                return found
        return self._store.create(channel="cli")

    @property
    def entry(self) -> sessions.SessionEntry:
        """What the session store knows of this session."""
        return self._store.get(self.id)

    def messages(self) -> list[Message]:
        """The conversation as a model gets it: the last summary, then what came after it."""
        history = self._store.history(self.id)
        summary = [Message("system", one.content) for one in history.compacted_history[-1:]]
        return [*summary, *complete([_from_stored(one) for one in history.messages])]

    def add(self, message: Message) -> None:
        """Save a message."""
        self._store.append(self.id, _to_stored(message))
        if message.text.strip() and message.role in ("user", "assistant"):
            _append_line(self._transcript, _transcript_line(message))

    def count(self, usage: Usage | None, context_tokens: int) -> None:
        """Keep account of the tokens: those of all turns, and those in the context now."""
        entry = self.entry
        used = usage or Usage(0, 0)
        self._store.update(
            self.id,
            input_tokens=(entry.input_tokens or 0) + used.input_tokens,
            output_tokens=(entry.output_tokens or 0) + used.output_tokens,
            total_tokens=context_tokens,
        )

    def compact(self, summary: str, keep: int) -> None:
        """Put a summary in the place of all but the last `keep` stored messages."""
        self._store.compact(self.id, summary, keep=keep)

    def flush_state(self, tokens: int, window: int, *, overflowed: bool) -> FlushState:
        """What decides whether memories are saved now."""
        entry = self.entry
        return FlushState(
            tokens=tokens,
            context_window=window,
            compaction_count=entry.compaction_count or 0,
            flushed_count=entry.memory_flush_compaction_count,
            access=(
                workspace_access(self._settings.workspace)
                if self._settings.access == "rw"
                else self._settings.access
            ),
            overflowed=overflowed,
        )

    def flushed(self) -> None:
        """Note that memories were saved in this compaction cycle."""
        self._store.update(
            self.id,
            memory_flush_at=_now(),
            memory_flush_compaction_count=self.entry.compaction_count or 0,
        )


def latest_session(settings: Settings) -> str | None:
    """The id of the session that was last active in this terminal chat."""
    store, chat = _store(settings), settings.chat
    if chat.kind != "direct":
        found = store.for_key(_group_key(settings), chat=chat.kind, create=False)
        return found.session_id if found else None
    entries = store.list().entries
    return next((entry.session_id for entry in entries if entry.channel == "cli"), None)


def _group_key(settings: Settings) -> str:
    """The key of the group or channel that a chat is in; one without a name has the terminal's."""
    chat = settings.chat
    return chat.raw_key or f"agent:{settings.agent}:terminal:{chat.kind}"


def _store(settings: Settings) -> sessions.SessionStore:
    """The agent's own sessions; no agent sees another's."""
    bring_over(settings.state_dir, settings.agent)
    return sessions.SessionStore(sessions_folder(settings.state_dir, settings.agent))


def complete(messages: Sequence[Message]) -> list[Message]:
    """Messages without calls whose results are missing, as a killed process leaves them."""
    answered = {message.call_id for message in messages if message.role == "tool"}
    kept = []
    for message in messages:
        calls = tuple(call for call in message.calls if call.id in answered)
        if message.role == "assistant" and not calls and not message.text:
            continue
        kept.append(replace(message, calls=calls))
    called = {call.id for message in kept for call in message.calls}
    return [m for m in kept if m.role != "tool" or m.call_id in called]


def _to_stored(message: Message) -> sessions.StoredMessage:
    usage = message.usage
    calls = tuple(
        StoredToolCall(one.id, one.name, _arguments(one.arguments)) for one in message.calls
    )
    return sessions.StoredMessage(
        message.role,
        message.text,
        timestamp=_now(),
        usage=StoredUsage(usage.input_tokens, usage.output_tokens) if usage else None,
        thinking_blocks=(ThinkingBlock(content=message.thinking),) if message.thinking else (),
        tool_calls=calls,
        tool_call_id=message.call_id or None,
        name=message.name or None,
    )


def _from_stored(stored: sessions.StoredMessage) -> Message:
    content = stored.content
    if not isinstance(content, str):
        pieces = (block.get("text") for block in content if isinstance(block, dict))
        content = "\n".join(piece for piece in pieces if isinstance(piece, str))
    role = next((role for role in _ROLES if role == stored.role), "user")
    calls = tuple(
        ToolCall(one.id, one.name, json.dumps(one.arguments, ensure_ascii=False))
        for one in stored.tool_calls
    )
    used = stored.usage
    return Message(
        role,  # type: ignore[arg-type]
        content,
        calls,
        stored.tool_call_id or "",
        stored.name or "",
        Usage(used.input_tokens or 0, used.output_tokens or 0) if used else None,
        "\n\n".join(block.content for block in stored.thinking_blocks),
    )


def _arguments(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text or "{}")
    except ValueError:
        given = None
    return given if isinstance(given, dict) else {"unreadable": text[:1000]}


def _transcript_line(message: Message) -> dict[str, Any]:
    content = [{"type": "text", "text": message.text}]
    inner = {"role": message.role, "content": content}
    return {"type": "message", "timestamp": _now(), "message": inner}


def _append_line(file: Path, entry: dict[str, Any]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        make_folder(file.parent)
        descriptor = os.open(file, flags, 0o600)
        with os.fdopen(descriptor, "ab") as handle:
            handle.write(json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    except OSError as error:
        raise WorkspaceError(
            f"{file} cannot be written ({error.strerror}); check the disk."
        ) from None


def _now() -> int:
    return time.time_ns() // 1_000_000
