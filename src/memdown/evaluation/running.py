"""Ask every question of a set in every configuration, and judge the answers.

A configuration is a named way to search; among them is plain FTS5, as most tools do it.
"""

from __future__ import annotations

import contextlib
import datetime
import random
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import apsw

from memdown.config import Settings, StoreSettings
from memdown.errors import ConfigError, QuestionsError, WorkspaceError
from memdown.evaluation.metrics import Lines, Scores, ShownResult, score
from memdown.evaluation.questions import Question, QuestionSet
from memdown.index.store import MendableStore
from memdown.memory import Memory
from memdown.notes.chunks import chunk_document
from memdown.types import Answer, Document, Failure, Progress, ProgressCallback

FTS5 = "fts5"
DEFAULT = "hybrid"
ABOUT: Mapping[str, str] = {
    DEFAULT: "as configured",
    "vectors": "meaning only",
    "text": "words only",
    "mmr": "prefers results that differ",
    "no-decay": "the age of notes does not count",
    "no-bar": "no minimum score",
    "rerank": "with the configured reranker",
    FTS5: "plain FTS5 over the same chunks: any word, Porter stemming, the chunk's beginning",
}


def read_names(text: str) -> list[str]:
    """The configurations that a list such as `hybrid,text` names."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in ABOUT:
            raise ConfigError(
                f"There is no configuration {name!r} to compare: choose from {', '.join(ABOUT)}."
            )
    return names or [DEFAULT]


def configured(settings: Settings, name: str) -> Settings:
    """The settings of a named configuration; the notes are not looked at again for every question."""
    query = settings.query
    hybrid = query.hybrid
    match name:
        case "vectors":
            query = replace(query, hybrid=replace(hybrid, enabled=False))
        case "text":
            query = replace(query, hybrid=replace(hybrid, text_weight=1.0, vector_weight=0.0))
        case "mmr":
            query = replace(query, hybrid=replace(hybrid, mmr=replace(hybrid.mmr, enabled=True)))
        case "no-decay":
            decay = replace(hybrid.temporal_decay, enabled=False)
            query = replace(query, hybrid=replace(hybrid, temporal_decay=decay))
        case "no-bar":
            query = replace(query, min_score=0.0)
        case "rerank":
            query = replace(query, rerank=replace(query.rerank, enabled=True))
    return replace(settings, query=query, sync=replace(settings.sync, on_search=False))


_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have he her "
    "his how i if in into is it its me my of on or our she so than that the their them they this "
    "to us was we were what when where which who whose why will with would you your".split()
)


class PlainFts5:
    """An in-memory full-text index of chunks."""

    def __init__(self, documents: Mapping[str, Sequence[str]]) -> None:
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE f USING fts5(text, tokenize='porter unicode61')")
        self._chunks = [
            chunk
            for path, lines in documents.items()
            for chunk in chunk_document(
                Document(path, "memory", "\n".join(lines), ""), tokens=400, overlap=80, model=""
            )
        ]
        self._db.executemany(
            "INSERT INTO f(rowid, text) VALUES (?, ?)",
            ((number, chunk.text) for number, chunk in enumerate(self._chunks)),
        )

    def search(self, question: str, count: int) -> list[ShownResult]:
        """The best chunks, whole."""
        words = [word for word in _WORD.findall(question.lower()) if word not in _STOP_WORDS]
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (query, count)
        ).fetchall()
        chunks = [self._chunks[int(row[0])] for row in rows]  # type: ignore[arg-type]
        return [ShownResult(one.path, one.start_line, one.end_line, one.text) for one in chunks]


@dataclass(frozen=True, slots=True)
class OwnNotes:
    """The lines of every note that can be read, and why the others cannot."""

    lines: dict[str, list[str]]
    unreadable: tuple[Failure, ...]


def read_own_notes(memory: Memory) -> OwnNotes:
    """Read every note of a workspace."""
    lines: dict[str, list[str]] = {}
    unreadable: list[Failure] = []
    for path in memory.notes().files:
        try:
            lines[path] = memory.notebook.read(path).text.split("\n")
        except WorkspaceError as error:
            unreadable.append(Failure(path, str(error)))
    return OwnNotes(lines, tuple(unreadable))


# Engines that need no server.
_IN_FILES = ("sqlite", "lancedb")
# Enough results to fill 8,000 characters.
ASKED = 40
Search = Callable[[str], Sequence[ShownResult]]


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """One question in one configuration.

    `scores` is None for a question that nothing answers; then only `found` tells good from bad: whether
    something is shown that is not marked as weak. `came` is the first result.
    """

    question: Question
    scores: Scores | None
    found: bool
    seconds: float
    came: ShownResult | None = None

    @property
    def failed(self) -> bool:
        """Whether most of the evidence is not to be seen, or something came where nothing should."""
        return self.found if self.scores is None else self.scores.visible < 0.5


@dataclass(frozen=True, slots=True)
class Run:
    """All outcomes of one question file in one configuration."""

    configuration: str
    outcomes: tuple[QuestionOutcome, ...]

    @property
    def scores(self) -> list[Scores]:
        """The figures of the questions that have an answer."""
        return [one.scores for one in self.outcomes if one.scores is not None]

    @property
    def unanswerable(self) -> list[QuestionOutcome]:
        """The questions that nothing answers."""
        return [one for one in self.outcomes if one.scores is None]

    @property
    def failures(self) -> list[QuestionOutcome]:
        """The questions that went wrong, in the order they were asked."""
        return [one for one in self.outcomes if one.failed]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One question file: the same questions in several configurations, in the same order.

    `unreadable` are notes of one's own that were left out, with the questions about them.
    """

    name: str
    workspaces: int
    notes: int
    runs: tuple[Run, ...]
    unreadable: tuple[Failure, ...] = ()


