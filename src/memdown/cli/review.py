"""`memdown review`: what in the notes wants a look, numbered, and done on request."""

from __future__ import annotations

import click

from memdown.cli.options import Target, target_options


@click.command("review")
@click.option("--apply", "wanted", metavar="3,5", help="Do what these proposals say.")
@target_options
def review_command(target: Target, wanted: str | None) -> int:
    """Show contradictions, duplicates, what is over, and what should last; nothing is changed.

    No model is asked. Each proposal has a number: --apply 3,5 does these two, and `memdown undo`
    takes them back. The same notes give the same numbers. Exit code 1: there is nothing.
    """
    from memdown.cli.output import counted, print_json
    from memdown.facts.reviewing import apply, proposal_json, review

    with target.open() as memory:
        memory.sync()
        proposals = review(memory)
        done = apply(memory, _numbers(wanted)) if wanted else []
    if target.as_json:
        print_json({"proposals": [proposal_json(one) for one in proposals], "changes": done})
        return 0 if proposals else 1
    if wanted:
        numbers = ", ".join(map(str, done))
        click.echo(
            f"Made {counted(len(done), 'change')} ({numbers}); `memdown undo` takes them back."
        )
        return 0
    for one in proposals:
        click.echo(f"{one.number}. {one.kind}: {', '.join(one.references)}")
        click.echo(f"   {one.reason}")
        for line in one.diff:
            click.echo(f"     {line}")
    if not proposals:
        click.echo("Nothing wants a look.", err=True)
    return 0 if proposals else 1


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        raise click.UsageError(f"--apply takes numbers such as 3,5, not {text!r}.") from None
