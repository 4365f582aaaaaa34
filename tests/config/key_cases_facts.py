"""Cases: the history of the notes, and the log of questions."""

from __future__ import annotations

import datetime
import shlex
import sys
import threading
import time

import apsw
import pytest

from agent.chat.loopback import Body, Say, loopback
from config.key_world import World, shows
from memdown import EndpointError, Memory
from memdown.agent.chat.endpoint import asker
from memdown.agent.hooks.events import tidies_after
from memdown.facts import use


def changes(memory: Memory) -> list[str]:
    """The kinds of change that the history still has, newest first."""
    return [one.kind for one in memory.pen().journal.changes()]


@shows("memory.journal.days", "memory.journal.maxMegabytes")
def history(world: World) -> None:
    note = world.write("memory/one.md", "Blue.\n")
    with world.memory() as memory:
        memory.sync()
        note.write_text("Red.\n")
        memory.sync()
        assert changes(memory) == ["changed"]
        journal = memory.pen().journal.file
        with apsw.Connection(str(journal)) as db:
            db.execute("UPDATE changes SET time = ?", (time.time() - 100 * 86_400,))
    with world.memory({"memory.journal.days": 1000}) as memory:
        world.write("memory/two.md", "Green.\n")
        memory.sync()
        assert changes(memory) == ["created", "changed"]
    with world.memory() as memory:
        note.write_text("Yellow.\n")
        memory.sync()
        assert changes(memory) == ["changed", "created"]
    with world.memory({"memory.journal.maxMegabytes": 1}) as memory:
        for letter in "abc":
            world.write("memory/large.md", f"{letter} \n" * 200_000)
            memory.sync()
        assert len(changes(memory)) == 1


@shows("memory.use.enabled", "memory.use.days")
def questions(world: World) -> None:
    world.write("MEMORY.md", "- The lighthouse is red.\n")

    def log(**settings: object) -> list[str]:
        changed = {f"memory.use.{key}": value for key, value in settings.items()}
        with world.memory(changed) as memory:
            use.record_question(memory, "lighthouse", memory.search("lighthouse"))
        return sorted(file.stem for file in world.state.glob("agents/main/use/*.jsonl"))

    assert log() == []
    today, old = datetime.date.today(), datetime.date.today() - datetime.timedelta(80)
    assert log(enabled=True) == [str(today)]
    (world.state / f"agents/main/use/{today}.jsonl").rename(
        world.state / f"agents/main/use/{old}.jsonl"
    )
    assert log(enabled=True) == [str(old), str(today)]
    (world.state / f"agents/main/use/{today}.jsonl").unlink()
    assert log(enabled=True, days=30) == [str(today)]


TIDY = "memory.tidy."


@shows(TIDY + "command", TIDY + "provider", TIDY + "baseUrl", TIDY + "model")
def who_is_asked_to_tidy(world: World) -> None:
    script = world.write("model.txt", "print('by command')")
    command = shlex.join([sys.executable, str(script)])
    assert asker(world.settings({TIDY + "command": command}))("facts").strip() == "by command"

    def answer(body: Body) -> Say:
        return Say(f"{body['model']} by {'Claude' if 'system' in body else 'others'}")

    with loopback(answer) as place:
        given = {TIDY + "model": "m1", TIDY + "baseUrl": f"{place.url}/v1"}
        assert asker(world.settings(given))("facts") == "m1 by others"
        given = {TIDY + "model": "m2", TIDY + "baseUrl": place.url, TIDY + "provider": "anthropic"}
        assert asker(world.settings(given))("facts") == "m2 by Claude"


@shows(TIDY + "timeoutMs")
def how_long_is_waited_for_a_model(world: World) -> None:
    over = threading.Event()

    def answer(body: Body) -> Say:
        over.wait(60)
        return Say("too late")

    with loopback(answer) as place:
        given = {TIDY + "model": "m", TIDY + "baseUrl": f"{place.url}/v1", TIDY + "timeoutMs": 1000}
        with pytest.raises(EndpointError, match="did not answer within 1 s; nothing was changed"):
            asker(world.settings(given))("facts")
        over.set()


@shows(TIDY + "afterSession")
def tidying_after_a_session(world: World) -> None:
    usual = {TIDY + "command": "claude"}
    assert not tidies_after("session-end", world.settings(usual))
    wanted = world.settings({**usual, TIDY + "afterSession": True})
    assert tidies_after("session-end", wanted)
    assert not tidies_after("stop", wanted)
    assert not tidies_after("session-end", world.settings({TIDY + "afterSession": True}))
    off = {**usual, TIDY + "afterSession": True, "enabled": False}
    assert not tidies_after("session-end", world.settings(off))
