"""How well two stores agree: the same notes, the same questions, the first six answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

from memdown import Answer, Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "workspace"


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


def agreement(one: Memory, other: Memory, questions: Sequence[str]) -> float:
    """The share of questions with the same answers."""
    same = 0
    for question in questions:
        first, second = (memory.search(question, min_score=0.0) for memory in (one, other))
        same += _same(first, second)
    return same / len(questions)


def _same(one: Answer, other: Answer) -> bool:
    """Equal places in equal order; places of equal scores may be swapped."""

    def places(answer: Answer) -> list[tuple[float, str]]:
        return sorted((round(-hit.score, 3), hit.citation or "") for hit in answer.hits)

    mine, theirs = places(one), places(other)
    if mine == theirs:
        return True
    # The last place may be shared by several of one score, of which each shows another.
    worst = mine[-1][0] if mine else 0.0
    return [place for place in mine if place[0] < worst] == [
        place for place in theirs if place[0] < worst
    ] and [score for score, _ in mine] == [score for score, _ in theirs]
