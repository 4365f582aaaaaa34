"""One key of the configuration changed: checked first, then written as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from memdown.agent.client_files import (
    apply_change,
    parse_json,
    plan_change,
    remove_member,
    set_member,
)
from memdown.cli.options import Target
from memdown.config import places
from memdown.config.keys import EXTRA_PATHS, WORKSPACE, full_name
from memdown.config.load import read_sections
from memdown.config.search_settings import MemorySearch
from memdown.config.workspaces import (
    KEYS,
    MARKER,
    check_marker,
    is_inside,
    list_file,
    read_own,
    set_extra,
)
from memdown.errors import ConfigError


def parsed(text: str) -> Any:
    """The value as JSON5; what is none is a text, so that paths and names need no quotes."""
    import pyjson5

    try:
        return pyjson5.decode(text)
    except (pyjson5.Json5Exception, RecursionError):
        # Something that starts like a list or an object was meant to be one.
        if text.lstrip().startswith(("[", "{", '"', "'")):
            raise ConfigError(f"{text[:80]} is not valid JSON5; correct the value.") from None
        return text


def set_key(target: Target, key: str, value: Any) -> list[Path]:
    """Set a key of the configuration file; the files that changed."""
    name = full_name(key)
    if name == WORKSPACE:
        value = _folder(value)
    return _edited(target, lambda text: set_member(text, name.split("."), value, json5=True))


def unset_key(target: Target, key: str) -> list[Path]:
    """Take a key out of the configuration file; the files that changed."""
    name = full_name(key)
    return _edited(target, lambda text: remove_member(text, name.split(".")))


def set_here(target: Target, key: str, value: Any) -> list[Path]:
    """Set a key of this workspace alone; the files that changed.

    Paths outside of it go to the user's own list: the file in the folder may not name them.
    """
    from memdown.opening import check_own, open_notes

    name = key if key in KEYS else full_name(key).removeprefix(EXTRA_PATHS.rpartition(".")[0] + ".")
    if name not in KEYS:
        raise ConfigError(
            f"{key} cannot be set for one workspace; only {' and '.join(KEYS)} can. Leave --here "
            "out to set it for all."
        )
    settings = target.settings()
    check_own(settings)
    folder = open_notes(settings).folder
    if name == "adopt":
        return _marked(folder, "adopt", value)
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise ConfigError("""extraPaths must be a list of paths, such as '["docs"]'.""")
    inside = [path for path in value if is_inside(path)]
    outside = [path for path in value if not is_inside(path)]
    changed = []
    if inside or (folder / MARKER).exists():
        changed += _marked(folder, "extraPaths", inside)
    if list(read_own(settings.state_dir).paths_of(folder)) != outside:
        set_extra(settings.state_dir, folder, outside)
        changed.append(list_file(settings.state_dir))
    return changed


def _marked(folder: Path, key: str, value: Any) -> list[Path]:
    file = folder / MARKER

    def edit(text: str) -> str:
        if value == [] and key not in parse_json(text):
            return text
        return set_member(text, [key], value, json5=True)

    change = plan_change(file, edit)
    check_marker(parse_json(change.after or ""), file)
    apply_change(change, keep=False)
    return [file] if change.needed else []


def _folder(value: Any) -> str:
    """A workspace as it is written: where it is, wherever the file is."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigError("workspace must be the path of a folder; correct the value.")
    folder = Path(os.path.normpath(places.absolute(value.strip(), None, os.environ)))
    if not folder.is_dir():
        raise ConfigError(
            f"workspace: there is no folder {folder}; make it with `memdown init {folder}` first."
        )
    return str(folder)


def _edited(target: Target, edit: Callable[[str], str]) -> list[Path]:
    if target.agent != "main":
        raise click.UsageError("Keys of one agent stand in agents.list; edit the file by hand.")
    state_dir = places.find_state_dir(os.environ, None)
    file = places.find_config(target.config, state_dir, os.environ, None)
    change = plan_change(file or state_dir / places.CONFIG_NAMES[0], edit)
    tree = parse_json(change.after or "")
    if not isinstance(tree, dict):
        raise ConfigError(f"{change.file}: the file must hold an object; correct it first.")
    sections = read_sections(
        change.file, target.agent, os.environ, lambda text: places.expand(text, os.environ), tree
    )
    _check_providers(sections.search)
    apply_change(change, keep=False)
    return [change.file] if change.needed else []


def _check_providers(search: MemorySearch) -> None:
    from memdown.embedders import SEAM

    for key, name in (("provider", search.provider), ("fallback", search.fallback)):
        SEAM.check(name, f"memorySearch.{key}")
