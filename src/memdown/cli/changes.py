"""A change to another program's file, shown first and made only on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from memdown.errors import MemdownError

if TYPE_CHECKING:
    from memdown.agent.client_files import Change


def offer_change(
    change: Change, *, apply: bool, as_json: bool, proof: Callable[[], str] | None = None
) -> int:
    """Show the change; with `apply`, make it and say where the old file is kept.

    What was installed is then started by `proof`, and what that tells is shown; 1 if it failed.
    """
    from memdown.agent.client_files import apply_change
    from memdown.cli.output import print_json

    backup = apply_change(change) if apply else None
    answer, fault = _started(proof) if apply and proof else (None, None)
    if as_json:
        print_json(
            {
                "file": str(change.file),
                "needed": change.needed,
                "applied": apply and change.needed,
                "backup": str(backup) if backup else None,
                "difference": change.difference(),
                "proof": answer,
                "error": fault,
            }
        )
    elif not apply and change.needed:
        click.echo(change.difference(), nl=False)
        click.echo("This was only shown; add --apply to write it.", err=True)
    else:
        if not change.needed:
            click.echo(f"{change.file} says so already; nothing was changed.")
        else:
            click.echo(f"Changed {change.file}.")
        if backup:
            click.echo(f"The old file is kept as {backup}.")
        if answer:
            click.echo(f"Tried once: {answer}")
        if fault:
            click.echo(f"memdown: it is installed, but it does not work: {fault}", err=True)
    return 1 if fault else 0


def _started(proof: Callable[[], str]) -> tuple[str | None, str | None]:
    try:
        return proof(), None
    except MemdownError as error:
        return None, str(error)
