"""What every page and every call works on: one memory, what the server may do with it, and templates."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import hashlib
import json
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from memdown.errors import MemdownError, ReadOnly
from memdown.facts.reviewing import Proposal
from memdown.memory import Memory
from memdown.shapes import report_json
from memdown.types import Progress, SyncReport
from memdown.web.guard import Access
from memdown.web.library import Derived, Library, Names, names_of, proposals_of
from memdown.web.rendering import Known, note_url

log = logging.getLogger("memdown")

_TICK_SECONDS = 0.1
_WAIT_SECONDS = 2.0
# These compute vectors on this machine; to all others, a question is sent.
_AT_HOME = frozenset({"better", "bundled", "local", "none"})


class SyncJob:
    """The sync that runs or ran last."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._state: dict[str, Any] = {"state": "idle", "completed": 0, "total": 0, "label": ""}
        self.report: SyncReport | None = None

    def start(self, *, force: bool) -> bool:
        """Begin, unless one is running; whether this call began it."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return False
            self._set(state="running", completed=0, total=0, label="", began=time.time())
            self._thread = threading.Thread(
                target=self._run, args=(force,), name="memdown-web-sync", daemon=True
            )
            self._thread.start()
            return True

    def wait(self) -> None:
        """Wait until the sync that runs has ended."""
        if self._thread is not None:
            self._thread.join()

    def state(self) -> dict[str, Any]:
        """How far it is, or how it ended."""
        return dict(self._state)

    async def events(self) -> AsyncIterator[str]:
        """The state as server-sent events, whenever it changed, until the job has ended."""
        last: dict[str, Any] | None = None
        while True:
            state = self.state()
            if state != last:
                yield f"event: progress\ndata: {json.dumps(state)}\n\n"
                last = state
            if state["state"] != "running":
                return
            await asyncio.sleep(_TICK_SECONDS)

    def _run(self, force: bool) -> None:
        try:
            self.report = self._memory.sync(force=force, progress=self._progress)
        except MemdownError as error:
            self._set(state="failed", error=str(error))
        except BaseException:
            self._set(state="failed", error="The sync stopped for an unknown reason; see the log.")
            raise
        else:
            self._set(state="done", report=report_json(self.report))

    def _progress(self, progress: Progress) -> None:
        self._state |= {
            "completed": progress.completed,
            "total": progress.total,
            "label": progress.label,
        }

    def _set(self, **changes: Any) -> None:
        keep = {key: self._state[key] for key in ("completed", "total", "label")}
        self._state = {**keep, **changes}


@dataclass(slots=True)
class Site:
    """One running server."""

    memory: Memory
    access: Access
    read_only: bool = False
    job: SyncJob = field(init=False)
    library: Library = field(init=False)
    names: Derived[Names] = field(init=False)
    proposals: Derived[tuple[Proposal, ...]] = field(init=False)
    # What was decided since the start, in case it is taken back.
    decided: dict[str, Proposal] = field(default_factory=dict, init=False)
    is_following: bool = field(default=False, init=False)
    # What was last found out of the journal, by name, with the facts of the files it was read from.
    found: dict[str, tuple[object, Any]] = field(default_factory=dict, init=False)
    _revision: int = field(default=0, init=False)
    _is_changed: bool = field(default=False, init=False)
    _provider: str | None = field(default=None, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _follower: threading.Thread | None = field(default=None, init=False)
    _lonely: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self.job = SyncJob(self.memory)
        self.library = Library(self.memory)
        self.names = names_of(self.library, self._renew)
        self.proposals = proposals_of(self.memory, self.library, self._renew)

    @property
    def revision(self) -> int:
        """A number that grows whenever notes or the index have changed."""
        return self._revision

    def _renew(self) -> None:
        """Let the pages know that there is something new."""
        self._revision += 1

    def current_library(self) -> Library:
        """The texts of all notes; looked at again after a change, or if the notes are not followed."""
        if not self.is_following or self._is_changed:
            self._is_changed = False
            self.library.refresh()
        return self.library

    def expect_changes(self) -> None:
        """The next page looks at the notes again: what was changed here must be seen at once."""
        self._is_changed = True

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """Index what changes, and let the pages know, while the block runs."""
        self._start_following()
        try:
            yield
        finally:
            self._stop_following()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Follow nothing while the block runs: it rewrites what is derived from the notes."""
        with self._lonely:
            followed = self._follower is not None
            self._stop_following()
            try:
                yield
            finally:
                self.library.refresh()
                self._revision += 1
                if followed:
                    self._start_following()

    def _start_following(self) -> None:
        self._stop = threading.Event()
        self._follower = threading.Thread(
            target=self._follow, args=(self._stop,), name="memdown-web-follow", daemon=True
        )
        self._follower.start()

    def _stop_following(self) -> None:
        if self._follower is not None:
            self._stop.set()
            self._follower.join()
            self._follower = None
        self.names.wait()
        self.proposals.wait()

    def _follow(self, stop: threading.Event) -> None:
        try:
            self.library.refresh()
            self.is_following = True
            self.names.now()
            # A first index may cost money, so that it waits for the first search.
            while self.sends_away and not self.memory.status().store.files:
                if stop.wait(_WAIT_SECONDS):
                    return
            self.job.start(force=False)
            self.job.wait()
            for _ in self.memory.watch(stop):
                self.library.refresh()
                self.names.now()
                self._revision += 1
        except MemdownError as error:
            log.warning("The pages no longer follow the notes: %s", error)
        finally:
            self.is_following = False

    @property
    def sends_away(self) -> bool:
        """Whether a question is sent to a provider to be embedded."""
        if self._provider is None:
            self._provider = self.memory.status().provider
        return self._provider not in _AT_HOME

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.memory.settings.workspace

    def today(self) -> datetime.date:
        """The local date, in which daily logs are written."""
        return datetime.date.today()  # noqa: DTZ011

    def check_writable(self) -> None:
        """Refuse a change in read-only mode."""
        if self.read_only:
            raise ReadOnly("This page is read-only; start `memdown serve` without --read-only.")

    def known(self) -> Known:
        """Tells which paths are notes."""
        return self.current_library().files.__contains__


