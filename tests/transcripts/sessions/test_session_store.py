"""The session store: typed, locked, atomic, kind to what people write into the files."""

from __future__ import annotations

import multiprocessing
import stat
from pathlib import Path
from typing import Any

import pytest

from memdown.errors import SessionError, SessionNotFound
from memdown.text.json5_text import loads
from memdown.transcripts.sessions import SessionStore, StoredMessage
from memdown.transcripts.sessions import files as files_module
from memdown.transcripts.sessions.entries import (
    History,
    PromptReport,
    SessionEntry,
    SkillSnapshot,
    to_json,
)
from memdown.validation import convert

# Every field that the third document names, with a value of its type.
ENTRY: dict[str, Any] = {
    "sessionId": "550e8400-e29b-41d4-a716-446655440000",
    "sessionFile": "chats/550e8400-e29b-41d4-a716-446655440000.json5",
    "updatedAt": 1704070800000,
    "channel": "telegram",
    "origin": {"from": "ann", "label": "Ann"},
    "deliveryContext": {"channel": "telegram", "to": "42"},
    "modelOverride": "large-1",
    "providerOverride": "someone",
    "thinkingLevel": "low",
    "authProfileOverride": "work",
    "inputTokens": 120,
    "outputTokens": 350,
    "compactionCount": 1,
    "memoryFlushAt": 1704069000000,
    "memoryFlushCompactionCount": 1,
    "skillsSnapshot": {
        "prompt": "You can bake.",
        "skills": [{"name": "bake", "primaryEnv": "OVEN"}, {"name": "cook"}],
        "resolvedSkills": [{"name": "bake", "path": "skills/bake"}],
        "version": 3,
    },
    "systemPromptReport": {
        "source": "run",
        "generatedAt": 1704067200000,
        "provider": "someone",
        "model": "large-1",
        "workspaceDir": "~/w",
        "systemPrompt": {"chars": 10, "projectContextChars": 4, "nonProjectContextChars": 6},
        "injectedWorkspaceFiles": [
            {
                "name": "MEMORY.md",
                "path": "MEMORY.md",
                "missing": False,
                "rawChars": 5,
                "injectedChars": 4,
                "truncated": True,
            }
        ],
    },
    "groupActivation": "mention",
    "groupId": "family",
    "execHost": "docker",
    "execSecurity": "ask",
    "execNode": "node-1",
    "responseUsage": "tokens",
    "ttsAuto": "off",
    "queueMode": "collect",
    "queueDebounceMs": 500,
    "queueCap": 10,
    "queueDrop": "summarize",
}
HISTORY: dict[str, Any] = {
    "sessionId": "s1",
    "version": 2,
    "createdAt": 1704067200000,
    "updatedAt": 1704070800000,
    "messages": [
        {"role": "user", "content": "How?", "timestamp": 1704067200000},
        {
            "role": "assistant",
            "content": "So.",
            "timestamp": 1704067205000,
            "usage": {"inputTokens": 120, "outputTokens": 350},
            "thinkingBlocks": [{"type": "thought", "content": "Hm."}],
            "toolCalls": [{"id": "c1", "name": "read", "arguments": {"path": "a.ts"}}],
        },
        {"role": "tool", "content": "// a", "toolCallId": "c1", "name": "read"},
    ],
    "compactedHistory": [
        {
            "role": "system",
            "content": "[Summary] Before.",
            "compactedAt": 1704069000000,
            "originalMessageCount": 24,
        }
    ],
}


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    times = iter(range(1_000, 1_000_000, 10))
    return SessionStore(tmp_path / "sessions", now=lambda: next(times))


def test_every_named_field_is_typed_and_nothing_is_lost() -> None:
    entry = convert(SessionEntry, ENTRY)
    assert entry.extra == {}
    assert isinstance(entry.skills_snapshot, SkillSnapshot)
    assert entry.skills_snapshot.skills[0].primary_env == "OVEN"
    assert isinstance(entry.system_prompt_report, PromptReport)
    assert to_json(entry) == ENTRY
    history = convert(History, HISTORY)
    assert history.messages[1].tool_calls[0].arguments == {"path": "a.ts"}
    assert to_json(history) == HISTORY


