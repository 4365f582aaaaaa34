"""The ranking steps, one by one: what makes a passage come before another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memdown.search.rank import Legs, Weights, confidence, fuse, spread, with_lanes
from memdown.types import FILE_SPAN, Hit

HALF = Weights(vector=0.5, text=0.5)


def legs(text: dict[int, float], vector: dict[int, float], reachable: float = 10.0) -> Legs:
    return Legs(text, reachable, vector, 0.1, {key: key for key in text})


def test_a_passage_gains_from_its_neighbours() -> None:
    one, other = 5, FILE_SPAN + 5
    scores = spread({one: 1.0, one + 1: 1.0, other: 1.0}, {one: one, one + 1: one, other: other})
    assert scores[one] > scores[other]


def test_neighbours_in_number_but_not_in_file_do_not_count_as_a_file() -> None:
    last, first = FILE_SPAN - 1, FILE_SPAN * 3
    scores = spread({last: 5.0, first: 1.0}, {last: last, first: first})
    alone = spread({first: 1.0}, {first: first})
    assert scores[first] == alone[first]


def test_what_both_legs_found_comes_first() -> None:
    ranked = fuse(legs({1: 5.0, 2: 5.0}, {1: 0.6, 3: 0.6}), HALF, 10)
    assert ranked[0].key == 1
    assert ranked[0].share == 1.0
    assert {one.key for one in ranked} == {1, 2, 3}


def test_the_weights_decide_between_the_legs() -> None:
    found = legs({1: 5.0}, {1: 0.1, 9: 0.8})
    assert fuse(found, Weights(vector=0.9, text=0.1), 5)[0].key == 9
    assert fuse(found, Weights(vector=0.1, text=0.9), 5)[0].key == 1


def test_an_embedder_that_finds_everything_equally_near_tells_little() -> None:
    found = legs({1: 5.0, 2: 4.0}, {1: 0.101, 2: 0.12})
    assert fuse(found, HALF, 5)[0].key == 1


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


@given(
    text=st.dictionaries(st.integers(1, 200), st.floats(0.01, 50), max_size=20),
    vector=st.dictionaries(st.integers(1, 200), st.floats(-1, 1), max_size=20),
)
def test_any_candidates_give_a_falling_order_between_0_and_1(
    text: dict[int, float], vector: dict[int, float]
) -> None:
    found = legs(text, vector)
    ranked = fuse(found, HALF, 50)
    shares = [one.share for one in ranked]
    assert shares == sorted(shares, reverse=True)
    assert all(0 <= share <= 1 for share in shares)
    assert 0 <= confidence(found, HALF) <= 1


def test_transcripts_do_not_crowd_notes_out() -> None:
    talks = [
        Hit(f"sessions/{n}.jsonl", "sessions", 1, 1, 0.9, f"talk number {n} about it")
        for n in range(9)
    ]
    note = Hit("memory/a.md", "memory", 1, 1, 0.4, "the note that says something else")
    assert note in with_lanes([*talks, note])[:2]
