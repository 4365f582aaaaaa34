"""A conversation in short, without a model: what the user said, decisions, files, the last answer.

Every fact and every correction stands in it, in the order they were said: without the later one, the
earlier one would be kept as if it were still true.

Every line ends with who said it, and quotations and pasted pages are nobody's words.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from memdown.agent import provenance
from memdown.agent.provenance import own_words
from memdown.transcripts.discovery import read_lines
from memdown.transcripts.messages import (
    BrokenLine,
    Role,
    parse_entry,
    spoken_text,
    text_of,
    time_of,
    without_recalled,
)

_ROLES: tuple[Role, ...] = ("user", "assistant")
# Lines that the agent's program wrote, not a person or the model.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
_MACHINE_TEXT = (
    "<command-",
    "<local-command",
    "<system-reminder>",
    "<bash-",
    "Caveat: ",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
    "<session_context>",
)
# What hooks, such as ours, gave to Gemini CLI stands before what the user typed.
_HOOK_CONTEXT = re.compile(r"<hook_context>.*?</hook_context>", re.DOTALL)
_FILE_KEYS = ("file_path", "notebook_path", "path", "filePath")
_EDITING_TOOLS = frozenset(
    {
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "write_file",
        "edit_file",
        "apply_patch",
        "write",
        "edit",
        "patch",
    }
)


Read = Literal["", "tools", "web"]
_WEB_TOOL = re.compile(r"web|fetch|browser|http|url|crawl|scrape", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HookMessage:
    """One message: who, what, which files it changed; `end` is where the next line starts.

    `after` is what the assistant had read in this turn before it spoke: tools, or the web; `then`
    what it has read when the next message comes.
    """

    id: str
    role: Role
    text: str
    time: int | None
    files: tuple[str, ...]
    end: int
    after: Read = ""
    then: Read = ""


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """An entry of a transcript and the place behind it: a number that grows from one to the next."""

    entry: dict[str, Any]
    end: int


def read_said(file: int, offset: int, read: Read = "") -> Iterator[HookMessage]:
    """The messages of an open transcript from `offset` on; a line still being written waits."""
    return messages_in(_entries_of(file, offset), read)


def _entries_of(file: int, offset: int) -> Iterator[TranscriptEntry]:
    for line in read_lines(file, offset, 0):
        if line.data is None or not line.closed:
            continue
        with contextlib.suppress(BrokenLine):
            yield TranscriptEntry(_plain(parse_entry(line.data)), line.end)


def messages_in(entries: Iterable[TranscriptEntry], read: Read = "") -> Iterator[HookMessage]:
    """What was said in some entries, and what had been read when it was said."""
    for placed in entries:
        entry = placed.entry
        said = said_in(entry, placed.end)
        if said:
            before = "" if said.role == "user" else read
            read = _more(before, _used(entry))
            yield replace(said, after=before, then=read)
        else:
            read = _more(read, _used(entry))


def _used(entry: dict[str, Any]) -> Read:
    """Which tools a message of the assistant calls: whatever comes next may repeat their words."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    used: Read = ""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            named = f"{block.get('name')} {str(block.get('input'))[:2000]}"
            used = _more(used, "web" if _WEB_TOOL.search(named) else "tools")
    return used


def _more(one: Read, other: Read) -> Read:
    """The less trustworthy of two."""
    return "web" if "web" in (one, other) else one or other


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of Codex or Gemini CLI in the shape of Claude Code's; others as they are."""
    payload = entry.get("payload")
    if entry.get("type") == "response_item" and isinstance(payload, dict):
        blocks = payload.get("content")
        if payload.get("type") == "message" and isinstance(blocks, list):
            return _entry_of(
                payload,
                payload.get("role"),
                [_block(one) for one in blocks],
                entry.get("timestamp"),
            )
        if str(payload.get("type", "")).endswith("_call"):
            used = {
                "type": "tool_use",
                "name": payload.get("name") or payload.get("type"),
                "input": payload.get("arguments") or payload.get("input"),
            }
            return {"message": {"role": "tool", "content": [used]}}
    if entry.get("type") in ("user", "gemini") and "content" in entry and "message" not in entry:
        content = entry["content"]
        blocks = content if isinstance(content, list) else [{"text": content}]
        calls = entry.get("toolCalls")
        used_tools = [
            {"type": "tool_use", "name": call.get("name"), "input": call.get("args")}
            for call in (calls if isinstance(calls, list) else ())
            if isinstance(call, dict)
        ]
        role = "user" if entry["type"] == "user" else "assistant"
        said = [*(_block(one) for one in blocks), *used_tools]
        return _entry_of(entry, role, said, entry.get("timestamp"))
    return entry


