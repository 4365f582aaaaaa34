"""A new workspace: the folder, a first MEMORY.md, a place for the daily logs."""

from __future__ import annotations

import os
from pathlib import Path

from memdown.errors import WorkspaceError
from memdown.workspace.roots import CURATED, LOGS

_FIRST_NOTE = """\
# Memory

What should last: facts, decisions, preferences. Daily notes go to memory/YYYY-MM-DD.md.
"""


def create_workspace(folder: Path) -> list[str]:
    """Make what is missing and return its names; nothing that exists is touched."""
    created = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not any((folder / name).exists() for name in CURATED):
            _write_new(folder / CURATED[0], _FIRST_NOTE)
            created.append(CURATED[0])
        if not (folder / LOGS).exists():
            (folder / LOGS).mkdir()
            created.append(f"{LOGS}/")
    except (FileExistsError, NotADirectoryError):
        raise WorkspaceError(
            f"{folder} is not a folder, so it cannot be a workspace; name another place."
        ) from None
    except OSError as error:
        raise WorkspaceError(f"The workspace {folder} cannot be made: {error.strerror}.") from None
    return created


def _write_new(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as note:
        note.write(text)
