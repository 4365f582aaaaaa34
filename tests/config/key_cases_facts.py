"""Cases: the history of the notes, and the log of questions."""

from __future__ import annotations

import datetime
import time

import apsw

from config.key_world import World, shows
from memdown import Memory
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
