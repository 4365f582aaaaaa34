"""`memdown list`, `recent` and `edit`: the notes as files, and places in them as people type them."""

from __future__ import annotations

import datetime
import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, Words, target_options, words_argument
from memdown.errors import WorkspaceError
from memdown.values import dataclass, pattern

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from memdown.memory import Memory
    from memdown.types import Failure, FileState


_LINES = pattern(r"(?P<path>.+\.md)(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)", re.IGNORECASE)
_MOST_SUGGESTED = 5


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A note, and the lines that are meant if some are."""

    path: str
    first: int | None = None
    last: int | None = None


def parse_place(text: str) -> LinePlace:
    """The note and the lines in a place; without lines the whole note is meant."""
    match = _LINES.fullmatch(text)
    if match is None:
        return LinePlace(text)
    first = int(match[2] or match[4])
    last = int(match[3] or match[5] or first)
    if last < first:
        raise click.UsageError(f"{text} ends before it begins; the first line comes first.")
    return LinePlace(match["path"], first, last)


def place_text(path: str, first: int, last: int) -> str:
    """A place in the form that `memdown get` and `memdown edit` take."""
    return f"{path}:{first}" if first >= last else f"{path}:{first}-{last}"


def similar_paths(path: str, notes: Iterable[str]) -> list[str]:
    """The notes that may be meant by a path that leads nowhere: first those of the same name."""
    import difflib

    def name(one: str) -> str:
        return one.rpartition("/")[2].lower().removesuffix(".md")

    notes = list(notes)
    wanted = name(path)
    if not wanted:
        return []
    same = [one for one in notes if name(one) == wanted]
    if same:
        return same[:_MOST_SUGGESTED]
    named = {name(one): one for one in reversed(notes)}
    holding = [one for known, one in named.items() if len(wanted) > 2 and wanted in known]
    close = [named[known] for known in difflib.get_close_matches(wanted, named)]
    return list(dict.fromkeys([*close, *holding]))[:_MOST_SUGGESTED]


def complete_path(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The notes whose path begins with what was typed, for the shell."""
    from click.shell_completion import CompletionItem

    from memdown.config import load_settings
    from memdown.errors import MemdownError
    from memdown.notes import open_workspace, scan

    del parameter
    given = context.params
    try:
        settings = load_settings(
            config=given.get("config"),
            workspace=given.get("workspace"),
            agent=given.get("agent") or "main",
            here=True,
        )
        notes = open_workspace(settings.workspace, settings.extra_paths, adopted=settings.adopted)
        found = scan(notes).files
    except MemdownError:
        return []
    return [CompletionItem(path) for path in found if path.startswith(incomplete)]


_LAST_LINES = 3
_LINE_CHARS = 160
# How an editor is told the line, by the name of its program; the others get the file alone.
_PLUS = "vi vim nvim view gvim mvim nano pico micro emacs emacsclient ne joe jed mg kak ed".split()
_COLON = "subl sublime_text zed hx helix".split()
_GOTO = "code code-insiders codium vscodium cursor windsurf".split()


@dataclass(frozen=True, slots=True)
class Listed:
    """A note: when it was changed, its title, and its last lines with the number of the first."""

    state: FileState
    title: str
    last: tuple[str, ...]
    last_line: int

    @property
    def changed(self) -> datetime.datetime:
        """When the file was written last, in the local time zone."""
        return datetime.datetime.fromtimestamp(self.state.mtime_ns / 1e9).astimezone()


@click.command("list")
@click.argument("folder", required=False, shell_complete=complete_path)
@target_options
def list_command(target: Target, folder: str | None) -> int:
    """List the notes with their day, size and title; only those in FOLDER, if one is named.

    The day is that of the note, or the one on which it was changed. Exit code 1: there are none.

    \b
    Examples:
      memdown list
      memdown list memory/projects
    """
    from memdown.cli.index import counted, print_json

    with target.open() as memory:
        found, unseen = _notes(memory, folder)
        listed, unread = _read(memory, found)
    problems = [*unseen, *unread]
    if target.as_json:
        print_json({"notes": [_json(one) for one in listed], "problems": _problems_json(problems)})
        return 0 if listed else 1
    width = max((len(one.state.path) for one in listed), default=0)
    for one in listed:
        day = one.state.date or one.changed.date()
        click.echo(f"{day}  {_size(one.state.size):>8}  {one.state.path:<{width}}  {one.title}")
    if not listed:
        where = f"in {folder}" if folder else f"in {memory.settings.workspace} yet"
        click.echo(f"There are no notes {where}.", err=True)
    elif len(listed) > 1:
        total = sum(one.state.size for one in listed)
        click.echo(f"{counted(len(listed), 'note')}, {_size(total)}.", err=True)
    _print_problems(problems)
    return 0 if listed else 1


