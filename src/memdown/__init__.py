"""Memory for AI agents that is plain Markdown: `Memory`, the values it returns, its errors."""

from importlib import import_module
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

if TYPE_CHECKING:
    from memdown.memory import Memory
    from memdown.types import Answer, Citation, Excerpt, Failure, Hit, Progress, Status, SyncReport

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
    """Load what is more than a name when it is first used: `memdown --help` needs none of it."""
    if name in __all__:
        home = "memdown.memory" if name == "Memory" else "memdown.types"
        return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
