"""Every error Memdown raises, each with one sentence that says what happened and what to do.

MemdownError
├── ConfigError           the configuration file, a key or a value in it
├── WorkspaceError        the notes: folder, file, path
│   ├── PathRefused       a path that memory must not open
│   ├── NoteNotFound      a path that names no note
│   └── NoteUnreadable    permissions or the disk keep a note from being read
├── SessionError          the sessions: a file, an id, an entry
│   └── SessionNotFound   an id that names no session
├── ImportFailed          something that cannot be brought in
├── QueryError            a search that cannot be asked
├── EmbedderError         the embedding provider
│   ├── MissingKey        no API key was found
│   ├── RefusedKey        the provider refused the key
│   ├── RateLimited       too many requests for now
│   ├── QuotaExhausted    the account has nothing left
│   ├── ProviderTimeout   no answer in time
│   ├── Unreachable       no connection
│   └── BadAnswer         an answer that cannot be used
├── StoreError            the index
│   ├── IndexTooNew       written by a newer version
│   ├── IndexCorrupt      unreadable; it can be rebuilt from the notes
│   ├── IndexBusy         another process is writing for too long
│   └── DiskFull          no space left for the index
└── MissingExtra          an optional part that is not installed
"""

from __future__ import annotations


class MemdownError(Exception):
    """The root: catch this to catch everything Memdown raises on purpose."""


class ConfigError(MemdownError):
    """The configuration file, a key or a value in it is wrong."""


class WorkspaceError(MemdownError):
    """The notes cannot be read or written."""


class PathRefused(WorkspaceError):
    """The path leads outside the memory, through a link, or to something that is no note."""


class NoteNotFound(WorkspaceError):
    """The path names no existing note."""


class NoteUnreadable(WorkspaceError):
    """Permissions or the disk keep a note from being read; that may end without a change to it."""


class SecretFound(WorkspaceError):
    """The text holds what looks like a secret; `what` says which, never the secret itself."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"This looks like {what}, so nothing was written; {advice}.")
        self.what = what


class SessionError(MemdownError):
    """A session cannot be read or written."""


class SessionNotFound(SessionError):
    """The id names no session."""


class ImportFailed(MemdownError):
    """What should be brought in is not there or is not in a known form."""


class QueryError(MemdownError):
    """The search cannot be asked as it stands."""


class EmbedderError(MemdownError):
    """The embedding provider cannot be used or gave no usable answer."""


class MissingKey(EmbedderError):
    """No API key was found for the provider."""


class RefusedKey(EmbedderError):
    """The provider refused the API key."""


class RateLimited(EmbedderError):
    """The provider asks for fewer requests."""


class QuotaExhausted(EmbedderError):
    """The provider's account has no quota left."""


class ProviderTimeout(EmbedderError):
    """The provider did not answer in time."""


class Unreachable(EmbedderError):
    """No connection to the provider could be made or kept."""


class BadAnswer(EmbedderError):
    """The provider answered with something that is not usable embeddings."""


class StoreError(MemdownError):
    """The index cannot be read or written."""


class IndexTooNew(StoreError):
    """The index was written by a newer version of Memdown and is left untouched."""


class IndexCorrupt(StoreError):
    """The index cannot be read; it can be rebuilt from the notes."""


class IndexBusy(StoreError):
    """Another process held the index for too long."""


class DiskFull(StoreError):
    """There is no space left to write the index."""


class MissingExtra(MemdownError):
    """An optional part is used that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'memdown[{extra}]'")
