"""Batch jobs: thousands of texts given to a provider in one file, collected when it is done.

Results go into the cache of embeddings; whatever a job did not bring is missing there, and is
embedded in the normal way. A job is written down before it is waited for, one small file each, so a
stopped process, or a sync that does not wait, loses nothing: whoever syncs next can collect it.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from memdown.embedders.http import Http, stopped
from memdown.embedders.options import MOST_JOB_FAILURES, JobOptions, Sent, normalised
from memdown.errors import BadAnswer, EmbedderError, ProviderTimeout
from memdown.files import make_folder, replace_file
from memdown.text import estimate_tokens
from memdown.types import JobStatus, Vector, Vectors

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


_TEXTS_A_JOB = 10_000
_BYTES_A_JOB = 64 << 20
_VECTORS_A_WRITE = 256
_LOOKS_AFTER_CANCEL = 10

Remember: TypeAlias = Callable[[Sequence[str], Vectors], None]


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job stands; `output` names what can be downloaded, if anything."""

    state: Literal["running", "done", "failed"]
    output: str | None = None
    error: str | None = None


class JobApi(Protocol):
    """What differs between the providers."""

    def line(self, digest: str, text: str) -> dict[str, Any]: ...

    def create(self, lines: bytes, load: Sent) -> str: ...

    def look(self, job: str) -> JobState: ...

    def download(self, output: str, into: Path) -> None: ...

    def read(self, line: Any) -> tuple[str, Any]:
        """The id and the vector in a line of results; KeyError or the like where it failed."""

    def cancel(self, job: str) -> None: ...


class Jobs:
    """The jobs of one embedder. `least_texts` are worth a job; `texts_a_job` go into one."""

    def __init__(
        self,
        api: JobApi,
        http: Http,
        names: tuple[str, str, str],
        options: JobOptions,
        folder: Path,
    ) -> None:
        self.failures = 0
        self.waits = options.wait
        self.least_texts = options.least_texts
        self._api = api
        self._http = http
        self._names = names
        self._options = options
        self._folder = folder

    @property
    def usable(self) -> bool:
        """False once two things failed in this process."""
        return self.failures < MOST_JOB_FAILURES

    def pending(self) -> int:
        """How many jobs were started and not collected yet."""
        return len(self._open())

    def status(self) -> JobStatus:
        """How jobs are done, and the last thing that went wrong, in whichever process."""
        options, failed = self._options, read_failure(self._folder)
        return JobStatus(
            enabled=True,
            pending=self.pending(),
            failures=failed.count if failed else 0,
            limit=MOST_JOB_FAILURES,
            wait=options.wait,
            concurrency=options.concurrency,
            poll_seconds=options.poll_seconds,
            timeout_seconds=options.timeout_seconds,
            last_error=failed.reason if failed else None,
            last_provider=failed.provider if failed else None,
        )

    def waiting_for(self) -> frozenset[str]:
        """The digests of the texts in those jobs."""
        return frozenset(digest for job in self._open() for digest in job.digests)

    def run(self, texts: Iterable[tuple[str, str]], remember: Remember) -> None:
        """Start jobs for texts (digest, text), if they are enough; and collect what is done."""
        most = self._options.concurrency
        for file in _files(texts, self._api, self.least_texts):
            while self.waits and self.pending() >= most:
                if not self._wait_for_one(remember):
                    return
            if self.pending() >= most or not self._start(file):
                break
        self.collect(remember)

    def collect(self, remember: Remember) -> None:
        """Keep what finished jobs brought; if jobs are waited for, stay until all are over."""
        if not self.waits:
            for job in self._open():
                self._try(partial(self._fetch, job, remember))
            return
        while self._open() and self._wait_for_one(remember):
            pass

    def _start(self, file: _JobFile) -> bool:
        while self.usable:
            created: list[str] = []
            if self._try(lambda kept=created: kept.append(self._api.create(file.lines, file.load))):  # type: ignore[misc]
                write_down(self._folder, created[0], self._names, file.digests)
                return True
        return False

    def _wait_for_one(self, remember: Remember) -> bool:
        """Wait until a job is over; False when there is no use in waiting any more."""
        before = self.pending()
        deadline = time.monotonic() + self._options.timeout_seconds
        while True:
            for job in self._open():
                if not self._try(partial(self._fetch, job, remember)) and not self.usable:
                    return False
            if self.pending() < before:
                return True
            if time.monotonic() >= deadline:
                self._note(
                    ProviderTimeout(
                        f"A batch job at {self._http.place} was not done within "
                        f"{self._options.timeout_seconds / 60:g} minutes"
                    )
                )
                if not self.usable:
                    self._give_up(remember)
                    return False
                deadline = time.monotonic() + self._options.timeout_seconds
            self._pause()

    def _fetch(self, job: Job, remember: Remember) -> None:
        """Look at a job; if it is over, keep what it made and forget the job."""
        try:
            look = self._api.look(job.id)
            if look.state == "running":
                return
            kept = self._keep(look.output, job, remember) if look.output else 0
        except BadAnswer:
            # The provider does not know the job any more, or its results make no sense.
            job.file.unlink(missing_ok=True)
            raise
        job.file.unlink(missing_ok=True)
        if look.state == "failed":
            reason = look.error or "no reason was given"
            self._note(EmbedderError(f"A batch job at {self._http.place} failed: {reason}"))
            return
        forget_failure(self._folder)
        if kept < len(job.digests):
            log.warning(
                "%s of %s texts of a batch job at %s failed; they are sent again normally.",
                len(job.digests) - kept,
                len(job.digests),
                self._http.place,
            )

    def _keep(self, output: str, job: Job, remember: Remember) -> int:
        """Download results and remember the good ones, a few at a time; how many there were."""
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".results")
        os.close(handle)
        try:
            self._api.download(output, Path(name))
            kept = 0
            for digests, rows in _slices(self._results(Path(name), job)):
                remember(digests, rows)
                kept += len(digests)
        finally:
            Path(name).unlink(missing_ok=True)
        return kept

    def _results(self, file: Path, job: Job) -> Iterator[tuple[str, Vector]]:
        """The usable vectors in a file of results, one for each text that was asked for."""
        wanted = set(job.digests)
        dims: int | None = None
        with file.open("rb") as lines:
            for line in lines:
                try:
                    digest, vector = self._api.read(json.loads(line))
                    row: Vector = normalised(np.asarray([vector], dtype=np.float32))[0]
                except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                    continue
                if digest not in wanted or row.ndim != 1 or not row.any():
                    continue
                if dims is not None and row.size != dims:
                    continue
                dims = row.size
                wanted.discard(digest)
                yield digest, row

    def _give_up(self, remember: Remember) -> None:
        """Cancel what still runs, and keep what it made so far: it is paid for."""
        for job in self._open():
            try:
                self._api.cancel(job.id)
                look = self._api.look(job.id)
                for _ in range(_LOOKS_AFTER_CANCEL):
                    if look.state != "running":
                        break
                    self._pause()
                    look = self._api.look(job.id)
                if look.output:
                    self._keep(look.output, job, remember)
            except EmbedderError as error:
                if self._http.closed.is_set():
                    raise
                log.debug("A batch job could not be cancelled: %s", error)
            job.file.unlink(missing_ok=True)

    def _try(self, work: Callable[[], object]) -> bool:
        try:
            work()
        except EmbedderError as error:
            if self._http.closed.is_set():
                raise
            self._note(error)
            return False
        return True

    def _note(self, error: EmbedderError) -> None:
        self.failures += 1
        write_failure(self._folder, Failed(self._names[0], str(error), self.failures))
        then = "one more try" if self.usable else "batch jobs are off now and normal requests go on"
        log.warning("%s: %s.", str(error).rstrip("."), then)

    def _open(self) -> list[Job]:
        return open_jobs(self._folder, self._names)

    def _pause(self) -> None:
        if self._http.closed.wait(self._options.poll_seconds):
            raise stopped(self._http.place)


