"""`${NAME}` in string values → the value of the environment variable."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from memdown.errors import ConfigError, MissingVariable

_REFERENCE = re.compile(r"\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


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