def _block(block: Any) -> dict[str, Any]:
    text = block.get("text") if isinstance(block, dict) else None
    return {"type": "text", "text": text} if isinstance(text, str) else {}


def _entry_of(source: dict[str, Any], role: Any, content: list[Any], time: Any) -> dict[str, Any]:
    return {
        "id": source.get("id"),
        "timestamp": time,
        "message": {"role": role, "content": content},
    }


def said_in(entry: dict[str, Any], end: int) -> HookMessage | None:
    """The message an entry holds; Claude Code's lines and Memdown's own are understood."""
    if any(entry.get(mark) for mark in _NOT_SAID):
        return None
    message = entry.get("message")
    if not isinstance(message, dict):
        return None
    role = next((role for role in _ROLES if message.get("role") == role), None)
    if role is None:
        return None
    content = message.get("content")
    text = text_of(content).strip()
    if role == "user" and "<hook_context>" in text:
        text = _HOOK_CONTEXT.sub("", text).strip()
    if role == "user" and text.startswith(_MACHINE_TEXT):
        return None
    text = spoken_text(role, text, message.get("model"))
    files = _files(content) if role == "assistant" else ()
    if not text and not files:
        return None
    name = entry.get("uuid") or entry.get("id")
    return HookMessage(
        id=name if isinstance(name, str) else f"at-{end}",
        role=role,
        text=text.encode("utf-8", "replace").decode("utf-8").replace("\0", " "),
        time=time_of(entry.get("timestamp")),
        files=files,
        end=end,
    )


def _files(content: Any) -> tuple[str, ...]:
    if not isinstance(content, list):
        return ()
    found: dict[str, None] = {}
    for block in content:
        if not isinstance(block, dict) or block.get("name") not in _EDITING_TOOLS:
            continue
        given = block.get("input")
        if isinstance(given, dict):
            paths = (given.get(key) for key in _FILE_KEYS)
            found.update((os.fspath(path), None) for path in paths if isinstance(path, str))
    return tuple(found)


# What the user said has so much room; of more, questions and plain requests are left out first.
_REQUEST_ROOM = 5_000
_MOST_DECISIONS = 8
_MOST_FILES = 15
_REQUEST_CHARS = 240
_SENTENCE_CHARS = 280
_ANSWER_CHARS = 500

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_DECISION = re.compile(
    r"\b(?:decid|decision|agreed|we(?:'ll| will) (?:use|keep|go)|let's (?:use|keep|go with)|"
    r"going with|went with|instead of|from now on|always|never|prefer|remember|don't forget|"
    r"deadline|must not|root cause|turned out|the reason|todo\b|next step|"
    r"entschieden|beschlossen|ab jetzt|merk dir|bevorzug|nächster schritt|"
    r"décid|désormais|préfèr|souviens|decidi|a partir de ahora|prefier|recuerda)"
    r"|决定|決定|记住|記住|以后|以後|今後|覚えて|결정|기억해|ตัดสินใจ|จำไว้|решил|запомни",
    re.IGNORECASE,
)


# Words that say no more than that someone is there.
_ACKNOWLEDGING = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yep|no|thanks?|thank you|thx|done|great|good|fine|nice|perfect|cool|go on|"
    r"go ahead|continue|please|sure|hi|hello|hey|bye|that is all|that's all|danke|ja|nein|gut|weiter|"
    r"merci|oui|non|gracias|sí|好的?|谢谢|是的?|はい|ありがとう)[\s,.!…]*)+",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"\d|\b(?:is|are|was|were|lives?|uses?|moved|changed|now|called|works?|has|have)\b"
)


