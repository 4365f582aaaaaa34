"""The lines of a growing file, read block by block: a line of any length costs bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

BLOCK_BYTES = 256 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its newline; `data` is None if it was too long to be held.

    `end` is where the next line starts; `closed` tells whether a newline ends this one.
    """

    number: int
    end: int
    data: bytes | None
    closed: bool = True


def read_lines(file: int, offset: int, number: int) -> Iterator[Line]:
    """The lines of an open file from `offset` on, where line `number` + 1 starts."""
    held: list[bytes] = []
    size = 0
    while block := os.pread(file, BLOCK_BYTES, offset):
        start = 0
        while (newline := block.find(b"\n", start)) >= 0:
            size += newline - start
            number += 1
            if size > MAX_LINE_BYTES:
                data = None
            elif held:
                data = b"".join((*held, block[start:newline]))
            else:
                data = block[start:newline]
            yield Line(number, offset + newline + 1, data)
            held.clear()
            size = 0
            start = newline + 1
        size += len(block) - start
        if size > MAX_LINE_BYTES:
            held.clear()
        elif start < len(block):
            held.append(block[start:])
        offset += len(block)
    if size:
        yield Line(number + 1, offset, None if size > MAX_LINE_BYTES else b"".join(held), False)
