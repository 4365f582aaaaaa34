"""What a model proposes is checked; nonsense changes nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.chat.loopback import Body, Say, loopback
from memdown import Memory
from memdown.cli import run
from memdown.errors import WorkspaceError
from memdown.facts.tidying import apply, ask_command, plan
from memdown.notes.undoing import undo_all

NOTES = {
    "MEMORY.md": """\
# Memory

## People

- Nora lives in Lisbon.
  - since her studies
- Nora moved to Porto.
- The boiler is a Vaillant.

## House

- The roof is new.
- Heating: Vaillant boiler.
""",
    "memory/2026-03-01.md": "- Ida is allergic to hazelnuts.\n- Bought milk.\n",
}


@pytest.fixture
def memory(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> Memory:
    more = {f"memory/note-{n}.md": f"- Thing {n} is kept in box {n * 3}.\n" for n in range(30)}
    made: Memory = open_memory(write_notes({**NOTES, **more}))
    return made


def answering(*operations: object) -> Callable[[str], str]:
    return lambda _: "Here you are:\n```json\n" + json.dumps({"operations": operations}) + "\n```"


def test_operations_are_done_and_can_be_undone(memory: Memory) -> None:
    folder = memory.settings.workspace
    before = {file: file.read_bytes() for file in folder.rglob("*.md")}
    found = plan(
        memory,
        answering(
            {"op": "replace", "old": "MEMORY.md#L5", "new": "MEMORY.md#L7"},
            {"op": "move", "fact": "MEMORY.md#L8", "section": "House"},
            {"op": "promote", "fact": "memory/2026-03-01.md#L1"},
            {"op": "expire", "fact": "memory/2026-03-01.md#L2"},
        ),
    )
    assert [one.kind for one in found.operations] == ["replace", "move", "promote", "expire"]
    changes = apply(memory, found)
    text = (folder / "MEMORY.md").read_text()
    assert "  - ~~Nora lives in Lisbon.~~" in text
    assert text.count("Porto") == 1
    assert text.index("## House") < text.index("The boiler is a Vaillant.")
    assert "Ida is allergic to hazelnuts." in text
    assert "~~Bought milk.~~" in (folder / "memory" / "2026-03-01.md").read_text()
    undo_all(memory.pen(), changes)
    assert {file: file.read_bytes() for file in folder.rglob("*.md")} == before


def test_what_does_not_hold_is_refused(memory: Memory) -> None:
    many = [{"op": "expire", "fact": f"memory/note-{n}.md#L1"} for n in range(30)]
    found = plan(
        memory,
        answering(
            {"op": "replace", "old": "MEMORY.md#L99", "new": "MEMORY.md#L7"},
            {"op": "rewrite", "fact": "MEMORY.md#L5", "text": "Nora is a spy."},
            "delete everything",
            {"op": "merge", "keep": "MEMORY.md#L8", "drop": []},
            *many,
        ),
    )
    assert 0 < len(found.operations) < 12
    assert len(found.refused) > 20
    assert all(one.kind == "expire" for one in found.operations)


@pytest.mark.parametrize("answer", ["", "I cannot help with that.", "{broken", '{"operations": 3}'])
def test_nonsense_changes_nothing(memory: Memory, answer: str) -> None:
    with pytest.raises(WorkspaceError, match="nothing was changed"):
        plan(memory, lambda _: answer)


def test_a_command_is_asked_on_its_standard_input() -> None:
    echo = f"{sys.executable} -c 'import sys; print(sys.stdin.read().upper())'"
    assert ask_command(echo, "hello").strip() == "HELLO"
    with pytest.raises(WorkspaceError, match="no command"):
        ask_command("no-such-command-anywhere", "hello")
    with pytest.raises(WorkspaceError, match="exit code 3"):
        ask_command(f"{sys.executable} -c 'raise SystemExit(3)'", "hello")
    with pytest.raises(WorkspaceError, match="did not answer"):
        ask_command("sleep 30", "hello", seconds=0.05)


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode"])
def test_a_coding_agent_is_asked_in_an_empty_folder_and_without_tools(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prompt quotes what others wrote, and what it is asked is no conversation to be kept."""
    program = tmp_path / name
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        "print(json.dumps([sys.argv[1:], os.listdir(), dict(os.environ), sys.stdin.read()]))\n"
    )
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    words, here, environ, prompt = json.loads(ask_command(name, "hello"))
    assert (here, prompt) == ([], "hello")
    assert environ["MEMDOWN_ASKING"] == "1"
    apart = {
        "claude": "--no-session-persistence" in words and words[-2:] == ["--tools", ""],
        "codex": words == ["exec", "--skip-git-repo-check", "--ephemeral", "-"],
        "gemini": words == ["--skip-trust"],
        "opencode": "--pure" in words and environ["OPENCODE_PERMISSION"] == '{"*": "deny"}',
    }
    assert apart[name]


@pytest.mark.parametrize(
    ("say", "said"),
    [
        (Say("I would rather not touch your notes."), "names no operations as JSON"),
        (Say('{"operations": "all of them"}'), "names no operations as JSON"),
        (Say('{"operations": [{"op": "replace", "old": "MEMORY.md#L5", "new": '), "as JSON"),
        (Say(status=500, error="out of order"), "out of order"),
        (Say(status=401, error="who are you"), "who are you"),
        (Say("{", break_off=True), "in the middle of an answer"),
    ],
)
def test_a_model_at_an_endpoint_that_answers_badly_changes_nothing(
    memory: Memory, say: Say, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = memory.settings.workspace
    before = {file: file.read_bytes() for file in folder.rglob("*.md")}
    with loopback(lambda _: say) as place:
        given = ["tidy", "--apply", "--model", "m", "--base-url", f"{place.url}/v1"]
        assert run([*given, "-w", str(folder)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert {file: file.read_bytes() for file in folder.rglob("*.md")} == before


def test_a_model_at_an_endpoint_tidies(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    folder = memory.settings.workspace
    wanted = {"op": "replace", "old": "MEMORY.md#L5", "new": "MEMORY.md#L7"}
    asked: list[str] = []

    def answer(body: Body) -> Say:
        asked.append(body["messages"][0]["content"])
        return Say(json.dumps({"operations": [wanted]}))

    with loopback(answer) as place:
        given = ["tidy", "--model", "m", "--base-url", f"{place.url}/v1", "-w", str(folder)]
        assert run(given) == 0
        assert "~~" not in (folder / "MEMORY.md").read_text()
        assert run([*given, "--apply"]) == 0
    assert "MEMORY.md#L5 [Memory > People] Nora lives in Lisbon." in asked[0]
    assert "~~Nora lives in Lisbon.~~" in (folder / "MEMORY.md").read_text()
    assert run(["undo", "-w", str(folder)]) == 0
    assert (folder / "MEMORY.md").read_text() == NOTES["MEMORY.md"]
    assert run(["tidy", "-w", str(folder)]) == 2
    assert "memory.tidy.command" in capsys.readouterr().err
