"""The best passages by words, found without scoring all of them, and what each of some passages holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.index import bm25
from memdown.index.bm25 import UnitPosting, best_by_words, frequencies, lists_of, saturate
from memdown.index.reader import Mask, Posting, Reader, read_in_memory, word
from memdown.tuning import TUNING

PASSAGES = 400


def _reader(seed: int) -> Reader:
    draw = np.random.default_rng(seed)
    empty = read_in_memory([])
    return Reader(
        files=[],
        file_source=empty.file_source,
        passage_file=np.zeros(PASSAGES, np.int32),
        passage_chunk=np.zeros(PASSAGES, np.int32),
        passage_lines=np.zeros((PASSAGES, 2), np.int32),
        # Few lengths, so that many scores are equal.
        passage_length=draw.integers(1, 6, PASSAGES).astype(np.int32),
        alive=np.ones(PASSAGES, bool),
        chunk_key=np.zeros(1, np.int64),
        chunk_file=np.zeros(1, np.int32),
        chunk_alive=np.ones(1, bool),
        chunk_vectors=None,
        origin=empty.origin,
    )


def _looked(seed: int, sizes: list[int]) -> list[UnitPosting]:
    draw = np.random.default_rng(seed)
    found = []
    for number, size in enumerate(sizes):
        rows = np.sort(draw.choice(PASSAGES, size, replace=False)).astype(np.int32)
        tf = draw.integers(0, 3, (2, size)).astype(np.uint8)
        tf[0, tf.sum(axis=0) == 0] = 1
        rarity = bm25.idf(PASSAGES, size)
        found.append(UnitPosting(number, word(f"w{number}"), Posting(rows, *tf), rarity))
    return found


def _all_scores(looked: list[UnitPosting], reader: Reader) -> np.ndarray:
    scores = np.zeros(PASSAGES)
    for one in looked:
        rows, text, head = one.posting
        often = (TUNING.words.in_text * text + TUNING.words.in_head * head).astype(np.float32)
        scores[rows] += one.idf * saturate(often, reader.length_norms[rows])
    return scores


@given(
    st.integers(0, 1_000),
    st.lists(st.integers(0, PASSAGES), max_size=7),
    st.integers(1, 60),
    st.booleans(),
)
@settings(deadline=None)
@pytest.mark.parametrize(("joined", "together"), [(16_384, 2_048), (300, 40), (0, 0)])
def test_the_best_are_those_of_scoring_all(
    joined: int, together: int, seed: int, sizes: list[int], count: int, some: bool
) -> None:
    reader, looked = _reader(seed), _looked(seed, sizes)
    within: Mask | None = np.random.default_rng(seed).random(PASSAGES) < 0.5 if some else None
    scores = _all_scores(looked, reader)
    if within is not None:
        scores = scores * within
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "_JOINED", joined)
        patch.setattr(bm25, "_TOGETHER", together)
        lists = lists_of(looked)
        best = best_by_words(lists, reader, within, count)
        held = frequencies(lists, best, reader)
    assert (np.diff(best) > 0).all()
    assert len(best) == min(count, np.count_nonzero(scores))
    if len(best):
        rest = np.delete(scores, best)
        assert scores[best].min() >= rest.max(initial=0) - 1e-5
        own = bm25.bm25(held, lists, reader.length_norms[best])
        assert np.allclose(own, scores[best], rtol=1e-5)


def test_of_equal_scores_the_first_are_taken() -> None:
    rows = np.arange(PASSAGES, dtype=np.int32)
    once = np.ones(PASSAGES, np.float32)
    reader = _reader(1)
    reader.passage_length[:] = 3
    looked = [UnitPosting(0, word("everywhere"), Posting(rows, once, 0 * once), 1.0)]
    assert best_by_words(lists_of(looked), reader, None, 5).tolist() == [0, 1, 2, 3, 4]
    odd = rows % 2 == 1
    assert best_by_words(lists_of(looked), reader, odd, 3).tolist() == [1, 3, 5]
