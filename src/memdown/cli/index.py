"""`memdown index` and `status`: the index behind the notes."""

from __future__ import annotations

import click

from memdown.cli.options import Target, target_options


@click.command("index")
@click.option("--force", is_flag=True, help="Make the index anew, even if nothing changed.")
@target_options
def index_command(target: Target, force: bool) -> None:
    """Bring the index up to date. Searches do this by themselves; this shows the progress."""
    from memdown.cli.output import print_estimate, print_json, print_report
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
    from memdown.cli.output import print_json, print_status
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
