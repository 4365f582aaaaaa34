"""`memdown forget`: strike a fact, or erase words everywhere and prove it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, Words, target_options, words_argument

if TYPE_CHECKING:
    from memdown.facts.forgetting import Forgetting, Receipt
    from memdown.memory import Memory

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
    from memdown.cli.output import print_json
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
    from memdown.cli.output import print_json
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
    from memdown.cli.output import counted

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
