"""`memdown mcp`, `hook` and `hooks`: memory for MCP clients and coding agents; their files are changed on request."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from memdown.cli.options import BY_PROJECT, CommandGroup, Target, target_options
from memdown.errors import MemdownError
from memdown.mcp.clients import CLIENTS

if TYPE_CHECKING:
    from memdown.agent.client_files import FileChange
    from memdown.config import Settings
    from memdown.mcp.service import Service


def offer_change(
    change: FileChange, *, apply: bool, as_json: bool, proof: Callable[[], str] | None = None
) -> int:
    """Show the change; with `apply`, make it and say where the old file is kept.

    What was installed is then started by `proof`, and what that tells is shown; 1 if it failed.
    """
    from memdown.agent.client_files import apply_change
    from memdown.cli.index import print_json

    backup = apply_change(change) if apply else None
    tried = _try(proof) if apply and proof else _Tried()
    if as_json:
        print_json(
            {
                "file": str(change.file),
                "needed": change.needed,
                "applied": apply and change.needed,
                "backup": str(backup) if backup else None,
                "difference": change.difference(),
                "proof": tried.answer,
                "error": tried.fault,
            }
        )
    elif not apply and change.needed:
        click.echo(change.difference(), nl=False)
        click.echo("This was only shown; add --apply to write it.", err=True)
    else:
        if not change.needed:
            click.echo(f"{change.file} says so already; nothing was changed.")
        else:
            click.echo(f"Changed {change.file}.")
        if backup:
            click.echo(f"The old file is kept as {backup}.")
        if tried.answer:
            click.echo(f"Tried once: {tried.answer}")
        if tried.fault:
            click.echo(f"memdown: it is installed, but it does not work: {tried.fault}", err=True)
    return 1 if tried.fault else 0


class _Tried(NamedTuple):
    """What the installed program answered when it was started once, or what went wrong."""

    answer: str | None = None
    fault: str | None = None


def _try(proof: Callable[[], str]) -> _Tried:
    try:
        return _Tried(answer=proof())
    except MemdownError as error:
        return _Tried(fault=str(error))


@click.command("hook")
@click.argument("event")
@click.option("--later", is_flag=True, help="In a process of its own: the agent does not wait.")
@target_options
def hook_command(target: Target, event: str, later: bool) -> int:
    """Run by a coding agent, in the protocol of Claude Code; `memdown hooks install` sets it up.

    EVENT is session-start, user-prompt-submit, pre-compact, stop or session-end. The event comes
    as JSON on standard input.
    """
    # Exit code 2 would make the agent stop what it is doing; 1 only shows the message.
    try:
        if later:
            _run_beside(target, target.workspace, ["hook", event], sys.stdin.read())
        else:
            _run(target, event)
    except (MemdownError, OSError) as error:
        click.echo(f"memdown: {error}", err=True)
        return 1
    return 0


def _run(target: Target, event: str) -> None:
    from memdown.agent.hooks.events import (
        EVENTS,
        FLUSH,
        MAX_INPUT_CHARS,
        flushes_after,
        parse_input,
        run_event,
        tidies_after,
    )
    from memdown.config import load_settings

    if event not in (*EVENTS, FLUSH):
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
        _run_beside(target, settings.workspace, ["index"])
    if tidies_after(event, settings) and not given.dry:
        _run_beside(target, settings.workspace, ["tidy", "--apply", "--json"])
    if flushes_after(event, settings) and not given.dry:
        about = {"session_id": given.session_id, "cwd": str(given.cwd or "")}
        _run_beside(target, settings.workspace, ["hook", FLUSH], json.dumps(about))


def _run_beside(
    target: Target, workspace: Path | None, command: list[str], given: str = ""
) -> None:
    """Run a command in a process of its own: the agent waits for this one."""
    import subprocess

    from memdown.mcp.clients import memory_options, own_command

    options = memory_options(workspace, target.config, target.agent)
    process = subprocess.Popen(
        [*own_command(), *command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(given.encode())
    # It outlives this process, and nobody waits for it.
    process.returncode = 0


@click.group("hooks", cls=CommandGroup)
def hooks_command() -> None:
    """Add memory to coding agents by their hooks."""


@hooks_command.command("install")
@click.argument(
    "client",
    type=click.Choice(["claude-code", "codex", "gemini", "opencode"]),
    default="claude-code",
)
@click.option("--apply", "do_apply", is_flag=True, help="Write it; without this it is only shown.")
@click.option("--project", is_flag=True, help="For the project in this folder only.")
@click.option("--recall", is_flag=True, help="Also put matching memories before every prompt.")
@click.option("--by-project", is_flag=True, help=BY_PROJECT)
@click.option("--undo", is_flag=True, help="Take the hooks out again.")
@target_options
def hooks_install_command(
    target: Target,
    client: str,
    do_apply: bool,
    project: bool,
    recall: bool,
    by_project: bool,
    undo: bool,
) -> int:
    """Add the hooks to the settings of CLIENT: claude-code (the default), codex, gemini or
    opencode.

    They use the workspace around this folder, or the one that --workspace names. Shows the change
    first; --apply makes it, keeps a copy of the old file, and runs the hooks once.
    """
    from memdown.agent.hooks.install import installed_commands, plan_hooks, prove, settings_file
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
        proof=None if undo else lambda: prove(installed_commands(file, client)[:1])[0],
    )


@click.group("mcp", cls=CommandGroup, invoke_without_command=True)
@click.option("--write", is_flag=True, help="Also offer memory_remember, which adds notes.")
@click.option("--http", is_flag=True, help="Serve HTTP instead of standard input and output.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="With --http: where to listen."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="0: any free one.",
)
@click.option(
    "--allow-host",
    "more_hosts",
    multiple=True,
    help="With --http: another name under which clients reach this server; may be repeated.",
)
@click.option(
    "--also",
    "others",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Another workspace to search and read beside this one; may be repeated.",
)
@target_options
@click.pass_context
def mcp_command(
    context: click.Context,
    target: Target,
    write: bool,
    http: bool,
    host: str,
    port: int,
    more_hosts: tuple[str, ...],
    others: tuple[Path, ...],
) -> None:
    """Serve the memory over the Model Context Protocol.

    Clients start this command by themselves: `memdown mcp install claude-code` tells them how.
    With --http, clients send the token of MEMDOWN_MCP_TOKEN, or of the file `mcp-token` in the
    state folder, as `Authorization: Bearer …`.
    """
    context.obj = target
    if context.invoked_subcommand is not None:
        return
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memdown: %(message)s")
    settings = target.settings(here=False)
    if settings.passed_over is not None:
        logging.getLogger("memdown").warning(
            "%s looks like a memory, but you never made it yours, so the one in use is %s; run "
            "`memdown init` there once if it is your memory.",
            settings.passed_over,
            settings.workspace,
        )
    from memdown.mcp.service import Service

    service = Service(settings, write=write, others=_others(target, others))
    if http:
        _serve_http(service, host, port, more_hosts)
    else:
        from memdown.mcp import stdio

        stdio.serve(service)


def _others(target: Target, folders: tuple[Path, ...]) -> dict[str, Settings]:
    """Further workspaces by the names of their folders."""
    from dataclasses import replace

    named: dict[str, Settings] = {}
    for folder in folders:
        name = folder.expanduser().resolve().name or "other"
        while name in named:
            name += "-2"
        named[name] = replace(target, workspace=folder).settings(here=False)
    return named


def _serve_http(service: Service, host: str, port: int, more: tuple[str, ...]) -> None:
    _need_sdk()
    from memdown.mcp import http

    token, source = http.find_token(service.settings.state_dir)
    listener = http.listen(host, port)
    port = listener.getsockname()[1]
    app = http.create_app(http.create_server(service), token, http.allowed_hosts(host, port, more))
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"Serving http://{shown}:{port}/mcp; the token is in {source}.", err=True)
    http.serve(app, listener)


def _need_sdk() -> None:
    from importlib.util import find_spec

    from memdown.errors import MissingExtra

    if find_spec("mcp_types") is None or find_spec("mcp.server") is None:
        raise MissingExtra("MCP over HTTP", "mcp")


@mcp_command.command("install")
@click.argument("client", type=click.Choice(sorted(CLIENTS)))
@click.option("--apply", "do_apply", is_flag=True, help="Write it; without this it is only shown.")
@click.option("--write", is_flag=True, help="Let the client add notes, too.")
@click.option(
    "--project", is_flag=True, help="For this project only, where the client can do that."
)
@click.option("--by-project", is_flag=True, help=BY_PROJECT)
@click.option("--undo", is_flag=True, help="Take the entry out again.")
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="Another file.")
@target_options
def install_command(
    target: Target,
    client: str,
    do_apply: bool,
    write: bool,
    project: bool,
    by_project: bool,
    undo: bool,
    file: Path | None,
) -> int:
    """Add Memdown to a client's configuration.

    It serves the workspace around this folder, or the one that --workspace names. Shows the
    change first; --apply makes it, keeps a copy of the old file, and starts the server once.
    Everything else in the file stays as it is, comments included.
    """
    from memdown.mcp.clients import plan_install

    workspace = None if undo else target.workspace_to_name(by_project=by_project)
    change = plan_install(
        client,
        workspace=workspace,
        config=target.config,
        agent=target.agent,
        write=write,
        project=project,
        undo=undo,
        file=file,
    )
    return offer_change(
        change,
        apply=do_apply,
        as_json=target.as_json,
        proof=None if undo else lambda: _prove(target, client, change.file),
    )


def _prove(target: Target, client: str, file: Path) -> str:
    """Start the server as the client's file now says, and tell what it answered."""
    from memdown.mcp.clients import installed_command, prove
    from memdown.notes import scan
    from memdown.opening import open_notes

    command, environ = installed_command(client, file)
    proof = prove(command, environ)
    where = command[command.index("--workspace") + 1] if "--workspace" in command else None
    place = f"workspace {where}" if where else "the workspace of the project, or your default one"
    if not proof.has_notes:
        offered = ", ".join(proof.tools) or "no tools: memory is turned off"
        return f"memdown {proof.version} answers, {place}, with {offered}."
    if where is None:
        return f"memdown {proof.version} answers, {place}."
    count = len(scan(open_notes(target.settings())).files)
    return f"memdown {proof.version} answers, {place}, {count} note{'s' * (count != 1)}."
