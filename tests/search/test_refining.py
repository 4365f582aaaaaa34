"""A closer look at the first passages: words they hold, and what a share is worth."""

from __future__ import annotations

from memdown.search.rank import WHOLE, Legs, Scored, Weights, by_closeness, by_coverage, confidence

HALF = Weights(vector=0.5, text=0.5)


def scored(key: int, by_text: float, by_vector: float = 0.0) -> Scored:
    return Scored(key, key, 0.0, 0.0, by_text, by_vector, share=by_text)


def test_more_of_the_words_beat_one_word_repeated() -> None:
    """BM25 alone likes a rare word that is repeated in a short text."""
    found = [scored(1, 1.0), scored(2, 0.9)]
    assert [one.key for one in by_coverage(found, {(1, WHOLE): 0.25, (2, WHOLE): 1.0}, HALF)] == [
        2,
        1,
    ]


def test_the_similarity_of_the_passage_counts_beside_that_of_its_chunk() -> None:
    found = [scored(1, 0.5, 0.5), scored(2, 0.5, 0.5)]
    ranked = by_closeness(found, {(1, WHOLE): 0.1, (2, WHOLE): 0.7}, 0.1, HALF)
    assert [one.key for one in ranked] == [2, 1]
    assert ranked[0].share == 1.0


def test_passages_that_were_not_looked_at_come_after_the_others() -> None:
    found = [scored(1, 0.2), scored(2, 1.0)]
    ranked = by_coverage(found, {(1, WHOLE): 1.0}, HALF)
    assert [one.key for one in ranked] == [1, 2]
    assert ranked[1].share <= ranked[0].share


def test_a_passage_with_every_word_is_an_answer_however_long() -> None:
    legs = Legs({1: 0.5}, 10.0, {}, 0.0, {1: 1})
    words = Weights(vector=0.0, text=1.0)
    assert confidence(legs, words, covered=0.9) < 0.35 < confidence(legs, words, covered=1.0)
