"""The notes of one workspace as a memory uses them: start, list, read, add and edit, never losing a word."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memdown import notes
from memdown.errors import WorkspaceError
from memdown.files import make_folder
from memdown.notes.changes import By
from memdown.notes.roots import CURATED, LOGS
from memdown.types import Excerpt, Failure

if TYPE_CHECKING:
    from memdown.notes.related import Comparing, Finding
    from memdown.notes.remembering import Pen, Remembered

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


PERSON = By("person")
_WITHOUT_SECRETS = "leave it out, or pass allow_secrets=True to write it anyway"


class Notebook:
    """Reads and writes the notes of one workspace. Safe to use from several threads.

    `lock_dir` is where processes meet that write to the same notes, `today` the clock that dates
    what is written. `read_only` is the sentence with which every write is refused, if it is set.
    `comparing` is how facts are compared by meaning when one is written, `finding` where to look for them
    among very many notes.
    """

    def __init__(
        self,
        workspace: notes.Workspace,
        lock_dir: Path,
        *,
        today: Callable[[], datetime.date] = datetime.date.today,
        read_only: str | None = None,
        comparing: Callable[[], Comparing | None] = lambda: None,
        finding: Finding | None = None,
    ) -> None:
        self.workspace = workspace
        self.today = today
        self.lock_dir = lock_dir
        self._read_only = read_only
        self._comparing = comparing
        self._finding = finding

    def scan(self) -> notes.Scan:
        """Every note there is, and what could not be looked at."""
        return notes.scan(self.workspace)

    def read(self, path: str) -> notes.Note:
        """A whole note, with the version that `edit` must name."""
        return notes.read_whole(self.workspace, path)

    def get(self, path: str, *, start: int = 1, lines: int | None = None) -> Excerpt:
        """Some lines of a note, from line `start` on; all of it by default."""
        data, state = notes.read_note(self.workspace, path)
        return notes.excerpt(notes.decode(data, state.path), state.path, start, lines)

    def remember(
        self,
        text: str,
        *,
        durable: bool = False,
        about: str = "",
        replaces: Sequence[str] = (),
        until: str | datetime.date | None = None,
        again: bool = False,
        by: By = PERSON,
        allow_secrets: bool = False,
    ) -> Remembered:
        """Write a fact down: in MEMORY.md if it is durable, else in today's log.

        See `Memory.remember`. Raises `SecretFound` for what looks like a secret, unless secrets
        are allowed.
        """
        from memdown.notes.remembering import remember_fact

        self._check_writable()
        if not allow_secrets:
            _refuse_secrets(text)
        return remember_fact(
            self.pen(by),
            text,
            durable=durable,
            about=about,
            replaces=replaces,
            until=until,
            again=again,
        )

    def pen(self, by: By = PERSON) -> Pen:
        """What it takes to change facts: the notes, the day, who does it."""
        from memdown.notes.remembering import Pen

        return Pen(
            self.workspace, self.lock_dir, self.today(), by, self._comparing(), self._finding
        )

    def writing_pen(self, by: By = PERSON) -> Pen:
        """The same, where something is about to be changed: refused where nothing may be."""
        self._check_writable()
        return self.pen(by)

    def edit(
        self,
        path: str,
        text: str,
        *,
        base: str | None,
        allow_secrets: bool = False,
        by: By = PERSON,
    ) -> notes.Note:
        """Give a note new text if it still is the version `base`; None makes a new note.

        Raises `NoteChanged` if it is another version by now, and `SecretFound` for a secret that
        is not in the note yet.
        """
        self._check_writable()
        if not allow_secrets:
            try:
                before = self.read(path).text if base else ""
            except WorkspaceError:
                # Saving says what is wrong with the note.
                before = ""
            _refuse_secrets(text, before)
        return notes.save(self.workspace, path, text, base=base, lock_dir=self.lock_dir, by=by)

    def drafts(self) -> list[str]:
        """The hidden files left by saves that were cut off."""
        return notes.drafts(self.workspace)

    def recover(self) -> list[str]:
        """Make notes of those files, unless a note says the same; their paths."""
        return notes.recover(self.workspace, self.lock_dir)

    def leftovers(self, found: notes.Scan) -> tuple[Failure, ...]:
        """What saves that were cut off have left among the notes that a scan found."""
        unfinished = notes.unfinished_save(self.workspace, self.lock_dir)
        kept = notes.kept_versions(found.files)
        return (unfinished, *kept) if unfinished else kept

    def _check_writable(self) -> None:
        if self._read_only:
            raise WorkspaceError(self._read_only)


def _refuse_secrets(text: str, before: str = "") -> None:
    from memdown.text.redaction import refuse_secrets

    refuse_secrets(text, _WITHOUT_SECRETS, before=before)