@click.command("recent")
@click.argument("folder", required=False, shell_complete=complete_path)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=7, show_default=True, help="How far back."
)
@click.option(
    "--max-results",
    "-n",
    type=click.IntRange(1, 1000),
    default=6,
    show_default=True,
    help="How many notes at most.",
)
@target_options
def recent_command(target: Target, folder: str | None, days: int, max_results: int) -> int:
    """Show which notes changed lately, the newest first, with their last lines.

    Exit code 1: none did.
    """
    from memdown.cli.index import counted, print_json
    from memdown.cli.terminal import style

    since = datetime.datetime.now().astimezone() - datetime.timedelta(days=days)
    with target.open() as memory:
        found, unseen = _notes(memory, folder)
        late = [one for one in found if one.mtime_ns >= since.timestamp() * 1e9]
        late.sort(key=lambda one: (-one.mtime_ns, one.path))
        listed, unread = _read(memory, late[:max_results])
    problems = [*unseen, *unread]
    if target.as_json:
        print_json({"notes": [_json(one) for one in listed], "problems": _problems_json(problems)})
        return 0 if listed else 1
    for one in listed:
        last = one.last_line + len(one.last) - 1
        place = place_text(one.state.path, one.last_line, last) if one.last else one.state.path
        moment = one.changed.strftime("%Y-%m-%d %H:%M")
        click.echo(f"{style(moment, 'dim')}  {style(place, 'cyan', 'bold')}   {one.title}")
        for line in one.last:
            if line.strip():
                click.echo(f"   {_short(line.strip())}")
    if not listed:
        click.echo(f"No note has changed in the last {counted(days, 'day')}.", err=True)
    elif len(late) > len(listed):
        more = counted(len(late) - len(listed), "more note")
        click.echo(f"{more} changed; -n {len(late)} shows them.", err=True)
    _print_problems(problems)
    return 0 if listed else 1


@click.command("edit", cls=Words)
@words_argument("what", required=True)
@target_options
def edit_command(target: Target, what: str) -> None:
    """Open a note in your editor, at the line.

    WHAT is a place as a search shows it, or something to search for: then the best hit is opened.
    The editor is $VISUAL or $EDITOR.

    \b
    Examples:
      memdown edit memory/home.md:12
      memdown edit which router
    """
    from memdown.cli.index import print_json

    with target.open() as memory:
        path, line = _meant(memory, what)
        file = memory.settings.workspace / path
    open_editor(file, line)
    if target.as_json:
        print_json({"path": path, "file": str(file), "line": line})


def _meant(memory: Memory, what: str) -> tuple[str, int]:
    """The note and the line that a place or a question means."""
    from memdown.cli.notes import read_note
    from memdown.errors import NoteNotFound

    place = parse_place(what)
    if place.path.lower().endswith(".md"):
        excerpt = read_note(memory, place.path)
        return excerpt.path, place.first or 1
    hits = memory.search(what, max_results=1, sources=["memory"]).hits
    if not hits:
        close = similar_paths(what, memory.notes().files)
        hint = (
            f"did you mean {' or '.join(close)}?"
            if close
            else "`memdown list` shows what there is."
        )
        raise NoteNotFound(f"No note answers {what!r}; {hint}")
    from memdown.cli.hits import best_line

    return hits[0].path, best_line(hits[0])


def _notes(memory: Memory, folder: str | None) -> tuple[list[FileState], list[Failure]]:
    """The notes below a folder, and what could not be looked at."""
    scan = memory.notes()
    prefix = f"{folder.strip('/').removeprefix('./')}/" if folder and folder.strip("./") else ""
    if folder and folder.startswith("/"):
        workspace = str(memory.settings.workspace)
        prefix = f"{folder.rstrip('/')}/".removeprefix(f"{workspace}/")
    found = [one for path, one in scan.files.items() if path.startswith(prefix)]
    return found, list(scan.problems)


def _read(memory: Memory, found: list[FileState]) -> tuple[list[Listed], list[Failure]]:
    """The notes with what is read from them, and those that cannot be read."""
    from memdown.errors import MemdownError
    from memdown.notes.document import title_of
    from memdown.types import Failure

    listed, problems = [], []
    for state in found:
        try:
            lines = memory.get(state.path).text.split("\n")
        except MemdownError as error:
            problems.append(Failure(state.path, str(error)))
            continue
        filled = [number for number, line in enumerate(lines) if line.strip()]
        end = filled[-1] + 1 if filled else 0
        start = max(end - _LAST_LINES, 0)
        while start < end and not lines[start].strip():
            start += 1
        last = tuple(lines[start:end])
        listed.append(Listed(state, title_of(state.path, lines), last, start + 1))
    return listed, problems


def _json(one: Listed) -> dict[str, Any]:
    return {
        "path": one.state.path,
        "date": one.state.date.isoformat() if one.state.date else None,
        "changed": one.changed.isoformat(timespec="seconds"),
        "bytes": one.state.size,
        "title": one.title,
        "lastLines": list(one.last),
        "startLine": one.last_line,
    }


def _problems_json(problems: list[Failure]) -> list[dict[str, str]]:
    return [{"path": one.path, "reason": one.reason} for one in problems]


def _print_problems(problems: list[Failure]) -> None:
    for problem in problems:
        click.echo(f"  {problem.reason}", err=True)


def _short(line: str) -> str:
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 2].rstrip()} …"


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def open_editor(file: Path, line: int) -> None:
    """Open the file in $VISUAL or $EDITOR at the line, and wait until the editor ends."""
    import subprocess

    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not chosen:
        raise WorkspaceError(
            f"No editor is set, so {file} was not opened; set EDITOR, for example: "
            "export EDITOR=nano."
        )
    try:
        command = shlex.split(chosen)
        done = subprocess.run([*command, *_arguments(command[0], file, line)], check=False)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise WorkspaceError(
            f"The editor {chosen!r} cannot be started ({reason}); set EDITOR to another one."
        ) from None
    if done.returncode:
        raise WorkspaceError(f"The editor {chosen!r} ended with code {done.returncode}.")


def _arguments(program: str, file: Path, line: int) -> list[str]:
    name = Path(program).name.lower()
    if name in _PLUS:
        return [f"+{line}", str(file)]
    if name in _COLON:
        return [f"{file}:{line}"]
    if name in _GOTO:
        return ["--wait", "--goto", f"{file}:{line}"]
    return [str(file)]
