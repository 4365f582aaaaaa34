"""What the user has set up: configuration, folders and their permissions, the provider."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from memdown import files
from memdown.doctor.checks import Check, Subject
from memdown.errors import WorkspaceError
from memdown.memory import Memory
from memdown.text.redaction import find_secrets

_MOST_PLACES = 20


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
    left = subject.memory.notebook.drafts()
    if left:
        yield Check(
            "Unfinished saves",
            "warning",
            f"saves that were cut off have left hidden files: {', '.join(left[:3])}"
            + (f" and {len(left) - 3} more" if len(left) > 3 else ""),
            "memdown doctor --fix makes notes of those that say what no note says",
            subject.memory.notebook.recover,
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        finding = f"{folder} cannot be written, so nothing can be remembered"
        yield Check("Workspace", "warning", finding, f"chmod u+wx {folder}")


def secrets(subject: Subject) -> Iterator[Check]:
    """Whether notes hold what looks like a secret; the secret itself is never shown."""
    if subject.memory is None:
        return
    places = list(_secrets(subject.memory))
    if not places:
        yield Check("Secrets", "ok", "no note holds what looks like a secret")
    for place in places[:_MOST_PLACES]:
        advice = "take it out of the note; change it if anyone else could read the note"
        yield Check("Secrets", "warning", place, advice)
    if len(places) > _MOST_PLACES:
        more = f"{len(places) - _MOST_PLACES} more places in the notes look like secrets"
        yield Check("Secrets", "warning", more, "take them out of the notes")


def _secrets(memory: Memory) -> Iterator[str]:
    for path in memory.notes().files:
        try:
            text = memory.get(path).text
        except WorkspaceError:
            # That it cannot be read is told elsewhere.
            continue
        for one in find_secrets(text):
            line = text.count("\n", 0, one.start) + 1
            yield f"{path}, line {line}, looks as if it holds a secret: {one.kind}"


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
    top = subject.settings.state_dir
    found = files.open_to_others(top)
    found += [file for file in _open_index_files(subject.settings.store.path) if file not in found]
    if found:
        more = f", and {len(found) - 1} more files and folders" if len(found) > 1 else ""
        yield Check(
            "Permissions",
            "warning",
            f"{found[0]} can be read by other users{more}",
            f"memdown doctor --fix, or chmod -R go-rwx {shlex.quote(str(found[0]))}",
            functools.partial(_close, found),
        )


def _open_index_files(index: Path) -> list[Path]:
    """The index may lie in any folder, so that only its own files are looked at."""
    beside = (index.with_name(index.name + suffix) for suffix in ("", "-wal", "-shm", ".lock"))
    return [file for file in beside if file.is_file() and files.is_open_to_others(file)]


def _close(paths: Sequence[Path]) -> None:
    for path in paths:
        files.close_to_others(path)


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


CHECKS = (configuration, notes, secrets, state_folder, provider)
