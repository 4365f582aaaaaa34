"""The block of YAML between two rulers at the top of a note: title, date, tags, aliases.

Only what people write there is understood: keys with one value, with a list in brackets or with a
list of lines, quoted or not. All else is passed over, and nothing in a block is ever an error.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memdown.text.dates import written_day

MAX_TAG = 100
_RULER, _ENDS = "---", ("---", "...")
# A block that does not end soon is prose under a ruler, and no value needs to be longer than this.
_MOST_LINES, _MOST_CHARACTERS, _MOST_VALUES = 400, 2_000, 100
_KEY = re.compile(r"(?P<key>[^\W\d][\w .-]{0,80}?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")
_BLOCK = re.compile(r"[|>][0-9+-]*$")
_COMMENT = re.compile(r"(?:^|[ \t])#(?=[ \t]|$)")
_QUOTES = "\"'"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a block says; `lines` is how many lines it takes, its two rulers included.

    `values` holds the values of every key that was understood, by its name in lower case.
    """

    lines: int = 0
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The note's title; empty without one."""
        return " ".join(self._first("title").split())

    @property
    def date(self) -> datetime.date | None:
        """The day of the note, if it is a whole date."""
        return written_day(self._first("date"))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, without the number sign that some writers put before them."""
        listed = [*self._all("tags"), *self._all("tag")]
        # A single value may hold several: `tags: work, travel` or `tags: work travel`.
        single = [part for value in listed for part in re.split(r"[,\s]+", value)]
        clean = (tag.strip("#/")[:MAX_TAG] for tag in (single if len(listed) == 1 else listed))
        return tuple(dict.fromkeys(tag for tag in clean if tag))

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of what the note is about."""
        listed = [*self._all("aliases"), *self._all("alias")]
        return tuple(dict.fromkeys(name for name in listed if name))

    def _first(self, key: str) -> str:
        return next((value for value in self._all(key) if value), "")

    def _all(self, key: str) -> tuple[str, ...]:
        return self.values.get(key, ())


NONE = FrontMatter()


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The block that a note begins with; one without lines if it has none."""
    end = _end(lines)
    if not end:
        return NONE
    values: dict[str, tuple[str, ...]] = {}
    for key, found in _fields([line.rstrip()[:_MOST_CHARACTERS] for line in lines[1 : end - 1]]):
        # Of a key that is there twice the first counts, as in a list of headers.
        values.setdefault(key, tuple(found[:_MOST_VALUES]))
    return FrontMatter(end, values)


def _end(lines: Sequence[str]) -> int:
    """How many lines the block takes; 0 if what stands under the ruler is no list of keys."""
    if not lines or lines[0].rstrip() != _RULER:
        return 0
    told = False
    for number in range(1, min(len(lines), _MOST_LINES)):
        line = lines[number].rstrip()
        if line in _ENDS:
            return number + 1
        if line and not line.startswith("#") and not told:
            told = _KEY.match(line[:_MOST_CHARACTERS]) is not None
            if not told:
                return 0
    return 0


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each key at the left margin with its values, wherever they stand."""
    number = 0
    while number < len(lines):
        match = _KEY.match(lines[number])
        number += 1
        if match is None:
            continue
        below = number
        while below < len(lines) and _belongs(lines[below]):
            below += 1
        given = _without_comment(match["value"] or "")
        yield match["key"].lower(), _values(given, lines[number:below])
        number = below


def _belongs(line: str) -> bool:
    """Whether a line continues the value above it."""
    return not line or line[0] in " \t]" or _ITEM.match(line) is not None


def _values(given: str, below: Sequence[str]) -> list[str]:
    if given.startswith("["):
        whole = " ".join([given, *(_without_comment(line.strip()) for line in below)])
        return [_unquoted(part) for part in _split(whole.strip()[1:])]
    if _BLOCK.match(given):
        return [" ".join(line.strip() for line in below if line.strip())]
    if given:
        return [_unquoted(given)]
    items = [match["value"] or "" for line in below if (match := _ITEM.match(line))]
    return [_unquoted(_without_comment(item)) for item in items]


def _split(text: str) -> list[str]:
    """The parts of a list in brackets; commas in quotes and what follows the bracket do not count."""
    parts, part, quote = [], "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and not part.strip():
            quote = character
        elif character == "]":
            break
        elif character == ",":
            parts.append(part)
            part = ""
            continue
        part += character
    return [one for one in (*parts, part) if one.strip()]


def _without_comment(value: str) -> str:
    value = value.strip()
    if value[:1] in ('"', "'"):
        return value
    comment = _COMMENT.search(value)
    return value[: comment.start()].rstrip() if comment else value


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] in ('"', "'"):
        end = value.find(value[0], 1)
        if end > 0:
            return value[1:end].strip()
    return value.strip(_QUOTES).strip()
