"""Sessions of older versions come to their agents, each once, and none is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdown.errors import SessionError, SessionNotFound
from memdown.transcripts.sessions import SessionStore, StoredMessage
from memdown.transcripts.sessions.store import bring_over


@pytest.fixture
def old(tmp_path: Path) -> SessionStore:
    """What the chat of two agents kept in one place, and a session of some other program."""
    store = SessionStore(tmp_path / "sessions")
    for name, agent in (("one", "main"), ("two", "other"), ("silent", "")):
        store.create(name, channel="cli", queue_mode=f"as {name}")
        store.append(name, StoredMessage("user", f"I am {name}."))
        if agent:
            folder = tmp_path / "agents" / agent / "sessions"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.jsonl").write_text("{}\n")
    store.create("foreign", channel="telegram")
    return store


def own(tmp_path: Path, agent: str) -> SessionStore:
    return SessionStore(tmp_path / "agents" / agent / "sessions")


def names(store: SessionStore) -> set[str]:
    return {entry.session_id for entry in store.list().entries}


def test_every_session_goes_to_the_agent_that_has_its_transcript(
    tmp_path: Path, old: SessionStore
) -> None:
    text = old.text_of("one")
    bring_over(tmp_path, "main")
    assert names(own(tmp_path, "main")) == {"one", "silent"}
    assert names(old) == {"two", "foreign"}
    assert own(tmp_path, "main").text_of("one") == text
    assert own(tmp_path, "main").get("one").queue_mode == "as one"
    bring_over(tmp_path, "other")
    assert names(own(tmp_path, "other")) == {"two"}
    assert names(old) == {"foreign"}
    bring_over(tmp_path, "main")
    assert names(own(tmp_path, "main")) == {"one", "silent"}


def test_the_empty_place_is_removed(tmp_path: Path) -> None:
    SessionStore(tmp_path / "sessions").create("one", channel="cli")
    bring_over(tmp_path, "main")
    assert names(own(tmp_path, "main")) == {"one"}
    assert not (tmp_path / "sessions").exists()


def test_a_move_that_was_killed_half_way_is_finished(
    tmp_path: Path, old: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: SessionStore, session_id: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(SessionStore, "delete", killed)
        bring_over(tmp_path, "main")
    assert names(old) == {"one", "two", "silent", "foreign"}
    bring_over(tmp_path, "main")
    assert names(own(tmp_path, "main")) == {"one", "silent"}
    assert names(old) == {"two", "foreign"}


def test_another_session_of_that_name_is_never_overwritten(
    tmp_path: Path, old: SessionStore
) -> None:
    new = own(tmp_path, "main")
    new.create("one")
    new.append("one", StoredMessage("user", "I am someone else."))
    with pytest.raises(SessionError, match="another one of that name"):
        new.adopt(old.get("one"), old.text_of("one"))
    bring_over(tmp_path, "main")
    assert "one" in names(old)
    assert "someone else" in str(new.history("one"))
    assert "silent" in names(new)


def test_a_damaged_history_comes_along_as_it_is(tmp_path: Path, old: SessionStore) -> None:
    (tmp_path / "sessions/chats/one.json5").write_text("{ broken")
    bring_over(tmp_path, "main")
    assert own(tmp_path, "main").text_of("one") == "{ broken"


def test_nothing_is_made_where_there_was_nothing(tmp_path: Path) -> None:
    bring_over(tmp_path, "main")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SessionNotFound):
        own(tmp_path, "main").get("one")
