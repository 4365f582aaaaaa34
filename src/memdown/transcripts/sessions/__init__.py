"""Conversations on disk: the JSON5 session store, and finding what was said word for word."""

from memdown.transcripts.sessions.browsing import Recalled, recall
from memdown.transcripts.sessions.entries import History, Message, SessionEntry, Summary
from memdown.transcripts.sessions.store import Listing, SessionStore

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
