"""Many numbers at once, to the server and back: the driver's own way goes item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memdown.index.postgres.connection import run
from memdown.index.postgres.place import Place

_HEAD_NUMBERS, _EMPTY_HEAD_NUMBERS = 5, 3


def literal(numbers: Sequence[float]) -> str:
    """An array as PostgreSQL reads it."""
    return "{" + ",".join(map(str, numbers)) + "}"


@dataclass(frozen=True, slots=True)
class Flat:
    """The numbers of the terms of some passages, one after the other, and how many each has."""

    terms: NDArray[np.int32]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Passages:
    """Some passages: their keys, and the terms of text and head."""

    keys: NDArray[np.int64]
    text: Flat
    head: Flat


def read_passages(place: Place, where: str, values: Sequence[object]) -> Passages:
    """Passages by their terms' numbers, in order; put together by the server, in its binary form."""
    ((keys, words, word_sizes, head, head_sizes),) = run(
        place.db,
        place.sql(
            "SELECT string_agg(int8send(key), ''), string_agg(array_send(words), ''), "
            "string_agg(int4send(cardinality(words)), ''), string_agg(array_send(head), ''), "
            "string_agg(int4send(cardinality(head)), '') "
            f"FROM (SELECT key, words, head FROM {{s}}.passages WHERE {where} ORDER BY key) AS p"
        ),
        values,
        binary=True,
    )
    return Passages(
        np.frombuffer(keys or b"", ">i8").astype(np.int64),
        _flat(words or b"", word_sizes or b""),
        _flat(head or b"", head_sizes or b""),
    )


def _flat(arrays: bytes, packed_sizes: bytes) -> Flat:
    """Arrays as PostgreSQL sends them: a head of three or five numbers, then length and value."""
    sizes = np.frombuffer(packed_sizes, ">i4").astype(np.int64)
    heads = np.where(sizes > 0, _HEAD_NUMBERS, _EMPTY_HEAD_NUMBERS)
    ends = np.cumsum(heads + 2 * sizes)
    firsts = ends - 2 * sizes
    numbers = np.frombuffer(arrays, ">i4")
    first_values = np.repeat(firsts - 2 * (np.cumsum(sizes) - sizes), sizes)
    places = first_values + 2 * np.arange(int(sizes.sum())) + 1
    return Flat(numbers[places].astype(np.int32), sizes)
