"""The ranking steps, one by one: what makes a passage come before another."""

from __future__ import annotations

from memdown.search.rank import Legs, Weights, confidence, with_lanes
from memdown.types import Hit

HALF = Weights(vector=0.5, text=0.5)


def legs(text: dict[int, float], vector: dict[int, float], reachable: float = 10.0) -> Legs:
    return Legs(text, reachable, vector, 0.1, {key: key for key in text})


def test_confidence_grows_with_both_legs() -> None:
    nothing = confidence(legs({}, {}), HALF)
    words = confidence(legs({1: 4.0}, {1: 0.1}), HALF)
    both = confidence(legs({1: 4.0}, {1: 0.7}), HALF)
    assert nothing == 0.0
    assert 0 < words <= both <= 1


def test_words_that_stand_nowhere_speak_against_mere_resemblance() -> None:
    only_vectors = Weights(vector=1.0, text=0.0)
    asked = confidence(legs({}, {1: 0.4}, reachable=10.0), only_vectors)
    not_asked = confidence(legs({}, {1: 0.4}, reachable=0.0), only_vectors)
    assert asked < not_asked


def test_transcripts_do_not_crowd_notes_out() -> None:
    talks = [
        Hit(f"sessions/{n}.jsonl", "sessions", 1, 1, 0.9, f"talk number {n} about it")
        for n in range(9)
    ]
    note = Hit("memory/a.md", "memory", 1, 1, 0.4, "the note that says something else")
    assert note in with_lanes([*talks, note])[:2]


def test_a_passage_with_every_word_is_an_answer_however_long() -> None:
    legs = Legs({1: 0.5}, 10.0, {}, 0.0, {1: 1})
    words = Weights(vector=0.0, text=1.0)
    assert confidence(legs, words, covered=0.9) < 0.35 < confidence(legs, words, covered=1.0)
