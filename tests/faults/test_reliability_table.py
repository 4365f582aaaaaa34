"""The table in docs/reliability.md is written by the run, and only by what ran."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults.figures import BEGIN, END, FAILED, Figures, rewritten

TESTS = Path(__file__).parents[1]
DAY = datetime.date(2026, 3, 1)
EMPTY = f"# Page\n\n{BEGIN}\n{END}\n\nAfter.\n"


def table(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("| ")][1:]


def test_rows_replace_those_of_the_same_fault() -> None:
    first = rewritten(
        EMPTY,
        [Figures("kills", "5", "0 lost", True), Figures("cuts", "2", "ok", True)],
        DAY,
        "Where",
    )
    assert table(first) == ["| kills | 5 | 0 lost | 2026-03-01 |", "| cuts | 2 | ok | 2026-03-01 |"]
    later = DAY + datetime.timedelta(days=1)
    second = rewritten(first, [Figures("kills", "9", "a|b\nc", True)], later, "Elsewhere")
    assert table(second) == [
        "| kills | 9 | a\\|b c | 2026-03-02 |",
        "| cuts | 2 | ok | 2026-03-01 |",
    ]
    assert second.startswith("# Page\n\n")
    assert second.endswith(f"{END}\n\nAfter.\n")
    assert "Elsewhere" in second
    assert "Where\n" not in second.replace("Elsewhere", "")


def test_a_page_without_a_table_is_left_alone() -> None:
    with pytest.raises(ValueError, match="has no table"):
        rewritten("# Page\n", [], DAY, "")


def test_the_page_has_a_table() -> None:
    page = (TESTS.parent / "docs/reliability.md").read_text()
    assert rewritten(page, [], DAY, "")


CAMPAIGNS = """
import pytest

@pytest.mark.long
def test_good(campaign):
    campaign("good")("3 times", "nothing lost")

@pytest.mark.long
def test_bad(campaign):
    done = campaign("bad")
    raise OSError
    done("", "")

@pytest.mark.long
def test_slow(campaign):
    campaign("slow")("once", "in 99 s")
    raise AssertionError

def test_short(campaign):
    campaign("short")("once", "nothing lost")
"""


@pytest.mark.parametrize("processes", ["0", "1"])
def test_a_run_writes_its_long_campaigns(tmp_path: Path, processes: str) -> None:
    """Also those that failed, and also from another process; the short ones are only printed."""
    (tmp_path / "test_some.py").write_text(CAMPAIGNS)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers = long\npythonpath = {TESTS}\n")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["faults.figures"]\n')
    page = tmp_path / "page.md"
    page.write_text(EMPTY)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "xdist", "-n", processes),
            *("--write-reliability", page, tmp_path),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "short: once: nothing lost" in done.stdout
    today = datetime.date.today().isoformat()
    assert sorted(table(page.read_text())) == [
        f"| bad |  | {FAILED} | {today} |",
        f"| good | 3 times | nothing lost | {today} |",
        f"| slow | once | {FAILED}: in 99 s | {today} |",
    ]
    assert "SQLite" in page.read_text()
    assert str(tmp_path) not in page.read_text()
