"""`memdown doctor`: find out what is wrong, and put right what can safely be."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import click

from memdown.cli.options import Target, target_options
from memdown.cli.terminal import style

if TYPE_CHECKING:
    from memdown.doctor import Check, Subject

_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red")}


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe: no note is ever touched.")
@target_options
def doctor_command(target: Target, fix: bool) -> int:
    """Check everything that can be wrong, and say what to do about it.

    Looks at Python, SQLite, permissions, the configuration, the provider, the limits of watching,
    the index itself and its agreement with the notes, and searches for a note. Ends with 0 if
    nothing is broken, with 1 if something is.
    """
    from memdown.cli.output import print_json
    from memdown.doctor import examine, mend

    subject = _subject(target)
    try:
        checks = []
        for check in examine(subject):
            checks.append(check)
            if not target.as_json:
                _show(check)
        mended = mend(checks) if fix else []
        if mended:
            # What was in the way of reading the settings may be mended now.
            subject = subject if subject.settings is not None else _subject(target)
            checks = list(examine(subject))
    finally:
        if subject.memory is not None:
            subject.memory.close()
    broken = [check for check in checks if check.verdict == "error"]
    if target.as_json:
        print_json(
            {
                "ok": not broken,
                "checks": [_as_json(check) for check in checks],
                "fixed": [
                    {"name": check.name, "finding": check.finding, "error": reason}
                    for check, reason in mended
                ],
            }
        )
    else:
        for check, reason in mended:
            click.echo(f"{check.name}: {'fixed' if reason is None else f'not fixed: {reason}'}")
        _conclude(checks, fix)
    return 1 if broken else 0


def _subject(target: Target) -> Subject:
    from memdown.doctor import Check, Subject
    from memdown.errors import MemdownError, UnsafePlace
    from memdown.files import close_to_others
    from memdown.memory import Memory

    try:
        settings = target.settings()
    except UnsafePlace as error:
        mend = functools.partial(close_to_others, error.path) if error.mendable else None
        return Subject(None, None, (Check("Permissions", "error", str(error), mend=mend),))
    except MemdownError as error:
        advice = "correct the file, then run memdown config check"
        return Subject(None, None, (Check("Configuration", "error", str(error), advice),))
    try:
        return Subject(settings, Memory.from_settings(settings))
    except MemdownError as error:
        return Subject(settings, None, (Check("Workspace", "error", str(error), "memdown init"),))


def _show(check: Check) -> None:
    mark, colour = _MARKS[check.verdict]
    click.echo(f"{style(mark, colour)} {check.name}: {check.finding}")
    if check.verdict != "ok" and check.advice:
        click.echo(f"    → {check.advice}")


def _conclude(checks: list[Check], fix: bool) -> None:
    wrong = [check for check in checks if check.verdict != "ok"]
    if not wrong:
        click.echo("Everything is fine.")
    elif not fix and any(check.mend for check in wrong):
        click.echo("Run `memdown doctor --fix` to apply the safe fixes.")


def _as_json(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "verdict": check.verdict,
        "finding": check.finding,
        "advice": check.advice,
        "fixable": check.mend is not None,
    }
