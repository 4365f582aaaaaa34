"""Opening a store by its name: a module here, or a plugin's entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from memdown.errors import ConfigError, MissingExtra
from memdown.types import Store

GROUP = "memdown.index.engines"
BUILT_IN: Mapping[str, str] = {
    "lancedb": "memdown.index.lancedb",
    "postgres": "memdown.index.postgres",
    "sqlite": "memdown.index.sqlite",
}


def open_store(driver: str, **options: Any) -> Store:
    """The store called `driver`, made from plain options."""
    store: Store = _factory(driver)(**options)
    return store


def _factory(driver: str) -> Callable[..., Store]:
    if driver in BUILT_IN:
        try:
            factory: Callable[..., Store] = import_module(BUILT_IN[driver]).create
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("memdown"):
                raise
            raise MissingExtra(f"The store {driver!r}", driver) from error
        return factory
    import difflib
    from importlib import metadata

    plugins = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if driver in plugins:
        loaded: Callable[..., Store] = plugins[driver].load()
        return loaded
    names = sorted({*BUILT_IN, *plugins})
    near = difflib.get_close_matches(driver, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known ones: {', '.join(names)}."
    raise ConfigError(f"memorySearch.store.driver is {driver!r}, which is not installed; {hint}")
