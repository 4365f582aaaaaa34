"""The log of questions: off unless wanted, local, and what it tells about facts."""

from __future__ import annotations

import datetime
import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memdown import Memory
from memdown.cli import run
from memdown.config import load_settings
from memdown.facts import forgetting, use
from memdown.notes.statements import facts_of
from memdown.testing import HashEmbedder

DAY = datetime.date(2026, 11, 2)
NOTES = {
    "MEMORY.md": "# Memory\n\n- Nora lives in Porto.\n- The stove is electric.\n- Teo is a nurse.\n",
    "memory/garden.md": "# Garden\n\n- The hedge is cut in March.\n",
}


class Clock:
    today = DAY


@pytest.fixture
def asked(
    write_notes: Callable[[dict[str, str]], Path], own_state: Path, tmp_path: Path
) -> Iterator[Memory]:
    """A memory with the log on, whose day the test sets."""
    config = tmp_path / "config.json5"
    config.write_text("{memory: {use: {enabled: true}}}")
    Clock.today = DAY
    settings = load_settings(config=config, workspace=write_notes(NOTES))
    with Memory.from_settings(
        settings, embedder=HashEmbedder(), today=lambda: Clock.today
    ) as memory:
        yield memory


def ask(memory: Memory, question: str, session: str = "") -> None:
    use.record_question(memory, question, memory.search(question), session=session)


def files(state: Path) -> list[Path]:
    return sorted(state.glob("agents/main/use/*"))


def test_nothing_is_kept_unless_it_is_switched_on(
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
    own_state: Path,
) -> None:
    memory = open_memory(write_notes(NOTES))
    ask(memory, "Where does Nora live?")
    use.record_opening(memory, "MEMORY.md")
    assert files(own_state) == []
    assert use.report(memory) == use.Use(on=False, since=use.report(memory).since)
    assert use.weights_of(memory.settings, DAY) == {}


def test_facts_are_counted_by_what_they_say(asked: Memory, own_state: Path) -> None:
    """A fact that moves to another note keeps its count; the log repeats no note."""
    ask(asked, "Where does Nora live?")
    ask(asked, "Nora")
    use.record_opening(asked, "MEMORY.md", 3, 3)
    workspace = asked.settings.workspace
    (workspace / "MEMORY.md").write_text("# Memory\n\n- Teo is a nurse.\n")
    (workspace / "memory/people.md").write_text("# People\n\n- Nora lives in Porto. (since 2026)\n")
    found = use.report(asked)
    best = found.often[0]
    assert (found.questions, found.openings) == (2, 1)
    assert (best.fact.path, best.count, best.opened, best.last) == (
        "memory/people.md",
        2,
        1,
        DAY,
    )
    (file,) = files(own_state)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Porto" not in file.read_text()


def test_only_the_fact_that_matched_is_recalled(asked: Memory) -> None:
    """Its neighbours in the snippet are not, nor is what is shown as what was."""
    text = "# House\n\n- Boiler\n  - Serviced in May.\n- The lamp is green.\n- ~~The boiler is old.~~\n"
    (asked.settings.workspace / "memory/house.md").write_text(text)
    answer = asked.search("When is the boiler serviced?")
    wide = replace(answer.hits[0], snippet=text)
    use.record_question(asked, "boiler", replace(answer, hits=(wide,)))
    use.record_question(asked, "boiler", replace(answer, hits=(replace(wide, was=True),)))
    assert [(one.fact.text, one.count) for one in use.report(asked).often] == [("Boiler", 1)]


def test_what_was_never_recalled_is_told_after_enough_questions(asked: Memory) -> None:
    ask(asked, "Where does Nora live?")
    assert use.report(asked).never == ()
    for _ in range(20):
        ask(asked, "Porto")
    never = {fact.text for fact in use.report(asked).never}
    assert "The hedge is cut in March." in never
    assert "Nora lives in Porto." not in never


def test_a_question_is_missed_until_it_is_answered(asked: Memory) -> None:
    ask(asked, "zanzibar ferry")
    ask(asked, "Zanzibar ferry?")
    (miss,) = use.report(asked).missed
    assert (miss.question, miss.count, miss.found) == ("Zanzibar ferry?", 2, "nothing")
    asked.remember("The Zanzibar ferry leaves at nine.", durable=True)
    ask(asked, "zanzibar ferry")
    assert use.report(asked).missed == ()


