"""A section of the configuration as its class, or one sentence that names the file and the key."""

from __future__ import annotations

from typing import TypeVar

from memdown.config.document import SectionLayers
from memdown.config.keys import closest, nearest
from memdown.validation import Location, Problem, convert

T = TypeVar("T")


def validate(section: type[T], tree: object, origin: SectionLayers) -> T:
    """The tree as an instance of the section's class; an error names the file and the key."""
    try:
        checked: T = convert(section, tree)
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
