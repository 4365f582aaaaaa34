"""The folders that are a workspace: the user's list of them, and the file `.memdown.json5` in each.

The list lies in the state folder, outside of all of them. What a checkout brings along can never put it
there, so only what is on it is given to agents without being named. The file may come with a foreign
checkout, so all it can do is name notes inside its own folder.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from memdown.errors import ConfigError
from memdown.files import acquire_or_fail, make_folder, release, replace_file
from memdown.values import dataclass

LIST_NAME = "workspaces.json"
_MOST_LIST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class OwnWorkspaces:
    """The listed folders, by real path, each with the extra paths that belong to it alone."""

    extra_paths: Mapping[str, tuple[str, ...]]

    def lists(self, folder: Path) -> bool:
        """Whether the user made this folder a workspace."""
        return real(folder) in self.extra_paths

    def paths_of(self, folder: Path) -> tuple[str, ...]:
        """The extra paths of this folder alone."""
        return self.extra_paths.get(real(folder), ())


def real(folder: Path) -> str:
    """What a folder is known by, whatever links lead to it."""
    return os.path.realpath(folder)


def list_file(state_dir: Path) -> Path:
    """Where the list stands."""
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
            data = opened.read(_MOST_LIST_BYTES)
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


MARKER = ".memdown.json5"
KEYS = ("adopt", "extraPaths")
NEW_MARKER = """\
// This folder is a Memdown workspace. The file can only name notes in the folder itself, so it is
// safe to commit. .gitignore and .memdownignore leave notes out.
{
  // All Markdown here counts as notes, where it stands.
  adopt: true,
}
"""
_MOST_MARKER_BYTES = 64 * 1024
_MOST_PATHS = 200


@dataclass(frozen=True, slots=True)
class Marker:
    """What the file of a workspace says; `notes` tells what was not taken as written."""

    adopt: bool = False
    extra_paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_marker(folder: Path) -> Marker:
    """What the file in this folder says; without one, nothing beside MEMORY.md and memory/ counts."""
    file = folder / MARKER
    text = _text(file)
    if text is None:
        return Marker()
    # Imported only now: most workspaces have no such file.
    from memdown.config.document import parse_document

    return check_marker(parse_document(file, text), file)


def write_marker(folder: Path) -> None:
    """Make all Markdown in a folder count; a file that is there is left as it is."""
    file = folder / MARKER
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(NEW_MARKER)
    except FileExistsError:
        return
    except OSError as error:
        raise ConfigError(f"{file}: this file cannot be written ({error.strerror}).") from None


def check_marker(tree: Mapping[str, object], file: Path) -> Marker:
    """The content of such a file, if it is one that may be obeyed."""
    adopt, paths = tree.get("adopt", False), tree.get("extraPaths", [])
    if not isinstance(adopt, bool):
        raise ConfigError(f"{file}: adopt must be true or false; correct it or remove the key.")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise ConfigError(f"{file}: extraPaths must be a list of paths; correct it or remove it.")
    if len(paths) > _MOST_PATHS:
        raise ConfigError(f"{file}: extraPaths has more than {_MOST_PATHS} paths; name folders.")
    for path in paths:
        if not is_inside(path):
            raise ConfigError(
                f"{file}: extraPaths names {path[:80]!r}, which is not inside this folder, and "
                "this file may name nothing else: take it out, and run `memdown config set --here "
                "extraPaths` to add it for yourself."
            )
    return Marker(adopt, tuple(paths), tuple(_unknown(tree, file)))


def is_inside(path: str) -> bool:
    """Whether a path, taken from a folder, stays in it."""
    return not path.startswith(("/", "~")) and ".." not in PurePosixPath(path).parts


def _unknown(tree: Mapping[str, object], file: Path) -> list[str]:
    from memdown.config.keys import closest

    notes = []
    for key in tree:
        if key not in KEYS:
            meant = closest(key, KEYS)
            hint = f"; did you mean {meant}?" if meant else f"; the keys are {', '.join(KEYS)}."
            notes.append(f"{file}: {key[:80]} is not read here{hint}")
    return notes


def _text(file: Path) -> str | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        # What is wrong with the folder itself is told when it is opened.
        if not os.access(file.parent, os.R_OK | os.X_OK):
            return None
        raise ConfigError(
            f"{file}: this file cannot be read ({error.strerror}); check it or remove it."
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ConfigError(f"{file}: this is not a regular file; remove it.")
        data = os.read(descriptor, _MOST_MARKER_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > _MOST_MARKER_BYTES:
        raise ConfigError(
            f"{file}: this file is larger than {_MOST_MARKER_BYTES // 1024} kB; check it."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: this file is not UTF-8 text; save it as UTF-8.") from None
