"""Secrets out of text, before anything is stored, logged or sent. The original is never changed.

The kinds are tables: `vendors` (keys by their shape), `places` (commands, headers, addresses) and
`labels` (the words for passwords and keys, by language). A new kind is a row with its examples,
which are its tests. Everything runs on UTF-8 with RE2, in time linear in the text, and most texts
cost one look. Invisible characters, colours and line breaks inside a secret do not hide it.
"""

from memdown.text.redaction.conversation import (
    FoundSecret,
    Redactor,
    find_secrets,
    redact,
    refuse_secrets,
)

__all__ = ["FoundSecret", "Redactor", "find_secrets", "redact", "refuse_secrets"]
