"""What commands have in common: the options that name a memory, and words that need no quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.memory import Memory

_F = TypeVar("_F", bound=Callable[..., Any])
_NUMBER = re.compile(r"-\d")
# No argument of a process can hold it, so it marks a word that looks like an option.
_WORD = "\0"
# How a sentence ends that asks for another workspace.
_ANOTHER = ("or name another.", "or name another one.")

BY_PROJECT = (
    "Name no workspace: where the agent runs in one that you initialised it uses that, elsewhere "
    "your default one."
)


@dataclass(frozen=True, slots=True)
class Target:
    """Which memory a command is about, and how to answer."""

    workspace: Path | None
    agent: str
    config: Path | None
    as_json: bool

    def open(self, *, here: bool = True) -> Memory:
        """The memory that the options name."""
        from memdown.errors import WorkspaceError
        from memdown.memory import Memory

        try:
            return Memory.from_settings(self.settings(here=here))
        except WorkspaceError as error:
            said = str(error)
            if said.endswith(_ANOTHER):
                said = f"{said.removesuffix('.')} with --workspace."
            raise type(error)(said) from None

    def settings(self, *, here: bool = True) -> Settings:
        """The settings that the options name.

        Without `here`, as for agents, this folder counts only if the user made it a workspace.
        """
        from memdown.config import load_settings

        return load_settings(
            config=self.config, workspace=self.workspace, agent=self.agent, here=here
        )

    def workspace_to_name(self, *, by_project: bool) -> Path | None:
        """The workspace that an agent is told of, which must be there and be the user's."""
        from memdown.opening import check_own, open_notes

        if by_project and self.workspace is not None:
            raise click.UsageError("--workspace and --by-project exclude each other.")
        settings = self.settings(here=not by_project)
        check_own(settings)
        folder = open_notes(settings).folder
        return None if by_project else folder


class CommandGroup(click.Group):
    """Commands that are listed with their whole summaries; a wrong name gets the nearest one.

    `other_words` are names that people try first: word → command.
    """

    other_words: Mapping[str, str] = {}

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            if self.invoke_without_command:
                raise
            name = error.option_name
            hint = f"options come after the command: `{context.command_path} COMMAND … {name} …`."
            nearest = self._nearest(name, (), hint)
            raise click.UsageError(f"No such option {name!r} here; {nearest}", context) from None

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, names = args[0], self.list_commands(context)
        if name not in names and not name.startswith("-"):
            hint = f"`{context.command_path} --help` lists them."
            raise click.UsageError(
                f"No such command {name!r}; {self._nearest(name, names, hint)}", context
            )
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(context):
            command = self.get_command(context, name)
            if command is not None and not command.hidden:
                # Click would cut a summary off at the end of a line.
                rows.append((name, command.get_short_help_str(limit=200)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _nearest(self, name: str, names: Sequence[str], otherwise: str) -> str:
        import difflib

        meant = self.other_words.get(name.lower())
        close = [meant] if meant else difflib.get_close_matches(name, names, n=1)
        return f"did you mean {close[0]}?" if close else otherwise


class CommonOption(click.Option):
    """An option that every command about a memory has; the page of commands tells it once."""


class Words(click.Command):
    """A command whose words need no quotes, not even a number such as -18."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        with_value = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and not parameter.is_flag
            for name in parameter.opts
        }
        end = args.index("--") if "--" in args else len(args)
        marked = [
            _WORD + word
            if number < end and _NUMBER.match(word) and before not in with_value
            else word
            for number, (before, word) in enumerate(zip(["", *args], args, strict=False))
        ]
        return super().parse_args(context, marked)


def words_argument(name: str, *, required: bool) -> Callable[[_F], _F]:
    """An argument of several words; the command gets them as one text, None if there are none."""

    def joined(
        context: click.Context, parameter: click.Parameter, words: tuple[str, ...]
    ) -> str | None:
        del context, parameter
        return " ".join(word.removeprefix(_WORD) for word in words) if words else None

    shown = f"{name.upper()}..." if required else f"[{name.upper()}]..."
    return click.argument(name, nargs=-1, required=required, callback=joined, metavar=shown)


def target_options(command: _F) -> _F:
    """Add --workspace, --agent, --config and --json; the command gets them as `target`."""

    def with_target(*args: Any, **kwargs: Any) -> Any:
        target = Target(
            workspace=kwargs.pop("workspace"),
            agent=kwargs.pop("agent"),
            config=kwargs.pop("config"),
            as_json=kwargs.pop("as_json"),
        )
        return command(*args, target=target, **kwargs)

    with_target.__doc__ = command.__doc__
    with_target.__name__ = command.__name__
    decorated: Any = with_target
    for option in (
        click.option(
            "--json", "as_json", is_flag=True, cls=CommonOption, help="Print JSON instead of text."
        ),
        click.option(
            "--config",
            cls=CommonOption,
            type=click.Path(path_type=Path, dir_okay=False),
            help="The configuration file (JSON5); an OpenClaw one works too.",
        ),
        click.option(
            "--agent",
            default="main",
            show_default=True,
            cls=CommonOption,
            help="Whose memory.",
        ),
        click.option(
            "--workspace",
            "-w",
            cls=CommonOption,
            type=click.Path(path_type=Path),
            help="The folder of the notes [default: the workspace around this folder, else yours].",
        ),
    ):
        decorated = option(decorated)
    result: _F = decorated
    return result
