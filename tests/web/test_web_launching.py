"""A browser gets in by a link that works once and that nobody else on the machine can see."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from forked import Forked
from memdown.cli import run
from memdown.web.guard import Pairings
from memdown.web.serving import Door, running_ports
from waiting import eventually
from web.stopping import stop_as_it_starts


@contextmanager
def served(folder: Path, *options: str, **environ: str) -> Iterator[dict[str, Any]]:
    """`memdown serve` as a process; what it announced."""
    command = [sys.executable, "-m", "memdown.cli", "serve", "--port", "0", "--json", *options]
    process = subprocess.Popen(
        [*command, "--workspace", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environ},
    )
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if text.rstrip().endswith("}"):
            break
    try:
        yield json.loads(text)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def status(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_no_secret_stands_in_a_command_line(folder: Path, tmp_path: Path, own_state: Path) -> None:
    """Every user can read what a browser was started with (`ps`)."""
    seen = tmp_path / "arguments"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}.new; mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    with served(folder, BROWSER=f"{browser} %s") as said:
        eventually(seen.exists)
        opened = seen.read_text().strip()
        assert opened.startswith("file://")
        assert "code" not in opened
        page = Path(opened.removeprefix("file://"))
        assert page.is_relative_to(own_state)
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        link = page.read_text().partition("url=")[2].partition('"')[0]
        assert link != said["url"]
        assert [status(link), status(link)] == [200, 401]
        assert [status(said["url"]), status(said["url"])] == [200, 401]
    assert list(own_state.glob("web-*")) == []


def test_programs_find_their_token_in_a_private_file(folder: Path) -> None:
    with served(folder, "--no-open") as said:
        file = Path(said["tokenFile"])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        token = file.read_text().strip()
        base = said["url"].partition("?")[0]
        assert status(f"{base}api/notes", Authorization=f"Bearer {token}") == 200
        assert status(f"{base}api/notes") == 401


def test_another_link_can_be_had_while_the_page_is_open(
    folder: Path, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a second browser, or after the first link went astray."""
    assert run(["serve", "--link"]) == 2
    assert "start one with `memdown serve`" in capsys.readouterr().err
    with served(folder, "--no-open") as said:
        assert run(["serve", "--link"]) == 0
        link = capsys.readouterr().out.strip()
        assert link.partition("code=")[0] == said["url"].partition("code=")[0]
        assert [status(link), status(link)] == [200, 401]
        assert run(["open", "--no-open", "--workspace", str(folder)]) == 0
        opened = capsys.readouterr().out.strip()
        assert opened.partition("code=")[0] == said["url"].partition("code=")[0]
        assert status(opened) == 200
        assert run(["serve", "--link", "--port", "1"]) == 2
        with served(folder, "--no-open"):
            assert run(["serve", "--link"]) == 2
            assert "say which with --port" in capsys.readouterr().err
    assert running_ports(own_state) == []


@pytest.mark.parametrize("signals", [("SIGTERM",), ("SIGINT",), ("SIGTERM", "SIGINT")])
def test_a_stop_while_the_page_starts_cuts_nothing_short(
    folder: Path, tmp_path: Path, signals: tuple[str, ...]
) -> None:
    """An import that Ctrl-C cut short kept its lock, and the end waited for a thread that wanted it."""
    said = tmp_path / "said"
    sent = [signal.Signals[name] for name in signals]
    code = Forked(stop_as_it_starts, folder, tmp_path / "state", *sent, output=said).wait()
    assert code == 0, said.read_text()


def test_what_a_killed_server_left_lets_nobody_in(tmp_path: Path) -> None:
    door = Door(tmp_path, 7117)
    code = door.new_code()
    with door.opened("first"):
        assert running_ports(tmp_path) == [7117]
        assert not door.use(code)
        assert door.use(door.new_code())
    assert running_ports(tmp_path) == []


@pytest.mark.parametrize("code", ["", "x", "../../x", "a" * 10_000, "\udcff"])
def test_a_code_that_was_never_given_opens_nothing(tmp_path: Path, code: str) -> None:
    door = Door(tmp_path, 7117)
    door.new_code()
    assert not door.use(code)


def test_the_page_is_kept_running_by_a_service(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Installed and removed with the system's own command; without one, it says what to do."""
    asked = tmp_path / "asked"
    systemctl = tmp_path / "bin/systemctl"
    systemctl.parent.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", str(systemctl.parent))
    monkeypatch.setattr(sys, "platform", "linux")
    install = ["serve", "--install", "--workspace", str(folder)]
    assert run(install) == 2
    assert "keep `memdown serve` running yourself" in capsys.readouterr().err
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    systemctl.chmod(0o755)
    assert run(install) == 0
    (unit,) = (tmp_path / "config/systemd/user").iterdir()
    assert f"serve --no-open --port 7117 --host 127.0.0.1 --workspace {folder}" in unit.read_text()
    assert run(["serve", "--uninstall"]) == 0
    assert not unit.exists()
    assert run(["serve", "--uninstall"]) == 2
    assert asked.read_text().split("\n")[1:3] == [
        "--user enable --now memdown-page.service",
        "--user disable --now memdown-page.service",
    ]


def test_a_browser_is_paired_once_and_can_be_thrown_out(tmp_path: Path) -> None:
    pairings = Pairings(tmp_path)
    secret = pairings.add("Firefox on Linux")
    assert pairings.knows(secret)
    assert secret not in (tmp_path / "web-browsers.json").read_text()
    assert stat.S_IMODE((tmp_path / "web-browsers.json").stat().st_mode) == 0o600
    (one,) = Pairings(tmp_path).all()
    assert one.name == "Firefox on Linux"
    assert pairings.remove(one.id)
    assert not pairings.knows(secret)
    (tmp_path / "web-browsers.json").write_text("damaged")
    assert not pairings.knows(secret)
