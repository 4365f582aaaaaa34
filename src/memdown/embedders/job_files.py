"""Batch jobs that were started, one small file each, so that whoever syncs next can collect them."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memdown.files import make_folder, replace_file

log = logging.getLogger("memdown")

# Not a name that a job could have.
_FAILED = "last-failure"


@dataclass(frozen=True, slots=True)
class Job:
    """A job at a provider, and the digests of the texts that it was given."""

    id: str
    names: tuple[str, str, str]
    digests: tuple[str, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Failed:
    """The last thing that went wrong with jobs, and how many did in that process."""

    provider: str
    reason: str
    count: int


def read_failure(folder: Path) -> Failed | None:
    """What was written down last; None if nothing went wrong since a job went well."""
    try:
        return Failed(**json.loads((folder / _FAILED).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_failure(folder: Path, failed: Failed) -> None:
    """Keep what went wrong, for `memdown status` in another process."""
    try:
        make_folder(folder)
        _write(folder / _FAILED, asdict(failed))
    except OSError as error:
        log.debug("A failed batch job could not be noted in %s: %s", folder, error)


def forget_failure(folder: Path) -> None:
    """A job went well."""
    (folder / _FAILED).unlink(missing_ok=True)


def write_down(folder: Path, job: str, names: tuple[str, str, str], digests: Sequence[str]) -> None:
    """Keep a job that was just started; the file appears whole or not at all."""
    make_folder(folder)
    data = {"names": names, "job": job, "created": int(time.time()), "digests": list(digests)}
    _write(folder / f"{time.time_ns()}.json", data)


def _write(file: Path, data: object) -> None:
    replace_file(file, json.dumps(data).encode("utf-8"))


def open_jobs(folder: Path, names: tuple[str, str, str]) -> list[Job]:
    """The jobs of one provider, model and endpoint that were not collected yet, oldest first."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            job = Job(data["job"], tuple(data["names"]), tuple(data["digests"]), file)
        except (OSError, ValueError, KeyError, TypeError):
            log.warning("%s is not a readable batch job; delete it.", file)
            continue
        if job.names == names:
            found.append(job)
    return found