def test_unknown_fields_survive_a_rewrite(store: SessionStore) -> None:
    store.create("s1", extra={"mood": {"today": "good"}})
    store.update("s1", input_tokens=5)
    path = store.folder / "chats" / "s1.json5"
    path.write_text(path.read_text().replace("messages: []", "colour: 'blue',\n  messages: []"))
    store.append("s1", StoredMessage("user", "hi", extra={"emoji": "🎉"}))
    store.compact("s1", "They said hi.")
    assert loads(path.read_text())["colour"] == "blue"
    assert store.get("s1").extra == {"mood": {"today": "good"}}
    assert store.get("s1").input_tokens == 5


def test_a_session_from_start_to_end(store: SessionStore) -> None:
    entry = store.create(channel="webchat")
    assert entry.session_file == f"chats/{entry.session_id}.json5"
    for number in range(5):
        store.append(entry.session_id, StoredMessage("user", f"message {number}", timestamp=number))
    assert [m.content for m in store.history(entry.session_id).messages][-1] == "message 4"
    after = store.compact(entry.session_id, "Five messages.", keep=2)
    assert [m.content for m in after.messages] == ["message 3", "message 4"]
    assert after.compacted_history[0].content == "[Summary] Five messages."
    assert after.compacted_history[0].original_message_count == 3
    assert store.get(entry.session_id).compaction_count == 1
    assert store.history(entry.session_id) == after
    store.delete(entry.session_id)
    assert store.list().entries == ()
    with pytest.raises(SessionNotFound, match="sessions list"):
        store.history(entry.session_id)


def test_groups_have_files_of_their_own(store: SessionStore) -> None:
    entry = store.create("s1", group_id="12036/30@g.us", group_activation="mention")
    assert entry.session_file == "groups/12036%2F30@g.us.json5"
    store.append("s1", StoredMessage("user", "hello all"))
    assert [path.name for path in (store.folder / "groups").iterdir()] == ["12036%2F30@g.us.json5"]
    assert store.history("s1").messages[0].content == "hello all"


def test_the_last_active_comes_first(store: SessionStore) -> None:
    for name in ("a", "b", "c"):
        store.create(name)
    store.append("a", StoredMessage("user", "hi"))
    assert [entry.session_id for entry in store.list().entries] == ["a", "c", "b"]


def test_comments_stay_when_messages_are_added(store: SessionStore) -> None:
    store.create("s1")
    store.append("s1", StoredMessage("user", "one"))
    path = store.folder / "chats" / "s1.json5"
    text = path.read_text().replace('content: "one",', 'content: "one", // the first of all')
    path.write_text("// kept by hand\n" + text)
    registry = store.folder / "registry.json5"
    registry.write_text(registry.read_text().replace("s1: {", "// my favourite\n  s1: {"))
    store.append("s1", StoredMessage("user", "two"), StoredMessage("assistant", "three"))
    after = path.read_text()
    assert "// kept by hand" in after
    assert "// the first of all" in after
    assert "// my favourite" in registry.read_text()
    assert [m.content for m in store.history("s1").messages] == ["one", "two", "three"]


def test_comments_inside_an_entry_stay_when_it_changes(store: SessionStore) -> None:
    store.create("s1", channel="cli", input_tokens=1, thinking_level="low")
    registry = store.folder / "registry.json5"
    text = registry.read_text()
    text = text.replace('channel: "cli",', '// where it began\n    channel: "cli", // the terminal')
    text = text.replace("inputTokens: 1,", "inputTokens: 1, // so far\n    note: 'mine',")
    registry.write_text(text)
    store.update("s1", input_tokens=2, output_tokens=7, thinking_level=None)
    after = registry.read_text()
    for comment in ("// where it began", "// the terminal", "// so far"):
        assert comment in after
    entry = store.get("s1")
    assert (entry.input_tokens, entry.output_tokens, entry.thinking_level) == (2, 7, None)
    assert entry.extra == {"note": "mine"}


