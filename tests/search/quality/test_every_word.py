"""Every word that stands in a note can be found, by itself, however usual it is in some language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from memdown import Memory
from memdown.text import index_terms
from memdown.text.stopwords import STOP_WORDS

Notes = dict[str, str]
WORDS = Path(__file__).parents[2] / "text" / "words"
EXAMPLE = Path(__file__).parents[3] / "examples" / "workspace"
ACRONYMS = (
    "CI AI OS IT US EU DE ES LA SE TE TU DU NE EN ET OU ON DAS WAR DIE DEL LOS LAS UNO PAR SUR NO "
    "AM ALL ANY CAN MAY WILL DO MIT Dell Dan van door"
)
# A capital inside of a sentence; German writes every noun so, which only makes it harder.
NAME = re.compile(r"(?<=[\wäöüß,(] )[A-ZÄÖÜ][\wäöüß]+")


def lists() -> dict[str, list[str]]:
    """The 3,000 most frequent words of two languages, and the stop words of all."""
    return {
        "english": (WORDS / "english.txt").read_text(encoding="utf-8").split(),
        "german": (WORDS / "german.txt").read_text(encoding="utf-8").split(),
        "stop words": STOP_WORDS.split(),
        "acronyms": ACRONYMS.split(),
    }


@pytest.fixture(scope="module")
def open_notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Notes], Memory]]:
    opened: list[Memory] = []

    def open_one(notes: Notes) -> Memory:
        folder = tmp_path_factory.mktemp("workspace")
        (folder / "memory").mkdir()
        for path, text in notes.items():
            (folder / path).write_text(text, encoding="utf-8")
        state = tmp_path_factory.mktemp("state")
        memory = Memory.open(folder, state_dir=state, environ={"HOME": str(state)})
        opened.append(memory)
        memory.sync()
        return memory

    yield open_one
    for memory in opened:
        memory.close()


def lost(memory: Memory, words: Sequence[str]) -> list[str]:
    """The words whose search shows none of the lines that hold them."""
    return [word for word in words if not shows(memory, word)]


def shows(memory: Memory, word: str) -> bool:
    terms = set(index_terms(word))
    hits = memory.search(word).hits
    return any(terms & set(index_terms(f"{hit.heading}\n{hit.snippet}")) for hit in hits)


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", lists())
def test_every_frequent_word_is_found(
    name: str, step: int, open_notes: Callable[[Notes], Memory]
) -> None:
    """All words are indexed; every twentieth is looked for, and in the long test each of them."""
    words = list(dict.fromkeys(lists()[name]))
    notes = {
        f"memory/note-{number}.md": "\n".join(f"- {word}" for word in words[number : number + 20])
        for number in range(0, len(words), 20)
    }
    assert lost(open_notes(notes), words[::step]) == []


@pytest.mark.parametrize("word", ACRONYMS.split())
def test_a_word_in_the_only_note_is_found(word: str, open_notes: Callable[[Notes], Memory]) -> None:
    """As in the first hour: one note, and the word is in it."""
    memory = open_notes({"memory/work.md": f"# Work\n\nMerge to main; {word} builds the image.\n"})
    (hit,) = memory.search(word).hits
    assert hit.matched


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_every_name_of_the_example_is_found(
    step: int, open_notes: Callable[[Notes], Memory]
) -> None:
    notes = {
        f"memory/{'-'.join(path.relative_to(EXAMPLE).parts)}": path.read_text(encoding="utf-8")
        for path in EXAMPLE.rglob("*.md")
    }
    names = sorted({name for text in notes.values() for name in NAME.findall(text)})
    assert len(names) > 200
    assert lost(open_notes(notes), names[::step]) == []
