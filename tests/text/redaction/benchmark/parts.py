"""Secrets put together from parts by chance, so that no file here holds one that looks live."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable
from random import Random

Make = Callable[[Random], str]

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
DIGITS = string.digits
ALNUM = string.ascii_letters + DIGITS
URL = ALNUM + "_-"
B64 = ALNUM + "+/"
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DASHES = "-" * 5

_WORDS = (
    "Sommer Regen Kaktus Muelleimer Fahrrad pamplemousse Bretagne tournesol Lavande girasol "
    "Montana Quijote zapato tortuga Cachorro saudade Lisboa Tulipano Gelato Vesuvio stroopwafel "
    "Tulpen Fiets sakura Kumamoto panda Xiaoming Moskva Rodina matreshka Falcon kettle Walrus "
    "harbor biscuit Thunder pickle Marble"
).split()
_SIGNS = "!#$%+_-?"
_SEED_WORDS = (
    "ribbon tunnel velvet whisper orbit maple lemon ladder kitten jungle island hockey guitar "
    "garlic galaxy frozen fossil fabric engine dolphin dragon cactus bridge bamboo autumn anchor "
    "zebra winter wagon violin umbrella turtle tornado timber sunset spider soccer saddle rocket "
    "rabbit puzzle pistol pepper oxygen ostrich orchard noodle monkey mirror medal"
).split()


def chars(rng: Random, count: int, alphabet: str = ALNUM) -> str:
    """Characters of an alphabet, a letter first and a digit in the middle where it has them."""
    text = [rng.choice(alphabet) for _ in range(count)]
    letters = [sign for sign in alphabet if sign.isalpha()]
    digits = [sign for sign in alphabet if sign.isdigit()]
    if letters:
        text[0] = rng.choice(letters)
        text[-1] = rng.choice(letters)
    if digits and letters and count > 4:
        text[count // 2] = rng.choice(digits)
    return "".join(text)


def uuid(rng: Random) -> str:
    return "-".join(chars(rng, n, HEX) for n in (8, 4, 4, 4, 12))


def number(rng: Random, count: int) -> str:
    return str(rng.randrange(10 ** (count - 1), 10**count))


def human(rng: Random) -> str:
    """A password that a person made up or a manager offered."""
    word, other = rng.sample(_WORDS, 2)
    signs = _SIGNS
    how = rng.randrange(5)
    if how == 0:
        return f"{word}{rng.choice(signs)}{rng.randrange(10, 9999)}"
    if how == 1:
        return f"{word}-{other}-{rng.randrange(10, 99)}"
    if how == 2:
        return f"{word}{rng.randrange(1000, 9999)}{rng.choice('!?$')}"
    if how == 3:
        return chars(rng, 6) + rng.choice(signs) + chars(rng, 6)
    return word.lower().replace("a", "4").replace("e", "3") + str(rng.randrange(10, 999))


def plain(rng: Random) -> str:
    """A password of signs that mean nothing in addresses, shells and tables."""
    if rng.randrange(2):
        return f"{rng.choice(_WORDS)}{rng.randrange(100, 9999)}"
    return chars(rng, rng.randrange(10, 18))


def weak(rng: Random) -> str:
    """A password of letters alone, such as people really use."""
    return "".join(rng.sample(_WORDS, 2)).lower()


def pin(rng: Random) -> str:
    """Four to six digits that are no year."""
    return str(rng.choice([rng.randrange(3000, 9999), rng.randrange(300000, 999999)]))


def words(rng: Random) -> str:
    return " ".join(word.lower() for word in rng.sample(_WORDS, rng.randrange(4, 6)))


def seed_phrase(rng: Random) -> str:
    return " ".join(rng.sample(_SEED_WORDS, rng.choice([12, 24])))


def card(rng: Random) -> str:
    """A card number with a right check digit, written as on the card."""
    digits = [int(sign) for sign in rng.choice(["4", "51", "55"])]
    digits += [rng.randrange(10) for _ in range(15 - len(digits))]
    doubled = [d if n % 2 else sum(divmod(2 * d, 10)) for n, d in enumerate(digits)]
    digits.append(-sum(doubled) % 10)
    text = "".join(map(str, digits))
    return rng.choice(["", " ", "-"]).join(text[n : n + 4] for n in range(0, 16, 4))


def jwt(rng: Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    claims = f'{{"sub":"{number(rng, 9)}","exp":{number(rng, 10)}}}'
    return ".".join([part('{"alg":"HS256","typ":"JWT"}'), part(claims), chars(rng, 43, URL)])


def pem(kind: str, lines: int = 6) -> Make:
    def make(rng: Random) -> str:
        body = "\n".join(chars(rng, 64, B64) for _ in range(lines))
        return f"{DASHES}BEGIN {kind}{DASHES}\n{body}\n{DASHES}END {kind}{DASHES}"

    return make


def basic(rng: Random) -> str:
    return base64.b64encode(f"{rng.choice(_WORDS).lower()}:{human(rng)}".encode()).decode()


def in_base64(rng: Random) -> str:
    return base64.b64encode(human(rng).encode()).decode()


def of(prefix: str, count: int, alphabet: str = ALNUM, end: str = "") -> Make:
    """A maker of tokens with a telling beginning."""
    return lambda rng: prefix + chars(rng, count, alphabet) + end


def bare(count: int, alphabet: str = ALNUM) -> Make:
    return of("", count, alphabet)
