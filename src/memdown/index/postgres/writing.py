"""Files into a generation and out of it: their rows, their chunks, posting lists and counts in step."""

from __future__ import annotations

from collections.abc import Sequence

from memdown.files import reach
from memdown.index.packing import file_keys
from memdown.index.postgres import lists, postings
from memdown.index.postgres.chunk_rows import Row, delete_from, insert, read_rows, rows_of
from memdown.index.postgres.connection import Place, run
from memdown.index.postgres.file_rows import file_number, note_passages, read_state, write_file
from memdown.index.postgres.generations import note_removal
from memdown.index.postgres.postings import KeyedTerms
from memdown.types import IndexedFile


def replace_files(
    place: Place, files: Sequence[IndexedFile], key: int | None, revision: int, point: str
) -> None:
    """Store files' chunks after those they keep, or one file's under the numbers from `key` on."""
    gone: dict[int, list[KeyedTerms]] = {}
    new: dict[int, list[KeyedTerms]] = {}
    chunks = 0
    for file in files:
        number, first = write_file(place, file.state, revision)
        start = key
        if start is None:
            kept = sum(len(chunk.passages) for chunk in file.chunks[: file.keep])
            start = file_keys(number).start + kept
        removed = delete_from(place, range(start, file_keys(number).stop))
        rows = rows_of(start, file)
        insert(place, rows)
        gone.setdefault(first, []).extend(term for row in removed for term in row.terms)
        new.setdefault(first, []).extend(term for row in rows for term in row.terms)
        count = start - file_keys(number).start + sum(len(row.terms) for row in rows)
        note_passages(place, number, count)
        chunks += len(rows) - len(removed)
        reach(point)
    lists.note_changed(place, postings.change(place, gone, new))
    _count(place, chunks, gone, new)


def copy_files(old: Place, new: Place, paths: Sequence[str], revision: int) -> None:
    """Take over files of another generation that was made in the same way."""
    for path in paths:
        state = read_state(old, path)
        number = file_number(old, path)
        if state is None or number is None:
            continue
        keys = file_keys(number)
        id_, first = write_file(new, state, revision)
        shift = file_keys(id_).start - keys.start
        rows = [
            Row(
                (row.columns[0] + shift, *row.columns[1:]),  # type: ignore[operator]
                [KeyedTerms(one.key + shift, one.terms) for one in row.terms],
                row.embedding,
                row.passage_vectors,
            )
            for row in read_rows(old, keys)
        ]
        insert(new, rows)
        terms = {first: [term for row in rows for term in row.terms]}
        postings.change(new, {}, terms)
        _count(new, len(rows), {}, terms)
        note_passages(new, id_, len(terms[first]))


def remove_file(place: Place, path: str) -> None:
    """Forget a file and everything of it."""
    rows = run(
        place.db,
        place.sql("SELECT id, block FROM {files} WHERE generation = %s AND path = %s"),
        (place.generation, path),
    )
    for number, first in rows:
        removed = delete_from(place, file_keys(number))
        gone = {first: [term for row in removed for term in row.terms]}
        lists.note_changed(place, postings.change(place, gone, {}))
        _count(place, -len(removed), gone, {})
        run(
            place.db,
            place.sql("DELETE FROM {files} WHERE generation = %s AND id = %s"),
            (place.generation, number),
        )
        note_removal(place, path)


def _count(
    place: Place,
    chunks: int,
    gone: dict[int, list[KeyedTerms]],
    new: dict[int, list[KeyedTerms]],
) -> None:
    """Keep the counts of a generation in step."""
    passages = tokens = 0
    for sign, files in ((-1, gone), (1, new)):
        for terms in files.values():
            passages += sign * len(terms)
            tokens += sign * sum(one.terms.length for one in terms)
    run(
        place.db,
        place.sql(
            "UPDATE {s}.generations SET chunks = chunks + %s, passages = passages + %s, "
            "tokens = tokens + %s WHERE generation = %s"
        ),
        (chunks, passages, tokens, place.generation),
    )
