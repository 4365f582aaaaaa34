"""Named ways to search, so that they can be compared side by side; among them plain FTS5, as most tools do it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw

from memdown.config import Settings
from memdown.errors import ConfigError
from memdown.evaluation.metrics import ShownResult
from memdown.notes.chunks import chunk_document
from memdown.types import Document

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
