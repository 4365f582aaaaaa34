"""Memory for AI agents that is plain Markdown: `Memory`, the values it returns, its errors."""

# Nothing is imported that need not be: a Ctrl-C this early cannot be caught yet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from memdown.errors import (
        BadAnswer,
        BadArguments,
        BadRequest,
        CannotListen,
        CannotPair,
        ConfigError,
        ContextOverflow,
        DiskFull,
        EmbedderError,
        EndpointError,
        ImportFailed,
        IndexBusy,
        IndexCorrupt,
        IndexTooNew,
        MemdownError,
        MissingExtra,
        MissingKey,
        MissingVariable,
        NoPage,
        NoteChanged,
        NoteNotFound,
        NoteUnreadable,
        PathRefused,
        ProviderTimeout,
        QueryError,
        QuestionsError,
        QuotaExhausted,
        RateLimited,
        ReadOnly,
        RefusedKey,
        SecretFound,
        SessionError,
        SessionNotFound,
        StoreError,
        UndoConflict,
        Unreachable,
        UnsafePlace,
        WorkspaceError,
    )
    from memdown.memory import Memory
    from memdown.types import Answer, Citation, Excerpt, Failure, Hit, Progress, Status, SyncReport

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BadAnswer",
    "BadArguments",
    "BadRequest",
    "CannotListen",
    "CannotPair",
    "Citation",
    "ConfigError",
    "ContextOverflow",
    "DiskFull",
    "EmbedderError",
    "EndpointError",
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
    "MissingVariable",
    "NoPage",
    "NoteChanged",
    "NoteNotFound",
    "NoteUnreadable",
    "PathRefused",
    "Progress",
    "ProviderTimeout",
    "QueryError",
    "QuestionsError",
    "QuotaExhausted",
    "RateLimited",
    "ReadOnly",
    "RefusedKey",
    "SecretFound",
    "SessionError",
    "SessionNotFound",
    "Status",
    "StoreError",
    "SyncReport",
    "UndoConflict",
    "Unreachable",
    "UnsafePlace",
    "WorkspaceError",
]


_TYPES = ("Answer", "Citation", "Excerpt", "Failure", "Hit", "Progress", "Status", "SyncReport")


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: `memdown --help` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "memory" if name == "Memory" else "types" if name in _TYPES else "errors"
    return getattr(import_module(f"memdown.{home}"), name)


def __dir__() -> list[str]:
    """The public names, for completion in a shell."""
    return [*__all__, "__version__"]
