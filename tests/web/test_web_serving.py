"""`memdown serve` as a person starts it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from memdown.cli import run
from memdown.errors import CannotListen
from memdown.web.serving import listen


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_a_link_that_works_and_ends_when_told(
    folder: Path, end: signal.Signals
) -> None:
    command = [sys.executable, "-m", "memdown.cli", "serve", "--no-open", "--port", "0", "--json"]
    process = subprocess.Popen(
        [*command, "--workspace", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if text.rstrip().endswith("}"):
            break
    told = json.loads(text)
    url = told["url"]
    assert Path(told["tokenFile"]).exists()
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url) as answer:
        assert answer.status == 200
        assert "HttpOnly" in answer.headers["set-cookie"]
    process.send_signal(end)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert not Path(told["tokenFile"]).exists()


def test_a_taken_port_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--no-open", "--port", str(port), "--workspace", str(folder)]) == 2
    said = f"127.0.0.1, port {port} (Address already in use); choose another with --port"
    assert said in capsys.readouterr().err


def test_without_a_port_any_free_one_will_do() -> None:
    first = listen("127.0.0.1", None)
    second = listen("127.0.0.1", None)
    assert first.getsockname()[1] != second.getsockname()[1]
    first.close()
    second.close()
    with pytest.raises(CannotListen):
        listen("256.0.0.1", 1)


def test_a_page_that_cannot_start_says_why(
    tmp_path: Path, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server that it starts has a log; nobody should have to read it."""
    assert run(["open", "--workspace", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"memdown: The workspace {tmp_path / 'none'} does not exist; ")
    assert len(said.splitlines()) == 1
