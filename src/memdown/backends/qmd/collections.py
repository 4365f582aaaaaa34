"""Which folders become collections of `qmd`, and how their files are named in answers."""

from __future__ import annotations

import itertools
import logging
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdown.config.settings import QmdPath
from memdown.errors import MemdownError, PathRefused
from memdown.files import make_folder, replace_file
from memdown.notes.roots import Workspace, roots
from memdown.transcripts import TranscriptTurn, read_turns, scan_transcripts
from memdown.transcripts.messages import flattened
from memdown.types import Source

PREFIX = "qmd/"
SESSIONS = "sessions"
_NOTES = "**/*.md"
_EXTRA_PREFIX = "memory-extra-"
_UNFIT = re.compile(r"[^a-z0-9]+")
_GLOB = re.compile(r"([\\\[\]{}()*?!+@|])")
_GLOB_PART = re.compile(r"\*\*/|\*\*|\\.|\[[^]]+\]|.", re.DOTALL)
_WILD = {
    "**/": "(?:[^/]+/)*",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
    "{": "(?:",
    "}": ")",
}


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder that `qmd` indexes; `prefix` stands before its files' paths in answers."""

    name: str
    folder: Path
    pattern: str
    prefix: str
    source: Source = "memory"

    def shown(self, path: str) -> str:
        """A file of the collection as users see it."""
        return self.prefix + path

    @property
    def record(self) -> list[str]:
        """What makes it another collection when it changes."""
        return [str(self.folder), self.pattern]


def wanted_collections(
    notes: Workspace,
    paths: Sequence[QmdPath],
    *,
    default_memory: bool,
    sessions: Path | None,
) -> tuple[Collection, ...]:
    """The collections that the settings ask for, those with missing folders included."""
    found = [
        one for one in _of_notes(notes) if default_memory or one.name.startswith(_EXTRA_PREFIX)
    ]
    taken = {collection.name for collection in found} | {SESSIONS}
    places = {(collection.folder, collection.pattern) for collection in found}
    for given in paths:
        # Links above a collection are the user's own, as they are above a workspace.
        path = (notes.folder / Path(given.path).expanduser()).resolve()
        folder, pattern = (path, given.pattern)
        if path.is_file():
            folder, pattern = path.parent, _literal(path.name)
        if (folder, pattern) in places:
            continue
        places.add((folder, pattern))
        name = next(name for name in _names(given.name or path.stem) if name not in taken)
        taken.add(name)
        found.append(Collection(name, folder, pattern, _prefix(notes.folder, folder, name)))
    if sessions is not None:
        found.append(Collection(SESSIONS, sessions, _NOTES, f"{PREFIX}{SESSIONS}/", "sessions"))
    return tuple(found)


def _of_notes(notes: Workspace) -> Iterator[Collection]:
    """The memory's own notes and extra paths, each under the names that they have elsewhere."""
    own = {
        "MEMORY.md": "memory-root",
        "memory.md": "memory-alt",
        "memory": "memory-dir",
        "": "workspace",
    }
    extra = 0
    for root in roots(notes):
        # Of an adopted folder all Markdown counts, the curated notes among it.
        if notes.adopted and root.inner and root.name:
            continue
        if root.extra:
            extra += 1
        name = f"{_EXTRA_PREFIX}{extra}" if root.extra else own[root.name]
        place = Path(root.base, *root.parts)
        if root.name.lower().endswith(".md"):
            above = root.name.rpartition("/")
            yield Collection(name, place.parent, _literal(place.name), above[0] + above[1])
        else:
            yield Collection(name, place, _NOTES, root.prefix)


def file_of(path: str, collections: Sequence[Collection]) -> tuple[Path, str] | None:
    """The folder and the path inside it that `qmd/<collection>/<path>` means.

    A file that the collection's pattern leaves out is refused.
    """
    if not path.startswith(PREFIX):
        return None
    name, _, inner = path.removeprefix(PREFIX).partition("/")
    for collection in collections:
        if collection.name == name and collection.prefix.startswith(PREFIX) and inner:
            if not fits_pattern(inner, collection.pattern):
                raise PathRefused(
                    f"{path} is left out by the pattern {collection.pattern} of the collection "
                    f"{name} (memory.qmd.paths[].pattern); use a path that a search shows."
                )
            return collection.folder, inner
    return None


def fits_pattern(path: str, pattern: str) -> bool:
    """Whether a path is one that a glob means: `**`, `*`, `?`, `[a-z]`, `{a,b}`, `\\` as escape."""
    try:
        return re.fullmatch(_regex(pattern), path) is not None
    except re.error:
        return False


def _regex(pattern: str) -> str:
    result = ""
    depth = 0
    for part in _GLOB_PART.findall(pattern):
        depth += {"{": 1, "}": -1 if depth else 0}.get(part, 0)
        if part in _WILD:
            result += _WILD[part]
        elif part == "," and depth:
            result += "|"
        elif part.startswith("[") and len(part) > 2:
            inside = part[1:-1].replace("\\", "\\\\")
            result += f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
        else:
            result += re.escape(part.removeprefix("\\"))
    return result


def _literal(name: str) -> str:
    """A pattern that means one file, whatever is in its name."""
    return _GLOB.sub(r"\\\1", name)


def _prefix(workspace: Path, folder: Path, name: str) -> str:
    """Notes of the workspace keep the names that the rest of Memdown gives them."""
    memory = workspace / "memory"
    if folder.is_relative_to(memory):
        return f"{folder.relative_to(workspace).as_posix()}/"
    return f"{PREFIX}{name}/"


def _names(wanted: str) -> Iterator[str]:
    name = _UNFIT.sub("-", wanted.lower()).strip("-") or "notes"
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


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


def _markdown(name: str, turns: Iterator[TranscriptTurn]) -> str:
    lines = [f"# Session {name}", _mark(name), ""]
    for turn in turns:
        if turn.text.strip():
            lines += [flattened(turn.role, turn.text), ""]
    return "\n".join(lines)


def _write(export: Path, text: str, mtime_ns: int) -> None:
    # Exports can be made again, so nobody waits for the disk.
    replace_file(export, text.encode("utf-8", "replace"), mtime_ns=mtime_ns, durable=False)
