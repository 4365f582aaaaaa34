"""The session store: a registry of sessions and a file for each, JSON5 that people can edit.

<folder>/registry.json5              id → entry
<folder>/chats/<sessionId>.json5     the history of a chat
<folder>/groups/<groupId>.json5      the history of a group
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memdown.errors import SessionError, SessionNotFound
from memdown.text import json5_text
from memdown.transcripts.sessions import files
from memdown.transcripts.sessions.entries import (
    CompactionSummary,
    History,
    SessionEntry,
    StoredMessage,
    to_json,
)
from memdown.types import Failure
from memdown.validation import Problem, camel, convert

log = logging.getLogger("memdown")
_SESSION_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@+=-]{0,199}")
_HISTORY_HEAD = (
    "// A conversation. You can edit this file; comments stay when messages are added.\n"
)
_REGISTRY_HEAD = "// All sessions by their id. You can edit this file; comments stay.\n"


@dataclass(frozen=True, slots=True)
class Listing:
    """The sessions there are, the last active first, and what is wrong with others."""

    entries: tuple[SessionEntry, ...]
    problems: tuple[Failure, ...] = ()


class SessionStore:
    """The sessions in one folder. Many processes may use it at once."""

    def __init__(self, folder: Path, now: Callable[[], int] | None = None) -> None:
        self.folder = folder
        self._now = now or (lambda: time.time_ns() // 1_000_000)

    def create(
        self, session_id: str | None = None, *, group_id: str | None = None, **fields: Any
    ) -> SessionEntry:
        """A new session with an empty history; one of a group is kept under the group's id."""
        session_id = _checked(session_id or str(uuid.uuid4()))
        name = f"groups/{_file_name(group_id)}" if group_id else f"chats/{_file_name(session_id)}"
        now = self._now()
        entry = SessionEntry(
            session_id, now, session_file=f"{name}.json5", group_id=group_id, **fields
        )
        with files.locked(self.folder):
            path = self.folder / str(entry.session_file)
            if session_id in self._registry() or path.exists():
                raise SessionError(f"There is a session {session_id} already; choose another id.")
            history = History(session_id, now, now)
            files.write(path, _HISTORY_HEAD + json5_text.dumps(_history_json(history)) + "\n")
            self._put(entry)
        return entry

    def for_key(
        self, key: str, *, chat: str, channel: str | None = None, create: bool = True
    ) -> SessionEntry | None:
        """The session of a chat by its key, such as `agent:main:telegram:group:-100`.

        A group or channel has one session, which goes on; None if there is none and none is made. One
        that was imported is only a transcript, and does not go on.
        """
        with files.locked(self.folder):
            known = [
                one
                for one in self.list().entries
                if one.extra.get("sessionKey") == key and self.has_history(one)
            ]
        if known or not create:
            return known[0] if known else None
        return self.create(
            group_id=key if chat != "direct" else None,
            channel=channel,
            extra={"sessionKey": key, "chatType": chat},
        )

    def adopt(self, entry: SessionEntry, text: str | None) -> None:
        """Take over a session of another store as it is; one that differs here already stays."""
        with files.locked(self.folder):
            name = entry.session_file or ""
            path = self.folder / name if _inside(name) else self._path(entry.session_id)
            there = files.read(path)
            if there is not None and there != text:
                raise SessionError(f"there is another one of that name, {path}")
            if text is not None:
                files.write(path, text)
            self._put(entry)

    def enlist(self, entries: Iterable[SessionEntry]) -> None:
        """Put conversations into the registry that are kept as transcripts only.

        Of one that stands there, just the time of its last message is taken.
        """
        with files.locked(self.folder):
            registry = self._registry()
            new: dict[str, Any] = {}
            for entry in entries:
                before = registry.get(entry.session_id)
                if before is None:
                    new[entry.session_id] = to_json(entry)
                elif isinstance(before, dict) and before.get("updatedAt") != entry.updated_at:
                    self._touch(entry.session_id, entry.updated_at)
            if new:
                self._write_registry(
                    {**self._registry(), **new}, lambda text: json5_text.with_members(text, new)
                )

    def has_history(self, entry: SessionEntry) -> bool:
        """Whether a session has a file of its own; if not, a transcript is all there is of it."""
        name = f"chats/{_file_name(entry.session_id)}.json5"
        return entry.session_file is not None or (self.folder / name).exists()

    def text_of(self, session_id: str) -> str | None:
        """The file of a session's history as it is, also if it is damaged."""
        return files.read(self._path(session_id))

    def get(self, session_id: str) -> SessionEntry:
        """A session's entry."""
        data = self._registry().get(session_id)
        if data is None:
            raise _unknown(session_id)
        return self._entry(session_id, data)

    def history(self, session_id: str) -> History:
        """A session's messages and summaries."""
        path = self._path(session_id)
        text = files.read(path)
        if text is None:
            raise _unknown(session_id)
        return self._parsed(path, text)

    def append(self, session_id: str, *messages: StoredMessage) -> None:
        """Add messages at the end of a history; what a person wrote around them stays."""
        now = self._now()
        with files.locked(self.folder):
            path = self._path(session_id)
            text = files.read(path)
            try:
                history = self._parsed(path, text or "", keep=True) if text is not None else None
            except SessionError:
                # Only what is new can be saved; the damaged file is kept beside it.
                aside = files.backup(path, move=True)
                log.warning("%s is damaged and was moved to %s; it goes on anew.", path, aside.name)
                history = None
            if history is None or text is None:
                history = History(session_id, now, now)
                text = _HISTORY_HEAD + json5_text.dumps(_history_json(history)) + "\n"
            after = dataclasses.replace(
                history, updated_at=now, messages=(*history.messages, *messages)
            )
            files.write(path, _appended(text, after, messages))
            self._touch(session_id, now)

    def update(self, session_id: str, **changes: Any) -> SessionEntry:
        """Change fields of an entry; None unsets one, unknown names go to the extra fields."""
        with files.locked(self.folder):
            entry = self.get(session_id)
            known = {item.name for item in dataclasses.fields(SessionEntry)} - {"extra"}
            plain = {name: value for name, value in changes.items() if name in known}
            extra = {camel(name): value for name, value in changes.items() if name not in known}
            entry = dataclasses.replace(
                entry,
                **{"updated_at": self._now(), **plain, "extra": {**entry.extra, **extra}},
            )
            self._put(entry)
        return entry

    def list(self) -> Listing:
        """Every session, the last active first; a bad entry costs itself only."""
        entries: list[SessionEntry] = []
        problems: list[Failure] = []
        for session_id, data in self._registry().items():
            try:
                entries.append(self._entry(session_id, data))
            except SessionError as error:
                problems.append(Failure(session_id, str(error)))
        entries.sort(key=lambda entry: -entry.updated_at)
        return Listing(tuple(entries), tuple(problems))

    def compact(self, session_id: str, summary: str, *, keep: int = 0) -> History:
        """Put a summary in the place of all messages but the last `keep`."""
        now = self._now()
        with files.locked(self.folder):
            history = self.history(session_id)
            gone = len(history.messages) - max(0, keep)
            if gone <= 0:
                return history
            made = CompactionSummary(f"[Summary] {summary}", "system", now, gone)
            after = dataclasses.replace(
                history,
                updated_at=now,
                messages=history.messages[gone:],
                compacted_history=(*history.compacted_history, made),
            )
            files.write(
                self._path(session_id),
                _HISTORY_HEAD + json5_text.dumps(_history_json(after)) + "\n",
            )
            entry = self.get(session_id)
            self._put(
                dataclasses.replace(
                    entry, updated_at=now, compaction_count=(entry.compaction_count or 0) + 1
                )
            )
        return after

    def delete(self, session_id: str) -> None:
        """Remove a session: its entry and its history."""
        with files.locked(self.folder):
            path = self._path(session_id)
            registry = self._registry()
            if session_id not in registry and not path.exists():
                raise _unknown(session_id)
            path.unlink(missing_ok=True)
            if session_id in registry:
                self._write_registry(
                    {key: value for key, value in registry.items() if key != session_id},
                    lambda text: json5_text.without_key(text, [session_id]),
                )

    @property
    def _registry_path(self) -> Path:
        return self.folder / "registry.json5"

    def _registry(self) -> dict[str, Any]:
        """The registry as it stands; one that is damaged or lost is made from the histories."""
        text = files.read(self._registry_path)
        if text is None:
            return self._recovered()
        try:
            data = json5_text.loads(text)
        except json5_text.BadJson5:
            data = None
        if not isinstance(data, dict):
            aside = files.backup(self._registry_path, move=False)
            log.warning(
                "%s is damaged (a copy is %s); its entries are made from the histories.",
                self._registry_path,
                aside.name,
            )
            return self._recovered()
        return data

    def _recovered(self) -> dict[str, Any]:
        """Entries with what the histories tell: their ids, files and times."""
        found: dict[str, Any] = {}
        for kind in ("chats", "groups"):
            for path in sorted((self.folder / kind).glob("*.json5")):
                text = files.read(path)
                try:
                    history = self._parsed(path, text or "", keep=True)
                except SessionError:
                    continue
                entry = SessionEntry(
                    history.session_id, history.updated_at, session_file=f"{kind}/{path.name}"
                )
                found[history.session_id] = to_json(entry)
        return found

    def _entry(self, session_id: str, data: Any) -> SessionEntry:
        try:
            if isinstance(data, Mapping):
                data = {"sessionId": session_id, "updatedAt": 0, **data}
            entry: SessionEntry = convert(SessionEntry, data)
            return entry
        except Problem as error:
            raise SessionError(
                f"{self._registry_path}: the entry {session_id} is wrong ({error}); correct it."
            ) from None

    def _path(self, session_id: str) -> Path:
        data = self._registry().get(session_id)
        name = data.get("sessionFile") if isinstance(data, Mapping) else None
        if not isinstance(name, str) or not _inside(name):
            # An imported conversation keeps its name, whatever letters are in it.
            name = f"chats/{_file_name(_checked(session_id) if data is None else session_id)}.json5"
        return self.folder / name

    def _parsed(self, path: Path, text: str, *, keep: bool = False) -> History:
        """A history; a damaged one is kept under another name, unless the caller does that."""
        try:
            history: History = convert(History, json5_text.loads(text))
            return history
        except (json5_text.BadJson5, Problem) as error:
            aside = None if keep else files.backup(path, move=False)
            raise SessionError(
                f"{path} is damaged ({error}); "
                + (f"a copy is kept as {aside.name}: " if aside else "")
                + "correct it by hand or delete the session. Other sessions are not affected."
            ) from None

    def _put(self, entry: SessionEntry) -> None:
        data = to_json(entry)
        registry = self._registry()
        before = registry.get(entry.session_id)

        def edit(text: str) -> str | None:
            if isinstance(before, dict):
                return _with_members(text, entry.session_id, before, data)
            return json5_text.with_value(text, [entry.session_id], data)

        self._write_registry({**registry, entry.session_id: data}, edit)

    def _touch(self, session_id: str, now: int) -> None:
        registry = self._registry()
        data = registry.get(session_id)
        if not isinstance(data, dict):
            name = self._path(session_id).relative_to(self.folder).as_posix()
            self._put(SessionEntry(session_id, now, session_file=name))
            return
        self._write_registry(
            {**registry, session_id: {**data, "updatedAt": now}},
            lambda text: json5_text.with_value(text, [session_id, "updatedAt"], now),
        )

    def _write_registry(self, data: dict[str, Any], edit: Callable[[str], str | None]) -> None:
        """Write the registry by changing as little of its text as possible."""
        text = files.read(self._registry_path)
        changed = _edited(text, edit, data) if text is not None else None
        files.write(self._registry_path, changed or _REGISTRY_HEAD + json5_text.dumps(data) + "\n")


