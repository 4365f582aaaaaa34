"""Opening a store by its name, which workspace a default index belongs to, and vectors from one store to another.

An agent has one index by default, yet may be used in several folders. The first folder gets the
documented file; the others get files of their own, so that no search ever shows notes of another
folder, and switching between folders rebuilds nothing.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from pathlib import Path
from typing import Any

from memdown.config.plugins import Seam
from memdown.errors import DiskFull, IndexBusy, StoreError
from memdown.files import make_folder
from memdown.index.store import Store

SEAM = Seam(
    "memdown.stores",
    "memdown.index",
    ("sqlite", "postgres", "lancedb"),
    "The store",
    "memorySearch.store.driver",
)


def open_store(driver: str, **options: Any) -> Store:
    """The store called `driver`, made from plain options."""
    store: Store = SEAM.maker(driver)(**options)
    return store


def index_path(default: Path, folder: Path) -> Path:
    """The file for a workspace's index; reads the claim and writes nothing."""
    owner = _owner(default)
    if owner is None or owner == folder:
        return default
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]
    return default.with_name(f"{default.stem}-{digest}{default.suffix}")


def claim(default: Path, folder: Path) -> None:
    """Note that the default index is this workspace's, before anything is written to it."""
    if _owner(default) is not None:
        return
    draft = default.with_name(f".{default.name}.{os.getpid()}.claim")
    try:
        _write(draft, os.fsencode(folder))
        with contextlib.suppress(FileNotFoundError):
            _claim_file(default).unlink()
        # A link is made by one process only, and with its content.
        os.link(draft, _claim_file(default))
    except FileExistsError:
        if _owner(default) not in (None, folder):
            raise IndexBusy(
                f"Another workspace just took the index {default}; run the command again."
            ) from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(
                f"No space left for the index {default}; free some and run the command again."
            ) from error
        raise StoreError(
            f"The index {default} cannot be claimed ({error.strerror}); check the folder's "
            "permissions, or set MEMDOWN_STATE_DIR to a folder you can write to."
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _write(file: Path, content: bytes) -> None:
    make_folder(file.parent)
    descriptor = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)


def _claim_file(default: Path) -> Path:
    return default.with_name(f"{default.name}.workspace")


def _owner(default: Path) -> Path | None:
    """The workspace that has the default index; None if none has, or it is gone."""
    try:
        owner = Path(os.fsdecode(_claim_file(default).read_bytes()))
    except OSError:
        return None
    return owner if owner.is_dir() else None


_AT_ONCE = 500
_ALL = 1 << 31


def copy_vectors(source: Store, target: Store) -> int:
    """Put the vectors of one index into the cache of another store; how many there were.

    The rows themselves are made from the notes, which hold all else.
    """
    fingerprint = source.fingerprint()
    if fingerprint is None:
        return 0
    with source.snapshot() as snapshot:
        keys, rows = snapshot.vectors(_ALL)
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            chunks = snapshot.chunks(some)
            digests = [chunks[key].chunk.digest for key in some]
            target.remember_vectors(fingerprint.key, digests, rows[first : first + _AT_ONCE])
    return len(keys)
