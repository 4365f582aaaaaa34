"""Where things are: the home and state folders, the configuration file, the workspace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from memdown.errors import ConfigError

CONFIG_NAMES = ("memdown.json5", "memdown.json")

_AGENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


def check_agent(agent: str) -> str:
    """The agent's id in lower case: it becomes a file name, and some disks do not tell case."""
    if not _AGENT.fullmatch(agent):
        raise ConfigError(
            f"The agent id {agent[:80]!r} cannot be used; take up to 64 letters, digits, "
            '"-", "_" and ".", starting with a letter, a digit or "_".'
        )
    return agent.lower()


def expand(text: str, environ: Mapping[str, str]) -> str:
    """The path with a leading `~` replaced by the home folder."""
    if not text.startswith("~"):
        return text
    if text == "~" or text.startswith("~/"):
        return str(_home(environ) / text[2:])
    try:
        return str(Path(text).expanduser())
    except RuntimeError:
        # No such user: a file may well be called so.
        return text


def absolute(text: str | Path, base: Path | None, environ: Mapping[str, str]) -> Path:
    """The path with `~` expanded, relative ones taken from `base` or the current folder."""
    path = Path(expand(str(text), environ))
    if path.is_absolute():
        return path
    if base is None:
        try:
            base = Path.cwd()
        except OSError:
            raise ConfigError(
                f"{path}: the current folder no longer exists; give an absolute path."
            ) from None
    return base / path


def find_state_dir(environ: Mapping[str, str], cwd: Path | None) -> Path:
    """`MEMDOWN_STATE_DIR`, or `~/.memdown`."""
    named = environ.get("MEMDOWN_STATE_DIR", "").strip()
    return absolute(named or "~/.memdown", cwd, environ)


def find_config(
    named: Path | None, state_dir: Path, environ: Mapping[str, str], cwd: Path | None
) -> Path | None:
    """The file named by the caller or `MEMDOWN_CONFIG`, else the one in the state folder, if any."""
    if named is None and environ.get("MEMDOWN_CONFIG", "").strip():
        named = Path(environ["MEMDOWN_CONFIG"].strip())
    if named is not None:
        return absolute(named, cwd, environ)
    return next((path for name in CONFIG_NAMES if _exists(path := state_dir / name)), None)


def holds_notes(folder: Path | None) -> bool:
    """Whether the folder (None: the current one) is itself a workspace."""
    try:
        folder = folder or Path.cwd()
        files = (folder / "MEMORY.md", folder / "memory.md")
        return any(file.is_file() for file in files) or (folder / "memory").is_dir()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # It cannot be told: reading it gives the reason.
        return True
    return True


def _home(environ: Mapping[str, str]) -> Path:
    if named := environ.get("HOME", "").strip():
        return Path(named)
    try:
        return Path.home()
    except RuntimeError:
        raise ConfigError(
            "The home folder is not known; set HOME, or MEMDOWN_STATE_DIR to a folder."
        ) from None
