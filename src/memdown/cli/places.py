"""Places in notes as people type them: `memory/home.md`, `memory/home.md:3-9`, `…md#L3-L9`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_LINES = re.compile(r"(?P<path>.+\.md)(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)", re.IGNORECASE)
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
