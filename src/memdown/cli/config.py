"""`memdown config`: which settings are in force, where they come from, and how to change one."""

from __future__ import annotations

from typing import Any

import click

from memdown.cli.options import CommandGroup, Target, target_options

_HERE = "For this workspace only: `adopt` or `extraPaths`."


@click.group("config", cls=CommandGroup)
def config_command() -> None:
    """Show, check, find or change the configuration."""


@config_command.command("get")
@click.argument("key")
@target_options
def get_command(target: Target, key: str) -> None:
    """Print the value in force of one KEY, such as query.maxResults."""
    import json

    from memdown.agent.client_files import value_at
    from memdown.cli.index import print_json
    from memdown.config.keys import as_json, full_name

    value = value_at(as_json(target.settings()), full_name(key).split("."))
    if target.as_json:
        print_json(value)
    else:
        click.echo(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


@config_command.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key")
@click.argument("value")
@click.option("--here", is_flag=True, help=_HERE)
@target_options
def set_command(target: Target, key: str, value: str, here: bool) -> None:
    """Give one KEY a VALUE, in JSON5; text needs no quotes.

    The file is checked before it is written, and its comments stay.

    \b
    Examples:
      memdown config set workspace ~/notes
      memdown config set query.maxResults 10
      memdown config set provider openai
      memdown config set remote.apiKey '${OPENAI_API_KEY}'
      memdown config set --here extraPaths '["~/team/docs"]'
    """
    from memdown.cli import setting

    if here:
        _print_written(target, key, setting.set_here(target, key, setting.parsed(value)))
    else:
        _print_written(target, key, setting.set_key(target, key, setting.parsed(value)))


@config_command.command("unset")
@click.argument("key")
@target_options
def unset_command(target: Target, key: str) -> None:
    """Take one KEY out of the file, so that the default holds again."""
    from memdown.cli import setting

    _print_written(target, key, setting.unset_key(target, key))


def _print_written(target: Target, key: str, files: list[Any]) -> None:
    from memdown.cli.index import print_json

    if target.as_json:
        print_json({"key": key, "changed": [str(file) for file in files]})
    elif files:
        click.echo(f"Changed {key} in {' and '.join(map(str, files))}.")
    else:
        click.echo(f"{key} was so already; nothing was changed.")


@config_command.command("show")
@target_options
def show_command(target: Target) -> None:
    """Print the settings in force, defaults included; keys are never shown."""
    from memdown.cli.index import print_json
    from memdown.config.keys import as_json

    print_json(as_json(target.settings()))


@config_command.command("check")
@target_options
def check_command(target: Target) -> None:
    """Say whether the configuration is right, or name what is wrong."""
    from memdown.cli.index import print_json

    settings = target.settings()
    where = str(settings.config_path) if settings.config_path else None
    if target.as_json:
        print_json({"ok": True, "path": where})
    else:
        click.echo(f"{where} is fine." if where else "There is no file; the defaults are in force.")


@config_command.command("path")
@target_options
def path_command(target: Target) -> None:
    """Print the file that is read, or where it would be."""
    from memdown.cli.index import print_json

    settings = target.settings()
    path = settings.config_path or settings.state_dir / "memdown.json5"
    if target.as_json:
        print_json({"path": str(path), "exists": settings.config_path is not None})
    else:
        click.echo(str(path))
