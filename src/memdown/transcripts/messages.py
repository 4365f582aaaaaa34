"""One line of a transcript as a turn of the conversation: who said what, and when."""

from __future__ import annotations

import datetime
import json
import math
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from memdown.values import dataclass, pattern

Role = Literal["user", "assistant"]

# Millions of tiny values in one line would take a hundred times its size in memory.
_MOST_BRACKETS = 200_000
_MOST_COMMAS = 1_000_000
_SMALL_LINE = 64 * 1024

_FRAME_NAMES = (
    "relevant[-_]memories",
    "recalled[-_]memor(?:y|ies)",
    "memdown[-_](?:recall|memory)",
)
_FRAMES = "|".join(rf"(?is)<{name}(?:\s[^>]*)?>.*?</{name}\s*>" for name in _FRAME_NAMES)
# A label of a turn, also with Markdown around it; escaped ones stay as they are.
_FAKED_TURN = (
    r"(^|[^\w])((?:User|USER|Assistant|ASSISTANT|System|SYSTEM|Human)[*_]{0,2}[ \t]{0,3})([:：])"
)
_CITATION = pattern(r"\bSources?:\s*[`\"(\[]?[^\s`\"()\[\]]+#L[0-9]+")
_SILENT = ("NO_REPLY", "no_reply", "HEARTBEAT_OK")
# What programs write into a conversation in a person's or the model's name.
_PROGRAMS_WORDS = (
    "A new session was started via",
    "Read HEARTBEAT.md",
    "Pre-compaction memory flush",
    "Pre-compaction memory save",
    "System: [",
    "[cron:",
)
_PROGRAMS_MODELS = ("delivery-mirror", "gateway-injected", "<synthetic>")
_METADATA = (
    r"(?s)(?:^|\n)[A-Z][\w ]{0,60}\(untrusted[^)]{0,60}\):\s*```(?:json)?\n.*?\n```[ \t]*\n?"
)
_MESSAGE_ID = r"(?m)^[ \t]*\[(?:message_id|msg_id|from_id|reply_to): [^\]\n]*\][ \t]*\n?"
_BLANKS = "\n\t\r\v\f\x1c\x1d\x1e\x1f"
_FOREIGN_BLANKS = "\x85\xa0\u1680\u2002\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


@cache
def _linear(source: str) -> Any:
    """A pattern that takes time linear in the text; a search needs none of them, nor what compiles them."""
    import re2

    return re2.compile(source)


class BrokenLine(Exception):
    """A line that is no usable JSON object."""


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """What one side said: raw text, the line it stands in, milliseconds since 1970 if known."""

    line: int
    role: Role
    text: str
    time: int | None = None


def parse_entry(data: bytes) -> dict[str, Any]:
    """The object in a line; BrokenLine if there is none or reading it could cost too much."""
    if len(data) > _SMALL_LINE and (
        data.count(b"[") + data.count(b"{") > _MOST_BRACKETS or data.count(b",") > _MOST_COMMAS
    ):
        raise BrokenLine
    try:
        entry = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        # The message would quote the line, which may hold a secret.
        raise BrokenLine from None
    if not isinstance(entry, dict):
        raise BrokenLine
    return entry


def read_turn(data: bytes, line: int) -> TranscriptTurn | None:
    """The turn in a line; None if it is about something else, BrokenLine if it is not usable."""
    turn = turn_of(parse_entry(data), line)
    # What no index can hold, lone surrogates and NUL, can only come from an escape.
    if turn is not None and b"\\u" in data:
        text = turn.text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
        return replace(turn, text=text)
    return turn


def turn_of(entry: dict[str, Any], line: int) -> TranscriptTurn | None:
    """The turn an entry holds; None if it is about something else."""
    if entry.get("type") != "message":
        return None
    inner = entry.get("message")
    message = inner if isinstance(inner, dict) else entry
    role = message.get("role")
    if role not in ("user", "assistant"):
        return None
    text = spoken_text(role, text_of(message.get("content")), message.get("model"))
    if not text:
        return None
    time = time_of(entry.get("timestamp"))
    return TranscriptTurn(
        line, role, text, time_of(message.get("timestamp")) if time is None else time
    )


def spoken_text(role: str, text: str, model: Any = None) -> str:
    """What a person or a model said; "" for what their program said in their name.

    That is heartbeats, notices of new sessions, prompts of the memory flush, copies of what was
    delivered, and the blocks of metadata that are put before a message.
    """
    if role == "assistant":
        return "" if model in _PROGRAMS_MODELS or text.startswith(_SILENT) else text
    if text.startswith(_PROGRAMS_WORDS):
        return ""
    if "(untrusted" in text:
        text = _linear(_METADATA).sub("\n", text).strip("\n")
    if "_id: " in text or "[reply_to: " in text:
        text = _linear(_MESSAGE_ID).sub("", text).strip("\n")
    return "" if text.startswith(_PROGRAMS_WORDS) else text


def text_of(content: Any) -> str:
    """What a message says: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    return texts[0] if len(texts) == 1 else "\n".join(texts)


def time_of(value: Any) -> int | None:
    """A moment in milliseconds, from ISO 8601 text, seconds or milliseconds."""
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            return None
        try:
            return int(moment.timestamp() * 1000)
        except (OverflowError, OSError, ValueError):
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    milliseconds = value if value > 1e11 else value * 1000
    return int(milliseconds) if 0 < milliseconds < 1e14 else None


def without_recalled(text: str) -> str:
    """The text without what memory itself put into the conversation, which is known already.

    That is anything in one of memory's own frames, and a quotation with `Source: path#L1-L3` under
    it.
    """
    if "<" in text and ("memor" in text or "recall" in text):
        text = _linear(_FRAMES).sub(" ", text)
    if "#L" not in text or not _CITATION.search(text):
        return text
    kept: list[str] = []
    for line in text.split("\n"):
        if not _CITATION.search(line):
            kept.append(line)
            continue
        if _CITATION.match(line.lstrip(" \t>*_([`-")):
            _drop_paragraph(kept)
    return "\n".join(kept)


def _drop_paragraph(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and lines[-1].strip():
        lines.pop()


def flattened(role: Role, text: str) -> str:
    """A turn as one line: `User: …`, white space folded.

    What looks like the beginning of another turn inside it is escaped: `Assistant\\: …`.
    """
    if any(mark in text for mark in ("ser", "SER", "sistant", "SISTANT", "ystem", "uman")):
        text = _linear(_FAKED_TURN).sub(r"\1\2\\\\\3", text)
    return ("User: " if role == "user" else "Assistant: ") + _folded(text)


def _folded(text: str) -> str:
    """The text with every run of white space as one space; a split would take five times longer."""
    for blank in _BLANKS if text.isascii() else _BLANKS + _FOREIGN_BLANKS:
        if blank in text:
            text = text.replace(blank, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")
