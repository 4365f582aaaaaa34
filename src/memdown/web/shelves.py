"""The notes as a person looks for them: by folder, by day, newest first."""

from __future__ import annotations

import bisect
import calendar
import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memdown.types import FileState

LOGS = "memory"
MOST_SHOWN = 400
_MOST_MONTHS = 18


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the tree: a folder, a year or a month of daily logs, or a note."""

    name: str
    path: str
    kind: str
    count: int = 0
    open: bool = False
    inner: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """One square of the year."""

    date: datetime.date
    paths: tuple[str, ...]
    level: int
    week: int
    weekday: int


def tree(files: Iterable[str], folder: str, current: str = "") -> tuple[Branch, ...]:
    """What stands in a folder; the branches that lead to the current note are open.

    Daily logs are gathered by month, so that years of them stay easy to look through.
    """
    prefix = f"{folder}/" if folder else ""
    folders: dict[str, int] = defaultdict(int)
    months: dict[str, list[str]] = defaultdict(list)
    notes: list[str] = []
    for path in files:
        if not path.startswith(prefix):
            continue
        name, _, deeper = path[len(prefix) :].partition("/")
        if deeper or not name:
            folders[_first_folder(path, prefix)] += 1
        elif _is_log(name):
            months[name[:7]].append(path)
        else:
            notes.append(path)
    branches = [
        _folder(files, prefix, name, count, current) for name, count in sorted(folders.items())
    ]
    branches += _logs(months, prefix, current)
    shown = [Branch(path.rpartition("/")[2], path, "note") for path in sorted(notes)[:MOST_SHOWN]]
    # What lasts comes first.
    first = [one for one in shown if not folder and one.name.lower() == "memory.md"]
    return (*first, *branches, *(one for one in shown if one not in first))


def month(files: Iterable[str], name: str) -> tuple[Branch, ...]:
    """The daily logs of a month; `name` is a folder and the month, `memory/2026-11`."""
    return tuple(
        Branch(path.rpartition("/")[2], path, "note")
        for path in sorted(files, reverse=True)
        if path.startswith(f"{name}-") and _is_log(path.rpartition("/")[2])
    )[:MOST_SHOWN]


def _first_folder(path: str, prefix: str) -> str:
    """The next folder on the way to a path; an absolute path is one folder up to its note."""
    rest = path[len(prefix) :]
    if rest.startswith("/"):
        return rest.rpartition("/")[0]
    return rest.partition("/")[0]


def _folder(files: Iterable[str], prefix: str, name: str, count: int, current: str) -> Branch:
    path = prefix + name
    is_open = current.startswith(f"{path}/") or path == LOGS
    return Branch(
        name, path, "folder", count, is_open, tree(files, path, current) if is_open else ()
    )


def _month(name: str, paths: Sequence[str], prefix: str, current: str) -> Branch:
    is_open = current in paths
    title = f"{calendar.month_name[int(name[5:7])]} {name[:4]}"
    inner = month(paths, prefix + name) if is_open else ()
    return Branch(title, prefix + name, "month", len(paths), is_open, inner)


def _logs(months: Mapping[str, Sequence[str]], prefix: str, current: str) -> list[Branch]:
    """The daily logs by month, newest first; many months are gathered by year once more."""
    inner = [_month(name, months[name], prefix, current) for name in sorted(months, reverse=True)]
    if len(inner) <= _MOST_MONTHS:
        return inner
    years: dict[str, list[Branch]] = defaultdict(list)
    for one in inner:
        years[one.path[len(prefix) : len(prefix) + 4]].append(one)
    return [
        Branch(
            name,
            prefix + name,
            "year",
            sum(one.count for one in inside),
            any(one.open for one in inside),
            tuple(inside) if any(one.open for one in inside) else (),
        )
        for name, inside in years.items()
    ]


def months(files: Iterable[str], name: str) -> tuple[Branch, ...]:
    """The months of a year of daily logs; `name` is a folder and the year, `memory/2026`."""
    prefix = name[:-4]
    found: dict[str, list[str]] = defaultdict(list)
    for path in files:
        log = path[len(prefix) :]
        if path.startswith(f"{name}-") and "/" not in log and _is_log(log):
            found[log[:7]].append(path)
    return tuple(_month(one, found[one], prefix, "") for one in sorted(found, reverse=True))


def _is_log(name: str) -> bool:
    return (
        len(name) > 10
        and name[4] == name[7] == "-"
        and name[:4].isdecimal()
        and name[5:7] in _MONTHS
        and name[8:10].isdecimal()
    )


_MONTHS = frozenset(f"{number:02}" for number in range(1, 13))


def by_day(files: Mapping[str, FileState]) -> dict[datetime.date, list[FileState]]:
    """The dated notes, by their day."""
    days: dict[datetime.date, list[FileState]] = defaultdict(list)
    for state in files.values():
        if state.date:
            days[state.date].append(state)
    return dict(days)


def year(days: Mapping[datetime.date, Sequence[FileState]], number: int) -> list[Day]:
    """Every day of a year with how much was written, in weeks that begin on Monday.

    The level tells in which quarter of the year's days a day is: one very long day must not make
    all others look empty.
    """
    first = datetime.date(number, 1, 1)
    offset = first.weekday()
    written = {day: sum(one.size for one in files) for day, files in days.items()}
    sizes = sorted(size for day, size in written.items() if day.year == number)
    result = []
    for index in range(366 if calendar.isleap(number) else 365):
        day = first + datetime.timedelta(days=index)
        size = written.get(day, 0)
        paths = tuple(one.path for one in days.get(day, ()))
        level = 1 + min(3, 4 * bisect.bisect_left(sizes, size) // len(sizes)) if paths else 0
        week, weekday = divmod(index + offset, 7)
        result.append(Day(day, paths, level, week, weekday))
    return result


def months_of(days: Sequence[Day]) -> list[tuple[int, str]]:
    """Where each month begins in the picture of a year: week and short name."""
    return [(day.week, calendar.month_abbr[day.date.month]) for day in days if day.date.day == 1]


def latest(files: Mapping[str, FileState], count: int) -> list[FileState]:
    """The notes of the last days, newest first."""
    dated = [state for state in files.values() if state.date]
    return sorted(dated, key=lambda one: (one.date, one.path), reverse=True)[:count]


def around(files: Mapping[str, FileState], path: str) -> tuple[FileState | None, FileState | None]:
    """The dated notes before and after a dated one; nothing beside one without a day."""
    if path not in files or files[path].date is None:
        return None, None
    dated = sorted(
        (one for one in files.values() if one.date), key=lambda one: (str(one.date), one.path)
    )
    at = next(number for number, one in enumerate(dated) if one.path == path)
    after = dated[at + 1] if at + 1 < len(dated) else None
    return (dated[at - 1] if at else None), after
