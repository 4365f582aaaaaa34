"""A life told within hours: several things about the same people in one day; part of `python -m bench life`.

Who begins with a memory tells much on the first day, and much of it about the same few people. So the threads of a
life that are about somebody are told of fewer people: of Nora where she lives, what she drinks and her number. All of
a group is told in one day, with facts about the same people that hold side by side, most through `remember`, and some
as lines that an editor writes into MEMORY.md or the log of the day.
"""

from __future__ import annotations

import datetime
import functools
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from bench import life
from bench.lives import Life, Thread, people, read_life
from bench.measure import save
from memdown import Memory
from memdown.notes.details import content_words

_SEED = 19
# So many threads of a life become about one person, and so many facts that hold side by side are told with them.
_THREADS, _BESIDE = 5, 3
# This share of the statements is written by an editor; after this share somebody searches.
_BY_EDITOR, _LOOKS = 0.3, 0.3
_UNSPACED = "\u0e00"
# Whom a group is told of: names that no life has.
_NAMES = (
    "Nora Teo Henrike Samir Zita Lorcan Brigitte Kwame Odette Pelle Sunita Marek Yara Tibor Freya Rasmus Ilse Bento "
    "Noemi Anouk Ludmila Piotr Zelda Hakan Mirja Orson Vesna Ruben Talitha Egon Cleo Ansgar Imke Basil Roya Kjell"
).split()
_UNSPACED_NAMES = "志强 雅婷 建国 由美 俊杰 文静 直樹 玉兰".split()


@dataclass(frozen=True, slots=True)
class Group:
    """What is told in one day: threads, most of one person, and facts that hold side by side."""

    threads: tuple[Thread, ...]
    beside: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class HourFigures(life.Figures):
    """As of any life, and what holds but is shown as what was, or would be struck."""

    holding: int = 0
    shown_as_past: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)


def who(texts: Sequence[str]) -> str:
    """Whom all of these texts are about; empty if nobody is named in all."""
    return next((name for name in _named(texts[0]) if all(name in _named(t) for t in texts)), "")


@functools.cache
def _named(text: str) -> tuple[str, ...]:
    if _is_unspaced(text):
        return tuple(name for name in people() if name in text)
    words = re.findall(r"[^\W\d_]+", text)
    return tuple(word for word in words if word in people())


def renamed(text: str, name: str, other: str) -> str:
    """A text about somebody, told of somebody else."""
    if not name or _is_unspaced(name):
        return text.replace(name, other) if name else text
    return re.sub(rf"\b{name}\b", other, text)


def groups(told: Life) -> list[Group]:
    """The life in groups, each of one person as far as its threads are about people, and of different things."""
    left = [(who(_texts(one)), one) for one in told.threads]
    beside = [(who(one), one) for one in told.beside]
    names = {False: list(_NAMES), True: list(_UNSPACED_NAMES)}
    found = []
    while left:
        chosen: list[Thread] = []
        first = next((one for one, _ in left if one), "")
        name = names[_is_unspaced(first)].pop(0) if first else ""
        for owner, thread in list(left):
            fits = (
                owner and may_be(owner, name) and not _of_the_same(thread.question, owner, chosen)
            )
            if len(chosen) < _THREADS and (fits or (not owner and len(chosen) > 1)):
                left.remove((owner, thread))
                chosen.append(_thread_of(thread, owner, name) if owner else thread)
        if not chosen:
            chosen = [thread for _, thread in left[:_THREADS]]
            left = left[_THREADS:]
        held: list[tuple[str, ...]] = []
        for owner, one in list(beside):
            fits = owner and name and may_be(owner, name)
            if len(held) < _BESIDE and fits and not _of_the_same(one[0], owner, chosen):
                beside.remove((owner, one))
                held.append(tuple(renamed(text, owner, name) for text in one))
        found.append(Group(tuple(chosen), tuple(held)))
    return found


def _texts(thread: Thread) -> list[str]:
    return [thread.question, *(text for text, _ in thread.statements)]


def may_be(owner: str, name: str) -> bool:
    """Whether somebody can have another name: one of the same script."""
    return _is_unspaced(owner) == _is_unspaced(name)


def _is_unspaced(text: str) -> bool:
    return text[:1] >= _UNSPACED


def _of_the_same(question: str, owner: str, chosen: Sequence[Thread]) -> bool:
    """Whether one of some threads is about the same of somebody: where both live."""
    return any(not asks_otherwise(question, owner, one.question) for one in chosen)


def asks_otherwise(question: str, name: str, other: str, other_name: str = "") -> bool:
    """Whether two questions have no word in common but the names: they ask for different things."""
    words = content_words(renamed(question, name, ""))
    if _is_unspaced(question):
        return len(words & content_words(renamed(other, other_name, ""))) < 2
    return words.isdisjoint(content_words(renamed(other, other_name, "")))


