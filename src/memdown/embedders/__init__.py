"""Choosing an embedder by name or automatically, with a fallback and the reason for it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from memdown.errors import ConfigError, EmbedderError, MissingExtra
from memdown.types import Embedder

GROUP = "memdown.embedders"
BUILT_IN: Mapping[str, str] = {"bundled": "memdown.embedders.bundled"}
NONE = "none"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The embedder in use (None: keywords only), what was asked for, and why it differs."""

    embedder: Embedder | None
    requested: str
    fallback_from: str | None = None
    reason: str | None = None


def choose(provider: str, fallback: str, options: Mapping[str, Any]) -> Chosen:
    """The embedder called `provider`, or the fallback if it does not come up."""
    name = "bundled" if provider == AUTO else provider
    if name == NONE:
        return Chosen(None, provider)
    try:
        return Chosen(create(name, options), provider)
    except EmbedderError as error:
        if fallback in (NONE, name):
            raise
        return Chosen(create(fallback, options), provider, name, str(error))


def create(name: str, options: Mapping[str, Any]) -> Embedder:
    """Make the embedder called `name`; only its module is imported."""
    embedder: Embedder = _factory(name)(**options.get(name, {}))
    return embedder


def _factory(name: str) -> Callable[..., Embedder]:
    if name in BUILT_IN:
        try:
            factory: Callable[..., Embedder] = import_module(BUILT_IN[name]).create
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("memdown"):
                raise
            raise MissingExtra(f"The provider {name!r}", name) from error
        return factory
    plugins = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if name in plugins:
        loaded: Callable[..., Embedder] = plugins[name].load()
        return loaded
    names = sorted({AUTO, NONE, *BUILT_IN, *plugins})
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known ones: {', '.join(names)}."
    raise ConfigError(f"memorySearch.provider is {name!r}, which is not installed; {hint}")
