"""The console blocks of a page, run as one session in a shell and compared with what they show.

A line that begins with `$ ` is a command, what follows up to the next is its output; without any,
the command must only succeed. `…` stands for anything within a line, and alone on a line for any
lines. A block that cannot run here has a comment above it: `<!-- not run: reason -->`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+) -->\n+)?```console\n(?P<text>.*?)```", re.DOTALL
)
_ANYTHING, _ANY_LINES = r"[^\n]*", r"(?:[^\n]*\n)*"
_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page, with the output that stands under it."""

    text: str
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed and how it ended."""

    command: Command
    output: str
    code: int

    def fault(self) -> str | None:
        """Why this is not what the page says; None if it is."""
        if self.command.expected and not matches(self.command.expected, self.output):
            shown = "\n".join(self.command.expected)
            return f"$ {self.command.text}\nshould print\n{shown}\nbut prints\n{self.output}"
        if self.code:
            return f"$ {self.command.text}\nends with {self.code}:\n{self.output}"
        return None


def console_commands(page: str) -> list[Command]:
    """The commands of a page that can be run."""
    commands: list[Command] = []
    for block in _BLOCK.finditer(page):
        if block["why"]:
            continue
        text = ""
        output: list[str] = []
        for line in [*block["text"].splitlines(), "$ "]:
            if line.startswith("$ "):
                if text:
                    commands.append(Command(text, tuple(output)))
                text, output = line[2:], []
            elif text.endswith("\\") and not output:
                text += f"\n{line}"
            else:
                output.append(line)
    return commands


def matches(expected: tuple[str, ...], output: str) -> bool:
    """Whether an output is what a page shows, `…` standing for anything."""
    lines = [_ANY_LINES if line == "…" else f"{_pattern(line)} *\n" for line in expected]
    return re.fullmatch("".join(lines), output.rstrip("\n") + "\n") is not None


def _pattern(line: str) -> str:
    return _ANYTHING.join(map(re.escape, line.split("…")))


def run_session(
    commands: list[Command], folder: Path, environment: Mapping[str, str]
) -> list[Outcome]:
    """Run the commands one after the other in one shell, so that `cd` lasts."""
    mark = "@@@ end of command"
    script = "".join(
        f"{{ {command.text}\n}} </dev/null 2>&1; printf '\\n{mark} %d\\n' $?\n"
        for command in commands
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.stderr == "", done.stderr
    ended = re.findall(rf"(.*?)\n{mark} (\d+)\n", done.stdout, re.DOTALL)
    return [
        Outcome(command, output, int(code))
        for command, (output, code) in zip(commands, ended, strict=True)
    ]
