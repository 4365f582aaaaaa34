"""A memory of one, five or fifty facts answers natural questions, and does not pretend to.

The facts are written with `remember` and asked for with `search`, as everyone begins; with few
notes the rarity of words says little, and silence is the worst answer.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from evaluation.small_memories.sets import (
    SIZES,
    SmallMemory,
    facts,
    foreign,
    small_memories,
    write,
)
from memdown import Memory
from memdown.cli import run
from memdown.notes.statements import read_validity
from memdown.types import Answer

LEAST_BY_WORD = 0.90
LEAST_BY_MEANING = 0.60
MOST_FOREIGN_STRONG = 0.05
_FOREIGN_OF_A_MEMORY = 8
_MANY = 10

# Words that tell nothing of what a question is about, in the languages of the sets.
_SMALL = set(
    """
    a about after am an and are as at be by can could did do does each for from get good have he her
    his how i if in is it its may me much my need no not of off often on or our over own she should
    so such than that the their there they this time to until up us use was we what when where
    which while who whom whose why will with without
    als am an auf bei bin bis das dem den der des die du ein eine einem einen einer es fuer für
    gibt haben hat ich ihr im in ins ist ja kann kommen kommt lautet mein meine meinem mich mir mit
    nach nicht nie nur oder sich sie sind soll um uns unser unsere von vor wann war warum was
    welche welchem welchen welcher welches wem wen wenn wer wie wieviel wir wird wo wogegen wohin
    worum zu zum zur muss habe
    a al antes con cuando cuál cuánto cuándo cómo de del desde donde dónde e el ella en es esta
    está la las le les lo los me mi mis más no nos nuestra nuestro o para pasa por que quién qué se
    si sin son su tiene un una uso y adónde hay tenemos
    """.split()
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SMALL_HAN = set("的是在了我们你他她它有和用哪什么谁几吗呢怎样为何时候里要会能可以多少一不只")


def words(text: str) -> set[str]:
    """What a text is about: its words without the small ones; pairs of Han characters."""
    found = {word for word in re.findall(r"[^\W\d_]+|\d+", text.lower()) if word not in _SMALL}
    found = {word for word in found if not _HAN.search(word)}
    for run_of_han in re.findall(r"[\u4e00-\u9fff]+", text):
        found |= {
            pair
            for pair in map("".join, itertools.pairwise(run_of_han))
            if not set(pair) & _SMALL_HAN
        }
    return found


def test_the_sets_are_what_they_say() -> None:
    """Each fact has one question that shares a word with it and one that shares none.

    Parts of words may be shared (`Zahnarzt`, `Zahnarzttermin`), as people do not avoid them.
    """
    made = small_memories()
    assert sorted({len(one.facts) for one in made}) == list(SIZES)
    languages = {one.language for one in made}
    assert len(languages) == 4
    every = [fact for language in languages for fact in facts(language)]
    assert 2 * len(every) >= 240
    assert sum(len(foreign(language)) for language in languages) >= 80
    for fact in every:
        assert "\n" not in fact.text
        assert words(fact.text) & words(fact.shared) or _HAN.search(fact.text), fact
        assert not words(fact.text) & words(fact.meant), fact
    for one in made:
        for question in one.foreign:
            for fact in one.facts:
                assert not words(fact.text) & words(question), (fact.text, question)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question brought."""

    memory: str
    kind: str
    question: str
    good: bool
    came: str


def strong(answer: Answer) -> bool:
    return bool(answer.hits) and (
        answer.strength == "strong" or any(hit.strength == "strong" for hit in answer.hits)
    )


def ask(memory: Memory, small: SmallMemory, name: str, turn: int, step: int) -> list[Asked]:
    """What each question brings; of many facts every `step`th is asked for."""
    asked = []
    for fact in small.facts[:: step if len(small.facts) > _MANY else 1]:
        for kind, question in (("word", fact.shared), ("meaning", fact.meant)):
            answer = memory.search(question)
            good = any(fact.text in hit.snippet for hit in answer.hits)
            came = answer.hits[0].snippet if answer.hits else "nothing"
            asked.append(Asked(name, kind, question, good, came))
    first = 5 * turn % len(small.foreign)
    for question in (small.foreign * 2)[first : first + _FOREIGN_OF_A_MEMORY]:
        answer = memory.search(question)
        came = answer.hits[0].snippet if answer.hits else "nothing"
        asked.append(Asked(name, "foreign", question, not strong(answer), came))
    return asked


