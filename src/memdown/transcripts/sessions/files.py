"""The store's files: locked, replaced whole, and set aside when they are damaged."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from memdown import files
from memdown.errors import SessionError
from memdown.files import replace_file

_TRIES = 10
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 1.0
_MOST_BYTES = 256 * 1024 * 1024


@contextlib.contextmanager
def locked(folder: Path, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Be the one writer of a session store: ten tries, a little longer between each."""
    make_folder(folder)
    path = folder / ".lock"
    try:
        descriptor = files.open_file(path, os.O_RDWR)
    except OSError as error:
        raise _failed(path, "locked", error) from None
    try:
        wait = _FIRST_WAIT
        for attempt in range(_TRIES):
            if files.acquire(descriptor, 0):
                break
            if attempt == _TRIES - 1:
                raise SessionError(
                    f"The sessions in {folder} are being written by another process; "
                    "try again when it is done."
                )
            sleep(wait * random.uniform(0.8, 1.0))
            wait = min(2 * wait, _LONGEST_WAIT)
        yield
    finally:
        files.release(descriptor)


def make_folder(folder: Path) -> None:
    """A folder that only its owner can look into."""
    try:
        files.make_folder(folder)
    except OSError as error:
        raise _failed(folder, "created", error) from None


def read(path: Path) -> str | None:
    """A file's text; None if there is no such file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(path, "read", error) from None
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise SessionError(f"{path} is larger than 256 MB; compact or delete the session.")
    return data.decode("utf-8", "surrogateescape")


def write(path: Path, text: str) -> None:
    """Replace a file whole: whoever reads it sees the old or the new one."""
    make_folder(path.parent)
    try:
        replace_file(path, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise _failed(path, "written", error) from None


def backup(path: Path, *, move: bool) -> Path:
    """Keep a damaged file under a name of its own; the same damage is not kept twice."""
    data = path.read_bytes()
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        if aside.read_bytes() == data:
            break
        number += 1
    if move:
        path.replace(aside)
    elif not aside.exists():
        shutil.copyfile(path, aside)
        aside.chmod(0o600)
    return aside


def _failed(path: Path, what: str, error: OSError) -> SessionError:
    return SessionError(
        f"{path} cannot be {what} ({error.strerror}); check its permissions and the disk."
    )
