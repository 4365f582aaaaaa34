"""Files that are dropped on the page: a Markdown note, or an export of another memory, to be imported.

A file is kept in a private folder while the page shows what it would bring in; nothing is written to
the notes before the person says so.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memdown import imports
from memdown.errors import BadRequest, ImportFailed, NoteNotFound
from memdown.files import make_folder, open_file
from memdown.imports import ImportPlan, Step
from memdown.types import Failure
from memdown.web.site import Site

MAX_UPLOAD_BYTES: Final = 512 * 1024 * 1024
# A page that was left open longer sends its file again.
_KEPT_SECONDS: Final = 3_600
_MOST_LISTED: Final = 200
_ID: Final = re.compile(r"[0-9a-f]{16}")
_UNSAFE: Final = re.compile(r"[^\w .@+=()-]+")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent: its id, and where it is until it is imported or given up."""

    id: str
    file: Path


async def receive(site: Site, name: str, pieces: AsyncIterator[bytes]) -> Upload | None:
    """Keep what is being sent in a private file; None if it is too large."""
    site.check_writable()
    folder = _folder(site)
    try:
        make_folder(folder)
        _drop_old(folder)
        number = secrets.token_hex(8)
        make_folder(folder / number)
        file = folder / number / _safe_name(name)
        size = 0
        with os.fdopen(open_file(file, os.O_WRONLY | os.O_EXCL), "wb") as opened:
            async for piece in pieces:
                size += len(piece)
                if size > MAX_UPLOAD_BYTES:
                    break
                opened.write(piece)
    except OSError as error:
        raise ImportFailed(
            f"The file cannot be kept in {folder} ({error.strerror}); free some space or use "
            "`memdown import`."
        ) from None
    if size > MAX_UPLOAD_BYTES:
        shutil.rmtree(file.parent, ignore_errors=True)
        return None
    return Upload(number, file)


def look(site: Site, upload: Upload) -> dict[str, Any]:
    """What a file would bring in; one that holds nothing of use is dropped at once."""
    try:
        made = _plan(site, upload.file)
    except BaseException:
        shutil.rmtree(upload.file.parent, ignore_errors=True)
        raise
    listed = [step for step in made.steps if step.status != "same"]
    return {
        "upload": upload.id,
        "name": upload.file.name,
        "items": [_step_json(site, one) for one in listed[:_MOST_LISTED]],
        "more": max(0, len(listed) - _MOST_LISTED),
        **_counts(made),
    }


def bring_in(site: Site, number: str) -> dict[str, Any]:
    """Copy what a file holds into the notes and sessions; what is there already stays as it is."""
    site.check_writable()
    upload = _kept(site, number)
    done = imports.apply(_plan(site, upload.file), _destination(site))
    shutil.rmtree(upload.file.parent, ignore_errors=True)
    first = next((one for one in done.steps if one.item.kind == "note"), None)
    return {"first": _place(site, first) if first else None, **_counts(done)}


def give_up(site: Site, number: str) -> dict[str, Any]:
    """Drop a file that is not to be imported."""
    site.check_writable()
    upload = _kept(site, number)
    shutil.rmtree(upload.file.parent, ignore_errors=True)
    return {"upload": upload.id}


def _plan(site: Site, file: Path) -> ImportPlan:
    try:
        # The note says where it came from: by the file's name, not by the folder it is kept in.
        found = imports.find(str(file), None, {"HOME": str(file.parent)})
    except ImportFailed as error:
        raise ImportFailed(_by_name(str(error), file)) from None
    # The settings of another program are not taken over by a drop.
    items = [one for one in found.items if one.kind != "settings"]
    made = imports.plan(items, _destination(site), found.problems)
    problems = [Failure(file.name, _by_name(one.reason, file)) for one in made.problems]
    return ImportPlan(made.steps, tuple(problems))


def _by_name(said: str, file: Path) -> str:
    """The person knows a file by its name; where it is kept for the moment is nothing to them."""
    return said.replace(str(file), file.name)


def _destination(site: Site) -> imports.Destination:
    settings = site.memory.settings
    return imports.Destination(settings.workspace, settings.state_dir, settings.agent)


def _counts(made: ImportPlan) -> dict[str, Any]:
    coming = [one for one in made.steps if one.status in ("new", "update")]
    return {
        "notes": sum(one.item.kind == "note" for one in coming),
        "conversations": sum(one.item.kind == "transcript" for one in coming),
        "same": sum(one.status == "same" for one in made.steps),
        "kept": sum(one.status == "kept" for one in made.steps),
        "problems": [{"path": one.path, "reason": one.reason} for one in made.problems],
    }


def _step_json(site: Site, step: Step) -> dict[str, Any]:
    return {
        "kind": step.item.kind,
        "path": _place(site, step),
        "status": step.status,
        "bytes": step.size,
    }


def _place(site: Site, step: Step) -> str:
    is_note = step.item.kind == "note"
    return step.path.relative_to(site.folder).as_posix() if is_note else step.path.name


def _folder(site: Site) -> Path:
    return site.memory.settings.state_dir / "uploads"


def _kept(site: Site, number: str) -> Upload:
    if not _ID.fullmatch(number):
        raise BadRequest("`upload` is no id of an upload.")
    files = list(_files(_folder(site) / number))
    if not files:
        raise NoteNotFound("That file is no longer here; choose it again.")
    return Upload(number, files[0])


def _files(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from (one for one in folder.iterdir() if one.is_file())


def _drop_old(folder: Path) -> None:
    for one in folder.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - one.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(one, ignore_errors=True)


def _safe_name(name: str) -> str:
    """The name of a file without folders and signs; its ending tells what it is."""
    bare = _UNSAFE.sub("-", name.replace("\\", "/").rpartition("/")[2]).strip(" .-")
    stem, dot, ending = bare.rpartition(".")
    return f"{(stem or 'upload')[:80]}{dot}{ending[:20]}" if dot else (bare[:80] or "upload")
