"""Plain FTS5 and sqlite-vec in one SQLite file: what one writes in an afternoon."""

from __future__ import annotations

import re
from typing import Any

import apsw
import numpy as np
import sqlite_vec

from bench.peers.driver import Given, Search, fused, run

_CANDIDATES = 24


def fill(given: Given) -> Search:
    """Two tables, filled in one transaction; a question is an OR of its words."""
    db = apsw.Connection(str(given.place / "index.sqlite"))
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    db.execute(f"CREATE VIRTUAL TABLE vectors USING vec0(v float[{given.vectors.shape[1]}])")
    with db:
        db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(given.texts))
        rows = ((number, row.tobytes()) for number, row in enumerate(given.vectors))
        db.executemany("INSERT INTO vectors(rowid, v) VALUES (?, ?)", rows)

    def search(text: str, vector: np.ndarray) -> list[str]:
        query = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text)) or '""'
        by_words: list[Any] = db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (query, _CANDIDATES),
        ).fetchall()
        by_meaning: list[Any] = db.execute(
            "SELECT rowid FROM vectors WHERE v MATCH ? AND k = ? ORDER BY distance",
            (vector.tobytes(), _CANDIDATES),
        ).fetchall()
        best = fused([row[0] for row in by_words], [row[0] for row in by_meaning])
        text_of = "SELECT text FROM words WHERE rowid = ?"
        return [str(db.execute(text_of, (key,)).fetchall()[0][0]) for key in best]

    return search


if __name__ == "__main__":
    run(fill)
