"""Single memories in place of files: the `memory-lancedb` plugin."""

from memdown.backends.ltm.capturing import (
    CATEGORIES,
    MOST_A_CONVERSATION,
    Category,
    captured,
    category_of,
    looks_like_injection,
)
from memdown.backends.ltm.memories import (
    Entry,
    Forgotten,
    LongTermMemory,
    ScoredMemory,
    Stored,
    auto_capture,
    auto_recall,
)

__all__ = [
    "CATEGORIES",
    "MOST_A_CONVERSATION",
    "Category",
    "Entry",
    "Forgotten",
    "LongTermMemory",
    "ScoredMemory",
    "Stored",
    "auto_capture",
    "auto_recall",
    "captured",
    "category_of",
    "looks_like_injection",
]
