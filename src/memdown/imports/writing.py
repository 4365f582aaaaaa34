"""Bringing items in: what is new is copied, what is there already is left, nothing is lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memdown.errors import ImportFailed, MemdownError, SessionError
from memdown.files import make_folder, replace_file
from memdown.imports.items import ImportItem
from memdown.notes.descriptors import opened_folder
from memdown.text.tombstones import ERASED_FILE, read_tombstones, scrub
from memdown.transcripts.messages import time_of
from memdown.transcripts.reading import sessions_folder
from memdown.transcripts.sessions.entries import SessionEntry
from memdown.transcripts.sessions.store import SessionStore
from memdown.types import Failure

Status = Literal["new", "same", "update", "kept"]
_WITH_HOOKS = ("claude-code", "codex", "gemini")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where imported things go."""

    workspace: Path
    state_dir: Path
    agent: str

    def path(self, item: ImportItem) -> Path:
        """The file that an item becomes."""
        if item.kind == "note":
            return self.workspace / item.name
        if item.kind == "settings":
            return self.state_dir / item.name
        return sessions_folder(self.state_dir, item.agent or self.agent) / item.name


@dataclass(frozen=True, slots=True)
class Step:
    """What an import does with one item: copies it, updates its copy, or leaves what is there.

    `kept` means that the copy was changed by hand since, or that there are settings already.
    """

    item: ImportItem
    path: Path
    status: Status
    size: int
    digest: str
    # When the last message of a conversation was said, in milliseconds.
    time: int | None = None


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Everything an import would do."""

    steps: tuple[Step, ...]
    problems: tuple[Failure, ...] = ()


def plan(
    items: Sequence[ImportItem], to: Destination, problems: Sequence[Failure] = ()
) -> ImportPlan:
    """Compare what is to come in with what is there; nothing is written."""
    known = _journal(to)
    steps: list[Step] = []
    failed = list(problems)
    taken: set[Path] = set()
    for item in _apart(items, to):
        path = to.path(item)
        if path in taken:
            failed.append(Failure(item.origin, f"{path} is taken by another one of this import."))
            continue
        taken.add(path)
        try:
            found = _measured(item)
            if item.kind == "transcript" and found.last.get("type") != "message":
                # Nobody said anything in it, or nothing that another one does not hold.
                continue
            copied = item.kind == "transcript" and _copied_by_hooks(path)
            before = known.get(_key(item, to))
            status = "same" if copied else _status(path, found.digest, before, item)
        except MemdownError as error:
            failed.append(Failure(item.origin, str(error)))
            continue
        time = time_of(found.last.get("timestamp"))
        steps.append(Step(item, path, status, found.size, found.digest, time))
    return ImportPlan(tuple(steps), tuple(failed))


def _copied_by_hooks(path: Path) -> bool:
    """Whether the hooks of a coding agent keep this conversation, under its bare id."""
    for source in _WITH_HOOKS:
        if path.name.startswith(f"{source}-"):
            return path.with_name(path.name.removeprefix(f"{source}-")).is_file()
    return False


def _apart(items: Sequence[ImportItem], to: Destination) -> Iterator[ImportItem]:
    """The items under names that differ in more than capitals, which some disks take for one."""
    names: dict[str, set[str]] = {}
    for item in items:
        path = str(to.path(item))
        names.setdefault(path.casefold(), set()).add(path)
    for item in items:
        path = str(to.path(item))
        # The same one keeps its name whatever the order, so that the next import finds it again.
        if path == max(names[path.casefold()]):
            yield item
            continue
        stem, dot, ending = item.name.rpartition(".")
        digest = hashlib.sha256(item.name.encode("utf-8", "replace")).hexdigest()[:8]
        yield replace(item, name=f"{stem}-{digest}{dot}{ending}")


def apply(made: ImportPlan, to: Destination) -> ImportPlan:
    """Do what a plan says. Originals are only read; a copy that is there is replaced whole."""
    known = dict(_journal(to))
    done: list[Step] = []
    failed = list(made.problems)
    for step in made.steps:
        if step.status in ("new", "update"):
            try:
                _write(step, to)
            except (MemdownError, OSError) as error:
                reason = error.strerror if isinstance(error, OSError) else str(error)
                failed.append(
                    Failure(step.item.origin, f"{step.path} cannot be written: {reason}.")
                )
                continue
        if step.status != "kept":
            known[_key(step.item, to)] = step.digest
        done.append(step)
    _write_journal(to, known)
    failed += _enlisted(done)
    return ImportPlan(tuple(done), tuple(failed))


def _enlisted(steps: Sequence[Step]) -> Iterator[Failure]:
    """Put the conversations into their agents' registries of sessions; what went wrong with that."""
    by_folder: dict[Path, list[SessionEntry]] = {}
    for step in steps:
        # One that hooks keep is registered by them, under its bare id.
        if step.item.kind == "transcript" and step.path.is_file():
            about = dict(step.item.about)
            entry = SessionEntry(
                step.path.stem,
                step.time or 0,
                channel=about.pop("channel"),
                origin={"path": step.item.origin},
                extra=about,
            )
            by_folder.setdefault(step.path.parent, []).append(entry)
    for folder, entries in by_folder.items():
        try:
            SessionStore(folder).enlist(entries)
        except SessionError as error:
            yield Failure(str(folder), str(error))


