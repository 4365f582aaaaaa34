"""Exact recall: what was said, word for word, with the turns around it."""

from __future__ import annotations

import os
from pathlib import Path

from memdown.transcripts.sessions import recall
from transcripts.talking import said, talk


def test_text_is_found_with_the_turns_around_it(tmp_path: Path) -> None:
    path = talk(tmp_path, "s1", *(said("user", f"turn {n}") for n in range(10)))
    (hit,) = recall(path.parent, "TURN   5")
    assert (hit.path, hit.turn.line) == ("sessions/s1.jsonl", 6)
    assert [turn.text for turn in hit.before] == ["turn 3", "turn 4"]
    assert [turn.text for turn in hit.after] == ["turn 6", "turn 7"]


def test_hits_near_each_other_and_at_the_edges(tmp_path: Path) -> None:
    path = talk(
        tmp_path, "s1", said("user", "apple"), said("user", "apple pie"), said("user", "end")
    )
    first, second = recall(path.parent, "apple", context=1)
    assert ([t.text for t in first.before], [t.text for t in first.after]) == ([], ["apple pie"])
    assert ([t.text for t in second.before], [t.text for t in second.after]) == (["apple"], ["end"])
    assert [hit.after for hit in recall(path.parent, "apple", context=0)] == [(), ()]


def test_the_newest_conversation_comes_first_and_can_be_chosen(tmp_path: Path) -> None:
    old = talk(tmp_path, "old", said("user", "apple"))
    talk(tmp_path, "new", said("user", "apple"))
    os.utime(old, (1, 1))
    assert [hit.path for hit in recall(old.parent, "apple")] == [
        "sessions/new.jsonl",
        "sessions/old.jsonl",
    ]
    assert [hit.path for hit in recall(old.parent, "apple", session="old")] == [
        "sessions/old.jsonl"
    ]
    assert len(recall(old.parent, "apple", limit=1)) == 1


def test_secrets_can_neither_be_shown_nor_looked_for(tmp_path: Path) -> None:
    key = "ghp" + "_" + "a1B2" * 9
    path = talk(tmp_path, "s1", said("user", f"the key {key}"))
    assert recall(path.parent, key) == []
    (hit,) = recall(path.parent, "the key")
    assert key not in hit.turn.text


def test_accents_and_wide_letters_match(tmp_path: Path) -> None:
    path = talk(tmp_path, "s1", said("user", "Cafe\u0301 ＡＢＣ ist schön"))
    assert len(recall(path.parent, "café abc")) == 1
    assert recall(path.parent, "  ") == []
