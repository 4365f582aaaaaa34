"""The commands of `qmd` that are used, run with a time limit and nothing left behind.

Their environment is made so that nothing but ours is touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memdown.backends.qmd.collections import Collection
from memdown.config.settings import QmdSettings
from memdown.files import locked, make_folder, replace_file
from memdown.notes import date_of
from memdown.search.rank import cited
from memdown.text import without_stop_words
from memdown.types import Hit

MOST_OUTPUT = 8_000_000
# How often it is looked whether the command has ended or is no longer wanted.
_TICK_SECONDS = 0.1
# What a command's own children may still print after it has ended.
_DRAIN_SECONDS = 0.3
_PIECE = 65_536


class CommandFailed(Exception):
    """The command gave no usable answer; says why."""


class CommandMissing(CommandFailed):
    """The command is not installed or cannot be started."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended and what it printed."""

    code: int
    stdout: str
    stderr: str


def run(
    command: Sequence[str],
    *,
    environ: Mapping[str, str],
    folder: Path,
    timeout: float,
    stop: threading.Event | None = None,
    most: int = MOST_OUTPUT,
) -> Finished:
    """Run a command to its end; when it takes too long or prints too much, all of it is killed.

    The command gets a process group of its own, so that what it has started dies with it.
    """
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandMissing(f"{command[0]} cannot be started ({error.strerror})") from None
    with process:
        try:
            return _collected(process, _shown(command), timeout, stop, most)
        finally:
            # Before the process is waited for, nobody else can have got its number.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def _collected(
    process: subprocess.Popen[bytes],
    name: str,
    timeout: float,
    stop: threading.Event | None,
    most: int,
) -> Finished:
    deadline = time.monotonic() + timeout
    printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    size = 0
    ended = False
    with selectors.DefaultSelector() as selector:
        for stream in printed:
            selector.register(getattr(process, stream), selectors.EVENT_READ, stream)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                if ended:
                    break
                raise CommandFailed(f"{name} gave no answer within {timeout:g} s")
            if stop is not None and stop.is_set():
                raise CommandFailed(f"{name} was stopped")
            for key, _ in selector.select(min(left, _TICK_SECONDS)):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fileobj)
                size += len(piece)
                printed[key.data].append(piece)
            if size > most:
                raise CommandFailed(f"{name} printed more than {most / 1e6:g} MB")
            if not ended and _has_ended(process.pid):
                ended = True
                deadline = min(deadline, time.monotonic() + _DRAIN_SECONDS)
    while not ended and not _has_ended(process.pid):
        if time.monotonic() > deadline:
            raise CommandFailed(f"{name} gave no answer within {timeout:g} s")
        time.sleep(_TICK_SECONDS / 10)
    code = process.wait()
    stdout, stderr = (b"".join(pieces).decode("utf-8", "replace") for pieces in printed.values())
    return Finished(code, stdout, stderr)


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, without taking note: its number must stay its own."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _shown(command: Sequence[str]) -> str:
    return f"`{' '.join([Path(command[0]).name, *command[1:2]])}`"


_LISTED = re.compile(r"^(\S+) \(qmd://", re.MULTILINE)
_WORD = re.compile(r"[^\s?!.,;:()\[\]]+(?:[.:][^\s?!.,;:()\[\]]+)*")
_DAMAGED = ("file is not a database", "database disk image is malformed", "SQLITE_CORRUPT")


