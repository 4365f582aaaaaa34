"""Transcripts as Markdown files that `qmd` can index: redacted, and gone after their time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from memdown.errors import MemdownError
from memdown.private import make_folder
from memdown.transcripts import Turn, read_turns, scan_transcripts
from memdown.transcripts.messages import flattened

_DAY_SECONDS = 86_400


def export_transcripts(
    transcripts: Path, target: Path, *, retention_days: int | None, now: float | None = None
) -> int:
    """Bring the exports up to date with the transcripts; how many were written.

    An export bears the time of its transcript, which tells whether it is up to date. Only files
    that an export has made are ever removed: those with a transcript's name.
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
        if _is_fresh(export, state.mtime_ns):
            continue
        try:
            text = _markdown(name, read_turns(str(transcripts), path))
        except MemdownError:
            continue
        _write(export, text, state.mtime_ns)
        written += 1
    for export in target.glob("*.md"):
        if export.name not in kept and not export.is_symlink():
            export.unlink(missing_ok=True)
    return written


def _is_fresh(export: Path, mtime_ns: int) -> bool:
    try:
        return export.lstat().st_mtime_ns == mtime_ns
    except OSError:
        return False


def _markdown(name: str, turns: Iterator[Turn]) -> str:
    lines = [f"# Session {name}", ""]
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
