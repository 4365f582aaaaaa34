"""What a model passes to a tool, checked against the tool's schema with messages for the model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memdown.agent.definitions import ToolDefinition
from memdown.errors import BadArguments

_MAX_JSON_CHARS = 1_000_000
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """Arguments that fit, and a note for the model on those that were left aside."""

    values: Mapping[str, Any]
    note: str = ""


def checked_arguments(tool: ToolDefinition, arguments: Mapping[str, Any] | str) -> Checked:
    """The arguments as the schema wants them; None counts as left out.

    Models send JSON text or an object; both are taken. Names that models often confuse are
    understood, and what has no meaning here is left aside and named.
    """
    given = _parsed(tool, arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, Mapping):
        raise BadArguments(f"{tool.name} takes an object with named arguments; {_usage(tool)}.")
    known: Mapping[str, Any] = tool.parameters["properties"]
    present = {name: value for name, value in given.items() if name in known and value is not None}
    unknown = []
    for name, value in given.items():
        if name in known or value is None:
            continue
        meant = tool.aliases.get(_folded(name)) or _same_name(name, known)
        if meant is None or meant in present:
            unknown.append(str(name)[:60])
        else:
            present[meant] = _from_alias(known[meant], value)
    missing = [name for name in tool.parameters["required"] if name not in present]
    if missing:
        raise BadArguments(f"{tool.name} needs {', '.join(map(repr, missing))}; {_usage(tool)}.")
    checked = {
        name: _checked(tool.name, name, known[name], value) for name, value in present.items()
    }
    if not unknown:
        return Checked(checked)
    return Checked(checked, f"left aside: {', '.join(unknown[:5])}; {_usage(tool)}")


def _folded(name: object) -> str:
    return str(name).replace("_", "").replace("-", "").lower()


def _same_name(name: object, known: Mapping[str, Any]) -> str | None:
    return next((one for one in known if one.lower() == _folded(name)), None)


def _from_alias(schema: Mapping[str, Any], value: Any) -> Any:
    """A value given under another name, as it is meant: a list of one is that one."""
    if isinstance(value, list) and len(value) == 1 and schema["type"] == "string":
        return value[0]
    return value


def _parsed(tool: ToolDefinition, text: str) -> Any:
    if len(text) > _MAX_JSON_CHARS:
        raise BadArguments(f"The arguments of {tool.name} are too long; send much less.")
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadArguments(
            f"The arguments of {tool.name} are not valid JSON; send one JSON object: {_usage(tool)}."
        ) from None


def _checked(tool: str, name: str, schema: Mapping[str, Any], value: Any) -> Any:
    kind = schema["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if value == "memory" and "notes" in schema.get("enum", ()):
        # As OpenClaw calls them in its results.
        value = "notes"
    if not _fits(kind, value):
        raise BadArguments(f"{name} of {tool} must be {_KINDS[kind]}, not {_shown(value)}.")
    if kind == "string":
        if not value.strip():
            raise BadArguments(f"{name} of {tool} is empty; give some text.")
        longest = schema.get("maxLength", math.inf)
        if len(value) > longest:
            raise BadArguments(
                f"{name} of {tool} has {len(value)} characters; at most {longest} are allowed."
            )
        if "enum" in schema and value not in schema["enum"]:
            allowed = " or ".join(schema["enum"])
            raise BadArguments(f"{name} of {tool} must be {allowed}, not {_shown(value)}.")
    elif kind in ("integer", "number"):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            allowed = f"at least {low}" if high == math.inf else f"from {low} to {high}"
            raise BadArguments(f"{name} of {tool} must be {allowed}, not {_shown(value)}.")
    return value


def _fits(kind: str, value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (
        kind == "number" and isinstance(value, float) and math.isfinite(value)
    )


def _usage(tool: ToolDefinition) -> str:
    required = tool.parameters["required"]
    names = [name if name in required else f"{name}?" for name in tool.parameters["properties"]]
    return f"its arguments are {', '.join(names)}"


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:60]}…"
