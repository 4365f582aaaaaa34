"""What a row of the tables is: one kind of secret, how it is found, and what proves it.

Every pattern is for RE2: no look-around, no back references, linear time on any text. An example
is written with its random part in braces, so that no file holds anything that looks like a live
key: `{36}` stands for 36 letters and digits, `{36x}` for hex digits, `{36X}` for capitals and
digits, `{36w}` also for `_` and `-`, `{36b}` also for `+` and `/`, `{6d}` for digits. Where only a
part of an example is secret, that part stands in `«»`. The tests make texts of the examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memdown.text.redaction.values import anything, has_digit

_OPEN_END = re.compile(r"\{(\d+),\}")
# Before a token: anything but a letter or digit. `\b` would not do, since it takes `_` for a letter.
BEFORE = "(?:^|[^A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret.

    `pattern` has the secret in its only group; `hint` is some part near the start of every match,
    of bounded length, so that most texts are passed over after one look; `check` is asked about what matched. `word`
    means that no letter or digit may stand before the hint. `body` is the pattern of a key alone,
    and `cut` the hint for one that goes on in the next line.
    """

    name: str
    hint: str
    pattern: str
    examples: tuple[str, ...]
    others: tuple[str, ...] = ()
    check: Callable[[str], bool] = anything
    word: bool = False
    body: str = ""
    cut: str = ""


def token(
    name: str,
    start: str,
    rest: str,
    *examples: str,
    others: tuple[str, ...] = (),
    word: bool = True,
    check: Callable[[str], bool] = has_digit,
    hint: str = "",
    cut: str | None = None,
) -> Kind:
    """A key that is told by how it starts.

    `word` is for starts that also end ordinary words; a start that many texts hold needs a `hint`
    that few do. `cut` is the hint for a key that a line break cuts in two; "" looks for none, where
    the words of two lines often make one.
    """
    body = f"(?:{start})(?:{rest})"
    pattern = f"{BEFORE}({body})" if word else f"({body})"
    hint = hint or _OPEN_END.sub(r"{\1}", start)
    cut = hint if cut is None else cut
    return Kind(name, hint, pattern, examples, others, check, word, body, cut)


def shape(
    name: str,
    hint: str,
    pattern: str,
    *examples: str,
    others: tuple[str, ...] = (),
    check: Callable[[str], bool] = anything,
) -> Kind:
    """A secret that is told by the text around it; the secret is the pattern's only group."""
    return Kind(name, f"(?i:{hint})", pattern, examples, others, check)


def command(
    name: str,
    hint: str,
    pattern: str,
    *examples: str,
    others: tuple[str, ...] = (),
    check: Callable[[str], bool] = anything,
) -> Kind:
    """A secret on the command line of a program, with whose name hint and pattern begin."""
    return Kind(name, f"(?i:{hint})", f"{BEFORE}(?i:{pattern})", examples, others, check, True)
