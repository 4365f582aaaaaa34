"""`memdown store`: looking after the index, and moving it from one engine to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import click

from memdown.cli.options import CommandGroup, Target, target_options

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.index.ownership import Ownership
    from memdown.index.postgres.upkeep import ServerDetails
    from memdown.index.store import Store

_SERVERS = ("postgres://", "postgresql://")
_NO_TABLES = "There are no tables yet: run `memdown store init`."
_NO_INDEX = "There is no index yet: run `memdown index`."
_BUCKETS = ("s3://", "gs://", "az://")


@runtime_checkable
class Vacuums(Protocol):
    """A store that must be told when to clear what it no longer needs."""

    def vacuum(self) -> None: ...


@runtime_checkable
class Describes(Protocol):
    """A store that has more to tell an operator."""

    def describe(self) -> ServerDetails: ...


@runtime_checkable
class Server(Describes, Protocol):
    """A store on a server that many agents share."""

    def prepare(self, role: str | None = None) -> None: ...

    def own_tables(self) -> bool: ...


@runtime_checkable
class SharedByHosts(Protocol):
    """A store that several hosts write to, each its own files."""

    def ownership(self, days: float, gone: Sequence[str] = ()) -> Ownership | None: ...

    def remove_orphans(
        self, days: float, gone: Sequence[str], *, unreported: bool
    ) -> list[str]: ...


@click.group("store", cls=CommandGroup)
def store_command() -> None:
    """Look after the index, and move it to another engine."""


@store_command.command("migrate")
@click.option("--to", "goal", help="sqlite, lancedb, postgres, a plugin's name, or an address.")
@target_options
def migrate_command(target: Target, goal: str | None) -> None:
    """Make the index in another engine from the notes, with the vectors that are there already.

    The old index stays as it is. Afterwards set memorySearch.store as the command says. Without --to,
    the tables on the server are brought up to this version, while others read and write.

    \b
    Examples:
      memdown store migrate
      memdown store migrate --to postgresql://memdown@db.example.com/memdown
      memdown store migrate --to sqlite
    """
    if goal is None:
        _bring_up_to_date(target)
    else:
        _move(target, goal)


def _bring_up_to_date(target: Target) -> None:
    from memdown.cli.index import print_json

    with _opened(target) as store:
        server = _server(
            store, target, "has no tables (to move the index, name an engine with --to)"
        )
        server.prepare()
        details = server.describe()
    if target.as_json:
        print_json({"schema": details.schema, "version": details.version, "steps": details.steps})
        return
    click.echo(
        f"The schema {details.schema} on {details.server} is up to date "
        f"(version {details.version}, {details.steps} steps)."
    )


def _move(target: Target, goal: str) -> None:
    from memdown.cli.index import print_json, print_report
    from memdown.cli.terminal import progress_bar
    from memdown.index.engines import copy_vectors
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


@store_command.command("init")
@click.option("--role", help="Let this database role use the agent's index, and no other one.")
@target_options
def init_command(target: Target, role: str | None) -> None:
    """Make the tables on the server; with --role, give a role the rights that an agent needs.

    Run it as the owner of the tables. A role reads and writes its own agents' rows, and can change
    nothing that others rely on.

    \b
    Examples:
      memdown store init
      memdown store init --agent alice --role alice
    """
    from memdown.cli.index import print_json

    with _opened(target) as store:
        server = _server(store, target, "has no tables to make")
        server.prepare(role)
        details = server.describe()
    if target.as_json:
        print_json({"schema": details.schema, "version": details.version, "role": role})
        return
    click.echo(
        f"The schema {details.schema} on {details.server} is ready (version {details.version})."
    )
    if details.extension is None:
        click.echo(
            "The extension pgvector is not there: words are searched, and the vectors of up to "
            "20,000 chunks are compared by the clients. Let a superuser run `CREATE EXTENSION "
            "vector`, then run `memdown index`."
        )
    if role is not None:
        click.echo(f"The role {role} may use the index of {target.settings().agent}.")


@store_command.command("status")
@target_options
def status_command(target: Target) -> None:
    """Show what an operator wants to know: schema, extension, indexes, sizes. Changes nothing.

    \b
    Example:
      memdown store status --json
    """
    from dataclasses import asdict

    from memdown.cli.index import print_json

    with _opened(target) as store:
        status = store.status()
        details = store.describe() if isinstance(store, Describes) else None
    shown = {
        "location": status.location,
        "files": sum(status.files.values()),
        "chunks": sum(status.chunks.values()),
        "bytes": status.size_bytes,
        "cacheEntries": status.cache_entries,
        "vectorError": status.vector_error,
        **({"server": asdict(details)} if details else {}),
    }
    if target.as_json:
        print_json(shown)
        return
    if details is not None and not details.version:
        click.echo(f"{status.location}: {_NO_TABLES}")
        return
    click.echo(f"{status.location}: {shown['files']:,} files, {shown['chunks']:,} chunks, "
               f"{status.size_bytes / 1e6:,.1f} MB; {status.cache_entries:,} vectors in the cache")  # fmt: skip
    if status.vector_error:
        click.echo(f"vectors: {status.vector_error}")
    if not shown["files"]:
        click.echo(_NO_INDEX)
    if details is None:
        return
    extension = details.extension or "not installed"
    click.echo(f"schema {details.schema}, version {details.version}; pgvector {extension}")
    for one in details.variants:
        mark = "*" if one.is_mine else " "
        tables = "own tables" if one.own_tables else "shared tables"
        click.echo(
            f"{mark} {one.name}  {one.model}, {one.chunk_tokens} tokens: {one.chunks:,} chunks, "
            f"{tables}, vectors {one.vectors}, last written {one.used_at}"
        )
    if details.unused:
        click.echo(f"{details.unused} unused generations; `memdown store vacuum` clears them.")


@store_command.command("verify")
@target_options
def verify_command(target: Target) -> None:
    """Read the whole index and compare every text with its digest. Exit code 1: something is wrong.

    \b
    Example:
      memdown store verify
    """
    from memdown.cli.index import print_json
    from memdown.index.store import MendableStore

    with _opened(target) as store:
        has_index = store.fingerprint() is not None
        wrong = store.check() if isinstance(store, MendableStore) else []
    if target.as_json:
        print_json({"problems": wrong})
    elif not has_index:
        click.echo(_NO_INDEX)
    elif wrong:
        click.echo("\n".join(wrong))
        click.echo("Make the index anew with `memdown index --force`; your notes are untouched.")
    else:
        click.echo("Every text is the one that was stored.")
    if wrong:
        raise SystemExit(1)


@store_command.command("move-tenant")
@target_options
def move_tenant_command(target: Target) -> None:
    """Give an agent tables of its own on the server, as agents of more than 100,000 chunks have.

    Others are not slowed down. To move an agent to another server, use `memdown store migrate`.

    \b
    Example:
      memdown store move-tenant --agent archive
    """
    with _opened(target) as store:
        moved = _server(store, target, "has no tables to share").own_tables()
    agent = target.settings().agent
    click.echo(f"{agent} has tables of its own {'now' if moved else 'already'}.")


@store_command.command("vacuum")
@target_options
def vacuum_command(target: Target) -> None:
    """Clear what removed notes have left on disk, and what fills the index without use.

    \b
    Example:
      memdown store vacuum
    """
    from memdown.cli.index import print_json

    with _opened(target) as store:
        if not isinstance(store, Vacuums):
            driver = target.settings().store.driver
            click.echo(f"{driver} clears up by itself; there is nothing to do.")
            return
        if (
            store.fingerprint() is None
            and isinstance(store, Describes)
            and not store.describe().version
        ):
            click.echo(_NO_TABLES)
            return
        before = store.status().size_bytes
        store.vacuum()
        after = store.status().size_bytes
    if target.as_json:
        print_json({"before": before, "after": after})
        return
    click.echo(f"Cleared: {before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


@store_command.command("orphans")
@click.option("--days", type=click.FloatRange(min=0), default=30.0, show_default=True,
              help="A host that has not reported for so long counts as gone.")  # fmt: skip
@click.option("--gone", multiple=True, metavar="HOST",
              help="This host is gone, however lately it has reported; by its name or number.")  # fmt: skip
@click.option("--unreported", is_flag=True,
              help="Remove files that no host has ever reported, too.")  # fmt: skip
@click.option("--apply", "is_applied", is_flag=True, help="Remove them; otherwise only show them.")
@target_options
def orphans_command(
    target: Target, days: float, gone: tuple[str, ...], unreported: bool, is_applied: bool
) -> None:
    """Find files in an index that several hosts share which no living host has, and remove them.

    Every host reports which files it has when they change, and once a day. What a host has that reported
    within --days is never removed. Only the index is changed, no note on any disk: a host that still has
    a removed file brings it back at its next sync. Without --apply nothing is changed.

    \b
    Examples:
      memdown store orphans
      memdown store orphans --gone old-laptop --apply
      memdown store orphans --unreported --apply
    """
    from memdown.cli.index import print_json

    with _opened(target) as store:
        found = store.ownership(days, gone) if isinstance(store, SharedByHosts) else None
        if found is None or not isinstance(store, SharedByHosts):
            driver = target.settings().store.driver
            click.echo(
                f"This index ({driver}) is of this host alone, so there are no files of others in it."
            )
            return
        removed = store.remove_orphans(days, gone, unreported=unreported) if is_applied else []
    if target.as_json:
        print_json(_ownership_json(found, removed))
        return
    _print_ownership(found)
    if is_applied:
        _print_removed(found, removed)
    elif found.orphans:
        click.echo("Nothing was removed: this was a look. Run it again with --apply.")


_MOST_SHOWN = 40


def _ownership_json(found: Ownership, removed: Sequence[str]) -> dict[str, object]:
    return {
        "hosts": [
            {
                "host": one.host,
                "name": one.name,
                "files": one.files,
                "secondsAgo": round(one.age),
                "isThis": one.host == found.me,
                "isGone": one in found.gone,
            }
            for one in found.hosts
        ],
        "orphans": [{"path": one.path, "lastHost": one.had} for one in found.orphans],
        "removed": list(removed),
    }


def _print_ownership(found: Ownership) -> None:
    click.echo("Hosts that have reported files:" if found.hosts else "No host has reported yet.")
    for one in found.hosts:
        mark = " (this one)" if one.host == found.me else ""
        mark = " (counts as gone)" if one in found.gone else mark
        days = one.age / 86_400
        ago = f"{days:.0f} days" if days >= 2 else f"{one.age / 3600:.1f} hours"
        click.echo(f"  {one.name} {one.host}: {one.files:,} files, {ago} ago{mark}")
    if not found.orphans:
        click.echo("Every file of the index is one of a living host's.")
        return
    click.echo(f"{len(found.orphans):,} files of the index belong to no living host:")
    for orphan in found.orphans[:_MOST_SHOWN]:
        why = f"of {orphan.had}, which is gone" if orphan.had else "reported by no host"
        click.echo(f"  {orphan.path}  ({why})")
    if len(found.orphans) > _MOST_SHOWN:
        click.echo(f"  … and {len(found.orphans) - _MOST_SHOWN:,} more; --json lists all.")
    if any(orphan.had is None for orphan in found.orphans):
        click.echo(
            "What no host has reported may be of one that has not synced since this version: run "
            "`memdown index` on every host first, then remove it with --unreported."
        )


def _print_removed(found: Ownership, removed: Sequence[str]) -> None:
    click.echo(f"Removed from the index: {len(removed):,} files. No note was touched.")
    kept = len(found.orphans) - len(removed)
    if kept > 0:
        click.echo(f"{kept:,} that no host has reported were kept; --unreported removes them.")
    if removed:
        click.echo("`memdown store vacuum` gives their space back.")


@contextmanager
def _opened(target: Target) -> Iterator[Store]:
    """The store that the settings name, for this command."""
    from memdown.opening import open_store, with_own_index

    settings = target.settings()
    with closing(open_store(with_own_index(settings, settings.workspace))) as store:
        yield store


def _server(store: Store, target: Target, otherwise: str) -> Server:
    from memdown.errors import ConfigError

    if not isinstance(store, Server):
        raise ConfigError(
            f"memorySearch.store.driver is {target.settings().store.driver}, which {otherwise}; "
            "this command is for PostgreSQL."
        )
    return store


def _pointed(settings: Settings, goal: str) -> Settings:
    from memdown.config.values import Secret
    from memdown.errors import ConfigError
    from memdown.index.engines import SEAM

    store = settings.store
    if goal.startswith(_SERVERS):
        store = replace(store, driver="postgres", url=Secret(goal), read_url=None)
    elif goal.startswith(_BUCKETS):
        store = replace(store, driver="lancedb", url=Secret(goal), read_url=None)
    else:
        try:
            # A plugin's name will do as well.
            SEAM.maker(goal)
        except ConfigError as error:
            raise ConfigError(
                f"{goal!r} is no engine; use sqlite, lancedb, postgres, the name of an installed "
                "plugin, or an address such as postgresql://host/database."
            ) from error
        kept = store.url if goal == store.driver else None
        store = replace(store, driver=goal, url=kept, read_url=None)
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
