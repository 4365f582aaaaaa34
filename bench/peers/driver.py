"""What every peer's script does with its engine: fill it, ask it, weigh it. Needs numpy only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Timing, questions, resident_mb, spread, timed

_WARM_UP = 10
_MOST_ASKED = 100
# A slow engine is asked fewer questions.
_FEWEST_ASKED, _SECONDS = 20, 30.0
RESULTS = 6

Search = Callable[[str, Any], object]


@dataclass(frozen=True, slots=True)
class Given:
    """The chunks with their vectors, the notes they are from, and a place for the index."""

    notes: Path
    place: Path
    texts: list[str]
    vectors: Any


def run(fill: Callable[[Given], Search], *, embeds: bool = False) -> None:
    """Fill the engine, ask it every kind of question, print what that took as JSON.

    What it took us to embed a question is added, unless the engine `embeds` it by itself.
    """
    folder, place = Path(sys.argv[1]), Path(sys.argv[2])
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    given = Given(folder / "notes", place, texts, np.load(folder / "vectors.npy"))
    search, full = timed(lambda: fill(given))
    kinds = {}
    for kind, asked in questions(folder).items():
        vectors = np.load(folder / f"{kind}.npy")
        pairs = list(zip(asked, vectors, strict=True))[:_MOST_ASKED]
        for text, vector in pairs[:_WARM_UP]:
            search(text, vector)
        taken = _asked(search, pairs)
        if not embeds:
            embedding = np.load(folder / f"{kind}-taken.npy").tolist()
            taken = [
                Timing(one.wall + wall, one.cpu + cpu)
                for one, (wall, cpu) in zip(taken, embedding, strict=False)
            ]
        kinds[kind] = spread(taken)
    disk = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    print(
        json.dumps(
            {"full": asdict(full), "kinds": kinds, "resident_mb": resident_mb(), "disk": disk}
        )
    )


def _asked(search: Search, pairs: list[tuple[str, Any]]) -> list[Timing]:
    taken: list[Timing] = []
    for text, vector in pairs:
        if len(taken) >= _FEWEST_ASKED and sum(one.wall for one in taken) > _SECONDS:
            break
        taken.append(timed(partial(search, text, vector))[1])
    return taken


def fused(*rankings: list[int]) -> list[int]:
    """Reciprocal rank fusion, for engines that have none."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking):
            scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
    return sorted(scores, key=lambda key: -scores[key])[:RESULTS]