def evaluate(
    name: str,
    sets: Sequence[QuestionSet],
    settings: Settings,
    configurations: Sequence[str],
    *,
    limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> Evaluation:
    """Judge the answers to all questions of a file, or to `limit` of them, drawn by chance."""
    sets = _drawn(sets, limit) if limit is not None else sets
    outcomes: dict[str, list[QuestionOutcome]] = {name: [] for name in configurations}
    total = sum(len(one.questions) for one in sets) * len(configurations)
    done = notes = 0
    unreadable: list[Failure] = []
    for one in sets:
        with _ground(one, settings) as ground:
            notes += len(ground.lines)
            unreadable += ground.unreadable
            for configuration in configurations:
                with _searching(configuration, ground, one.today) as search:
                    for question in ground.questions:
                        outcomes[configuration].append(_ask(question, search, ground.lines))
                        done += 1
                        if progress:
                            progress(Progress(done, total, f"{name}, {configuration}"))
    runs = tuple(Run(configuration, tuple(found)) for configuration, found in outcomes.items())
    return Evaluation(name, len(sets), notes, runs, tuple(unreadable))


def _drawn(sets: Sequence[QuestionSet], limit: int) -> list[QuestionSet]:
    """So many questions of all sets together, always the same ones."""
    every = [
        (number, index) for number, one in enumerate(sets) for index in range(len(one.questions))
    ]
    chosen = set(random.Random(1).sample(every, min(limit, len(every))))
    drawn = [
        replace(
            one,
            questions=tuple(q for i, q in enumerate(one.questions) if (number, i) in chosen),
        )
        for number, one in enumerate(sets)
    ]
    return [one for one in drawn if one.questions]


def _ask(question: Question, search: Search, lines: Lines) -> QuestionOutcome:
    begun = time.perf_counter()
    results = search(question.text)
    seconds = time.perf_counter() - begun
    scores = score(question, results, lines) if question.evidence else None
    found = any(one.strong for one in results)
    return QuestionOutcome(question, scores, found, seconds, results[0] if results else None)


@dataclass(frozen=True, slots=True)
class _Ground:
    """Where questions are asked."""

    settings: Settings
    lines: Lines
    questions: Sequence[Question]
    unreadable: Sequence[Failure] = ()


@contextlib.contextmanager
def _ground(one: QuestionSet, settings: Settings) -> Iterator[_Ground]:
    """The notes of the set in a folder of their own, or one's own; unreadable ones are left out."""
    if one.documents is None:
        with Memory.from_settings(settings) as memory:
            memory.sync()
            notes = read_own_notes(memory)
        out = {failure.path for failure in notes.unreadable}
        asked = [q for q in one.questions if out.isdisjoint(e.path for e in q.evidence)]
        _check_evidence(one, asked, notes.lines)
        yield _Ground(settings, notes.lines, asked, notes.unreadable)
        return
    _check_evidence(one, one.questions, one.documents)
    with tempfile.TemporaryDirectory(prefix="memdown-eval-") as name:
        folder, state = Path(name, "workspace"), Path(name, "state")
        _write(folder, one)
        place = replace(
            settings,
            # On a server an agent's index is shared: these notes are no part of it.
            agent=f"eval-{uuid.uuid4().hex[:12]}",
            cache=replace(settings.cache, enabled=False),
            workspace=folder,
            state_dir=state,
            extra_paths=(),
            adopted=False,
            sources=("memory",),
            store=_own_store(settings.store, state / "index.sqlite"),
        )
        with Memory.from_settings(place) as memory:
            memory.sync()
            try:
                yield _Ground(place, one.documents, one.questions)
            finally:
                _remove_index(memory)


def _own_store(store: StoreSettings, file: Path) -> StoreSettings:
    """The same engine at a place of its own: in a file, also if it is a bucket's, or on the server."""
    return replace(store, path=file, url=None if store.driver in _IN_FILES else store.url)


def _remove_index(memory: Memory) -> None:
    """Leave nothing where others keep their indexes; a file or folder goes with the notes."""
    store = memory.index.store
    if memory.settings.store.driver not in _IN_FILES and isinstance(store, MendableStore):
        store.set_aside()


def _write(folder: Path, one: QuestionSet) -> None:
    for path, lines in (one.documents or {}).items():
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or not path.endswith(".md"):
            raise QuestionsError(
                f"{one.name}: the document {path!r} must be a path inside the workspace that ends "
                "with .md, such as memory/home.md."
            )
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines), encoding="utf-8", newline="")


