"""Find the configuration file, read it, and resolve every setting for one agent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from memdown.config import openclaw, places
from memdown.config.qmd_settings import QmdSettings
from memdown.config.search_settings import MemorySearch, StoreSettings
from memdown.config.settings import Sections, Settings
from memdown.config.values import chat_in
from memdown.config.workspaces import OwnWorkspaces, read_marker, read_own, real
from memdown.files import check_place


def load_settings(
    *,
    config: Path | None = None,
    workspace: Path | None = None,
    agent: str = "main",
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    here: bool = False,
) -> Settings:
    """The settings of one agent.

    `config` names the file; otherwise it is `MEMDOWN_CONFIG`, or `memdown.json5` or `memdown.json`
    in the state folder, or none. `environ` and `cwd` stand in for those of the process. With
    `here`, as for a command that someone types, the current folder may be a workspace for its
    files alone; otherwise only a folder that the user named or initialised is one, since a cloned
    repository brings files along, too.
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
    usual = state_dir / "workspace"
    if sections.workspace is not None and path is not None:
        usual = places.absolute(sections.workspace, path.parent, environ)
    elif path is not None and openclaw.is_openclaw(path):
        usual = openclaw.default_workspace(path, agent)
    own = read_own(state_dir)
    if workspace is not None:
        found = _Found(places.absolute(workspace, cwd, environ))
    else:
        found = _find_workspace(usual, own, environ, cwd, here)
    marker = read_marker(found.folder)
    search["extra_paths"] += marker.extra_paths + own.paths_of(found.folder)
    chat = chat_in(environ)
    return Settings(
        **search,
        agent=agent,
        workspace=found.folder,
        state_dir=state_dir,
        config_path=path,
        compaction=sections.compaction,
        backend=sections.memory.backend,
        citations=sections.memory.citations,
        qmd=_resolve_qmd(sections.memory.qmd, state_dir),
        providers=sections.providers,
        profile_keys=openclaw.read_profiles(
            path.parent if path is not None and openclaw.is_openclaw(path) else state_dir,
            agent,
            environ,
        ),
        memory_slot=sections.slots.memory,
        plugin_configs=sections.plugin_configs,
        access=sections.sandbox.access_of(chat),
        chat=chat,
        adopted=marker.adopt,
        foreign=found.foreign,
        passed_over=found.passed_over,
        notes=sections.notes + marker.notes,
    )


def _resolve_store(store: StoreSettings, agent: str, state_dir: Path) -> StoreSettings:
    return replace(store, path=state_dir / str(store.path).replace("{agentId}", agent))


def _resolve_qmd(qmd: QmdSettings, state_dir: Path) -> QmdSettings:
    if qmd.sessions.export_dir is None:
        return qmd
    place = str(state_dir / qmd.sessions.export_dir)
    return replace(qmd, sessions=replace(qmd.sessions, export_dir=place))


@dataclass(frozen=True, slots=True)
class _Found:
    """The workspace, and how sure it is that the user means it."""

    folder: Path
    foreign: bool = False
    passed_over: Path | None = None


def _find_workspace(
    usual: Path, own: OwnWorkspaces, environ: Mapping[str, str], cwd: Path | None, here: bool
) -> _Found:
    """The workspace around the current folder, else the usual one."""

    def is_own(folder: Path) -> bool:
        return own.lists(folder) or real(folder) == real(usual)

    around = places.find_around(cwd, is_own, environ)
    if around.marked is not None and here:
        return _Found(around.marked, foreign=places.is_checkout(around.marked, environ))
    return _Found(around.own or usual, passed_over=around.marked)