def _thread_of(thread: Thread, owner: str, name: str) -> Thread:
    told = tuple((renamed(text, owner, name), word) for text, word in thread.statements)
    return replace(thread, question=renamed(thread.question, owner, name), statements=told)


def as_life(told: Sequence[Group]) -> Life:
    """All groups as a life."""
    threads = tuple(thread for one in told for thread in one.threads)
    return Life(threads, (), tuple(held for one in told for held in one.beside))


def statements(group: Group, day: int, draw: random.Random) -> Iterator[life.Statement]:
    """What is told in a day: each thread in its order, all of them mixed."""
    lines: list[list[life.Statement]] = []
    for thread in group.threads:
        lines.append([])
        for number, (text, word) in enumerate(thread.statements):
            earlier = thread.statements[:number]
            old = tuple(one for one, other in earlier if other != word)
            same = tuple(one for one, other in earlier if other == word)
            durable = draw.random() < 0.5
            lines[-1].append(life.Statement(day, text, old, same, durable, thread.until))
    for _, *facts in group.beside:
        lines.append([life.Statement(day, text, durable=draw.random() < 0.5) for text in facts])
    while lines:
        of = draw.choice(lines)
        yield of.pop(0)
        lines = [one for one in lines if one]


def shown(figures: HourFigures) -> dict[str, Any]:
    """What came out, by name."""
    return {
        "answers": dict(figures.answers),
        "first": figures.first,
        "holding": figures.holding,
        "shownAsPast": len(figures.shown_as_past),
        "struck": len(figures.struck),
        "asked": figures.asked,
        "askedWrongly": figures.asked_wrongly,
        "review": figures.review,
    }


def run(names: Sequence[str]) -> None:
    """Tell each of these lives within hours, by who ignores the question, and print what comes of it."""
    kept = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            told = live(Path(folder), life.TELLERS[-1], read_life(name))
        kept[name] = shown(told)
        print(f"{name}, told within hours: {kept[name]}", flush=True)
        for text in (*told.misses, *told.shown_as_past, *told.struck):
            print("   ", text)
    save("hours", kept)


def live(folder: Path, teller: str, told: Life) -> HourFigures:
    """Tell each group in a day, ask everything on the last day, and count."""
    figures = HourFigures()
    every = groups(told)
    with life.memory_in(folder) as (memory, clock):
        tell_all(folder, memory, clock, every, teller, figures)
        shared = as_life(every)
        for thread in shared.threads:
            life.ask(memory, thread, clock[0], figures)
        life.look_through(memory, shared, figures)
        _count_wronged(memory, shared, clock[0], figures)
    return figures


def tell_all(
    folder: Path,
    memory: Memory,
    clock: list[datetime.date],
    every: Sequence[Group],
    teller: str,
    figures: life.Figures,
) -> None:
    """Tell each group in a day, some minutes between two statements; the clock shows a day long after all."""
    draw = random.Random(_SEED)
    for day, group in enumerate(every):
        clock[0] = life.FIRST + datetime.timedelta(day)
        now = datetime.datetime.combine(clock[0], datetime.time(8)).timestamp()
        for one in statements(group, day, draw):
            now += draw.randint(2, 40) * 60
            with mock.patch("time.time", return_value=now):
                if draw.random() < _BY_EDITOR and not one.until:
                    _write(folder / "notes", one, clock[0])
                    figures.statements += 1
                else:
                    life.tell(memory, one, teller, figures)
                if draw.random() < _LOOKS:
                    memory.search(one.text)
    clock[0] = life.FIRST + datetime.timedelta(len(every) + 40)


def _write(notes: Path, one: life.Statement, today: datetime.date) -> None:
    """A line at the end of a note, as an editor writes it."""
    note = notes / ("MEMORY.md" if one.durable else f"memory/{today}.md")
    note.parent.mkdir(exist_ok=True)
    before = note.read_text(encoding="utf-8") if note.exists() else f"# {note.stem}\n\n"
    note.write_text(f"{before.rstrip()}\n- {one.text}\n", encoding="utf-8")


def _count_wronged(memory: Memory, told: Life, today: datetime.date, figures: HourFigures) -> None:
    """What holds, and is shown as what was or would be struck."""
    asked = [one.question for one in told.threads if not one.until]
    holding = {one.statements[-1][0] for one in told.threads if not one.until}
    for question, *facts in told.beside:
        asked.append(question)
        holding.update(facts)
    wronged: dict[str, str] = {}
    for question in asked:
        for text, holds in life.lines_of(memory.search(question).hits, today):
            if not holds and text in holding:
                wronged.setdefault(text, question)
    figures.holding = len(holding)
    figures.shown_as_past = [f"{text} ({question})" for text, question in wronged.items()]
    struck = [one.diff for one in life.contradictions(memory)]
    figures.struck = [" / ".join(one) for one in struck if any(text in one[0] for text in holding)]
