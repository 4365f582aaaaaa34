"""Small memories: the facts people tell an assistant on the first day, and questions about them.

`python tests/evaluation/small_memories/sets.py FOLDER` writes them as question files, one a
language, that `memdown eval FOLDER` runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZES = (1, 2, 3, 5, 8, 12, 20, 50)
LANGUAGES = {"en": "english", "de": "german", "es": "spanish", "zh": "chinese"}
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Fact:
    """One line to be remembered, asked for by a word of it (`shared`) and by its meaning alone."""

    text: str
    shared: str
    meant: str


@dataclass(frozen=True, slots=True)
class SmallMemory:
    """So many facts in one language, and questions that none of them answers."""

    language: str
    facts: tuple[Fact, ...]
    foreign: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.language}-{len(self.facts)}"


def _rows(name: str) -> Iterator[list[str]]:
    for line in (_HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def facts(language: str) -> list[Fact]:
    return [Fact(*row) for row in _rows(LANGUAGES[language])]


def foreign(language: str) -> tuple[str, ...]:
    return tuple(question for tongue, question in _rows("foreign") if tongue == language)


def small_memories() -> list[SmallMemory]:
    """Every size in every language; the small ones are cut from different parts of the large."""
    made = []
    for language in LANGUAGES:
        every = facts(language)
        start = 0
        for size in SIZES:
            first = min(start, len(every) - size)
            made.append(
                SmallMemory(language, tuple(every[first : first + size]), foreign(language))
            )
            start += size
    return made


def question_set(memory: SmallMemory) -> dict[str, Any]:
    """A small memory in the format of `memdown eval`, written as `remember` writes it."""
    lines = ["# Memory", "", *(f"- {fact.text}" for fact in memory.facts)]
    questions: list[dict[str, Any]] = [
        {"question": question, "evidence": [["MEMORY.md", number, number]]}
        for number, fact in enumerate(memory.facts, start=3)
        for question in (fact.shared, fact.meant)
    ]
    questions += [{"question": question, "evidence": []} for question in memory.foreign]
    return {"name": memory.name, "documents": {"MEMORY.md": lines}, "questions": questions}


def write(folder: Path) -> list[Path]:
    """One question file a language."""
    files = []
    for language, name in LANGUAGES.items():
        sets = [question_set(one) for one in small_memories() if one.language == language]
        file = folder / f"small-{name}.json"
        file.write_text(json.dumps(sets, ensure_ascii=False, indent=1), encoding="utf-8")
        files.append(file)
    return files


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
