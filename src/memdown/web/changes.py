"""What was changed in the notes: by whom, what of it was looked at, and how it is taken back.

The journal knows every change; where the workspace is a git repository, its commits are shown as well.
Anyone who can write into the workspace can write its git settings, and those can name programs to run.
So git is only asked to read, with every setting that starts a program turned off.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from memdown.errors import NoteNotFound, UndoConflict, WorkspaceError
from memdown.facts.reviewing import Proposal
from memdown.files import acquire_or_fail, make_folder, open_file, release
from memdown.notes import placing, undoing
from memdown.notes.changes import By, Change
from memdown.notes.editing import save_bytes
from memdown.notes.related import note_text
from memdown.notes.remembering import Pen
from memdown.notes.statements import Fact, facts_of
from memdown.notes.writing import curated
from memdown.web import review, sessions
from memdown.web.rendering import note_url
from memdown.web.site import Site

_T = TypeVar("_T")

MOST_SHOWN = 60
_MOST_UNREAD = 500
_MOST_LINES = 12
_PERSON = By("person")
# After so many seconds without a look, a visit is a return.
_AWAY_SECONDS = 4 * 3600
_SAME_VISIT_SECONDS = 60
_NAMES = {
    "person": "You",
    "agent": "Agent",
    "outside": "Another program",
    "import": "Import",
    "hook": "Hook",
    "flush": "Before compaction",
    "memdown": "Memdown",
}


@dataclass(frozen=True, slots=True)
class Read:
    """What a person has looked at: every change up to a number, and single ones above it."""

    upto: int = 0
    single: frozenset[int] = frozenset()
    last_visit: float = 0.0
    before: float = 0.0

    def has(self, change: Change) -> bool:
        """Whether a change needs no look: it was looked at, or is the person's own."""
        own = change.actor == _PERSON.actor or bool(change.undoes)
        return own or change.id <= self.upto or change.id in self.single


class LastVisit:
    """What was looked at, in a small file beside the journal; losing it marks all as new again."""

    def __init__(self, journal: Path) -> None:
        self._file = journal.with_suffix(".read.json")

    def read(self) -> Read:
        """What was looked at so far."""
        try:
            return _read_from(self._file.read_bytes())
        except OSError:
            return Read()

    def mark(self, ids: Sequence[int], *, upto: int = 0) -> None:
        """Note that changes were looked at: single ones, or all up to a number."""
        with self._locked() as (lock, read):
            upto = max(upto, read.upto)
            single = {one for one in {*read.single, *ids} if one > upto}
            self._write(lock, Read(upto, frozenset(single), read.last_visit, read.before))

    def visit(self, now: float) -> Read:
        """Note that somebody looks at the page; `before` is when they were here last, if long ago."""
        read = self.read()
        if 0 <= now - read.last_visit < _SAME_VISIT_SECONDS:
            return read
        with self._locked() as (lock, read):
            before = read.last_visit if now - read.last_visit > _AWAY_SECONDS else read.before
            after = Read(read.upto, read.single, now, before)
            self._write(lock, after)
        return after

    @contextlib.contextmanager
    def _locked(self) -> Iterator[tuple[int, Read]]:
        make_folder(self._file.parent)
        lock = open_file(self._file, os.O_RDWR)
        try:
            acquire_or_fail(lock)
            yield lock, _read_from(os.pread(lock, 1 << 20, 0))
        finally:
            release(lock)

    def _write(self, lock: int, read: Read) -> None:
        values = {"upto": read.upto, "single": sorted(read.single)[-_MOST_UNREAD:]}
        data = json.dumps({**values, "seen": read.last_visit, "before": read.before}).encode()
        os.pwrite(lock, data, 0)
        os.ftruncate(lock, len(data))


def _read_from(data: bytes) -> Read:
    try:
        values = json.loads(data or b"{}")
        single = frozenset(map(int, values.get("single", ())))
        times = float(values.get("seen", 0)), float(values.get("before", 0))
        return Read(int(values.get("upto", 0)), single, *times)
    except (ValueError, TypeError, AttributeError):
        return Read()


@dataclass(frozen=True, slots=True)
class Against:
    """Another fact that says something else than what a change wrote."""

    text: str
    place: str
    url: str


