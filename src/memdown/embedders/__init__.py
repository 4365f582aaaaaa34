"""Which embedder is in use: chosen by name or automatically, with a fallback and the reason for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path

from memdown.config.plugins import Seam
from memdown.embedders.endpoints import VENDORS, Given, lets_in, provider_key, resolve
from memdown.embedders.options import (
    EmbeddingEndpoint,
    JobOptions,
    Options,
    Sent,
    Timeouts,
    Unavailable,
    guarded,
)
from memdown.errors import EmbedderError, MissingExtra
from memdown.types import Closeable, Embedder, Fingerprint, ModelKey
from memdown.values import dataclass

__all__ = [
    "AUTO",
    "BUILT_IN",
    "BUNDLED",
    "NONE",
    "VENDORS",
    "Choice",
    "Chosen",
    "EmbeddingEndpoint",
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

log = logging.getLogger("memdown")

NONE = "none"
AUTO = "auto"
BUNDLED = "bundled"
SEAM = Seam(
    "memdown.embedders",
    "memdown.embedders",
    ("openai", "gemini", "voyage", "ollama", "local", "better", "bundled"),
    "The provider",
    "memorySearch.provider",
    reserved=(AUTO, NONE),
)
BUILT_IN = SEAM.built_in


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
    configs: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)
    model_path: str | None = None
    model_cache_dir: str | None = None
    options: Options = field(default_factory=Options)

    def endpoint(self, name: str) -> EmbeddingEndpoint:
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
            config=self.configs.get(name, {}),
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
        SEAM.check(setup.fallback, "memorySearch.fallback")
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
    return BUNDLED


def create(name: str, options: Options | None = None) -> Embedder:
    """Make the embedder called `name`; only its module is imported."""
    embedder: Embedder = SEAM.maker(name)(options or Options())
    return embedder if name in SEAM.built_in else guarded(name, embedder)


def plugin_names() -> list[str]:
    """The embedders that other packages bring."""
    return sorted(SEAM.plugins())


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


class Choice:
    """Changes hands at most once: when the chosen embedder fails and its fallback may go on."""

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen
        self._first = chosen.embedder
        self._spare: Embedder | None = None
        self._bundled: Embedder | None = None

    @property
    def embedder(self) -> Embedder | None:
        """The embedder that the index should be made with."""
        return self._chosen.embedder

    @property
    def requested(self) -> str:
        """What the settings ask for."""
        return self._chosen.requested

    @property
    def problem(self) -> str | None:
        """Why the chosen embedder does not do its work, as far as it is known."""
        return self._chosen.reason

    @property
    def is_settled(self) -> bool:
        """Whether no other embedder than the chosen one can be of use."""
        embedder = self._chosen.embedder
        return embedder is None or embedder.id == BUNDLED or not self._chosen.ours

    @property
    def has_spare(self) -> bool:
        """Whether another embedder may take over."""
        return self._chosen.spare is not None

    def fitting(self, index: Fingerprint | None) -> Embedder | None:
        """The embedder for questions: the one that the index was made with, if it is at hand."""
        if self.is_settled:
            return self.embedder
        if index is None:
            down = isinstance(self.embedder, Unavailable)
            return self._make_spare() or self.embedder if down else self.embedder
        if index.key == ModelKey.of(self.embedder):
            return self.embedder
        spare = self._make_spare()
        if spare is not None and index.key == ModelKey.of(spare):
            return spare
        if index.key.provider == BUNDLED:
            # It needs nothing, so the old index stays as good as it was until the new one is made.
            self._bundled = self._bundled or create(BUNDLED)
            if index.key == ModelKey.of(self._bundled):
                return self._bundled
        return self.embedder

    def fallen_from(self, embedder: Embedder | None) -> str | None:
        """Whom an embedder stands in for, if it does."""
        if embedder is self.embedder or self.embedder is None:
            return self._chosen.fallback_from
        return self.embedder.id

    def why_not_the_first(self, embedder: Embedder | None) -> list[str]:
        """The reason why another embedder than the one asked for answers, if one does."""
        fallen = self.fallen_from(embedder)
        if fallen is None or embedder is None:
            return []
        reason = self.problem or f"the index is not made with {fallen} yet"
        return [f"{embedder.id} stands in for {fallen}: {reason}"]

    def fall_back(
        self, error: EmbedderError, index: Fingerprint | None, has_no_vectors: Callable[[], bool]
    ) -> bool:
        """Go on with the fallback; False if there is none, or a good index that it would spoil."""
        if self._chosen.spare is None:
            return False
        spare = self._make_spare()
        if spare is None:
            return False
        if not (index and index.key == ModelKey.of(spare)) and not has_no_vectors():
            return False
        log.warning("%s The fallback, %s, is used instead.", error, spare.id)
        self._chosen = self._chosen.fallen_back(spare, str(error))
        return True

    def close(self) -> None:
        """Let nobody wait for a provider any more; an embedder that a caller brought is theirs."""
        if not self._chosen.ours:
            return
        for embedder in (self._first, self._spare):
            if isinstance(embedder, Closeable):
                embedder.close()

    def _make_spare(self) -> Embedder | None:
        if self._spare is None and self._chosen.spare is not None:
            self._spare = self._chosen.spare()
        return self._spare