HERE = Path(__file__).parent
STATIC = HERE / "static"
_MARK = re.compile(r"^\s*(?:[-*+]|#{1,6})\s+")
_THEMES = frozenset({"light", "dark"})


def static_version(folder: Path) -> str:
    """A digest of all static files, so that browsers may keep them until they change."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def count(number: float, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 note", "2 notes"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(date: datetime.date, today: datetime.date) -> str:
    """A day as people say it."""
    days = (today - date).days
    if days == 0:
        return "today"
    if days == 1:
        return "yesterday"
    if 1 < days < 14:
        return f"{days} days ago"
    if 14 <= days < 60:
        return f"{days // 7} weeks ago"
    if 60 <= days < 730:
        return f"{round(days / 30.4)} months ago"
    return f"{days // 365} years ago" if days > 0 else f"in {count(-days, 'day')}"


def size(number: float) -> str:
    """Bytes as people read them."""
    for unit in ("bytes", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def moment(seconds: float) -> str:
    """A time in the zone of whoever looks at it."""
    local = datetime.datetime.fromtimestamp(seconds, datetime.UTC).astimezone()
    return local.strftime("%-d %B %Y, %H:%M")


def unbulleted(text: str) -> str:
    """A line of a note without the mark that begins it."""
    return _MARK.sub("", text)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {"version": static_version(STATIC), "note_url": note_url}
    environment.filters |= {
        "count": count,
        "ago": ago,
        "size": size,
        "unbulleted": unbulleted,
        "moment": moment,
    }
    return environment


_templates = _environment()


def render(name: str, values: Mapping[str, Any]) -> str:
    """One template as text."""
    return _templates.get_template(name).render(values)


def page(
    site: Site, request: Request, name: str, values: Mapping[str, Any], *, status: int = 200
) -> Response:
    """A whole page or a part of one, with what every template may use."""
    theme = request.cookies.get("memdown_theme", "")
    shared = {
        "csrf": site.access.csrf,
        "read_only": site.read_only,
        "is_logged": site.memory.settings.use.enabled,
        "revision": site.revision,
        "theme": theme if theme in _THEMES else "",
        "today": site.today(),
        "folder": site.folder.name or str(site.folder),
        "request_path": str(request.scope["path"]),
        "query": "",
        "section": "",
    }
    return HTMLResponse(render(name, {**shared, **values}), status)
