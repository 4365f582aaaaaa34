"""`memdown store`: looking after the index, and moving it from one engine to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import click

from memdown.cli.options import Target, target_options

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.index.postgres.upkeep import ServerDetails
    from memdown.index.store import Store

_SERVERS = ("postgres://", "postgresql://")
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


@click.group("store")
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
    click.echo(f"The schema {details.schema} on {details.server} is ready ({details.version}).")
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
    click.echo(f"{status.location}: {shown['files']:,} files, {shown['chunks']:,} chunks, "
               f"{status.size_bytes / 1e6:,.1f} MB; {status.cache_entries:,} vectors in the cache")  # fmt: skip
    if status.vector_error:
        click.echo(f"vectors: {status.vector_error}")
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
        wrong = store.check() if isinstance(store, MendableStore) else []
    if target.as_json:
        print_json({"problems": wrong})
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
        before = store.status().size_bytes
        store.vacuum()
        after = store.status().size_bytes
    if target.as_json:
        print_json({"before": before, "after": after})
        return
    click.echo(f"Cleared: {before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


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
