"""Where in a JSON text a value stands, for errors that name the line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

Key = str | int
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def line_of(text: str, keys: Sequence[Key]) -> int:
    """The line at which the value under these keys starts; the text must be valid JSON."""
    place = _skip(text, 0)
    for key in keys:
        place = _inside(text, place, key)
    return text.count("\n", 0, place) + 1


def _inside(text: str, place: int, key: Key) -> int:
    """Where a member of the object or list at `place` starts; `place` itself if it is not there."""
    if text[place] not in "[{":
        return place
    at = _skip(text, place + 1)
    number = 0
    while text[at] not in "]}":
        name: Any = number
        if text[place] == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1
    return place


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
