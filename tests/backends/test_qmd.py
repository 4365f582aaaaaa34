"""The qmd backend: it answers when it can, and the built-in index does when it cannot."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from backends.conftest import Scene
from memdown import Memory, NoteNotFound, PathRefused
from memdown.web.site import Site
from waiting import eventually
from web.live import running


def by_qmd(memory: Memory, query: str) -> bool:
    """Whether qmd itself answered, and well."""
    answer = memory.search(query)
    assert answer.hits, answer.reasons
    return answer.provider == "qmd" and answer.fallback is None


def why_not(memory: Memory, query: str = "who runs the harbour office?") -> str:
    """Why the built-in index answered; it must have found the note."""
    answer = memory.search(query, min_score=0.0)
    assert answer.provider != "qmd"
    assert answer.fallback == "qmd"
    assert answer.hits[0].path == "memory/harbour.md"
    assert memory.status().backend == "builtin"
    assert memory.status().backend_reason
    return answer.reasons[0]


def test_qmd_answers_with_paths_and_lines_of_the_workspace(scene: Scene) -> None:
    with scene.open() as memory:
        (hit,) = memory.search("Maria").hits
        assert (hit.path, hit.start_line, hit.end_line) == ("memory/harbour.md", 2, 3)
        assert hit.citation == "memory/harbour.md#L2-L3"
        assert hit.snippet == "\nMaria runs the harbour office."
        assert memory.search("tea").hits[0].path == "MEMORY.md"
        assert memory.get(hit.path, start=3, lines=1).text == "Maria runs the harbour office."
        status = memory.status()
        assert (status.backend, status.backend_reason) == ("qmd", None)


def test_everything_of_qmd_is_kept_under_the_agents_folder(scene: Scene) -> None:
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
    kept = {path.name for path in scene.home.iterdir()}
    assert kept >= {"xdg-config", "xdg-cache", "state.json"}
    adds = [call for call in scene.calls() if call[:2] == ["collection", "add"]]
    assert [call[4] for call in adds] == ["memory-root", "memory-alt", "memory-dir"]


def test_a_query_is_never_an_option(scene: Scene) -> None:
    with scene.open() as memory:
        memory.search("--full -maria")
    search = next(call for call in scene.calls() if call[0] == "search")
    assert search == ["search", "--json", "-n", "6", "--", "--full -maria"]


def test_a_question_is_asked_again_with_its_telling_words(scene: Scene) -> None:
    """`qmd search` wants every word, and no note holds "who" and "when"."""
    with scene.open() as memory:
        assert by_qmd(memory, "who runs the harbour?")


def test_a_second_process_does_not_make_collections_again(scene: Scene) -> None:
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
    before = len(scene.calls())
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
    assert [call[0] for call in scene.calls()[before:]] == ["search"]


def test_changed_settings_change_the_collections(scene: Scene, tmp_path: Path) -> None:
    other = tmp_path / "Field Notes"
    other.mkdir()
    (other / "birds.md").write_text("A heron stood in the pond.\n")
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
    with scene.open(paths=[{"path": str(other)}], includeDefaultMemory=False) as memory:
        memory.sync()
        (hit,) = memory.search("heron").hits
        assert hit.path == "qmd/field-notes/birds.md"
        assert memory.get(hit.path).text == "A heron stood in the pond."
        made = json.loads((scene.home / "xdg-config" / "qmd" / "made.json").read_text())
        assert list(made) == ["field-notes"]
        with pytest.raises(PathRefused):
            memory.get("qmd/field-notes/../mood")
        with pytest.raises(NoteNotFound):
            memory.get("qmd/field-notes/absent.md")
        with pytest.raises(PathRefused):
            memory.get("qmd/nothing/birds.md")


def test_a_single_file_can_be_a_collection(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "todo [1].md").write_text("Paint the fence.\n")
    with scene.open(paths=[{"path": str(tmp_path / "todo [1].md"), "name": "todo"}]) as memory:
        memory.sync()
    adds = [call for call in scene.calls() if call[:2] == ["collection", "add"]]
    assert adds[-1] == [
        "collection", "add", str(tmp_path), "--name", "todo", "--mask", "todo \\[1\\].md",
    ]  # fmt: skip


def test_a_changed_note_is_found(scene: Scene) -> None:
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
        (scene.folder / "memory" / "new.md").write_text("The ferry leaves at nine.\n")
        assert by_qmd(memory, "ferry")
    assert [call[0] for call in scene.calls()].count("update") == 2


def test_without_qmd_the_index_answers_until_it_is_there(scene: Scene) -> None:
    scene.command.unlink()
    with scene.open() as memory:
        assert "is not installed" in why_not(memory)
        scene.install()
        assert by_qmd(memory, "Maria")
        assert memory.status().backend == "qmd"


@pytest.mark.parametrize(
    ("mood", "reason"),
    [
        ("crash", "exit code -9"),
        ("exit", "exit code 1: SqliteError: database is locked"),
        ("garbage", "printed no JSON but 'Expanding query..."),
        ("half", "printed no JSON"),
        ("shape", "without a file"),
        ("flood", "printed more than 8 MB"),
    ],
)
def test_a_broken_answer_falls_back_and_recovery_is_noticed(
    scene: Scene, mood: str, reason: str
) -> None:
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
        scene.behave(search=mood)
        assert reason in why_not(memory)
        calls = len(scene.calls())
        assert "tried again in" in why_not(memory)
        assert len(scene.calls()) == calls
        scene.behave()
        scene.rested()
        assert by_qmd(memory, "Maria")
        assert memory.status().backend == "qmd"


def test_a_slow_qmd_is_killed_with_all_it_started(scene: Scene) -> None:
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
    scene.behave(search="slow")
    with scene.open(limits={"timeoutMs": 1500}) as memory:
        assert "gave no answer within 1.5 s" in why_not(memory, "harbour")
    child = int((scene.home / "xdg-config" / "qmd" / "child").read_text())
    assert is_gone(child)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; its parent may still have to take note."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_no_zombie_is_left(scene: Scene) -> None:
    """Of its own: other tests in this process leave some, such as those of the hooks."""
    before = zombies()
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
        scene.behave(search="crash")
        why_not(memory)
    assert zombies() <= before


def zombies() -> set[str]:
    """Children of this process that have ended and were not taken note of."""
    tasks = Path("/proc/self/task").iterdir()
    children = [pid for task in tasks for pid in told_by(task / "children").split()]
    stats = [told_by(Path(f"/proc/{pid}/stat")) for pid in children]
    return {stat for stat in stats if stat.rpartition(")")[2].split()[:1] == ["Z"]}


def told_by(file: Path) -> str:
    """What the system says of a thread or process; nothing of one that has just ended."""
    try:
        return file.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_a_failing_update_rests_and_tries_again(scene: Scene) -> None:
    scene.behave(update="exit")
    with scene.open() as memory:
        assert "`qmd update` failed with exit code 1" in why_not(memory)
        calls = len(scene.calls())
        why_not(memory)
        assert len(scene.calls()) == calls
        scene.behave()
        scene.rested()
        assert by_qmd(memory, "Maria")


def test_a_sync_tells_what_is_wrong_with_qmd(scene: Scene) -> None:
    scene.behave(update="exit")
    with scene.open() as memory:
        (failure,) = memory.sync().failed
    assert failure.path == "qmd"
    assert "database is locked" in failure.reason


def test_rests_grow_and_end(scene: Scene) -> None:
    from memdown.backends.qmd.commands import Rest

    rest, pauses = Rest(), []
    for _ in range(8):
        rest = rest.after_failure("no", 1000.0)
        pauses.append(rest.until - 1000.0)
    assert pauses == [15, 30, 60, 120, 240, 480, 600, 600]
    assert not rest.is_over(1599.0)
    assert rest.is_over(1600.0)
    assert rest.is_over(0.0), "a clock that was set back must not stop qmd for ever"


def zeroed(data: bytes) -> bytes:
    """A file of SQLite whose head is right and whose pages are not."""
    return data[:100] + b"\0" * (len(data) - 100)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: b"this is no database at all, only some text" * 100, "not a database"),
        (lambda data: data[:1000] + b"x" * 100, "malformed"),
        (zeroed, "malformed"),
    ],
)
def test_a_damaged_index_of_qmd_is_made_again(
    scene: Scene, damage: Callable[[bytes], bytes], reason: str
) -> None:
    """The file itself is damaged, and `qmd` says what SQLite says of it."""
    with scene.open() as memory:
        assert by_qmd(memory, "Maria")
        index = scene.home / "xdg-cache" / "qmd" / "index.sqlite"
        index.write_bytes(damage(index.read_bytes()))
        assert reason in why_not(memory)
        assert memory.status().backend == "builtin"
        (scene.folder / "memory" / "new.md").write_text("The ferry leaves at nine.\n")
        assert memory.sync().failed == ()
        scene.rested()
        assert by_qmd(memory, "ferry")
        assert by_qmd(memory, "Maria")
        assert memory.status().backend == "qmd"
    adds = [call for call in scene.calls() if call[:2] == ["collection", "add"]]
    assert len(adds) == 6, "all three collections are made again"


def test_limits_cut_snippets(scene: Scene) -> None:
    for number in range(9):
        text = f"apple {number} " + "word " * 100
        (scene.folder / "memory" / f"{number}.md").write_text(text)
    limits = {"maxResults": 4, "maxSnippetChars": 50, "maxInjectedChars": 120, "timeoutMs": 20_000}
    with scene.open(limits=limits) as memory:
        hits = memory.search("apple").hits
    assert [len(hit.snippet) for hit in hits] == [50, 50, 20]


def test_what_qmd_does_not_find_the_built_in_index_does(scene: Scene) -> None:
    """It wants every word of a question; but who may see nothing of it gets nothing of ours either."""
    (scene.folder / "memory" / "boat.md").write_text("The sailing boat lies in Kotor.\n")
    question = "whereabouts sailing boats moored"
    with scene.open() as memory:
        answer = memory.search(question)
        assert [hit.path for hit in answer.hits][:1] == ["memory/boat.md"]
        assert answer.reasons[:2] == ("qmd found nothing", "the built-in index answered instead")
        assert answer.fallback is None
        assert memory.search(question, chat="group").hits == ()
        assert memory.search("xyzzy").reasons[0] == "qmd found nothing"
    with scene.open(includeDefaultMemory=False) as memory:
        assert memory.search(question).hits == ()


def test_a_group_sees_nothing_unless_a_rule_allows_it(scene: Scene) -> None:
    with scene.open() as memory:
        denied = memory.search("Maria", chat="group")
        assert denied.hits == ()
        assert "memory.qmd.scope" in denied.reasons[0]
        assert memory.search("Maria", session_key="agent:main:telegram:group:1").hits == ()
        assert memory.search("Maria", session_key="agent:main:main").hits
    scope = {"default": "deny", "rules": [{"action": "allow", "match": {"channel": "slack"}}]}
    with scene.open(scope=scope) as memory:
        assert memory.search("Maria", session_key="agent:main:slack:channel:c1").hits
        assert not memory.search("Maria").hits


def test_transcripts_are_exported_without_secrets(scene: Scene) -> None:
    talks = scene.state / "agents" / "main" / "sessions"
    talks.mkdir(parents=True)
    key = "sk-" + "proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5pQ8sT1"
    lines = [
        {"type": "message", "message": {"role": "user", "content": f"The key is {key}, ok?"}},
        {"type": "message", "message": {"role": "assistant", "content": "Saved the lighthouse."}},
    ]
    (talks / "one.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (talks / "old.jsonl").write_text(json.dumps(lines[1]) + "\n")
    long_ago = time.time() - 40 * 86_400
    os.utime(talks / "old.jsonl", (long_ago, long_ago))
    with scene.open(sessions={"enabled": True, "retentionDays": 30}) as memory:
        memory.sync()
        (hit,) = memory.search("lighthouse").hits
        assert (hit.path, hit.source) == ("qmd/sessions/one.md", "sessions")
        assert "Assistant: Saved the lighthouse." in memory.get(hit.path).text
        assert memory.search("lighthouse", sources=("memory",)).hits == ()
    exports = scene.home / "sessions"
    assert [path.name for path in exports.iterdir()] == ["one.md"]
    export = exports / "one.md"
    assert key not in export.read_text()
    assert export.stat().st_mode & 0o777 == 0o600
    (talks / "one.jsonl").unlink()
    with scene.open(sessions={"enabled": True}) as memory:
        memory.sync()
    assert [path.name for path in exports.iterdir()] == ["old.md"]


def test_vectors_are_made_only_for_the_modes_that_use_them(scene: Scene) -> None:
    with scene.open() as memory:
        memory.sync()
    assert ["embed"] not in scene.calls()
    with scene.open(searchMode="vsearch") as memory:
        memory.sync()
        assert by_qmd(memory, "Maria")
    assert scene.calls().count(["embed"]) == 1
    assert scene.calls()[-1][0] == "vsearch"


def test_two_updates_never_run_at_once(scene: Scene) -> None:
    from memdown.backends.qmd.commands import alone

    with scene.open() as memory:
        memory.sync()
        calls = len(scene.calls())
        with alone(scene.home / "update.lock") as acquired:
            assert acquired
            memory.sync()
        assert len(scene.calls()) == calls


def test_closing_stops_an_update_that_takes_long(scene: Scene) -> None:
    from memdown.backends.qmd import Sidecar

    scene.behave(update="slow")
    memory = scene.open()
    sidecar = memory.qmd
    assert isinstance(sidecar, Sidecar)
    sidecar.start()
    child = scene.home / "xdg-config" / "qmd" / "child"
    eventually(lambda: child.exists() and child.read_text())
    sidecar.close(patience=0.1)
    assert is_gone(int(child.read_text()))


def test_results_of_other_collections_are_left_out() -> None:
    from memdown.backends.qmd.collections import Collection
    from memdown.backends.qmd.commands import read_results

    ours = [Collection("notes", Path("x"), "*.md", "qmd/notes/")]
    items = [
        {"file": "qmd://other/a.md", "score": 1, "snippet": "a"},
        {"file": "qmd://notes/../a.md", "score": 1, "snippet": "a"},
        {"file": "/etc/passwd", "score": 1, "snippet": "a"},
        {"file": "qmd://notes/a\u001b.md", "score": 1, "snippet": "a"},
        {"file": "qmd://notes/Weird Name (v2).md", "score": 7, "line": 3, "snippet": "a\nb"},
    ]
    (hit,) = read_results(json.dumps(items), ours)
    assert (hit.path, hit.start_line, hit.end_line) == ("qmd/notes/Weird Name (v2).md", 3, 4)
    assert hit.score == 1.0


def told(talks: Path, name: str, text: str) -> None:
    talks.mkdir(parents=True, exist_ok=True)
    line = {"type": "message", "message": {"role": "user", "content": text}}
    (talks / f"{name}.jsonl").write_text(json.dumps(line) + "\n")


def test_an_export_touches_only_what_it_wrote_itself(scene: Scene, tmp_path: Path) -> None:
    """People point it at a folder that has notes in it, and those are all they have."""
    talks = scene.state / "agents" / "main" / "sessions"
    told(talks, "one", "The lighthouse is red.")
    told(talks, "taken", "This has the name of a note.")
    target = tmp_path / "own notes"
    target.mkdir()
    notes = {
        "private.md": "# Private\n\nNobody else's.\n",
        "taken.md": "# Session taken\n\nMine, not an export.\n",
        "look.md": "# Session other\n<!-- Exported by memdown from sessions/other.jsonl; -->\n",
        "gone.md": "# Session gone\n\nUser: an export of an older version\n\nAssistant: yes\n",
    }
    for name, text in notes.items():
        (target / name).write_text(text)
    (target / "link.md").symlink_to(tmp_path / "elsewhere.md")
    options = {"enabled": True, "exportDir": str(target)}
    with scene.open(sessions=options) as memory:
        memory.sync()
    assert "The lighthouse is red." in (target / "one.md").read_text()
    assert {path.name for path in target.iterdir()} == {
        "private.md", "taken.md", "look.md", "link.md", "one.md",
    }  # fmt: skip
    for name in ("private.md", "taken.md", "look.md"):
        assert (target / name).read_text() == notes[name]
    (talks / "one.jsonl").unlink()
    with scene.open(sessions=options) as memory:
        memory.sync()
    assert not (target / "one.md").exists()
    assert (target / "private.md").read_text() == notes["private.md"]


@pytest.mark.parametrize("where", ["memory", ".", "memory/exports", ".."])
def test_exports_never_go_among_the_notes(scene: Scene, where: str) -> None:
    told(scene.state / "agents" / "main" / "sessions", "one", "The lighthouse is red.")
    before = sorted(path for path in scene.folder.rglob("*.md"))
    with scene.open(sessions={"enabled": True, "exportDir": str(scene.folder / where)}) as memory:
        memory.sync()
        reason = why_not(memory)
    assert "memory.qmd.sessions.exportDir" in reason
    assert "name a folder of its own" in reason
    assert sorted(path for path in scene.folder.rglob("*.md")) == before
    assert not list(scene.folder.parent.glob("*.md"))


def test_a_session_key_never_makes_a_group_a_private_chat(scene: Scene) -> None:
    """Whoever asks in a group may have any key; the stricter of the two counts."""
    key = "agent:main:telegram:12345"
    with scene.open() as memory:
        assert memory.search("Maria", session_key=key).hits
        assert memory.search("Maria", chat="group", session_key=key).hits == ()
        assert memory.search("Maria", chat="channel", session_key="agent:main:main").hits == ()
    rule = {"action": "allow", "match": {"chatType": "group"}}
    with scene.open(scope={"default": "deny", "rules": [rule]}) as memory:
        group = "agent:main:telegram:group:1"
        assert memory.search("Maria", session_key=group).hits
        assert memory.search("Maria", chat="group", session_key=group).hits
        assert memory.search("Maria", chat="channel", session_key=group).hits == ()


def updates(scene: Scene) -> int:
    return scene.calls().count(["update"])


def test_a_session_start_updates_unless_told_otherwise(scene: Scene) -> None:
    """`update.onBoot`: whatever the index is like, a session begins with an update, or does not."""
    with scene.open() as memory:
        memory.sync()
    before = updates(scene)
    with scene.open(update={"debounceMs": 0, "onBoot": False}) as memory:
        memory.start_session()
        assert by_qmd(memory, "Maria")
        # A server that follows the notes begins without one, too.
        stop = threading.Event()
        for _ in memory.watch(stop):
            stop.set()
    assert updates(scene) == before
    with scene.open() as memory:
        memory.start_session()
        eventually(lambda: updates(scene) == before + 1)


@pytest.mark.parametrize("session", [True, False])
def test_the_first_search_can_wait_for_the_first_update(scene: Scene, session: bool) -> None:
    """`update.waitForBootSync`: also when the update began with the session, before the search."""
    with scene.open() as memory:
        memory.sync()
    scene.behave(update="slowish")
    (scene.folder / "memory" / "new.md").write_text("The lighthouse is red.\n")
    with scene.open(update={"debounceMs": 0, "waitForBootSync": True}) as memory:
        if session:
            memory.start_session()
        assert by_qmd(memory, "lighthouse")


def test_a_note_of_a_second_ago_is_not_missed_without_a_word(scene: Scene) -> None:
    options = {"debounceMs": 600_000}
    with scene.open(update=options) as memory:
        memory.sync()
        assert not memory.search("Maria").partial
        (scene.folder / "memory" / "new.md").write_text("The lighthouse is red.\n")
        assert [hit.path for hit in memory.search("lighthouse").hits] == ["memory/new.md"]
        answer = memory.search("Maria")
        assert answer.partial
        assert "debounceMs" in " ".join(answer.reasons)
    # Where it may be taken in soon, it is, without being asked for again.
    with scene.open(update={"debounceMs": 0}) as memory:
        assert by_qmd(memory, "lighthouse")


def test_extra_paths_are_searched_and_ignored_notes_are_not(scene: Scene, tmp_path: Path) -> None:
    wiki = tmp_path / "wiki"
    wiki.mkdir()
    (wiki / "boats.md").write_text("The ferry leaves at nine.\n")
    (scene.folder / "loose.md").write_text("The pier is closed.\n")
    (scene.folder / "memory" / "draft.md").write_text("The ferry sank.\n")
    (scene.folder / "memory" / ".memdownignore").write_text("draft.md\n")
    extra = {"agents": {"defaults": {"memorySearch": {"extraPaths": [str(wiki), "loose.md"]}}}}
    with scene.open(config=extra) as memory:
        (hit,) = memory.search("ferry").hits
        assert hit.path == str(wiki / "boats.md")
        assert memory.get(hit.path).text == "The ferry leaves at nine."
        assert memory.search("pier").hits[0].path == "loose.md"


def test_all_notes_of_an_adopted_folder_are_searched(scene: Scene) -> None:
    (scene.folder / ".memdown.json5").write_text("{ adopt: true }")
    (scene.folder / "projects").mkdir()
    (scene.folder / "projects" / "ferry.md").write_text("The ferry leaves at nine.\n")
    with scene.open() as memory:
        assert memory.search("ferry").hits[0].path == "projects/ferry.md"
        assert memory.search("Maria").hits[0].path == "memory/harbour.md"


def test_a_file_that_the_pattern_leaves_out_cannot_be_read(scene: Scene, tmp_path: Path) -> None:
    wiki = tmp_path / "wiki"
    (wiki / "private").mkdir(parents=True)
    (wiki / "boats.md").write_text("The ferry leaves at nine.\n")
    (wiki / "private" / "diary.md").write_text("Dear diary.\n")
    with scene.open(paths=[{"path": str(wiki), "pattern": "*.md"}]) as memory:
        assert memory.get("qmd/wiki/boats.md").text == "The ferry leaves at nine."
        with pytest.raises(PathRefused, match=r"pattern \*\.md"):
            memory.get("qmd/wiki/private/diary.md")


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.md", "**/*.md", True),
        ("x/y/a.md", "**/*.md", True),
        ("x/a.txt", "**/*.md", False),
        ("x/a.md", "*.md", False),
        ("b.md", "{a,b}.md", True),
        ("c.md", "{a,b}.md", False),
        ("a[1].md", r"a\[1\].md", True),
        ("b.md", "[a-c].md", True),
        ("d.md", "[!a-c].md", True),
        ("a.md", "[z-a].md", False),
        ("docs/a/b.md", "docs/**", True),
    ],
)
def test_patterns_are_globs(path: str, pattern: str, fits: bool) -> None:
    from memdown.backends.qmd.collections import fits_pattern

    assert fits_pattern(path, pattern) is fits


def test_a_relative_export_folder_lies_in_the_state_folder(scene: Scene) -> None:
    told(scene.state / "agents" / "main" / "sessions", "one", "The lighthouse is red.")
    with scene.open(sessions={"enabled": True, "exportDir": "exports/talks"}) as memory:
        memory.sync()
        assert memory.search("lighthouse").hits[0].path == "qmd/sessions/one.md"
    assert (scene.state / "exports" / "talks" / "one.md").exists()


def api_of(site: Site) -> httpx.Client:
    return httpx.Client(
        base_url=f"http://127.0.0.1:{site.access.port}/api",
        headers={"authorization": "Bearer secret"},
        timeout=60,
    )


def test_who_asks_is_known_in_the_command_line_and_over_mcp(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`scope` by channel and key: an option, or the variables that every command and server reads."""
    from memdown.agent import run_tool
    from memdown.cli import run

    rules = [{"action": "allow", "match": {"channel": "slack", "keyPrefix": "slack:channel:c0"}}]
    with scene.open(scope={"default": "deny", "rules": rules}) as memory:
        memory.sync()
        asked = {"query": "Maria"}
        assert not run_tool(memory, "memory_search", asked).data["results"]
        key = "agent:main:slack:channel:c024"
        found = run_tool(memory, "memory_search", asked, session_key=key).data["results"]
        place = {"path": found[0]["path"]}
        denied = run_tool(memory, "memory_get", place)
        assert denied.is_error
        assert "memory.qmd.scope does not allow" in denied.text
        assert not run_tool(memory, "memory_get", place, session_key=key).is_error
        with running(memory, token="secret") as site, api_of(site) as http:
            who = {"sessionKey": key}
            assert not http.get("/search", params={"q": "Maria"}).json()["results"]
            assert http.get("/search", params={"q": "Maria", **who}).json()["results"]
            assert http.get("/notes/MEMORY.md").status_code == 403
            assert http.get("/notes/MEMORY.md", params=who).status_code == 200
    where = [
        "--workspace",
        str(scene.folder),
        "--config",
        str(scene.folder.parent / "memdown.json"),
    ]
    assert run(["search", "Maria", *where]) == 1
    assert run(["search", "Maria", "--session-key", key, *where]) == 0
    monkeypatch.setenv("MEMDOWN_SESSION_KEY", key)
    assert run(["search", "Maria", *where]) == 0
    monkeypatch.setenv("MEMDOWN_CHAT", "party")
    assert run(["search", "Maria", *where]) == 2
    assert "MEMDOWN_CHAT: 'party' is no kind of chat" in capsys.readouterr().err
