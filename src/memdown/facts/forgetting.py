"""Forgetting: a fact is struck, or its words are erased everywhere, with a proof.

Erasing changes nothing before `erase` is called with what `find` showed. Afterwards every byte of every
file of ours is compared with the words again; what still holds them is named in the receipt.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from memdown.errors import MemdownError, WorkspaceError
from memdown.files import replace_file
from memdown.notes import placing
from memdown.notes.changes import By
from memdown.notes.editing import update
from memdown.notes.related import REFERENCE, find_fact, note_text
from memdown.notes.remembering import facts_meant, strike_fact
from memdown.notes.statements import Fact, facts_of
from memdown.text.tombstones import ERASED, bury, tombstone_file

if TYPE_CHECKING:
    from memdown.memory import Memory


_TRIES = 5


@dataclass(frozen=True, slots=True)
class Needles:
    """A pattern for some words in bytes: as UTF-8 and as JSON escapes them, in any case."""

    pattern: re.Pattern[bytes]


def text_pattern(words: str) -> re.Pattern[str]:
    """A pattern for some words in text: any case, any white space between them."""
    return re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)


def needles_of(words: str) -> Needles:
    """How words may stand in a file."""
    forms = {form for case in (words, words.lower(), words.upper()) for form in _forms(case)}
    patterns = [
        rb"\s+".join(re.escape(part) for part in form.split(b" "))
        for form in sorted(forms, key=len, reverse=True)
    ]
    return Needles(re.compile(b"|".join(patterns), re.IGNORECASE))


def _forms(words: str) -> Iterator[bytes]:
    plain = " ".join(words.split())
    yield plain.encode("utf-8")
    yield json.dumps(plain)[1:-1].encode()
    yield json.dumps(plain, ensure_ascii=False)[1:-1].encode("utf-8")


def lines_holding(file: Path, needles: Needles) -> list[int]:
    """The lines of a file that hold the words; 0 stands for a place in a binary file."""
    try:
        data = file.read_bytes()
    except OSError:
        return []
    found = [match.start() for match in needles.pattern.finditer(data)]
    if b"\0" in data[:4096]:
        return [0] if found else []
    return [data.count(b"\n", 0, start) + 1 for start in found]


def blank_in_file(file: Path, needles: Needles, mark: str) -> int:
    """Replace the words in a file of text by a mark, line for line; how often they stood there.

    The new version takes the old one's place in one step; if someone wrote meanwhile, it is tried again.
    """
    for _ in range(_TRIES):
        try:
            before = file.stat()
            data = file.read_bytes()
        except OSError:
            return 0
        clean, count = needles.pattern.subn(mark.encode(), data)
        if not count:
            return 0
        try:
            if replace_file(file, clean, since=before):
                return count
        except OSError as error:
            raise WorkspaceError(
                f"{file} cannot be rewritten ({error.strerror}); make its folder writable and try again."
            ) from None
    raise WorkspaceError(f"{file} is being written all the time; end that program and try again.")


Kind = Literal["note", "journal", "index", "transcript", "memory", "export", "other"]
_SHORTEST: Final = 3
_MOST_SHOWN: Final = 200


@runtime_checkable
class Clearing(Protocol):
    """A store that can clear what was removed from its disk."""

    def vacuum(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Trace:
    """A place that holds the words: which kind, the file, and the line if it is one of text."""

    kind: Kind
    place: str
    line: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The words that are to be erased, and every place that holds them."""

    words: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased: how many places by kind, what is left, and the tombstone that stays."""

    erased: dict[str, int]
    left: tuple[Trace, ...]
    tombstone: str
    scanned_files: int
    scanned_bytes: int
    time: datetime.datetime

    @property
    def complete(self) -> bool:
        """Whether no file of ours holds the words any more."""
        return not self.left


def strike(
    memory: Memory, wanted: str, *, actor: str = "person", session: str = ""
) -> tuple[Fact, ...]:
    """Strike the current fact that a reference or its words name; nothing is removed."""
    pen = memory.notebook.writing_pen(By(actor, session))
    facts = tuple(facts_meant(pen, [wanted]))
    for fact in facts:
        strike_fact(pen, fact)
    return facts


def find(memory: Memory, wanted: str) -> Forgetting:
    """Every place that holds some words, or the words of the fact that is meant; nothing changes."""
    words = _words(memory, wanted)
    needles = needles_of(words)
    notes, state = list(_in_notes(memory, words)), list(_in_state(memory, needles))
    traces = [*notes, *state]
    if notes and not any(one.kind == "index" for one in state):
        # The index keeps text in a form of its own, which is no longer than the notes.
        traces.append(Trace("index", memory.index.store.status().location))
    return Forgetting(words, tuple(traces))


def erase(memory: Memory, what: Forgetting, *, actor: str = "person") -> Receipt:
    """Remove the words everywhere, bury them, and prove it by a scan of all bytes.

    The memory must not be used by others of this process meanwhile; its index is made anew.
    """
    pen = memory.notebook.writing_pen(By(actor))
    needles = needles_of(what.words)
    counts: dict[str, int] = {}
    for path in dict.fromkeys(one.place for one in what.traces if one.kind == "note"):
        counts["note"] = counts.get("note", 0) + _erase_in_note(memory, path, what.words, actor)
    # The notes first: what was changed there is in the journal as well.
    counts["journal"] = pen.journal.rewrite_matching(needles.pattern)
    stone = bury(tombstone_file(memory.notebook.lock_dir), what.words, pen.today)
    for file in _text_files(memory):
        found = blank_in_file(file, needles, ERASED)
        if found:
            kind = _kind(memory, file)
            counts[kind] = counts.get(kind, 0) + found
    counts["memory"] = _erase_single_memories(memory, what.words)
    counts["index"] = _new_index(memory)
    return _receipt(memory, what.words, {k: v for k, v in counts.items() if v}, stone.id)


def _words(memory: Memory, wanted: str) -> str:
    """The literal words that are meant: those given if any note holds them, else those of a fact."""
    wanted = " ".join(wanted.split())
    pen = memory.pen()
    if REFERENCE.fullmatch(wanted):
        fact = find_fact(pen.workspace, wanted)
        if fact is None:
            raise WorkspaceError(f"No fact stands at {wanted}; search again and use what you see.")
        return fact.text
    if len(wanted) < _SHORTEST:
        raise WorkspaceError(
            f"{wanted!r} is too short to be erased everywhere; give more of the words."
        )
    return wanted


def _in_notes(memory: Memory, words: str) -> Iterator[Trace]:
    pen = memory.pen()
    pattern = text_pattern(words)
    for path in memory.notes().files:
        with contextlib.suppress(MemdownError):
            for number, line in enumerate(note_text(pen.workspace, path).split("\n"), start=1):
                if pattern.search(line):
                    yield Trace("note", path, number, line.strip()[:_MOST_SHOWN])


def _in_journal(memory: Memory, needles: Needles) -> Iterator[Trace]:
    """The journal, if a copy of a note holds the words: it is packed, so that no scan of bytes tells."""
    journal = memory.pen().journal
    if journal.count_matching(needles.pattern):
        yield Trace("journal", str(journal.file))


def _in_state(memory: Memory, needles: Needles) -> Iterator[Trace]:
    yield from _in_journal(memory, needles)
    for file in _all_files(memory):
        for line in lines_holding(file, needles):
            yield Trace(_kind(memory, file), str(file), line)


def _erase_in_note(memory: Memory, path: str, words: str, actor: str) -> int:
    """Take the bullets that say little else out of a note; of other text, the words alone."""
    pattern = text_pattern(words)
    pen = memory.pen(actor)
    count = 0

    def change(text: str) -> str:
        nonlocal count
        count = 0
        while True:
            holding = [one for one in facts_of(text, path) if _holds(text, one, pattern)]
            if not holding:
                break
            count += 1
            text = placing.remove(text, holding[-1])
        text, more = pattern.subn(ERASED, text)
        count += more
        return text

    update(pen.workspace, path, change, lock_dir=pen.lock_dir, by=pen.by)
    return count


def _holds(text: str, fact: Fact, pattern: re.Pattern[str]) -> bool:
    """Whether a bullet says little else than the words; of what says more, only they are taken."""
    own = placing.own_words(text, fact)
    found = sum(len(match[0]) for match in pattern.finditer(own))
    return fact.is_bullet and 2 * found >= len(fact.text)


def _erase_single_memories(memory: Memory, words: str) -> int:
    folder = memory.settings.state_dir / "agents" / memory.settings.agent / "memories.lancedb"
    if not folder.is_dir():
        return 0
    pattern = text_pattern(words)
    store = memory.long_term()
    found = [entry for entry in store.entries() if pattern.search(entry.text)]
    for entry in found:
        store.forget(memory_id=entry.id)
    if found:
        store.vacuum()
    return len(found)


def _new_index(memory: Memory) -> int:
    """Make the index anew and clear its free pages, so that nothing old is left in its files."""
    from memdown.index.sqlite.store import SqliteStore

    memory.sync(force=True)
    store = memory.index.store
    if isinstance(store, SqliteStore):
        from memdown.index.sqlite.connection import connect, run

        db = connect(memory.settings.store.path)
        try:
            run(db, "VACUUM")
            run(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()
    elif isinstance(store, Clearing):
        store.vacuum()
    return 1


def _receipt(memory: Memory, words: str, counts: dict[str, int], stone: str) -> Receipt:
    needles = needles_of(words)
    left = [*_in_notes(memory, words), *_in_journal(memory, needles)]
    files = size = 0
    for file in _all_files(memory):
        files += 1
        with contextlib.suppress(OSError):
            size += file.stat().st_size
        left += [
            Trace(_kind(memory, file), str(file), line) for line in lines_holding(file, needles)
        ]
    now = datetime.datetime.now().astimezone()
    return Receipt(counts, tuple(left), stone, files, size, now)


def _all_files(memory: Memory) -> Iterator[Path]:
    """Every regular file of ours: the state folder, without models that were downloaded and our own patterns."""
    for folder, inner, names in os.walk(memory.settings.state_dir):
        inner[:] = [name for name in inner if name not in ("models", "compiled")]
        for name in names:
            file = Path(folder, name)
            with contextlib.suppress(OSError):
                if stat.S_ISREG(file.lstat().st_mode):
                    yield file


def _text_files(memory: Memory) -> Sequence[Path]:
    """The files of text among them, which can be changed in place line by line."""
    return [
        file
        for file in _all_files(memory)
        if file.suffix in (".jsonl", ".json5", ".json", ".md", ".txt", ".log")
    ]


def _kind(memory: Memory, file: Path) -> Kind:
    parts = file.relative_to(memory.settings.state_dir).parts
    if parts[0] == "journal":
        return "journal"
    if "sessions" in parts:
        return "transcript"
    if "qmd" in parts:
        return "export"
    if any(part.startswith("memories.lancedb") for part in parts):
        return "memory"
    if parts[0] == "memory" or ".sqlite" in file.name or any(".lancedb" in part for part in parts):
        return "index"
    return "other"


def receipt_json(receipt: Receipt) -> dict[str, object]:
    """A receipt for programs; it does not repeat the words."""
    return {
        "complete": receipt.complete,
        "erased": receipt.erased,
        "left": [{"kind": one.kind, "place": one.place, "line": one.line} for one in receipt.left],
        "tombstone": receipt.tombstone,
        "scannedFiles": receipt.scanned_files,
        "scannedBytes": receipt.scanned_bytes,
        "time": receipt.time.isoformat(timespec="seconds"),
    }


def forgetting_json(what: Forgetting) -> dict[str, object]:
    """What would be erased, for programs."""
    places = [
        {"kind": one.kind, "place": one.place, "line": one.line, "text": one.text}
        for one in what.traces
    ]
    return {"words": what.words, "places": places}
