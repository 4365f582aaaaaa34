"""What `qmd` prints as JSON → hits; anything that is not a hit of ours is left out or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memdown.backends.qmd.collections import Collection
from memdown.backends.qmd.commands import CommandFailed
from memdown.notes import date_of
from memdown.search.rank import cited
from memdown.types import Hit

_PLACE = re.compile(r"qmd://([^/]+)/(.+)", re.DOTALL)
# The line above a snippet: "@@ -2,4 @@ (1 before, 5 after)".
_SPAN = re.compile(r"@@ -([0-9]{1,9}),([0-9]{1,9}) @@[^\n]*(?:\n|$)")


def read_results(text: str, collections: Sequence[Collection]) -> list[Hit]:
    """The hits in an output of `--json`, best first."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise CommandFailed(f"qmd printed no JSON but {_beginning(text)}") from None
    if not isinstance(items, list):
        raise CommandFailed(f"qmd printed no list of results but {_beginning(text)}")
    by_name = {collection.name: collection for collection in collections}
    return [hit for item in items if (hit := _hit(item, by_name)) is not None]


def within(hits: Sequence[Hit], *, most: int, snippet_chars: int, all_chars: int) -> list[Hit]:
    """The first `most` hits, their snippets cut so that all of them together fit."""
    return list(_cut(hits[:most], snippet_chars, all_chars))


def _cut(hits: Sequence[Hit], snippet_chars: int, left: int) -> Iterator[Hit]:
    for hit in hits:
        if left <= 0:
            return
        snippet = hit.snippet[: min(snippet_chars, left)]
        left -= len(snippet)
        end = min(hit.end_line, hit.start_line + snippet.count("\n"))
        yield cited(
            Hit(
                path=hit.path,
                source=hit.source,
                start_line=hit.start_line,
                end_line=max(hit.start_line, end),
                score=hit.score,
                snippet=snippet,
                relevance=hit.score,
                date=hit.date,
            )
        )


def _hit(item: Any, by_name: dict[str, Collection]) -> Hit | None:
    """One result; None if it is of no collection of ours, such as one someone added by hand."""
    if not isinstance(item, dict):
        raise CommandFailed(f"qmd printed a result that is no object: {_beginning(str(item))}")
    file, snippet, score = item.get("file"), item.get("snippet", ""), item.get("score")
    if not isinstance(file, str) or not isinstance(snippet, str):
        raise CommandFailed("qmd printed a result without a file and a snippet")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise CommandFailed("qmd printed a result without a score")
    place = _PLACE.fullmatch(file)
    collection = by_name.get(place[1]) if place else None
    if place is None or collection is None or ".." in place[2].split("/"):
        return None
    start, snippet = _span(snippet, item.get("line"))
    path = collection.shown(place[2])
    bounded = min(1.0, max(0.0, float(score)))
    if not path.isprintable() or bounded != bounded:
        return None
    end = start + snippet.removesuffix("\n").count("\n")
    return Hit(
        path,
        collection.source,
        start,
        end,
        bounded,
        snippet.removesuffix("\n"),
        relevance=bounded,
        date=date_of(path),
    )


def _span(snippet: str, line: Any) -> tuple[int, str]:
    """The first line of a snippet, and the snippet without the line that tells so."""
    span = _SPAN.match(snippet)
    if span:
        return max(1, int(span[1])), snippet[span.end() :]
    good = isinstance(line, int) and not isinstance(line, bool) and line >= 1
    return (line if good else 1), snippet


def _beginning(text: str) -> str:
    short = " ".join(text.split())[:80]
    return repr(short) if short else "nothing"