@dataclass(frozen=True, slots=True)
class TodayItem:
    """One change as the page shows it."""

    change: Change
    when: datetime.datetime
    who: str
    lines: tuple[tuple[str, str], ...]
    more: int
    line: int
    url: str
    is_new: bool
    is_undone: bool
    session: str = ""
    title: str = ""
    against: tuple[Against, ...] = ()


def looked(site: Site) -> LastVisit:
    """What was looked at in this workspace."""
    return LastVisit(site.memory.pen().journal.file)


@dataclass(frozen=True, slots=True)
class News:
    """The number of the newest change, and how many nobody has looked at."""

    newest: int
    unread: int


def news(site: Site) -> News:
    """What pages ask every second."""
    return _once(site, "news", lambda: News(newest(site), unread(site)))


def _once(site: Site, name: str, find: Callable[[], _T]) -> _T:
    """What is found in the journal; it is opened again only if its files have changed."""
    file = site.memory.pen().journal.file
    facts = tuple(map(_facts, (file, Path(f"{file}-wal"), file.with_suffix(".read.json"))))
    known = site.found.get(name)
    if known is None or known[0] != facts:
        known = site.found[name] = (facts, find())
    found: _T = known[1]
    return found


def _facts(file: Path) -> tuple[int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def unread(site: Site) -> int:
    """How many changes by others nobody has looked at."""
    journal = site.memory.pen().journal
    read = looked(site).read()
    undone = journal.undone()
    changes = journal.changes(after=read.upto, limit=_MOST_UNREAD)
    return sum(not read.has(one) and one.id not in undone for one in changes)


def newest(site: Site) -> int:
    """The number of the newest change."""
    found = site.memory.pen().journal.changes(limit=1)
    return found[0].id if found else 0


def page_values(site: Site) -> dict[str, Any]:
    """What the page shows: the changes by day, and how many of them are new."""
    read = looked(site).visit(time.time()) if not site.read_only else looked(site).read()
    listed = _once(site, "listed", lambda: _listed(site))
    changes, undone = listed.changes, listed.undone
    library = site.current_library()
    titles = sessions.titles(site) if any(one.session for one in changes) else {}
    marks = review.disagreements(site)
    items = [
        _marked(_item(one, read, undone, library.texts, titles), marks, library.texts)
        for one in changes[:MOST_SHOWN]
    ]
    days: dict[datetime.date, list[TodayItem]] = {}
    for one in items:
        days.setdefault(one.when.date(), []).append(one)
    fresh = [one for one in items if one.is_new]
    away = None
    if fresh and read.before and fresh[-1].when.timestamp() > read.before:
        away = datetime.datetime.fromtimestamp(read.before, datetime.UTC).astimezone()
    return {
        "days": days,
        "fresh": len(fresh),
        "newest": changes[0].id if changes else 0,
        "away": away,
        "by": sorted({one.who for one in items}),
    }


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """The newest changes of the journal, and which were taken back."""

    changes: tuple[Change, ...]
    undone: frozenset[int]


def _listed(site: Site) -> ListedChanges:
    journal = site.memory.pen().journal
    newest = [one for one in journal.changes(limit=2 * MOST_SHOWN) if not one.undoes]
    return ListedChanges(tuple(newest), journal.undone())


def who(actor: str) -> str:
    """Who changed something, as the page says it."""
    return _NAMES.get(actor) or actor.removeprefix("client:") or "Somebody"


def _item(
    change: Change,
    read: Read,
    undone: frozenset[int],
    texts: Mapping[str, str],
    titles: Mapping[str, str],
) -> TodayItem:
    lines = [(line[0], line[2:]) for line in undoing.diff(change) if line[2:].strip()]
    # The heading above a new line says nothing by itself.
    lines = [one for one in lines if not one[1].startswith("#")] or lines
    first = next((text for sign, text in lines if sign == "+"), "")
    line = _line_of(first, texts.get(change.path, ""))
    session, _, place = change.session.partition("#")
    link = f"/sessions/{session}" + (f"#{place}" if place else "") if session else ""
    return TodayItem(
        change=change,
        when=change.time.astimezone(),
        who=who(change.actor),
        lines=tuple(lines[:_MOST_LINES]),
        more=max(0, len(lines) - _MOST_LINES),
        line=line,
        url=note_url(change.path, line or None),
        is_new=not read.has(change) and change.id not in undone,
        is_undone=change.id in undone,
        session=link,
        title=titles.get(f"sessions/{session}.jsonl", session) if session else "",
    )


def _marked(item: TodayItem, marks: Mapping[str, Proposal], texts: Mapping[str, str]) -> TodayItem:
    """A change with the facts that it contradicts, while what it wrote stands there."""
    if item.is_undone or not marks:
        return item
    came = {text.strip() for sign, text in item.lines if sign == "+"}
    against: dict[str, Against] = {}
    for reference, proposal in marks.items():
        path, _, _ = reference.partition("#L")
        if path == item.change.path and _at(reference, texts).text.strip() in came:
            other = next(one for one in proposal.references if one != reference)
            against.setdefault(proposal.key, _at(other, texts))
    return replace(item, against=tuple(against.values()))


def _at(reference: str, texts: Mapping[str, str]) -> Against:
    """What stands at a reference such as `MEMORY.md#L7`."""
    path, _, number = reference.partition("#L")
    lines = texts.get(path, "").split("\n")
    line = int(number) if number.isdecimal() and 0 < int(number) <= len(lines) else 1
    return Against(lines[line - 1], f"{path} L{line}", note_url(path, line))


def _line_of(line: str, text: str) -> int:
    """Where a line stands in a note now; 0 if it does not."""
    if not line:
        return 0
    return next((n for n, one in enumerate(text.split("\n"), 1) if one.strip() == line.strip()), 0)


def undo(site: Site, number: int) -> str:
    """Take a change back, with the rest of its act; the path of its note."""
    pen = site.memory.pen(_PERSON.actor)
    change = pen.journal.change(number)
    with_others = len(pen.journal.act(number)) > 1
    if change is not None and with_others and number in pen.journal.undone():
        # The page takes back one after the other what was applied together.
        return change.path
    undoing.undo(pen, number)
    return change.path if change is not None else ""


def strike(site: Site, path: str, line: int) -> int | None:
    """Mark the fact in a line as no longer true; the number of the change."""
    notebook = site.memory.notebook
    note = notebook.read(path)
    facts = [one for one in facts_of(note.text, note.path) if one.line <= line <= one.end_line]
    if not facts:
        raise NoteNotFound(f"There is no fact in line {line} of {path}; choose another line.")
    text = placing.strike(note.text, facts[-1], site.today())
    notebook.edit(note.path, text, base=note.version, allow_secrets=True, by=_PERSON)
    return _last_of(site, note.path)


@dataclass(frozen=True, slots=True)
class MovedFact:
    """What was moved to MEMORY.md: where it stands, the changes this took, and what could not go."""

    citation: str
    changes: tuple[int, ...]
    left: str = ""


def keep_for_good(site: Site, number: int) -> MovedFact:
    """Move what a change added to MEMORY.md.

    It is written there before it is taken out of its note: whatever fails in between, the fact stands
    somewhere, at worst twice.
    """
    pen = site.memory.pen(_PERSON.actor)
    change = pen.journal.change(number)
    if change is None:
        raise NoteNotFound("That change is no longer in the journal; reload the page.")
    facts = [fact.text for fact in facts_of(change.added_text, change.path) if not fact.struck]
    if not facts:
        raise NoteNotFound("Nothing in that change is a fact that could be kept; edit the note.")
    before = newest(site)
    lasting = {fact.text: fact for fact in _lasting(pen)}
    places = [
        lasting[text].reference
        if text in lasting
        else str(site.memory.remember(text, durable=True, again=True, actor=_PERSON.actor))
        for text in facts
    ]
    left = ""
    try:
        undoing.undo(pen, number)
    except UndoConflict as error:
        left = str(error)
    made = sorted(one.id for one in pen.journal.changes(after=before))
    return MovedFact(places[0], tuple(made), left)


def _lasting(pen: Pen) -> list[Fact]:
    """The facts of MEMORY.md as it is now."""
    path = curated(pen.workspace)
    try:
        return [fact for fact in facts_of(note_text(pen.workspace, path), path) if not fact.struck]
    except WorkspaceError:
        return []


def remove_note(site: Site, path: str, base: str) -> int | None:
    """Delete a note; the journal keeps it, and undo brings it back byte by byte."""
    pen = site.memory.pen(_PERSON.actor)
    save_bytes(pen.workspace, path, None, base=base, lock_dir=pen.lock_dir, by=pen.by)
    return _last_of(site, path)


def rename_note(site: Site, path: str, target: str, base: str) -> str:
    """Give a note another name: the new one is there before the old one goes."""
    notebook = site.memory.notebook
    note = notebook.read(path)
    new = notebook.edit(target, note.text, base=None, allow_secrets=True, by=_PERSON)
    remove_note(site, note.path, base)
    return new.path


def restore(site: Site, path: str, number: int) -> int | None:
    """Give a note the text that it had after a change."""
    pen = site.memory.pen(_PERSON.actor)
    found = [
        one
        for one in undoing.versions(pen, path)
        if one.change is not None and one.change.id == number
    ]
    if not found or found[0].text is None:
        raise NoteNotFound(f"That version of {path} is no longer known; choose another.")
    notebook = site.memory.notebook
    try:
        base: str | None = notebook.read(path).version
    except NoteNotFound:
        base = None
    notebook.edit(path, found[0].text, base=base, allow_secrets=True, by=_PERSON)
    return _last_of(site, path)


def versions(site: Site, path: str) -> list[TodayItem]:
    """The changes of one note that the journal knows, newest first."""
    journal = site.memory.pen().journal
    undone = journal.undone()
    library = site.current_library()
    changes = journal.changes(path=path, limit=100)
    titles = sessions.titles(site) if any(one.session for one in changes) else {}
    return [_item(one, Read(upto=one.id), undone, library.texts, titles) for one in changes]


def _last_of(site: Site, path: str) -> int | None:
    found = site.memory.pen().journal.changes(path=path, limit=1)
    return found[0].id if found else None


_MOST_COMMITS = 200
_SECONDS = 10
_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "protocol.allow=never",
    "diff.external=",
)
_COMMIT_ID = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that changed a note."""

    commit: str
    date: datetime.datetime
    author: str
    subject: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a difference: `kind` is "+", "-", " " or "@"."""

    kind: str
    text: str


