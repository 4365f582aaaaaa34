"""`python -m bench facts`: the weights by which a newer fact replaces an older one, each set left out in turn.

A row of the table is a pair of facts, a column one feature, and the label is whether the newer replaces the
older. A logistic regression is fitted on all sets but one and judged on that one, first on its pairs, then by
living the whole life with these weights. The relations (`notes/relations.py`) were made while some of the sets
were known, so each pair is learned from twice, once as if no relation had been found.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import life
from bench.fact_pairs import BOTH_HOLD, REPLACED, RULED_BOTH_HOLD, RULED_REPLACED
from bench.life import Life
from bench.measure import save, table
from memdown.notes import superseding
from memdown.notes.details import content_words
from memdown.notes.statements import facts_of
from memdown.notes.superseding import PairWeights, are_comparable, pair_features

LIVES = {
    "known": life.KNOWN,
    "unseen": life.UNSEEN,
    "third": life.THIRD,
    "builtOn": life.BUILT,
    "heldOut": life.HELD,
}
COLUMNS = tuple(field.name for field in dataclasses.fields(PairWeights) if field.name != "base")
# What belongs to nothing told together says less than what was written to be told apart.
_WEIGHT = {"replaced": 1.0, "both hold": 1.0, "unrelated": 0.5, "ordinary": 0.2}
_NEAREST, _LEAST_SHARED = 4, 0.15
_RIDGE, _ROUNDS = 1.0, 30
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
_NOTES = Path(__file__).parent.parent / "examples" / "workspace"
Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """An older and a newer fact, and what is between them."""

    old: str
    new: str
    kind: str


def pairs_of(told: Life) -> list[Pair]:
    """The pairs of a life: of each thread, of facts that hold side by side, and the nearest of all others."""
    found = []
    for thread in told.threads:
        for number, (new, word) in enumerate(thread.statements):
            earlier = thread.statements[:number]
            found += [Pair(old, new, "replaced") for old, other in earlier if other != word]
    for _, *facts in told.beside:
        found += [Pair(a, b, "both hold") for a in facts for b in facts if a != b]
    threads = [(n, text) for n, one in enumerate(told.threads) for text, _ in one.statements]
    aside = [(-1 - n, text) for n, text in enumerate(told.aside)]
    beside = [(n, text) for n, (_, *facts) in enumerate(told.beside) for text in facts]
    return [*found, *_unrelated([*threads, *aside]), *_unrelated(beside)]


def _unrelated(facts: Sequence[tuple[int, str]]) -> list[Pair]:
    """Of each fact, those of other threads that share most words with it."""
    words = [content_words(text) for _, text in facts]
    found = []
    for place, (thread, text) in enumerate(facts):
        shares = [
            (len(words[place] & words[n]) / min(len(words[place]), len(words[n])), n)
            for n, (other, _) in enumerate(facts)
            if other != thread and facts[n][1] != text
        ]
        nearest = sorted(shares, reverse=True)[:_NEAREST]
        found += [
            Pair(text, facts[n][1], "unrelated") for share, n in nearest if share > _LEAST_SHARED
        ]
    return found


def _sets() -> dict[str, list[Pair]]:
    return {
        "notes": _of_notes(_NOTES),
        **{name: pairs_of(one) for name, one in LIVES.items()},
        "ruled": [
            *(Pair(*pair, "replaced") for pair in RULED_REPLACED),
            *(Pair(*pair, "both hold") for pair in RULED_BOTH_HOLD),
        ],
        "pairs": [
            *(Pair(*pair, "replaced") for pair in REPLACED),
            *(Pair(*pair, "both hold") for pair in BOTH_HOLD),
        ],
    }


def _of_notes(folder: Path) -> list[Pair]:
    """Pairs of ordinary notes, in which hardly anything contradicts."""
    texts = [
        fact.text
        for file in sorted(folder.rglob("*.md"))
        for fact in facts_of(file.read_text(encoding="utf-8"), file.name)
    ]
    pairs = _unrelated(list(enumerate(dict.fromkeys(texts))))
    return [dataclasses.replace(pair, kind="ordinary") for pair in pairs]


def _features(pairs: Sequence[Pair]) -> Floats:
    rows = []
    for pair in pairs:
        found = pair_features(pair.old, pair.new)
        rows.append([float(found.get(name, 0)) for name in COLUMNS])
    return np.array(rows)


def fitted(features: Floats, replaced: Floats, weights: Floats, ridge: float = _RIDGE) -> Floats:
    """The weights of a logistic regression, the base first (Newton's method)."""
    rows = np.c_[np.ones(len(features)), features]
    found = np.zeros(rows.shape[1])
    penalty = np.eye(len(found)) * ridge
    penalty[0, 0] = 1e-6
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (chance - replaced)) + penalty @ found
        curve = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found


