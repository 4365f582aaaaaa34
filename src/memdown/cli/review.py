"""`memdown review` and `tidy`: what in the notes wants a look, by rules or by a model, done on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, target_options

if TYPE_CHECKING:
    from memdown.facts.use import Use

# More of each kind would push the rest off the screen.
_SHOWN = 10


@click.command("review")
@click.option("--apply", "wanted", metavar="3,5", help="Do what these proposals say.")
@click.option(
    "--use",
    "by_use",
    is_flag=True,
    help="Show what is recalled often or never, and what was missed.",
)
@click.option("--clear", is_flag=True, help="With --use: delete the log of questions.")
@target_options
def review_command(target: Target, wanted: str | None, by_use: bool, clear: bool) -> int:
    """Show contradictions, duplicates, what is over, and what should last; nothing is changed.

    No model is asked. Each proposal has a number: --apply 3,5 does these two, and `memdown undo`
    takes them back. The same notes give the same numbers. Exit code 1: there is nothing.

    With --use it tells what the log of questions says. That log is kept on this machine only, and only
    after `memdown config set memory.use.enabled true`.
    """
    from memdown.cli.index import print_json

    if clear and not by_use:
        raise click.UsageError("--clear deletes the log of questions; say so with --use --clear.")
    if by_use and wanted:
        raise click.UsageError("--use only shows; leave --apply out.")
    if by_use:
        return _show_use(target, clear=clear)
    from memdown.facts.reviewing import apply, proposal_json, review

    with target.open() as memory:
        memory.sync()
        proposals = review(memory)
        done = apply(memory, _numbers(wanted)) if wanted else []
    if target.as_json:
        print_json({"proposals": [proposal_json(one) for one in proposals], "changes": done})
        return 0 if proposals else 1
    if wanted:
        click.echo(_made(done))
        return 0
    for one in proposals:
        click.echo(f"{one.number}. {one.kind}: {', '.join(one.references)}")
        click.echo(f"   {one.reason}")
        for line in one.diff:
            click.echo(f"     {line}")
    if not proposals:
        click.echo("Nothing wants a look.", err=True)
    return 0 if proposals else 1


def _show_use(target: Target, *, clear: bool) -> int:
    """Print what the use log says, or delete it."""
    from memdown.cli.index import counted, print_json
    from memdown.facts import use

    with target.open() as memory:
        if clear:
            days = use.clear(memory)
            click.echo(f"Deleted {counted(days, 'day')} of questions.")
            return 0
        found = use.report(memory)
    if target.as_json:
        print_json(use.use_json(found))
    else:
        _print_use(found)
    return 0 if found.questions or found.openings else 1


def _print_use(found: Use) -> None:
    from memdown.cli.index import counted

    if not found.on:
        click.echo(
            "The log of questions is off; `memdown config set memory.use.enabled true` starts it.",
            err=True,
        )
    if not found.questions and not found.openings:
        if found.on:
            click.echo("Nothing was asked yet.", err=True)
        return
    asked, opened = counted(found.questions, "question"), counted(found.openings, "note")
    click.echo(f"Since {found.since}: {asked}, {opened} opened.")
    if found.often:
        click.echo("\nRecalled most:")
    for one in found.often[:_SHOWN]:
        opened_too = f", opened {one.opened}" if one.opened else ""
        click.echo(f"  {one.count}×{opened_too}  {one.fact.reference}  {one.fact.text[:100]}")
    if found.never:
        click.echo(f"\nNever recalled ({len(found.never)}):")
    for fact in found.never[:_SHOWN]:
        click.echo(f"  {fact.reference}  {fact.text[:100]}")
    if found.missed:
        click.echo("\nNot found (`memdown eval make --misses` makes questions of them):")
    for miss in found.missed[:_SHOWN]:
        often = f" ({miss.count}×)" if miss.count > 1 else ""
        click.echo(f"  {miss.last}  {miss.question}{often}: {miss.found}")


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        raise click.UsageError(f"--apply takes numbers such as 3,5, not {text!r}.") from None


def _made(changes: Sequence[int]) -> str:
    """What was done, and how all of it is taken back."""
    from memdown.cli.index import counted

    if not changes:
        return "Nothing had to be changed."
    numbers = " ".join(map(str, changes))
    back = "takes it back" if len(changes) == 1 else "takes them back"
    return f"Made {counted(len(changes), 'change')}; `memdown undo {numbers}` {back}."


@click.command("tidy")
@click.option(
    "--with",
    "command",
    metavar="claude|codex|gemini|opencode|COMMAND",
    help="The command of your coding agent; it gets the facts on its standard input "
    "[memory.tidy.command].",
)
@click.option("--model", help="The model of an endpoint that is asked instead [memory.tidy.model].")
@click.option("--base-url", help="Where it is, such as http://localhost:11434/v1.")
@click.option("--apply", "wanted", is_flag=True, help="Do what passed the checks.")
@target_options
def tidy_command(
    target: Target, command: str | None, model: str | None, base_url: str | None, wanted: bool
) -> int:
    """Let your own coding agent, or a model, propose what to replace, merge, move, end or keep.

    Your current facts are sent to that command or model. It answers with operations on references, never with
    prose; each is checked (the fact is there and unchanged, at most a quarter of all facts, MEMORY.md
    stays below what a session gets) and shown. Nothing is changed without --apply, and `memdown undo`
    takes it back. Exit code 1: there is nothing to do.
    """
    from memdown.agent.chat.endpoint import asker
    from memdown.cli.index import print_json
    from memdown.facts.tidying import apply, plan

    with target.open() as memory:
        ask = asker(memory.settings, command=command, model=model, base_url=base_url)
        memory.sync()
        found = plan(memory, ask)
        done = apply(memory, found) if wanted else []
    if target.as_json:
        operations = [
            {"op": one.kind, "references": [fact.reference for fact in one.facts]}
            for one in found.operations
        ]
        print_json({"operations": operations, "refused": list(found.refused), "changes": done})
        return 0 if operations else 1
    for one in found.operations:
        click.echo(f"{one.kind}: {', '.join(fact.reference for fact in one.facts)}")
        for line in one.diff:
            click.echo(f"  {line}")
    for why in found.refused:
        click.echo(f"refused: {why}", err=True)
    if wanted:
        click.echo(_made(done))
    elif found.operations:
        click.echo("This was only shown; add --apply to do it.", err=True)
    else:
        click.echo("Nothing is to be done.", err=True)
    return 0 if found.operations else 1
