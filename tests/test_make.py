"""`make test` works without root: tests that need a program run where there is one, or say that they did not."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from browser import chromium
from browser.chromium import MISSING, find_chromium
from index import pgbouncer
from programs import PROGRAMS, left_out, packages
from quick_folder import quick_folder

ROOT = Path(__file__).parents[1]
ONE = "tests/browser/test_browser_search.py"


def pytest_without_a_browser(**environment: str) -> subprocess.CompletedProcess[str]:
    """A run of some browser tests on a machine that has none."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    own |= {"MEMDOWN_CHROMIUM": "/no/such/chromium", "CI": "", **environment}
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", ONE]
    return subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)


def test_without_a_browser_one_line_says_what_did_not_run() -> None:
    result = pytest_without_a_browser()
    assert result.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert result.stdout.count(MISSING) == 1


def test_ci_fails_without_a_browser() -> None:
    """A pipeline that quietly tests less would look green."""
    result = pytest_without_a_browser(CI="true")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert MISSING in result.stdout


def test_the_browser_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("MEMDOWN_CHROMIUM", str(program))
    assert find_chromium() == str(program)
    assert "chromium-headless-shell" not in packages()


def test_what_is_missing_is_told_and_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMDOWN_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(pgbouncer, "find_pgbouncer", lambda: None)
    assert packages() == ["chromium-headless-shell", "pgbouncer"]
    assert PROGRAMS[0] in left_out()
    monkeypatch.setenv("CI", "true")
    assert PROGRAMS[0] not in left_out()


def test_a_browser_with_windows_is_enough_but_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMDOWN_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "")
    for name, slow in (("chromium", True), ("chromium-headless-shell", False)):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert PROGRAMS[0] not in left_out()
        assert chromium.is_slow(find_chromium()) == slow


@pytest.mark.parametrize(
    "name", ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
)
def test_browsers_are_found_under_their_usual_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / name).chmod(0o755)
    monkeypatch.delenv("MEMDOWN_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() == str(tmp_path / name)


def test_make_asks_nobody_for_a_password() -> None:
    """Whoever is not root and has no sudo without a password gets the tests all the same."""
    steps = subprocess.run(
        ["make", "-n", "programs"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "sudo -n true" in steps
    assert steps.count("exit 0") == 3


def test_make_run_leaves_the_home_folder_alone() -> None:
    database = subprocess.run(
        ["make", "-pn", "run"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert f"MEMDOWN_STATE_DIR := {ROOT}/.venv/state" in database.replace(
        "$(CURDIR)", str(ROOT)
    ).replace("$(VENV)", ".venv")


def test_what_tests_write_goes_into_memory_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tempfile.gettempdir()
    assert quick_folder(tmp_path, room=0) == str(tmp_path)
    assert quick_folder(tmp_path, room=10**18) == usual
    assert quick_folder(tmp_path / "none", room=0) == usual
    found = os.statvfs(tmp_path)
    facts = {name: getattr(found, name) for name in dir(found) if name.startswith("f_")}
    without_programs = SimpleNamespace(**{**facts, "f_flag": os.ST_NOEXEC})
    monkeypatch.setattr(os, "statvfs", lambda folder: without_programs)
    assert quick_folder(tmp_path, room=0) == usual