class Commands:
    """`qmd` with its own configuration, index and cache under `home`."""

    def __init__(
        self,
        settings: QmdSettings,
        home: Path,
        environ: Mapping[str, str],
        stop: threading.Event,
    ) -> None:
        self._settings = settings
        self._home = home
        self._stop = stop
        self._config = home / "xdg-config"
        self._cache = home / "xdg-cache"
        self._models = _user_models(environ)
        self._environ = {
            **environ,
            "XDG_CONFIG_HOME": str(self._config),
            "XDG_CACHE_HOME": str(self._cache),
            # These two win over a project's own `.qmd` folder somewhere above.
            "QMD_CONFIG_DIR": str(self._config / "qmd"),
            "INDEX_PATH": str(self._index),
            "NO_COLOR": "1",
        }

    @property
    def _index(self) -> Path:
        return self._cache / "qmd" / "index.sqlite"

    def make_home(self) -> None:
        """The folders that everything is kept in; models are shared with the user's own `qmd`."""
        for folder in (self._config / "qmd", self._cache / "qmd"):
            make_folder(folder)
        models = self._cache / "qmd" / "models"
        if self._models.is_dir() and not models.exists() and not models.is_symlink():
            models.symlink_to(self._models)

    def make_collections(self, wanted: Sequence[Collection], made: Mapping[str, list[str]]) -> None:
        """Add, replace and remove collections until there are exactly those that are wanted."""
        if self._index.exists() and {one.name: one.record for one in wanted} == dict(made):
            return
        there = set(_LISTED.findall(self._small("collection", "list").stdout))
        keep = {one.name for one in wanted if made.get(one.name) == one.record}
        for name in sorted(there - keep):
            self._small("collection", "remove", name)
        for one in wanted:
            if one.name not in there & keep:
                folder, mask = str(one.folder), one.pattern
                self._checked(
                    ["collection", "add", folder, "--name", one.name, "--mask", mask],
                    self._settings.update.update_timeout_ms,
                )

    def update(self) -> None:
        """Index what changed."""
        self._checked(["update"], self._settings.update.update_timeout_ms)

    def embed(self) -> None:
        """Make the vectors that are missing."""
        self._checked(["embed"], self._settings.update.embed_timeout_ms)

    def search(self, query: str, count: int, timeout: float) -> str:
        """What a search prints."""
        # After `--` a query may start with a dash.
        return self._checked(
            [self._settings.search_mode, "--json", "-n", str(count), "--", query], timeout * 1000
        ).stdout

    def wordings(self, query: str) -> Iterator[str]:
        """A question as it is and, since `qmd search` wants every word of it, its telling words."""
        yield query
        if self._settings.search_mode == "search":
            words = _WORD.findall(query)
            meaningful = [word for word in words if without_stop_words([word.lower()])]
            if meaningful and len(meaningful) < len(words) and '"' not in query:
                yield " ".join(meaningful)

    def remove_index(self) -> None:
        """Forget a damaged index."""
        for suffix in ("", "-wal", "-shm"):
            self._index.with_name(self._index.name + suffix).unlink(missing_ok=True)
        for file in (self._config / "qmd").glob("*.yml"):
            file.unlink(missing_ok=True)

    def is_damaged(self, reason: str) -> bool:
        """Whether a command failed because of what it read in the index."""
        return any(sign in reason for sign in _DAMAGED)

    def _small(self, *arguments: str) -> Finished:
        return self._checked(list(arguments), self._settings.update.command_timeout_ms)

    def _checked(self, arguments: list[str], timeout_ms: float) -> Finished:
        try:
            finished = run(
                [self._settings.command, *arguments],
                environ=self._environ,
                folder=self._home,
                timeout=timeout_ms / 1000,
                stop=self._stop,
            )
        except CommandMissing as error:
            raise CommandMissing(f"{error}: npm install -g @tobilu/qmd") from None
        if finished.code != 0:
            raise CommandFailed(
                f"`qmd {arguments[0]}` failed with exit code {finished.code}"
                f"{_complaint(finished.stderr)}"
            )
        return finished


def _complaint(stderr: str) -> str:
    """The telling line of what was printed: of a stack trace the one that names the error."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"\w*Error\b", line)] or lines[:1]
    return f": {named[0][:200]}" if named else ""


def _user_models(environ: Mapping[str, str]) -> Path:
    cache = environ.get("XDG_CACHE_HOME")
    home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111
    return (Path(cache) if cache else Path(home) / ".cache") / "qmd" / "models"


_PLACE = re.compile(r"qmd://([^/]+)/(.+)", re.DOTALL)
# The line above a snippet: "@@ -2,4 @@ (1 before, 5 after)".
_SPAN = re.compile(r"@@ -([0-9]{1,9}),([0-9]{1,9}) @@[^\n]*(?:\n|$)")


def read_results(text: str, collections: Sequence[Collection]) -> list[Hit]:
    """The hits in an output of `--json`, best first."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise CommandFailed(f"qmd printed no JSON but {_beginning(text)}") from None
    if not isinstance(items, list):
        raise CommandFailed(f"qmd printed no list of results but {_beginning(text)}")
    by_name = {collection.name: collection for collection in collections}
    return [hit for item in items if (hit := _hit(item, by_name)) is not None]


def within(hits: Sequence[Hit], *, most: int, snippet_chars: int, all_chars: int) -> list[Hit]:
    """The first `most` hits, their snippets cut so that all of them together fit."""
    return list(_cut(hits[:most], snippet_chars, all_chars))


