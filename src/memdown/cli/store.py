"""`memdown store`: looking after the index, and moving it from one engine to another."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import click

from memdown.cli.options import Target, target_options

if TYPE_CHECKING:
    from memdown.config import Settings

_SERVERS = ("postgres://", "postgresql://")
_BUCKETS = ("s3://", "gs://", "az://")


@runtime_checkable
class Vacuums(Protocol):
    """A store that must be told when to clear what it no longer needs."""

    def vacuum(self) -> None: ...


@click.group("store")
def store_command() -> None:
    """Look after the index, and move it to another engine."""


@store_command.command("migrate")
@click.option("--to", "goal", required=True, help="sqlite, lancedb, postgres, or an address.")
@target_options
def migrate_command(target: Target, goal: str) -> None:
    """Make the index in another engine from the notes, with the vectors that are there already.

    The old index stays as it is. Afterwards set memorySearch.store as the command says.

    \b
    Examples:
      memdown store migrate --to postgresql://memdown@db.example.com/memdown
      memdown store migrate --to sqlite
    """
    from memdown.cli.output import print_json, print_report
    from memdown.cli.progress import progress_bar
    from memdown.index.moving import copy_vectors
    from memdown.memory import Memory
    from memdown.opening import open_store, with_own_index
    from memdown.shapes import report_json

    old = target.settings()
    old = with_own_index(old, old.workspace)
    new = _roomy(_pointed(target.settings(), goal))
    new = with_own_index(new, new.workspace)
    _check_different(old, new)
    source = open_store(old)
    try:
        goal_store = open_store(new)
        try:
            copied = copy_vectors(source, goal_store)
        finally:
            goal_store.close()
    finally:
        source.close()
    with Memory.from_settings(new) as memory, progress_bar() as progress:
        report = memory.sync(progress=progress)
    if target.as_json:
        print_json({"driver": new.store.driver, "vectors": copied, **report_json(report)})
        return
    print_report(report)
    click.echo(f"{copied:,} vectors were taken over. Now set in the configuration file:")
    click.echo(f"  agents.defaults.memorySearch.store.driver: {new.store.driver!r}")
    if new.store.url is not None:
        click.echo("  agents.defaults.memorySearch.store.url: the address you have given")


@store_command.command("vacuum")
@target_options
def vacuum_command(target: Target) -> None:
    """Clear what removed notes have left on disk, and what fills the index without use.

    \b
    Example:
      memdown store vacuum
    """
    from memdown.cli.output import print_json
    from memdown.opening import open_store, with_own_index

    settings = target.settings()
    settings = with_own_index(settings, settings.workspace)
    with closing(open_store(settings)) as store:
        if not isinstance(store, Vacuums):
            click.echo(f"{settings.store.driver} clears up by itself; there is nothing to do.")
            return
        before = store.status().size_bytes
        store.vacuum()
        after = store.status().size_bytes
    if target.as_json:
        print_json({"before": before, "after": after})
        return
    click.echo(f"Cleared: {before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


def _pointed(settings: Settings, goal: str) -> Settings:
    from memdown.config.values import Secret
    from memdown.errors import ConfigError

    store = settings.store
    if goal.startswith(_SERVERS):
        store = replace(store, driver="postgres", url=Secret(goal), read_url=None)
    elif goal.startswith(_BUCKETS):
        store = replace(store, driver="lancedb", url=Secret(goal), read_url=None)
    elif goal in ("sqlite", "lancedb", "postgres"):
        kept = store.url if goal == store.driver else None
        store = replace(store, driver=goal, url=kept, read_url=None)
    else:
        raise ConfigError(
            f"{goal!r} is no engine; use sqlite, lancedb, postgres or an address such as "
            "postgresql://host/database."
        )
    return replace(settings, store=store)


def _roomy(settings: Settings) -> Settings:
    """With a cache that no vector on its way falls out of."""
    return replace(settings, cache=replace(settings.cache, enabled=True, max_entries=10**8))


def _check_different(old: Settings, new: Settings) -> None:
    from memdown.errors import ConfigError

    def place(settings: Settings) -> tuple[str, str, Path]:
        url = settings.store.url.reveal() if settings.store.url else ""
        return settings.store.driver, url, settings.store.path

    if place(old) == place(new):
        raise ConfigError(
            f"The index is in {new.store.driver} already; name another engine with --to."
        )
