"""The ranking steps, one by one: what makes a passage come before another."""

from __future__ import annotations

from memdown.search.rank import Signs, Weights, confidence, with_lanes
from memdown.types import Hit

HALF = Weights(vector=0.5, text=0.5)


def signs(idf_coverage: float, text: float, near: float = 0.0, *, words: bool = True) -> Signs:
    return Signs(words=words, covered=idf_coverage, idf_coverage=idf_coverage, text=text, near=near)


def test_confidence_grows_with_both_legs() -> None:
    nothing = confidence(signs(0.0, 0.0), HALF)
    words = confidence(signs(0.4, 0.4), HALF)
    more = confidence(signs(0.7, 0.4), HALF)
    both = confidence(signs(0.7, 0.4, near=0.5), HALF)
    assert nothing == 0.0
    assert 0 < words < more < both <= 1


def test_words_that_stand_nowhere_speak_against_mere_resemblance() -> None:
    only_vectors = Weights(vector=1.0, text=0.0)
    asked = confidence(signs(0.0, 0.0, near=0.3), only_vectors)
    not_asked = confidence(signs(0.0, 0.0, near=0.3, words=False), only_vectors)
    assert asked < not_asked


def test_a_question_of_which_the_notes_hold_little_is_answered_weakly() -> None:
    """The bars lie between the means of questions about the notes and about other people's."""
    assert confidence(signs(0.3, 0.35), HALF) < 0.35 < confidence(signs(0.6, 0.6), HALF)


def test_transcripts_do_not_crowd_notes_out() -> None:
    talks = [
        Hit(f"sessions/{n}.jsonl", "sessions", 1, 1, 0.9, f"talk number {n} about it")
        for n in range(9)
    ]
    note = Hit("memory/a.md", "memory", 1, 1, 0.4, "the note that says something else")
    assert note in with_lanes([*talks, note])[:2]


def test_a_passage_with_every_word_is_an_answer_however_long() -> None:
    words = Weights(vector=0.0, text=1.0)
    most = Signs(words=True, covered=0.9, idf_coverage=0.5, text=0.1, near=0.0)
    every = Signs(words=True, covered=1.0, idf_coverage=0.5, text=0.1, near=0.0)
    assert confidence(most, words) < 0.35 < confidence(every, words)
