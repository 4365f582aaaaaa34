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
@click.option("--link", is_flag=True, help="Print a new link to the page that is open already.")
@target_options
def serve_command(
    target: Target,
    port: int | None,
    no_open: bool,
    link: bool,
    read_only: bool,
    host: str,
    names: tuple[str, ...],
) -> None:
    """See, search and correct the memory in a browser, until Ctrl-C.

    The printed link lets one browser in, once; `memdown serve --link` prints another. Programs
    send the token in the file `web-PORT.token` of the state folder, as `Authorization: Bearer …`.
    """
    from memdown.errors import MissingExtra

    try:
        from memdown.web import serving
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`memdown serve` ({error.name} is missing)", "web") from None

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


def _announce(url: str, target: Target, **more: str) -> None:
    from memdown.cli.output import print_json

    if target.as_json:
        print_json({"url": url, **more})
    elif more:
        click.echo(
            f"The memory in {more['workspace']} is open at\n\n  {url}\n\n"
            "The link works once, for one browser. Ctrl-C ends it."
        )
    else:
        click.echo(url)