def digest(conversation: Sequence[HookMessage], session_id: str, project: str = "") -> str:
    """The conversation as Markdown for the daily log; "" if nobody asked for or told anything.

    `project` is the name of the folder it was about.

    It depends on the conversation alone, so the same conversation gives the same text again.
    """
    requests = _distinct(
        f"{line} {_by(said)}"
        for said in conversation
        if said.role == "user"
        and (line := _short(said.text, _REQUEST_CHARS))
        and not _ACKNOWLEDGING.fullmatch(line)
    )
    if not requests:
        return ""
    answers = [said for said in conversation if said.role == "assistant" and said.text]
    sections = [
        (provenance.ASKED, _fitting(requests, _REQUEST_ROOM)),
        (provenance.NOTED, _decisions(conversation, requests)),
        (provenance.FILES, _names(path for said in conversation for path in said.files)),
        (provenance.ANSWER, [_answer(answers[-1])] if answers else []),
    ]
    lines = [provenance.heading(_when(conversation), session_id, project)]
    for title, entries in sections:
        if len(entries) == 1:
            lines.append(f"- {title}: {entries[0]}")
        elif entries:
            lines.append(f"- {title}:")
            lines.extend(f"  - {entry}" for entry in entries)
    return "\n".join(lines)


def _when(conversation: Sequence[HookMessage]) -> str:
    times = [said.time for said in conversation if said.time]
    if not times:
        return ""
    first, last = (_clock(moment) for moment in (min(times), max(times)))
    return f"{first} " if first == last else f"{first}–{last} "


def _clock(milliseconds: int) -> str:
    return datetime.datetime.fromtimestamp(milliseconds / 1000).strftime("%H:%M")  # noqa: DTZ006


def _decisions(conversation: Sequence[HookMessage], requests: Sequence[str]) -> list[str]:
    """Sentences that sound like something to keep, from either side, in their own words."""
    found = _distinct(
        f"{_short(sentence, _SENTENCE_CHARS)} {_by(said)}"
        for said in conversation
        for sentence in _SENTENCE_END.split(own_words(without_recalled(said.text)))
        if (_DECISION.search(sentence) and len(sentence.split()) > 2) or _is_dense(sentence)
    )
    return [one for one in found if one not in requests][-_MOST_DECISIONS:]


def _by(said: HookMessage) -> str:
    """Who said it, as it stands at the end of a line."""
    if said.role == "user":
        return provenance.YOU
    marks = {"web": provenance.AFTER_WEB, "tools": provenance.AFTER_TOOLS}
    return marks.get(said.after, provenance.ASSISTANT)


def _answer(said: HookMessage) -> str:
    return f"{_short(said.text, _ANSWER_CHARS)} {_by(said)}"


def _is_dense(sentence: str) -> bool:
    """Whether a sentence in a script without spaces sounds like something to keep."""
    return bool(_DECISION.search(sentence)) and len(sentence) > 6 and not sentence.isascii()


def _names(paths: Iterable[str]) -> list[str]:
    distinct = list(dict.fromkeys(paths))
    shown = [_path(path) for path in distinct[:_MOST_FILES]]
    if len(distinct) > _MOST_FILES:
        shown.append(f"and {len(distinct) - _MOST_FILES} more")
    return [f"{', '.join(shown)} {provenance.TOOLS}"] if shown else []


def _path(path: str) -> str:
    return _short("/".join(PurePosixPath(path).parts[-3:]).removeprefix("//"), 120)


def _fitting(entries: Sequence[str], room: int) -> list[str]:
    """The entries that there is room for, in order: facts and decisions before mere questions.

    The first and the last always stay; of equals the later ones do, which may correct the earlier.
    """
    if sum(map(len, entries)) <= room:
        return list(entries)
    last = len(entries) - 1
    order = sorted(
        range(len(entries)), key=lambda n: (n in (0, last), _weight(entries[n]), n), reverse=True
    )
    kept: set[int] = set()
    for number in order:
        if room >= len(entries[number]):
            room -= len(entries[number])
            kept.add(number)
    shown = [entries[number] for number in sorted(kept)]
    left_out = len(entries) - len(kept)
    return [*shown[:1], f"({left_out} more) {provenance.YOU}", *shown[1:]] if left_out else shown


def _weight(entry: str) -> int:
    """How much would be lost with an entry: a decision, a fact, a request, a question."""
    said = entry.removesuffix(provenance.YOU).rstrip()
    if _DECISION.search(said):
        return 3
    if said.endswith(("?", "？")):
        return 0
    return 2 if _STATEMENT.search(said) else 1


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _short(text: str, most: int) -> str:
    """Text on one line, without what memory put there and without Markdown that starts a block."""
    own = own_words(without_recalled(text)) or "[quoted text]"
    line = " ".join(own.split()).lstrip("#>-*+| ")
    return line if len(line) <= most else f"{line[:most].rstrip()} …"