def _status(path: Path, digest: str, known: str | None, item: ImportItem) -> Status:
    try:
        facts = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return "new"
    if item.link is not None:
        return "same" if path.is_symlink() and path.readlink() == item.link else "kept"
    if not path.is_file() or path.is_symlink():
        raise ImportFailed(f"{path} is in the way and is no ordinary file; move it.")
    there = _digest_of(path, facts.st_size)
    if there == digest:
        return "same"
    return "update" if there == known and item.kind != "settings" else "kept"


class _Measured(NamedTuple):
    """What an item brings in: its digest and size, and the last entry of a conversation."""

    digest: str
    size: int
    last: dict[str, Any]


def _measured(item: ImportItem) -> _Measured:
    digest = hashlib.sha256()
    size, last = 0, b""
    for part in item.content():
        digest.update(part)
        size += len(part)
        last = part
    entry = json.loads(last) if item.kind == "transcript" else {}
    return _Measured(digest.hexdigest(), size, entry)


def _digest_of(path: Path, size: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(min(max(size, 1), 1024 * 1024)):
            digest.update(block)
    return digest.hexdigest()


def _write(step: Step, to: Destination) -> None:
    """Write a draft beside the target and rename it; no link on the way is followed."""
    base = to.workspace if step.item.kind == "note" else to.state_dir
    private = step.path.is_relative_to(to.state_dir)
    if private:
        make_folder(step.path.parent)
    else:
        base.mkdir(parents=True, exist_ok=True)
    parts = step.path.relative_to(base).parts
    draft = f".{parts[-1]}.importing"
    with opened_folder(str(base), parts[:-1], create=True) as folder:
        if step.item.link is not None:
            os.symlink(step.item.link, parts[-1], dir_fd=folder)
            return
        flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(draft, flags, 0o600 if private else 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for part in _without_erased(step.item.content(), to):
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise


def _without_erased(parts: Iterable[bytes], to: Destination) -> Iterator[bytes]:
    """The content of an item, in which words that the user erased do not come back."""
    erased = read_tombstones(to.state_dir / ERASED_FILE)
    if not erased:
        yield from parts
        return
    whole = b"".join(parts)
    text = whole.decode("utf-8", "surrogateescape")
    yield scrub(text, erased).encode("utf-8", "surrogateescape")


def _key(item: ImportItem, to: Destination) -> str:
    return f"{to.path(item)}"


def _journal(to: Destination) -> Mapping[str, str]:
    """What every imported file was when it was written, so that changes by hand are noticed."""
    try:
        data = json.loads((to.state_dir / "imports.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in data.items() if isinstance(value, str)}


def _write_journal(to: Destination, known: Mapping[str, str]) -> None:
    make_folder(to.state_dir)
    path = to.state_dir / "imports.json"
    replace_file(path, json.dumps(dict(sorted(known.items())), indent=1).encode())
