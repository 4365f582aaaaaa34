"""The index: whole, in step with the notes, free to be written, and able to find a note."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from memdown.doctor.checks import Check, Subject
from memdown.errors import StoreError, WorkspaceError
from memdown.files import is_locked
from memdown.memory import Memory
from memdown.text import index_terms

_LOCKS = Path("/proc/locks")
_CANARY_WORDS = 8


def lock(subject: Subject) -> Iterator[Check]:
    """Whether someone is indexing; a lock outlives no process, so there are no stale ones."""
    if subject.settings is None:
        return
    file = subject.settings.store.path.with_name(subject.settings.store.path.name + ".lock")
    holder = _holder(file)
    if holder is None:
        yield Check("Lock", "ok", "nobody is indexing")
    else:
        advice = "wait until it is done; if it hangs, end that process"
        yield Check("Lock", "warning", f"{holder} is indexing now", advice)


def _holder(file: Path) -> str | None:
    """The process that has the lock; None if none has."""
    if not is_locked(file):
        return None
    try:
        inode = file.stat().st_ino
        for line in _LOCKS.read_text().splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                return f"process {words[4]}"
    except (OSError, IndexError):
        pass
    return "another process"


def integrity(subject: Subject) -> Iterator[Check]:
    """A thorough look at every page, text and vector."""
    if subject.memory is None:
        return
    memory = subject.memory
    wrong = memory.index.check()
    if not wrong:
        yield Check("Index", "ok", memory.status().store.location)
    for problem in wrong[:3]:
        yield Check(
            "Index",
            "error",
            f"the index is damaged: {problem}",
            "memdown doctor --fix sets it aside and makes a new one from the notes",
            memory.index.replace_damaged,
        )


def drift(subject: Subject) -> Iterator[Check]:
    """Whether the index holds the notes as they are."""
    if subject.memory is None:
        return
    memory = subject.memory
    status = memory.status()
    if status.without_vectors:
        yield Check(
            "Vectors",
            "warning",
            f"{status.without_vectors} files are found by their words only: "
            f"{status.without_vectors_reason}",
            "memdown index, when the provider answers again (a search does it too)",
        )
    if not status.dirty:
        yield Check("Freshness", "ok", "the index holds the notes as they are")
    else:
        many = status.changed != 1
        files = f"{status.changed} {'files differ' if many else 'file differs'} from the index"
        finding = files if status.changed else "the settings have changed since the index was made"
        yield Check(
            "Freshness",
            "warning",
            finding,
            "memdown index (a search does it too)",
            lambda: _bring_up_to_date(memory),
        )


def _bring_up_to_date(memory: Memory) -> None:
    report = memory.sync()
    if memory.status().dirty:
        why = f": {report.failed[0].reason}" if report.failed else "; run memdown index"
        raise StoreError(f"the index still differs from the notes{why}")


def leftovers(subject: Subject) -> Iterator[Check]:
    """Damaged indexes that were set aside; nothing needs them."""
    if subject.settings is None:
        return
    index = subject.settings.store.path
    files = sorted(index.parent.glob(f"{index.name}.damaged-*"))
    if files:
        size = sum(file.stat().st_size for file in files)
        yield Check(
            "Leftovers",
            "warning",
            f"{len(files)} files of damaged indexes in {index.parent} ({size / 1e6:.1f} MB)",
            f"rm {index}.damaged-*",
            lambda: _remove(files),
        )


def _remove(files: Sequence[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def canary_search(subject: Subject) -> Iterator[Check]:
    """Whether a note is found by words that stand in it."""
    if subject.memory is None or subject.memory.status().dirty:
        return
    canary = _canary(subject.memory)
    if canary is None:
        yield Check("Search", "ok", "there are no notes to look for yet")
        return
    path, words = canary
    answer = subject.memory.search(words, max_results=20, min_score=0.0)
    if any(hit.path == path for hit in answer.hits):
        yield Check("Search", "ok", f"finds {path}")
    else:
        finding = f"{path} is not found by its own words: {words}"
        yield Check("Search", "error", finding, "memdown index --force")


def _canary(memory: Memory) -> tuple[str, str] | None:
    """A note and a line of it to find it by: one of enough words, or else the longest."""
    longest = (0, "", "")
    for path, line in _lines(memory):
        longest = max(longest, (len(set(index_terms(line))), path, line[:300]), key=itemgetter(0))
        if longest[0] >= _CANARY_WORDS:
            break
    return longest[1:] if longest[0] else None


def _lines(memory: Memory) -> Iterator[tuple[str, str]]:
    """The lines of all notes that can be read."""
    for path in memory.notes().files:
        with contextlib.suppress(WorkspaceError):
            for line in memory.get(path).text.splitlines():
                yield path, line


INDEX_CHECKS = (lock, integrity, drift, leftovers, canary_search)
