"""`memdown history`, `diff`, `undo` and `forget`: what happened to the notes, taking it back, forgetting."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, Words, target_options, words_argument

if TYPE_CHECKING:
    from memdown.facts.forgetting import Forgetting, Receipt
    from memdown.memory import Memory
    from memdown.notes.changes import Change
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
    from memdown.cli.index import print_json
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
    from memdown.cli.index import print_json
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
@click.argument("numbers", metavar="[NUMBER]...", type=int, nargs=-1)
@click.option("--last", is_flag=True, help="Take back the last change (as without a number).")
@click.option("--since", metavar="TIME", help='Everything since then: "2026-11-17 14:00", today.')
@target_options
def undo_command(target: Target, numbers: tuple[int, ...], last: bool, since: str | None) -> int:
    """Take a change back byte by byte, or refuse if its lines were changed since.

    NUMBER is that of `memdown history`; of several, all are taken back or none. What a replace did to two
    notes is one change. An undo is a change as well, and can be taken back.
    """
    from memdown.cli.index import print_json
    from memdown.notes.undoing import undo, undo_all, undo_last, undo_since

    if sum((bool(numbers), last, since is not None)) > 1:
        raise click.UsageError("Give numbers, --last or --since, only one of them.")
    with target.open() as memory:
        memory.sync()
        pen = memory.notebook.writing_pen()
        if since is not None:
            done = undo_since(pen, _moment(since, pen.today))
        else:
            single = len(numbers) == 1
            done = undo(pen, numbers[0]) if single else undo_all(pen, numbers)
            done = done or undo_last(pen)
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
    from memdown.notes.undoing import chains

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
    from memdown.notes.statements import Validity, written

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


_MOST_SHOWN = 40


@click.command("forget", cls=Words)
@words_argument("query", required=True)
@click.option(
    "--erase", is_flag=True, help="Remove the words everywhere, not only strike the fact."
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@target_options
def forget_command(target: Target, query: str, erase: bool, yes: bool) -> int:
    """Strike a fact, or with --erase remove words from everything that is kept.

    QUERY is a place such as MEMORY.md:7, or words. Without --erase the fact is struck and dated, and
    `memdown undo` brings it back. With --erase every place that holds the words is listed first: notes,
    their earlier versions, the index, transcripts, single memories, exports. Nothing is changed
    without a yes. Then they are removed for good, all bytes are compared again, and what was done is
    printed. A digest stays, so that no import brings the words back. Exit code 1: nothing was done.

    \b
    Examples:
      memdown forget MEMORY.md:7
      memdown forget "the old door code" --erase
    """
    with target.open() as memory:
        memory.sync()
        if erase:
            return _erase(memory, query, yes=yes, as_json=target.as_json)
        return _strike(memory, query, yes=yes, as_json=target.as_json)


def _strike(memory: Memory, query: str, *, yes: bool, as_json: bool) -> int:
    from memdown.cli.index import print_json
    from memdown.facts.forgetting import strike
    from memdown.notes.remembering import facts_meant

    facts = facts_meant(memory.pen(), [query])
    if not as_json:
        for fact in facts:
            click.echo(f"{fact.reference}  {fact.text}")
    if not _agreed("Strike this?", yes=yes):
        return 1
    struck = strike(memory, facts[0].reference)
    if as_json:
        print_json({"struck": [fact.reference for fact in struck]})
    else:
        click.echo("Struck; `memdown undo` brings it back, --erase removes the words for good.")
    return 0


def _erase(memory: Memory, query: str, *, yes: bool, as_json: bool) -> int:
    from memdown.cli.index import print_json
    from memdown.facts.forgetting import erase, find, forgetting_json, receipt_json

    what = find(memory, query)
    if not what.traces:
        click.echo(f"No file holds {what.words!r}; nothing was changed.", err=True)
        return 1
    if as_json and not yes:
        print_json(forgetting_json(what))
        return 1
    if not as_json:
        _print_places(what)
    if not _agreed("Erase these words everywhere? This cannot be undone.", yes=yes):
        return 1
    receipt = erase(memory, what)
    if as_json:
        print_json(receipt_json(receipt))
    else:
        _print_receipt(receipt)
    return 0 if receipt.complete else 2


def _agreed(question: str, *, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        click.echo("Nothing was changed; add --yes to do it.", err=True)
        return False
    return click.confirm(question)


def _print_places(what: Forgetting) -> None:
    from memdown.cli.index import counted

    click.echo(f"{counted(len(what.traces), 'place')} hold {what.words!r}:")
    for one in what.traces[:_MOST_SHOWN]:
        line = f":{one.line}" if one.line else ""
        click.echo(f"  {one.kind:10}  {one.place}{line}  {one.text}".rstrip())
    if len(what.traces) > _MOST_SHOWN:
        click.echo(f"  … and {len(what.traces) - _MOST_SHOWN} more")


def _print_receipt(receipt: Receipt) -> None:
    done = ", ".join(f"{count} in {kind}" for kind, count in receipt.erased.items())
    click.echo(f"Erased {receipt.time:%Y-%m-%d %H:%M}: {done or 'nothing'}")
    size = receipt.scanned_bytes / 1e6
    click.echo(
        f"Compared {receipt.scanned_files} files, {size:.1f} MB: {len(receipt.left)} places left"
    )
    for one in receipt.left:
        click.echo(f"  {one.kind}  {one.place}:{one.line}", err=True)
    click.echo(f"Tombstone {receipt.tombstone} keeps the words from coming back.")
    click.echo("Copies elsewhere (git, backups, other programs) are not touched.")
