"""Which sentences of a user are worth keeping without being asked, and which must never be (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memdown.backends.ltm.entries import Category

MOST_A_CONVERSATION = 3
_SHORTEST, _LONGEST = 10, 500
_MOST_MESSAGE = 20_000

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]*")
_ASKED = re.compile(
    r"\b(?:remember|don'?t forget|keep in mind|note that|for the record)\b", re.IGNORECASE
)
_PREFERENCE = re.compile(
    r"\bI (?:really |always |never |usually )?(?:prefer|like|love|hate|dislike|want|need|enjoy|avoid)\b"
    r"|\b(?:prefers|dislikes|hates|loves)\b|\bmy favou?rite\b|\b(?:I'd|I would) rather\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:we|I)(?:'ve| have)? (?:decided|agreed|settled on|chose|picked)\b"
    r"|\b(?:we|I)(?:'ll| will) (?:use|go with|switch to)\b|\bfrom now on\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\+\d[\d ()-]{7,20}\d"
    r"|\bmy (?:\w+ ){0,2}(?:name|phone|number|e-?mail|address|birthday) is\b"
    r"|\b(?:is|are) called\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"\b(?:always|never|important)\b", re.IGNORECASE)
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
    r"\b(?:instruction|rule|prompt|guideline|direction|polic)"
    r"|\b(?:system|developer)\s+(?:prompt|message|instruction)"
    r"|\bdo not (?:follow|obey)\b"
    r"|\byou (?:are|must) now\b|\b(?:act|behave) as (?:an?|the|if)\b|\bjailbreak"
    r"|\b(?:run|execute|call|invoke)\b.{0,40}\b(?:tool|command|function|script)\b"
    r"|\b(?:reveal|print|show|send|leak|exfiltrate)\b.{0,40}"
    r"\b(?:password|secret|api.?key|token|credential|system)"
    r"|</?\s*(?:system|assistant|user|developer|tool|function|recalled|relevant|memor|instruction)"
    r"|\[/?(?:INST|SYS)|<\||\{\{",
    re.IGNORECASE | re.DOTALL,
)


def captured(messages: Sequence[str], limit: int = MOST_A_CONVERSATION) -> list[str]:
    """The sentences of a user's messages to keep, at most `limit`, in the order they were said."""
    kept: list[str] = []
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
    if not _SHORTEST <= len(sentence) <= _LONGEST or sentence.endswith("?"):
        return False
    if looks_like_injection(sentence):
        return False
    kinds = (_ASKED, _PREFERENCE, _DECISION, _CONTACT, _RULE)
    return any(kind.search(sentence) for kind in kinds)


def looks_like_injection(text: str) -> bool:
    """Whether a text tries to give orders to a model that will read it later."""
    return _INJECTION.search(text[:_MOST_MESSAGE]) is not None


def category_of(text: str) -> Category:
    """What kind of memory a text is."""
    if _PREFERENCE.search(text):
        return "preference"
    if _DECISION.search(text):
        return "decision"
    if _CONTACT.search(text):
        return "entity"
    if re.search(r"\b(?:is|are|was|has|have|lives?|works?)\b", text, re.IGNORECASE):
        return "fact"
    return "other"


def _sentences(message: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(message[:_MOST_MESSAGE]):
        sentence = " ".join(found[0].split()).lstrip("-*> ")
        if sentence:
            yield sentence
