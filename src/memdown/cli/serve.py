"""`memdown serve`: the memory as a page in the browser."""

from __future__ import annotations

import click

from memdown.cli.options import Target, target_options


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
@target_options
def serve_command(
    target: Target,
    port: int | None,
    no_open: bool,
    read_only: bool,
    host: str,
    names: tuple[str, ...],
) -> None:
    """See, search and correct the memory in a browser, until Ctrl-C.

    The printed link lets one browser in; keep it to yourself.
    """
    from memdown.errors import MissingExtra

    try:
        from memdown.web import serving
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`memdown serve` ({error.name} is missing)", "web") from None

    with target.open() as memory:
        serving.serve(
            memory,
            host=host,
            port=port,
            names=names,
            read_only=read_only,
            open_browser=not no_open,
            announce=lambda url: _announce(url, target, memory.settings.workspace),
        )


def _announce(url: str, target: Target, workspace: object) -> None:
    from memdown.cli.output import print_json

    if target.as_json:
        print_json({"url": url, "workspace": str(workspace)})
    else:
        click.echo(f"The memory in {workspace} is open at\n\n  {url}\n\nCtrl-C ends it.")