def test_what_was_opened_then_is_the_answer(asked: Memory) -> None:
    """In the same session only: another one may be about something else."""
    ask(asked, "zanzibar", session="one")
    use.record_opening(asked, "memory/garden.md", 1, 3, session="two")
    use.record_opening(asked, "MEMORY.md", 4, 4, session="one")
    assert use.report(asked).missed[0].answer == use.Opening("MEMORY.md", 4, 4)


def test_what_is_used_weighs_more_and_fades(asked: Memory) -> None:
    nora, stove, teo = facts_of(NOTES["MEMORY.md"], "MEMORY.md")
    for _ in range(3):
        use.record_opening(asked, "MEMORY.md", stove.line, stove.line)
    Clock.today = DAY + datetime.timedelta(85)
    use.record_opening(asked, "MEMORY.md", teo.line, teo.line)
    weights = use.weights_of(asked.settings, Clock.today)
    assert weights[use.fact_key(teo)] > weights[use.fact_key(stove)] > 0
    assert use.fact_key(nora) not in weights


def test_old_days_go(asked: Memory, own_state: Path) -> None:
    ask(asked, "Nora")
    Clock.today = DAY + datetime.timedelta(91)
    ask(asked, "Teo")
    assert [file.stem for file in files(own_state)] == [str(Clock.today)]


def test_secrets_and_what_was_erased_are_not_written(asked: Memory, own_state: Path) -> None:
    secret = "sk-proj-" + "a1B2" * 10
    ask(asked, f"what is {secret} for")
    ask(asked, "why does Teo work as a nurse")
    forgetting.erase(asked, forgetting.find(asked, "Teo is a nurse."))
    ask(asked, "is it true that Teo is a nurse")
    text = files(own_state)[0].read_text()
    assert secret not in text
    assert "Teo is a nurse" not in text


def test_erasing_reaches_the_log(asked: Memory, own_state: Path) -> None:
    asked.remember("The alarm phrase is umbrella seven.", durable=True)
    ask(asked, "the alarm phrase is umbrella seven")
    receipt = forgetting.erase(asked, forgetting.find(asked, "alarm phrase is umbrella seven"))
    assert receipt.complete
    assert "umbrella" not in files(own_state)[0].read_text()


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "7", '{"question": 7}', '{"question": "a", "opened": "b"}', '{"facts": 3}'],
)
def test_lines_that_say_nothing_are_passed_over(asked: Memory, own_state: Path, line: str) -> None:
    ask(asked, "Nora")
    (file,) = files(own_state)
    file.write_text(f"{line}\n{file.read_text()}")
    assert use.report(asked).questions == 1


def test_a_log_that_cannot_be_written_breaks_nothing(asked: Memory, own_state: Path) -> None:
    folder = own_state / "agents/main/use"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    ask(asked, "Nora")
    assert use.report(asked).questions == 0


def test_by_the_commands(
    write_notes: Callable[[dict[str, str]], Path],
    own_state: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Asked, missed, opened; shown; made into questions that can be run; deleted."""
    config = tmp_path / "config.json5"
    config.write_text("{memory: {use: {enabled: true}}}")
    place = ["-w", str(write_notes(NOTES)), "--config", str(config)]
    assert run(["review", "--use", *place]) == 1
    assert run(["search", "Where does Nora live", *place]) == 0
    assert run(["search", "zanzibar", *place]) == 1
    assert run(["get", "memory/garden.md:3-3", *place]) == 0
    capsys.readouterr()
    assert run(["review", "--use", *place]) == 0
    shown = capsys.readouterr().out
    assert "2 questions, 1 note opened" in shown
    assert "1×  MEMORY.md#L3  Nora lives in Porto." in shown
    assert "zanzibar: nothing" in shown
    assert run(["review", "--use", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out)["missed"][0]["question"] == "zanzibar"
    assert run(["eval", "make", "--misses", *place]) == 0
    drafted = capsys.readouterr().out
    assert drafted.splitlines()[1:] == ["zanzibar\tmemory/garden.md#L3"]
    questions = tmp_path / "questions.txt"
    questions.write_text(drafted)
    assert run(["eval", str(questions), *place]) == 0
    assert run(["review", "--use", "--clear", *place]) == 0
    assert files(own_state) == []
    assert run(["eval", "make", "--misses", *place]) == 2
    assert "every question found something" in capsys.readouterr().err
    assert run(["review", "--clear", *place]) == 2
