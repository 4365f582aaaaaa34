"""Draws the picture in the README: runs a real search in a terminal and writes it as SVG.

python docs/images/terminal.py > docs/images/search.svg
"""

from __future__ import annotations

import html
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = ["memdown", "search", "which router do we use at home?", "-n", "1"]
WORKSPACE = Path(__file__).parents[2] / "examples" / "workspace"
WIDTH, LINE, CHAR, MARGIN = 100, 19, 8.4, 24
COLOURS = {"36": "#56b6c2", "33": "#e5c07b", "2": "#7f848e"}


def run() -> str:
    """What the command prints on a terminal, colours included."""
    master, slave = pty.openpty()
    with tempfile.TemporaryDirectory() as state:
        environment = {**os.environ, "MEMDOWN_STATE_DIR": state, "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        command = [str(Path(sys.executable).parent / COMMAND[0]), *COMMAND[1:]]
        subprocess.run(command, stdout=slave, cwd=WORKSPACE, env=environment, check=True)
    os.close(slave)
    text = b""
    try:
        while block := os.read(master, 65536):
            text += block
    except OSError:
        pass
    return text.decode().replace("\r\n", "\n")


def spans(line: str) -> str:
    """A line with its colour codes as SVG."""
    parts, style = [], ""
    for piece in re.split(r"(\033\[[0-9;]*m)", line):
        code = re.fullmatch(r"\033\[([0-9;]*)m", piece)
        if code:
            codes = code[1].split(";")
            colour = next((COLOURS[one] for one in codes if one in COLOURS), "")
            style = (
                f' fill="{colour}"' if colour else ("" if "0" in codes or "" in codes else style)
            )
        elif piece:
            parts.append(f"<tspan{style}>{html.escape(piece)}</tspan>")
    return "".join(parts)


def wrapped(line: str) -> list[str]:
    """A long line as the terminal breaks it."""
    rows, shown, row = [], 0, ""
    for piece in re.split(r"(\033\[[0-9;]*m)", line):
        if piece.startswith("\033"):
            row += piece
            continue
        for char in piece:
            if shown == WIDTH:
                rows.append(row)
                row, shown = "", 0
            row += char
            shown += 1
    return [*rows, row]


def main() -> None:
    """Print the picture."""
    prompt = f'\033[2m$\033[0m memdown search "{COMMAND[2]}" -n 1'
    rows = [row for line in [prompt, "", *run().rstrip().split("\n")] for row in wrapped(line)]
    height = MARGIN * 2 + LINE * len(rows)
    width = int(MARGIN * 2 + CHAR * WIDTH)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">')
    print("<title>A search in a terminal: the right note comes first</title>")
    print(f'<rect width="{width}" height="{height}" rx="10" fill="#282c34"/>')
    print(
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#dcdfe4">'
    )
    for number, row in enumerate(rows):
        y = MARGIN + LINE * (number + 0.8)
        print(f'<text x="{MARGIN}" y="{y:.0f}" xml:space="preserve">{spans(row)}</text>')
    print("</g></svg>")


if __name__ == "__main__":
    main()
