"""`python -m bench facts`: the weights by which a newer fact replaces an older one, each life left out in turn.

A row is a pair of facts, with the question that both may answer or without one, and the label is whether the newer
replaces the older. A logistic regression is fitted on all sets but one and judged on that one, first on its pairs,
then by living the whole life with these weights. Those fitted to all sets are written into the package.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import memdown.notes
from bench import hours, life
from bench.lives import NAMES, Life, read_life, read_pairs
from bench.measure import save, table
from memdown.notes import superseding
from memdown.notes.details import content_words
from memdown.notes.pair_features import question_words
from memdown.notes.statements import facts_of
from memdown.notes.superseding import features_of

_WEIGHTS_FILE = Path(memdown.notes.__file__).parent / "superseding.json"
_NOTES = Path(__file__).parent.parent / "examples" / "workspace"
# What belongs to nothing told together says less than what was written to be told apart.
_WEIGHT = {"replaced": 1.0, "both hold": 1.0, "same name": 0.7, "unrelated": 0.35, "ordinary": 0.2}
# Of each fact about somebody so many others become facts of the same one.
_NAMESAKES = 5
_NEAREST, _LEAST_SHARED = 3, 0.15
# Of a question so many facts have most of its words, and so many pairs of them are learned from.
_ANSWERS, _ANSWER_PAIRS = 6, 5
# A feature counts from so many rows on, a word of questions from so many questions on.
_FEWEST = 5
_RIDGE, _ROUNDS = 1.5, 25
_SEED, _DRAWN = 19, 30_000
_THRESHOLDS = (0.2, 0.4, 0.6, 0.7, 0.8)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """An older and a newer fact, what is between them, and what was asked."""

    old: str
    new: str
    kind: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair as it is judged; None if it is not to be compared."""

    pair: Pair
    found: Mapping[str, float] | None


def pairs_of(told: Life) -> Iterator[Pair]:
    """The pairs of a life: of each thread, of facts that hold side by side, and the nearest of all others."""
    facts: list[tuple[int, str]] = []
    questions: list[str] = []
    for number, thread in enumerate(told.threads):
        questions.append(thread.question)
        for place, (new, word) in enumerate(thread.statements):
            facts.append((number, new))
            for old, other in thread.statements[:place]:
                if other != word:
                    yield Pair(old, new, "replaced", thread.question)
    for number, (question, *holding) in enumerate(told.beside, start=len(told.threads)):
        questions.append(question)
        facts += [(number, text) for text in holding]
        for one in holding:
            yield from (Pair(one, two, "both hold", question) for two in holding if one != two)
    facts += [(-1 - number, text) for number, text in enumerate(told.aside)]
    yield from _of_the_same_name(told)
    yield from _unrelated(facts)
    yield from _answers_of_others(questions, facts)


def _of_the_same_name(told: Life) -> Iterator[Pair]:
    """What is known of somebody, and something else of another, as if both were one: where Nora lives, what she
    drinks. Nothing of it replaces anything."""
    draw = random.Random(_SEED)
    every = [(one.question, [text for text, _ in one.statements]) for one in told.threads]
    every += [(question, holding) for question, *holding in told.beside]
    named = [(name, *one) for one in every if (name := hours.who([one[0], *one[1]]))]
    for name, question, texts in named:
        others = [
            (other, text)
            for other, asked, several in named
            if hours.may_be(other, name) and hours.asks_otherwise(question, name, asked, other)
            for text in several
        ]
        for text in texts:
            for other, one in draw.sample(others, min(_NAMESAKES, len(others))):
                yield Pair(text, hours.renamed(one, other, name), "same name", question)


def _unrelated(facts: Sequence[tuple[int, str]], kind: str = "unrelated") -> Iterator[Pair]:
    """Of each fact, those of other threads that share most words with it."""
    words = [content_words(text) for _, text in facts]
    for place, (thread, text) in enumerate(facts):
        shares = [
            (len(words[place] & words[n]) / max(1, min(len(words[place]), len(words[n]))), n)
            for n, (other, one) in enumerate(facts)
            if other != thread and one != text
        ]
        for share, n in sorted(shares, reverse=True)[:_NEAREST]:
            if share > _LEAST_SHARED:
                yield Pair(text, facts[n][1], kind)


