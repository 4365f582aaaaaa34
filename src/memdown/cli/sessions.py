"""`memdown sessions` and `import`: the conversations on disk, and those of other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import CommandGroup, Target, Words, target_options, words_argument
from memdown.cli.terminal import style

if TYPE_CHECKING:
    from memdown.imports import ImportPlan, Step
    from memdown.transcripts import TranscriptTurn
    from memdown.transcripts.sessions.browsing import Conversation


@click.group("sessions", cls=CommandGroup)
def sessions_command() -> None:
    """List, read, search, export or delete past conversations."""


@sessions_command.command("list")
@target_options
def list_command(target: Target) -> None:
    """List the conversations of this agent, the last active first."""
    from memdown.cli.index import print_json
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
        kind = one.chat if one.chat != "direct" else one.channel or one.kind
        click.echo(f"{_moment(one.updated)}  {one.messages:>5} messages  {kind:<10}  {one.id}")
        if one.key:
            click.echo(f"{'':<18}{one.key}")
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
    from memdown.cli.index import print_json
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
    from memdown.cli.index import print_json
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
    from memdown.transcripts.sessions.browsing import as_markdown, turns_of

    turns = turns_of(_folder(target), session)
    if form == "markdown" and not target.as_json:
        text = as_markdown(session, turns)
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
    from memdown.cli.index import print_json
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


def _print_turn(turn: TranscriptTurn, mark: str = "", most: int | None = None) -> None:
    text = turn.text.strip()
    if most and len(text) > most:
        text = f"{text[:most].rstrip()} …"
    name = style(f"{turn.role.capitalize()}:", "bold")
    indent = f"{mark}  " if mark else ""
    click.echo(f"{indent}{name} " + text.replace("\n", f"\n{indent}"))
    if not mark:
        click.echo()


def _moment(milliseconds: int | None) -> str:
    from memdown.transcripts.sessions.browsing import written_time

    return written_time(milliseconds) if milliseconds else "????-??-?? ??:??"


def _turn_json(turn: TranscriptTurn) -> dict[str, Any]:
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
        "chat": one.chat,
        "channel": one.channel or None,
        "sessionKey": one.key or None,
    }


_WORDS = {"new": "copy", "update": "update", "same": "there already", "kept": "keep yours"}
_SHOWN = 200


@click.command("import")
@click.argument("source")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--apply", "really", is_flag=True, help="Do it; without this nothing is written.")
@target_options
def import_command(target: Target, source: str, path: Path | None, really: bool) -> int:
    """Bring in notes and conversations of other programs. Originals are only read.

    SOURCE is claude-code, codex, chatgpt, openclaw, mem0, or a path: a folder of Markdown, a
    session file, an export. Without --apply you see what would come in. It can be repeated: what
    is there already is not copied again.

    \b
    Examples:
      memdown import claude-code
      memdown import chatgpt ~/Downloads/export.zip --apply
      memdown import ~/old-notes --apply
    """
    import os

    from memdown import imports as importing
    from memdown.cli.index import print_json

    settings = target.settings()
    to = importing.Destination(settings.workspace, settings.state_dir, settings.agent)
    is_new = not settings.workspace.is_dir() and settings.config_path is None
    moving_in = importing.MovingIn(settings.workspace, is_new and target.workspace is None)
    found = importing.find(source, path, os.environ, moving_in)
    plan = importing.plan(found.items, to, found.problems)
    if really:
        from memdown.opening import check_writable

        check_writable(settings)
        plan = importing.apply(plan, to)
    if target.as_json:
        print_json({**_plan_json(plan, applied=really), "notice": found.notice or None})
    else:
        _print_plan(plan, to.workspace, to.state_dir, applied=really)
        if found.notice:
            click.echo(found.notice)
        if really and "sessions" not in target.settings().sources:
            _hint(plan)
    return 2 if plan.problems else 0


def _print_plan(plan: ImportPlan, workspace: Path, state_dir: Path, *, applied: bool) -> None:
    # What is there already is counted, not listed: after the first time it is nearly everything.
    listed = [step for step in plan.steps if step.status != "same"]
    for step in listed[:_SHOWN]:
        name = _short(step.path, workspace, state_dir)
        click.echo(f"{_WORDS[step.status]:<14}{step.item.kind:<12}{_size(step.size):>9}  {name}")
        click.echo(f"{'':<14}from {step.item.origin}")
    if len(listed) > _SHOWN:
        click.echo(f"and {len(listed) - _SHOWN} more; --json lists all.")
    for problem in plan.problems:
        click.echo(f"  skipped {problem.path}: {problem.reason}", err=True)
    counts = {status: sum(step.status == status for step in plan.steps) for status in _WORDS}
    done = "Copied" if applied else "Would copy"
    click.echo(
        f"{done} {counts['new']}, {'updated' if applied else 'update'} {counts['update']}; "
        f"{counts['same']} there already, {counts['kept']} kept as you changed them."
    )
    if not applied and (counts["new"] or counts["update"]):
        click.echo("Nothing was written. Add --apply to do it.")


def _hint(plan: ImportPlan) -> None:
    if any(step.item.kind == "transcript" for step in plan.steps):
        click.echo(
            "Conversations can be read with `memdown sessions`. To find them in a search, set "
            'memorySearch.sources to ["memory", "sessions"] and experimental.sessionMemory to true.'
        )


def _short(path: Path, workspace: Path, state_dir: Path) -> str:
    for base in (workspace, state_dir):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return str(path)


def _size(size: int) -> str:
    return (
        f"{size} B"
        if size < 1000
        else f"{size / 1000:.1f} kB"
        if size < 1e6
        else f"{size / 1e6:.1f} MB"
    )


def _plan_json(plan: ImportPlan, *, applied: bool) -> dict[str, Any]:
    return {
        "applied": applied,
        "items": [_step_json(step) for step in plan.steps],
        "problems": [{"path": one.path, "reason": one.reason} for one in plan.problems],
    }


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "status": step.status,
        "kind": step.item.kind,
        "origin": step.item.origin,
        "path": str(step.path),
        "bytes": step.size,
    }
