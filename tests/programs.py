"""Programs that no package of Python brings: tests that need a missing one are left out, and say so.

`make test` asks this file which packages of Debian to install.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from browser import chromium
from index import pgbouncer


@dataclass(frozen=True, slots=True)
class Program:
    """A program that tests need, where those are, and what is said where it is missing."""

    find: Callable[[], str | None]
    tests: str
    missing: str
    in_ci: bool = False
    """Whether a pipeline fails without it: one that quietly tests less would look green."""


PROGRAMS = (
    Program(chromium.find_chromium, "tests/browser/", chromium.MISSING, in_ci=True),
    Program(pgbouncer.find_pgbouncer, "tests/index/test_postgres_pooler.py", pgbouncer.MISSING),
)


def left_out() -> list[Program]:
    """The programs without which this run does."""
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    missing = [program for program in PROGRAMS if program.find() is None]
    return [program for program in missing if not (in_ci and program.in_ci)]


def packages() -> list[str]:
    """What apt-get shall install; a whole Chromium does as well, but is slow."""
    wanted = []
    if chromium.is_slow(chromium.find_chromium()):
        wanted.append("chromium-headless-shell")
    if pgbouncer.find_pgbouncer() is None:
        wanted.append("pgbouncer")
    return wanted


if __name__ == "__main__":
    print(*packages())
