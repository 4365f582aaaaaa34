"""A conversation in short, without a model: what the user said, decisions, files, the last answer.

Every fact and every correction stands in it, in the order they were said: without the later one, the
earlier one would be kept as if it were still true.

Every line ends with who said it, and quotations and pasted pages are nobody's words.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from memdown.agent import provenance
from memdown.agent.hooks.conversation import Said
from memdown.agent.provenance import own_words
from memdown.transcripts.messages import without_recalled

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
_TELLING = re.compile(
    r"\d|\b(?:is|are|was|were|lives?|uses?|moved|changed|now|called|works?|has|have)\b"
)


def digest(conversation: Sequence[Said], session_id: str, project: str = "") -> str:
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


def _when(conversation: Sequence[Said]) -> str:
    times = [said.time for said in conversation if said.time]
    if not times:
        return ""
    first, last = (_clock(moment) for moment in (min(times), max(times)))
    return f"{first} " if first == last else f"{first}–{last} "


def _clock(milliseconds: int) -> str:
    return datetime.datetime.fromtimestamp(milliseconds / 1000).strftime("%H:%M")  # noqa: DTZ006


def _decisions(conversation: Sequence[Said], requests: Sequence[str]) -> list[str]:
    """Sentences that sound like something to keep, from either side, in their own words."""
    found = _distinct(
        f"{_short(sentence, _SENTENCE_CHARS)} {_by(said)}"
        for said in conversation
        for sentence in _SENTENCE_END.split(own_words(without_recalled(said.text)))
        if (_DECISION.search(sentence) and len(sentence.split()) > 2) or _is_dense(sentence)
    )
    return [one for one in found if one not in requests][-_MOST_DECISIONS:]


def _by(said: Said) -> str:
    """Who said it, as it stands at the end of a line."""
    if said.role == "user":
        return provenance.YOU
    marks = {"web": provenance.AFTER_WEB, "tools": provenance.AFTER_TOOLS}
    return marks.get(said.after, provenance.ASSISTANT)


def _answer(said: Said) -> str:
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
    return 2 if _TELLING.search(said) else 1


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _short(text: str, most: int) -> str:
    """Text on one line, without what memory put there and without Markdown that starts a block."""
    own = own_words(without_recalled(text)) or "[quoted text]"
    line = " ".join(own.split()).lstrip("#>-*+| ")
    return line if len(line) <= most else f"{line[:most].rstrip()} …"
