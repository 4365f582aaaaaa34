"""Whose words a line of the daily log holds, and what of a message are its writer's own words.

Every line of a digest ends with who said it: `(you)`, `(assistant)`, `(assistant, after reading the
web)`, `(tools)`. Only a person's words are given to an agent unasked; the rest can be searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memdown.text.frames import one_line

YOU = "(you)"
ASSISTANT = "(assistant)"
AFTER_TOOLS = "(assistant, after using tools)"
AFTER_WEB = "(assistant, after reading the web)"
TOOLS = "(tools)"
ASKED, NOTED, FILES, ANSWER = "Asked", "Noted", "Files changed", "Last answer"
LABELS = (ASKED, NOTED, FILES, ANSWER)

_DIGEST = re.compile(r"## Conversation .*\(session [^()]*\)\s*$")
_LABEL = re.compile(r"- (" + "|".join(LABELS) + r"):(.*)$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BLOCK_START, _BLOCK_END = (
    re.compile(r"\s*<[a-zA-Z][^<>]*>\s*$"),
    re.compile(r"\s*</[a-zA-Z][^<>]*>\s*$"),
)
_QUOTED_LINE = re.compile(r"\s*(?:>|\|)")
_QUOTATION = re.compile(r"[\"“”«„「『‘][^\"“”«»„「」『』\n]{20,}[\"“”»」』]")
_LONGEST_MESSAGE = 3000
_MOST_LINES = 40


def heading(when: str, session_id: str, project: str = "") -> str:
    """The line a digest begins with: when, in which project, which session."""
    place = f"in {one_line(project)[:60]} " if project else ""
    return f"## Conversation {when}{place}(session {session_id[:8]})".replace("  ", " ")


def persons_lines(lines: Sequence[str]) -> tuple[list[tuple[int, str]], int]:
    """The numbered lines of a log (from 1) without what no person wrote into its digests.

    Also how many lines were left out. Digests of older versions name nobody: of these only the
    requests are kept.
    """
    kept: list[tuple[int, str]] = []
    left_out = 0
    label = ""
    inside = False
    for number, line in enumerate(lines, start=1):
        if _DIGEST.match(line):
            inside, label = True, ""
        elif inside:
            match = _LABEL.match(line)
            next_label = match[1] if match else label if line.startswith("  - ") else ""
            # Labels come in one order; anything else was written by someone else below.
            inside = bool(next_label) and (
                not label or LABELS.index(next_label) >= LABELS.index(label)
            )
            label = next_label if inside else ""
        if inside and label and not _is_a_persons(line, label):
            left_out += 1
        else:
            kept.append((number, line))
    return _without_empty_labels(kept), left_out


def _is_a_persons(line: str, label: str) -> bool:
    ends = line.rstrip()
    if ends == f"- {label}:":
        return True
    return label == ASKED or ends.endswith(YOU)


def _without_empty_labels(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    bare = {f"- {label}:" for label in LABELS}
    return [
        (number, line)
        for at, (number, line) in enumerate(lines)
        if line.rstrip() not in bare
        or (at + 1 < len(lines) and lines[at + 1][1].startswith("  - "))
    ]


def own_words(text: str) -> str:
    """What the writer of a message said, without code, quotations and what was pasted into it."""
    if len(text) > _LONGEST_MESSAGE or text.count("\n") > _MOST_LINES:
        # What follows the first paragraph of so long a message is a page, a log or a file.
        text = text.strip().split("\n\n", 1)[0][:_LONGEST_MESSAGE]
    return _QUOTATION.sub(" […] ", "\n".join(_unquoted(text.split("\n"))))


def _unquoted(lines: Iterable[str]) -> Iterable[str]:
    fenced = blocked = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            yield " [code] "
        elif fenced:
            continue
        elif _BLOCK_START.match(line):
            blocked = True
        elif _BLOCK_END.match(line):
            blocked = False
        elif not blocked and not _QUOTED_LINE.match(line):
            yield line
