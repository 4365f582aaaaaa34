"""Session logs as documents: which there are, what was said in them, what is new since last time.

Transcripts are JSONL files in `<state>/agents/<agentId>/sessions/`. Lines that are broken, huge or
about something else are passed over; nothing in a transcript can stop the rest of it.
"""

from memdown.transcripts.discovery import Mark, Transcripts, opened, parse_mark, scan_transcripts
from memdown.transcripts.messages import Role, TranscriptTurn
from memdown.transcripts.reading import Portion, added_messages, read_portions, read_turns

__all__ = [
    "Mark",
    "Portion",
    "Role",
    "TranscriptTurn",
    "Transcripts",
    "added_messages",
    "opened",
    "parse_mark",
    "read_portions",
    "read_turns",
    "scan_transcripts",
]
