"""Find the configuration file, read it, and resolve every setting for one agent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from memdown.config import places
from memdown.config.search_settings import MemorySearch, StoreSettings
from memdown.config.settings import Sections, Settings
from memdown.private import check_place


def load_settings(
    *,
    config: Path | None = None,
    workspace: Path | None = None,
    agent: str = "main",
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Settings:
    """The settings of one agent.

    `config` names the file; otherwise it is `MEMDOWN_CONFIG`, or `memdown.json5` or `memdown.json`
    in the state folder, or none. `environ` and `cwd` stand in for those of the process.
    """
    environ = os.environ if environ is None else environ
    agent = places.check_agent(agent)
    state_dir = places.find_state_dir(environ, cwd)
    check_place(state_dir)
    path = places.find_config(config, state_dir, environ, cwd)
    sections = Sections()
    if path is not None:
        check_place(path)
        # Imported only now: without a file, nothing heavy is loaded.
        from memdown.config.sections import read_sections

        sections = read_sections(path, agent, environ, lambda text: places.expand(text, environ))
    search: dict[str, Any] = {
        field.name: getattr(sections.search, field.name) for field in fields(MemorySearch)
    }
    search["store"] = _resolve_store(sections.search.store, agent, state_dir)
    return Settings(
        **search,
        agent=agent,
        workspace=_find_workspace(workspace, sections.workspace, path, state_dir, environ, cwd),
        state_dir=state_dir,
        config_path=path,
        compaction=sections.compaction,
        backend=sections.memory.backend,
        citations=sections.memory.citations,
        qmd=sections.memory.qmd,
        providers=sections.providers,
        memory_slot=sections.slots.memory,
        notes=sections.notes,
    )


def _resolve_store(store: StoreSettings, agent: str, state_dir: Path) -> StoreSettings:
    return replace(store, path=state_dir / str(store.path).replace("{agentId}", agent))


def _find_workspace(
    named: Path | None,
    configured: str | None,
    config: Path | None,
    state_dir: Path,
    environ: Mapping[str, str],
    cwd: Path | None,
) -> Path:
    if named is not None:
        return places.absolute(named, cwd, environ)
    if places.holds_notes(cwd):
        return cwd or Path.cwd()
    if configured is not None and config is not None:
        return places.absolute(configured, config.parent, environ)
    return state_dir / "workspace"
