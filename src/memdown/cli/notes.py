"""`memdown search`, `get` and `remember`: what people do with their notes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memdown.cli.browsing import complete_path, parse_place, place_text, similar_paths
from memdown.cli.options import Target, Words, target_options, words_argument

if TYPE_CHECKING:
    from memdown.memory import Memory
    from memdown.types import Answer, Excerpt

# Reading more notes than this only to say what they will cost would keep a search waiting.
_MOST_ESTIMATED = 1_000


@click.command("search", cls=Words)
@words_argument("query", required=True)
@click.option("--max-results", "-n", type=click.IntRange(1, 100), help="How many at most [6].")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    help="How well it must fit, 0 to 1; else what fits badly is marked weak.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice(["notes", "memory", "sessions"]),
    help="Only notes (also called memory) or only transcripts; may be repeated.",
)
@click.option(
    "--full", is_flag=True, help="Show all that was found, not only the lines that answer."
)
@click.option(
    "--paths", "-l", "only_paths", is_flag=True, help="Print only the paths of the notes."
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; the exit code tells.")
@click.option("--since", metavar="TIME", help='Only notes from then on: 2026-03-01, "last week".')
@click.option("--until", metavar="TIME", help="Only notes up to then: 2026-03-31, March.")
@click.option("--in", "folder", metavar="FOLDER", help="Only notes in this folder.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag; may be repeated.")
@click.option("--as-of", metavar="TIME", help="What held on that day: 2026-03-01, March.")
@click.option("--history", is_flag=True, help="Show what was, too, in its place.")
@click.option("--explain", is_flag=True, help="Show why each result stands where it stands.")
@click.option(
    "--chat",
    type=click.Choice(["direct", "group", "channel"]),
    help="Where this is asked, for memory.citations and memory.qmd.scope [MEMDOWN_CHAT].",
)
@click.option("--session-key", metavar="KEY", help="The session that asks [MEMDOWN_SESSION_KEY].")
@target_options
def search_command(
    target: Target,
    query: str,
    max_results: int | None,
    min_score: float | None,
    sources: tuple[str, ...],
    full: bool,
    only_paths: bool,
    quiet: bool,
    since: str | None,
    until: str | None,
    folder: str | None,
    tags: tuple[str, ...],
    as_of: str | None,
    history: bool,
    explain: bool,
    chat: str | None,
    session_key: str | None,
) -> int:
    """Find notes by meaning and by keyword.

    Of each note you see the lines that answer, with a place that `memdown get` and `memdown edit`
    take. Words need no quotes; quotes within the query ask for a phrase. Exit code 1: nothing found.

    \b
    Examples:
      memdown search which router do we use at home
      memdown search ER-605 --max-results 3
      memdown search "café opening hours" --json
      memdown search decisions --since March --in projects --tag adr
    """
    from memdown.agent.answers import show_citations
    from memdown.cli.index import print_estimate, print_json
    from memdown.cli.terminal import progress_bar

    with target.open() as memory:
        print_estimate(memory.index.estimate(most_files=_MOST_ESTIMATED))
        with progress_bar() as progress:
            answer = memory.search(
                query,
                max_results=max_results,
                min_score=min_score,
                sources=sources or None,
                since=since,
                until=until,
                folder=folder,
                tags=tags,
                as_of=as_of,
                history=history,
                explain=explain,
                progress=progress,
                chat=chat,
                session_key=session_key,
            )
        settings = memory.settings
        if settings.use.enabled:
            from memdown.facts import use

            use.record_question(memory, query, answer)
    citations = show_citations(settings.citations, settings.asked_in(chat, session_key).kind)
    if target.as_json:
        from memdown.cli.hits import answer_json, explain_json

        data = answer_json(answer, citations=citations)
        print_json(data | {"explain": explain_json(answer)} if explain else data)
    elif only_paths:
        for path in dict.fromkeys(hit.path for hit in answer.hits):
            click.echo(path)
    elif not quiet:
        _print_found(answer, full=full, explain=explain, citations=citations)
    return 0 if answer.hits else 1


def _print_found(answer: Answer, *, full: bool, explain: bool, citations: bool) -> None:
    from memdown.cli.hits import print_answer, print_explanation

    print_answer(answer, full=full, citations=citations)
    if not answer.hits and answer.explanation and answer.explanation.below:
        click.echo("  --min-score 0 shows the nearest all the same", err=True)
    if explain:
        print_explanation(answer)


@click.command("get")
@click.argument("path", shell_complete=complete_path)
@click.option("--from", "start", type=int, help="The first line [1].")
@click.option("--lines", type=int, help="How many lines [all].")
@target_options
def get_command(target: Target, path: str, start: int | None, lines: int | None) -> int:
    """Print a note, or some of its lines.

    PATH is as a search shows it: memory/home.md, or with lines, memory/home.md:3-9. A citation such
    as MEMORY.md#L3-L9 does as well.
    """
    place = parse_place(path)
    if place.first is not None and place.last is not None:
        if start is not None or lines is not None:
            raise click.UsageError(f"{path} names the lines already; leave --from and --lines out.")
        start, lines = place.first, place.last - place.first + 1
    from memdown.agent.toolset import check_reading

    with target.open() as memory:
        check_reading(memory.settings)
        excerpt = read_note(memory, place.path, 1 if start is None else start, lines)
        if memory.settings.use.enabled:
            from memdown.facts import use

            whole = start is None and lines is None
            last = None if whole else excerpt.end_line
            use.record_opening(memory, excerpt.path, excerpt.start_line, last)
    return _print_excerpt(excerpt, as_json=target.as_json)


def read_note(memory: Memory, path: str, start: int = 1, lines: int | None = None) -> Excerpt:
    """Some lines of a note; a path that leads nowhere is answered with those that may be meant."""
    from memdown.errors import NoteNotFound, PathRefused

    try:
        return memory.get(path, start=start, lines=lines)
    except (NoteNotFound, PathRefused):
        close = similar_paths(path, memory.notes().files)
        if not close or path.startswith("/") or ".." in path.split("/"):
            raise
        meant = " or ".join(close)
        raise NoteNotFound(f"There is no note {path}; did you mean {meant}?") from None


def _print_excerpt(excerpt: Excerpt, *, as_json: bool) -> int:
    """Print the lines; exit code 1 if there are none where some were asked for."""
    from memdown.agent.answers import excerpt_json
    from memdown.cli.index import counted, print_json

    is_there = excerpt.end_line >= excerpt.start_line or excerpt.start_line == 1
    if as_json:
        lines = {
            "startLine": excerpt.start_line,
            "endLine": excerpt.end_line,
            "totalLines": excerpt.total_lines,
        }
        print_json(excerpt_json(excerpt) | lines)
    elif excerpt.end_line >= excerpt.start_line:
        # Into a file or a pipe the text goes as it is; click would take colour codes out.
        click.echo(excerpt.text, color=True)
    elif is_there:
        click.echo(f"{excerpt.path} is empty.", err=True)
    else:
        length = counted(excerpt.total_lines, "line")
        click.echo(
            f"memdown: {excerpt.path} has {length}; there is no line {excerpt.start_line}.",
            err=True,
        )
    return 0 if is_there else 1


@click.command("remember", cls=Words)
@words_argument("text", required=False)
@click.option("--durable", is_flag=True, help="Write to MEMORY.md instead of today's log.")
@click.option(
    "--replaces",
    multiple=True,
    metavar="PLACE|WORDS",
    help="The fact that is no longer true: MEMORY.md:7, or its words; may be repeated.",
)
@click.option("--until", metavar="DAY", help="The last day it holds: 2026-11-20, Friday.")
@click.option("--about", default="", metavar="HEADING", help="The heading it belongs under.")
@click.option("--again", is_flag=True, help="Write it even if it is known already.")
@click.option("--allow-secret", is_flag=True, help="Write it even if it looks like a secret.")
@target_options
def remember_command(
    target: Target,
    text: str | None,
    durable: bool,
    replaces: tuple[str, ...],
    until: str | None,
    about: str,
    again: bool,
    allow_secret: bool,
) -> int | None:
    """Write something down: in today's log, or in MEMORY.md with --durable.

    A fact that replaces another strikes it and takes its place; what is known is not written twice.

    Words need no quotes. Without TEXT, or with -, it is read from standard input. What looks like
    a password, a key or a token is not written unless you say so.

    \b
    Examples:
      memdown remember Ana prefers tea over coffee --durable
      memdown remember Nora moved to Porto --replaces "Nora lives in Lisbon"
      memdown remember Works from Madrid --until Friday
      pbpaste | memdown remember
    """
    from memdown.cli.index import print_json
    from memdown.errors import SecretFound

    if text is None or text == "-":
        text = sys.stdin.read()
    try:
        with target.open() as memory:
            done = memory.remember(
                text,
                durable=durable,
                replaces=replaces,
                until=until,
                about=about,
                again=again,
                allow_secrets=allow_secret,
            )
    except SecretFound as error:
        click.echo(
            f"memdown: This looks like {error.what}, so nothing was written; leave it out, or write "
            "it anyway with --allow-secret.",
            err=True,
        )
        return 1
    if target.as_json:
        from memdown.shapes import remembered_json

        print_json(remembered_json(done))
        return None
    place = place_text(done.path, done.start_line, done.end_line)
    click.echo(f"{'Known already, in' if done.known else 'Remembered in'} {place}")
    if done.replaced:
        click.echo(f"  replaced {', '.join(done.replaced)}")
    if done.question:
        click.echo(f"  {done.question.replace('replaces=', '--replaces ')}", err=True)
    return None
