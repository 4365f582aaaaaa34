"""`memdown index` and `status`; how reports and the status look, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, target_options
from memdown.types import Status, SyncReport

if TYPE_CHECKING:
    from memdown.index.embedding import Estimate


_DAYS_SHOWN = 7


def print_json(data: Any) -> None:
    """JSON for programs: readable, nothing escaped that need not be."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def counted(number: int, thing: str) -> str:
    """A number with the word for what is counted: "1 file", "2 files"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def print_report(report: SyncReport) -> None:
    """What a sync did, in one line, and what it could not read."""
    done = f"{report.indexed} indexed, {report.unchanged} unchanged, {report.removed} removed"
    click.echo(f"{'Rebuilt' if report.rebuilt else 'Up to date'}: {done}.")
    if report.waiting:
        click.echo(
            f"  {counted(report.waiting, 'file')} in a batch job; run this again later to collect it.",
            err=True,
        )
    if report.ignored:
        click.echo(f"  {_left_out(report.ignored)} left out by .gitignore or .memdownignore.")
    for failure in report.failed:
        click.echo(f"  {failure.reason}", err=True)


def _left_out(ignored: Sequence[str]) -> str:
    folders = sum(path.endswith("/") for path in ignored)
    counts = ((len(ignored) - folders, "note"), (folders, "folder"))
    return " and ".join(counted(number, what) for number, what in counts if number)


def print_estimate(estimate: Estimate | None) -> None:
    """Before a provider embeds everything: how much that is. Nothing is shown if it is nothing."""
    if estimate is not None and estimate.texts > estimate.cached:
        click.echo(
            f"Embedding {estimate.texts - estimate.cached} texts, about {estimate.tokens} tokens, "
            f"with {estimate.provider} ({estimate.model}); "
            f"{estimate.cached} of {estimate.texts} are in the cache.",
            err=True,
        )


def print_status(status: Status) -> None:
    """The status for people."""
    rows = [*_index_rows(status), *_exceptional_rows(status), *_sent(status)]
    width = max(13, *(len(name) + 2 for name, _ in rows))
    for name, value in rows:
        click.echo(f"{name + ':':<{width}}{value}")
    for problem in status.problems:
        click.echo(f"  {problem.reason}", err=True)


def _index_rows(status: Status) -> list[tuple[str, str]]:
    """What every status says."""
    store = status.store
    vectors = store.vector_engine
    if not store.vector_available:
        vectors += f" ({store.vector_error})"
    if store.dims:
        vectors += f", {store.dims} dimensions"
    backend = []
    if status.backend != "builtin" or status.backend_reason:
        why = f" instead of qmd: {status.backend_reason}" if status.backend_reason else ""
        backend = [("Backend", f"{status.backend}{why}")]
    return [
        ("Workspace", status.workspace),
        ("Agent", status.agent),
        *backend,
        ("Embeddings", f"{status.provider}, {status.model}"),
        ("Index", f"{store.location} ({store.size_bytes / 1e6:.1f} MB)"),
        ("State", _state(status)),
        *(
            (
                source.capitalize(),
                f"{counted(store.files.get(source, 0), 'file')}, "
                f"{counted(store.chunks.get(source, 0), 'chunk')}",
            )
            for source in status.sources
        ),
        ("Vectors", vectors),
        ("Keywords", store.text_engine),
        ("Cache", _cache(status)),
    ]


def _exceptional_rows(status: Status) -> list[tuple[str, str]]:
    """What is only said where there is something to say."""
    rows = []
    if status.extra_paths:
        rows.append(("Extra paths", ", ".join(status.extra_paths)))
    if status.watcher:
        rows.append(("Watched", status.watcher))
    if status.fallback:
        rows.append(("Fallback", status.fallback))
    if status.without_vectors:
        found = f"{status.without_vectors} files are found by their words only"
        rows.append(("No vectors", f"{found}: {status.without_vectors_reason}"))
    if status.jobs.pending or status.jobs.last_error:
        state, error = f"{status.jobs.pending} not collected yet", status.jobs.last_error
        rows.append(("Batch jobs", f"{state}; {error}" if error else state))
    if status.embedder_works is not None:
        rows.append(("Embedder", status.embedder_error or "answers"))
    return rows


def _state(status: Status) -> str:
    if not status.store.files and not status.changed:
        return "no notes yet"
    if not status.dirty:
        return "up to date"
    if not status.store.files:
        return f"nothing is indexed yet; the first search indexes {counted(status.changed, 'file')}"
    if status.changed:
        return f"{counted(status.changed, 'file')} changed since the last index"
    return "settings changed since the last index; the next sync rebuilds it"


def _cache(status: Status) -> str:
    if not status.cache_enabled:
        return "off"
    shown = f"{status.store.cache_entries} of {status.cache_max_entries} vectors"
    looked_up = sum(one.looked_up for one in status.usage)
    if looked_up:
        share = sum(one.found for one in status.usage) / looked_up
        shown += f", {share:.0%} of {looked_up} look-ups found"
    return shown


def _sent(status: Status) -> list[tuple[str, str]]:
    """What left the machine: the last days, and all before them together."""
    sent = [one for one in status.usage if one.requests]
    rows = [
        (
            f"Sent {one.day}",
            f"{one.provider} ({one.host}): {one.requests} requests, {one.texts} texts, "
            f"{one.characters} characters, about {one.tokens} tokens",
        )
        for one in sent[-_DAYS_SHOWN:]
    ]
    if len(sent) > _DAYS_SHOWN:
        earlier = sent[:-_DAYS_SHOWN]
        texts, tokens = sum(one.texts for one in earlier), sum(one.tokens for one in earlier)
        requests = sum(one.requests for one in earlier)
        rows.insert(
            0, ("Sent before", f"{requests} requests, {texts} texts, about {tokens} tokens")
        )
    return rows


@click.command("index")
@click.option("--force", is_flag=True, help="Make the index anew, even if nothing changed.")
@target_options
def index_command(target: Target, force: bool) -> None:
    """Bring the index up to date. Searches do this by themselves; this shows the progress."""
    from memdown.cli.terminal import progress_bar
    from memdown.shapes import report_json

    with target.open() as memory:
        print_estimate(memory.index.estimate(force=force))
        with progress_bar() as progress:
            report = memory.sync(force=force, progress=progress)
    if target.as_json:
        print_json(report_json(report))
    else:
        print_report(report)


@click.command("status")
@click.option("--deep", is_flag=True, help="Also try the embedder.")
@click.option("--index", "sync", is_flag=True, help="Bring the index up to date first.")
@target_options
def status_command(target: Target, deep: bool, sync: bool) -> None:
    """Show what is indexed, how, and whether it is up to date. Changes nothing by itself."""
    from memdown.cli.terminal import progress_bar
    from memdown.shapes import status_json

    with target.open() as memory:
        if sync:
            with progress_bar() as progress:
                memory.sync(progress=progress)
        status = memory.status(deep=deep)
    if target.as_json:
        print_json(status_json(status))
    else:
        print_status(status)
