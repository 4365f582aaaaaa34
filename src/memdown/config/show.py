"""Settings → the nested form of the file, for `memdown config show`; secrets are masked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from memdown.config.search_settings import MemorySearch
from memdown.config.settings import Settings
from memdown.config.values import Duration, Secret, camel

MASK = "set"


def as_json(settings: Settings) -> dict[str, object]:
    """The settings as a configuration file would have them, and under `memdown` how they came."""
    return {
        "agents": {
            "defaults": {
                "workspace": str(settings.workspace),
                "memorySearch": {
                    camel(field.name): plain(getattr(settings, field.name))
                    for field in fields(MemorySearch)
                },
                "compaction": plain(settings.compaction),
                "sandbox": {"workspaceAccess": settings.access},
            }
        },
        "memory": {
            "backend": settings.backend,
            "citations": settings.citations,
            "qmd": plain(settings.qmd),
        },
        "models": {"providers": plain(settings.providers)},
        "plugins": {"slots": {"memory": settings.memory_slot}},
        "memdown": {
            "agent": settings.agent,
            "stateDir": str(settings.state_dir),
            "config": str(settings.config_path) if settings.config_path else None,
            "profileKeys": plain(settings.profile_keys),
            "notes": list(settings.notes),
        },
    }


def masked_address(address: str) -> str:
    """An address without what may be a key: the values of its query, and who logs in."""
    before, sign, query = address.partition("?")
    query, mark, fragment = query.partition("#")
    pairs = [pair.partition("=") for pair in re.split("[&;]", query)] if sign else []
    shown = "&".join(f"{name}={MASK}" if equals else MASK for name, equals, _ in pairs)
    before = re.sub(r"(?<=://)[^/@]*@", f"{MASK}@", before)
    return before + sign + shown + (f"#{MASK}" if mark and fragment else "")


def plain(value: object) -> object:
    """The value in JSON's terms, with camelCase keys; a secret becomes a mark that it is set."""
    if isinstance(value, Secret):
        return MASK
    if isinstance(value, Duration):
        return value.text
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str) and "://" in value:
        return masked_address(value)
    if is_dataclass(value):
        return {camel(field.name): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
