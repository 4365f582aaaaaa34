"""What modules are made of, quick to load: `dataclass` in a quarter of Python's time, a `pattern` at its first use.

One start makes more than a hundred dataclasses and knows two hundred patterns. Python up to 3.12 compiles six functions for a frozen class with slots, which takes nearly a millisecond;
together they were a quarter of the start of a command. Here only `__init__` is compiled, when the first value is
made, and the others are shared. Any other class goes to `dataclasses`. Nobody can tell the difference (tests/test_values.py).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import TYPE_CHECKING, Any, cast

Fields = tuple[dataclasses.Field[Any], ...]


class _Made:
    """What stands for a default that is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, eq: bool = True, **others: bool
    ) -> Callable[[type], type]:
        """`dataclasses.dataclass`, faster for a class that is frozen, has slots and inherits no field."""

        def make(cls: type) -> type:
            if frozen and slots and not others and _is_plain(cls):
                return _frozen(cls, eq)
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **others)(cls)

        return make


def _is_plain(cls: type) -> bool:
    """Whether a class inherits no fields and sets all of them when it is made."""
    special = any(
        isinstance(value, dataclasses.Field) and (value.init is False or value.kw_only is True)
        for value in vars(cls).values()
    )
    return not special and not dataclasses.is_dataclass(cls)


def _frozen(cls: type, eq: bool) -> type:
    written = set(vars(cls))
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)
    methods: dict[str, Callable[..., Any]] = {
        "__init__": _Init(made, fields),  # type: ignore[dict-item]
        "__repr__": _repr,
        "__setattr__": _set,
        "__delattr__": _delete,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if eq:
        methods |= {"__eq__": _eq(fields), "__hash__": _hash(fields)}
    for name, method in methods.items():
        if name not in written:
            setattr(made, name, method)
    about = made.__dataclass_params__
    about.init, about.repr, about.eq, about.frozen = True, True, eq, True
    return made  # type: ignore[no-any-return]


class _Init:
    """Stands for the `__init__` of a class until someone asks for it: most classes are never made in a command."""

    __slots__ = ("_cls", "_fields")

    def __init__(self, cls: Any, fields: Fields) -> None:
        self._cls, self._fields = cls, fields

    def __get__(self, instance: object, owner: object = None) -> Callable[..., None]:
        made = self._cls.__init__ = _init(self._cls, self._fields)
        return made if instance is None else MethodType(made, instance)


def _init(cls: Any, fields: Fields) -> Callable[..., None]:
    """`__init__`, compiled: it must be fast, and its errors must name its arguments."""
    scope: dict[str, Any] = {"_made": _MADE}
    taken, lines = [], []
    for field in fields:
        name, default, put = field.name, f"_{field.name}_default", f"_put_{field.name}"
        value = name
        # A slot itself is quicker than `object.__setattr__`, which would look for it each time.
        scope[put] = getattr(cls, name).__set__
        if field.default_factory is not dataclasses.MISSING:
            scope[default] = field.default_factory
            taken.append(f"{name}=_made")
            value = f"{default}() if {name} is _made else {name}"
        elif field.default is not dataclasses.MISSING:
            scope[default] = field.default
            taken.append(f"{name}={default}")
        else:
            taken.append(name)
        lines.append(f" {put}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    source = f"def __init__(self, {', '.join(taken)}):\n" + "\n".join(lines or [" pass"])
    exec(source, scope)  # noqa: S102 - of names that Python took for names already
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return made


def _eq(fields: Fields) -> Callable[[Any, object], Any]:
    values = _values([field.name for field in fields if field.compare])

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash(fields: Fields) -> Callable[[Any], int]:
    counted = [field.compare if field.hash is None else field.hash for field in fields]
    values = _values([field.name for field, counts in zip(fields, counted, strict=True) if counts])

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = [f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _set(self: Any, name: str, value: object) -> None:
    del self, value
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    del self
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


class _Pattern:
    """A pattern that is compiled when one of its methods is asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self._made_of = source, flags

    def __getattr__(self, name: str) -> Any:
        # Found as an attribute of its own from now on.
        value = getattr(re.compile(*self._made_of), name)
        setattr(self, name, value)
        return value


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile` at the first use: compiling takes long, and a search uses few of the patterns."""
    return cast(re.Pattern[str], _Pattern(source, flags))
