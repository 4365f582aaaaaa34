"""What modules are made of, quick to load: a `dataclass` and a `pattern` that are finished at their first use.

One start makes two hundred dataclasses and knows as many patterns, and uses a third of them. Python up to
3.12 compiles six functions for a frozen class with slots, which takes nearly a millisecond; together they
were a quarter of the start of a command. Here `__init__` is compiled when the first value is made, the list of
fields when it is asked for, and the other methods are shared. Any other class goes to `dataclasses`.
Nobody can tell the difference (tests/test_values.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import re
import sys
import zlib
from array import array
from collections.abc import Callable, Mapping
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS, _PARAMS = "__dataclass_fields__", "__dataclass_params__"
# Of what is annotated like this, `dataclasses` makes no plain field.
_NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")


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
    if any(_FIELDS in vars(base) for base in cls.__mro__):
        return False
    for name, kind in vars(cls).get("__annotations__", {}).items():
        if not isinstance(kind, str) or any(word in kind for word in _NO_FIELDS):
            return False
        value = vars(cls).get(name)
        if isinstance(value, dataclasses.Field) and (not value.init or value.kw_only is True):
            return False
    return True


def _frozen(cls: type, eq: bool) -> type:
    written = dict(vars(cls))
    annotations = written.get("__annotations__", {})
    names = tuple(annotations)
    given = {name: written.pop(name) for name in names if name in written}
    for name in ("__dict__", "__weakref__"):
        written.pop(name, None)
    late = _Late(cls, annotations, given, eq)
    methods: dict[str, Any] = {
        "__init__": _At(late, "__init__"),
        "__repr__": _repr,
        "__setattr__": _set,
        "__delattr__": _delete,
        "__getstate__": _state,
        "__setstate__": _restore,
        "__match_args__": names,
    }
    if eq:
        methods["__eq__"] = _eq([name for name in names if _option(given, name, "compare", True)])
        if written.get("__hash__") is None:
            written.pop("__hash__", None)
        methods["__hash__"] = _hash([name for name in names if _is_hashed(given, name)])
    body = {
        **methods,
        **written,
        "__slots__": names,
        _FIELDS: _At(late, _FIELDS),
        _PARAMS: _At(late, _PARAMS),
    }
    # Slots are made with a class, so it is made a second time, as `dataclasses` does.
    late.of = made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _option(given: Mapping[str, Any], name: str, option: str, otherwise: Any) -> Any:
    value = given.get(name)
    return getattr(value, option) if isinstance(value, dataclasses.Field) else otherwise


def _is_hashed(given: Mapping[str, Any], name: str) -> bool:
    said = _option(given, name, "hash", None)
    return bool(_option(given, name, "compare", True) if said is None else said)


class _Late:
    """What of a class is made when it is first asked for, from its fields and what is said of them."""

    def __init__(
        self, of: type, annotations: Mapping[str, str], given: Mapping[str, Any], eq: bool
    ) -> None:
        self.of: Any = of
        self._annotations = annotations
        self._given = given
        self._eq = eq

    def make(self, name: str) -> Any:
        """Make it, and put it into its place in the class."""
        if name == "__init__":
            value: Any = _init(self.of, self._annotations, self._given)
        elif name == _PARAMS:
            empty = type(self.of.__name__, (), {"__doc__": ""})
            value = getattr(
                dataclasses.dataclass(frozen=True, slots=True, eq=self._eq)(empty), name
            )
        else:
            value = {name: self._field(name) for name in self._annotations}
        setattr(self.of, name, value)
        return value

    def _field(self, name: str) -> Any:
        said = self._given.get(name, dataclasses.MISSING)
        one: Any = said if isinstance(said, dataclasses.Field) else _plain(said)
        one.name, one.type, one.kw_only = name, self._annotations[name], False
        # What tells a field from a variable of the class.
        sample: Any = dataclasses.fields(_Sample)[0]
        one._field_type = sample._field_type
        return one


def _plain(default: Any) -> Any:
    return dataclasses.field(default=default)


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Sample:
    """A class with one field."""

    field: int


class _At:
    """Stands in a class where something of it is made late."""

    __slots__ = ("_late", "_name")

    def __init__(self, late: _Late, name: str) -> None:
        self._late = late
        self._name = name

    def __get__(self, value: object, of: type) -> Any:
        found = self._late.make(self._name)
        bound = getattr(found, "__get__", None)
        return found if bound is None or value is None else bound(value, of)


def _init(cls: Any, annotations: Mapping[str, str], given: Mapping[str, Any]) -> Any:
    """`__init__`, compiled: it must be fast, and its errors must name its arguments."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_made": _MADE}
    taken, lines = [], []
    for name in annotations:
        default, value = f"_{name}_default", name
        said = given.get(name, dataclasses.MISSING)
        if isinstance(said, dataclasses.Field):
            if said.default_factory is not dataclasses.MISSING:
                scope[default] = said.default_factory
                value = f"{default}() if {name} is _made else {name}"
            said = said.default
        if value != name:
            taken.append(f"{name}=_made")
        elif said is not dataclasses.MISSING:
            if said.__class__.__hash__ is None:
                raise ValueError(f"The default of {name!r} may change: use default_factory.")
            scope[default] = said
            taken.append(f"{name}={default}")
        else:
            taken.append(name)
        lines.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    source = f"def __init__(self, {', '.join(taken)}):\n" + "\n".join(lines or [" pass"])
    exec(source, scope)  # noqa: S102 - of names that Python took for names already
    made = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**annotations, "return": None}
    return made


