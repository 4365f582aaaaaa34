"""A section of the file → an object of its class with values that make sense, or one sentence that names the key."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from memdown.config.document import Location, SectionLayers
from memdown.config.keys import closest, nearest
from memdown.config.search_settings import (
    ChunkingSettings,
    HybridSettings,
    MemorySearch,
)
from memdown.config.settings import QmdSettings
from memdown.config.values import Secret, Shared
from memdown.types import SOURCES, Source
from memdown.validation import Problem, Strict, camel, convert
from memdown.values import pattern

Expand = Callable[[str], str]
Field = dataclasses.Field[Any]
Section = TypeVar("Section")

_HEADER_NAME = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def validate(section: type[Section], tree: object, origin: SectionLayers) -> Section:
    """The tree as an instance of the section's class; an error names the file and the key."""
    try:
        checked: Section = convert(section, tree)
        return checked
    except Problem as problem:
        found = problem
    # Raised outside the handler, so that no traceback leads to the values of the file.
    raise origin.error(found.location, _sentence(section, found, origin))


def _sentence(section: type, found: Problem, origin: SectionLayers) -> str:
    """The rest of a sentence that begins with the key."""
    if found.reason == "missing":
        return "is missing; add it, or remove the object around it."
    if found.reason == "unknown":
        return _unknown(section, found.location)
    if found.reason == "hidden":
        return f"must {found.must}; {_REMEDY}"
    shown = origin.shown(found.location)
    return f"is {shown} but must {found.must}; {_remedy(found.must, shown)}"


_REMEDY = "correct it, or remove the key to get the default."


def _remedy(must: str, shown: str) -> str:
    """What to do; where there are choices, the nearest one."""
    choices = must.split('"')[1::2]
    if not choices:
        return _REMEDY
    meant = closest(shown.strip('"'), choices)
    return f'did you mean "{meant}"?' if meant else "choose one of them."


def _unknown(section: type, location: Location) -> str:
    # The value is not shown: it may be a key whose name was mistyped.
    if meant := nearest(section, location):
        return f'is not a key that Memdown knows; did you mean "{meant}"?'
    return "is not a key that Memdown knows; remove it; `memdown config show` has all keys."


def fit(
    section: Section, origin: SectionLayers, expand: Expand, location: Location = ()
) -> Section:
    """The section with every text trimmed, every `~` expanded, every number within its limits."""
    changes: dict[str, object] = {}
    for field in dataclasses.fields(section):  # type: ignore[arg-type]
        value = getattr(section, field.name)
        here = [*location, camel(field.name)]
        if isinstance(value, Strict | Shared):
            changes[field.name] = fit(value, origin, expand, here)
        elif isinstance(value, tuple):
            changes[field.name] = _items(value, origin, expand, here)
        elif isinstance(value, Mapping):
            changes[field.name] = _headers(value, origin, here)
        elif isinstance(value, Secret):
            changes[field.name] = _secret(value)
        elif isinstance(value, str | Path):
            changes[field.name] = _text(value, field, origin, expand, here)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            changes[field.name] = _number(value, field, origin, here)
    return dataclasses.replace(section, **changes)  # type: ignore[type-var]


def _items(
    items: tuple[object, ...], origin: SectionLayers, expand: Expand, location: Location
) -> tuple[object, ...]:
    kept: list[object] = []
    for number, item in enumerate(items):
        if isinstance(item, Strict):
            kept.append(fit(item, origin, expand, [*location, number]))
        elif isinstance(item, str) and item.strip():
            kept.append(item.strip())
    return tuple(kept)


def _secret(secret: Secret) -> Secret | None:
    text = secret.reveal().strip()
    return Secret(text) if text else None


def _text(
    value: str | Path, field: Field, origin: SectionLayers, expand: Expand, location: Location
) -> object:
    text = str(value).strip()
    if text == "" or value == Path():
        if field.default is dataclasses.MISSING:
            raise origin.error(location, "is empty; give it a value.")
        return field.default
    if field.metadata["path"]:
        text = expand(text)
    if location[-1] == "baseUrl":
        _check_url(text, origin, location)
    return Path(text) if isinstance(value, Path) else text


