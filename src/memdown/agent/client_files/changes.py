"""A change to a file: shown as a difference first, then made with a copy of the old file kept."""

from __future__ import annotations

import datetime
import difflib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdown.errors import ConfigError
from memdown.files import replace_file

_MAX_BYTES = 64 * 1024 * 1024
_MOST_BACKUPS = 20


@dataclass(frozen=True, slots=True)
class Change:
    """What a file says (None: there is none) and what it would say."""

    file: Path
    before: str | None
    after: str

    @property
    def needed(self) -> bool:
        return (self.before or "") != self.after

    def difference(self) -> str:
        """The change as a unified diff."""
        old = (self.before or "").splitlines(keepends=True)
        new = self.after.splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, str(self.file), str(self.file))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def plan_change(file: Path, edit: Callable[[str], str]) -> Change:
    """What `edit` would make of a file; a missing file counts as empty."""
    before = _read(file)
    try:
        return Change(file, before, edit(before or ""))
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def as_it_was(file: Path, text: str, parse: Callable[[str], Any]) -> str:
    """The text of the latest kept copy that says the same, layout included; else the text itself."""
    wanted = parse(text)
    for backup in sorted(file.parent.glob(f"{file.name}.memdown-*"), reverse=True)[:_MOST_BACKUPS]:
        try:
            kept = _read(backup)
            if kept is not None and parse(kept) == wanted:
                return kept
        except ConfigError:
            continue
    return text


def apply_change(change: Change, *, keep: bool = True) -> Path | None:
    """Write the file; where the copy of the old one is, if there was one and it is to be kept.

    The file is replaced as a whole, so no program ever reads half of it. A link, as people keep
    their dotfiles, stays a link. If the file changed since it was shown, nothing is written.
    """
    if not change.needed:
        return None
    target = Path(os.path.realpath(change.file))
    try:
        if _read(change.file) != change.before:
            raise ConfigError(f"{change.file} was changed by another program; run this again.")
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = _back_up(target, change.before) if keep and change.before is not None else None
        replace_file(target, change.after.encode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{change.file} cannot be written ({error.strerror}); it was left as it is."
        ) from None
    return backup


def _read(file: Path) -> str | None:
    try:
        with file.open("rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); check it.") from None
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{file} is too large to be a configuration file; check it.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not UTF-8 text; check it.") from None


def _back_up(file: Path, text: str) -> Path:
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-%f")  # noqa: DTZ005
    backup = file.with_name(f"{file.name}.memdown-{stamp}")
    mode = file.stat().st_mode & 0o777
    descriptor = os.open(backup, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as handle:
        handle.write(text)
    return backup
