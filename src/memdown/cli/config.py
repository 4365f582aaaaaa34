"""`memdown config`: which settings are in force, and where they come from."""

from __future__ import annotations

import click

from memdown.cli.options import Target, target_options


@click.group("config")
def config_command() -> None:
    """Show, check or find the configuration."""


@config_command.command("show")
@target_options
def show_command(target: Target) -> None:
    """Print the settings in force, defaults included; keys are never shown."""
    from memdown.cli.output import print_json
    from memdown.config.show import as_json

    print_json(as_json(target.settings()))


@config_command.command("check")
@target_options
def check_command(target: Target) -> None:
    """Say whether the configuration is right, or name what is wrong."""
    from memdown.cli.output import print_json

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
    from memdown.cli.output import print_json

    settings = target.settings()
    path = settings.config_path or settings.state_dir / "memdown.json5"
    if target.as_json:
        print_json({"path": str(path), "exists": settings.config_path is not None})
    else:
        click.echo(str(path))
