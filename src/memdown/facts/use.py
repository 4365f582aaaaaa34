"""The use of a memory: what was asked, what was found, what was opened. Opt-in, and local.

One file a day in the state folder, for the owner alone; a day is deleted when it is older than the
settings say. Facts are named by a digest of their words, so that a fact that moves keeps its count and
the log repeats no note. Recording never fails: a log must not break a search.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import logging
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from memdown.errors import MemdownError
from memdown.files import make_folder, open_file
from memdown.notes.related import gather
from memdown.notes.statements import Fact, facts_of
from memdown.text import fold, index_terms
from memdown.text.redaction import redact
from memdown.text.tombstones import read_tombstones, scrub, tombstone_file
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.config import Settings
    from memdown.memory import Memory
    from memdown.types import Answer, Hit

log = logging.getLogger("memdown")

Found = Literal["strong", "weak", "nothing"]
# A question that is longer is a text that somebody pasted.
_MOST_CHARACTERS: Final = 400
_MOST_HITS: Final = 20
# Opening a whole note says little about each of its facts; some lines of it do.
_MOST_LINES: Final = 40
# Nothing is said to be never recalled before so many questions were asked.
_FEWEST_QUESTIONS: Final = 20
_HALF_LIFE_DAYS: Final = 30.0
# What is opened so soon after a question that found little is taken for its answer.
_ANSWER_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class Opening:
    """Something that was opened: a note, and the lines if some were named."""

    path: str
    first: int = 1
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """A current fact with how often answers showed it, how often it was opened, and when last."""

    fact: Fact
    count: int
    opened: int
    last: datetime.date


@dataclass(frozen=True, slots=True)
class Missed:
    """A question that found nothing, or only what resembles it; `answer` is what was opened then."""

    question: str
    count: int
    last: datetime.date
    found: Found
    answer: Opening | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """What the log says: facts recalled often and never, and questions without an answer."""

    on: bool
    since: datetime.date
    questions: int = 0
    openings: int = 0
    often: tuple[Recalled, ...] = ()
    never: tuple[Fact, ...] = ()
    missed: tuple[Missed, ...] = ()


@dataclass(slots=True)
class _Count:
    """How often one fact was shown and opened, and on which days."""

    shown: int = 0
    opened: int = 0
    days: list[datetime.date] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the log."""

    day: datetime.date
    data: dict[str, Any]


def is_on(memory: Memory) -> bool:
    """Whether the user wants the log."""
    return memory.settings.use.enabled


def record_question(
    memory: Memory, question: str, answer: Answer, *, actor: str = "person", session: str = ""
) -> None:
    """Write down a question and what it found; nothing is done where the log is off."""
    if not is_on(memory) or not question.strip():
        return
    shown = {
        fact_key(fact): None
        for hit in answer.hits[:_MOST_HITS]
        if hit.source == "memory" and not hit.was
        for fact in _matching(hit)
    }
    entry = {
        "question": _asked(memory, question),
        "found": answer.strength or "nothing",
        "paths": list(dict.fromkeys(hit.path for hit in answer.hits[:_MOST_HITS])),
        "facts": list(shown),
    }
    _append(memory, entry, actor, session)


def _matching(hit: Hit) -> list[Fact]:
    """The facts of a hit that it was found by: those with most of the words that matched.

    Others only stand around them. A bullet counts with what is nested below it. What was found by its
    meaning alone is told by no word: all of it counts.
    """
    matched = frozenset(hit.matched)
    shared: dict[Fact, set[str]] = {}
    top: Fact | None = None
    for fact in facts_of(hit.snippet, hit.path):
        top = fact if top is None or not fact.parent else top
        if not fact.struck:
            shared.setdefault(top, set()).update(matched.intersection(index_terms(fact.text)))
    most = max(map(len, shared.values()), default=0)
    return [fact for fact, words in shared.items() if len(words) == most and not fact.struck]


