"""Texts that are about to be written: a secret in them is named, so that it need not be."""

from __future__ import annotations

from memdown.errors import SecretFound
from memdown.text.redaction.conversation import find_secrets

_NAMED = 3


def refuse_secrets(text: str, advice: str, *, before: str = "") -> None:
    """Raise `SecretFound` if a text holds a secret that did not stand there `before`."""
    found = [
        f"{_article(one.kind)} (line {text.count(chr(10), 0, one.start) + 1})"
        for one in find_secrets(text)
        if text[one.start : one.end] not in before
    ]
    if found:
        more = [f"{len(found) - _NAMED} more"] if len(found) > _NAMED else []
        raise SecretFound(" and ".join([*found[:_NAMED], *more]), advice)


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"
