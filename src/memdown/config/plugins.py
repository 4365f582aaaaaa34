"""Finding what makes an embedder or a store by its name: one seam for what is built in and plugins.

A maker that is built in is a function `create` in a module of ours, found without asking which
packages are installed: that takes as long as a search. Every other name is an entry point.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from memdown.errors import ConfigError, MissingExtra
from memdown.values import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, slots=True)
class Seam:
    """A kind of plugin: its entry points, and the names in `package` that are built in.

    `reserved` are names with a meaning of their own; `what` and `key` are for errors.
    """

    group: str
    package: str
    built_in: tuple[str, ...]
    what: str
    key: str
    reserved: tuple[str, ...] = ()

    def plugins(self) -> dict[str, EntryPoint]:
        """The entry points of other packages; none takes the name of one that is built in."""
        from importlib import metadata

        taken = {*self.built_in, *self.reserved}
        found = metadata.entry_points(group=self.group)
        return {point.name: point for point in found if point.name not in taken}

    def check(self, name: str, key: str | None = None) -> None:
        """Complain about a name that nobody answers to; `key` is where it stands."""
        if name in self.built_in or name in self.reserved or name in (found := self.plugins()):
            return
        import difflib

        names = sorted({*self.built_in, *self.reserved, *found})
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known ones: {', '.join(names)}."
        raise ConfigError(f"{key or self.key} is {name!r}, which is not installed; {hint}")

    def maker(self, name: str) -> Callable[..., Any]:
        """The function that makes what is called so; only its module is imported."""
        if name not in self.built_in:
            self.check(name)
            made: Callable[..., Any] = self.plugins()[name].load()
            return made
        try:
            create: Callable[..., Any] = import_module(f"{self.package}.{name}").create
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("memdown"):
                raise
            raise MissingExtra(f"{self.what} {name!r}", name) from error
        return create