def _check_evidence(
    one: QuestionSet, questions: Sequence[Question], notes: Mapping[str, Sequence[str]]
) -> None:
    for question in questions:
        for evidence in question.evidence:
            lines = notes.get(evidence.path)
            if lines is None:
                raise QuestionsError(
                    f"{one.name}, {question.where}: there is no note {evidence.path!r} that can be "
                    "read; name it as a search shows it, such as memory/home.md."
                )
            if evidence.first > len(lines):
                raise QuestionsError(
                    f"{one.name}, {question.where}: {evidence.path} has {len(lines)} lines, none "
                    f"at {evidence.first}."
                )


@contextlib.contextmanager
def _searching(
    configuration: str, ground: _Ground, today: datetime.date | None
) -> Iterator[Search]:
    """A search in a configuration, ready to be asked."""
    if configuration == FTS5:
        plain = PlainFts5(ground.lines)
        yield lambda question: plain.search(question, ASKED)
        return
    with Memory.from_settings(configured(ground.settings, configuration), today=today) as memory:
        memory.search("warm up", max_results=ASKED)
        yield lambda question: _found(memory.search(question, max_results=ASKED))


def _found(answer: Answer) -> list[ShownResult]:
    return [
        ShownResult(hit.path, hit.start_line, hit.end_line, hit.snippet, hit.strength == "strong")
        for hit in answer.hits
    ]
