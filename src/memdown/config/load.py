"""Find the configuration file, read it, check its sections, and resolve every setting for one agent."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from memdown.config import places
from memdown.config.document import Layer, SectionLayers, read_document, substitute
from memdown.config.keys import closest
from memdown.config.limits import Expand, fit, modernise, settle, validate
from memdown.config.search_settings import MemorySearch, StoreSettings
from memdown.config.settings import (
    CompactionSettings,
    MemorySection,
    PluginSlots,
    ProviderSettings,
    QmdSettings,
    SandboxSettings,
    Sections,
    Settings,
)
from memdown.config.values import Secret, Shared, chat_in
from memdown.config.workspaces import OwnWorkspaces, read_marker, read_own, real
from memdown.errors import ConfigError, MissingVariable
from memdown.files import check_place
from memdown.validation import camel
from memdown.values import dataclass

T = TypeVar("T")

# Keys of OpenClaw inside our own sections that Memdown has no use for.
IGNORED: Mapping[type, tuple[str, ...]] = {
    MemorySearch: (
        "dimensions",
        "documentInputType",
        "inputType",
        "local.contextSize",
        "multimodal",
        "outputDimensionality",
        "qmd",
        "queryInputType",
        "rememberAcrossConversations",
        "remote.nonBatchConcurrency",
        "store.cache",
        "store.fts",
        "sync.embeddingBatchTimeoutSeconds",
        "sync.sessions.postCompactionForce",
    ),
    CompactionSettings: ("memoryFlush.forceFlushTranscriptBytes", "memoryFlush.model"),
    MemorySection: (
        "qmd.mcporter",
        "qmd.rerank",
        "qmd.searchTool",
        "qmd.update.startup",
        "qmd.update.startupDelayMs",
    ),
}

# Who may have a key under `models.providers`; `google` is where OpenClaw keeps Gemini's.
_PROVIDERS = ("gemini", "google", "ollama", "openai", "voyage")


@dataclasses.dataclass(frozen=True, slots=True)
class _File:
    """The parsed file and what is needed to read it; `notes` collects remarks on the way."""

    path: Path
    environ: Mapping[str, str]
    expand: Expand
    notes: list[str] = dataclasses.field(default_factory=list)

    def child(self, layer: Layer, name: str, known: tuple[str, ...] = ()) -> Layer:
        """An object inside another; missing or null is empty. Near misses of `known` are noted."""
        prefix = f"{layer.prefix}.{name}".removeprefix(".")
        value = layer.tree.get(name)
        if value is None:
            return Layer(prefix, {})
        if not isinstance(value, dict):
            raise ConfigError(
                f"{self.path}: {prefix} must be an object; correct it or remove the key."
            )
        child = Layer(prefix, value)
        self.note_near_misses(child, known)
        return child

    def note_near_misses(self, layer: Layer, known: tuple[str, ...]) -> None:
        """Remarks on foreign keys that look like a mistyped one of ours, or hide some of ours."""
        for key in layer.tree:
            name = f"{layer.prefix}.{key}".removeprefix(".")
            if key == "$include":
                remark = "is not followed; copy what Memdown needs into this file."
                self.notes.append(f"{name} {remark}")
            elif key not in known and (meant := closest(key, known, cutoff=0.85)):
                self.notes.append(f"{name} is not read; did you mean {meant}?")

    def read(self, section: type[T], *layers: Layer) -> tuple[T, SectionLayers]:
        """A section from its layers, with variables replaced, checked and within its limits."""
        layers = tuple(self._ours(section, layer) for layer in layers)
        origin = SectionLayers(self.path, layers, self.notes)
        replaced = tuple(Layer(layer.prefix, self.replaced(layer)) for layer in layers)
        value = validate(section, SectionLayers(self.path, replaced).merged(), origin)
        return fit(value, origin, self.expand), origin

    def replaced(self, layer: Layer) -> dict[str, object]:
        """The keys of a layer, with variables replaced."""
        where = f"{self.path}: {layer.prefix}"
        return {
            key: substitute(value, self.environ, f"{where}.{key}")
            for key, value in layer.tree.items()
        }

    def _ours(self, section: type, layer: Layer) -> Layer:
        tree = dict(layer.tree)
        if issubclass(section, Shared):
            known = tuple(camel(name) for name in section.__annotations__)
            self.note_near_misses(layer, known)
            tree = {key: value for key, value in tree.items() if key in known}
        for ignored in IGNORED.get(section, ()):
            if _remove(tree, ignored.split(".")):
                self.notes.append(f"{layer.prefix}.{ignored} is a key that Memdown does not use.")
        return Layer(layer.prefix, tree)


def read_sections(
    path: Path,
    agent: str,
    environ: Mapping[str, str],
    expand: Expand,
    tree: dict[str, object] | None = None,
) -> Sections:
    """What the file says for this agent; `agents.list` wins over `agents.defaults`.

    A `tree` is what the file would hold.
    """
    file = _File(path, environ, expand)
    root = Layer("", read_document(path) if tree is None else tree)
    file.note_near_misses(root, ("agents", "memory", "models", "plugins"))
    agents = file.child(root, "agents", ("defaults", "list"))
    defaults = file.child(
        agents, "defaults", ("compaction", "memorySearch", "sandbox", "workspace")
    )
    own = _agent_entry(file, agents, agent)
    search, origin = file.read(
        MemorySearch, file.child(defaults, "memorySearch"), file.child(own, "memorySearch")
    )
    search = settle(search, origin)
    compaction, _ = file.read(CompactionSettings, file.child(defaults, "compaction"))
    memory, _ = file.read(MemorySection, file.child(root, "memory"))
    sandbox, _ = file.read(
        SandboxSettings, file.child(defaults, "sandbox"), file.child(own, "sandbox")
    )
    slots, _ = file.read(PluginSlots, file.child(file.child(root, "plugins"), "slots"))
    return Sections(
        search=search,
        compaction=compaction,
        memory=dataclasses.replace(memory, qmd=modernise(memory.qmd)),
        providers=dict(_providers(file, root, search)),
        slots=slots,
        sandbox=sandbox,
        plugin_configs=dict(_plugin_configs(file, root, search)),
        workspace=_workspace(file, own) or _workspace(file, defaults),
        notes=tuple(dict.fromkeys(file.notes)),
    )


def _agent_entry(file: _File, agents: Layer, agent: str) -> Layer:
    entries = agents.tree.get("list")
    if entries is None:
        return Layer("agents.list", {})
    if not isinstance(entries, list):
        raise ConfigError(f"{file.path}: agents.list must be a list; correct it or remove the key.")
    for number, entry in enumerate(entries):
        if isinstance(entry, dict) and str(entry.get("id", "")).lower() == agent:
            layer = Layer(f"agents.list[{number}]", entry)
            file.note_near_misses(layer, ("memorySearch", "sandbox", "workspace"))
            return layer
    return Layer("agents.list", {})


def _providers(
    file: _File, root: Layer, search: MemorySearch
) -> Iterator[tuple[str, ProviderSettings]]:
    chosen = {search.provider, search.fallback}
    if "gemini" in chosen:
        chosen.add("google")
    providers = file.child(file.child(root, "models"), "providers")
    for name in sorted((chosen | set(_PROVIDERS)) & providers.tree.keys()):
        try:
            settings, _ = file.read(ProviderSettings, file.child(providers, name))
        except MissingVariable as error:
            # The file may be made for a program with other variables: only a provider that
            # was asked for must have its key.
            if name in chosen:
                raise
            file.notes.append(f"models.providers.{name} is left out: {error}")
            continue
        yield name, settings


def _plugin_configs(
    file: _File, root: Layer, search: MemorySearch
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """What stands under `plugins.entries.<name>.config` for a plugin that is used; it checks it."""
    entries = file.child(root, "plugins").tree.get("entries")
    for name in dict.fromkeys((search.provider, search.fallback, search.store.driver)):
        if isinstance(entries, dict) and name in entries:
            entry = Layer("plugins.entries", entries)
            yield name, file.replaced(file.child(file.child(entry, name), "config"))


def _workspace(file: _File, layer: Layer) -> str | None:
    value = layer.tree.get("workspace")
    if value is None:
        return None
    where = f"{file.path}: {layer.prefix}.workspace"
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be the path of a folder; correct it or remove the key.")
    return str(substitute(value, file.environ, where)).strip() or None


def _remove(tree: dict[str, object], path: list[str]) -> bool:
    """Take one key out of a tree, leaving the tree of the file as it is."""
    name, *rest = path
    if name not in tree:
        return False
    if not rest:
        del tree[name]
        return True
    inner = tree[name]
    if not isinstance(inner, dict):
        return False
    tree[name] = inner = dict(inner)
    return _remove(inner, rest)


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
        sections = read_sections(path, agent, environ, lambda text: places.expand(text, environ))
    search: dict[str, Any] = {
        field.name: getattr(sections.search, field.name) for field in fields(MemorySearch)
    }
    search["store"] = _resolve_store(sections.search.store, agent, state_dir)
    own = read_own(state_dir)
    if workspace is not None:
        found = _Found(places.absolute(workspace, cwd, environ))
    else:
        usual = _usual_workspace(sections, path, agent, state_dir, environ)
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
        journal=sections.memory.journal,
        use=sections.memory.use,
        tidy=sections.memory.tidy,
        qmd=_resolve_qmd(sections.memory.qmd, state_dir),
        providers=sections.providers,
        profile_keys=_profile_keys(path, agent, state_dir, environ),
        memory_slot=sections.slots.memory,
        plugin_configs=sections.plugin_configs,
        access=sections.sandbox.access_of(chat),
        chat=chat,
        adopted=marker.adopt,
        foreign=found.foreign,
        passed_over=found.passed_over,
        notes=sections.notes + marker.notes,
    )


def _usual_workspace(
    sections: Sections,
    config: Path | None,
    agent: str,
    state_dir: Path,
    environ: Mapping[str, str],
) -> Path:
    """The workspace where nothing else names one: the configured one, OpenClaw's own, or ours."""
    if config is None:
        return state_dir / "workspace"
    if sections.workspace is not None:
        return places.absolute(sections.workspace, config.parent, environ)
    if places.is_openclaw(config):
        return places.default_workspace(config, agent)
    return state_dir / "workspace"


def _profile_keys(
    config: Path | None, agent: str, state_dir: Path, environ: Mapping[str, str]
) -> dict[str, Secret]:
    """The keys that an agent's own profile holds, of OpenClaw where the configuration is OpenClaw's."""
    of_openclaw = config is not None and places.is_openclaw(config)
    folder = config.parent if config is not None and of_openclaw else state_dir
    return places.read_profiles(folder, agent, environ)


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
