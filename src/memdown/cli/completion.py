"""`memdown completion`: make the shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: echo 'eval "$(memdown completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(memdown completion zsh)"' >> ~/.zshrc
    fish: memdown completion fish > ~/.config/fish/completions/memdown.fish
    """
    from memdown.cli import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not supported.")
    click.echo(kind(cli, {}, "memdown", "_MEMDOWN_COMPLETE").source())
