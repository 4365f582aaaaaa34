"""How much a search does where the server or the machine is slow."""

from __future__ import annotations

import pytest

from memdown.index.pace import Pace

_PATIENCE = 1.5


def _learned(*searches: tuple[float, float]) -> Pace:
    """What a process knows after a first search, of which it learns nothing, and some others."""
    pace = Pace()
    for seconds, rest in ((9.0, 9.0), *searches):
        pace.learn(seconds, rest, _PATIENCE)
    return pace


def test_the_first_search_of_a_process_tells_nothing() -> None:
    pace = _learned()
    assert pace.share == 1.0
    assert pace.time_for_candidates(_PATIENCE) == _PATIENCE


def test_after_a_slow_search_less_is_done() -> None:
    assert _learned((1.8, 0.2)).share == pytest.approx(0.5)
    assert _learned((9.0, 0.2)).share == pytest.approx(0.5)
    assert _learned(*[(9.0, 0.2)] * 5).share == pytest.approx(0.3)


@pytest.mark.parametrize("seconds", [0.05, 0.4, 0.7])
def test_as_soon_as_searches_are_fast_enough_all_is_done_again(seconds: float) -> None:
    pace = _learned(*[(9.0, 0.2)] * 5, *[(seconds, 0.1)] * 6)
    assert pace.share == 1.0


def test_what_comes_after_the_candidates_gets_its_time() -> None:
    assert _learned(*[(1.0, 0.5)] * 30).time_for_candidates(_PATIENCE) == pytest.approx(
        1.0, rel=0.01
    )
    # However long that takes, words and vectors are waited for a while.
    assert _learned(*[(9.0, 8.0)] * 30).time_for_candidates(_PATIENCE) == pytest.approx(
        0.6, rel=0.01
    )
