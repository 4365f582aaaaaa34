"""The user's editor, opened at a line."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from memdown.errors import WorkspaceError

# How an editor is told the line, by the name of its program; the others get the file alone.
_PLUS = "vi vim nvim view gvim mvim nano pico micro emacs emacsclient ne joe jed mg kak ed".split()
_COLON = "subl sublime_text zed hx helix".split()
_GOTO = "code code-insiders codium vscodium cursor windsurf".split()


def open_editor(file: Path, line: int) -> None:
    """Open the file in $VISUAL or $EDITOR at the line, and wait until the editor ends."""
    chosen = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not chosen:
        raise WorkspaceError(
            f"No editor is set, so {file} was not opened; set EDITOR, for example: "
            "export EDITOR=nano."
        )
    try:
        command = shlex.split(chosen)
        done = subprocess.run([*command, *_arguments(command[0], file, line)], check=False)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise WorkspaceError(
            f"The editor {chosen!r} cannot be started ({reason}); set EDITOR to another one."
        ) from None
    if done.returncode:
        raise WorkspaceError(f"The editor {chosen!r} ended with code {done.returncode}.")


def _arguments(program: str, file: Path, line: int) -> list[str]:
    name = Path(program).name.lower()
    if name in _PLUS:
        return [f"+{line}", str(file)]
    if name in _COLON:
        return [f"{file}:{line}"]
    if name in _GOTO:
        return ["--wait", "--goto", f"{file}:{line}"]
    return [str(file)]