def _eq(names: list[str]) -> Callable[[Any, object], Any]:
    values = _values(names)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash(names: list[str]) -> Callable[[Any], int]:
    values = _values(names)

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
        value = getattr(_compiled.get(*self._made_of), name)
        setattr(self, name, value)
        return value


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile` at the first use: compiling takes long, and a search uses few of the patterns."""
    return cast(re.Pattern[str], _Pattern(source, flags))


class _Compiled:
    """Patterns as `re` compiles them, and what earlier starts compiled, from a file.

    Compiling those of one search takes a tenth of its time, so the command line keeps them, as Python keeps
    compiled modules. What `re` runs is only known to this version of it, so the file has its number; and it
    checks what it is given. Whatever is wrong with the file, a pattern is compiled as usual.
    """

    def __init__(self) -> None:
        self._file: Path | None = None
        self._codes: dict[tuple[str, int], _Code] = {}
        self._new: set[tuple[str, int]] = set()

    def get(self, source: str, flags: int) -> re.Pattern[str]:
        """A compiled pattern."""
        known = self._codes.get((source, int(flags)))
        if known is not None:
            with contextlib.suppress(Exception):
                return known.pattern(source)
        self._new.add((source, int(flags)))
        return re.compile(source, flags)

    def load(self, folder: Path) -> None:
        """Use what is kept in a folder."""
        with contextlib.suppress(Exception):
            number = importlib.import_module("_sre").MAGIC
            self._file = folder / f"patterns-{sys.implementation.cache_tag}-{number}"
            data = self._file.read_bytes()
            check, head, codes = data.split(b"\n", 2)
            if int(check, 16) == zlib.crc32(data[len(check) :]):
                self._codes = {
                    (source, flags): _Code(made, groups, names, codes[begin:end])
                    for source, flags, begin, end, made, groups, names in json.loads(head)
                }

    def save(self) -> None:
        """Keep what was compiled since; not being able to is no loss."""
        new = self._new - self._codes.keys()
        if not new or self._file is None:
            return
        with contextlib.suppress(Exception):
            codes = self._codes | {
                (source, flags): _code_of(source, flags) for source, flags in new
            }
            entries, at = [], 0
            for (source, flags), code in codes.items():
                entries.append([source, flags, at, at + len(code.code), *code[:-1]])
                at += len(code.code)
            head = json.dumps(entries).encode()
            data = b"\n".join((b"", head, b"".join(code.code for code in codes.values())))
            beside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            try:
                beside.touch(mode=0o600)
                beside.write_bytes(f"{zlib.crc32(data):08x}".encode() + data)
                beside.replace(self._file)
            finally:
                beside.unlink(missing_ok=True)
            self._new.clear()


class _Code(NamedTuple):
    """What `re` makes of a pattern: numbers of four bytes, and what its groups are called."""

    flags: int
    groups: int
    names: dict[str, int]
    code: bytes

    def pattern(self, source: str) -> re.Pattern[str]:
        """The pattern back."""
        named: list[str | None] = [None] * (self.groups + 1)
        for name, group in self.names.items():
            named[group] = name
        code = array("I", self.code).tolist()
        make = importlib.import_module("_sre").compile
        made: re.Pattern[str] = make(
            source, self.flags, code, self.groups, self.names, tuple(named)
        )
        return made


def _code_of(source: str, flags: int) -> _Code:
    tree: Any = importlib.import_module("re._parser").parse(source, flags)
    code = importlib.import_module("re._compiler")._code(tree, flags)
    state = tree.state
    return _Code(
        flags | state.flags, state.groups - 1, dict(state.groupdict), array("I", code).tobytes()
    )


_compiled = _Compiled()
reuse_patterns = _compiled.load
keep_patterns = _compiled.save
