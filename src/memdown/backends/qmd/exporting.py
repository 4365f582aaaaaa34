"""Transcripts as Markdown files that `qmd` can index: redacted, and gone after their time.

Every export bears a mark with its own name. A file without it is somebody else's and is never
written, replaced or removed, wherever the exports are put.
"""

from __future__ import annotations

import itertools
import logging
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from memdown.errors import MemdownError
from memdown.files import make_folder
from memdown.transcripts import Turn, read_turns, scan_transcripts
from memdown.transcripts.messages import flattened

log = logging.getLogger("memdown")
_DAY_SECONDS = 86_400
_LONGEST_HEAD = 4096


def export_transcripts(
    transcripts: Path, target: Path, *, retention_days: int | None, now: float | None = None
) -> int:
    """Bring the exports up to date with the transcripts; how many were written.

    An export bears the time of its transcript, which tells whether it is up to date. A transcript
    whose name is taken by somebody else's file is not exported.
    """
    make_folder(target)
    oldest = 0.0
    if retention_days is not None:
        oldest = (time.time() if now is None else now) - retention_days * _DAY_SECONDS
    kept = set()
    written = 0
    for path, state in scan_transcripts(transcripts).files.items():
        if state.mtime_ns / 1e9 < oldest:
            continue
        name = path.rpartition("/")[2].removesuffix(".jsonl")
        export = target / f"{name}.md"
        kept.add(export.name)
        if os.path.lexists(export) and not _is_ours(export):
            log.warning("%s is no export of ours, so %s is not exported.", export, path)
            continue
        if _is_fresh(export, state.mtime_ns):
            continue
        try:
            text = _markdown(name, read_turns(str(transcripts), path))
        except MemdownError:
            continue
        _write(export, text, state.mtime_ns)
        written += 1
    for export in target.glob("*.md"):
        if export.name not in kept and _is_ours(export):
            export.unlink(missing_ok=True)
    return written


def refusal(target: Path, workspace: Path) -> str | None:
    """Why exports must not go there: among the notes they would become notes themselves."""
    exports, notes = target.resolve(), workspace.resolve()
    if exports == notes or notes in exports.parents:
        where = "lies in the workspace"
    elif exports in notes.parents:
        where = "holds the workspace"
    else:
        return None
    return (
        f"memory.qmd.sessions.exportDir is {target}, which {where} {workspace}; "
        "name a folder of its own, or leave it out"
    )


def _is_ours(export: Path) -> bool:
    """Whether a file is an export: by its mark, or as older versions wrote them, word for word."""
    try:
        descriptor = os.open(export, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return False
        head = f"# Session {export.stem}\n".encode("utf-8", "replace")
        if file.readline(_LONGEST_HEAD) != head:
            return False
        second = file.readline(_LONGEST_HEAD)
        if second == f"{_mark(export.stem)}\n".encode("utf-8", "replace"):
            return True
        lines = itertools.chain([second], file)
        return all(
            not line.strip() or line.startswith((b"User: ", b"Assistant: ")) for line in lines
        )


def _mark(name: str) -> str:
    return f"<!-- Exported by memdown from sessions/{name}.jsonl; changes are lost. -->"


def _is_fresh(export: Path, mtime_ns: int) -> bool:
    try:
        return export.lstat().st_mtime_ns == mtime_ns
    except OSError:
        return False


def _markdown(name: str, turns: Iterator[Turn]) -> str:
    lines = [f"# Session {name}", _mark(name), ""]
    for turn in turns:
        if turn.text.strip():
            lines += [flattened(turn.role, turn.text), ""]
    return "\n".join(lines)


def _write(export: Path, text: str, mtime_ns: int) -> None:
    draft = export.with_name(f".{export.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    os.utime(draft, ns=(mtime_ns, mtime_ns))
    draft.replace(export)