def is_versioned(workspace: Path) -> bool:
    """Whether the workspace lies in a git work tree."""
    return (_git(workspace, "rev-parse", "--is-inside-work-tree") or "").strip() == "true"


def commits(workspace: Path, path: str) -> list[Commit]:
    """The commits that changed a note, newest first; renames are followed."""
    if path.startswith("/"):
        return []
    output = _git(
        workspace,
        "log",
        "--follow",
        f"--max-count={_MOST_COMMITS}",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--numstat",
        "--format=%x1e%H%x1f%at%x1f%an%x1f%s",
        "--",
        path,
    )
    return [_commit(record) for record in (output or "").split("\x1e") if record.strip()]


def difference(workspace: Path, path: str, commit: str) -> list[Line]:
    """What a commit changed in a note."""
    if not _COMMIT_ID.fullmatch(commit) or path.startswith("/"):
        raise NoteNotFound(
            f"There is no version {commit[:40]!r} of {path}; choose one of the list."
        )
    output = _git(
        workspace,
        "log",
        "--follow",
        "--max-count=1",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--patch",
        "--format=",
        commit,
        "--",
        path,
    )
    if output is None:
        raise NoteNotFound(f"There is no version {commit[:12]} of {path}; choose one of the list.")
    lines: list[Line] = []
    inside = False
    for text in output.split("\n"):
        if text.startswith("@@"):
            inside = True
            lines.append(Line("@", text.split("@@")[1].strip()))
        elif inside and text[:1] in ("+", "-", " "):
            lines.append(Line(text[0], text[1:]))
    return lines


def _commit(record: str) -> Commit:
    head, _, numbers = record.strip().partition("\n")
    commit, when, author, subject = (*head.split("\x1f"), "", "", "")[:4]
    added, removed = (*numbers.strip().split("\t"), "0", "0")[:2]
    return Commit(
        commit=commit,
        date=datetime.datetime.fromtimestamp(int(when), datetime.UTC).astimezone(),
        author=author,
        subject=subject,
        added=int(added) if added.isdecimal() else 0,
        removed=int(removed) if removed.isdecimal() else 0,
    )


def _git(workspace: Path, *arguments: str) -> str | None:
    """What git prints, or None where there is no git, no repository or no answer."""
    settings = [part for setting in _OFF for part in ("-c", setting)]
    environ = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        # A setting of the repository would win over the one above; nothing wins over this.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            ["git", "--no-pager", "--literal-pathspecs", *settings, *arguments],
            cwd=workspace,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
