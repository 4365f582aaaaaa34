"""Writes docs/cli.md from the commands themselves: `python -m memdown.cli.reference`."""

from __future__ import annotations

import copy

import click

from memdown.cli import cli
from memdown.cli.options import CommonOption

_HEAD = """\
# Commands

<!-- Written by `python -m memdown.cli.reference`; change the commands, not this page. -->

Exit codes: 0 found or done, 1 nothing found, 2 wrong use or error, 130 stopped by Ctrl-C.

Every command has `-h, --help`. Those that work on a memory have these options, too, which are not
repeated below:

```text
{common}
```
"""


def render() -> str:
    """The page: the options that all have in common, then the help text of every command."""
    sections = _sections(cli, "memdown", 2)
    return "\n".join([_HEAD.format(common=_common()), *sections])


def _common() -> str:
    """The options that commands about a memory share, told once."""
    search = cli.get_command(click.Context(cli), "search")
    assert search is not None  # noqa: S101
    context = _context(search, "memdown search")
    formatter = context.make_formatter()
    formatter.write_dl(
        [
            record
            for option in search.params
            if isinstance(option, CommonOption) and (record := option.get_help_record(context))
        ]
    )
    return formatter.getvalue().rstrip("\n")


def _sections(command: click.Command, name: str, level: int) -> list[str]:
    shown = copy.copy(command)
    shown.params = [one for one in command.params if not isinstance(one, CommonOption)]
    shown.add_help_option = False
    context = _context(shown, name)
    sections = [f"{'#' * level} {name}\n\n```text\n{shown.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                sections += _sections(found, f"{name} {child}", min(level + 1, 4))
    return sections


def _context(command: click.Command, name: str) -> click.Context:
    return click.Context(command, info_name=name, terminal_width=88, max_content_width=88)


if __name__ == "__main__":
    click.echo(render(), nl=False)