def record_miss(
    memory: Memory, question: str, path: str, *, actor: str = "person", session: str = ""
) -> None:
    """Write down that what a question found is not what was meant; what is opened next may be."""
    if not is_on(memory) or not question.strip():
        return
    entry = {"question": _asked(memory, question), "found": "weak", "paths": [path], "wrong": path}
    _append(memory, entry, actor, session)


def record_opening(
    memory: Memory,
    path: str,
    start_line: int = 1,
    end_line: int | None = None,
    *,
    actor: str = "person",
    session: str = "",
) -> None:
    """Write down that a note was opened, or some lines of it."""
    if not is_on(memory):
        return
    entry: dict[str, Any] = {"opened": path}
    if end_line is not None:
        entry |= {"lines": [start_line, end_line]}
        if end_line - start_line < _MOST_LINES:
            with contextlib.suppress(MemdownError, OSError):
                text = memory.get(path).text
                entry["facts"] = [
                    fact_key(fact)
                    for fact in facts_of(text, path)
                    if start_line <= fact.line <= end_line and not fact.struck
                ]
    _append(memory, entry, actor, session)


def report(memory: Memory, *, days: int | None = None) -> Use:
    """What the log says about the notes as they are now."""
    today = memory.notebook.today()
    kept = memory.settings.use.days
    since = today - datetime.timedelta(min(days or kept, kept))
    entries = list(_entries(memory.settings, since))
    asked = [one for one in entries if "question" in one.data and "wrong" not in one.data]
    counts = _counts(entries)
    facts = [
        fact
        for fact in gather(memory.notebook.workspace)
        if fact.is_current(today) and not fact.parent
    ]
    often = sorted(
        (_recalled(fact, counts[key]) for fact in facts if (key := fact_key(fact)) in counts),
        key=lambda one: (-one.count - one.opened, -one.last.toordinal(), one.fact.reference),
    )
    enough = len(asked) >= _FEWEST_QUESTIONS
    return Use(
        on=is_on(memory),
        since=since,
        questions=len(asked),
        openings=sum("opened" in one.data for one in entries),
        often=tuple(often),
        never=tuple(fact for fact in facts if enough and fact_key(fact) not in counts),
        missed=tuple(_missed(entries)),
    )


def weights_of(settings: Settings, today: datetime.date) -> dict[str, float]:
    """How much each fact was used of late, by `fact_key`; nothing where the log is off."""
    if not settings.use.enabled:
        return {}
    since = today - datetime.timedelta(settings.use.days)
    return {
        key: sum(math.exp2(-(today - day).days / _HALF_LIFE_DAYS) for day in count.days)
        for key, count in _counts(_entries(settings, since)).items()
    }


def clear(memory: Memory) -> int:
    """Delete the whole log; how many days it had."""
    files = list(_files(memory.settings))
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


def use_json(found: Use, limit: int = 20) -> dict[str, object]:
    """The report for programs; of each list the first so many."""
    return {
        "on": found.on,
        "since": found.since.isoformat(),
        "questions": found.questions,
        "openings": found.openings,
        "often": [
            {
                "reference": one.fact.reference,
                "text": one.fact.text,
                "count": one.count,
                "opened": one.opened,
                "last": one.last.isoformat(),
            }
            for one in found.often[:limit]
        ],
        "never": [{"reference": fact.reference, "text": fact.text} for fact in found.never[:limit]],
        "neverCount": len(found.never),
        "missed": [
            {
                "question": one.question,
                "count": one.count,
                "last": one.last.isoformat(),
                "found": one.found,
            }
            for one in found.missed[:limit]
        ],
    }


def _asked(memory: Memory, question: str) -> str:
    """A question as the log has it: no secret, nothing that was forgotten, not too long."""
    stones = read_tombstones(tombstone_file(memory.notebook.lock_dir))
    return scrub(redact(" ".join(question.split())), stones)[:_MOST_CHARACTERS]


def fact_key(fact: Fact) -> str:
    """A name for what a fact says, wherever it stands."""
    said = fold(" ".join(fact.text.split())).strip(" .")
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _folder(settings: Settings) -> Path:
    return settings.state_dir / "agents" / settings.agent / "use"


