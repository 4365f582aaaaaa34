"""All conversations of an agent side by side: transcripts, chats and groups."""

from __future__ import annotations

import contextlib
import datetime
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memdown.errors import NoteNotFound, SessionError, SessionNotFound
from memdown.text.redaction import Redactor, redact
from memdown.transcripts import TranscriptTurn, read_turns, scan_transcripts
from memdown.transcripts.messages import BrokenLine, parse_entry, text_of
from memdown.transcripts.reading import count_lines
from memdown.transcripts.sessions.entries import SessionEntry, StoredMessage
from memdown.transcripts.sessions.store import SessionStore
from memdown.types import Failure


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """One turn that holds the text, and the turns before and after it."""

    path: str
    turn: TranscriptTurn
    before: tuple[TranscriptTurn, ...]
    after: tuple[TranscriptTurn, ...]


def recall(
    folder: Path, text: str, *, context: int = 2, limit: int = 20, session: str | None = None
) -> list[FoundTurn]:
    """Every turn that holds `text`, whatever its case and spacing, newest transcripts first.

    Secrets are redacted before the search, so nobody can look for one.
    """
    wanted = _folded(text)
    if not wanted:
        return []
    files = scan_transcripts(folder).files
    newest = sorted(files.values(), key=lambda file: (-file.mtime_ns, file.path))
    found: list[FoundTurn] = []
    for file in newest:
        if session and file.path != f"sessions/{session.removesuffix('.jsonl')}.jsonl":
            continue
        for hit in _within(folder, file.path, wanted, context):
            found.append(hit)
            if len(found) >= limit:
                return found
    return found


def messages_around(folder: Path, path: str, line: int, count: int) -> list[TranscriptTurn]:
    """The turn at a line of a transcript, and about `count` in all around it, secrets redacted.

    A line that holds no turn means the one before it.
    """
    half = max(0, count - 1) // 2
    before: deque[TranscriptTurn] = deque(maxlen=half + 1)
    after: list[TranscriptTurn] = []
    for turn in read_turns(str(folder), path):
        if turn.line <= line or not before:
            before.append(turn)
        else:
            after.append(turn)
            if len(after) >= half:
                break
    return [*before, *after]


def _within(folder: Path, path: str, wanted: str, context: int) -> Iterator[FoundTurn]:
    before: deque[TranscriptTurn] = deque(maxlen=context)
    open_hits: deque[tuple[TranscriptTurn, tuple[TranscriptTurn, ...], list[TranscriptTurn]]] = (
        deque()
    )
    for turn in read_turns(str(folder), path):
        for hit in open_hits:
            hit[2].append(turn)
        while open_hits and len(open_hits[0][2]) >= context:
            yield _closed(path, open_hits.popleft())
        if wanted in _folded(turn.text):
            if context:
                open_hits.append((turn, tuple(before), []))
            else:
                yield FoundTurn(path, turn, (), ())
        before.append(turn)
    while open_hits:
        yield _closed(path, open_hits.popleft())


def _closed(
    path: str, hit: tuple[TranscriptTurn, tuple[TranscriptTurn, ...], list[TranscriptTurn]]
) -> FoundTurn:
    return FoundTurn(path, hit[0], hit[1], tuple(hit[2]))


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


