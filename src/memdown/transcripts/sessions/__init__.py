"""Conversations on disk: the JSON5 session store, and finding what was said word for word."""

from memdown.transcripts.sessions.browsing import FoundTurn, recall
from memdown.transcripts.sessions.entries import (
    CompactionSummary,
    History,
    SessionEntry,
    StoredMessage,
)
from memdown.transcripts.sessions.store import Listing, SessionStore

__all__ = [
    "CompactionSummary",
    "FoundTurn",
    "History",
    "Listing",
    "SessionEntry",
    "SessionStore",
    "StoredMessage",
    "recall",
]
