"""Options that every command has, and what they open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.memory import Memory

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Target:
    """Which memory a command is about, and how to answer."""

    workspace: Path | None
    agent: str
    config: Path | None
    as_json: bool

    def open(self) -> Memory:
        """The memory that the options name."""
        from memdown.memory import Memory

        return Memory.from_settings(self.settings())

    def settings(self) -> Settings:
        """The settings that the options name."""
        from memdown.config import load_settings

        return load_settings(config=self.config, workspace=self.workspace, agent=self.agent)


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
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
        click.option(
            "--config",
            type=click.Path(path_type=Path, dir_okay=False),
            help="The configuration file (JSON5); an OpenClaw one works too.",
        ),
        click.option("--agent", default="main", show_default=True, help="Whose memory."),
        click.option(
            "--workspace",
            "-w",
            type=click.Path(path_type=Path),
            help="The folder with MEMORY.md and memory/ [default: this folder if it has them].",
        ),
    ):
        decorated = option(decorated)
    result: _F = decorated
    return result
