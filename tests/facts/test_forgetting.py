"""Words that are erased are gone from every byte of every file of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory
from memdown.errors import UndoConflict, WorkspaceError
from memdown.facts import forgetting
from memdown.notes.undoing import undo, undo_last
from memdown.text.tombstones import bury, read_tombstones, scrub, tombstone_file

WORDS = "the harpsichord code is 4471"
TALK = "\n".join(
    json.dumps({"type": "message", "id": str(n), "message": {"role": "user", "content": text}})
    for n, text in enumerate(["Good morning.", f"Remember that {WORDS}, Señor.", "And tea."])
)


def all_bytes(*folders: Path) -> dict[Path, bytes]:
    return {
        file: file.read_bytes()
        for folder in folders
        for file in folder.rglob("*")
        if file.is_file() and "models" not in file.parts
    }


@pytest.fixture
def memory(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> Memory:
    folder = write_notes(
        {
            "MEMORY.md": f"# Memory\n\n- Nora likes tea.\n- {WORDS.capitalize()}.\n  - told by Teo\n",
            "memory/talk.md": f"# Talk\n\nShe said that {WORDS}\nand left.\n",
        }
    )
    made: Memory = open_memory(folder)
    made.sync()
    sessions = made.settings.state_dir / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "one.jsonl").write_text(TALK)
    return made


def test_erased_words_are_gone_and_do_not_come_back(memory: Memory) -> None:
    folder, state = memory.settings.workspace, memory.settings.state_dir
    memory.remember("Ida plays the cello.", durable=True)
    before = all_bytes(folder, state)
    what = forgetting.find(memory, WORDS)
    kinds = {one.kind for one in what.traces}
    assert {"note", "journal", "index", "transcript"} <= kinds
    assert {f: d for f, d in all_bytes(folder, state).items() if ".sqlite" not in f.name} == {
        f: d for f, d in before.items() if ".sqlite" not in f.name
    }

    receipt = forgetting.erase(memory, what)
    assert receipt.complete, receipt.left
    for file, data in all_bytes(folder, state).items():
        assert WORDS.encode() not in data.lower(), file
    assert memory.notebook.read("MEMORY.md").text.startswith(
        "# Memory\n\n- Nora likes tea.\n- told by Teo\n"
    )
    assert "She said that [erased]\nand left." in memory.notebook.read("memory/talk.md").text
    talk = (state / "agents/main/sessions/one.jsonl").read_text().split("\n")
    assert len(talk) == 3
    assert "[erased], Se" in talk[1]
    assert not any("4471" in hit.snippet for hit in memory.search("harpsichord code").hits)

    with pytest.raises(WorkspaceError, match="erased for good"):
        memory.remember(f"By the way, {WORDS}!")
    # A file that comes back by git or a backup is not indexed with them.
    (folder / "memory" / "back.md").write_text(f"- The note says: {WORDS}.\n")
    memory.sync()
    assert not any("4471" in hit.snippet for hit in memory.search("harpsichord code").hits)
    blanked = [one for one in memory.pen().journal.changes() if b"\0" in one.removed]
    assert blanked
    for change in blanked:
        with pytest.raises(UndoConflict):
            undo(memory.pen(), change.id)


def test_a_fact_is_struck_and_can_be_brought_back(memory: Memory) -> None:
    before = memory.notebook.read("MEMORY.md").text
    (fact,) = forgetting.strike(memory, "Nora likes tea", actor="agent")
    assert fact.reference == "MEMORY.md#L3"
    assert "- ~~Nora likes tea.~~ (until " in memory.notebook.read("MEMORY.md").text
    undo_last(memory.pen())
    assert memory.notebook.read("MEMORY.md").text == before


def test_a_tombstone_holds_no_words_and_finds_them_in_any_dress(tmp_path: Path) -> None:
    import datetime

    file = tombstone_file(tmp_path / "locks")
    bury(file, "Door code 4471", datetime.date(2026, 11, 17))
    bury(file, "门禁密码", datetime.date(2026, 11, 17))
    assert "4471" not in file.read_text()
    stones = read_tombstones(file)
    assert len(stones) == 2
    assert scrub("the DOOR-code: 4471!", stones) == "the [erased]!"
    assert scrub("新的门禁密码是", stones) == "新的[erased]是"
    assert scrub("door code 44712", stones) == "door code 44712"
    assert bury(file, "door code 4471", datetime.date(2026, 11, 18)) == stones[0]


@pytest.mark.long
def test_two_hundred_planted_facts_leave_no_byte(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> None:
    facts = [f"Planted fact {n} about zebra{n * 7919 % 10007} ends here" for n in range(200)]
    folder = write_notes(
        {
            "MEMORY.md": "# Memory\n\n" + "".join(f"- {fact}.\n" for fact in facts[::2]),
            "memory/2026-11-01.md": "# Log\n\n" + "".join(f"- {fact}.\n" for fact in facts[1::2]),
        }
    )
    memory = open_memory(folder)
    memory.sync()
    for fact in facts:
        assert forgetting.erase(memory, forgetting.find(memory, fact)).complete
    for file, data in all_bytes(folder, memory.settings.state_dir).items():
        assert b"planted fact" not in data.lower(), file
