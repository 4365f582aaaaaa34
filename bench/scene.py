"""What one made-up note is about: its people, things and words, drawn from the whole vocabulary."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from bench.words import ADJECTIVES, ROOMS, VERBS, Vocabulary, zipf_stream

Kind = Literal["natural", "identifier", "script"]
LAST_DAY = datetime.date(2026, 11, 14)


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that answers a question; `answer` is the part that matters."""

    sentence: str
    question: str
    answer: str
    kind: Kind


class Scene:
    """The people, places and words that one note keeps coming back to.

    Real notes are bursty: a word that stands in one of them stands there again. So every note
    draws a pool of its own first and then repeats itself out of that.
    """

    def __init__(self, streams: Streams, rng: Random) -> None:
        self.rng = rng
        self.people = streams.take("people", 9)
        self.places = streams.take("places", 8)
        self.products = streams.take("products", 9)
        self.projects = streams.take("projects", 4)
        self.nouns = streams.take("nouns", 140)
        self.jargon = streams.take("jargon", 70)
        self.used: set[str] = streams.used
        self._random = rng.random

    def pick(self, words: Sequence[str]) -> str:
        return words[int(self._random() * len(words))]

    def number(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low))

    def person(self) -> str:
        """A full name; people in notes mostly go by `first_name`."""
        return self.pick(self.people)

    def first_name(self) -> str:
        return self.pick(self.people).partition(" ")[0]

    def place(self) -> str:
        return self.pick(self.places)

    def room(self) -> str:
        return self.pick(ROOMS)

    def product(self) -> str:
        return self.pick(self.products)

    def project(self) -> str:
        return self.pick(self.projects)

    def adjective(self) -> str:
        return self.pick(ADJECTIVES)

    def verb(self) -> str:
        return self.pick(VERBS)

    def noun(self) -> str:
        """A plain noun, or two, or one with a word of the trade before it."""
        roll = self._random()
        if roll < 0.55:
            return self.pick(self.nouns)
        if roll < 0.75:
            return f"{self.pick(self.nouns)} {self.pick(self.nouns)}"
        return f"{self.pick(self.jargon)} {self.pick(self.nouns)}"

    def date(self) -> datetime.date:
        return LAST_DAY - datetime.timedelta(days=self.number(0, 1500))

    def fresh(self, make: Callable[[], str]) -> str:
        """A string that no other note has got from here before."""
        text = make()
        while text in self.used:
            text = make()
        self.used.add(text)
        return text


class Streams:
    """Endless draws of each kind of word, and what must not be said twice."""

    def __init__(self, words: Vocabulary, seed: int) -> None:
        self.used: set[str] = set()
        self._streams: dict[str, Iterator[str]] = {
            name: zipf_stream(getattr(words, name), Random(f"{seed}:{name}"))
            for name in ("people", "places", "products", "projects", "nouns", "jargon")
        }

    def take(self, name: str, count: int) -> list[str]:
        stream = self._streams[name]
        return [next(stream) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Language:
    """How notes are written in one language."""

    name: str
    headings: tuple[str, ...]
    sentences: tuple[Callable[[Scene], str], ...]
    facts: tuple[Callable[[Scene], Fact], ...]
    chunk_chars: int
    space: str = " "

    def sentence(self, scene: Scene) -> str:
        return self.sentences[int(scene.rng.random() * len(self.sentences))](scene)

    def fact(self, scene: Scene) -> Fact | None:
        """A fact whose question has no answer elsewhere; None when the note's people ran out."""
        for _ in range(20):
            fact = self.facts[int(scene.rng.random() * len(self.facts))](scene)
            if fact.question not in scene.used:
                scene.used.add(fact.question)
                return fact
        return None
