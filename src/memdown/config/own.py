"""The folders that the user made a workspace: a list in the state folder, outside of all of them.

What a checkout brings along can never put it on this list, so only what is on it is given to
agents without being named.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdown.errors import ConfigError
from memdown.files.atomic import replace_file
from memdown.files.locks import acquire_or_fail, release
from memdown.files.private import make_folder

LIST_NAME = "workspaces.json"
_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class OwnWorkspaces:
    """The listed folders, by real path, each with the extra paths that belong to it alone."""

    extra_paths: Mapping[str, tuple[str, ...]]

    def lists(self, folder: Path) -> bool:
        return real(folder) in self.extra_paths

    def paths_of(self, folder: Path) -> tuple[str, ...]:
        return self.extra_paths.get(real(folder), ())


def real(folder: Path) -> str:
    """What a folder is known by, whatever links lead to it."""
    return os.path.realpath(folder)


def list_file(state_dir: Path) -> Path:
    return state_dir / LIST_NAME


def read_own(state_dir: Path) -> OwnWorkspaces:
    """The list; none is an empty one."""
    entries = _read(list_file(state_dir))
    return OwnWorkspaces({folder: tuple(one["extraPaths"]) for folder, one in entries.items()})


def add_own(state_dir: Path, folder: Path) -> bool:
    """Put a folder on the list; False if it was there."""
    name = real(folder)

    def add(entries: dict[str, Any]) -> bool:
        if name in entries:
            return False
        entries[name] = {"extraPaths": []}
        return True

    return _changed(state_dir, add)


def remove_own(state_dir: Path, folder: Path) -> bool:
    """Take a folder off the list; False if it was not there."""
    return _changed(state_dir, lambda entries: entries.pop(real(folder), None) is not None)


def set_extra(state_dir: Path, folder: Path, paths: list[str]) -> None:
    """Give a folder extra paths of its own, and put it on the list."""

    def change(entries: dict[str, Any]) -> bool:
        entries[real(folder)] = {"extraPaths": paths}
        return True

    _changed(state_dir, change)


def _read(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            data = opened.read(_MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(
            f"{file}: the list of your workspaces cannot be read ({error.strerror}); check it."
        ) from None
    # Imported only now: without a list, a search pays nothing for it.
    import json

    try:
        entries = json.loads(data)
        if all(_is_entry(one) for one in entries.values()):
            return dict(entries)
    except (ValueError, AttributeError, RecursionError):
        pass
    raise ConfigError(
        f"{file}: the list of your workspaces is damaged; correct it, or delete it and run "
        "`memdown init` in each of them again."
    )


def _is_entry(one: Any) -> bool:
    paths = one.get("extraPaths") if isinstance(one, dict) else None
    return isinstance(paths, list) and all(isinstance(path, str) for path in paths)


def _changed(state_dir: Path, change: Callable[[dict[str, Any]], bool]) -> bool:
    import json

    file = list_file(state_dir)
    try:
        with _locked(state_dir):
            entries = _read(file)
            changed = change(entries)
            if changed:
                text = json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
                replace_file(file, text.encode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{file}: the list of your workspaces cannot be written ({error.strerror}); it was "
            "left as it is."
        ) from None
    return changed


@contextlib.contextmanager
def _locked(state_dir: Path) -> Iterator[None]:
    make_folder(state_dir)
    descriptor = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        acquire_or_fail(descriptor)
        yield
    finally:
        release(descriptor)