def _slices(results: Iterable[tuple[str, Vector]]) -> Iterator[tuple[list[str], Vectors]]:
    digests: list[str] = []
    rows: list[Vector] = []
    for digest, row in results:
        digests.append(digest)
        rows.append(row)
        if len(rows) == _VECTORS_A_WRITE:
            yield digests, np.stack(rows)
            digests, rows = [], []
    if rows:
        yield digests, np.stack(rows)


class _JobFile(NamedTuple):
    """What a job is made of: its lines, the digests of their texts, and what they weigh."""

    lines: bytes
    digests: list[str]
    load: Sent


def _files(texts: Iterable[tuple[str, str]], api: JobApi, least: int) -> Iterator[_JobFile]:
    """Texts as files for jobs; nothing if there are fewer than `least` in all."""
    waiting: list[tuple[str, str]] = []
    size = 0
    begun = False
    for digest, text in texts:
        waiting.append((digest, text))
        size += len(text.encode())
        if len(waiting) >= max(_TEXTS_A_JOB, least) or size >= _BYTES_A_JOB:
            begun = True
            yield _file(waiting, api)
            waiting, size = [], 0
    if waiting and (begun or len(waiting) >= least):
        yield _file(waiting, api)


def _file(texts: Sequence[tuple[str, str]], api: JobApi) -> _JobFile:
    lines = [json.dumps(api.line(digest, text), ensure_ascii=False) for digest, text in texts]
    characters = sum(len(text) for _, text in texts)
    tokens = sum(estimate_tokens(text) for _, text in texts)
    load = Sent("", "", len(texts), characters, tokens)
    data = ("\n".join(lines) + "\n").encode()
    return _JobFile(data, [digest for digest, _ in texts], load)