def _number(value: float, field: Field, origin: SectionLayers, location: Location) -> object:
    if value == 0 and field.metadata["zero_is_default"]:
        return field.default
    low, high = field.metadata.get("low"), field.metadata.get("high")
    limit = value
    if low is not None and value < low:
        limit = low
    if high is not None and value > high:
        limit = high
    if limit != value:
        origin.note(location, f"is {origin.shown(location)}, which counts as {limit}.")
    return type(value)(limit)


def _headers(headers: Mapping[str, Secret], origin: SectionLayers, location: Location) -> object:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise origin.error(location, "has a name that no HTTP header can have; correct it.")
        if not value.reveal().isprintable():
            raise origin.error(
                [*location, name], "holds a line break or a control character; remove it."
            )
    return {name: Secret(value.reveal().strip()) for name, value in headers.items()}


def _check_url(url: str, origin: SectionLayers, location: Location) -> None:
    if not re.fullmatch(r"https?://[^/\s]\S*", url, re.IGNORECASE):
        raise origin.error(location, "must start with http:// or https:// and a host; correct it.")
    if "@" in re.split(r"[/?#]", url, maxsplit=3)[2]:
        raise origin.error(
            location, "must not hold a user or password; put them into apiKey or headers."
        )


_WEIGHTS = ("query", "hybrid")


def settle(search: MemorySearch, origin: SectionLayers) -> MemorySearch:
    """`memorySearch` with its sources, chunking and weights in agreement with each other."""
    return replace(
        search,
        sources=_sources(search, origin),
        chunking=_chunking(search.chunking, origin),
        query=replace(search.query, hybrid=_weights(search.query.hybrid, origin)),
    )


def modernise(qmd: QmdSettings) -> QmdSettings:
    """The settings with `dm`, an older name, read as `direct`."""
    rules = tuple(
        replace(rule, match=replace(rule.match, chat_type="direct"))
        if rule.match.chat_type == "dm"
        else rule
        for rule in qmd.scope.rules
    )
    return replace(qmd, scope=replace(qmd.scope, rules=rules))


def _sources(search: MemorySearch, origin: SectionLayers) -> tuple[Source, ...]:
    wanted = set(search.sources)
    if "sessions" in wanted and not search.experimental.session_memory:
        origin.note(
            ["sources"],
            'names "sessions", which counts only when experimental.sessionMemory is true.',
        )
        wanted.remove("sessions")
    return tuple(source for source in SOURCES if source in wanted) or ("memory",)


def _chunking(chunking: ChunkingSettings, origin: SectionLayers) -> ChunkingSettings:
    if chunking.overlap < chunking.tokens:
        return chunking
    overlap = chunking.tokens - 1
    origin.note(
        ["chunking", "overlap"],
        f"is {chunking.overlap}, which counts as {overlap}, one less than tokens.",
    )
    return replace(chunking, overlap=overlap)


def _weights(hybrid: HybridSettings, origin: SectionLayers) -> HybridSettings:
    vector, text = hybrid.vector_weight, hybrid.text_weight
    if vector is None and text is None:
        return hybrid
    if vector is not None and text is not None:
        # Divided by the larger first: the sum of two huge numbers is infinite.
        largest = max(vector, text)
        if largest == 0:
            raise origin.error(
                [*_WEIGHTS, "vectorWeight"],
                "and textWeight are both 0; give one of them a value above 0 or remove both.",
            )
        vector, text = vector / largest, text / largest
        return replace(
            hybrid, vector_weight=vector / (vector + text), text_weight=text / (vector + text)
        )
    name = "vectorWeight" if text is None else "textWeight"
    given = vector or text or 0.0
    if given > 1:
        raise origin.error(
            [*_WEIGHTS, name],
            f"is {given:g} and stands alone; give both weights, or one between 0 and 1.",
        )
    if text is None:
        return replace(hybrid, vector_weight=given, text_weight=1 - given)
    return replace(hybrid, vector_weight=1 - given, text_weight=given)
