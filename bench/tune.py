"""`python -m bench tune --questions FOLDER`: the weights of the ranking, learned with each question set left out in turn.

A row of the table is one candidate passage of one question, a column one feature, and the label is
whether the passage holds evidence. A linear ranker (softmax over the candidates of a question) is
fitted on all sets but one and judged on that one, beside the weights in `Tuning`. Nothing is judged by
what it was fitted on; what is added afterwards, for being like the best passages (`scoring.feedback`), is
no column. Several workspaces in a file are set apart from each other in the same way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.measure import table
from memdown.embedders.bundled import BundledEmbedder
from memdown.evaluation.questions import Question, QuestionSet, question_files, read_questions
from memdown.index.reader import IndexedChunks, Reader, read_in_memory
from memdown.notes.chunks import chunk_document
from memdown.search import candidates, features
from memdown.search.query import prepare
from memdown.tuning import TUNING
from memdown.types import Document, FileState

COLUMNS = (
    "text",
    "beside",
    "two_away",
    "file",
    "chunk",
    "coverage",
    "idf_coverage",
    "once",
    "passage_similarity",
    "chunk_similarity",
    "speaker",
    "kind",
    "asks",
    "answers",
    "at_length",
    "own",
)
# So many candidates of a question are kept, the best by today's weights and all that hold evidence.
_KEPT = 80
_ROUNDS, _RATE, _RIDGE = 200, 0.05, 1e-3
_DRAWS = 1_000
_TOKENS, _OVERLAP = 400, 80
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """The candidates of one question: features (n, columns) and which hold evidence (n,)."""

    features: Floats
    relevant: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """What is left out together: the questions of one workspace of one file."""

    file: str
    name: str
    questions: tuple[Rows, ...]


def run(folder: Path, limit: int) -> None:
    """Fit and judge on all question files of a folder, at most `limit` questions a workspace."""
    embedder = BundledEmbedder()
    parts = [
        _part(file.stem, one, embedder, limit)
        for file in question_files([folder])
        for one in read_questions(file)
        if one.documents
    ]
    ours = np.array([getattr(TUNING, name) for name in COLUMNS])
    lines = []
    for part in parts:
        others = [rows for other in parts if other is not part for rows in other.questions]
        if not others or not part.questions:
            continue
        learned = fit(others)
        lines.append(
            (
                part.file,
                part.name,
                str(len(part.questions)),
                *(_interval(_firsts(part.questions, weights)) for weights in (ours, learned)),
            )
        )
    print(table("first hit right, %", ("file", "left out", "n", "Tuning", "learned"), lines))
    everything = fit([rows for part in parts for rows in part.questions])
    scale = ours[0] / everything[0] if everything[0] else 1.0
    print("Learned on all of it, on the scale of `text`:")
    for name, weight in zip(COLUMNS, everything * scale, strict=True):
        print(f"    {name}: float = {weight:.3f}")


def fit(questions: Sequence[Rows]) -> Floats:
    """Weights (columns,) under which passages with evidence come first: softmax, Adam, a little ridge."""
    used = [one for one in questions if one.relevant.any()]
    every = np.concatenate([one.features for one in used])
    spread = every.std(axis=0) + 1e-6
    every = every / spread
    begins = np.cumsum([0, *(len(one.relevant) for one in used[:-1])])
    of = np.repeat(np.arange(len(used)), [len(one.relevant) for one in used])
    target = np.concatenate([one.relevant / one.relevant.sum() for one in used])
    weights = mean = square = np.zeros(every.shape[1])
    for step in range(1, _ROUNDS + 1):
        scores = every @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, begins)[of])
        likely /= np.add.reduceat(likely, begins)[of]
        slope = (likely - target) @ every / len(used) + _RIDGE * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights = weights - _RATE * (mean / (1 - 0.9**step)) / (
            np.sqrt(square / (1 - 0.99**step)) + 1e-8
        )
    found: Floats = weights / spread
    return found


def _part(file: str, one: QuestionSet, embedder: BundledEmbedder, limit: int) -> Part:
    reader = _reader(one, embedder)
    asked = [question for question in one.questions if question.evidence]
    drawn = random.Random(1).sample(asked, min(limit, len(asked)))
    return Part(file, one.name, tuple(_rows(question, reader, embedder) for question in drawn))


def _reader(one: QuestionSet, embedder: BundledEmbedder) -> Reader:
    files = []
    for path, lines in (one.documents or {}).items():
        document = Document(path, "memory", "\n".join(lines), "")
        chunks = chunk_document(document, tokens=_TOKENS, overlap=_OVERLAP, model="")
        state = FileState(path, "memory", 0, 0)
        vectors = embedder.embed_batch([chunk.text for chunk in chunks])
        files.append(IndexedChunks(state, chunks, vectors))
    return read_in_memory(files, embedder.embed_batch)


def _rows(question: Question, reader: Reader, embedder: BundledEmbedder) -> Rows:
    asked = prepare(question.text, embedder, [])
    found = candidates.find(asked.terms, asked.vector, reader, None, TUNING)
    made = features.measure(question.text, found, reader, TUNING)
    columns = np.stack([getattr(made, name) for name in COLUMNS], axis=1).astype(np.float64)
    lines, files = reader.passage_lines[found.rows], reader.passage_file[found.rows]
    relevant = np.zeros(len(found.rows), bool)
    for one in question.evidence:
        here = np.array([file.path == one.path for file in reader.files])[files]
        last = one.last or np.iinfo(np.int32).max
        relevant |= here & (lines[:, 0] <= last) & (lines[:, 1] >= one.first)
    ours = columns @ np.array([getattr(TUNING, name) for name in COLUMNS])
    order = np.argsort(-ours, kind="stable")
    kept = np.union1d(order[:_KEPT], np.flatnonzero(relevant))
    return Rows(columns[kept], relevant[kept])


def _firsts(questions: Sequence[Rows], weights: Floats) -> Floats:
    """1 for each question whose best passage holds evidence, else 0."""
    return np.array(
        [
            float(one.relevant[np.argmax(one.features @ weights)])
            for one in questions
            if len(one.relevant)
        ]
    )


def _interval(values: Floats) -> str:
    """The mean in percent, with the interval of 95 % of bootstrap draws."""
    chance = np.random.default_rng(1)
    means = chance.choice(values, (_DRAWS, len(values))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{100 * values.mean():.1f} [{100 * low:.1f}-{100 * high:.1f}]"
