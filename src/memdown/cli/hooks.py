"""`memdown hook` and `memdown hooks`: memory for coding agents that know nothing of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from memdown.cli.options import BY_PROJECT, Target, target_options
from memdown.errors import MemdownError


@click.command("hook")
@click.argument("event")
@target_options
def hook_command(target: Target, event: str) -> int:
    """Run by a coding agent, in the protocol of Claude Code; `memdown hooks install` sets it up.

    EVENT is session-start, user-prompt-submit, pre-compact, stop or session-end. The event comes
    as JSON on standard input.
    """
    # Exit code 2 would make the agent stop what it is doing; 1 only shows the message.
    try:
        _run(target, event)
    except (MemdownError, OSError) as error:
        click.echo(f"memdown: {error}", err=True)
        return 1
    return 0


def _run(target: Target, event: str) -> None:
    from memdown.agent.hooks.events import EVENTS, MAX_INPUT_CHARS, parse_input, run_event
    from memdown.config import load_settings

    if event not in EVENTS:
        raise MemdownError(f"There is no hook {event[:60]!r}; there are {', '.join(EVENTS)}.")
    if sys.stdin.isatty():
        raise MemdownError("A hook is run by an agent; `memdown hooks install` sets it up.")
    given = parse_input(sys.stdin.read(MAX_INPUT_CHARS))
    settings = load_settings(
        config=target.config,
        workspace=target.workspace,
        agent=target.agent,
        cwd=given.cwd if given.cwd and given.cwd.is_dir() else None,
    )
    output = run_event(event, given, settings)
    if output is not None:
        click.echo(json.dumps(output, ensure_ascii=False))
    starts = event == "session-start" and settings.sync.on_session_start and not given.dry
    if starts and "hookSpecificOutput" in (output or {}):
        _index_beside(target, settings.workspace)


def _index_beside(target: Target, workspace: Path) -> None:
    """Bring the index up to date in a process of its own: the agent waits for this one."""
    import subprocess

    from memdown.mcp.clients import memory_options, own_command

    options = memory_options(workspace, target.config, target.agent)
    process = subprocess.Popen(
        [*own_command(), "index", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # It outlives this process, and nobody waits for it.
    process.returncode = 0


@click.group("hooks")
def hooks_command() -> None:
    """Add memory to coding agents by their hooks."""


@hooks_command.command("install")
@click.argument(
    "client", type=click.Choice(["claude-code", "codex", "gemini"]), default="claude-code"
)
@click.option("--apply", "do_apply", is_flag=True, help="Write it; without this it is only shown.")
@click.option("--project", is_flag=True, help="For the project in this folder only.")
@click.option("--recall", is_flag=True, help="Also put matching memories before every prompt.")
@click.option("--by-project", is_flag=True, help=BY_PROJECT)
@click.option("--undo", is_flag=True, help="Take the hooks out again.")
@target_options
def install_command(
    target: Target,
    client: str,
    do_apply: bool,
    project: bool,
    recall: bool,
    by_project: bool,
    undo: bool,
) -> int:
    """Add the hooks to the settings of CLIENT: claude-code (the default), codex or gemini.

    They use the workspace around this folder, or the one that --workspace names. Shows the change
    first; --apply makes it, keeps a copy of the old file, and runs the hooks once.
    """
    from memdown.agent.hooks.install import installed_commands, plan_hooks, prove, settings_file
    from memdown.cli.changes import offer_change
    from memdown.mcp.clients import memory_options, own_command, passed_environment

    environ = [f"{name}={value}" for name, value in passed_environment().items()]
    command = [*(["env", *environ] if environ else []), *own_command()]
    workspace = None if undo else target.workspace_to_name(by_project=by_project)
    options = memory_options(workspace, target.config, target.agent)
    file = settings_file(client, project=project)
    change = plan_hooks(file, command, options, client=client, recall=recall, undo=undo)
    if client == "codex" and do_apply and not undo:
        click.echo("Codex runs them once you trust them: type /hooks in Codex.", err=True)
    return offer_change(
        change,
        apply=do_apply,
        as_json=target.as_json,
        proof=None if undo else lambda: prove(installed_commands(file, client))[0],
    )
