"""Imports: real forms in, notes and transcripts out; originals untouched, nothing twice."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
import zstandard

from imports import fixtures
from memdown.config import load_settings
from memdown.errors import ImportFailed
from memdown.imports import Destination, ImportPlan, MovingIn, apply, find, plan
from memdown.transcripts import read_turns
from memdown.transcripts.sessions import SessionStore
from memdown.transcripts.sessions.browsing import conversations


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def to(tmp_path: Path) -> Destination:
    return Destination(tmp_path / "workspace", tmp_path / "state", "main")


def bring(source: str, to: Destination, home: Path, path: Path | None = None) -> ImportPlan:
    found = find(source, path, {"HOME": str(home)})
    return apply(plan(found.items, to, found.problems), to)


def statuses(source: str, to: Destination, home: Path, path: Path | None = None) -> dict[str, str]:
    found = find(source, path, {"HOME": str(home)})
    return {step.path.name: step.status for step in plan(found.items, to, found.problems).steps}


def turns(path: Path) -> list[tuple[str, str]]:
    return [
        (turn.role, turn.text) for turn in read_turns(str(path.parent), f"sessions/{path.name}")
    ]


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def sessions(to: Destination, agent: str = "main") -> Path:
    return to.state_dir / "agents" / agent / "sessions"


def test_claude_code(home: Path, to: Destination) -> None:
    fixtures.claude_code(home)
    made = bring("claude-code", to, home)
    assert made.problems == ()
    notes = to.workspace / "memory" / "imports" / "claude-code" / "home-ann-shop"
    assert (notes / "deploy.md").read_text() == (
        "<!-- imported from claude-code: ~/.claude/projects/-home-ann-shop/memory/deploy.md -->\n\n"
        "# Deploy\n\nmake deploy\n"
    )
    assert (
        (notes / "MEMORY.md")
        .read_text()
        .startswith("---\nname: shop\ndescription: the web shop\n---\n<!-- imported from")
    )
    assert turns(sessions(to) / f"claude-code-{fixtures.SESSION}.jsonl") == [
        ("user", "How do we deploy?"),
        ("assistant", "With make deploy; password=[redacted: password]"),
        ("user", "Thanks!"),
    ]
    assert len(list(sessions(to).glob("*.jsonl"))) == 1, "subagents are left out"


def test_codex(home: Path, to: Destination) -> None:
    fixtures.codex(home)
    bring("codex", to, home)
    notes = to.workspace / "memory" / "imports" / "codex"
    assert {p.relative_to(notes).as_posix() for p in notes.rglob("*.md")} == {
        "MEMORY.md",
        "rollout_summaries/one.md",
    }
    assert turns(sessions(to) / "codex-019a2d7a-41c4-78b1-b7cc-a45d62a89cd5.jsonl") == [
        ("user", "Which build tool?"),
        ("assistant", "We use uv."),
    ]
    assert turns(sessions(to) / "codex-old-one.jsonl") == [
        ("user", "An old question"),
        ("assistant", "An old answer"),
    ]


@pytest.mark.parametrize("form", ["file", "folder", "zip"])
def test_chatgpt(home: Path, to: Destination, form: str, tmp_path: Path) -> None:
    data = json.dumps([fixtures.conversation(1), fixtures.conversation(2, branch=True), {"odd": 1}])
    path = fixtures.write(tmp_path / "export" / "conversations.json", data)
    if form == "folder":
        path = path.parent
    elif form == "zip":
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("conversations.json", data)
            archive.writestr("chat.html", "<html>")
    bring("chatgpt", to, home, path)
    for number in (1, 2):
        target = sessions(to) / f"chatgpt-conv-{number}.jsonl"
        assert turns(target) == [("user", f"Question {number}"), ("assistant", f"Answer {number}")]
        head = json.loads(target.read_text().splitlines()[0])
        assert head["title"] == f"Talk {number}"
        assert head["origin"]["source"] == "chatgpt"


def test_openclaw_of_2026_9(home: Path, to: Destination) -> None:
    """Settings under memory.search and agents.entries, transcripts in a database and archives."""
    root = home / ".openclaw"
    sessions_of_main = root / "agents/main/sessions"
    sessions_of_main.mkdir(parents=True)
    (root / "agents/main/agent").mkdir()
    (root / "openclaw.json").write_text(
        "{memory: {citations: 'on', dreaming: {enabled: true}, search: {provider: 'ollama', "
        "extraPaths: ['~/docs'], rememberAcrossConversations: true}}, "
        "agents: {entries: {Work: {memory: {search: {provider: 'none'}}}}}}"
    )

    def line(role: str, text: str, **more: Any) -> str:
        content = [{"type": "text", "text": text}]
        return json.dumps(
            {"type": "message", "message": {"role": role, "content": content, **more}}
        )

    for ending in (".reset.2026-09-01T10-00-00.000Z", ".deleted.2026-09-02T10-00-00.000Z", ".bak"):
        (sessions_of_main / f"old.jsonl{ending}").write_text(line("user", f"Before {ending}"))
    database = apsw.Connection(str(root / "agents/main/agent/openclaw-agent.sqlite"))
    database.execute(
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, "
        "created_at INTEGER, event_zstd BLOB)"
    )
    metadata = 'Conversation info (untrusted metadata):\n```json\n{"chat": "direct"}\n```\n\n'
    said = [
        line("user", "A new session was started via /new or /reset. Greet the user."),
        line("user", "Read HEARTBEAT.md if it exists (workspace context)."),
        line("assistant", "HEARTBEAT_OK"),
        line("user", metadata + "Book the ferry.\n[message_id: 77]"),
        line("assistant", "Booked."),
        line("assistant", "Booked.", model="delivery-mirror"),
        line("user", "Pre-compaction memory flush. Store durable memories now."),
        line("assistant", "NO_REPLY"),
    ]
    for number, event in enumerate(said):
        row = ("s1", number, event, 0, None)
        database.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
    database.close()
    found = find("openclaw", None, {"HOME": str(home)})
    assert "memory.dreaming, memory.search.rememberAcrossConversations" in found.problems[0].reason
    bring("openclaw", to, home)
    settings = load_settings(config=to.state_dir / "memdown.json5", workspace=to.workspace)
    assert (settings.provider, settings.citations) == ("ollama", "on")
    assert settings.extra_paths == ("~/docs",)
    work = load_settings(
        config=to.state_dir / "memdown.json5", workspace=to.workspace, agent="work"
    )
    assert work.provider == "none"
    folder = sessions(to, "main")
    assert turns(folder / "openclaw-s1.jsonl") == [
        ("user", "Book the ferry."),
        ("assistant", "Booked."),
    ]
    names = sorted(path.name for path in folder.glob("*.jsonl"))
    assert len(names) == 3
    assert ["deleted" in name or "reset" in name for name in names] == [True, True, False]


def test_the_session_store_of_openclaw_tells_groups_from_private_chats(
    home: Path, to: Destination
) -> None:
    """`sessions.json` of 2026.2, the database of 2026.9, and its compressed archives."""
    agent = home / ".openclaw/agents/main"
    folder = agent / "sessions"
    folder.mkdir(parents=True)
    (agent / "agent/cold").mkdir(parents=True)
    said = {"type": "message", "message": {"role": "user", "content": "The ferry is at nine."}}
    line = (json.dumps(said) + "\n").encode()
    for name in ("direct", "family"):
        (folder / f"{name}.jsonl").write_bytes(line)
    packed = zstandard.ZstdCompressor().compress(line)
    (folder / "old.jsonl.reset.2026-09-01T10-00-00.000Z.zst").write_bytes(packed)
    (agent / "agent/cold/0a1b.jsonl.zst").write_bytes(packed)
    (folder / "torn.jsonl.deleted.2026-09-01T10-00-00.000Z.zst").write_bytes(packed[:-4])
    store = {
        "agent:main:main": {"sessionId": "direct", "updatedAt": 1},
        "agent:main:telegram:group:-100": {"sessionId": "family", "chatType": "group"},
        "nonsense": 5,
    }
    (folder / "sessions.json").write_text(json.dumps(store))
    database = apsw.Connection(str(agent / "agent/openclaw-agent.sqlite"))
    database.execute("CREATE TABLE session_windows (session_id TEXT, session_key TEXT)")
    database.execute(
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, "
        "event_zstd BLOB)"
    )
    key = "agent:main:discord:channel:77"
    database.execute("INSERT INTO session_windows VALUES ('s9', ?), ('old', ?)", (key, key))
    database.execute("INSERT INTO transcript_events VALUES ('s9', 0, NULL, ?)", (packed,))
    database.close()
    done = bring("openclaw", to, home)
    assert ["torn.jsonl" in one.reason for one in done.problems] == [True]
    listed, problems = conversations(sessions(to, "main"))
    assert problems == []
    assert {one.id: (one.chat, one.key) for one in listed} == {
        "openclaw-0a1b": ("direct", ""),
        "openclaw-direct": ("direct", "agent:main:main"),
        "openclaw-family": ("group", "agent:main:telegram:group:-100"),
        "openclaw-old-reset.2026-09-01T10-00-00.000Z": ("channel", key),
        "openclaw-s9": ("channel", key),
    }
    assert all(one.messages == 1 for one in listed)
    store_here = SessionStore(sessions(to, "main"))
    entries = {one.session_id: one for one in store_here.list().entries}
    assert entries.keys() == {one.id for one in listed}
    assert entries["openclaw-family"].channel == "telegram"
    assert entries["openclaw-family"].extra["chatType"] == "group"
    group = "agent:main:telegram:group:-100"
    assert store_here.for_key(group, chat="group", create=False) is None, "it goes on anew"


def test_chatgpt_voice_is_what_was_understood(home: Path, to: Destination, tmp_path: Path) -> None:
    spoken = {
        "content_type": "audio_transcription",
        "text": "Remind me of \ue200cite\ue201the ferry.",
    }
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "multimodal_text", "parts": [{"content_type": "x"}, spoken]},
    }
    talk = {"id": "v", "mapping": {"a": {"message": message, "children": []}}, "current_node": "a"}
    (tmp_path / "conversations.json").write_text(json.dumps([talk]))
    bring("chatgpt", to, home, tmp_path / "conversations.json")
    assert turns(sessions(to, "main") / "chatgpt-v.jsonl") == [("user", "Remind me of the ferry.")]


def test_openclaw(home: Path, to: Destination) -> None:
    fixtures.openclaw(home)
    bring("openclaw", to, home)
    settings = to.state_dir / "memdown.json5"
    text = settings.read_text()
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    assert "SECRET" not in text
    assert "maxResults: 4" in text
    assert "nowhere" not in text
    from memdown.config import load_settings

    loaded = load_settings(environ={"MEMDOWN_STATE_DIR": str(to.state_dir), "OPENAI_API_KEY": "k"})
    assert loaded.query.max_results == 4
    assert loaded.citations == "off"
    notes = to.workspace / "memory" / "imports" / "openclaw"
    assert {path.name for path in notes.rglob("*.md")} == {"MEMORY.md", "2026-01-02.md"}
    for agent, name in (("main", "main"), ("work", "Work")):
        assert turns(sessions(to, agent) / "openclaw-b7300bff.jsonl") == [("user", f"Hello {name}")]


def test_openclaw_moves_in_where_there_are_no_notes_yet(home: Path, to: Destination) -> None:
    """Its notes are gone on with where they are, its keys are looked up where they are."""
    root = fixtures.openclaw(home)
    profile = {"type": "api_key", "provider": "openai", "key": "sk-first"}
    keys = root / "agents/main/agent/auth-profiles.json"
    fixtures.write(keys, json.dumps({"profiles": {"openai:default": profile}}))
    fixtures.write(root / "workspace-work/MEMORY.md", "# Work\n\n- Ann leads.\n")
    environ = {
        "HOME": str(home),
        "MEMDOWN_STATE_DIR": str(to.state_dir),
        "OPENAI_API_KEY": "sk-x",
    }
    before = digests(root)
    found = find("openclaw", None, environ, MovingIn(to.workspace, is_new=True))
    assert "~/.openclaw/workspace, ~/.openclaw/workspace-work" in found.notice
    apply(plan(found.items, to, found.problems), to)
    assert digests(root) == before
    assert not to.workspace.exists(), "nothing is copied that is used where it is"
    main, work = (load_settings(agent=one, environ=environ, cwd=home) for one in ("main", "work"))
    assert (main.workspace, work.workspace) == (root / "workspace", root / "workspace-work")
    assert main.query.max_results == 4
    assert main.profile_keys["openai"].reveal() == "sk-first"
    keys.write_text(keys.read_text().replace("sk-first", "sk-second"))
    main = load_settings(environ=environ, cwd=home)
    assert main.profile_keys["openai"].reveal() == "sk-second", "no second copy of a secret"
    again = find("openclaw", None, environ, MovingIn(main.workspace, is_new=False))
    assert {one.status for one in plan(again.items, to).steps} == {"same"}
    mixed = find("openclaw", None, environ, MovingIn(to.workspace, is_new=False))
    assert mixed.notice == ""
    assert "memory/imports/openclaw/MEMORY.md" in {one.name for one in mixed.items}


@pytest.mark.parametrize("form", ["list", "results", "jsonl"])
def test_mem0(home: Path, to: Destination, form: str, tmp_path: Path) -> None:
    if form == "jsonl":
        path = fixtures.lines(tmp_path / "mem0.jsonl", *fixtures.MEMORIES)
    else:
        data = fixtures.MEMORIES if form == "list" else {"count": 5, "results": fixtures.MEMORIES}
        path = fixtures.write(tmp_path / "mem0.json", json.dumps(data))
    bring("mem0", to, home, path)
    notes = to.workspace / "memory" / "imports" / "mem0"
    assert (notes / "ann.md").read_text().split("\n\n", 1)[1] == (
        "# Memories of ann\n\n"
        "- Likes rye (2025-12-01)\n  and spelt\n"
        "- Works at a bakery (2026-01-01, professional_details)\n"
    )
    assert (notes / "ben.md").read_text().count("Has a dog") == 1


def test_a_folder_of_markdown_and_one_file(home: Path, to: Destination, tmp_path: Path) -> None:
    folder = tmp_path / "old notes"
    fixtures.write(folder / "2026-01-01.md", "# A day\n")
    fixtures.write(folder / "deep" / "b.md", "# B\n")
    fixtures.write(folder / "c.txt", "no")
    bring(str(folder), to, home)
    notes = to.workspace / "memory" / "imports" / "old-notes"
    assert {p.relative_to(notes).as_posix() for p in notes.rglob("*.md")} == {
        "2026-01-01.md",
        "deep/b.md",
    }
    bring(str(folder / "deep" / "b.md"), to, home)
    assert (to.workspace / "memory" / "imports" / "files" / "b.md").exists()


def test_paths_are_told_by_what_they_hold(home: Path, to: Destination, tmp_path: Path) -> None:
    claude = fixtures.claude_code(home)
    rollout = next(fixtures.codex(home).glob("sessions/2026/**/*.jsonl"))
    claw = fixtures.openclaw(home)
    chat = fixtures.write(tmp_path / "chat.json", json.dumps([fixtures.conversation(1)]))
    mem = fixtures.write(tmp_path / "memories.json", json.dumps(fixtures.MEMORIES))
    cases = {
        claude: "claude-code-",
        next(claude.glob("projects/*/1111*.jsonl")): "claude-code-",
        home / ".codex": "codex-",
        rollout: "codex-",
        claw: "openclaw-",
        claw / "agents" / "main" / "sessions" / "b7300bff.jsonl": "openclaw-",
        chat: "chatgpt-",
        mem: "memory/imports/mem0/",
    }
    for path, start in cases.items():
        items = find(str(path), None, {"HOME": str(home)}).items
        assert any(item.name.startswith(start) for item in items), path


def test_a_dry_run_writes_nothing(home: Path, to: Destination) -> None:
    fixtures.claude_code(home)
    assert set(statuses("claude-code", to, home).values()) == {"new"}
    assert not to.workspace.exists()
    assert not to.state_dir.exists()


def test_originals_are_only_read(home: Path, to: Destination) -> None:
    for make in (fixtures.claude_code, fixtures.codex, fixtures.openclaw):
        make(home)
    before = digests(home)
    for source in ("claude-code", "codex", "openclaw"):
        bring(source, to, home)
    assert digests(home) == before


def test_it_can_be_repeated(home: Path, to: Destination) -> None:
    fixtures.claude_code(home)
    bring("claude-code", to, home)
    before = digests(to.workspace)
    assert set(statuses("claude-code", to, home).values()) == {"same"}
    bring("claude-code", to, home)
    assert digests(to.workspace) == before


def test_what_changed_there_is_updated_and_what_you_changed_here_is_kept(
    home: Path, to: Destination
) -> None:
    root = fixtures.claude_code(home)
    bring("claude-code", to, home)
    memory = root / "projects" / "-home-ann-shop" / "memory"
    for name in ("deploy.md", "MEMORY.md"):
        (memory / name).write_text("# New\n")
    session = root / "projects" / "-home-ann-shop" / f"{fixtures.SESSION}.jsonl"
    with session.open("a") as file:
        file.write(
            json.dumps({"type": "user", "message": {"role": "user", "content": "More"}}) + "\n"
        )
    mine = to.workspace / "memory/imports/claude-code/home-ann-shop/MEMORY.md"
    mine.write_text("my own words\n")
    assert statuses("claude-code", to, home) == {
        "deploy.md": "update",
        "MEMORY.md": "kept",
        f"claude-code-{fixtures.SESSION}.jsonl": "update",
    }
    bring("claude-code", to, home)
    assert mine.read_text() == "my own words\n"
    assert "# New" in mine.with_name("deploy.md").read_text()
    assert turns(sessions(to) / f"claude-code-{fixtures.SESSION}.jsonl")[-1] == ("user", "More")


def test_settings_that_are_there_are_kept(home: Path, to: Destination) -> None:
    fixtures.openclaw(home)
    fixtures.write(to.state_dir / "memdown.json5", "{}")
    assert statuses("openclaw", to, home)["memdown.json5"] == "kept"


def test_no_link_on_the_way_is_followed(home: Path, to: Destination, tmp_path: Path) -> None:
    fixtures.claude_code(home)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (to.workspace / "memory").mkdir(parents=True)
    (to.workspace / "memory" / "imports").symlink_to(elsewhere)
    made = bring("claude-code", to, home)
    assert made.problems
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("claude-code", "give the path"),
        ("chatgpt", "path of your export"),
        ("mem0", "path of your export"),
        ("claud-code", "did you mean claude-code"),
        ("nowhere/at/all", "neither a source nor an existing path"),
    ],
)
def test_errors_say_what_to_do(home: Path, source: str, message: str) -> None:
    with pytest.raises(ImportFailed, match=message):
        find(source, None, {"HOME": str(home)})


@pytest.mark.parametrize("text", ["", "{}", "[1, 2", '[{"a": 1}, {"b"', "[[[[", "hello"])
def test_damaged_exports_are_reported(home: Path, tmp_path: Path, text: str) -> None:
    path = fixtures.write(tmp_path / "conversations.json", text)
    found = find("chatgpt", path, {"HOME": str(home)})
    assert found.items == ()
    assert found.problems or text == "{}"
    with pytest.raises(ImportFailed, match="no memories"):
        find("mem0", path, {"HOME": str(home)})


def test_a_large_export_is_read_piece_by_piece(home: Path, tmp_path: Path) -> None:
    long = fixtures.conversation(0)
    long["mapping"]["a"]["message"]["content"]["parts"] = ["long " * 500_000]
    many = [long, *(fixtures.conversation(number) for number in range(1, 50))]
    path = fixtures.write(tmp_path / "conversations.json", json.dumps(many, indent=1))
    assert len(find("chatgpt", path, {"HOME": str(home)}).items) == 50


def test_imported_notes_are_found(
    home: Path, tmp_path: Path, open_memory: Callable[..., object], own_state: Path
) -> None:
    fixtures.claude_code(home)
    to = Destination(tmp_path / "ws", own_state, "main")
    bring("claude-code", to, home)
    memory = open_memory(to.workspace)
    answer = memory.search("when do we ship", min_score=0.0)  # type: ignore[attr-defined]
    assert answer.hits[0].path == "memory/imports/claude-code/home-ann-shop/MEMORY.md"


def test_ids_that_clean_to_one_name_stay_apart(home: Path, to: Destination, tmp_path: Path) -> None:
    """An id is whatever the other program made of it, and each conversation is kept."""
    ids = ["a/b", "a\0b", "a-b", "a b", "../a-b", "x" * 300, "x" * 301]
    talks = [
        fixtures.conversation(number) | {"conversation_id": one, "id": one}
        for number, one in enumerate(ids)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(talks))
    done = bring("chatgpt", to, home, path)
    assert len(done.steps) == len(ids)
    assert len(list(sessions(to).glob("*.jsonl"))) == len(ids)
    assert (sessions(to) / "chatgpt-a-b.jsonl").exists()


def test_ids_that_differ_in_capitals_stay_apart_on_any_disk(
    home: Path, to: Destination, tmp_path: Path
) -> None:
    talks = [
        fixtures.conversation(number) | {"conversation_id": one, "id": one}
        for number, one in enumerate(["Talk", "talk"])
    ]
    path = tmp_path / "conversations.json"
    for order in (talks, talks[::-1]):
        path.write_text(json.dumps(order))
        bring("chatgpt", to, home, path)
        names = [file.name for file in sessions(to).glob("*.jsonl")]
        assert "chatgpt-talk.jsonl" in names
        assert len({name.casefold() for name in names}) == len(names) == 2
