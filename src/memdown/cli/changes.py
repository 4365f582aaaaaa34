"""A change to another program's file, shown first and made only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from memdown.clientfiles import Change


def offer_change(change: Change, *, apply: bool, as_json: bool) -> None:
    """Show the change; with `apply`, make it and say where the old file is kept."""
    from memdown.cli.output import print_json
    from memdown.clientfiles import apply_change

    backup = apply_change(change) if apply else None
    if as_json:
        print_json(
            {
                "file": str(change.file),
                "needed": change.needed,
                "applied": apply and change.needed,
                "backup": str(backup) if backup else None,
                "difference": change.difference(),
            }
        )
    elif not change.needed:
        click.echo(f"{change.file} says so already; nothing was changed.")
    elif apply:
        click.echo(f"Changed {change.file}.")
        if backup:
            click.echo(f"The old file is kept as {backup}.")
    else:
        click.echo(change.difference(), nl=False)
        click.echo("This was only shown; add --apply to write it.", err=True)
