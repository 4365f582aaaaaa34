"""The notes on disk: which files count, how they are read, and how something is added to them.

Paths are POSIX and relative to the workspace (`memory/2026-03-01.md`); notes of an extra path
outside the workspace have their absolute path. A path that `scan` lists is a path that `read_note`
opens, and nothing else is.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from memdown.notes.discovery import Glance, Scan, glance, scan, total_of
from memdown.notes.reading import decode, excerpt, read_note
from memdown.notes.roots import (
    Workspace,
    check_kind,
    daily_note,
    date_of,
    is_memory,
    open_workspace,
    ways,
)

if TYPE_CHECKING:
    from memdown.notes.editing import Note, read_whole, save
    from memdown.notes.notebook import create_workspace
    from memdown.notes.remembering import repair
    from memdown.notes.writing import (
        append,
        drafts,
        kept_versions,
        recover,
        remember,
        unfinished_save,
    )

# What writes is loaded when something is written: a search only reads.
_WRITES = {
    "editing": ("Note", "read_whole", "save"),
    "notebook": ("create_workspace",),
    "remembering": ("repair",),
    "writing": ("append", "drafts", "kept_versions", "recover", "remember", "unfinished_save"),
}

__all__ = [
    "Glance",
    "Note",
    "Scan",
    "Workspace",
    "append",
    "check_kind",
    "create_workspace",
    "daily_note",
    "date_of",
    "decode",
    "drafts",
    "excerpt",
    "glance",
    "is_memory",
    "kept_versions",
    "open_workspace",
    "read_note",
    "read_whole",
    "recover",
    "remember",
    "repair",
    "save",
    "scan",
    "total_of",
    "unfinished_save",
    "ways",
]


def __getattr__(name: str) -> object:
    for module, names in _WRITES.items():
        if name in names:
            return getattr(import_module(f"memdown.notes.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
