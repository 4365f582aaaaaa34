"""What we compare with: plain FTS5 over the same chunks, as most tools do it.

Any word of the question, stop words out, Porter stemming, ranked by BM25; the result is the chunk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import apsw

from memdown.evaluation.metrics import Found
from memdown.notes.chunks import chunk_document
from memdown.types import Document

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

    def search(self, question: str, count: int) -> list[Found]:
        """The best chunks, whole."""
        words = [word for word in _WORD.findall(question.lower()) if word not in _STOP_WORDS]
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (query, count)
        ).fetchall()
        chunks = [self._chunks[int(row[0])] for row in rows]  # type: ignore[arg-type]
        return [Found(one.path, one.start_line, one.end_line, one.text) for one in chunks]
