"""The silent turn: what must last is on disk once, whatever happens on the way."""

from __future__ import annotations

import datetime
import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.scripted import ScriptedModel, saving
from memdown import Memory, WorkspaceError
from memdown.agent import Message, Reply, ToolCall, run_flush
from memdown.agent.flush import fitting, message_tokens
from memdown.errors import ContextOverflow

TALK = [
    Message("system", "You are kind."),
    Message("user", "We chose PostgreSQL."),
    Message("assistant", "Noted."),
]
DONE = Reply("NO_REPLY")


@pytest.fixture
def memory(write_notes: Callable[..., Path], open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(write_notes({"MEMORY.md": "# Memory\n\n- Old fact.\n"}))


def log_of(memory: Memory, day: datetime.date | None = None) -> str:
    day = day or datetime.date.today()
    return (memory.settings.workspace / f"memory/{day.isoformat()}.md").read_text()


def test_the_note_is_written_and_nothing_is_heard(memory: Memory) -> None:
    heard: list[str] = []
    model = ScriptedModel(saving("The database is PostgreSQL."), DONE)
    result = run_flush(memory, model, TALK, on_text=heard.append)
    assert result.done
    assert result.reply == ""
    assert heard == []
    assert [citation.path for citation in result.saved] == [
        f"memory/{datetime.date.today().isoformat()}.md"
    ]
    assert "PostgreSQL" in log_of(memory)


def test_the_prompts_name_the_day_and_stand_around_the_conversation(memory: Memory) -> None:
    model = ScriptedModel(DONE)
    run_flush(memory, model, TALK, today=lambda: datetime.date(2026, 3, 1))
    roles = [message.role for message in model.asked[0]]
    assert roles == ["system", "system", "user", "assistant", "user"]
    assert "memory/2026-03-01.md" in model.asked[0][-1].text
    assert "NO_REPLY" in model.asked[0][-1].text
    assert "memory_remember" in model.tools[0]


def test_durable_facts_are_added_to_memory_and_nothing_there_changes(memory: Memory) -> None:
    run_flush(memory, ScriptedModel(saving("Ana is vegan.", durable=True), DONE), TALK)
    text = (memory.settings.workspace / "MEMORY.md").read_text()
    assert text.startswith("# Memory\n\n- Old fact.\n")
    assert "Ana is vegan." in text


def test_a_spoken_reply_is_heard(memory: Memory) -> None:
    heard: list[str] = []
    result = run_flush(
        memory, ScriptedModel(Reply("I saved two things.")), TALK, on_text=heard.append
    )
    assert result.reply == "".join(heard) == "I saved two things."


def test_a_retry_after_a_lost_connection_doubles_nothing(memory: Memory) -> None:
    """The first try saved one of two notes and died; the second saves both again."""
    model = ScriptedModel(
        saving("Fact one."), ConnectionError("gone"), saving("Fact one.", "Fact two."), DONE
    )
    result = run_flush(memory, model, TALK)
    assert result.done
    text = log_of(memory)
    assert text.count("Fact one.") == 1
    assert text.count("Fact two.") == 1
    retry = model.asked[2][-1].text
    assert "already" in retry
    assert "Fact one." in retry


def test_a_later_flush_of_the_same_cycle_doubles_nothing(memory: Memory) -> None:
    """The process died after writing, before the session could note that it flushed."""
    many = "Line one.\n\nLine two with  spaces."
    for _ in range(2):
        run_flush(memory, ScriptedModel(saving(many, "- a list\n- of two"), DONE), TALK)
    assert log_of(memory).count("Line one.") == 1
    assert log_of(memory).count("a list") == 1


def test_midnight_between_two_tries(memory: Memory) -> None:
    """What was written before midnight stands in yesterday's log and is not written again."""
    day = datetime.date(2026, 3, 1)
    memory.notebook.today = lambda: day
    run_flush(memory, ScriptedModel(saving("Before midnight."), DONE), TALK, today=lambda: day)
    after = day + datetime.timedelta(days=1)
    memory.notebook.today = lambda: after
    model = ScriptedModel(saving("Before midnight.", "After midnight."), DONE)
    run_flush(memory, model, TALK, today=lambda: after)
    assert "Before midnight." in log_of(memory, day)
    assert "Before midnight." not in log_of(memory, after)
    assert "After midnight." in log_of(memory, after)


def test_the_date_of_a_note_is_that_of_its_writing(memory: Memory) -> None:
    """The model was asked before midnight and answers after it."""
    day = datetime.date(2026, 3, 1)
    clock = [day]
    memory.notebook.today = lambda: clock[0]

    def slow(messages: object) -> Reply:
        clock[0] = day + datetime.timedelta(days=1)
        return saving("Written late.")

    run_flush(memory, ScriptedModel(slow, DONE), TALK, today=lambda: clock[0])
    assert "Written late." in log_of(memory, clock[0])


def test_a_full_disk_is_told_to_the_model_and_to_the_caller(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(text: str, **more: object) -> object:
        raise WorkspaceError("There is no space left to write memory/x.md.")

    monkeypatch.setattr(memory, "remember", full)
    model = ScriptedModel(saving("Fact."), Reply("NO_REPLY"))
    result = run_flush(memory, model, TALK)
    assert not result.done
    assert "no space left" in (result.error or "")
    assert "no space left" in model.asked[1][-1].text
    monkeypatch.undo()
    assert run_flush(memory, ScriptedModel(saving("Fact."), DONE), TALK).done
    assert log_of(memory).count("Fact.") == 1


def test_what_is_too_long_is_sent_by_half(memory: Memory) -> None:
    """The window may be smaller than anyone said: the provider knows."""
    talk = [Message("user", f"Part {number}. " + "words " * 300) for number in range(20)]
    sizes: list[int] = []

    def narrow(messages: Sequence[Message]) -> Reply:
        sizes.append(sum(len(message.text) for message in messages))
        if sizes[-1] > 12_000:
            raise ContextOverflow("too long")
        return saving("The launch is on Friday.") if len(sizes) < 6 else DONE

    result = run_flush(memory, ScriptedModel(*[narrow] * 10), talk, max_tokens=120_000)
    assert result.done
    assert log_of(memory).count("The launch is on Friday.") == 1
    assert sizes[0] > 30_000 > 12_000 >= sizes[-1]


def test_a_call_with_broken_arguments_is_no_flush(memory: Memory) -> None:
    broken = Reply("", (ToolCall("1", "memory_remember", '{"text": broken'),))
    result = run_flush(memory, ScriptedModel(broken, Reply("NO_REPLY")), TALK)
    assert not result.done
    assert "not valid JSON" in (result.error or "")
    again = ScriptedModel(broken, saving("Fact."), Reply("NO_REPLY"))
    assert run_flush(memory, again, TALK).done


def test_a_full_disk_leaves_no_half_note(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(
        "os.write",
        lambda file, data: _no_space() if b"Fact" in bytes(data) else real(file, data),
    )
    result = run_flush(memory, ScriptedModel(saving("Fact."), DONE), TALK)
    assert "no space left" in (result.error or "").lower()
    assert not list((memory.settings.workspace / "memory").glob("*.md"))


def _no_space() -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_model_that_never_answers_is_an_error_not_an_exception(memory: Memory) -> None:
    result = run_flush(memory, ScriptedModel(RuntimeError("endpoint down")), TALK, attempts=3)
    assert not result.done
    assert "endpoint down" in (result.error or "")


def test_a_model_that_loops_on_tools_comes_to_an_end(memory: Memory) -> None:
    model = ScriptedModel(saving("Again and again."))
    result = run_flush(memory, model, TALK)
    assert result.done
    assert log_of(memory).count("Again and again.") == 1
    assert model.tools[-1] == []


def test_bad_arguments_are_told_to_the_model(memory: Memory) -> None:
    model = ScriptedModel(saving(""), DONE)
    run_flush(memory, model, TALK)
    assert "is empty" in model.asked[1][-1].text


def test_overflow_without_warning_still_fits(memory: Memory) -> None:
    """One tool result can be larger than the window; the flush must be asked for all the same."""
    long = [*TALK, Message("user", "Read this."), Message("user", "word " * 200_000)]
    model = ScriptedModel(DONE)
    assert run_flush(memory, model, long, max_tokens=8000).done
    assert sum(map(message_tokens, model.asked[0])) <= 8000
    assert "Read this." in [message.text for message in model.asked[0]]
    assert "[… cut …]" in model.asked[0][-2].text


def test_what_is_kept_never_begins_with_a_tool_result() -> None:
    messages = [
        Message("system", "s"),
        Message("user", "x " * 3000),
        Message("tool", "result", call_id="1"),
        Message("assistant", "done"),
        Message("user", "next"),
    ]
    kept = fitting(messages, 60)
    assert [message.role for message in kept] == ["system", "user"]