def _with_members(
    text: str, key: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> str | None:
    """The text with only those members of an object changed that differ: comments between them stay."""
    changed: str | None = text
    for name, value in after.items():
        if changed is not None and (name not in before or before[name] != value):
            changed = json5_text.with_value(changed, [key, name], value)
    for name in before:
        if changed is not None and name not in after:
            changed = json5_text.without_key(changed, [key, name])
    return changed


def _edited(text: str, edit: Callable[[str], str | None], wanted: Any) -> str | None:
    """The text after an edit, if it reads exactly as it should; None otherwise."""
    try:
        changed = edit(text)
        return changed if changed is not None and json5_text.loads(changed) == wanted else None
    except (json5_text.BadJson5, IndexError):
        return None


def _appended(text: str, after: History, messages: tuple[StoredMessage, ...]) -> str:
    def edit(before: str) -> str | None:
        changed: str | None = before
        for message in messages:
            changed = changed and json5_text.with_item(changed, ["messages"], to_json(message))
        return changed and json5_text.with_value(changed, ["updatedAt"], after.updated_at)

    old = json5_text.loads(text)
    wanted = {
        **old,
        "updatedAt": after.updated_at,
        "messages": [*old.get("messages", []), *(to_json(message) for message in messages)],
    }
    rewritten = _HISTORY_HEAD + json5_text.dumps(wanted) + "\n"
    return _edited(text, edit, wanted) or rewritten


def _history_json(history: History) -> dict[str, Any]:
    data: dict[str, Any] = to_json(history)
    data.setdefault("messages", [])
    order = ["sessionId", "version", "createdAt", "updatedAt", "messages", "compactedHistory"]
    return {key: data[key] for key in [*order, *data] if key in data}


def _checked(session_id: str) -> str:
    if not _SESSION_ID.fullmatch(session_id):
        raise SessionError(
            f"The session id {session_id[:80]!r} cannot be used; take up to 200 letters, digits and "
            '"_.:@+=-", starting with a letter, a digit or "_".'
        )
    return session_id


def _file_name(name: str) -> str:
    # Hidden files, folders and case-folding surprises are all avoided by escaping what is special.
    return quote(name, safe="@+=")[:200].lstrip(".") or "_"


def _inside(name: str) -> bool:
    parts = Path(name).parts
    return (
        len(parts) == 2
        and parts[0] in ("chats", "groups")
        and parts[1].endswith(".json5")
        and not parts[1].startswith(".")
    )


def _unknown(session_id: str) -> SessionNotFound:
    return SessionNotFound(
        f"There is no session {session_id[:80]!r}; `memdown sessions list` shows those there are."
    )


_CHAT_CHANNEL = "cli"


def bring_over(state_dir: Path, agent: str) -> None:
    """Move what belongs to an agent; what nobody's transcript tells of belongs to `main`."""
    folder = state_dir / "sessions"
    if not (folder / "registry.json5").exists() and not (folder / "chats").is_dir():
        return
    old, new = SessionStore(folder), SessionStore(state_dir / "agents" / agent / "sessions")
    for entry in old.list().entries:
        owner = _owner(state_dir, entry)
        if owner == agent:
            try:
                _move(old, new, entry)
            except SessionError as error:
                log.warning("The session %s stays where it is: %s", entry.session_id, error)
    _tidy(folder, old)


def _owner(state_dir: Path, entry: SessionEntry) -> str | None:
    """The agent that has the transcript; None if the session is not one of the chat's."""
    name = f"{entry.session_id}.jsonl"
    for folder in sorted((state_dir / "agents").glob("*/sessions")):
        if (folder / name).is_file():
            return folder.parent.name
    return "main" if entry.channel == _CHAT_CHANNEL else None


def _move(old: SessionStore, new: SessionStore, entry: SessionEntry) -> None:
    new.adopt(entry, old.text_of(entry.session_id))
    old.delete(entry.session_id)


def _tidy(folder: Path, old: SessionStore) -> None:
    """Remove what is empty; anything else in the old folder stays."""
    listing = old.list()
    if listing.entries or listing.problems:
        return
    with files.locked(folder):
        if any(path for kind in ("chats", "groups") for path in (folder / kind).glob("*")):
            return
        (folder / "registry.json5").unlink(missing_ok=True)
        for name in ("chats", "groups"):
            with contextlib.suppress(OSError):
                (folder / name).rmdir()
        (folder / ".lock").unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()
