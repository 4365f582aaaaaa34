"""Texts made of the tables' examples: their random parts filled in, their secrets marked."""

from __future__ import annotations

import random
import re
import string
from dataclasses import dataclass

_ALPHABETS = {
    "": string.ascii_letters + string.digits,
    "x": "0123456789abcdef",
    "X": string.ascii_uppercase + string.digits,
    "y": string.ascii_lowercase + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "B": string.ascii_uppercase + "234567",
    "z": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "d": string.digits,
}
_PART = re.compile(r"\{(\d+)([xXywbBzd]?)\}")


@dataclass(frozen=True, slots=True)
class Made:
    """A text and the secrets in it."""

    text: str
    secrets: tuple[str, ...]


def made(example: str, seed: int = 0) -> Made:
    """An example with its random parts filled in; all of it is secret if nothing is marked."""
    rng = random.Random(f"{example}{seed}")
    text = _PART.sub(lambda part: _filled(rng, int(part[1]), part[2]), example)
    secrets = tuple(re.findall("«(.*?)»", text, re.DOTALL)) or (text,)
    return Made(text.replace("«", "").replace("»", ""), secrets)


def _filled(rng: random.Random, length: int, alphabet: str) -> str:
    """Random letters that surely hold a digit and a letter, and no sign at either end."""
    letters = _ALPHABETS[alphabet]
    plain = [letter for letter in letters if letter.isalnum()]
    chosen = [rng.choice(letters) for _ in range(length)]
    chosen[0] = rng.choice([one for one in plain if one != "0"])
    chosen[-1] = rng.choice(plain)
    if length > 3 and alphabet != "d":
        chosen[1] = rng.choice([one for one in plain if one.isdigit()])
        chosen[2] = rng.choice([one for one in plain if one.isalpha()])
    return "".join(chosen)