Kind = Literal["transcript", "chat", "group"]
_TITLE_CHARS = 80
_HEAD_BYTES = 65_536
_CHATS = ("direct", "group", "channel")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation on disk; `title` is how it began, `skipped` counts unusable lines.

    `chat` and `key` tell where it was held: alone with the owner, in a group or a channel; `channel`
    by which program.
    """

    id: str
    kind: Kind
    path: str
    messages: int
    updated: int
    size: int
    title: str
    skipped: int = 0
    chat: str = "direct"
    key: str = ""
    channel: str = ""


def conversations(folder: Path) -> tuple[list[Conversation], list[Failure]]:
    """Every conversation, the last active first, and what cannot be read."""
    transcripts = scan_transcripts(folder)
    found: list[Conversation] = []
    problems = list(transcripts.problems)
    for path, state in transcripts.files.items():
        counted = count_lines(str(folder), path)
        found.append(
            Conversation(
                path.removeprefix("sessions/").removesuffix(".jsonl"),
                "transcript",
                path,
                counted.messages,
                counted.time or state.mtime_ns // 1_000_000,
                state.size,
                _title(counted.first),
                counted.skipped,
            )
        )
    store = SessionStore(folder)
    listing = store.list()
    known = {entry.session_id: entry for entry in listing.entries}
    found = [_with_chat(folder, one, known.get(one.id)) for one in found]
    # A chat is kept twice, with what the model needs and as a transcript: it is one conversation.
    listed = {one.id for one in found}
    stored, failed = _stored(
        store, [one for one in listing.entries if one.session_id not in listed]
    )
    problems += [*listing.problems, *failed]
    return sorted([*found, *stored], key=lambda one: (-one.updated, one.id)), problems


def _with_chat(folder: Path, one: Conversation, entry: SessionEntry | None) -> Conversation:
    """A transcript with the chat it was held in, by the session store or by its first line."""
    if entry is not None:
        return _with_entry(entry, one)
    try:
        with (folder / one.path.removeprefix("sessions/")).open("rb") as file:
            head = parse_entry(file.readline(_HEAD_BYTES))
    except (OSError, BrokenLine):
        return one
    if head.get("type") != "session":
        return one
    chat, key = head.get("chatType"), head.get("sessionKey")
    return replace(
        one,
        chat=chat if chat in _CHATS else one.chat,
        key=key if isinstance(key, str) else one.key,
    )


def find(folder: Path, session: str) -> Conversation:
    """A conversation by its id or path, or by the start of its id if that is enough."""
    name = session.removeprefix("sessions/").removesuffix(".jsonl")
    every, _ = conversations(folder)
    exact = [one for one in every if name == one.id or session == one.path]
    if exact:
        return exact[0]
    near = [one for one in every if one.id.startswith(name)] if name else []
    if len(near) == 1:
        return near[0]
    if near:
        names = ", ".join(one.id for one in near[:5])
        raise SessionNotFound(f"{session[:80]!r} may be any of {names}; give more of the id.")
    raise SessionNotFound(
        f"There is no session {session[:80]!r}; `memdown sessions list` shows those there are."
    )


def turns_of(folder: Path, session: str) -> list[TranscriptTurn]:
    """What was said in a conversation, secrets redacted."""
    one = find(folder, session)
    if one.kind == "transcript":
        return list(read_turns(str(folder), one.path))
    history = SessionStore(folder).history(one.id)
    spoken = [(number, message) for number, message in enumerate(history.messages, start=1)]
    texts = Redactor().redact_all([text_of(message.content) for _, message in spoken])
    return [
        TranscriptTurn(
            number, "user" if message.role == "user" else "assistant", text, message.timestamp
        )
        for (number, message), text in zip(spoken, texts, strict=True)
        if message.role in ("user", "assistant") and text.strip()
    ]


def as_markdown(name: str, turns: Sequence[TranscriptTurn]) -> str:
    """A conversation to keep or to give away: one heading for each message."""
    parts = [f"# {name}\n"]
    for turn in turns:
        when = f", {written_time(turn.time)}" if turn.time else ""
        parts.append(f"\n## {turn.role.capitalize()}{when}\n\n{turn.text.strip()}\n")
    return "".join(parts)


def written_time(milliseconds: int) -> str:
    """A time, in milliseconds since 1970, in the zone of whoever reads it: `2026-03-01 17:05`."""
    moment = datetime.datetime.fromtimestamp(milliseconds / 1000).astimezone()
    return moment.strftime("%Y-%m-%d %H:%M")


def delete(folder: Path, one: Conversation) -> None:
    """Remove a conversation from disk: its transcript and its history."""
    if one.kind != "transcript":
        SessionStore(folder).delete(one.id)
        return
    with contextlib.suppress(SessionNotFound):
        SessionStore(folder).delete(one.id)
    try:
        (folder / one.path.removeprefix("sessions/")).unlink()
    except FileNotFoundError:
        raise NoteNotFound(f"{one.path} is gone already.") from None
    except OSError as error:
        raise SessionError(
            f"{one.path} cannot be deleted ({error.strerror}); check the permissions."
        ) from None


def _with_entry(entry: SessionEntry, one: Conversation) -> Conversation:
    """A conversation with what the registry knows of it."""
    return replace(
        one,
        chat=str(entry.extra.get("chatType") or ("group" if entry.group_id else "direct")),
        key=str(entry.extra.get("sessionKey") or ""),
        channel=entry.channel or "",
    )


def _stored(
    store: SessionStore, entries: Sequence[SessionEntry]
) -> tuple[list[Conversation], list[Failure]]:
    found: list[Conversation] = []
    problems: list[Failure] = []
    for entry in entries:
        if not store.has_history(entry):
            # Its transcript was deleted by hand: nothing is left to be shown.
            continue
        try:
            found.append(_with_entry(entry, _conversation(store, entry)))
        except SessionError as error:
            problems.append(Failure(entry.session_id, str(error)))
    return found, problems


def _conversation(store: SessionStore, entry: SessionEntry) -> Conversation:
    messages = store.history(entry.session_id).messages
    name = entry.session_file or f"chats/{entry.session_id}.json5"
    return Conversation(
        entry.session_id,
        "group" if name.startswith("groups/") else "chat",
        f"sessions/{name}",
        len(messages),
        entry.updated_at,
        (store.folder / name).stat().st_size,
        _title(_first(messages)),
    )


def _first(messages: tuple[StoredMessage, ...]) -> str:
    return next((text_of(one.content) for one in messages if one.role == "user"), "")


def _title(text: str) -> str:
    line = " ".join(redact(text[:2000]).split())
    return line if len(line) <= _TITLE_CHARS else f"{line[:_TITLE_CHARS].rstrip()}…"
