"""`memdown providers`: who could embed the notes, what was found of each, and whether it works."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, target_options

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.embedders import Setup

_SENTENCE = "The router stands in the hall, next to the coat rack."
_CONNECT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Provider:
    """One line of the table."""

    name: str
    model: str
    found: str
    ready: bool
    reachable: bool | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of embedding one sentence."""

    provider: str
    model: str
    dims: int
    seconds: float


@click.group("providers", invoke_without_command=True)
@target_options
@click.pass_context
def providers_command(context: click.Context, target: Target) -> None:
    """Show the embedding providers: key found or not, model, reachable or not.

    Nothing is sent to them but a knock at the door. `memdown providers test` embeds a sentence.
    """
    if context.invoked_subcommand is not None:
        return
    from memdown.cli.output import print_json

    rows = overview(target.settings())
    if target.as_json:
        print_json([asdict(row) for row in rows])
        return
    table = [("", "provider", "model", "found", "reachable")]
    for row in rows:
        reachable = {None: "-", True: "yes", False: "no"}[row.reachable]
        table.append(("*" if row.chosen else "", row.name, row.model, row.found, reachable))
    widths = [max(len(line[column]) for line in table) for column in range(5)]
    for line in table:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
    click.echo("* is in use. Try one with: memdown providers test NAME", err=True)


@providers_command.command("test")
@click.argument("name", required=False)
@target_options
def test_command(target: Target, name: str | None) -> None:
    """Embed one sentence with a provider (the one in use, or NAME) and show how it went."""
    from memdown.cli.output import print_json

    trial = attempt(target.settings(), name)
    if target.as_json:
        print_json(asdict(trial))
        return
    click.echo(
        f"{trial.provider} works: {trial.model}, {trial.dims} dimensions, "
        f"{trial.seconds * 1000:.0f} ms for one sentence."
    )


def attempt(settings: Settings, name: str | None) -> Trial:
    """Embed one sentence; a provider that fails says why."""
    from dataclasses import replace

    from memdown import embedders
    from memdown.errors import ConfigError
    from memdown.opening import embedder_setup
    from memdown.types import Closeable

    setup = embedder_setup(settings)
    used = _in_use(setup)
    if name is not None and name != embedders.AUTO:
        setup = setup if name == used else replace(setup, fallback=name).for_fallback()
    else:
        name = used
    if name == embedders.NONE:
        raise ConfigError("memorySearch.provider is none: there is nothing to test but keywords.")
    embedder = embedders.create(name, setup.options_for(name))
    try:
        began = time.perf_counter()
        vector = embedder.embed_query(_SENTENCE)
        return Trial(name, embedder.model, vector.size, time.perf_counter() - began)
    finally:
        if isinstance(embedder, Closeable):
            embedder.close()


def overview(settings: Settings) -> list[Provider]:
    """Every provider there is, built in or from a plugin."""
    from memdown import embedders
    from memdown.opening import embedder_setup

    setup = embedder_setup(settings)
    used = _in_use(setup)

    def look_at(name: str) -> Provider:
        own = setup if name == used else setup.for_fallback()
        found, ready, reachable = _found(name, own)
        return Provider(name, _model(name, own), found, ready, reachable, name == used)

    names = (*embedders.BUILT_IN, *embedders.plugin_names(), embedders.NONE)
    with ThreadPoolExecutor(len(names)) as together:
        return list(together.map(look_at, names))


def _in_use(setup: Setup) -> str:
    from memdown import embedders

    return embedders.automatic(setup) if setup.provider == embedders.AUTO else setup.provider


def _model(name: str, setup: Setup) -> str:
    from memdown.embedders import bundled, local_files

    if name == "bundled":
        return bundled.MODEL
    if name == "none":
        return "-"
    if name == "local":
        return local_files.model_name(setup.model_path or setup.model or local_files.DEFAULT)
    from memdown.embedders import VENDORS

    return setup.model or (VENDORS[name].model if name in VENDORS else "-")


def _found(name: str, setup: Setup) -> tuple[str, bool, bool | None]:
    """What was found of a provider, whether that is enough, and whether its host answers."""
    from memdown.embedders import VENDORS

    if name == "bundled":
        return "comes with the install", True, None
    if name == "none":
        return "keywords only", True, None
    if name == "local":
        return _found_local(setup)
    if name not in VENDORS:
        return "a plugin", True, None
    endpoint = setup.endpoint(name)
    needs_key = VENDORS[name].needs_key and endpoint.is_default
    if endpoint.key_source:
        found = f"key in {endpoint.key_source}"
    elif endpoint.withheld:
        found = f"key in {endpoint.withheld}, which is for another host"
    else:
        found = "no key" if needs_key else "needs no key"
    if not endpoint.is_default:
        from memdown.embedders.endpoints import host

        found += f", at {host(endpoint.base_url)}"
    ready = bool(endpoint.key_source) or not needs_key
    return found, ready, _answers(endpoint.base_url)


def _found_local(setup: Setup) -> tuple[str, bool, bool | None]:
    import importlib.util

    from memdown.embedders import local_files

    if importlib.util.find_spec("xllamacpp") is None:
        return "not installed: pip install 'memdown[local]'", False, None
    path = setup.model_path or local_files.DEFAULT
    if path.startswith("hf:"):
        return "is downloaded when first used", True, None
    problem = local_files.problem_with(path)
    return ("no such model file", False, None) if problem else (path, True, None)


def _answers(url: str) -> bool:
    """Whether someone takes a connection at an address; nothing is sent."""
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_SECONDS):
            return True
    except OSError:
        return False
