"""`memdown watch`, `serve` and `open`: what keeps running, in a terminal or as a service of the system."""

from __future__ import annotations

import os
import plistlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, target_options
from memdown.cli.terminal import own
from memdown.errors import WorkspaceError

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.memory import Memory
    from memdown.types import SyncReport


_HOW = """\
# memdown watch --print-unit > ~/.config/systemd/user/memdown.service
# systemctl --user daemon-reload && systemctl --user enable --now memdown
"""
_SYSTEMD = """\
[Unit]
Description=Memdown {purpose}

[Service]
ExecStart={command}
Environment={state}
Restart=on-failure
RestartSec=10
Nice=10

[Install]
WantedBy=default.target
"""


def service_definition(kind: str, settings: Settings, serve: Sequence[str] = ()) -> str:
    """A systemd user unit or a launchd property list; `auto` means what this system uses.

    It watches, or with the options `serve` of `memdown serve` it keeps the page open.
    """
    if kind == "auto":
        kind = "launchd" if sys.platform == "darwin" else "systemd"
    command = _command(settings, serve)
    if kind == "systemd":
        folder = _escaped(str(settings.workspace))
        purpose = f"shows {folder} as a page" if serve else f"keeps the index of {folder} fresh"
        return ("" if serve else _HOW) + _SYSTEMD.format(
            purpose=purpose,
            command=" ".join(_quoted(part) for part in command),
            state=_quoted(f"MEMDOWN_STATE_DIR={settings.state_dir}"),
        )
    properties = {
        "Label": "memdown.serve" if serve else "memdown.watch",
        "ProgramArguments": command,
        "EnvironmentVariables": {"MEMDOWN_STATE_DIR": str(settings.state_dir)},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    return plistlib.dumps(properties).decode()


def install_page(settings: Settings, serve: Sequence[str]) -> Path:
    """Keep the page open from now on, as a service of the user; the file that defines it."""
    file = page_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(service_definition("auto", settings, serve))
    if sys.platform == "darwin":
        _run(["launchctl", "load", "-w", str(file)], file)
    else:
        _run(["systemctl", "--user", "daemon-reload"], file)
        _run(["systemctl", "--user", "enable", "--now", file.name], file)
    return file


def uninstall_page() -> Path:
    """End the service, and remove its definition."""
    file = page_file()
    if not file.exists():
        raise WorkspaceError(f"There is no service of the page ({file}); nothing was done.")
    if sys.platform == "darwin":
        _run(["launchctl", "unload", "-w", str(file)], file)
    else:
        _run(["systemctl", "--user", "disable", "--now", file.name], file)
    file.unlink()
    return file


def page_file() -> Path:
    """Where the service of the page is defined."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library/LaunchAgents/memdown.serve.plist"
    config = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    return Path(config) / "systemd/user/memdown-page.service"


def _run(command: Sequence[str], file: Path) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        problem = (
            (done.stderr.strip() or f"it ended with {done.returncode}") if done.returncode else ""
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        said = " ".join(command)
        raise WorkspaceError(
            f"`{said}` failed ({problem}); the service is defined in {file}, so run that command "
            "where a user session is, or keep `memdown serve` running yourself."
        )


def _command(settings: Settings, serve: Sequence[str]) -> list[str]:
    what = ["serve", "--no-open", *serve] if serve else ["watch", "--quiet"]
    command = [sys.executable, "-m", "memdown.cli", *what]
    command += ["--workspace", str(settings.workspace), "--agent", settings.agent]
    if settings.config_path:
        command += ["--config", str(settings.config_path)]
    return command


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(part: str) -> str:
    """A word as systemd reads it."""
    text = _escaped(part).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{text}"' if any(c in text for c in " '\"\\;$") else text


@click.command("watch")
@click.option("--quiet", is_flag=True, help="Say nothing but what goes wrong: for a service.")
@click.option(
    "--print-unit",
    "unit",
    is_flag=False,
    flag_value="auto",
    type=click.Choice(["auto", "systemd", "launchd"]),
    help="Print a service definition, for this system or the named one, and end.",
)
@target_options
def watch_command(target: Target, quiet: bool, unit: str | None) -> None:
    """Keep the index fresh while you edit, until Ctrl-C.

    \b
    As a service of your own, with systemd:
      memdown watch --print-unit > ~/.config/systemd/user/memdown.service
      systemctl --user enable --now memdown
    """
    from memdown.cli.index import print_json
    from memdown.shapes import report_json

    if unit:
        click.echo(service_definition(unit, target.settings()), nl=False)
        return
    with target.open() as memory, _stopped_by_signals() as stop:
        if target.as_json:
            for report in memory.watch(stop):
                print_json(report_json(report))
        elif quiet:
            for report in memory.watch(stop):
                _complain(report)
        elif sys.stdout.isatty():
            _show_live(memory, stop)
        else:
            _show_lines(memory, stop)


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """An event that SIGTERM, which services are ended with, sets; Ctrl-C works as ever."""
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)


def _complain(report: SyncReport) -> None:
    for failure in report.failed:
        click.echo(f"memdown: {failure.reason}", err=True)


def _show_lines(memory: Memory, stop: threading.Event) -> None:
    from memdown.cli.index import print_report

    click.echo(f"Watching {memory.settings.workspace}; Ctrl-C ends it.", err=True)
    for report in memory.watch(stop):
        print_report(report)


def _show_live(memory: Memory, stop: threading.Event) -> None:
    """One line that always tells the state, with what went wrong above it."""
    try:
        for report in memory.watch(stop):
            click.echo(own("\r\033[K", sys.stdout), nl=False)
            _complain(report)
            click.echo(status_line(memory, report), nl=False)
    finally:
        click.echo()


def status_line(memory: Memory, report: SyncReport) -> str:
    """What is watched, what it holds and what happened last."""
    import datetime

    from memdown.cli.index import counted

    status = memory.status()
    files, chunks = sum(status.store.files.values()), sum(status.store.chunks.values())
    now = datetime.datetime.now().astimezone().strftime("%H:%M:%S")
    state = "fresh" if not status.dirty else f"{counted(status.changed, 'file')} to index"
    last = f"{report.indexed} indexed, {report.removed} removed"
    how = f", {status.watcher.partition(',')[0]}" if status.watcher else ""
    size = f"{counted(files, 'file')}, {counted(chunks, 'chunk')}"
    return f"{now}  {size}, {state}; last: {last}{how}  (Ctrl-C ends)"


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), help="Which port [7117, or a free one].")
@click.option("--no-open", is_flag=True, help="Only print the link; open no browser.")
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Listen on another address. Whoever has the link can then read the notes.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    help="A name that the page may be called by, such as my-mac.local; may be repeated.",
)
@click.option("--link", is_flag=True, help="Print a new link to the page that is open already.")
@click.option("--install", is_flag=True, help="Keep it running from now on, as a service of yours.")
@click.option("--uninstall", is_flag=True, help="End that service.")
@target_options
def serve_command(
    target: Target,
    port: int | None,
    no_open: bool,
    link: bool,
    install: bool,
    uninstall: bool,
    read_only: bool,
    host: str,
    names: tuple[str, ...],
) -> None:
    """See, search and correct the memory in a browser, until Ctrl-C.

    The printed link lets one browser in, once; `memdown serve --link` prints another. Programs
    send the token in the file `web-PORT.token` of the state folder, as `Authorization: Bearer …`.
    """
    serving = _serving("serve")
    if install or uninstall:
        options = ["--port", str(port or serving.PORT), "--host", host]
        options += [part for name in names for part in ("--allow-host", name)]
        options += ["--read-only"] if read_only else []
        file = uninstall_page() if uninstall else install_page(target.settings(), options)
        said = "The page no longer runs by itself" if uninstall else "The page runs from now on"
        click.echo(f"{said} ({file})." + ("" if uninstall else " `memdown open` shows it."))
        return
    if link:
        settings = target.settings()
        _announce(serving.new_link(settings.state_dir, host, port), target)
        return
    with target.open() as memory:
        serving.serve(
            memory,
            host=host,
            port=port,
            names=names,
            read_only=read_only,
            open_browser=not no_open,
            announce=lambda url, token_file: _announce(
                url, target, workspace=str(memory.settings.workspace), tokenFile=str(token_file)
            ),
        )


@click.command("open")
@click.option("--no-open", is_flag=True, help="Only print a link; open no browser.")
@target_options
def open_command(target: Target, no_open: bool) -> None:
    """Open the page of the memory in your browser; it is started if it does not run.

    The browser is let in once and for all: bookmark the page, it also opens after a restart.
    `memdown serve --install` keeps the page running.
    """
    serving = _serving("open")
    settings = target.settings()
    port = serving.find_page(settings) or serving.start_page(settings)
    url = serving.open_page(settings, port, browser=not no_open)
    if target.as_json or no_open:
        _announce(url, target)
    else:
        click.echo(f"http://127.0.0.1:{port}/ is open in your browser. If not, open {url}")


def _serving(command: str) -> Any:
    """The server, which needs an extra."""
    from memdown.errors import MissingExtra

    try:
        from memdown.web import serving
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`memdown {command}` ({error.name} is missing)", "web") from None
    return serving


def _announce(url: str, target: Target, **more: str) -> None:
    from memdown.cli.index import print_json

    if target.as_json:
        print_json({"url": url, **more})
    elif more:
        click.echo(
            f"The memory in {more['workspace']} is open at\n\n  {url}\n\n"
            "The link works once, for one browser. Ctrl-C ends it."
        )
    else:
        click.echo(url)
