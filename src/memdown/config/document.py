"""A JSON5 file → its object, with `${NAME}` replaced; or one sentence on what is wrong, and at which place."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TypeAlias, cast

from memdown.errors import ConfigError, MissingVariable
from memdown.values import dataclass, pattern

Location: TypeAlias = Sequence[str | int]

# What may not be shown: the values of these keys, and everything below them.
SECRET_KEYS = frozenset({"apiKey", "headers", "url", "readUrl"})


@dataclass(frozen=True, slots=True)
class Layer:
    """One place of the file that a section is read from."""

    prefix: str
    tree: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SectionLayers:
    """The layers of one section, of which a later one wins key by key, and remarks on them."""

    file: Path
    layers: tuple[Layer, ...]
    notes: list[str] = field(default_factory=list)

    def merged(self) -> dict[str, object]:
        """The layers as one tree."""
        result: dict[str, object] = {}
        for layer in self.layers:
            result = _merge(result, layer.tree)
        return result

    def key(self, location: Location) -> str:
        """The full name of the key at a place of the merged tree."""
        for layer in reversed(self.layers):
            if _at(layer.tree, location)[0]:
                return join(layer.prefix, location)
        # A key that is missing is looked for where the object around it stands.
        return self.key(location[:-1]) + _tail(location[-1])

    def error(self, location: Location, problem: str) -> ConfigError:
        """An error about one key."""
        return ConfigError(f"{self.file}: {self.key(location)} {problem}")

    def note(self, location: Location, remark: str) -> None:
        """Remember that a key was not taken as written."""
        self.notes.append(f"{self.key(location)} {remark}")

    def shown(self, location: Location) -> str:
        """The value as the file has it, or what it is when it must not or cannot be shown."""
        value = self._value(location)
        if isinstance(value, dict):
            return "an object"
        if isinstance(value, list):
            return "a list"
        if value is None:
            return "null"
        if SECRET_KEYS & set(location):
            return "something else"
        import json

        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 60 else text[:57] + "…"

    def _value(self, location: Location) -> object:
        for layer in reversed(self.layers):
            exists, value = _at(layer.tree, location)
            if exists:
                return value
        return None


def join(prefix: str, location: Location) -> str:
    """A dotted key, with `[n]` for places in lists."""
    return (prefix + "".join(_tail(part) for part in location)).removeprefix(".")


def _tail(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _at(tree: object, location: Location) -> tuple[bool, object]:
    for part in location:
        inside: Mapping[object, object] | None = None
        if isinstance(tree, Mapping):
            inside = tree
        elif isinstance(tree, list):
            inside = dict(enumerate(tree))
        if inside is None or part not in inside:
            return False, None
        tree = inside[part]
    return True, tree


def _merge(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        result[key] = _merge(under, value) if both else value  # type: ignore[arg-type]
    return result


MAX_BYTES = 10_000_000
MAX_DEPTH = 100

_POSITION = pattern(r"near ([0-9]{1,12})")
_CODE_POINT = pattern(r"U\+([0-9a-fA-F]{4,6})")
_NAMES = {
    "IdentifierStart": "a key",
    "JSON5Value": "a value",
    "NumericLiteral": "number",
    "comma": "a comma",
}


def read_document(path: Path) -> dict[str, object]:
    """The object in a JSON5 file; an empty file is an empty object."""
    return parse_document(path, _read_text(path))


def parse_document(path: Path, text: str) -> dict[str, object]:
    """The object in the text of a JSON5 file; errors name the file."""
    value, problem = _parse(text)
    if problem:
        # Raised here and not in the handler: the parser's exception holds parts of the file,
        # keys included, and must not hang on to this one.
        raise ConfigError(f"{path}: {problem}")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: the file must hold an object; put its content into {{ … }}.")
    return cast(dict[str, object], value)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: there is no such configuration file; correct the path or create the file."
        ) from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder; name the configuration file in it.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"{path}: the configuration file cannot be read ({reason}); "
            "check the path and its permissions."
        ) from None
    if len(data) > MAX_BYTES:
        raise ConfigError(
            f"{path}: the configuration file is larger than {MAX_BYTES // 1_000_000} MB; "
            "check that this is the right file."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}: the file is not UTF-8 text (line {line}); save it as UTF-8."
        ) from None


def _parse(text: str) -> tuple[object, str | None]:
    import pyjson5

    try:
        return pyjson5.decode(text, MAX_DEPTH), None
    except pyjson5.Json5NestingTooDeep:
        return None, f"objects are nested more than {MAX_DEPTH} deep; make the file flatter."
    except pyjson5.Json5DecoderException as error:
        message = str(error.args[0])
        found = error.args[2] if len(error.args) > 2 else None
        # A file whose every line is a comment is as good as an empty one.
        if message.startswith("No JSON data"):
            return {}, None
        return None, _explain(text, message, found)


def _explain(text: str, message: str, found: object) -> str:
    match = _POSITION.search(message)
    offset = max(int(match[1]) - 1, 0) if match else 0
    if isinstance(found, str) and len(found) == 1:
        offset = max(text.find(found, offset), offset)
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}: {_problem(message, found)}; correct the file there."


def _problem(message: str, found: object) -> str:
    words = re.sub(r"b'([A-Za-z0-9 ]+)'", lambda match: _NAMES.get(match[1], match[1]), message)
    words = _CODE_POINT.sub(lambda match: _quoted(chr(int(match[1], 16))), words)
    if match := re.match(r"Unclosed (.+) starting", words):
        if match[1] == "number":
            return "the number that starts here is not finished or too large"
        return f"the {match[1]} that starts here is not closed"
    if match := re.match(r"Expected (.+) near", words):
        return f"{match[1]} is expected here, not {_quoted(str(found))}"
    if match := re.match(r"Stray (.+) near", words):
        return f"{match[1]} too many"
    if words.startswith("Extra data"):
        return f"{_quoted(str(found))} stands after the end of the object"
    return "this is not JSON5"


def _quoted(character: str) -> str:
    return f'"{character}"' if character.isprintable() else f"U+{ord(character):04X}"


_REFERENCE = pattern(r"\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NO_TEXT = pattern("[\x00\ud800-\udfff]")


def substitute(value: object, environ: Mapping[str, str], where: str) -> object:
    """The value with every variable replaced; `$${NAME}` stays as `${NAME}`.

    `where` names file and key for errors. OpenClaw's `{source: "env", id: "NAME"}` is read too.
    """
    if isinstance(value, dict):
        if _is_reference(value):
            return _variable(str(value["id"]), environ, where)
        return {key: substitute(item, environ, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, environ, f"{where}[{n}]") for n, item in enumerate(value)]
    if isinstance(value, str):
        return _usable(_replace(value, environ, where), where)
    if isinstance(value, int | float):
        return _number(value, where)
    return value


def _is_reference(value: dict[str, object]) -> bool:
    return (
        value.keys() <= {"source", "provider", "id"}
        and value.get("source") == "env"
        and isinstance(value.get("id"), str)
    )


def _replace(text: str, environ: Mapping[str, str], where: str) -> str:
    def value_of(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        return f"${{{name}}}" if escaped else _variable(name, environ, where)

    return _REFERENCE.sub(value_of, text)


def _number(value: float, where: str) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if abs(value) >= 2**63:
        raise ConfigError(f"{where} is a number too large to be meant; correct it.")
    # JavaScript, whose notation this is, knows no difference between 400 and 400.0.
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def _variable(name: str, environ: Mapping[str, str], where: str) -> str:
    value = environ.get(name, "")
    if not value.strip():
        raise MissingVariable(
            f"{where} needs the environment variable {name}, which is not set; "
            f"set it, or write $${{{name}}} if the text is meant literally."
        )
    return _usable(value, where)


def _usable(text: str, where: str) -> str:
    if _NO_TEXT.search(text):
        raise ConfigError(
            f"{where} holds a NUL or another character that is no text; write it anew."
        )
    return text
