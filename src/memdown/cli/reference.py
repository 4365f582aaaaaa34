"""Writes docs/cli.md from the commands themselves: `python -m memdown.cli.reference`."""

from __future__ import annotations

import click

from memdown.cli import cli

_HEAD = """\
# Commands

<!-- Written by `python -m memdown.cli.reference`; change the commands, not this page. -->

Exit codes: 0 found or done, 1 nothing found, 2 wrong use or error, 130 stopped by Ctrl-C.
"""


def render() -> str:
    """The page: the help text of every command."""
    return "\n".join([_HEAD, *_sections(cli, "memdown", 2)])


def _sections(command: click.Command, name: str, level: int) -> list[str]:
    context = click.Context(
        command,
        info_name=name,
        terminal_width=88,
        max_content_width=88,
        help_option_names=["-h", "--help"],
    )
    sections = [f"{'#' * level} {name}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                sections += _sections(found, f"{name} {child}", min(level + 1, 4))
    return sections


if __name__ == "__main__":
    click.echo(render(), nl=False)