def _cut(hits: Sequence[Hit], snippet_chars: int, left: int) -> Iterator[Hit]:
    for hit in hits:
        if left <= 0:
            return
        snippet = hit.snippet[: min(snippet_chars, left)]
        left -= len(snippet)
        end = min(hit.end_line, hit.start_line + snippet.count("\n"))
        yield cited(
            Hit(
                path=hit.path,
                source=hit.source,
                start_line=hit.start_line,
                end_line=max(hit.start_line, end),
                score=hit.score,
                snippet=snippet,
                relevance=hit.score,
                date=hit.date,
            )
        )


def _hit(item: Any, by_name: dict[str, Collection]) -> Hit | None:
    """One result; None if it is of no collection of ours, such as one someone added by hand."""
    if not isinstance(item, dict):
        raise CommandFailed(f"qmd printed a result that is no object: {_beginning(str(item))}")
    file, snippet, score = item.get("file"), item.get("snippet", ""), item.get("score")
    if not isinstance(file, str) or not isinstance(snippet, str):
        raise CommandFailed("qmd printed a result without a file and a snippet")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise CommandFailed("qmd printed a result without a score")
    place = _PLACE.fullmatch(file)
    collection = by_name.get(place[1]) if place else None
    if place is None or collection is None or ".." in place[2].split("/"):
        return None
    start, snippet = _span(snippet, item.get("line"))
    path = collection.shown(place[2])
    bounded = min(1.0, max(0.0, float(score)))
    if not path.isprintable() or bounded != bounded:
        return None
    end = start + snippet.removesuffix("\n").count("\n")
    return Hit(
        path,
        collection.source,
        start,
        end,
        bounded,
        snippet.removesuffix("\n"),
        relevance=bounded,
        date=date_of(path),
    )


def _span(snippet: str, line: Any) -> tuple[int, str]:
    """The first line of a snippet, and the snippet without the line that tells so."""
    span = _SPAN.match(snippet)
    if span:
        return max(1, int(span[1])), snippet[span.end() :]
    good = isinstance(line, int) and not isinstance(line, bool) and line >= 1
    return (line if good else 1), snippet


def _beginning(text: str) -> str:
    short = " ".join(text.split())[:80]
    return repr(short) if short else "nothing"


_FIRST_REST_SECONDS = 15.0
_LONGEST_REST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Rest:
    """After a failure nothing is tried until `until`; each further failure rests twice as long."""

    failures: int = 0
    until: float = 0.0
    reason: str = ""

    def after_failure(self, reason: str, now: float) -> Rest:
        """One failure more."""
        pause = min(_LONGEST_REST_SECONDS, _FIRST_REST_SECONDS * 2.0 ** min(self.failures, 16))
        return Rest(self.failures + 1, now + pause, reason)

    def is_over(self, now: float) -> bool:
        """Whether it may be tried (again); a clock that was set back does not stop it for ever."""
        return now >= self.until or self.until - now > _LONGEST_REST_SECONDS


@dataclass(frozen=True, slots=True)
class QmdState:
    """Times are seconds since 1970; `collections` are those that were made, as name → record."""

    updated: float = 0.0
    embedded: float = 0.0
    notes: str = ""
    collections: Mapping[str, list[str]] = field(default_factory=dict)
    searching: Rest = Rest()
    updating: Rest = Rest()
    embedding: Rest = Rest()


def read_notebook(file: Path) -> QmdState:
    """What was written down; nothing if there is none or it makes no sense."""
    try:
        data = json.loads(file.read_bytes())
        data |= {name: Rest(**data[name]) for name in ("searching", "updating", "embedding")}
        known = {one.name for one in fields(QmdState)}
        return QmdState(**{name: data[name] for name in data if name in known})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return QmdState()


def write_notebook(file: Path, **changes: object) -> QmdState:
    """Change what is written down; other processes may be changing other things of it."""
    with locked(file.with_suffix(".lock")):
        book = replace(read_notebook(file), **changes)  # type: ignore[arg-type]
        replace_file(file, json.dumps(asdict(book)).encode("utf-8"))
    return book


@contextlib.contextmanager
def alone(file: Path) -> Iterator[bool]:
    """Be the only process that updates; False if another one is at it."""
    with locked(file, timeout=0) as acquired:
        yield acquired
