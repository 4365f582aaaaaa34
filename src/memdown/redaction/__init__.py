"""Secrets out of text, before anything is stored, logged or sent. The original is never changed.

Everything runs on UTF-8 with RE2, in time linear in the text. Most messages cost one quick look.
Invisible characters and line breaks inside a secret do not hide it.
"""

from memdown.redaction.finding import Secret, find_secrets, redact, redact_all

__all__ = ["Secret", "find_secrets", "redact", "redact_all"]
