"""What the user has set up: configuration, folders and their permissions, the provider."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from memdown.doctor.checks import Check, Subject

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def configuration(subject: Subject) -> Iterator[Check]:
    if subject.settings is not None:
        path = subject.settings.config_path
        yield Check("Configuration", "ok", str(path) if path else "none; the defaults are in force")


def notes(subject: Subject) -> Iterator[Check]:
    """Whether the notes can be read and added to."""
    if subject.memory is None or subject.settings is None:
        return
    found = subject.memory.notes()
    folder = subject.settings.workspace
    yield Check("Workspace", "ok", f"{folder}, notes: {len(found.files)}")
    for problem in subject.memory.status().problems:
        yield Check("Notes", "warning", problem.reason)
    if not os.access(folder, os.W_OK | os.X_OK):
        finding = f"{folder} cannot be written, so nothing can be remembered"
        yield Check("Workspace", "warning", finding, f"chmod u+wx {folder}")


def state_folder(subject: Subject) -> Iterator[Check]:
    """Whether the index can be written, and read by nobody else."""
    if subject.settings is None:
        return
    place = subject.settings.store.path.parent
    existing = next(folder for folder in (place, *place.parents) if folder.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield Check(
            "State folder",
            "error",
            f"{existing} cannot be written; searches answer from the index as it is",
            f"chmod u+rwx {existing}, or set MEMDOWN_STATE_DIR to a folder you can write to",
        )
        return
    yield Check("State folder", "ok", str(place))
    for file in _private_files(subject.settings.store.path):
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & _OTHERS:
            yield Check(
                "Permissions",
                "warning",
                f"{file} can be read by others ({mode:03o})",
                f"chmod {mode & ~_OTHERS:03o} {file}",
                lambda file=file, mode=mode: file.chmod(mode & ~_OTHERS),  # type: ignore[misc]
            )


def _private_files(index: Path) -> list[Path]:
    if not index.exists():
        return []
    files = (index.with_name(index.name + suffix) for suffix in ("", "-wal", "-shm", ".lock"))
    return [index.parent, *(file for file in files if file.exists())]


def provider(subject: Subject) -> Iterator[Check]:
    """Whether the embedder answers."""
    if subject.memory is None:
        return
    status = subject.memory.status(deep=True)
    shown = f"{status.provider}, {status.model}"
    if status.fallback:
        advice = "check the key and the endpoint of the provider you asked for"
        yield Check("Provider", "warning", f"{shown} instead: {status.fallback}", advice)
    elif status.embedder_works is False:
        advice = "check memorySearch.provider, the key and the network; keywords still work"
        yield Check("Provider", "error", f"{shown}: {status.embedder_error}", advice)
    else:
        yield Check("Provider", "ok", shown)


CHECKS = (configuration, notes, state_folder, provider)
