"""`memdown doctor`, `providers` and `redact`: what is wrong, who could embed, what would be hidden."""

from __future__ import annotations

import functools
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from memdown.cli.options import CommandGroup, Target, target_options
from memdown.cli.terminal import style

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.doctor import Check, Subject
    from memdown.embedders import Setup


_CORRECT = "correct the configuration, then run memdown config check"
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red")}


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe: no note is ever touched.")
@target_options
def doctor_command(target: Target, fix: bool) -> int:
    """Check everything that can be wrong, and say what to do about it.

    Looks at Python, SQLite, permissions, the configuration, the provider, the limits of watching,
    the index itself and its agreement with the notes, and searches for a note. Ends with 0 if
    nothing is broken, with 1 if something is.
    """
    from memdown.cli.index import print_json
    from memdown.doctor import examine, mend

    subject = _subject(target)
    try:
        checks = []
        for check in examine(subject):
            checks.append(check)
            if not target.as_json:
                _show(check)
        mended = mend(checks) if fix else []
        if mended:
            # What was in the way of reading the settings may be mended now.
            subject = subject if subject.settings is not None else _subject(target)
            checks = list(examine(subject))
    finally:
        if subject.memory is not None:
            subject.memory.close()
    broken = [check for check in checks if check.verdict == "error"]
    if target.as_json:
        print_json(
            {
                "ok": not broken,
                "checks": [_as_json(check) for check in checks],
                "fixed": [
                    {"name": one.check.name, "finding": one.check.finding, "error": one.problem}
                    for one in mended
                ],
            }
        )
    else:
        for check, problem in mended:
            click.echo(f"{check.name}: {'fixed' if problem is None else f'not fixed: {problem}'}")
        _conclude(checks, fix)
    return 1 if broken else 0


def _subject(target: Target) -> Subject:
    from memdown.doctor import Check, Subject
    from memdown.errors import ConfigError, MemdownError, UnsafePlace, WorkspaceError
    from memdown.files import close_to_others
    from memdown.memory import Memory

    try:
        settings = target.settings()
    except UnsafePlace as error:
        mend = functools.partial(close_to_others, error.path) if error.mendable else None
        return Subject(None, None, (Check("Permissions", "error", str(error), mend=mend),))
    except MemdownError as error:
        return Subject(None, None, (Check("Configuration", "error", str(error), _CORRECT),))
    try:
        return Subject(settings, Memory.from_settings(settings))
    except WorkspaceError as error:
        complaint = Check("Workspace", "error", str(error), "memdown init")
    except ConfigError as error:
        complaint = Check("Configuration", "error", str(error), _CORRECT)
    except MemdownError as error:
        # Its sentence says what to do: an engine that is not installed, a server that is not there.
        complaint = Check("Memory", "error", str(error))
    return Subject(settings, None, (complaint,))


def _show(check: Check) -> None:
    mark, colour = _MARKS[check.verdict]
    click.echo(f"{style(mark, colour)} {check.name}: {check.finding}")
    if check.verdict != "ok" and check.advice:
        click.echo(f"    → {check.advice}")


def _conclude(checks: list[Check], fix: bool) -> None:
    wrong = [check for check in checks if check.verdict != "ok"]
    if not wrong:
        click.echo("Everything is fine.")
    elif not fix and any(check.mend for check in wrong):
        click.echo("Run `memdown doctor --fix` to apply the safe fixes.")


def _as_json(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "verdict": check.verdict,
        "finding": check.finding,
        "advice": check.advice,
        "fixable": check.mend is not None,
    }


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


@click.group("providers", cls=CommandGroup, invoke_without_command=True)
@target_options
@click.pass_context
def providers_command(context: click.Context, target: Target) -> None:
    """Show the embedding providers: key found or not, model, reachable or not.

    Nothing is sent to them but a knock at the door. `memdown providers test` embeds a sentence.
    """
    if context.invoked_subcommand is not None:
        return
    from memdown.cli.index import print_json

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
    from memdown.cli.index import print_json

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
        state = _look_for(name, own)
        return Provider(name, _model(name, own), *state, chosen=name == used)

    names = (*embedders.BUILT_IN, *embedders.plugin_names(), embedders.NONE)
    with ThreadPoolExecutor(len(names)) as together:
        return list(together.map(look_at, names))


def _in_use(setup: Setup) -> str:
    from memdown import embedders

    return embedders.automatic(setup) if setup.provider == embedders.AUTO else setup.provider


def _model(name: str, setup: Setup) -> str:
    from memdown.embedders import better, bundled, local

    if name == "bundled":
        return bundled.MODEL
    if name == "better":
        return setup.model or better.UNIVERSAL
    if name == "none":
        return "-"
    if name == "local":
        return local.model_name(setup.model_path or setup.model or local.DEFAULT)
    from memdown.embedders import VENDORS

    return setup.model or (VENDORS[name].model if name in VENDORS else "-")


class _State(NamedTuple):
    """What was found of a provider, whether that is enough, and whether its host answers."""

    found: str
    ready: bool = True
    reachable: bool | None = None


def _look_for(name: str, setup: Setup) -> _State:
    from memdown.embedders import VENDORS

    if name == "bundled":
        return _State("comes with the install")
    if name == "none":
        return _State("keywords only")
    if name == "better":
        return _look_for_better(setup)
    if name == "local":
        return _look_for_local(setup)
    if name not in VENDORS:
        return _State("a plugin")
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
    return _State(found, ready, _answers(endpoint.base_url))


def _look_for_better(setup: Setup) -> _State:
    from memdown.embedders import Unavailable, better

    if isinstance(better.create(setup.options_for("better")), Unavailable):
        return _State("not installed: pip install 'memdown[better]'", ready=False)
    return _State("is installed")


def _look_for_local(setup: Setup) -> _State:
    import importlib.util

    from memdown.embedders import local

    if importlib.util.find_spec("xllamacpp") is None:
        return _State("not installed: pip install 'memdown[local]'", ready=False)
    path = setup.model_path or local.DEFAULT
    if path.startswith("hf:"):
        return _State("is downloaded when first used")
    problem = local.problem_with(path)
    return _State("no such model file", ready=False) if problem else _State(path)


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


@click.command("redact")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--text", "as_text", is_flag=True, help="Print the redacted text itself.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def redact_command(file: Path, as_text: bool, as_json: bool) -> int:
    """Show which secrets in FILE would be hidden: keys, tokens, passwords. FILE is not changed.

    \b
    Examples:
      memdown redact notes.txt
      pbpaste | memdown redact - --text
    """
    from memdown.cli.index import print_json
    from memdown.errors import SessionError
    from memdown.text.redaction import find_secrets, redact

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise SessionError(f"{file} cannot be read ({error.strerror}); check the path.") from None
    text = data.decode("utf-8", "replace")
    if as_text:
        click.echo(redact(text), nl=False)
        return 0
    secrets = find_secrets(text)
    places = []
    line = last = 0
    for secret in secrets:
        line += text.count("\n", last, secret.start)
        last = secret.start
        column = secret.start - (text.rfind("\n", 0, secret.start) + 1)
        places.append((line + 1, column + 1, secret.kind, secret.end - secret.start))
    if as_json:
        keys = ("line", "column", "kind", "length")
        print_json({"secrets": [dict(zip(keys, place, strict=True)) for place in places]})
        return 0
    for number, column, kind, length in places:
        click.echo(f"{file}:{number}:{column}: {kind}, {length} characters")
    count = len(places)
    click.echo(f"{count} {'secret' if count == 1 else 'secrets'} would be hidden.", err=True)
    return 0
