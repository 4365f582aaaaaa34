"""Whether it is time to save memories before a session is compacted (pure)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memdown.config import CompactionSettings

Access = Literal["rw", "ro", "none"]


@dataclass(frozen=True, slots=True)
class FlushState:
    """What the decision depends on.

    `flushed_count` is the session's `memoryFlushCompactionCount`: the number of compactions there
    had been at the last flush; None if there was none. `overflowed` tells that a provider refused
    the context as too long, whatever the estimate says.
    """

    tokens: int
    context_window: int
    compaction_count: int = 0
    flushed_count: int | None = None
    access: Access = "rw"
    overflowed: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Yes or no, and why."""

    flush: bool
    reason: str


def should_flush(state: FlushState, settings: CompactionSettings) -> Decision:
    """Once per compaction cycle, shortly before the context must be compacted."""
    if not settings.memory_flush.enabled:
        return Decision(False, "the memory flush is turned off (compaction.memoryFlush.enabled)")
    if state.access != "rw":
        return Decision(False, f"the workspace cannot be written (access: {state.access})")
    if state.flushed_count is not None and state.flushed_count >= state.compaction_count:
        return Decision(False, "memories were saved in this compaction cycle already")
    if state.overflowed:
        return Decision(True, "the provider refused the context as too long")
    limit = flush_threshold(state.context_window, settings)
    if state.tokens < limit:
        return Decision(False, f"{state.tokens} tokens are in use, {limit} is the limit")
    return Decision(True, f"{state.tokens} tokens are in use, past the limit of {limit}")


def flush_threshold(context_window: int, settings: CompactionSettings) -> int:
    """From how many tokens on memories are saved; a small window uses at least a quarter first."""
    before = settings.reserve_tokens_floor + settings.memory_flush.soft_threshold_tokens
    return max(1, context_window - before, context_window // 4)


def compaction_threshold(context_window: int, settings: CompactionSettings) -> int:
    """From how many tokens on the context is compacted.

    The reserve is made for large windows; a small one keeps half of itself for the conversation.
    """
    return max(1, context_window - settings.reserve_tokens_floor, context_window // 2)


def workspace_access(folder: Path) -> Access:
    """Whether notes can be written to a folder, as far as its permissions tell."""
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        return "none"
    return "rw" if os.access(folder, os.W_OK) else "ro"
