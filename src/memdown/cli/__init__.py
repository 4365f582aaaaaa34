"""The command line: `memdown`. Commands are loaded when they are used, errors end here."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from memdown import __version__
from memdown.cli.options import CommandGroup
from memdown.cli.terminal import guarded
from memdown.errors import MemdownError

_COMPLETE = "_MEMDOWN_COMPLETE"
_COMMANDS: Mapping[str, str] = {
    "init": "init",
    "index": "index",
    "search": "notes",
    "get": "notes",
    "remember": "notes",
    "history": "journal",
    "diff": "journal",
    "undo": "journal",
    "forget": "journal",
    "review": "review",
    "tidy": "review",
    "list": "browsing",
    "recent": "browsing",
    "edit": "browsing",
    "status": "index",
    "watch": "services",
    "doctor": "doctor",
    "serve": "services",
    "open": "services",
    "sessions": "sessions",
    "import": "sessions",
    "redact": "doctor",
    "config": "config",
    "providers": "doctor",
    "mcp": "clients",
    "hooks": "clients",
    "hook": "clients",
    "chat": "chat",
    "eval": "evaluate",
    "store": "store",
    "ltm": "ltm",
    "completion": "init",
}


# What other programs call these commands and options.
_OTHER_WORDS: Mapping[str, str] = {
    "add": "remember",
    "new": "remember",
    "note": "remember",
    "save": "remember",
    "write": "remember",
    "ask": "search",
    "find": "search",
    "grep": "search",
    "query": "search",
    "cat": "get",
    "read": "get",
    "show": "get",
    "ls": "list",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "log": "history",
    "revert": "undo",
    "reindex": "index",
    "sync": "index",
    "update": "index",
    "check": "doctor",
    "info": "status",
    "web": "serve",
    "setup": "init",
    "help": "--help",
    "version": "--version",
    "-v": "--version",
}


class _Commands(CommandGroup):
    """Finds a command in its module when it is asked for."""

    other_words = _OTHER_WORDS

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
    epilog="Run `memdown COMMAND --help` for more. Start with `memdown init` in the folder of your "
    "notes, or in a new one.",
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
    with guarded():
        return _run(arguments)


def _run(arguments: list[str] | None) -> int:
    # Not `cli.main`: that makes a broken pipe exit code 1, which here means "nothing found".
    try:
        if asked := os.environ.get(_COMPLETE):
            return _complete(asked)
        given = sys.argv[1:] if arguments is None else list(arguments)
        with cli.make_context("memdown", given) as context:
            result: Any = cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message())
        return 0
    except click.ClickException as error:
        _nearer(error).show()
        return 2
    except (click.Abort, EOFError, KeyboardInterrupt):
        return _stopped()
    except MemdownError as error:
        click.echo(f"memdown: {error}", err=True)
        return 2
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        if _comes_of_a_stop(error):
            return _stopped()
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return _disk_full()
        if os.environ.get("MEMDOWN_DEBUG"):
            raise
        click.echo(
            f"memdown: an error we did not expect ({type(error).__name__}: {error}); your notes are "
            "untouched. Run it again with MEMDOWN_DEBUG=1 and report what it prints.",
            err=True,
        )
        return 2
    return result if isinstance(result, int) else 0


def _nearer(error: click.ClickException) -> click.ClickException:
    """The error, with the options that begin like one that there is not: click goes by letters alone."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    name = error.option_name
    begun = [
        option
        for parameter in error.ctx.command.get_params(error.ctx)
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in parameter.opts
        if option.startswith(name)
    ]
    if not begun:
        return error
    return click.UsageError(f"{error.message} Did you mean {' or '.join(begun)}?", error.ctx)


def _stopped() -> int:
    # The line on which the terminal shows ^C ends here.
    click.echo(err=True)
    click.echo("memdown: stopped; nothing is lost, run the command again to go on.", err=True)
    return 130


def _disk_full() -> int:
    """Where the output itself is full, Python would complain again at exit."""
    click.echo("memdown: the disk is full; make room and run the command again.", err=True)
    return _reader_left(2)


def _comes_of_a_stop(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: a module stopped while it loads says it cannot load."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _complete(asked: str) -> int:
    """Answer the shell, which asks how the command line could go on."""
    from click.shell_completion import shell_complete

    return shell_complete(cli, {}, "memdown", _COMPLETE, asked)


def _reader_left(code: int = 0) -> int:
    """The reader, such as `head`, has seen enough; Python would complain again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