@pytest.fixture(scope="module", params=[1, pytest.param(2, marks=pytest.mark.long)])
def outcome(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Asked]:
    """Questions asked of every small memory: in turn as durable facts or as a day's log, or all as both."""
    asked = []
    for turn, small in enumerate(small_memories()):
        for durable in (turn % 2 == 0, turn % 2 == 1)[: request.param]:
            folder, state = tmp_path_factory.mktemp("notes"), tmp_path_factory.mktemp("state")
            (folder / "memory").mkdir()
            name = f"{small.name} {'durable' if durable else 'daily'}"
            with Memory.open(folder, state_dir=state, environ={"HOME": str(state)}) as memory:
                for fact in small.facts:
                    memory.remember(fact.text, durable=durable)
                asked += ask(memory, small, name, turn, step=3 if request.param == 1 else 1)
    return asked


def share(outcome: Sequence[Asked], kind: str) -> float:
    of_kind = [one for one in outcome if one.kind == kind]
    return sum(one.good for one in of_kind) / len(of_kind)


def table(outcome: Sequence[Asked], kind: str) -> str:
    """The share in each memory, then some of the questions that went wrong and what came."""
    of_kind = [one for one in outcome if one.kind == kind]
    names = dict.fromkeys(one.memory for one in of_kind)
    lines = [
        f"  {name:<16} {share([one for one in of_kind if one.memory == name], kind):.0%}"
        for name in names
    ]
    wrong = [one for one in of_kind if not one.good]
    lines += [f"  {one.memory}: {one.question} → {one.came[:80]!r}" for one in wrong[:80]]
    return "\n".join(["", *lines])


def test_a_fact_is_seen_when_a_word_is_shared(outcome: list[Asked]) -> None:
    found = share(outcome, "word")
    assert found >= LEAST_BY_WORD, f"{found:.1%}{table(outcome, 'word')}"


def test_a_fact_is_seen_by_its_meaning(outcome: list[Asked]) -> None:
    found = share(outcome, "meaning")
    assert found >= LEAST_BY_MEANING, f"{found:.1%}{table(outcome, 'meaning')}"


def test_what_nobody_told_is_not_answered_with_confidence(outcome: list[Asked]) -> None:
    wrong = 1 - share(outcome, "foreign")
    assert wrong <= MOST_FOREIGN_STRONG, f"{wrong:.1%}{table(outcome, 'foreign')}"


def test_every_size_and_language_answers(outcome: list[Asked]) -> None:
    """No set may be bought with the others: even the worst shows most facts asked for by a word."""
    for name in {one.memory for one in outcome}:
        found = share([one for one in outcome if one.memory == name], "word")
        assert found >= 0.75, f"{name}: {found:.0%}"


def test_the_sets_can_be_run_by_memdown_eval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path)
    assert run(["eval", str(tmp_path), "--limit", "8", "--json"]) == 0
    names = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert names == ["small-chinese", "small-english", "small-german", "small-spanish"]


def test_the_notes_of_the_question_files_are_those_remember_writes(
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
    tmp_path: Path,
) -> None:
    memory = open_memory(write_notes({"MEMORY.md": ""}))
    small = next(one for one in small_memories() if len(one.facts) == 5)
    for fact in small.facts:
        memory.remember(fact.text, durable=True)
    (sets,) = [json.loads(file.read_text(encoding="utf-8")) for file in write(tmp_path)[:1]]
    lines = next(one["documents"]["MEMORY.md"] for one in sets if one["name"] == small.name)
    written = memory.notebook.read("MEMORY.md").text.rstrip("\n").split("\n")
    assert [read_validity(line).text for line in written] == lines
