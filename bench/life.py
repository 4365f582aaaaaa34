"""A simulated life: told day by day through `remember`, then asked about; `python -m bench life`.

Three tellers tell the same. One names what each statement replaces, one follows the question that comes
back, one ignores it. Reported is what a search shows afterwards.
"""

from __future__ import annotations

import datetime
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.lives import Life, Thread, read_life
from bench.measure import save, table
from memdown import Memory
from memdown.config import load_settings
from memdown.facts.reviewing import Proposal, review
from memdown.notes.statements import facts_of
from memdown.types import Hit

FIRST = datetime.date(2026, 9, 1)
DAYS = 35
_SEED = 19
TELLERS = ("replaces", "follows the question", "ignores the question")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something told on a day; of the earlier texts of its thread, `old` say another thing, `same` the same."""

    day: int
    text: str
    old: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    durable: bool = True
    until: int = 0
    again: bool = False


@dataclass(slots=True)
class Figures:
    """What came out for one teller; `first` counts answers that begin with what holds."""

    statements: int = 0
    superseding: int = 0
    related: int = 0
    asked: int = 0
    asked_wrongly: int = 0
    repeated: int = 0
    doubled: int = 0
    first: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    review: dict[str, float] = field(default_factory=dict)
    milliseconds: float = 0.0


def statements(life: Life, durable_share: float = 0.5) -> list[Statement]:
    """The life in order: threads spread over the days, repeated ones again, asides between them."""
    draw = random.Random(_SEED)
    found = []
    for thread in life.threads:
        count = len(thread.statements)
        durable = draw.random() < durable_share
        days = sorted(draw.sample(range(DAYS - 8), count))
        for number, ((text, word), day) in enumerate(zip(thread.statements, days, strict=True)):
            earlier = thread.statements[:number]
            old = tuple(one for one, other in earlier if other != word)
            same = tuple(one for one, other in earlier if other == word)
            found.append(Statement(day, text, old, same, durable, thread.until))
        if thread.repeated:
            text = thread.statements[0][0]
            later = draw.randint(days[0] + 1, DAYS - 1)
            found.append(Statement(later, text, durable=durable, again=True))
    found += [Statement(draw.randrange(DAYS), text, durable=False) for text in life.aside]
    return sorted(found, key=lambda one: one.day)


def run(names: Sequence[str]) -> None:
    """Live each of these lives once for each teller, and print what a search shows afterwards."""
    save("life", {name: _lived(f"A simulated life: {name}", read_life(name)) for name in names})


def _lived(title: str, life: Life) -> dict[str, Any]:
    rows: list[list[object]] = []
    kept: dict[str, Any] = {}
    for teller in TELLERS:
        with tempfile.TemporaryDirectory() as folder:
            figures = live(Path(folder), teller, life)
        shown = figures.answers
        rows.append(
            [
                teller,
                figures.statements,
                shown["clean"],
                shown["current first"],
                shown["outdated first"],
                shown["not found"],
                shown["expired as current"],
                f"{figures.related}/{figures.superseding}",
                f"{figures.doubled}/{figures.repeated}",
                f"{figures.asked_wrongly}/{figures.asked}",
                figures.first,
            ]
        )
        kept[teller] = {
            "statements": figures.statements,
            "questions": sum(shown.values()),
            "answers": dict(shown),
            "first": figures.first,
            "related": figures.related / max(1, figures.superseding),
            "asked": figures.asked,
            "askedWrongly": figures.asked_wrongly,
            "doubled": figures.doubled,
            "review": figures.review,
            "rememberMilliseconds": figures.milliseconds,
            "misses": figures.misses,
        }
    head = "teller told clean current-first outdated-first not-found expired related doubled asked-wrongly first"
    print(table(title, head.split(), [list(map(str, row)) for row in rows]))
    for teller, told in kept.items():
        print(
            f"{teller}: review {told['review']}, {told['rememberMilliseconds']:.0f} ms a statement"
        )
        for miss in told["misses"]:
            print("   ", miss)
    with tempfile.TemporaryDirectory() as folder:
        wrong = beside(Path(folder), life)
    told_beside = sum(len(facts) for _, *facts in life.beside)
    print(f"facts that hold side by side, shown as what was: {len(wrong)} of {told_beside}")
    for text in wrong:
        print("   ", text)
    return {**kept, "besideShownAsPast": len(wrong), "beside": told_beside}


def beside(folder: Path, life: Life) -> list[str]:
    """Tell facts that all hold, on different days; those that an answer shows as what was."""
    wrong = []
    with memory_in(folder) as (memory, clock):
        for number in range(3):
            for question, *facts in life.beside:
                clock[0] = FIRST + datetime.timedelta(number * 6 + len(question) % 5)
                for text in facts[number : number + 1]:
                    memory.remember(
                        text, durable=len(question) % 2 == number % 2, allow_secrets=True
                    )
        clock[0] = FIRST + datetime.timedelta(DAYS)
        for question, *facts in life.beside:
            lines = dict(lines_of(memory.search(question).hits, clock[0]))
            wrong += [text for text in facts if not lines.get(text, True)]
        wrong += [f"review strikes: {one.diff[0]}" for one in contradictions(memory)]
    return wrong


def contradictions(memory: Memory) -> list[Proposal]:
    return [one for one in review(memory) if one.kind == "contradiction"]


@contextmanager
def memory_in(folder: Path) -> Iterator[tuple[Memory, list[datetime.date]]]:
    """A memory without notes, and its clock."""
    notes = folder / "notes"
    notes.mkdir()
    clock = [FIRST]
    settings = load_settings(workspace=notes, environ={"MEMDOWN_STATE_DIR": str(folder / "state")})
    with Memory.from_settings(settings, today=lambda: clock[0]) as memory:
        yield memory, clock


def live(folder: Path, teller: str, life: Life) -> Figures:
    """Tell everything, ask everything on the last day, and count."""
    figures = Figures()
    with memory_in(folder) as (memory, clock):
        begun = time.perf_counter()
        for one in statements(life):
            clock[0] = FIRST + datetime.timedelta(one.day)
            tell(memory, one, teller, figures)
        figures.milliseconds = (time.perf_counter() - begun) * 1000 / figures.statements
        clock[0] = FIRST + datetime.timedelta(DAYS)
        for thread in life.threads:
            ask(memory, thread, clock[0], figures)
        look_through(memory, life, figures)
    return figures


def tell(memory: Memory, one: Statement, teller: str, figures: Figures) -> None:
    until = FIRST + datetime.timedelta(one.day + one.until) if one.until else None
    figures.statements += 1
    figures.repeated += one.again
    replaces = one.old[-1:] if teller == "replaces" else ()
    done = memory.remember(
        one.text, durable=one.durable, until=until, replaces=replaces, allow_secrets=True
    )
    figures.doubled += one.again and not done.known
    if teller == "replaces":
        return
    if one.old:
        figures.superseding += 1
        found = any(near.text == one.old[-1] for near in done.related)
        figures.related += found
        if not found:
            figures.misses.append(f"not related: {one.text!r} to {one.old[-1]!r}")
    meant = next((near for near in done.related if f"{near.reference} (" in done.question), None)
    figures.asked += bool(done.question)
    figures.asked_wrongly += bool(done.question) and (
        meant is None or meant.text not in (*one.old, *one.same)
    )
    if teller == "follows the question" and one.old:
        # An agent reads the question and the related facts, and names what is outdated of them.
        names = [near.reference for near in done.related if near.text in one.old]
        if done.question and names:
            memory.remember(one.text, durable=one.durable, replaces=names, allow_secrets=True)


def ask(memory: Memory, thread: Thread, today: datetime.date, figures: Figures) -> None:
    hits = memory.search(thread.question).hits
    current = thread.statements[-1][1]
    outdated = [text for text, word in thread.statements if word != current]
    lines = list(lines_of(hits, today))
    now = next((n for n, (text, holds) in enumerate(lines) if current in text and holds), None)
    # By the whole statement: "12" stands in lines of other threads, too.
    old = next((n for n, (text, holds) in enumerate(lines) if text in outdated and holds), None)
    figures.first += not thread.until and now == 0
    if thread.until:
        kind = "expired as current" if now is not None else "clean"
    elif now is None:
        kind = "outdated first" if old is not None else "not found"
    elif old is None:
        kind = "clean"
    else:
        kind = "current first" if now < old else "outdated first"
    figures.answers[kind] += 1
    if kind != "clean":
        figures.misses.append(f"{kind}: {thread.question} {[text for text, _ in lines[:3]]}")


def lines_of(hits: Sequence[Hit], today: datetime.date) -> Iterator[tuple[str, bool]]:
    """What is shown, line by line, and whether it is shown as what holds."""
    for hit in hits:
        for fact in facts_of(hit.snippet, hit.path):
            yield fact.text, not hit.was and not fact.struck and not fact.validity.expired(today)


def look_through(memory: Memory, life: Life, figures: Figures) -> None:
    """How many contradictions of the life are proposed, and how many of the proposals are ones."""
    wrong = {
        (old, thread.statements[number][0])
        for thread in life.threads
        for number in range(1, len(thread.statements))
        for old, word in thread.statements[:number]
        if word != thread.statements[number][1]
    }
    outdated = {
        text
        for thread in life.threads
        for text, word in thread.statements
        if word != thread.statements[-1][1]
    }
    texts: dict[str, str] = {}
    current = set()
    for path in memory.notes().files:
        for fact in facts_of(memory.notebook.read(path).text, path):
            texts[fact.reference] = fact.text
            if fact.is_current(memory.pen().today):
                current.add(fact.text)
    left = outdated & current
    said = contradictions(memory)
    right = [one for one in said if (texts[one.references[0]], texts[one.references[1]]) in wrong]
    covered = {texts[one.references[0]] for one in right}
    figures.misses += [f"not reviewed: {text}" for text in sorted(left - covered)]
    figures.review = {
        "proposed": len(said),
        "precision": len(right) / len(said) if said else 1.0,
        "recall": len(covered & left) / len(left) if left else 1.0,
        "outdated": len(left),
    }
