"""`memdown ltm`: the single memories of the plugin `memory-lancedb`."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import click

from memdown.cli.options import CommandGroup, Target, Words, target_options, words_argument

if TYPE_CHECKING:
    from memdown.backends.ltm import Entry, LongTermMemory


@click.group("ltm", cls=CommandGroup)
def ltm_command() -> None:
    """Look at and delete single memories (plugin memory-lancedb)."""


@ltm_command.command("list")
@click.option("--limit", "-n", type=click.IntRange(1), default=50, show_default=True)
@target_options
def list_command(target: Target, limit: int) -> None:
    """List memories, the newest first."""
    entries = _opened(target).entries()[:limit]
    if target.as_json:
        _print_json({"memories": [_json(entry) for entry in entries]})
        return
    for entry in entries:
        click.echo(_line(entry))
    if not entries:
        click.echo("There are no single memories yet.", err=True)


@ltm_command.command("search", cls=Words)
@words_argument("query", required=True)
@click.option("--limit", "-n", type=click.IntRange(1, 50), default=5, show_default=True)
@target_options
def search_command(target: Target, query: str, limit: int) -> int:
    """Find memories by meaning; exit code 1 if there is none."""
    found = _opened(target).recall(query, limit)
    if target.as_json:
        _print_json({"memories": [_json(one.entry) | {"score": one.score} for one in found]})
    else:
        for one in found:
            click.echo(f"{one.score:.2f}  {_line(one.entry)}")
        if not found:
            click.echo("Nothing found.", err=True)
    return 0 if found else 1


@ltm_command.command("stats")
@target_options
def stats_command(target: Target) -> None:
    """Count memories by category."""
    counts = _opened(target).stats()
    if target.as_json:
        _print_json({"total": sum(counts.values()), "categories": dict(counts)})
        return
    for category, count in counts.items():
        click.echo(f"{category + ':':<12}{count}")
    click.echo(f"{'total:':<12}{sum(counts.values())}")


@ltm_command.command("forget")
@click.argument("memory_id")
@target_options
def forget_command(target: Target, memory_id: str) -> int:
    """Delete one memory by its id."""
    gone = _opened(target).forget(memory_id=memory_id).entry
    if target.as_json:
        _print_json({"deleted": _json(gone) if gone else None})
    elif gone is None:
        click.echo("There is no memory with this id; `memdown ltm list` shows them.", err=True)
    else:
        click.echo(f"Forgotten: {_line(gone)}")
    return 0 if gone else 1


def _opened(target: Target) -> LongTermMemory:
    from memdown.opening import open_long_term

    return open_long_term(target.settings())


def _line(entry: Entry) -> str:
    day = datetime.datetime.fromtimestamp(entry.created_at / 1000).astimezone().date()
    return f"{entry.id}  {day}  {entry.category:<10}  {' '.join(entry.text.split())}"


def _json(entry: Entry) -> dict[str, object]:
    from memdown.agent.long_term import entry_json

    return entry_json(entry)


def _print_json(data: dict[str, object]) -> None:
    from memdown.cli.index import print_json

    print_json(data)
