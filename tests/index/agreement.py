"""How well two stores agree: the same notes, the same questions, the first six answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.generate import generate

from memdown import Hit, Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder

EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace"


def questions_of(folder: Path, count: int) -> list[str]:
    """Runs of two to five words out of the notes, and single ones."""
    rng = Random(7)
    lines = [
        line.split()
        for file in sorted(folder.rglob("*.md"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if len(re.findall(r"\w+", line)) > 5
    ]
    asked = []
    for _ in range(count):
        words = rng.choice(lines)
        length = rng.randint(1, 5)
        start = rng.randrange(max(1, len(words) - length))
        asked.append(" ".join(words[start : start + length]) + " note")
    return asked


def made_up(folder: Path) -> tuple[Path, list[str]]:
    """A workspace of 5,000 chunks in seven languages, and 200 questions about it."""
    work = generate(folder, 5_000)
    return work.folder, [question.text for question in Random(3).sample(work.questions, 200)]


@contextmanager
def opened(folder: Path, config: Path, store: Mapping[str, object], agent: str) -> Iterator[Memory]:
    """A memory over `folder` in the given store, indexed."""
    config.write_text(
        json.dumps({"agents": {"defaults": {"memorySearch": {"store": dict(store)}}}})
    )
    settings = load_settings(config=config, workspace=folder, agent=agent)
    with Memory.from_settings(settings, embedder=HashEmbedder()) as memory:
        memory.sync()
        yield memory


@dataclass(frozen=True, slots=True)
class Agreement:
    """The share of questions with the same first place, and of the first six that both have."""

    first: float
    six: float


def agreement(one: Memory, other: Memory, questions: Sequence[str]) -> Agreement:
    """How much of what one store answers the other answers as well."""
    first: list[bool] = []
    six: list[float] = []
    for question in questions:
        mine, theirs = (memory.search(question, min_score=0.0).hits[:6] for memory in (one, other))
        if mine:
            first.append(bool(theirs) and _overlap(mine[0], theirs[0]))
            six.append(sum(any(_overlap(a, b) for b in theirs) for a in mine) / len(mine))
    return Agreement(sum(first) / len(first), sum(six) / len(six))


def _overlap(one: Hit, other: Hit) -> bool:
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )
