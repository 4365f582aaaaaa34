"""Everything a user can have wrong, looked at in one go, each with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memdown.doctor.checks import MACHINE_CHECKS, SETTING_CHECKS, Check, Subject
from memdown.doctor.index import INDEX_CHECKS
from memdown.errors import MemdownError

__all__ = ["Check", "Mended", "Subject", "examine", "mend"]


def examine(subject: Subject) -> Iterator[Check]:
    """Look at everything, from the machine up to a search; a check that fails stops no other."""
    yield from subject.complaints
    for look in (*MACHINE_CHECKS, *SETTING_CHECKS, *INDEX_CHECKS):
        name = look.__name__.replace("_", " ")
        try:
            yield from look(subject)
        except (MemdownError, OSError) as error:
            yield Check(name, "error", str(error))


class Mended(NamedTuple):
    """A check whose fix was applied, and why that did not work; None if it did."""

    check: Check
    problem: str | None


def mend(checks: Sequence[Check]) -> list[Mended]:
    """Apply the safe fixes."""
    done: list[Mended] = []
    for check in checks:
        if check.verdict != "ok" and check.mend is not None:
            try:
                check.mend()
            except (MemdownError, OSError) as error:
                done.append(Mended(check, str(error)))
            else:
                done.append(Mended(check, None))
    return done
