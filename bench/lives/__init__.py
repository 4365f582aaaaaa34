"""Simulated lives and pairs of facts to learn from and to be judged by, one file for each; a line is one thing told.

`ask` and `told` is a thread: statements about one thing in order, in asterisks the word that tells each from the
others; the last one holds. Two with the same word say the same, or go back to what was. `until` is how many days a
temporary one holds, `repeated` is told twice. `ask` and `hold` are facts that all hold. Nobody asks for an `aside`.
The pairs have an `old` and a `new` fact, and whether the older is `replaced`.

Who wrote them, and what they knew of the judge (`memdown.notes.superseding`):
- known, builtOn, ruledPairs: the hand-made rules of the beginning were made with them.
- unseen, heldOut: asked once when those rules were done.
- third, fourth, fifth, sixth: written by four people who had read no rule and did not run them. The third has a
  boatyard and a brewery, the fourth bees and an orchard software; they tell notes as they are jotted down.
- pairs: written to be learned from: chat before the point, numbered things, one more of something.
- taught: written to be learned from, with questions, by one who knew the judge: notes as they are jotted down, and
  facts about one person that have nothing to do with each other. Nobody is judged by it.
- people.txt has the names of people and animals in the lives, so that facts of several can be told of one.
Whoever changes features by looking at a life learns from it, and needs another to be judged by.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FOLDER: Final = Path(__file__).parent
NAMES: Final = ("known", "unseen", "third", "fourth", "fifth", "sixth", "builtOn", "heldOut")


@dataclass(frozen=True, slots=True)
class Thread:
    """Statements about one thing, in order, with the telling word of each, and a question."""

    question: str
    statements: tuple[tuple[str, str], ...]
    repeated: bool = False
    until: int = 0


@dataclass(frozen=True, slots=True)
class Life:
    """What is told: threads, asides that nobody asks about, and facts that hold side by side below a question."""

    threads: tuple[Thread, ...]
    aside: tuple[str, ...]
    beside: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TaughtPair:
    """An older and a newer fact, whether the older is replaced, and what may have been asked."""

    old: str
    new: str
    replaced: bool
    ask: str = ""


@functools.cache
def people() -> frozenset[str]:
    """The names of people and animals in all lives."""
    return frozenset((_FOLDER / "people.txt").read_text(encoding="utf-8").split())


def read_life(name: str) -> Life:
    """A life by its name."""
    lines = _lines(name)
    return Life(
        tuple(_thread(one) for one in lines if "told" in one),
        tuple(one["aside"] for one in lines if "aside" in one),
        tuple((one["ask"], *one["hold"]) for one in lines if "hold" in one),
    )


def read_pairs(name: str) -> tuple[TaughtPair, ...]:
    """The pairs of a file by its name."""
    return tuple(TaughtPair(**one) for one in _lines(name))


def _thread(line: dict[str, Any]) -> Thread:
    told = tuple((text.replace("*", ""), text.split("*")[1]) for text in line["told"])
    return Thread(line["ask"], told, line.get("repeated", False), line.get("until", 0))


def _lines(name: str) -> list[dict[str, Any]]:
    text = (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
