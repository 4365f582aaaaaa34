"""Conversations on disk: the JSON5 session store, and finding what was said word for word."""

from memdown.sessions.entries import History, Message, SessionEntry, Summary
from memdown.sessions.recall import Recalled, recall
from memdown.sessions.store import Listing, SessionStore

__all__ = [
    "History",
    "Listing",
    "Message",
    "Recalled",
    "SessionEntry",
    "SessionStore",
    "Summary",
    "recall",
]
