"""Memory for AI agents that is plain Markdown: `Memory`, the values it returns, its errors."""

from typing import TYPE_CHECKING

from memdown.errors import (
    BadAnswer,
    ConfigError,
    DiskFull,
    EmbedderError,
    ImportFailed,
    IndexBusy,
    IndexCorrupt,
    IndexTooNew,
    MemdownError,
    MissingExtra,
    MissingKey,
    NoteNotFound,
    PathRefused,
    ProviderTimeout,
    QueryError,
    QuotaExhausted,
    RateLimited,
    RefusedKey,
    SessionError,
    SessionNotFound,
    StoreError,
    Unreachable,
    WorkspaceError,
)
from memdown.types import Answer, Citation, Excerpt, Failure, Hit, Progress, Status, SyncReport

if TYPE_CHECKING:
    from memdown.memory import Memory

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BadAnswer",
    "Citation",
    "ConfigError",
    "DiskFull",
    "EmbedderError",
    "Excerpt",
    "Failure",
    "Hit",
    "ImportFailed",
    "IndexBusy",
    "IndexCorrupt",
    "IndexTooNew",
    "MemdownError",
    "Memory",
    "MissingExtra",
    "MissingKey",
    "NoteNotFound",
    "PathRefused",
    "Progress",
    "ProviderTimeout",
    "QueryError",
    "QuotaExhausted",
    "RateLimited",
    "RefusedKey",
    "SessionError",
    "SessionNotFound",
    "Status",
    "StoreError",
    "SyncReport",
    "Unreachable",
    "WorkspaceError",
]


def __getattr__(name: str) -> object:
    """Load `Memory` when it is first used: it needs numpy and SQLite, `memdown --help` does not."""
    if name == "Memory":
        from memdown.memory import Memory

        return Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
