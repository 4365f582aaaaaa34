"""Services that keep `memdown watch` or `memdown serve` running: their definitions, and installing one."""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memdown.errors import WorkspaceError

if TYPE_CHECKING:
    from memdown.config import Settings

_HOW = """\
# memdown watch --print-unit > ~/.config/systemd/user/memdown.service
# systemctl --user daemon-reload && systemctl --user enable --now memdown
"""
_SYSTEMD = """\
[Unit]
Description=Memdown {purpose}

[Service]
ExecStart={command}
Environment={state}
Restart=on-failure
RestartSec=10
Nice=10

[Install]
WantedBy=default.target
"""


def service_definition(kind: str, settings: Settings, serve: Sequence[str] = ()) -> str:
    """A systemd user unit or a launchd property list; `auto` means what this system uses.

    It watches, or with the options `serve` of `memdown serve` it keeps the page open.
    """
    if kind == "auto":
        kind = "launchd" if sys.platform == "darwin" else "systemd"
    command = _command(settings, serve)
    if kind == "systemd":
        folder = _escaped(str(settings.workspace))
        purpose = f"shows {folder} as a page" if serve else f"keeps the index of {folder} fresh"
        return ("" if serve else _HOW) + _SYSTEMD.format(
            purpose=purpose,
            command=" ".join(_quoted(part) for part in command),
            state=_quoted(f"MEMDOWN_STATE_DIR={settings.state_dir}"),
        )
    properties = {
        "Label": "memdown.serve" if serve else "memdown.watch",
        "ProgramArguments": command,
        "EnvironmentVariables": {"MEMDOWN_STATE_DIR": str(settings.state_dir)},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    return plistlib.dumps(properties).decode()


def install_page(settings: Settings, serve: Sequence[str]) -> Path:
    """Keep the page open from now on, as a service of the user; the file that defines it."""
    file = page_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(service_definition("auto", settings, serve))
    if sys.platform == "darwin":
        _run(["launchctl", "load", "-w", str(file)], file)
    else:
        _run(["systemctl", "--user", "daemon-reload"], file)
        _run(["systemctl", "--user", "enable", "--now", file.name], file)
    return file


def uninstall_page() -> Path:
    """End the service, and remove its definition."""
    file = page_file()
    if not file.exists():
        raise WorkspaceError(f"There is no service of the page ({file}); nothing was done.")
    if sys.platform == "darwin":
        _run(["launchctl", "unload", "-w", str(file)], file)
    else:
        _run(["systemctl", "--user", "disable", "--now", file.name], file)
    file.unlink()
    return file


def page_file() -> Path:
    """Where the service of the page is defined."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library/LaunchAgents/memdown.serve.plist"
    config = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    return Path(config) / "systemd/user/memdown-page.service"


def _run(command: Sequence[str], file: Path) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        problem = (
            (done.stderr.strip() or f"it ended with {done.returncode}") if done.returncode else ""
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        said = " ".join(command)
        raise WorkspaceError(
            f"`{said}` failed ({problem}); the service is defined in {file}, so run that command "
            "where a user session is, or keep `memdown serve` running yourself."
        )


def _command(settings: Settings, serve: Sequence[str]) -> list[str]:
    what = ["serve", "--no-open", *serve] if serve else ["watch", "--quiet"]
    command = [sys.executable, "-m", "memdown.cli", *what]
    command += ["--workspace", str(settings.workspace), "--agent", settings.agent]
    if settings.config_path:
        command += ["--config", str(settings.config_path)]
    return command


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(part: str) -> str:
    """A word as systemd reads it."""
    text = _escaped(part).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{text}"' if any(c in text for c in " '\"\\;$") else text
