"""A new workspace: the folder, a first MEMORY.md, a place for the daily logs."""

from __future__ import annotations

import os
from pathlib import Path

from memdown.errors import WorkspaceError
from memdown.files import make_folder
from memdown.notes.roots import CURATED, LOGS

_FIRST_NOTE = """\
# Memory

What should last: facts, decisions, preferences. Daily notes go to memory/YYYY-MM-DD.md.
"""


def create_workspace(folder: Path, *, private: bool = False) -> list[str]:
    """Make what is missing and return its names; nothing that exists is touched.

    A private one is for its owner alone; otherwise the user's umask decides.
    """
    created = []
    try:
        if private:
            make_folder(folder)
        else:
            folder.mkdir(parents=True, exist_ok=True)
        if not any((folder / name).exists() for name in CURATED):
            _write_new(folder / CURATED[0], _FIRST_NOTE, 0o600 if private else 0o666)
            created.append(CURATED[0])
        if not (folder / LOGS).exists():
            (folder / LOGS).mkdir(mode=0o700 if private else 0o777)
            created.append(f"{LOGS}/")
    except (FileExistsError, NotADirectoryError):
        raise WorkspaceError(
            f"{folder} is not a folder, so it cannot be a workspace; name another place."
        ) from None
    except OSError as error:
        raise WorkspaceError(f"The workspace {folder} cannot be made: {error.strerror}.") from None
    return created


def _write_new(file: Path, text: str, mode: int) -> None:
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as note:
        note.write(text)
