"""Service definitions that keep `memdown watch` running."""

from __future__ import annotations

import plistlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdown.config import Settings

_SYSTEMD = """\
# memdown watch --print-unit > ~/.config/systemd/user/memdown.service
# systemctl --user daemon-reload && systemctl --user enable --now memdown
[Unit]
Description=Memdown keeps the index of {workspace} fresh

[Service]
ExecStart={command}
Environment={state}
Restart=on-failure
RestartSec=10
Nice=10

[Install]
WantedBy=default.target
"""


def service_definition(kind: str, settings: Settings) -> str:
    """A systemd user unit or a launchd property list; `auto` means what this system uses."""
    if kind == "auto":
        kind = "launchd" if sys.platform == "darwin" else "systemd"
    command = _command(settings)
    if kind == "systemd":
        return _SYSTEMD.format(
            workspace=_escaped(str(settings.workspace)),
            command=" ".join(_quoted(part) for part in command),
            state=_quoted(f"MEMDOWN_STATE_DIR={settings.state_dir}"),
        )
    properties = {
        "Label": "memdown.watch",
        "ProgramArguments": command,
        "EnvironmentVariables": {"MEMDOWN_STATE_DIR": str(settings.state_dir)},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
    }
    return plistlib.dumps(properties).decode()


def _command(settings: Settings) -> list[str]:
    command = [sys.executable, "-m", "memdown.cli", "watch", "--quiet"]
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
