"""Sessions that older versions of the chat kept in one place for all agents, brought to their own.

A session belongs to the agent that has its transcript. It is removed from the old place only when
it stands whole in the new one, so a process that is killed half-way loses nothing.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from memdown.errors import SessionError
from memdown.transcripts.sessions import files
from memdown.transcripts.sessions.entries import SessionEntry
from memdown.transcripts.sessions.store import SessionStore

log = logging.getLogger("memdown")
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
