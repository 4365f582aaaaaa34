"""The best of many scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.index.selection import highest


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
