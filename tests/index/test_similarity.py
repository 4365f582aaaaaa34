"""Equal vectors have equal scores, wherever they stand: else the order would depend on the machine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.index.similarity import cosines, highest


@given(st.integers(1, 70), st.integers(1, 300), st.integers(0, 1000))
def test_every_row_is_added_up_alike(count: int, dims: int, seed: int) -> None:
    """Also the last rows of a matrix, which a matrix product adds up in another order."""
    draw = np.random.default_rng(seed)
    row, vector = (
        made / np.linalg.norm(made)
        for made in (draw.normal(size=dims).astype(np.float32) for _ in range(2))
    )
    rows = np.repeat(row[None, :], count, axis=0)
    assert len(set(cosines(rows, vector).tolist())) == 1


def test_noise_of_the_last_bits_makes_no_order() -> None:
    """As between two engines that add up in different ways."""
    rows = np.array([[0.99999797], [0.99999791]], np.float32)
    assert len(set(cosines(rows, np.ones(1, np.float32)).tolist())) == 1


def test_scores_are_cosines() -> None:
    rows = np.array([[1.0, 0.0], [0.6, 0.8]], np.float32)
    assert np.allclose(cosines(rows, np.array([1.0, 0.0], np.float32)), [1.0, 0.6])


@pytest.mark.parametrize("size", [0, 1, 5, 63, 64, 65, 1_000, 64 * 64, 20_001])
@pytest.mark.parametrize("count", [1, 24, 100])
def test_the_highest_are_among_those_found(size: int, count: int) -> None:
    scores = np.random.default_rng(size + count).normal(size=size)
    found = highest(scores, count)
    assert set(np.argsort(-scores)[:count]) <= set(found.tolist())
    assert len(found) == len(set(found.tolist())) <= max(count, 3 * count + 64)


@given(st.lists(st.integers(0, 3), max_size=400), st.integers(1, 5))
def test_whatever_equals_one_of_them_is_found_too(values: list[int], count: int) -> None:
    scores = np.array(values, np.float64)
    last = sorted(values, reverse=True)[:count][-1] if values else 0
    wanted = {place for place, value in enumerate(values) if value >= last and value > 0}
    found = highest(scores, count, above=0.0).tolist()
    assert wanted <= set(found)
    assert all(values[place] > 0 for place in found)
