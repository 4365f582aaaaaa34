"""`memdown import`: bring in what other programs remember."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, target_options

if TYPE_CHECKING:
    from memdown.imports import Plan, Step

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
    from memdown.cli.output import print_json

    settings = target.settings()
    to = importing.Destination(settings.workspace, settings.state_dir, settings.agent)
    found = importing.find(source, path, os.environ)
    plan = importing.plan(found.items, to, found.problems)
    if really:
        from memdown.opening import check_writable

        check_writable(settings)
        plan = importing.apply(plan, to)
    if target.as_json:
        print_json(_plan_json(plan, applied=really))
    else:
        _print_plan(plan, to.workspace, to.state_dir, applied=really)
        if really and "sessions" not in settings.sources:
            _hint(plan)
    return 2 if plan.problems else 0


def _print_plan(plan: Plan, workspace: Path, state_dir: Path, *, applied: bool) -> None:
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


def _hint(plan: Plan) -> None:
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


def _plan_json(plan: Plan, *, applied: bool) -> dict[str, Any]:
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
