"""`memdown serve` and `memdown open`: the memory as a page in the browser."""

from __future__ import annotations

from typing import Any

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
@click.option("--install", is_flag=True, help="Keep it running from now on, as a service of yours.")
@click.option("--uninstall", is_flag=True, help="End that service.")
@target_options
def serve_command(
    target: Target,
    port: int | None,
    no_open: bool,
    link: bool,
    install: bool,
    uninstall: bool,
    read_only: bool,
    host: str,
    names: tuple[str, ...],
) -> None:
    """See, search and correct the memory in a browser, until Ctrl-C.

    The printed link lets one browser in, once; `memdown serve --link` prints another. Programs
    send the token in the file `web-PORT.token` of the state folder, as `Authorization: Bearer …`.
    """
    serving = _serving("serve")
    if install or uninstall:
        from memdown.cli import units

        options = ["--port", str(port or serving.PORT), "--host", host]
        options += [part for name in names for part in ("--allow-host", name)]
        options += ["--read-only"] if read_only else []
        file = (
            units.uninstall_page() if uninstall else units.install_page(target.settings(), options)
        )
        said = "The page no longer runs by itself" if uninstall else "The page runs from now on"
        click.echo(f"{said} ({file})." + ("" if uninstall else " `memdown open` shows it."))
        return
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


@click.command("open")
@click.option("--no-open", is_flag=True, help="Only print a link; open no browser.")
@target_options
def open_command(target: Target, no_open: bool) -> None:
    """Open the page of the memory in your browser; it is started if it does not run.

    The browser is let in once and for all: bookmark the page, it also opens after a restart.
    `memdown serve --install` keeps the page running.
    """
    serving = _serving("open")
    settings = target.settings()
    port = serving.find_page(settings) or serving.start_page(settings)
    url = serving.open_page(settings, port, browser=not no_open)
    if target.as_json or no_open:
        _announce(url, target)
    else:
        click.echo(f"http://127.0.0.1:{port}/ is open in your browser. If not, open {url}")


def _serving(command: str) -> Any:
    """The server, which needs an extra."""
    from memdown.errors import MissingExtra

    try:
        from memdown.web import serving
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`memdown {command}` ({error.name} is missing)", "web") from None
    return serving


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
