"""`memdown history`, `diff` and `undo`: what happened to the notes, and taking it back."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, Words, target_options, words_argument

if TYPE_CHECKING:
    from memdown.memory import Memory
    from memdown.notes.journal import Change
    from memdown.notes.statements import Fact

_MOST_LINES = 6


@click.command("history", cls=Words)
@words_argument("query", required=False)
@click.option("--limit", "-n", type=click.IntRange(1, 1000), default=20, help="How many [20].")
@target_options
def history_command(target: Target, query: str | None, limit: int) -> int:
    """Show how a fact came about, or what happened to a note.

    With words: the facts that fit, what each replaced, with dates, and the changes that hold the
    words. With a path such as MEMORY.md: the changes of that note. Without anything: the last
    changes, also those by other programs.

    \b
    Examples:
      memdown history where does Nora live
      memdown history MEMORY.md
    """
    from memdown.cli.output import print_json
    from memdown.shapes import change_json

    with target.open() as memory:
        memory.sync()
        chains = _chains(memory, query) if query and not _is_path(query) else []
        changes = _changes(memory, query, limit)
        undone = memory.pen().journal.undone()
    if target.as_json:
        facts = [[_fact_json(fact) for fact in chain] for chain in chains]
        print_json({"facts": facts, "changes": [change_json(one) for one in changes]})
        return 0 if facts or changes else 1
    for chain in chains:
        for number, fact in enumerate(chain):
            _print_fact(fact, first=not number)
    for change in changes:
        _print_change(change, is_undone=change.id in undone)
    if not chains and not changes:
        click.echo("No change is known that fits.", err=True)
        return 1
    return 0


@click.command("diff")
@click.argument("number", type=int, required=False)
@target_options
def diff_command(target: Target, number: int | None) -> int:
    """Show the lines of a change by its number in `memdown history`; of the last one without."""
    from memdown.cli.output import print_json
    from memdown.errors import WorkspaceError
    from memdown.notes.undoing import diff
    from memdown.shapes import change_json

    with target.open() as memory:
        memory.sync()
        journal = memory.pen().journal
        changes = journal.changes(limit=1) if number is None else [journal.change(number)]
    change = changes[0] if changes else None
    if change is None:
        raise WorkspaceError("There is no such change; `memdown history` lists what there is.")
    if target.as_json:
        print_json(change_json(change))
        return 0
    click.echo(_title(change))
    for line in diff(change):
        click.echo(line)
    return 0


@click.command("undo")
@click.argument("number", type=int, required=False)
@click.option("--last", is_flag=True, help="Take back the last change (as without a number).")
@click.option("--since", metavar="TIME", help='Everything since then: "2026-11-17 14:00", today.')
@target_options
def undo_command(target: Target, number: int | None, last: bool, since: str | None) -> int:
    """Take a change back byte by byte, or refuse if its lines were changed since.

    NUMBER is that of `memdown history`. An undo is a change as well, and can be taken back.
    """
    from memdown.cli.output import print_json
    from memdown.notes.undoing import undo, undo_last, undo_since

    if sum((number is not None, last, since is not None)) > 1:
        raise click.UsageError("Give a number, --last or --since, only one of them.")
    with target.open() as memory:
        memory.sync()
        pen = memory.notebook.writing_pen()
        if since is not None:
            done = undo_since(pen, _moment(since, pen.today))
        else:
            done = [undo(pen, number) if number is not None else undo_last(pen)]
    if target.as_json:
        print_json({"undone": [{"id": one.id, "path": one.path} for one in done]})
    elif not done:
        click.echo("Nothing was changed since then.")
    for one in [] if target.as_json else done:
        click.echo(f"Took back change {one.id} of {one.path}")
    return 0 if done else 1


def _is_path(query: str) -> bool:
    return query.lower().endswith(".md")


def _changes(memory: Memory, query: str | None, limit: int) -> Sequence[Change]:
    from memdown.notes.undoing import changes_holding

    journal = memory.pen().journal
    if query is None:
        return journal.changes(limit=limit)
    if _is_path(query):
        return journal.changes(path=query, limit=limit)
    return changes_holding(journal.changes(), query)[:limit]


def _chains(memory: Memory, query: str) -> list[list[Fact]]:
    """The facts that fit best, each with what it replaced, newest first."""
    from memdown.notes.history import chains

    return chains(memory.pen(), query)


def _fact_json(fact: Fact) -> dict[str, object]:
    validity = fact.validity
    return {
        "reference": fact.reference,
        "text": fact.text,
        "current": not fact.struck,
        "since": str(validity.since or fact.day or "") or None,
        "until": str(validity.until or "") or None,
        "source": validity.source or None,
    }


def _print_fact(fact: Fact, *, first: bool) -> None:
    from memdown.notes.validity import Validity, written

    validity = fact.validity
    dates = written(Validity(validity.since or fact.day, validity.until, None, validity.source))
    mark = "" if first else "  was: "
    click.echo(f"{mark}{fact.text}{dates}   {fact.reference}")


def _title(change: Change, *, is_undone: bool = False) -> str:
    when = change.time.strftime("%Y-%m-%d %H:%M")
    who = f"{change.actor} ({change.session})" if change.session else change.actor
    more = f", undoes {change.undoes}" if change.undoes else ", taken back" if is_undone else ""
    return f"{change.id}  {when}  {who}  {change.path}  {change.kind}{more}"


def _print_change(change: Change, *, is_undone: bool) -> None:
    from memdown.notes.undoing import diff

    click.echo(_title(change, is_undone=is_undone))
    lines = diff(change)
    for line in lines[:_MOST_LINES]:
        click.echo(f"    {line}")
    if len(lines) > _MOST_LINES:
        click.echo(f"    … {len(lines) - _MOST_LINES} more lines; memdown diff {change.id}")


def _moment(text: str, today: datetime.date) -> datetime.datetime:
    from memdown.errors import QueryError
    from memdown.text.dates import read_time

    try:
        return datetime.datetime.fromisoformat(text).astimezone()
    except ValueError:
        days = read_time(text, today)
    if days is None:
        raise QueryError(f"{text!r} is no time that can be understood; write 2026-11-17 14:00.")
    return datetime.datetime.combine(days[0], datetime.time()).astimezone()
