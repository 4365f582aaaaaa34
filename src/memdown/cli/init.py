"""`memdown init` and `completion`: a folder becomes a workspace; the shell completes commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from memdown.cli.options import Target, target_options
from memdown.errors import WorkspaceError

if TYPE_CHECKING:
    from memdown.config import Settings


@click.command("init")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--adopt/--no-adopt",
    default=None,
    help="Count all Markdown of the folder, or only MEMORY.md and memory/ [all, if there is some].",
)
@click.option("--undo", is_flag=True, help="It is no longer yours for agents; no file is touched.")
@target_options
def init_command(target: Target, folder: Path | None, adopt: bool | None, undo: bool) -> None:
    """Make this folder, or FOLDER, a workspace.

    A folder that has Markdown, such as a vault or a docs folder, is adopted as it is: only the
    small file .memdown.json5 is added. Otherwise MEMORY.md and memory/ are made. What exists is
    left as it is. From then on agents that run in it may use it.
    """
    from memdown.cli.index import print_json
    from memdown.config import load_settings

    place = _absolute(folder or target.workspace or Path())
    if undo:
        _undo(target, place)
        return
    # A configuration that cannot be used is told before anything is made.
    load_settings(config=target.config, workspace=place, agent=target.agent)
    created = _create(place, adopt)
    settings = load_settings(config=target.config, workspace=place, agent=target.agent)
    from memdown.config.workspaces import add_own
    from memdown.notes import scan
    from memdown.opening import open_notes

    new = add_own(settings.state_dir, place)
    found = scan(open_notes(settings))
    if target.as_json:
        print_json(
            {
                "workspace": str(place),
                "created": created,
                "adopted": settings.adopted,
                "notes": len(found.files),
                "ignored": list(found.ignored),
            }
        )
        return
    _print_next_steps(settings, created, len(found.files), new=new)


def _absolute(path: Path) -> Path:
    import os

    from memdown.config.places import absolute

    return Path(os.path.normpath(absolute(path, None, os.environ)))


def _create(place: Path, adopt: bool | None) -> list[str]:
    """Make what is missing, and return the names of it."""
    from memdown.config.workspaces import MARKER, write_marker
    from memdown.notes import create_workspace

    if (place / MARKER).is_file():
        if adopt is not None:
            _set_adopt(place / MARKER, adopt)
        return []
    if adopt or (adopt is None and _has_markdown(place)):
        _make_folder(place)
        write_marker(place)
        return [MARKER]
    return create_workspace(place, private=_is_in_state_dir(place))


def _is_in_state_dir(place: Path) -> bool:
    import os

    from memdown.config.places import find_state_dir

    return place.is_relative_to(find_state_dir(os.environ, None))


def _has_markdown(place: Path) -> bool:
    """Whether the folder holds notes that only adopting it would count.

    A folder with MEMORY.md has its own order, and nobody wants all of the home folder.
    """
    from memdown.notes import is_memory, open_workspace, scan

    if not place.is_dir() or place == Path.home():
        return False
    if any((place / name).is_file() for name in ("MEMORY.md", "memory.md")):
        return False
    return not all(map(is_memory, scan(open_workspace(place, adopted=True)).files))


def _make_folder(place: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"The workspace {place} cannot be made ({error.strerror}); name a folder you can write to."
        ) from None


def _set_adopt(file: Path, adopt: bool) -> None:
    from memdown.agent.client_files import apply_change, plan_change, set_member

    change = plan_change(file, lambda text: set_member(text, ["adopt"], adopt, json5=True))
    apply_change(change, keep=False)


def _undo(target: Target, place: Path) -> None:
    import os

    from memdown.cli.index import print_json
    from memdown.config.places import find_state_dir
    from memdown.config.workspaces import remove_own

    removed = remove_own(find_state_dir(os.environ, None), place)
    if target.as_json:
        print_json({"workspace": str(place), "removed": removed})
    elif removed:
        click.echo(f"{place} is no longer yours for agents; its files are as they were.")
    else:
        click.echo(f"{place} was not on the list of your workspaces; nothing was changed.")


def _print_next_steps(settings: Settings, created: list[str], notes: int, *, new: bool) -> None:
    place = settings.workspace
    some = f"{notes} note{'s' * (notes != 1)}"
    if settings.adopted:
        what = f"{place} is a workspace: its Markdown counts where it stands ({some})"
    else:
        what = f"{place} is a workspace ({some})"
    if created:
        click.echo(f"{what}. Added {', '.join(created)}.")
    else:
        click.echo(f"{what}. {'No file was changed.' if new else 'Nothing was changed.'}")
    logs = place / "memory"
    if logs.is_dir() and any(logs.iterdir()) and not any(logs.rglob("*.md")):
        click.echo("  memory/ holds other files; daily notes will be written among them.", err=True)
    here = "" if place == Path.cwd() else f" --workspace {place}"
    click.echo(f'  memdown remember "We use tabs, not spaces."{here}   write something down')
    click.echo(f'  memdown search "tabs or spaces?"{here}              find it again')
    click.echo(f"  memdown mcp install claude-code --apply{here}       give it to an agent")


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
