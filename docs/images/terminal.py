"""Draws the pictures in the README: runs real commands in a terminal and writes them as SVG.

python docs/images/terminal.py search > docs/images/search.svg
python docs/images/terminal.py sessions > docs/images/sessions.svg

In the second one the model follows a script, since a picture needs no key; everything else is real: the
commands, the tools it calls, the note that changes, and what the next session is told of it.
"""

from __future__ import annotations

import html
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace"
WIDTH, LINE, CHAR, MARGIN = 100, 19, 8.4, 24
COLOURS = {"36": "#56b6c2", "33": "#e5c07b", "2": "#7f848e"}
NOTE = "# Memory\n\n## Nora\n\n- Lives in Lisbon, Graça. (since 2026-03-01)\n- Tea, not coffee.\n"
FIRST = "I moved to Porto last week, Rua das Flores 12. Please remember that."
SECOND = "Which address do I give for the parcel?"


def run(command: list[str], folder: Path, environ: dict[str, str]) -> str:
    """What a command prints on a terminal, colours included."""
    master, slave = pty.openpty()
    full = [str(Path(sys.executable).parent / command[0]), *command[1:]]
    if command[0] == "cat":
        full = command
    environment = {**os.environ, "TERM": "xterm-256color", **environ}
    environment.pop("NO_COLOR", None)
    subprocess.run(full, stdout=slave, stderr=slave, cwd=folder, env=environment, check=True)
    os.close(slave)
    text = b""
    try:
        while block := os.read(master, 65536):
            text += block
    except OSError:
        pass
    return text.decode().replace("\r\n", "\n")


def search() -> Iterator[str]:
    """A search in the example workspace."""
    command = ["memdown", "search", "which router do we use at home?", "-n", "1"]
    with tempfile.TemporaryDirectory() as state:
        yield f"\033[2m$\033[0m {shown(command)}"
        yield ""
        yield from run(command, EXAMPLE, {"MEMDOWN_STATE_DIR": state}).rstrip().split("\n")


def sessions() -> Iterator[str]:
    """Two conversations: in the first one a fact changes, the second one knows it."""
    with tempfile.TemporaryDirectory() as base, scripted_model() as address:
        folder = Path(base) / "notes"
        folder.mkdir()
        (folder / "MEMORY.md").write_text(NOTE)
        environ = {
            "MEMDOWN_STATE_DIR": f"{base}/state",
            "MEMDOWN_CHAT_MODEL": "scripted",
            "OPENAI_API_KEY": "none",
        }
        run(["memdown", "init"], folder, environ)
        yield from _talk(FIRST, address, folder, environ)
        yield ""
        yield "\033[2m$\033[0m cat MEMORY.md"
        yield from run(["cat", "MEMORY.md"], folder, environ).rstrip().split("\n")
        yield ""
        yield "\033[2m# another day, another session\033[0m"
        yield from _talk(SECOND, address, folder, environ)


def _talk(text: str, address: str, folder: Path, environ: dict[str, str]) -> Iterator[str]:
    yield f"\033[2m$\033[0m {shown(['memdown', 'chat', text])}"
    command = ["memdown", "chat", "--base-url", address, text]
    yield from run(command, folder, environ).rstrip().split("\n")


def shown(command: list[str]) -> str:
    """A command as a person types it."""
    return " ".join(f'"{word}"' if " " in word else shlex.quote(word) for word in command)


@contextmanager
def scripted_model() -> Iterator[str]:
    """An endpoint that searches, corrects the fact it finds, and answers from what it was told."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            delta = answer(body["messages"])
            reason = "tool_calls" if "tool_calls" in delta else "stop"
            events = [
                {"delta": delta, "finish_reason": None},
                {"delta": {}, "finish_reason": reason},
            ]
            lines = [f"data: {json.dumps({'choices': [one]})}\n\n" for one in events]
            data = "".join([*lines, "data: [DONE]\n\n"]).encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What the model does next."""
    asked = next(one["content"] for one in reversed(messages) if one["role"] == "user")
    results = [one["content"] for one in messages if one["role"] == "tool"]
    if asked == FIRST and not results:
        return _call("memory_search", {"query": "where does Nora live"})
    if asked == FIRST and len(results) == 1:
        place = re.search(r"MEMORY\.md#L\d+", results[0])
        fact = {"text": "Lives in Porto, Rua das Flores 12.", "durable": True}
        return _call("memory_remember", {**fact, "replaces": place[0] if place else "Lisbon"})
    if asked == FIRST:
        return {"content": "Noted: Porto replaces Lisbon."}
    known = re.search(r"Lives in ([^.(]+)\.", messages[0]["content"])
    return {"content": f"{known[1]}." if known else "I do not know."}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": "call", "type": "function", "function": function}]}


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
    rows, count, row = [], 0, ""
    for piece in re.split(r"(\033\[[0-9;]*m)", line):
        if piece.startswith("\033"):
            row += piece
            continue
        for char in piece:
            if count == WIDTH:
                rows.append(row)
                row, count = "", 0
            row += char
            count += 1
    return [*rows, row]


SCENES = {
    "search": (search, "A search in a terminal: the right note comes first"),
    "sessions": (
        sessions,
        "An agent that remembers in its second session what the first one told it",
    ),
}


def main() -> None:
    """Print the picture."""
    scene, title = SCENES[sys.argv[1] if len(sys.argv) > 1 else "search"]
    rows = [row for line in scene() for row in wrapped(line)]
    height = MARGIN * 2 + LINE * len(rows)
    width = int(MARGIN * 2 + CHAR * WIDTH)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">')
    print(f"<title>{title}</title>")
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
