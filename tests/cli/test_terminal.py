"""No text from a file is obeyed by a terminal: not in any command, not in any error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.terminals import each_on_terminal, on_terminal
from memdown.cli.terminal import harmless

# A new window title, a cleared screen, colours, a C1 sequence, overprinting, reversed text.
EVIL = "\033]0;PWNED\a\033[2J\033[31mred\033[0m\x9b2J\x90q\x07over\rprint\x08\x7f\u202egnp.exe\u2066\u200f"
# Colours, and the progress that is shown where indexing takes its time.
_OURS = re.compile(r"\033\[(?:0|1|2|3[1236])(?:;1)?m|\r\033\[K(?:Indexing [█░]+ \d[^\r\n\033]*)?")
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def evil_notes(folder: Path, state: Path) -> Path:
    """Notes and a conversation that try to command the terminal."""
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").touch()
    (folder / "memory/evil.md").write_text(
        f"# Zebra {EVIL}\n\nThe zebra code {EVIL} ends.\n", "utf-8"
    )
    (folder / "memory/latin.md").write_bytes(b"# L\xf6we\n\033[2J")
    (folder / "memory" / "bad\033[2Jname.md").write_text("zebra")
    talks = state / "agents/main/sessions"
    talks.mkdir(parents=True)
    lines = [
        {"type": "session", "id": "evil"},
        {"type": "message", "message": {"role": "user", "content": f"zebra {EVIL} talk"}},
    ]
    (talks / "evil.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


@pytest.fixture
def workspace(tmp_path: Path, own_state: Path) -> Path:
    return evil_notes(tmp_path / "notes", own_state)


COMMANDS = [
    ["search", "zebra"],
    ["search", "zebra", "--full", "--explain"],
    ["search", "zebra", "--json"],
    ["get", "memory/evil.md"],
    ["get", "memory/evil.md", "--json"],
    ["get", "memory/\033[2Jnone.md"],
    ["list"],
    ["recent"],
    ["index"],
    ["status"],
    ["doctor"],
    ["sessions", "list"],
    ["sessions", "show", "evil"],
    ["sessions", "search", "zebra"],
    ["sessions", "export", "evil"],
    ["search", "x", "--workspace", "no\033[2Jwhere"],
    ["ser\033[2Jach"],
    ["eval", "make"],
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What every command prints on a terminal. None needs a process of its own."""
    top = tmp_path_factory.mktemp("evil")
    folder = evil_notes(top / "notes", top / "state")
    environment = {"MEMDOWN_STATE_DIR": str(top / "state"), "HOME": str(top)}
    printed = each_on_terminal(COMMANDS, folder, environment)
    return {" ".join(command): text for command, text in zip(COMMANDS, printed, strict=True)}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_terminal_gets_text_only(shown: dict[str, str], command: list[str]) -> None:
    text = shown[" ".join(command)]
    left = _OURS.sub("", text)
    assert text.strip()
    assert not _OBEYED.findall(left), _OBEYED.findall(left)


def test_colours_of_a_note_are_shown_by_their_codes(workspace: Path) -> None:
    """Even a harmless colour could paint a lie; only our own sequences pass."""
    shown = on_terminal("get", "memory/evil.md", cwd=workspace)
    assert "\\x1b[31mred\\x1b[0m" in shown
    assert "The zebra code \\x1b]0;PWNED\\x07" in shown


def test_our_own_colours_are_seen(workspace: Path) -> None:
    shown = on_terminal("search", "zebra", cwd=workspace)
    assert "\033[36;1mmemory/evil.md:3\033[0m" in shown
    plain = on_terminal("search", "zebra", cwd=workspace, environment={"NO_COLOR": "1"})
    assert "\033" not in plain


def test_into_a_pipe_a_note_goes_as_it_is(workspace: Path) -> None:
    """`memdown get note > copy` must not change the text."""
    command = [sys.executable, "-m", "memdown", "get", "memory/evil.md"]
    piped = subprocess.run(command, cwd=workspace, capture_output=True, check=True).stdout
    assert piped == (workspace / "memory/evil.md").read_bytes()


def test_scripts_and_emoji_stay_as_they_are() -> None:
    text = "naïve 日本語 ไทย हिन्दी می‌خواهم 👩‍👩‍👧 \t tab\nnext"
    assert harmless(text) == text


def test_a_name_that_cannot_be_encoded_is_shown() -> None:
    assert harmless("a\udcffb") == "a\\udcffb"


def test_a_long_answer_fits_a_screen(
    write_notes: Callable[[dict[str, str]], Path],
) -> None:
    """Six hits in notes of normal length: the lines that answer, not the whole notes."""
    body = "".join(f"Some other line {number} about this and that.\n" for number in range(12))
    folder = write_notes(
        {
            f"memory/machine-{number}.md": f"# Machine {number}\n\n{body}\n"
            f"The boiler of machine {number} needs descaling in May, with citric acid.\n\n{body}"
            for number in range(8)
        }
    )
    (folder / "MEMORY.md").touch()
    shown = on_terminal("search", "boiler descaling", cwd=folder)
    rows = shown.splitlines()
    assert len(rows) <= 20
    assert sum("citric acid" in row for row in rows) >= 3
    assert all(len(_OURS.sub("", row)) <= 80 for row in rows)


def test_a_long_line_is_cut_around_the_match(
    write_notes: Callable[[dict[str, str]], Path],
) -> None:
    words = " ".join(f"word{number}" for number in range(38))
    folder = write_notes({"memory/log.md": f"{words} Quentin owns the Albatros. {words}\n"})
    (folder / "MEMORY.md").touch()
    shown = _OURS.sub("", on_terminal("search", "Albatros Quentin", cwd=folder))
    joined = " ".join(shown.split())
    assert "Quentin owns the Albatros." in joined
    assert len(shown.splitlines()) <= 5
    assert "1 word0 " not in joined
