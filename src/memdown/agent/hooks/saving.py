"""A coding agent's conversation copied into our own sessions, secrets redacted, each line once.

The copy itself tells how far it got: every line holds the place in the original where it ended, so
that a hook that is run again, or was killed half-way, goes on where the last whole line stands.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from memdown.agent.hooks.digest import HookMessage, Read, TranscriptEntry, messages_in, read_said
from memdown.errors import ConfigError, SessionError, WorkspaceError
from memdown.files import acquire_or_fail, make_folder
from memdown.text.redaction import Redactor
from memdown.transcripts.messages import BrokenLine, parse_entry, time_of

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_OWN = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
# Imports of coding agents' conversations are named so, and then by the id of the session.
IMPORTED = ("claude-code", "codex", "gemini")
_MESSAGE = b'{"type": "message"'
_REDACTED = b"[redacted: "
_SECRETS_KEPT = 64
_MOST_ORIGINS = 50
_DIGEST = b'{"type": "digest"'


@dataclass(slots=True)
class Copy:
    """Our copy of one conversation, open and locked."""

    file: int
    path: Path
    data: bytes

    @property
    def position(self) -> int:
        """How far the original was copied."""
        return _last_end(self.data, _MESSAGE)

    @property
    def read(self) -> Read:
        """What the assistant had read when the copy ends."""
        last = self.data.rfind(b"\n" + _MESSAGE) + 1
        for entry in _entries(self.data[last:], _MESSAGE):
            return _said(entry).then
        return ""

    @property
    def ids(self) -> set[str]:
        """The messages that are in the copy."""
        return {str(entry.get("id")) for entry in _entries(self.data, _MESSAGE)}

    @property
    def secrets(self) -> list[tuple[int, int]]:
        """Where messages with a secret begin in the original, each with how many to read there.

        The message before each is read too, since it may have asked for the secret; and at last
        what was said last, which may be a question that is answered now.
        """
        lines = [line for line in self.data.split(b"\n") if line.startswith(_MESSAGE)]
        found = [n for n, line in enumerate(lines) if _REDACTED in line][-_SECRETS_KEPT:]
        near = [(n - 1, 2) if n else (0, 1) for n in found]
        last = [(len(lines) - 1, 1)] if lines else []
        return [
            (_last_end(lines[first - 1], _MESSAGE) if first else 0, count)
            for first, count in (*near, *last)
        ]

    def add(self, entries: list[dict[str, Any]]) -> None:
        """Append whole lines, or nothing."""
        data = b"".join(json.dumps(entry, ensure_ascii=False).encode() + b"\n" for entry in entries)
        written = 0
        try:
            while written < len(data):
                written += os.write(self.file, data[written:])
        except OSError as error:
            os.ftruncate(self.file, len(self.data))
            raise WorkspaceError(
                f"{self.path} cannot be written ({error.strerror}); the conversation is copied "
                "when this works again."
            ) from None
        self.data += data

    def undigested(self) -> list[HookMessage]:
        """What was said since the last digest."""
        after = _last_end(self.data, _DIGEST)
        return [_said(entry) for entry in _entries(self.data, _MESSAGE) if _end_of(entry) > after]

    def digested_before(self) -> list[HookMessage]:
        """What was said up to the last digest."""
        until = _last_end(self.data, _DIGEST)
        return [_said(entry) for entry in _entries(self.data, _MESSAGE) if _end_of(entry) <= until]

    def digested(self, end: int, citation: str) -> None:
        """Note that everything up to `end` is in a digest."""
        self.add([{"type": "digest", "citation": citation, "memdown": {"end": end}}])


@contextmanager
def opened_copy(folder: Path, session_id: str) -> Iterator[Copy]:
    """Our copy of a session; only one process at a time has it."""
    if not _SESSION_ID.fullmatch(session_id):
        raise ConfigError(
            f"The session id {session_id[:60]!r} cannot be a file name; check the hook."
        )
    path = folder / f"{session_id}.jsonl"
    try:
        make_folder(folder)
        file = _locked(path)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written ({error.strerror}); check it.") from None
    try:
        copy = Copy(file, path, _whole_lines(file))
        try:
            yield copy
        finally:
            if not copy.data:
                # A session in which nobody said anything leaves nothing behind.
                path.unlink(missing_ok=True)
    finally:
        os.close(file)


def _locked(path: Path) -> int:
    """The file, opened and ours alone; one that was removed while we waited is made again."""
    while True:
        file = os.open(path, _OWN, 0o600)
        try:
            acquire_or_fail(file)
            if os.fstat(file).st_nlink:
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _said_elsewhere(copy: Copy, first: HookMessage) -> set[str]:
    """The messages of the conversation that this one was forked from, if it is a fork.

    A fork repeats the messages of its origin under their own ids, in a new session.
    """
    others = [path for path in copy.path.parent.glob("*.jsonl") if path != copy.path]
    newest = sorted(others, key=lambda path: path.stat().st_mtime_ns, reverse=True)[:_MOST_ORIGINS]
    name = json.dumps(first.id).encode()
    for path in newest:
        data = path.read_bytes()
        if name in data:
            return {str(entry.get("id")) for entry in _entries(data, _MESSAGE)}
    return set()


def save_conversation(copy: Copy, transcript: Path) -> int:
    """Copy what is new in the original; how many messages that were."""
    try:
        source = os.open(transcript, _READ)
    except FileNotFoundError:
        # A session that ends before its first message has no transcript.
        return 0
    except OSError as error:
        raise WorkspaceError(f"{transcript} cannot be read ({error.strerror}); check it.") from None
    try:
        if not stat.S_ISREG(os.fstat(source).st_mode):
            raise WorkspaceError(f"{transcript} is not a regular file; check the hook.")
        start, known, read, redactor = copy.position, set[str](), copy.read, Redactor()
        if os.fstat(source).st_size < start:
            # It was written anew: the place no longer means anything, the names do.
            start, known, read = 0, copy.ids, ""
        else:
            # A secret that was told before may come again without anything that tells it.
            for place, count in copy.secrets:
                near = islice(read_said(source, place), count)
                redactor.redact_all([one.text for one in near])
        said = list(read_said(source, start, read))
    finally:
        os.close(source)
    return _add_new(copy, said, known, redactor)


def save_messages(copy: Copy, messages: Sequence[dict[str, Any]]) -> int:
    """Copy what is new of a conversation that a program hands over; how many messages that were.

    Their places are the moments they were said at, which stay the same when the first ones are left
    out of a conversation that is too long.
    """
    placed: list[TranscriptEntry] = []
    for entry in messages:
        least = placed[-1].end + 1 if placed else 1
        placed.append(TranscriptEntry(entry, max(least, time_of(entry.get("timestamp")) or 0)))
    return _add_new(copy, list(messages_in(placed)), copy.ids, Redactor())


def _add_new(copy: Copy, said: Sequence[HookMessage], known: set[str], redactor: Redactor) -> int:
    if said and not copy.data and not said[0].id.startswith("at-"):
        with contextlib.suppress(OSError):
            known = _said_elsewhere(copy, said[0])
    texts = redactor.redact_all([one.text for one in said])
    new = [(one, text) for one, text in zip(said, texts, strict=True) if one.id not in known]
    if new:
        copy.add([_entry(one, text) for one, text in new])
        # What an import made of the same conversation is all in here.
        for source_name in IMPORTED:
            imported = copy.path.parent / f"{source_name}-{copy.path.name}"
            if imported.exists():
                from memdown.transcripts.sessions import SessionStore

                imported.unlink(missing_ok=True)
                with contextlib.suppress(SessionError):
                    SessionStore(imported.parent).delete(imported.stem)
    return len(new)


def enlist(copy: Copy, channel: str, folder: Path | None) -> None:
    """Put the conversation into the registry of sessions, with the program and the folder it is of."""
    # Only now: most hooks, those after an answer, do without.
    from memdown.transcripts.sessions import SessionEntry, SessionStore

    times = [one.time for one in map(_said, _entries(copy.data, _MESSAGE)) if one.time]
    entry = SessionEntry(
        copy.path.stem,
        max(times, default=time.time_ns() // 1_000_000),
        channel=channel,
        origin={"cwd": str(folder)} if folder else None,
    )
    # The copy is what counts; a registry that cannot be written now has it after the next hook.
    with contextlib.suppress(SessionError):
        SessionStore(copy.path.parent).enlist([entry])


def _entry(said: HookMessage, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": said.id,
        "timestamp": said.time,
        "message": {"role": said.role, "content": [{"type": "text", "text": text}]},
        "memdown": {
            "end": said.end,
            "files": list(said.files),
            "after": said.after,
            "then": said.then,
        },
    }


def _said(entry: dict[str, Any]) -> HookMessage:
    message = entry["message"]
    return HookMessage(
        id=entry["id"],
        role=message["role"],
        text=message["content"][0]["text"],
        time=entry["timestamp"],
        files=tuple(entry["memdown"]["files"]),
        end=_end_of(entry),
        after=entry["memdown"].get("after", ""),
        then=entry["memdown"].get("then", ""),
    )


def _end_of(entry: dict[str, Any]) -> int:
    own = entry.get("memdown")
    end = own.get("end") if isinstance(own, dict) else None
    return end if isinstance(end, int) else 0


def _entries(data: bytes, kind: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        if line.startswith(kind):
            try:
                entry = parse_entry(line)
            except BrokenLine:
                continue
            if "memdown" in entry:
                yield entry


def _last_end(data: bytes, kind: bytes) -> int:
    start = data.rfind(b"\n" + kind) + 1
    if not start and not data.startswith(kind):
        return 0
    return max((_end_of(entry) for entry in _entries(data[start:], kind)), default=0)


def _whole_lines(file: int) -> bytes:
    """The content of the copy; the beginning of a line whose writer was killed is taken off."""
    data = b""
    while block := os.pread(file, 1 << 20, len(data)):
        data += block
    if data and not data.endswith(b"\n"):
        data = data[: data.rfind(b"\n") + 1]
        os.ftruncate(file, len(data))
    return data
