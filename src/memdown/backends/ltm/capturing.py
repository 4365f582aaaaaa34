"""Which sentences of a user are worth keeping without being asked, and which must never be (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memdown.backends.ltm.entries import Category
from memdown.backends.ltm.phrases import (
    ASKED,
    CONTACT,
    DECISION,
    DENSE,
    FACT,
    INJECTION,
    PREFERENCE,
    QUESTION,
    RULE,
)

MOST_A_CONVERSATION = 3
_SHORTEST, _SHORTEST_DENSE, _LONGEST = 10, 4, 500
_MOST_MESSAGE = 20_000

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]*")


def captured(messages: Sequence[str], limit: int = MOST_A_CONVERSATION) -> list[str]:
    """The sentences of a user's messages to keep, at most `limit`, in the order they were said."""
    kept: list[str] = []
    if limit < 1:
        return kept
    for message in messages:
        # One trick anywhere in a message makes all of it suspect.
        if looks_like_injection(message):
            continue
        for sentence in _sentences(message):
            if is_worth_keeping(sentence) and sentence not in kept:
                kept.append(sentence)
                if len(kept) >= limit:
                    return kept
    return kept


def is_worth_keeping(sentence: str) -> bool:
    """Whether a sentence looks like a preference, a decision, a contact or a request to remember."""
    shortest = _SHORTEST_DENSE if DENSE.search(sentence) else _SHORTEST
    if not shortest <= len(sentence) <= _LONGEST or QUESTION.search(sentence):
        return False
    if looks_like_injection(sentence):
        return False
    return any(kind.search(sentence) for kind in (ASKED, PREFERENCE, DECISION, CONTACT, RULE))


def looks_like_injection(text: str) -> bool:
    """Whether a text tries to give orders to a model that will read it later."""
    return INJECTION.search(text[:_MOST_MESSAGE]) is not None


def category_of(text: str) -> Category:
    """What kind of memory a text is."""
    if PREFERENCE.search(text):
        return "preference"
    if DECISION.search(text):
        return "decision"
    if CONTACT.search(text):
        return "entity"
    if FACT.search(text):
        return "fact"
    return "other"


def _sentences(message: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(message[:_MOST_MESSAGE]):
        sentence = " ".join(found[0].split()).lstrip("-*> ")
        if sentence:
            yield sentence
