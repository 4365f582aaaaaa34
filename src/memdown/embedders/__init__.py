"""Choosing an embedder by name or automatically, with a fallback and the reason for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from memdown.embedders.endpoints import VENDORS, Given, lets_in, provider_key, resolve
from memdown.embedders.options import Endpoint, JobOptions, Options, Sent, Timeouts
from memdown.embedders.unavailable import Unavailable
from memdown.errors import ConfigError, EmbedderError, MissingExtra
from memdown.types import Embedder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "AUTO",
    "BUILT_IN",
    "NONE",
    "VENDORS",
    "Chosen",
    "Endpoint",
    "Given",
    "JobOptions",
    "Options",
    "Sent",
    "Setup",
    "Timeouts",
    "Unavailable",
    "automatic",
    "choose",
    "create",
    "plugin_names",
]

GROUP = "memdown.embedders"
BUILT_IN: Mapping[str, str] = {
    name: f"memdown.embedders.{name}"
    for name in ("openai", "gemini", "voyage", "ollama", "local", "bundled")
}
NONE = "none"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Setup:
    """What the settings say about embedders; `remote` and `model` are for the chosen one only."""

    provider: str = AUTO
    fallback: str = NONE
    model: str | None = None
    remote: Given = field(default_factory=Given)
    sections: Mapping[str, Given] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    profiles: Mapping[str, str] = field(default_factory=dict, repr=False)
    model_path: str | None = None
    model_cache_dir: str | None = None
    options: Options = field(default_factory=Options)

    def endpoint(self, name: str) -> Endpoint:
        """Where requests to a provider go, if it were the chosen one."""
        return resolve(name, self.remote, self.sections, self.environ, self.profiles)

    def options_for(self, name: str) -> Options:
        """What the factory of a provider gets."""
        return replace(
            self.options,
            model=self.model,
            endpoint=self.endpoint(name),
            model_path=self.model_path,
            model_cache_dir=self.model_cache_dir,
        )

    def for_fallback(self) -> Setup:
        """The same, without what was said for the chosen provider."""
        return replace(self, provider=self.fallback, fallback=NONE, model=None, remote=Given())


@dataclass(frozen=True, slots=True)
class Chosen:
    """The embedder in use (None: keywords only), what was asked for, and why it differs.

    `spare` makes the fallback, where there is one. `ours` is False for one that a caller brought.
    """

    embedder: Embedder | None
    requested: str
    fallback_from: str | None = None
    reason: str | None = None
    spare: Callable[[], Embedder] | None = None
    ours: bool = True

    def fallen_back(self, spare: Embedder, reason: str) -> Chosen:
        """The fallback in the place of the embedder that failed."""
        before = self.embedder.id if self.embedder else self.requested
        return Chosen(spare, self.requested, before, reason)


def choose(setup: Setup) -> Chosen:
    """The embedder that was asked for; one that cannot come up is there, but says so when used."""
    name = automatic(setup) if setup.provider == AUTO else setup.provider
    spare = None
    if setup.fallback not in (NONE, name):
        check_name("memorySearch.fallback", setup.fallback)
        spare = _spare_maker(setup.for_fallback())
    if name == NONE:
        return Chosen(None, setup.provider)
    embedder = _try(name, setup)
    reason = str(embedder.error) if isinstance(embedder, Unavailable) else None
    return Chosen(embedder, setup.provider, reason=reason, spare=spare)


def automatic(setup: Setup) -> str:
    """What `auto` means here: a local model file, else the first provider with a key, else bundled."""
    path = setup.model_path
    if path and not path.startswith("hf:") and Path(path).is_file():
        return "local"
    if setup.remote.base_url:
        return "openai"
    for name in ("openai", "gemini", "voyage"):
        if lets_in(setup.endpoint(name)):
            return name
    return "bundled"


def create(name: str, options: Options | None = None) -> Embedder:
    """Make the embedder called `name`; only its module is imported."""
    return _factory(name)(options or Options())


def check_name(key: str, name: str) -> None:
    """Complain about a name that nobody answers to."""
    if name not in (AUTO, NONE) and name not in BUILT_IN and name not in plugin_names():
        raise _unknown(key, name)


def plugin_names() -> list[str]:
    """The embedders that other packages bring."""
    return sorted({point.name for point in _plugins()} - {*BUILT_IN, AUTO, NONE})


def _plugins() -> Iterable[EntryPoint]:
    # Importing this takes as long as half a search.
    from importlib import metadata

    return metadata.entry_points(group=GROUP)


def _spare_maker(setup: Setup) -> Callable[[], Embedder]:
    name = automatic(setup) if setup.provider == AUTO else setup.provider

    return lambda: _try(name, setup)


def _try(name: str, setup: Setup) -> Embedder:
    options = setup.options_for(name)
    try:
        return create(name, options)
    except (EmbedderError, MissingExtra) as error:
        model = options.model or name
        key = provider_key(name, model, options.endpoint.base_url, options.endpoint.headers)
        return Unavailable(name, model, key, error)


def _factory(name: str) -> Callable[[Options], Embedder]:
    if name in BUILT_IN:
        try:
            factory: Callable[[Options], Embedder] = import_module(BUILT_IN[name]).create
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("memdown"):
                raise
            raise MissingExtra(f"The provider {name!r}", name) from error
        return factory
    for point in _plugins():
        if point.name == name:
            loaded: Callable[[Options], Embedder] = point.load()
            return loaded
    raise _unknown("memorySearch.provider", name)


def _unknown(key: str, name: str) -> ConfigError:
    import difflib

    names = sorted({AUTO, NONE, *BUILT_IN, *plugin_names()})
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known ones: {', '.join(names)}."
    return ConfigError(f"{key} is {name!r}, which is not installed; {hint}")
