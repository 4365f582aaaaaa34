"""When memories are saved: once a cycle, in time, and only where they can be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.agent import FlushState, should_flush, workspace_access
from memdown.agent.flush import compaction_threshold, flush_threshold
from memdown.config import CompactionSettings, MemoryFlushSettings

SETTINGS = CompactionSettings()
WINDOW = 200_000
LIMIT = 176_000


@pytest.mark.parametrize(
    ("state", "flush", "reason"),
    [
        (FlushState(LIMIT - 1, WINDOW), False, "175999 tokens are in use, 176000 is the limit"),
        (FlushState(LIMIT, WINDOW), True, "past the limit"),
        (FlushState(10**9, WINDOW), True, "past the limit"),
        (FlushState(LIMIT, WINDOW, compaction_count=0, flushed_count=0), False, "already"),
        (FlushState(LIMIT, WINDOW, compaction_count=1, flushed_count=0), True, "past the limit"),
        (FlushState(LIMIT, WINDOW, compaction_count=3, flushed_count=3), False, "already"),
        (FlushState(LIMIT, WINDOW, compaction_count=2, flushed_count=None), True, "past the limit"),
        (FlushState(LIMIT, WINDOW, access="ro"), False, "access: ro"),
        (FlushState(LIMIT, WINDOW, access="none"), False, "access: none"),
        (FlushState(10, WINDOW, overflowed=True), True, "refused the context"),
        (FlushState(10, WINDOW, flushed_count=0, overflowed=True), False, "already"),
    ],
)
def test_the_decision_and_its_reason(state: FlushState, flush: bool, reason: str) -> None:
    decision = should_flush(state, SETTINGS)
    assert decision.flush is flush
    assert reason in decision.reason


def test_it_can_be_turned_off() -> None:
    off = CompactionSettings(memory_flush=MemoryFlushSettings(enabled=False))
    assert not should_flush(FlushState(LIMIT, WINDOW), off).flush


@given(st.integers(32_000, 2_000_000))
def test_the_threshold_is_the_documented_one(window: int) -> None:
    assert flush_threshold(window, SETTINGS) == window - 20_000 - 4_000


@given(st.integers(1, 2_000_000), st.integers(0, 10**6), st.integers(0, 10**6))
def test_saving_comes_before_compacting_and_both_within_the_window(
    window: int, reserve: int, soft: int
) -> None:
    """A window smaller than the reserve would otherwise compact from the first message on."""
    settings = CompactionSettings(
        reserve_tokens_floor=reserve,
        memory_flush=MemoryFlushSettings(soft_threshold_tokens=soft),
    )
    assert (
        1 <= flush_threshold(window, settings) <= compaction_threshold(window, settings) <= window
    )


def test_access_of_a_folder(tmp_path: Path) -> None:
    assert workspace_access(tmp_path) == "rw"
    assert workspace_access(tmp_path / "missing") == "none"


def test_access_of_a_folder_that_may_only_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so the system's answer is stood in for."""
    monkeypatch.setattr("os.access", lambda path, mode: not mode & 2)
    assert workspace_access(tmp_path) == "ro"