def _answers_of_others(
    questions: Sequence[str], facts: Sequence[tuple[int, str]]
) -> Iterator[Pair]:
    """Of the facts that have most words of a question, pairs that have nothing to do with each other."""
    words = [content_words(text) for _, text in facts]
    for question in questions:
        asked = content_words(question)
        shares = sorted(((len(asked & words[n]), n) for n in range(len(facts))), reverse=True)
        best = [n for share, n in shares[:_ANSWERS] if share]
        apart = [(a, b) for a in best for b in best if facts[a][0] != facts[b][0]]
        for a, b in apart[:: max(1, len(apart) // _ANSWER_PAIRS)][:_ANSWER_PAIRS]:
            if facts[a][1] != facts[b][1]:
                yield Pair(facts[a][1], facts[b][1], "unrelated", question)


def _sets() -> dict[str, list[Row]]:
    """All pairs by the set that they are of, each as it is judged."""
    found: dict[str, list[Pair]] = {name: list(pairs_of(read_life(name))) for name in NAMES}
    for name in ("pairs", "ruledPairs", "taught"):
        found[name] = [
            Pair(one.old, one.new, "replaced" if one.replaced else "both hold", one.ask)
            for one in read_pairs(name)
        ]
    texts = [
        fact.text
        for file in sorted(_NOTES.rglob("*.md"))
        for fact in facts_of(file.read_text(encoding="utf-8"), file.name)
    ]
    found["notes"] = [
        *_unrelated(list(enumerate(dict.fromkeys(texts))), "ordinary"),
        *_drawn(texts),
    ]
    return {name: [_row(pair) for pair in pairs] for name, pairs in found.items()}


def _drawn(texts: Sequence[str]) -> Iterator[Pair]:
    """Pairs of ordinary facts as they come: most have a name in common, if anything."""
    draw = random.Random(_SEED)
    for _ in range(_DRAWN):
        old, new = draw.sample(texts, 2)
        if old != new and content_words(old) & content_words(new):
            yield Pair(old, new, "ordinary")


def _row(pair: Pair) -> Row:
    return Row(pair, features_of(pair.old, pair.new, pair.question))


def _learned(rows: Sequence[Row]) -> list[tuple[Mapping[str, float], bool, float]]:
    """What is learned from: what is asked about also as if nobody had asked, each for a half."""
    found: list[tuple[Mapping[str, float], bool, float]] = []
    for row in rows:
        if row.found is None:
            continue
        kind, weight = row.pair.kind, _WEIGHT[row.pair.kind]
        if row.pair.question:
            weight /= 2
            bare = features_of(row.pair.old, row.pair.new)
            found.append((bare or {}, kind == "replaced", weight))
        found.append((row.found, kind == "replaced", weight))
    return found


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The weights of a logistic regression by name (Newton's method, ridge)."""
    learned = _learned(rows)
    names = _names(rows, learned)
    column = {name: place for place, name in enumerate(names, start=1)}
    table_of = np.zeros((len(learned), len(names) + 1))
    table_of[:, 0] = 1
    for place, (found, _, _) in enumerate(learned):
        for name, value in found.items():
            if name in column:
                table_of[place, column[name]] = value
    weights = _newton(
        table_of,
        np.array([is_replaced for _, is_replaced, _ in learned], dtype=float),
        np.array([weight for _, _, weight in learned]),
    )
    values = weights.round(3).tolist()
    return {
        "base": values[0],
        **{
            name: value for name, value in zip(names, values[1:], strict=True) if abs(value) >= 0.02
        },
    }


def _names(
    rows: Sequence[Row], learned: Sequence[tuple[Mapping[str, float], bool, float]]
) -> list[str]:
    """The features that are seen often enough; of the words of questions, in enough questions."""
    words = Counter(
        word
        for question in {row.pair.question for row in rows if row.pair.question}
        for word in question_words(question)
    )
    seen = Counter(name for found, _, _ in learned for name in found if name not in words)
    return sorted(name for name, count in (seen + words).items() if count >= _FEWEST)


def _newton(rows: Floats, replaced: Floats, weights: Floats) -> Floats:
    found = np.zeros(rows.shape[1])
    penalty = np.full(len(found), _RIDGE)
    penalty[0] = 1e-6
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (chance - replaced)) + penalty * found
        wide = rows * np.sqrt(weights * chance * (1 - chance))[:, None]
        curve = wide.T @ wide + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-4:
            break
    return found


def judged(rows: Sequence[Row], weights: Mapping[str, float]) -> Floats:
    """How likely each pair is a replaced one, by some weights."""
    score = [
        -30.0
        if row.found is None
        else sum(weights.get(name, 0.0) * value for name, value in row.found.items())
        for row in rows
    ]
    return np.asarray(1 / (1 + np.exp(-(weights["base"] + np.array(score)))))


def run(lives: Sequence[str] = NAMES) -> None:
    """Print how well pairs and lives are judged by weights that were fitted without them; write those of all."""
    sets = _sets()
    left_out = {
        name: fit([row for other, rows in sets.items() if other != name for row in rows])
        for name in lives
    }
    kept: dict[str, Any] = {"pairs": _judge_pairs(sets, left_out)}
    kept["lives"] = {name: _live(name, weights) for name, weights in left_out.items()}
    every = fit([row for rows in sets.values() for row in rows])
    _WEIGHTS_FILE.write_text(written(every), encoding="utf-8")
    print(f"\nFitted to all: {len(every)} weights, written to {_WEIGHTS_FILE.name}")
    save("facts", kept)


def written(weights: Mapping[str, float]) -> str:
    """The weights as they are kept, one on a line."""
    return json.dumps(weights, ensure_ascii=False, indent=0) + "\n"


def _judge_pairs(
    sets: Mapping[str, list[Row]], left_out: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    lines, kept = [], {}
    for name, weights in left_out.items():
        chance = judged(sets[name], weights)
        kinds = np.array([row.pair.kind for row in sets[name]])
        shares = {
            kind: [float(np.mean(chance[kinds == kind] >= one)) for one in _THRESHOLDS]
            for kind in _WEIGHT
            if kind in kinds
        }
        kept[name] = shares
        lines += [
            [name, kind, str(int((kinds == kind).sum())), *(f"{one:.3f}" for one in found)]
            for kind, found in shares.items()
        ]
    head = ["left out", "pairs", "count", *(f">= {one}" for one in _THRESHOLDS)]
    print(table("Judged as replaced, by weights fitted without this set", head, lines))
    return kept


def _live(name: str, weights: Mapping[str, float]) -> dict[str, Any]:
    """A life as it would be with these weights: told by who follows the question, and by who ignores it."""
    told = read_life(name)
    kept: dict[str, Any] = {}
    with superseding.weighed_by(weights):
        for teller in life.TELLERS[1:]:
            with tempfile.TemporaryDirectory() as folder:
                figures = life.live(Path(folder), teller, told)
            print(
                f"{name}, left out, {teller}: {dict(figures.answers)}; first {figures.first}; asked "
                f"{figures.asked}, wrongly {figures.asked_wrongly}; review {figures.review}",
                flush=True,
            )
            kept[teller] = {
                "answers": dict(figures.answers),
                "first": figures.first,
                "asked": figures.asked,
                "askedWrongly": figures.asked_wrongly,
                "review": figures.review,
            }
        with tempfile.TemporaryDirectory() as folder:
            wrong = life.beside(Path(folder), told)
        with tempfile.TemporaryDirectory() as folder:
            kept["hours"] = hours.shown(hours.live(Path(folder), life.TELLERS[-1], told))
    struck = [one for one in wrong if one.startswith("review strikes")]
    facts = sum(len(holding) for _, *holding in told.beside)
    kept |= {"beside": facts, "shownAsPast": len(wrong) - len(struck), "struck": len(struck)}
    print(
        f"{name}: of {facts} side by side, shown as what was {kept['shownAsPast']}, struck {len(struck)}"
    )
    print(f"{name}, within hours: {kept['hours']}", flush=True)
    return kept