def _files(settings: Settings) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from sorted(
            file for file in _folder(settings).glob("*.jsonl") if _day_of(file) is not None
        )


def _day_of(file: Path) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(file.stem)
    except ValueError:
        return None


def _append(memory: Memory, entry: dict[str, Any], actor: str, session: str) -> None:
    now = datetime.datetime.now().astimezone()
    about = {"time": round(now.timestamp()), "by": actor, "session": session}
    line = json.dumps(about | entry, ensure_ascii=False) + "\n"
    today = memory.notebook.today()
    file = _folder(memory.settings) / f"{today}.jsonl"
    try:
        make_folder(file.parent)
        begins = not file.exists()
        descriptor = open_file(file, os.O_WRONLY | os.O_APPEND)
        try:
            # One call: two processes never write into one another's lines.
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
        if begins:
            _drop_old(memory, today)
    except OSError as error:
        log.warning("The use log %s cannot be written: %s.", file, error)


def _drop_old(memory: Memory, today: datetime.date) -> None:
    oldest = today - datetime.timedelta(memory.settings.use.days)
    for file in _files(memory.settings):
        day = _day_of(file)
        if day is not None and day < oldest:
            file.unlink(missing_ok=True)


def _entries(settings: Settings, since: datetime.date) -> Iterator[_Entry]:
    """The lines of the log from a day on, oldest first; one that was cut off is passed over."""
    for file in _files(settings):
        day = _day_of(file)
        if day is None or day < since:
            continue
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            try:
                data = json.loads(line)
            except ValueError:
                continue
            if isinstance(data, dict) and _is_sound(data):
                yield _Entry(day, data)


def _is_sound(data: dict[str, Any]) -> bool:
    """Whether a line says what lines of this log say; people may edit them."""
    texts = (data.get("question", ""), data.get("opened", ""), data.get("session", ""))
    return (
        all(isinstance(text, str) for text in texts)
        and ("question" in data) != ("opened" in data)
        and isinstance(data.get("time", 0), int | float)
        and isinstance(data.get("facts", []), list)
    )


def _counts(entries: Iterator[_Entry] | Sequence[_Entry]) -> dict[str, _Count]:
    counts: dict[str, _Count] = {}
    for one in entries:
        for key in one.data.get("facts", []):
            count = counts.setdefault(str(key), _Count())
            count.days.append(one.day)
            if "opened" in one.data:
                count.opened += 1
            else:
                count.shown += 1
    return counts


def _recalled(fact: Fact, count: _Count) -> Recalled:
    return Recalled(fact, count.shown, count.opened, max(count.days))


def _missed(entries: Sequence[_Entry]) -> list[Missed]:
    """Questions that found nothing strong and were not answered later; the newest first."""
    found: dict[str, Missed] = {}
    for place, one in enumerate(entries):
        question = one.data.get("question")
        if not question:
            continue
        key = fold(question).strip(" ?!.？。")
        before = found.pop(key, None)
        outcome = one.data.get("found")
        if outcome not in ("weak", "nothing"):
            continue
        answer = _opened_after(entries, place) or (before.answer if before else None)
        count = 1 + (before.count if before else 0)
        found[key] = Missed(question, count, one.day, outcome, answer)
    return list(reversed(found.values()))


def _opened_after(entries: Sequence[_Entry], place: int) -> Opening | None:
    """The first thing that was opened soon after a question in the same session."""
    asked = entries[place].data
    for later in entries[place + 1 :]:
        data = later.data
        if data.get("time", 0) - asked.get("time", 0) > _ANSWER_SECONDS:
            return None
        if data.get("session", "") != asked.get("session", ""):
            continue
        if "question" in data:
            return None
        lines = data.get("lines")
        if isinstance(lines, list) and len(lines) == 2 and all(isinstance(n, int) for n in lines):
            return Opening(data["opened"], lines[0], lines[1])
        return Opening(data["opened"])
    return None
