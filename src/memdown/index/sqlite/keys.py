"""How rows are numbered: `file * FILE_SPAN + passage`.

A chunk has the number of its first passage, so the chunk of a passage is the one with the largest
number not above it, neighbours in a file are neighbours in number, and all rows of a file, or of a
source, form one range.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from memdown.types import FILE_SPAN, Source

_FIRST_FILE: dict[Source, int] = {"memory": 1, "sessions": 1 << 36}
_END_FILE: dict[Source, int] = {"memory": 1 << 36, "sessions": 1 << 38}


def file_ids(source: Source) -> range:
    """The numbers that files of a source may have."""
    return range(_FIRST_FILE[source], _END_FILE[source])


def file_keys(file_id: int) -> range:
    """The numbers of a file's passages."""
    return range(file_id * FILE_SPAN, (file_id + 1) * FILE_SPAN)


def source_keys(source: Source) -> range:
    """The numbers of all passages of a source."""
    ids = file_ids(source)
    return range(ids.start * FILE_SPAN, ids.stop * FILE_SPAN)


def as_numbers(files: Iterable[int]) -> str:
    """Numbers as one value that SQL can look through."""
    return json.dumps(sorted(files))


def numbers_in(value: str) -> str:
    """The numbers in such a value, as SQL."""
    return f"(SELECT value FROM json_each({value}))"
