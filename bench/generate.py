"""Made-up workspaces of any size, the same bytes for the same seed, with questions to ask them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

from bench.asian import CHINESE, JAPANESE, THAI
from bench.english import ENGLISH, identifier
from bench.european import GERMAN, RUSSIAN
from bench.scene import LAST_DAY, Fact, Kind, Language, Scene, Streams
from bench.words import vocabulary

KINDS: tuple[Kind, ...] = ("natural", "identifier", "script")
CHUNKS_PER_FILE = 10
QUESTIONS_PER_KIND = 200
_OTHERS = (GERMAN, CHINESE, JAPANESE, THAI, RUSSIAN)
_SHARE_OF_OTHERS = 0.075
_DAILY_SHARE = 0.55
_DAYS_BEFORE_DOUBLING = 1500


@dataclass(frozen=True, slots=True)
class Question:
    """What a search is asked, and the line that answers it."""

    text: str
    kind: Kind
    path: str
    line: int
    answer: str


@dataclass(frozen=True, slots=True)
class Workload:
    """A written workspace and what can be asked of it."""

    folder: Path
    chunks: int
    files: int
    characters: int
    size_bytes: int
    questions: tuple[Question, ...]

    def of_kind(self, kind: Kind) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.kind == kind)


def generate(folder: Path, chunks: int, seed: int = 1) -> Workload:
    """Write notes worth about `chunks` chunks of 1,600 characters into an empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; name a new folder for the made-up notes.")
    rng = Random(seed)
    streams = Streams(vocabulary(rng, chunks), seed)
    samples = {kind: _Sample(Random(f"{seed}:{kind}")) for kind in KINDS}
    files = characters = size_bytes = 0
    for path, language, budget in _files(rng, chunks):
        note = _Note(path, language, Scene(streams, rng))
        note.fill(int(budget * language.chunk_chars))
        for question in note.questions:
            samples[question.kind].offer(question)
        text = "\n".join(note.lines) + "\n"
        encoded = text.encode()
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(encoded)
        files, characters = files + 1, characters + len(text)
        size_bytes += len(encoded)
    questions = tuple(question for kind in KINDS for question in samples[kind].kept)
    return Workload(folder, chunks, files, characters, size_bytes, questions)


def _files(rng: Random, chunks: int) -> Iterator[tuple[str, Language, float]]:
    """The path, language and size in chunks of each file, until all chunks are handed out."""
    left = float(chunks)
    budget = min(left, 4.0)
    yield "MEMORY.md", ENGLISH, budget
    left -= budget
    topics = _topic_paths(rng)
    dailies = _daily_paths(rng, round(chunks / CHUNKS_PER_FILE * _DAILY_SHARE))
    others = cycle(_OTHERS)
    owed = 0.0
    while left > 0:
        budget = min(left, max(1.0, rng.lognormvariate(2.25, 0.6)))
        language = ENGLISH
        owed += budget * _SHARE_OF_OTHERS
        if owed > 0:
            # Short ones, so that small workspaces have all languages too.
            budget = min(budget, 6.0)
            language = next(others)
            owed -= budget
        path = next(dailies) if rng.random() < _DAILY_SHARE else next(topics)
        yield path, language, budget
        left -= budget


def _daily_paths(rng: Random, expected: int) -> Iterator[str]:
    """Daily logs backwards from the last day; many notes give several a day, told apart by slugs."""
    per_day = 1 + expected // _DAYS_BEFORE_DOUBLING
    slugs = _slugs(rng)
    day = LAST_DAY
    while True:
        yield f"memory/{day}.md"
        for _ in range(per_day - 1):
            yield f"memory/{day}-{next(slugs)}.md"
        day -= datetime.timedelta(days=1 if rng.random() < 0.75 else 2)


def _topic_paths(rng: Random) -> Iterator[str]:
    slugs = _slugs(rng)
    while True:
        folder = rng.choice(("", "projects/", "people/", "home/", "work/", "travel/"))
        yield f"memory/{folder}{next(slugs)}.md"


def _slugs(rng: Random) -> Iterator[str]:
    """File names without end; the number keeps them apart on disks that ignore case."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    number = 0
    while True:
        number += 1
        word = "".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(3))
        yield f"{word}-{number}"


class _Note:
    """The lines of one note as they are written, and the questions they answer."""

    def __init__(self, path: str, language: Language, scene: Scene) -> None:
        self.path = path
        self.lines: list[str] = []
        self.questions: list[Question] = []
        self._language = language
        self._scene = scene
        self._written = 0

    def fill(self, characters: int) -> None:
        """Write blocks until there are about so many characters."""
        name = Path(self.path).stem
        self._add(f"# {self._scene.project()} {name}")
        blocks: tuple[Callable[[], None], ...] = (
            self._bullets, self._bullets, self._bullets, self._paragraph, self._paragraph,
            self._tasks, self._table,
        )  # fmt: skip
        while self._written < characters:
            self._add("")
            if self._scene.rng.random() < 0.4:
                self._add(f"## {self._scene.pick(self._language.headings)}")
                self._add("")
            blocks[self._scene.number(0, len(blocks))]()

    def _add(self, line: str) -> None:
        self.lines.append(line)
        self._written += len(line) + 1

    def _say(self) -> str:
        """One sentence; now and then it is a fact, and the line to come answers its question."""
        roll = self._scene.rng.random()
        fact: Fact | None = None
        if roll < 0.05:
            fact = self._language.fact(self._scene)
        elif roll < 0.08:
            fact = identifier(self._scene)
        if fact is None:
            return self._language.sentence(self._scene)
        self.questions.append(
            Question(fact.question, fact.kind, self.path, len(self.lines) + 1, fact.answer)
        )
        return fact.sentence

    def _bullets(self) -> None:
        for _ in range(self._scene.number(2, 8)):
            line = self._say()
            if self._scene.rng.random() < 0.35:
                line = f"{line}{self._language.space}{self._say()}"
            self._add(f"- {line}")

    def _paragraph(self) -> None:
        count = self._scene.number(3, 8)
        self._add(self._language.space.join(self._say() for _ in range(count)))

    def _tasks(self) -> None:
        for _ in range(self._scene.number(2, 6)):
            self._add(f"- [{self._scene.pick('x  ')}] {self._say()}")

    def _table(self) -> None:
        scene = self._scene
        self._add("| what | who | when | € |")
        self._add("|---|---|---|---|")
        for _ in range(scene.number(2, 6)):
            cells = (scene.product(), scene.first_name(), scene.date(), scene.number(3, 2000))
            self._add(f"| {' | '.join(map(str, cells))} |")


class _Sample:
    """A fair sample of the questions met so far, whose size does not grow with the notes."""

    def __init__(self, rng: Random) -> None:
        self.kept: list[Question] = []
        self._rng = rng
        self._seen = 0

    def offer(self, question: Question) -> None:
        self._seen += 1
        if len(self.kept) < QUESTIONS_PER_KIND:
            self.kept.append(question)
        elif (place := self._rng.randrange(self._seen)) < QUESTIONS_PER_KIND:
            self.kept[place] = question
