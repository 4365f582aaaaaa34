"""`memdown sessions`: the conversations on disk, transcripts and session store alike."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, Words, target_options, words_argument
from memdown.cli.terminal import style

if TYPE_CHECKING:
    from memdown.transcripts import Turn
    from memdown.transcripts.sessions.browsing import Conversation


@click.group("sessions")
def sessions_command() -> None:
    """List, read, search, export or delete past conversations."""


@sessions_command.command("list")
@target_options
def list_command(target: Target) -> None:
    """List the conversations of this agent, the last active first."""
    from memdown.cli.output import print_json
    from memdown.transcripts.sessions.browsing import conversations

    found, problems = conversations(_folder(target))
    if target.as_json:
        print_json(
            {
                "sessions": [_conversation_json(one) for one in found],
                "problems": [{"path": one.path, "reason": one.reason} for one in problems],
            }
        )
        return
    for one in found:
        click.echo(f"{_moment(one.updated)}  {one.messages:>5} messages  {one.kind:<10}  {one.id}")
        if one.skipped:
            click.echo(f"{'':<18}{one.skipped} unusable lines skipped")
        if one.title:
            click.echo(f"{'':<18}{one.title}")
    if not found:
        click.echo(f"There are no conversations in {_folder(target)} yet.", err=True)
    for problem in problems:
        click.echo(f"  {problem.reason}", err=True)


@sessions_command.command("show")
@click.argument("session")
@click.option("--last", type=click.IntRange(min=1), help="Only the last so many messages.")
@target_options
def show_command(target: Target, session: str, last: int | None) -> None:
    """Print a conversation; secrets are redacted."""
    from memdown.cli.output import print_json
    from memdown.transcripts.sessions.browsing import turns_of

    turns = turns_of(_folder(target), session)
    turns = turns[-last:] if last else turns
    if target.as_json:
        print_json({"session": session, "messages": [_turn_json(turn) for turn in turns]})
        return
    for turn in turns:
        _print_turn(turn)


@sessions_command.command("search", cls=Words)
@words_argument("text", required=True)
@click.option(
    "--context",
    type=click.IntRange(0, 20),
    default=2,
    show_default=True,
    help="Messages before and after.",
)
@click.option("--max-results", "-n", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--session", help="Only in this conversation.")
@target_options
def search_command(
    target: Target, text: str, context: int, max_results: int, session: str | None
) -> int:
    """Find TEXT in transcripts, word for word, with the messages around it.

    For a search by meaning, use `memdown search --source sessions`.
    """
    from memdown.cli.output import print_json
    from memdown.transcripts.sessions import recall

    found = recall(_folder(target), text, context=context, limit=max_results, session=session)
    if target.as_json:
        print_json(
            {
                "results": [
                    {
                        "path": hit.path,
                        "line": hit.turn.line,
                        "match": _turn_json(hit.turn),
                        "before": [_turn_json(turn) for turn in hit.before],
                        "after": [_turn_json(turn) for turn in hit.after],
                    }
                    for hit in found
                ]
            }
        )
        return 0 if found else 1
    for number, hit in enumerate(found, start=1):
        click.echo(f"{number}. {hit.path}#L{hit.turn.line}   {_moment(hit.turn.time)}")
        for turn in (*hit.before, hit.turn, *hit.after):
            _print_turn(turn, mark=">" if turn is hit.turn else " ", most=600)
    if not found:
        click.echo("Nothing found.", err=True)
    return 0 if found else 1


@sessions_command.command("export")
@click.argument("session")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file [standard output].",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "jsonl"]),
    default="markdown",
    show_default=True,
)
@target_options
def export_command(target: Target, session: str, output: Path | None, form: str) -> None:
    """Write a conversation as Markdown or JSONL, secrets redacted."""
    from memdown.errors import SessionError
    from memdown.transcripts.sessions.browsing import turns_of

    turns = turns_of(_folder(target), session)
    if form == "markdown" and not target.as_json:
        parts = [f"# {session}\n"]
        parts += [
            f"\n## {turn.role.capitalize()}{_heading_time(turn)}\n\n{turn.text.strip()}\n"
            for turn in turns
        ]
        text = "".join(parts)
    else:
        text = "".join(json.dumps(_turn_json(turn), ensure_ascii=False) + "\n" for turn in turns)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise SessionError(f"{output} cannot be written ({error.strerror}).") from None
    click.echo(f"Exported {len(turns)} messages to {output}.", err=True)


@sessions_command.command("delete")
@click.argument("session")
@click.option("--yes", is_flag=True, help="Do not ask.")
@target_options
def delete_command(target: Target, session: str, yes: bool) -> int:
    """Delete a conversation: its transcript or its history. The index forgets it at the next sync."""
    from memdown.cli.output import print_json
    from memdown.transcripts.sessions.browsing import delete, find

    one = find(_folder(target), session)
    if not yes and not click.confirm(f"Delete {one.path}?", err=True):
        click.echo("Nothing was deleted.", err=True)
        return 1
    delete(_folder(target), one)
    if target.as_json:
        print_json({"deleted": one.id, "path": one.path})
    else:
        click.echo(f"Deleted {one.path}.")
    return 0


def _folder(target: Target) -> Path:
    from memdown.transcripts.reading import sessions_folder
    from memdown.transcripts.sessions.store import bring_over

    settings = target.settings()
    bring_over(settings.state_dir, settings.agent)
    return sessions_folder(settings.state_dir, settings.agent)


def _print_turn(turn: Turn, mark: str = "", most: int | None = None) -> None:
    text = turn.text.strip()
    if most and len(text) > most:
        text = f"{text[:most].rstrip()} …"
    name = style(f"{turn.role.capitalize()}:", "bold")
    indent = f"{mark}  " if mark else ""
    click.echo(f"{indent}{name} " + text.replace("\n", f"\n{indent}"))
    if not mark:
        click.echo()


def _moment(milliseconds: int | None) -> str:
    if not milliseconds:
        return "????-??-?? ??:??"
    return (
        datetime.datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    )


def _heading_time(turn: Turn) -> str:
    return f", {_moment(turn.time)}" if turn.time else ""


def _turn_json(turn: Turn) -> dict[str, Any]:
    data: dict[str, Any] = {"line": turn.line, "role": turn.role, "text": turn.text}
    if turn.time is not None:
        data["timestamp"] = turn.time
    return data


def _conversation_json(one: Conversation) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "path": one.path,
        "messages": one.messages,
        "skipped": one.skipped,
        "updatedAt": one.updated,
        "bytes": one.size,
        "title": one.title,
    }
