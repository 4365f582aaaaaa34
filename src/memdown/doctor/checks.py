"""What a check is, which ones there are, and applying their fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memdown.config import Settings
from memdown.errors import MemdownError
from memdown.memory import Memory

Verdict = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `mend` does what `advice` says where that is safe."""

    name: str
    verdict: Verdict
    finding: str
    advice: str = ""
    mend: Callable[[], object] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined; a part that could not be had is None, and the reason is a check."""

    settings: Settings | None
    memory: Memory | None
    complaints: tuple[Check, ...] = ()


Examination = Callable[[Subject], Iterator[Check]]


def examine(subject: Subject) -> Iterator[Check]:
    """Look at everything, from the machine up to a search; a check that fails stops no other."""
    from memdown.doctor import index, machine, setting

    yield from subject.complaints
    for look in (*machine.CHECKS, *setting.CHECKS, *index.CHECKS):
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
