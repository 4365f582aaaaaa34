"""The planted secrets as conversations: what is said, what must go and what must stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from text.redaction.benchmark.parts import Make
from text.redaction.benchmark.spoken import SPOKEN
from text.redaction.benchmark.technical import TECHNICAL
from text.redaction.benchmark.vendors import CONTEXTS, SHAPED

_CONTEXTS_OF_A_KIND = 4
_KEPT = re.compile(r"⟦(.*?)⟧", re.DOTALL)
_INVISIBLE = re.compile("[\\s>|`\u200b\u200c\u200d\u2060\ufeff\u00ad]|\\x1b\\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation with a secret in it; the user speaks first, then they take turns."""

    name: str
    kind: str
    language: str
    turns: tuple[str, ...]
    secret: str
    kept: tuple[str, ...]

    def leaked(self, said: str) -> bool:
        """Whether the secret, or a telling part of a long one, is left in what is shown."""
        shown = _bare(said)
        return any(part in shown for part in _telling(self.secret))

    def lost(self, said: str) -> list[str]:
        """What had to stay and is gone."""
        shown = _bare(said)
        return [text for text in self.kept if _bare(text) not in shown]


def _bare(text: str) -> str:
    return _INVISIBLE.sub("", text)


def _telling(secret: str) -> Iterator[str]:
    """The stretches of a secret of which none may be left: of each long line, over half."""
    for line in re.split(r"\n|\\n", secret):
        whole = _bare(line)
        if not whole or whole.startswith("-----"):
            continue
        size = len(whole) if len(whole) < 16 else len(whole) * 6 // 10
        yield from (whole[at : at + size] for at in range(len(whole) - size + 1))


def cases() -> list[Case]:
    """Every planted secret; the same ones each time."""
    made: list[Case] = []
    for number, (kind, (setting, make)) in enumerate(SHAPED.items()):
        # Each kind gets the next few contexts, so that every context is used about as often.
        first = number * _CONTEXTS_OF_A_KIND
        for n in range(first, first + _CONTEXTS_OF_A_KIND):
            context = CONTEXTS[n * 7 % len(CONTEXTS)]
            made.append(_case(kind, make, context.replace("¤", setting), n - first))
    for kind, (make, contexts) in (SPOKEN | TECHNICAL).items():
        made += [_case(kind, make, context, n) for n, context in enumerate(contexts)]
    return made


def _case(kind: str, make: Make, context: str, number: int) -> Case:
    language, _, text = context.partition("|")
    name = f"{kind} {number} ({language})"
    secret = make(Random(name))
    kept = tuple(_KEPT.findall(text))
    if "§" in "".join(kept):
        raise ValueError(f"{name}: what must stay holds the secret")
    shown = _KEPT.sub(r"\1", text)
    return Case(
        name,
        kind,
        language,
        tuple(turn.replace("§", secret) for turn in shown.split("\n~~~\n")),
        secret,
        kept,
    )
