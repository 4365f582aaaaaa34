"""The command line: `memdown`. Commands are loaded when they are used, errors end here."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from memdown import __version__
from memdown.errors import MemdownError

_COMMANDS: Mapping[str, str] = {
    "init": "notes",
    "index": "index",
    "search": "notes",
    "get": "notes",
    "remember": "notes",
    "status": "index",
    "watch": "watch",
    "doctor": "doctor",
    "serve": "serve",
    "sessions": "sessions",
    "import": "importing",
    "redact": "redact",
    "config": "config",
    "providers": "providers",
    "mcp": "mcp",
    "hooks": "hooks",
    "hook": "hooks",
    "chat": "chat",
    "eval": "evaluate",
    "store": "store",
    "ltm": "ltm",
    "completion": "completion",
}


class _Commands(click.Group):
    """Finds a command in its module when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"memdown.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run `memdown COMMAND --help` for more. Start with `memdown init`, or run `memdown "
    "search` in a folder that has MEMORY.md or memory/.",
)
@click.version_option(__version__, prog_name="memdown")
def cli() -> None:
    """Memory for AI agents that is plain Markdown.

    Notes live in MEMORY.md and memory/*.md, in files you can read and edit. Memdown indexes them,
    keeps the index fresh and finds the right lines. No key, no server, no download.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error is one sentence and exit code 2."""
    # One search multiplies one small matrix: starting a thread for every core costs more than it
    # gains, and shows in the start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        result: Any = cli.main(arguments, prog_name="memdown", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("memdown: stopped; nothing is lost, run the command again to go on.", err=True)
        return 130
    except MemdownError as error:
        click.echo(f"memdown: {error}", err=True)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("MEMDOWN_DEBUG"):
            raise
        click.echo(
            f"memdown: an error we did not expect ({type(error).__name__}: {error}); your notes are "
            "untouched. Run it again with MEMDOWN_DEBUG=1 and report what it prints.",
            err=True,
        )
        return 2
    return result if isinstance(result, int) else 0
