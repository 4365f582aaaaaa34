"""`memdown watch`: keep the index fresh, in a terminal or as a service."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, target_options
from memdown.cli.terminal import own

if TYPE_CHECKING:
    from memdown.memory import Memory
    from memdown.types import SyncReport


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
    from memdown.cli.output import print_json
    from memdown.shapes import report_json

    if unit:
        from memdown.cli.units import service_definition

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
    from memdown.cli.output import print_report

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

    from memdown.cli.output import counted

    status = memory.status()
    files, chunks = sum(status.store.files.values()), sum(status.store.chunks.values())
    now = datetime.datetime.now().astimezone().strftime("%H:%M:%S")
    state = "fresh" if not status.dirty else f"{counted(status.changed, 'file')} to index"
    last = f"{report.indexed} indexed, {report.removed} removed"
    how = f", {status.watcher.partition(',')[0]}" if status.watcher else ""
    held = f"{counted(files, 'file')}, {counted(chunks, 'chunk')}"
    return f"{now}  {held}, {state}; last: {last}{how}  (Ctrl-C ends)"
