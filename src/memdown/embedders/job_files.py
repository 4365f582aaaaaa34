"""Batch jobs that were started, one small file each, so that whoever syncs next can collect them."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memdown.files.private import make_folder

log = logging.getLogger("memdown")


@dataclass(frozen=True, slots=True)
class Job:
    """A job at a provider, and the digests of the texts that it was given."""

    id: str
    names: tuple[str, str, str]
    digests: tuple[str, ...]
    file: Path


def write_down(folder: Path, job: str, names: tuple[str, str, str], digests: Sequence[str]) -> None:
    """Keep a job that was just started; the file appears whole or not at all."""
    make_folder(folder)
    data = {"names": names, "job": job, "created": int(time.time()), "digests": list(digests)}
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".new")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(data, file)
        file.flush()
        os.fsync(file.fileno())
    Path(temporary).rename(folder / f"{time.time_ns()}.json")


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
