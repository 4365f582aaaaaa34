"""What each campaign tried and what came of it: printed after a run, and kept in docs/reliability.md.

A plugin of pytest, so that any test can use the fixture `campaign`. With `--write-reliability PAGE`
the figures of the long campaigns that ran replace their rows in the table of that page; the rows of
campaigns that did not run stay, with their day.
"""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import apsw
import pytest

BEGIN = "<!-- figures: written by make test-long -->"
END = "<!-- figures: end -->"
HEAD = "| fault | tried | result | day |\n|---|---|---|---|\n"
PROPERTY = "figures"
FAILED = "**failed**"

Done = Callable[[str, str], None]
Campaign = Callable[[str], Done]


@dataclass(frozen=True, slots=True)
class Figures:
    """One row: which fault, how often it was tried, and what came of it."""

    fault: str
    tried: str
    result: str
    is_long: bool


ROWS = pytest.StashKey[list[Figures]]()


@pytest.fixture
def campaign(request: pytest.FixtureRequest) -> Campaign:
    """`done = campaign(fault)` at the start of a test, `done(tried, result)` at its end.

    A test that ends in between has failed, and the row says so.
    """

    def begin(fault: str) -> Done:
        is_long = request.node.get_closest_marker("long") is not None
        row = {"fault": fault, "tried": "", "result": FAILED, "is_long": is_long}
        # Travels with the report, also from the processes of pytest-xdist.
        request.node.user_properties.append((PROPERTY, row))
        return lambda tried, result: row.update(tried=tried, result=result)

    return begin


class Collector:
    """Keeps the rows of the tests that ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        for name, row in report.user_properties:
            if name == PROPERTY:
                figures = Figures(**row)  # type: ignore[arg-type]
                if report.failed and figures.result != FAILED:
                    figures = replace(figures, result=f"{FAILED}: {figures.result}")
                self._config.stash[ROWS].append(figures)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-reliability",
        metavar="PAGE",
        type=Path,
        help="write the figures of the long campaigns into the table of this page",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []
    config.pluginmanager.register(Collector(config))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    rows = config.stash[ROWS]
    if rows:
        terminalreporter.section("faults")
        for row in rows:
            terminalreporter.write_line(f"{row.fault}: {row.tried}: {row.result}")
    page: Path | None = config.getoption("--write-reliability")
    lasting = [row for row in rows if row.is_long]
    if page is not None and lasting:
        text = rewritten(page.read_text("utf-8"), lasting, datetime.date.today(), surroundings())
        page.write_text(text, "utf-8")
        terminalreporter.write_line(f"{len(lasting)} rows written to {page}")


def surroundings() -> str:
    """On what the figures were taken."""
    return (
        f"Last run: Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, "
        f"{platform.system()}, {os.cpu_count()} cores."
    )


def rewritten(page: str, rows: Sequence[Figures], day: datetime.date, where: str) -> str:
    """The page with these rows in its table; each replaces the one of the same fault."""
    before, begin, rest = page.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"The page has no table between {BEGIN} and {END}.")
    lines: dict[str, str] = {}
    for line in old.splitlines():
        if line.startswith("| ") and not HEAD.startswith(line):
            lines[line.split(" | ")[0].removeprefix("| ")] = line
    for row in rows:
        cells = [_cell(text) for text in (row.fault, row.tried, row.result, day.isoformat())]
        lines[cells[0]] = f"| {' | '.join(cells)} |"
    table = HEAD + "".join(f"{line}\n" for line in lines.values())
    return f"{before}{BEGIN}\n\n{table}\n{where}\n\n{END}{after}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
