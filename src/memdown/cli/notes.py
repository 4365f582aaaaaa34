"""`memdown init`, `search`, `get` and `remember`: what people do with their notes."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memdown.cli.options import Target, target_options


@click.command("init")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@target_options
def init_command(target: Target, folder: Path | None) -> None:
    """Create a workspace: MEMORY.md and memory/. Files that exist are left as they are."""
    from memdown.cli.output import print_json
    from memdown.workspace import create_workspace

    place = folder or target.settings().workspace
    created = create_workspace(place)
    if target.as_json:
        print_json({"workspace": str(place), "created": created})
        return
    if created:
        click.echo(f"Created {', '.join(created)} in {place}.")
    else:
        click.echo(f"{place} is a workspace already; nothing was changed.")
    click.echo(f'Next: memdown remember "We use tabs, not spaces." --workspace {place}')


@click.command("search")
@click.argument("query")
@click.option("--max-results", "-n", type=click.IntRange(1, 100), help="How many at most [6].")
@click.option(
    "--min-score", type=click.FloatRange(0, 1), help="How well it must fit, 0 to 1 [0.35]."
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice(["memory", "sessions"]),
    help="Only notes or only transcripts; may be repeated.",
)
@click.option("--explain", is_flag=True, help="Show why each result stands where it stands.")
@target_options
def search_command(
    target: Target,
    query: str,
    max_results: int | None,
    min_score: float | None,
    sources: tuple[str, ...],
    explain: bool,
) -> int:
    """Find notes by meaning and by keyword.

    \b
    Examples:
      memdown search "which router do we use at home?"
      memdown search ER-605 --max-results 3
      memdown search "café opening hours" --json
    """
    from memdown.cli.output import print_answer, print_estimate, print_json
    from memdown.cli.progress import progress_bar

    with target.open() as memory:
        print_estimate(memory.estimate())
        with progress_bar() as progress:
            answer = memory.search(
                query,
                max_results=max_results,
                min_score=min_score,
                sources=sources or None,  # type: ignore[arg-type]
                progress=progress,
            )
        if target.as_json:
            from memdown.agent.citations import show_citations
            from memdown.agent.tools import answer_json
            from memdown.cli.explaining import explain_json

            data = answer_json(answer, citations=show_citations(memory.settings.citations))
            print_json(data | {"explain": explain_json(answer)} if explain else data)
        else:
            print_answer(answer)
            if explain:
                from memdown.cli.explaining import print_explanation

                print_explanation(answer)
    return 0 if answer.hits else 1


@click.command("get")
@click.argument("path")
@click.option("--from", "start", type=int, default=1, show_default=True, help="The first line.")
@click.option("--lines", type=int, help="How many lines [all].")
@target_options
def get_command(target: Target, path: str, start: int, lines: int | None) -> None:
    """Print a note, or some of its lines.

    PATH is as a search shows it: memory/2026-03-01.md, or with lines, MEMORY.md#L3-L9.
    """
    from memdown.agent.tools import excerpt_json
    from memdown.cli.output import print_json

    path, start, lines = _with_lines(path, start, lines)
    with target.open() as memory:
        excerpt = memory.get(path, start=start, lines=lines)
    if target.as_json:
        print_json(excerpt_json(excerpt))
        return
    if excerpt.text:
        click.echo(excerpt.text)
    else:
        click.echo(f"{path} has {excerpt.total_lines} lines; none from line {start} on.", err=True)


def _with_lines(path: str, start: int, lines: int | None) -> tuple[str, int, int | None]:
    """Understand a citation such as MEMORY.md#L3-L9."""
    import re

    match = re.fullmatch(r"(.+)#L(\d+)(?:-L(\d+))?", path)
    if match is None:
        return path, start, lines
    first = int(match[2])
    last = int(match[3] or match[2])
    return match[1], first, max(1, last - first + 1)


@click.command("remember")
@click.argument("text", required=False)
@click.option("--durable", is_flag=True, help="Write to MEMORY.md instead of today's log.")
@target_options
def remember_command(target: Target, text: str | None, durable: bool) -> None:
    """Write something down: in today's log, or in MEMORY.md with --durable.

    Without TEXT, or with -, it is read from standard input.
    """
    from memdown.cli.output import print_json

    if text is None or text == "-":
        text = sys.stdin.read()
    with target.open() as memory:
        citation = memory.remember(text, durable=durable)
    if target.as_json:
        print_json(
            {
                "path": citation.path,
                "startLine": citation.start_line,
                "endLine": citation.end_line,
                "citation": str(citation),
            }
        )
    else:
        click.echo(f"Remembered in {citation}")
