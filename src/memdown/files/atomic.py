"""Replacing a file whole: whoever reads it sees the old one or the new one, also after a kill."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(file: Path, data: bytes) -> None:
    """Give a file new content; it keeps its mode, a new one is for its owner alone.

    The data is on the disk before the name leads to it. Nothing is left behind if that fails with
    an `OSError`; a kill leaves a hidden draft beside the file.
    """
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".new", dir=file.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        if file.exists():
            draft.chmod(file.stat().st_mode & 0o777)
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
