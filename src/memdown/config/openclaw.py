"""What lies beside OpenClaw's configuration file: its default workspace, and keys that it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memdown.config.document import substitute
from memdown.config.values import Secret
from memdown.errors import ConfigError, MissingVariable
from memdown.files import check_place

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
