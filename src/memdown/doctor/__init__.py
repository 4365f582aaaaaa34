"""Everything a user can have wrong, looked at in one go, each with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memdown.doctor.checks import MACHINE_CHECKS, SETTING_CHECKS, Check, Subject
from memdown.doctor.index import INDEX_CHECKS
from memdown.errors import MemdownError

__all__ = ["Check", "Subject", "examine", "mend"]


def examine(subject: Subject) -> Iterator[Check]:
    """Look at everything, from the machine up to a search; a check that fails stops no other."""
    yield from subject.complaints
    for look in (*MACHINE_CHECKS, *SETTING_CHECKS, *INDEX_CHECKS):
        name = look.__name__.replace("_", " ")
        try:
            yield from look(subject)
        except (MemdownError, OSError) as error:
            yield Check(name, "error", str(error))


def mend(checks: Sequence[Check]) -> list[tuple[Check, str | None]]:
    """Apply the safe fixes; each with the reason if it did not work."""
    done: list[tuple[Check, str | None]] = []
    for check in checks:
        if check.verdict != "ok" and check.mend is not None:
            try:
                check.mend()
            except (MemdownError, OSError) as error:
                done.append((check, str(error)))
            else:
                done.append((check, None))
    return done
