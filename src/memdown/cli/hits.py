"""An answer for people: of each hit the lines that answer; with `--explain`, why they stand where they do."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Collection
from typing import Any

import click

from memdown.cli.browsing import place_text
from memdown.cli.terminal import style, terminal_columns
from memdown.types import Answer, Explanation, Hit, Why
from memdown.values import dataclass, pattern

_SCREEN_ROWS = 20
_MOST_ROWS = 8
_LEAST_ROWS = 2
_LINE_ROWS = 3
# What is not printed to a terminal does not depend on one.
_WIDTH = 100
_LEAST_WIDTH = 40
_HEADING = pattern(r" {0,3}#{1,6}[ \t]|[-:|][-:| \t]*$")
_INDENT = 3
# The indent and a number of four digits.
_MARGIN = _INDENT + 6


@dataclass(frozen=True, slots=True, order=True)
class ShownLine:
    """A line of a snippet: its index there, its text, and how many of the words it holds."""

    index: int
    text: str
    matches: int


def answer_json(answer: Answer, *, citations: bool) -> dict[str, Any]:
    """An answer for programs: the tools' shape, and what else is known of each hit.

    The place stands in fields of its own, so the snippet is the note's text alone.
    """
    from memdown.agent import answers

    data = answers.answer_json(answer, citations=False)
    for result, hit in zip(data["results"], answer.hits, strict=True):
        if citations:
            result["citation"] = hit.citation or answers.citation_of(hit)
        result["heading"] = hit.heading
        result["date"] = hit.date.isoformat() if hit.date else None
        result["was"] = hit.was
        result["matched"] = list(hit.matched)
    return data


def print_answer(answer: Answer, *, full: bool = False, citations: bool = True) -> None:
    """Every hit with its place and the lines that answer, or all its lines; then the reasons.

    Without `citations` no place is named: neither path nor line numbers.
    """
    columns = terminal_columns() if sys.stdout.isatty() else _WIDTH
    width = max(columns, _LEAST_WIDTH)
    for number, hit in enumerate(answer.hits, start=1):
        rows = _rows(number, len(answer.hits))
        lines = _lines(hit) if full else _that_answer(_lines(hit), rows, width - _MARGIN)
        click.echo(_title(number, hit, lines, width, citations))
        if full:
            _print_whole(hit, last=number == len(answer.hits))
        else:
            _print_lines(hit, lines, width, min(rows, _LINE_ROWS), citations)
    if not answer.hits:
        click.echo("Nothing found.", err=True)
    for reason in answer.reasons:
        click.echo(f"  {reason}", err=True)


def best_line(hit: Hit) -> int:
    """The number of the line that answers best."""
    chosen = _that_answer(_lines(hit), 1, _WIDTH)
    return hit.start_line + (chosen[0].index if chosen and _is_numbered(hit) else 0)


def _print_whole(hit: Hit, *, last: bool) -> None:
    for line in hit.snippet.split("\n"):
        click.echo(f"{'':<{_INDENT}}{highlighted(line, hit.matched)}".rstrip())
    if not last:
        click.echo()


def _print_lines(hit: Hit, lines: list[ShownLine], width: int, most: int, citations: bool) -> None:
    """The lines, each in `most` rows, with their numbers, which tell where some were left out."""
    numbered = citations and _is_numbered(hit)
    numbers = [str(hit.start_line + line.index) if numbered else "" for line in lines]
    gutter = max(map(len, numbers), default=0)
    indent = _INDENT + (gutter + 2 if gutter else 0)
    for number, line in zip(numbers, lines, strict=True):
        label = style(f"{number:>{gutter}}", "dim") + "  " if gutter else ""
        for row in _shown(line.text, hit.matched, width - indent, most):
            click.echo(f"{'':<{_INDENT}}{label}{highlighted(row, hit.matched)}".rstrip())
            label = " " * (indent - _INDENT)


def _is_numbered(hit: Hit) -> bool:
    """Whether the lines of the snippet follow each other in the file; those of a transcript may not."""
    return hit.snippet.count("\n") == hit.end_line - hit.start_line


def highlighted(text: str, matched: Collection[str]) -> str:
    """The text with the words that matched made to stand out."""
    from memdown.text import match_spans

    parts: list[str] = []
    end = 0
    for start, stop in match_spans(text, matched):
        parts += [text[end:start], style(text[start:stop], "yellow", "bold")]
        end = stop
    return "".join([*parts, text[end:]])


def _title(number: int, hit: Hit, lines: list[ShownLine], width: int, citations: bool) -> str:
    """Number, place, score, heading and date, in one row."""
    first, last = hit.start_line, hit.end_line
    if lines and _is_numbered(hit):
        first, last = hit.start_line + lines[0].index, hit.start_line + lines[-1].index
    place = place_text(hit.path, first, last) if citations else ""
    score = f"{hit.score:.2f}" + (" weak" if hit.strength == "weak" else "")
    date = str(hit.date) if hit.date and str(hit.date) not in place else ""
    if hit.was:
        date = f"{date}   no longer true".lstrip()
    used = _cells(f"{number}. {place}   {score}") + (3 + len(date) if date else 0)
    heading = _cut(hit.heading, max(width - used - 3, 12))
    parts = [style(place, "cyan", "bold"), style(score, "dim"), heading, style(date, "dim")]
    return f"{number}. " + "   ".join(part for part in parts if part)


def _rows(number: int, hits: int) -> int:
    """How many rows a hit may take below its title; the first takes what the others leave."""
    share = min(max((_SCREEN_ROWS - hits) // hits, _LEAST_ROWS), _MOST_ROWS - 2)
    rest = _SCREEN_ROWS - hits - share * (hits - 1)
    return min(max(rest, share), _MOST_ROWS) if number == 1 else share


def _lines(hit: Hit) -> list[ShownLine]:
    from memdown.text import distinct_terms

    matched = frozenset(hit.matched)
    return [
        ShownLine(index, text, len(matched & distinct_terms(text)))
        for index, text in enumerate(hit.snippet.split("\n"))
    ]


def _that_answer(lines: list[ShownLine], rows: int, width: int) -> list[ShownLine]:
    """The line with most of the words, the others with some, and one line around the first.

    Headings come last: the title names them already.
    """
    filled = [line for line in lines if line.text.strip()]
    prose = [line for line in filled if not _HEADING.match(line.text)] or filled
    if not prose:
        return []
    best = max(prose, key=lambda line: line.matches)
    place = prose.index(best)
    # A blank line may stand between neighbours, but no heading.
    beside = prose[max(place - 1, 0) : place + 2]
    around = [one for one in beside if abs(one.index - best.index) <= 2]
    if not best.matches:
        around = prose[place + 1 :]
    others = sorted((one for one in prose if one.matches), key=lambda one: -one.matches)
    chosen: list[ShownLine] = []
    for line in dict.fromkeys([best, *others, *around]):
        needed = min(-(-_cells(line.text) // width), _LINE_ROWS)
        if not chosen:
            rows -= min(needed, rows)
        elif needed <= rows:
            rows -= needed
        else:
            continue
        chosen.append(line)
    return sorted(chosen)


def _shown(text: str, matched: Collection[str], width: int, most: int) -> list[str]:
    """A line as rows of a terminal, a long one cut around its matches; elsewhere as one row."""
    # Rows end where a word does, some letters early.
    text = _around_match(text.strip().expandtabs(4), matched, most * (width - 6))
    return _wrapped(text, width) if sys.stdout.isatty() else [text]


def _around_match(text: str, matched: Collection[str], cells: int) -> str:
    """The part of a text that holds most of its matches; the text if it is short enough."""
    from memdown.text import match_spans

    if _cells(text) <= cells:
        return text
    spans = match_spans(text, matched) or [(0, 0)]
    start = 0
    most = -1
    for first, _ in spans:
        inside = sum(first <= other < first + cells // 2 for other, _ in spans)
        if inside > most:
            start, most = first, inside
    start = max(0, start - cells // 4)
    # A word is not cut in two, where there are spaces.
    space = text.find(" ", start, start + 20)
    start = space + 1 if start and space >= 0 else start
    return ("… " if start else "") + _cut(text[start:], cells - 2)


def _cut(text: str, cells: int) -> str:
    """The text, or its beginning with an ellipsis."""
    if _cells(text) <= cells:
        return text
    end = used = 0
    while used + _cell(text[end]) <= cells - 2:
        used += _cell(text[end])
        end += 1
    space = text.rfind(" ", max(0, end - 20), end)
    return text[: space if space > 0 else end].rstrip() + " …"


def _wrapped(text: str, width: int) -> list[str]:
    rows: list[str] = []
    while _cells(text) > width:
        end = used = 0
        while used + _cell(text[end]) <= width:
            used += _cell(text[end])
            end += 1
        space = text.rfind(" ", 1, end + 1)
        end = space if space > 0 else max(end, 1)
        rows.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*rows, text]


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 1


_ABOUT = {
    "fusion": "words and meaning",
    "coverage": "how many of the words",
    "closeness": "the meaning of the passage itself",
    "time": "time",
    "repeats": "repeats stepped back",
    "reranking": "reranker",
    "diversity": "variety",
    "sources": "notes and transcripts in turn",
}


def explain_json(answer: Answer) -> dict[str, Any] | None:
    """How an answer came about, for programs; the hits in the order of the results."""
    explanation = answer.explanation
    if explanation is None:
        return None
    return {
        "words": list(explanation.words),
        "phrases": [list(phrase) for phrase in explanation.phrases],
        "exact": list(explanation.exact),
        "period": [day.isoformat() for day in explanation.period] if explanation.period else None,
        "minScore": explanation.min_score,
        "candidates": explanation.candidates,
        "hits": [_hit_json(hit) for hit in answer.hits],
        "below": [
            {
                "path": hit.path,
                "startLine": hit.start_line,
                "endLine": hit.end_line,
                "score": round(hit.relevance, 4),
            }
            for hit in explanation.below
        ],
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "strength": hit.strength,
        "matched": list(hit.matched),
        "textScore": round(hit.text_score, 4),
        "vectorScore": round(hit.vector_score, 4),
        "relevance": round(hit.relevance, 4),
        "recency": round(hit.recency, 4),
        "date": hit.date.isoformat() if hit.date else None,
    }
    if hit.why:
        data |= {
            "weights": {"text": hit.why.text_weight, "vector": hit.why.vector_weight},
            "byText": round(hit.why.by_text, 4),
            "byVector": round(hit.why.by_vector, 4),
            "confidence": round(hit.why.confidence, 4),
            "timely": hit.why.timely,
            "ranks": [{"step": move.step, "rank": move.rank} for move in hit.why.moves],
        }
    return data


def print_explanation(answer: Answer) -> None:
    """What was looked for, how each hit got its place, and what was just below the bar."""
    explanation = answer.explanation
    if explanation is None:
        return
    click.echo("\nWhy:")
    for line in _asked(explanation):
        click.echo(f"  {line}")
    for number, hit in enumerate(answer.hits, start=1):
        click.echo(f"\n  {number}. {hit.citation or hit.path}")
        for line in _reasons(hit):
            click.echo(f"     {line}")
    if explanation.below:
        click.echo("\n  Left out:")
        for hit in explanation.below:
            click.echo(f"     {hit.relevance:.2f}  {hit.citation}")


def _asked(explanation: Explanation) -> list[str]:
    lines = [f"words: {', '.join(explanation.words) or 'none'}"]
    if explanation.phrases:
        lines.append(f"phrases: {', '.join(' '.join(phrase) for phrase in explanation.phrases)}")
    if explanation.exact:
        lines.append(f"identifiers, found whatever the score: {', '.join(explanation.exact)}")
    if explanation.period:
        first, last = explanation.period
        lines.append(f"time: {first}" if first == last else f"time: {first} to {last}")
    lines.append(f"places looked at closely: {explanation.candidates}")
    return lines


def _reasons(hit: Hit) -> list[str]:
    lines = [f"matched: {', '.join(hit.matched) or 'no word'}"]
    if hit.why is None:
        return lines
    why = hit.why
    words = (
        f"words {hit.text_score:.2f}, {why.by_text:.0%} of the best, weight {why.text_weight:.2f}"
    )
    meaning = (
        f"meaning {hit.vector_score:.2f}, {why.by_vector:.0%} of the best, "
        f"weight {why.vector_weight:.2f}"
    )
    lines += [words, meaning, f"sure that the notes answer this: {why.confidence:.2f}"]
    lines.append(_time(hit, why))
    steps = [f"{_ABOUT.get(move.step, move.step)} {move.rank}" for move in why.moves]
    lines.append(f"rank after each step: {', '.join(steps)}")
    return lines


def _time(hit: Hit, why: Why) -> str:
    if why.timely is not None:
        fits = "of the time asked for" if why.timely else "not of the time asked for"
        return f"{fits}: × {hit.recency:.2f}"
    day = f"from {hit.date}" if hit.date else "undated"
    return f"{day}: × {hit.recency:.2f}"