def _fit(sets: Mapping[str, list[Pair]], tables: Mapping[str, Floats], without: str = "") -> Floats:
    names = [name for name in sets if name != without]
    pairs = [pair for name in names for pair in sets[name]]
    compared = [are_comparable(pair.old, pair.new) for pair in pairs]
    rows = np.vstack([tables[name] for name in names])[compared]
    kinds = [pair.kind for pair, is_compared in zip(pairs, compared, strict=True) if is_compared]
    replaced = np.array([kind == "replaced" for kind in kinds], dtype=float)
    weights = np.array([_WEIGHT[kind] for kind in kinds]) / 2
    unrelated = rows.copy()
    unrelated[:, COLUMNS.index("restated")] = 0
    return fitted(np.vstack([rows, unrelated]), np.r_[replaced, replaced], np.r_[weights, weights])


def _named(weights: Floats) -> PairWeights:
    values = [round(float(value), 3) for value in weights]
    return PairWeights(base=values[0], **dict(zip(COLUMNS, values[1:], strict=True)))


def run(lived: bool = True) -> None:
    """Print how well pairs and lives are judged by weights that were fitted without them, then the weights of all."""
    sets = _sets()
    tables = {name: _features(pairs) for name, pairs in sets.items()}
    left_out = {name: _fit(sets, tables, without=name) for name in sets}
    kept: dict[str, Any] = {"pairs": _judge_pairs(sets, tables, left_out)}
    if lived:
        kept["lives"] = {name: _live(name, _named(left_out[name])) for name in LIVES}
    every = _named(_fit(sets, tables))
    print("\nFitted to all:")
    for name, value in dataclasses.asdict(every).items():
        print(f"    {name}: float = {value}")
    save("facts", {**kept, "weights": dataclasses.asdict(every)})


def _judge_pairs(
    sets: Mapping[str, list[Pair]], tables: Mapping[str, Floats], left_out: Mapping[str, Floats]
) -> dict[str, Any]:
    rows, kept = [], {}
    for name, pairs in sets.items():
        weights = left_out[name]
        chance = 1 / (1 + np.exp(-(weights[0] + tables[name] @ weights[1:])))
        chance *= [are_comparable(pair.old, pair.new) for pair in pairs]
        kinds = np.array([pair.kind for pair in pairs])
        shares = {
            kind: [float(np.mean(chance[kinds == kind] >= one)) for one in _THRESHOLDS]
            for kind in _WEIGHT
            if kind in kinds
        }
        kept[name] = shares
        rows += [
            [name, kind, str(int((kinds == kind).sum())), *(f"{one:.3f}" for one in found)]
            for kind, found in shares.items()
        ]
    head = ["left out", "pairs", "count", *(f">= {one}" for one in _THRESHOLDS)]
    print(table("Judged as replaced, by weights fitted without this set", head, rows))
    return kept


def _live(name: str, weights: PairWeights) -> dict[str, Any]:
    """A life as it would be with these weights: told by who ignores the question."""
    told = LIVES[name]
    with superseding.weighed_by(weights):
        with tempfile.TemporaryDirectory() as folder:
            figures = life.live(Path(folder), "ignores the question", told)
        with tempfile.TemporaryDirectory() as folder:
            wrong = life.beside(Path(folder), told)
    struck = [one for one in wrong if one.startswith("review strikes")]
    facts = sum(len(facts) for _, *facts in told.beside)
    print(
        f"{name}, left out: {dict(figures.answers)}; asked {figures.asked}, wrongly "
        f"{figures.asked_wrongly}; review {figures.review}; side by side {facts}: shown as what was "
        f"{len(wrong) - len(struck)}, struck {len(struck)}",
        flush=True,
    )
    return {
        "answers": dict(figures.answers),
        "asked": figures.asked,
        "askedWrongly": figures.asked_wrongly,
        "review": figures.review,
        "beside": facts,
        "besideShownAsPast": len(wrong) - len(struck),
        "besideStruck": len(struck),
        "misses": [*figures.misses, *wrong],
    }