def test_a_damaged_history_costs_one_session(store: SessionStore) -> None:
    for name in ("good", "bad"):
        store.create(name)
        store.append(name, StoredMessage("user", f"in {name}"))
    path = store.folder / "chats" / "bad.json5"
    path.write_text(path.read_text()[:-8])
    with pytest.raises(SessionError, match=r"bad\.json5 is damaged .*bad\.json5\.damaged-1"):
        store.history("bad")
    assert path.with_name("bad.json5.damaged-1").exists()
    assert store.history("good").messages[0].content == "in good"
    store.append("bad", StoredMessage("user", "again"))
    assert [m.content for m in store.history("bad").messages] == ["again"]
    assert "in bad" in path.with_name("bad.json5.damaged-1").read_text()
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_a_damaged_registry_is_made_anew_from_the_histories(store: SessionStore) -> None:
    for name in ("a", "b"):
        store.create(name)
    registry = store.folder / "registry.json5"
    registry.write_text("{ a: {")
    assert {entry.session_id for entry in store.list().entries} == {"a", "b"}
    store.update("a", channel="telegram")
    assert store.get("a").channel == "telegram"
    assert store.get("b").session_file == "chats/b.json5"
    assert registry.with_name("registry.json5.damaged-1").read_text() == "{ a: {"


def test_a_wrong_entry_costs_itself_only(store: SessionStore) -> None:
    store.create("good")
    store.create("bad", input_tokens=5)
    registry = store.folder / "registry.json5"
    registry.write_text(registry.read_text().replace("inputTokens: 5", "inputTokens: 'five'"))
    listing = store.list()
    assert [entry.session_id for entry in listing.entries] == ["good"]
    (problem,) = listing.problems
    assert "inputTokens" in problem.reason
    assert "registry.json5" in problem.reason


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden", "x" * 300, "a\nb"])
def test_ids_cannot_lead_elsewhere(store: SessionStore, name: str) -> None:
    if name:
        with pytest.raises(SessionError, match="session id"):
            store.create(name)
    store.create("ok")
    registry = store.folder / "registry.json5"
    registry.write_text(registry.read_text().replace("chats/ok.json5", "../../elsewhere.json5"))
    store.append("ok", StoredMessage("user", "hi"))
    assert store.history("ok").messages[0].content == "hi"
    assert not (store.folder.parent.parent / "elsewhere.json5").exists()


def test_files_are_for_their_owner_only(store: SessionStore) -> None:
    store.create("s1")
    for path in (store.folder / "registry.json5", store.folder / "chats" / "s1.json5"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_existing_id_is_refused(store: SessionStore) -> None:
    store.create("s1")
    with pytest.raises(SessionError, match="already"):
        store.create("s1")


def test_a_lock_that_stays_is_an_error_after_ten_tries(store: SessionStore) -> None:
    waits: list[float] = []
    with (
        files_module.locked(store.folder),
        pytest.raises(SessionError, match="another process"),
        files_module.locked(store.folder, sleep=waits.append),
    ):
        pass
    assert len(waits) == 9
    assert 0.08 <= waits[0] <= 0.1
    assert max(waits) <= 1.0


def _write(folder: Path, name: str, count: int) -> None:
    store = SessionStore(folder)
    for number in range(count):
        store.append("shared", StoredMessage("user", f"{name}-{number}"))


def test_many_processes_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    SessionStore(folder).create("shared")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(folder, f"w{n}", 5)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    found = [message.content for message in SessionStore(folder).history("shared").messages]
    assert sorted(map(str, found)) == sorted(f"w{n}-{m}" for n in range(3) for m in range(5))


def test_transcripts_are_enlisted_at_once_and_what_people_wrote_stays(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, now=lambda: 5)
    store.create("chat-1", channel="cli")
    registry = tmp_path / "registry.json5"
    registry.write_text(registry.read_text().replace('channel: "cli"', 'channel: "cli" /* mine */'))
    names = [f"café-{number}" for number in range(200)]
    store.enlist([SessionEntry(name, 7, channel="codex") for name in names])
    store.enlist([SessionEntry(names[3], 9, channel="other"), SessionEntry("chat-1", 8)])
    entries = {one.session_id: one for one in store.list().entries}
    assert entries.keys() == {"chat-1", *names}
    assert (entries[names[3]].updated_at, entries[names[3]].channel) == (9, "codex")
    assert (entries["chat-1"].updated_at, entries["chat-1"].channel) == (8, "cli")
    assert [store.has_history(entries[name]) for name in ("chat-1", names[0])] == [True, False]
    assert "/* mine */" in registry.read_text()
    store.delete(names[0])
    assert names[0] not in registry.read_text()
