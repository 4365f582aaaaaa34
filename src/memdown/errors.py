"""Every error Memdown raises, each with one sentence that says what happened and what to do.

MemdownError
├── ConfigError           the configuration file, a key or a value in it
│   ├── MissingVariable   a value names an environment variable that is not set
│   └── UnsafePlace       another user could have written what decides what runs
├── WorkspaceError        the notes: folder, file, path
│   ├── PathRefused       a path that memory must not open
│   ├── NoteNotFound      a path that names no note
│   ├── NoteUnreadable    permissions or the disk keep a note from being read
│   ├── NoteChanged       a note that someone else changed since it was read
│   ├── UndoConflict      a change that cannot be taken back as it was
│   └── SecretFound       a text that holds what looks like a secret
├── SessionError          the sessions: a file, an id, an entry
│   └── SessionNotFound   an id that names no session
├── ImportFailed          something that cannot be brought in
├── QueryError            a search that cannot be asked
├── QuestionsError        a question file for `memdown eval`
├── BadArguments          a tool call whose arguments do not fit
├── EndpointError         the language model of `memdown chat`
├── ContextOverflow       a conversation that is too long for the model
├── BadRequest            a request to the web page without the documented shape
├── ReadOnly              a write to a page that was started with --read-only
├── CannotListen          an address or a port that cannot be used
├── NoPage                no page, or more than one, that a link could lead to
├── CannotPair            the list of paired browsers cannot be kept
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

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from memdown.notes.editing import Note


class MemdownError(Exception):
    """The root: catch this to catch everything Memdown raises on purpose."""


class ConfigError(MemdownError):
    """The configuration file, a key or a value in it is wrong."""


class MissingVariable(ConfigError):
    """A value names an environment variable that is not set."""


class UnsafePlace(ConfigError):
    """A file or folder that decides what runs, and that another user could have written."""

    def __init__(self, path: Path, message: str, *, mendable: bool) -> None:
        super().__init__(message)
        self.path = path
        self.mendable = mendable


class WorkspaceError(MemdownError):
    """The notes cannot be read or written."""


class PathRefused(WorkspaceError):
    """The path leads outside the memory, through a link, or to something that is no note."""


class NoteNotFound(WorkspaceError):
    """The path names no existing note."""


class NoteUnreadable(WorkspaceError):
    """Permissions or the disk keep a note from being read; that may end without a change to it."""


class NoteChanged(WorkspaceError):
    """The note is no longer the version that was edited; `current` is what stands there now."""

    def __init__(self, message: str, current: Note | None) -> None:
        super().__init__(message)
        self.current = current


class UndoConflict(WorkspaceError):
    """A change cannot be taken back as it was; nothing was changed."""


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


class QuestionsError(MemdownError):
    """A question file cannot be used; the message has the place and the reason."""


class BadArguments(MemdownError):
    """A tool was called with arguments that do not fit; the message is meant for the model."""


class EndpointError(MemdownError):
    """The model's endpoint cannot be reached or gave no whole answer."""


class ContextOverflow(MemdownError):
    """A model refused the conversation as too long."""


class BadRequest(MemdownError):
    """A request to the web page does not have the documented shape."""


class ReadOnly(MemdownError):
    """The server was started with --read-only."""


class CannotListen(MemdownError):
    """The address or the port cannot be used."""


class NoPage(MemdownError):
    """There is no page, or more than one, that a link could lead to."""


class CannotPair(MemdownError):
    """The list of paired browsers cannot be kept."""


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
