"""Where things are: the home and state folders, the configuration file, the workspace, and OpenClaw's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memdown.config.document import substitute
from memdown.config.values import Secret
from memdown.config.workspaces import MARKER
from memdown.errors import ConfigError, MissingVariable
from memdown.files import check_place
from memdown.values import dataclass, pattern

CONFIG_NAMES = ("memdown.json5", "memdown.json")
_CURATED = ("MEMORY.md", "memory.md")
_CONTROL = (".git", ".hg", ".svn", ".jj")

_AGENT = pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


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


@dataclass(frozen=True, slots=True)
class Around:
    """The nearest workspaces in the current folder and above it, each None if there is none.

    `own` is one that the user listed, `marked` one nearer than it that only looks like one.
    """

    own: Path | None = None
    marked: Path | None = None


def find_around(
    start: Path | None, is_own: Callable[[Path], bool], environ: Mapping[str, str]
) -> Around:
    """Look for a workspace as git does for a repository: here, then upwards as far as home.

    A folder above that belongs to somebody else is not taken for its files, nor is anything
    beyond it: who owns it decides what is put there.
    """
    try:
        start = Path(os.path.abspath(start or Path.cwd()))  # noqa: PTH100
    except OSError:
        return Around()
    marked = None
    trusted = True
    for folder in _upwards(start, environ):
        if is_own(folder):
            return Around(folder, marked)
        trusted = trusted and (folder == start or _is_mine(folder))
        if trusted and marked is None and _is_marked(folder, any_owner=folder == start):
            marked = folder
    return Around(None, marked)


def is_checkout(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether a folder lies in the working copy of a version control system."""
    return any(_exists(above / name) for above in _upwards(folder, environ) for name in _CONTROL)


def _upwards(start: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    yield start
    home = _home(environ)
    for folder in () if start == home else start.parents:
        yield folder
        if folder == home:
            return


def _is_marked(folder: Path, *, any_owner: bool) -> bool:
    for name in (MARKER, *_CURATED):
        try:
            facts = (folder / name).lstat()
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(facts.st_mode) and (any_owner or facts.st_uid == os.geteuid()):
            return True
    return False


def _is_mine(folder: Path) -> bool:
    try:
        return folder.stat().st_uid == os.geteuid()
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


PROFILES = "auth-profiles.json"
_FILE, _FOLDER = "openclaw.json", ".openclaw"
_MAX_BYTES = 1_000_000


def is_openclaw(config: Path | None) -> bool:
    """Whether a configuration file is OpenClaw's own."""
    return config is not None and (config.name == _FILE or config.parent.name == _FOLDER)


def default_workspace(config: Path, agent: str) -> Path:
    """Where OpenClaw keeps an agent's notes if its file does not say it."""
    own = config.parent / f"workspace-{agent}"
    return own if agent != "main" and own.is_dir() else config.parent / "workspace"


def read_profiles(folder: Path, agent: str, environ: Mapping[str, str]) -> dict[str, Secret]:
    """The API keys in the agent's auth profiles, by provider, else in those of `main`.

    Of several for one provider the one named first in `order` counts, else `<provider>:default`.
    Sign-ins that are no API key, such as those of a subscription, are of no use for embeddings.
    """
    for name in dict.fromkeys((agent, "main")):
        file = folder / "agents" / name / "agent" / PROFILES
        data = _read(file)
        if data is not None:
            return _keys(data, file, environ)
    return {}


def _read(file: Path) -> Mapping[str, object] | None:
    try:
        with file.open("rb") as opened:
            text = opened.read(_MAX_BYTES)
    except OSError:
        return None
    check_place(file)
    # Imported only now: hardly anyone has such a file.
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ConfigError(f"{file}: the auth profiles are no JSON object; correct or remove it.")
    return data


def _keys(data: Mapping[str, object], file: Path, environ: Mapping[str, str]) -> dict[str, Secret]:
    profiles, order = data.get("profiles"), data.get("order")
    if not isinstance(profiles, dict):
        return {}
    ranked = order if isinstance(order, dict) else {}
    found: dict[str, Secret] = {}
    for name in sorted(profiles, key=lambda name: _rank(str(name), ranked)):
        profile = profiles[name]
        if not isinstance(profile, dict) or profile.get("type") != "api_key":
            continue
        provider = str(profile.get("provider") or str(name).partition(":")[0])
        where = f"{file}: profiles.{name}"
        try:
            key = substitute(profile.get("keyRef") or profile.get("key"), environ, where)
        except MissingVariable:
            # It is of use only where its variable is set.
            continue
        if isinstance(key, str) and key.strip():
            found.setdefault(provider, Secret(key.strip()))
    return found


def _rank(name: str, order: Mapping[str, object]) -> tuple[int, bool, str]:
    provider, _, own = name.partition(":")
    wanted = order.get(provider)
    place = wanted.index(name) if isinstance(wanted, list) and name in wanted else 1000
    return place, own != "default", name
