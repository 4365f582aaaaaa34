"""Secrets of many kinds, made up at random, and the sentences people put them in.

Every one is put together from parts when the tests run, so that no file holds anything that looks
like a real key.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
WORD = ALNUM + "_-"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"

Make = Callable[[random.Random], str]


def chars(rng: random.Random, count: int, alphabet: str = ALNUM) -> str:
    """Random characters with at least one digit and no sign at either end."""
    inner = "".join(rng.choice(alphabet) for _ in range(count - 2))
    return (
        rng.choice(string.ascii_letters if alphabet != HEX else "abcdef")
        + inner
        + rng.choice("23456789")
    )


def jwt(rng: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    claims = '{"sub":"' + chars(rng, 12) + '"}'
    return ".".join([part('{"alg":"HS256"}'), part(claims), chars(rng, 43, WORD)])


def private_key(rng: random.Random) -> str:
    kind = rng.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "])
    body = "\n".join(chars(rng, 64, ALNUM + "+/") for _ in range(4))
    dashes = "-" * 5
    return f"{dashes}BEGIN {kind}PRIVATE KEY{dashes}\n{body}\n{dashes}END {kind}PRIVATE KEY{dashes}"


def human(rng: random.Random) -> str:
    words = ["Sommer", "horse", "Blue", "kitten", "Pass", "Berlin", "coffee", "dragon"]
    return (
        rng.choice(words)
        + rng.choice("!#_.")
        + str(rng.randrange(10, 99999))
        + rng.choice(["!", "x", ""])
    )


# Kinds that are told by their own shape.
SHAPED: dict[str, Make] = {
    "openai": lambda r: "sk-" + r.choice(["proj-", "", "svcacct-"]) + chars(r, 48, WORD),
    "anthropic": lambda r: "sk-" + "ant-api03-" + chars(r, 93, WORD),
    "openrouter": lambda r: "sk-" + "or-v1-" + chars(r, 64, HEX),
    "aws id": lambda r: (
        r.choice(["AKIA", "ASIA"])
        + "".join(r.choice(string.ascii_uppercase + "234567") for _ in range(16))
    ),
    "github": lambda r: r.choice(["ghp", "gho", "ghu", "ghs", "ghr"]) + "_" + chars(r, 36),
    "github pat": lambda r: "github" + "_pat_" + chars(r, 22) + "_" + chars(r, 59),
    "gitlab": lambda r: "glpat" + "-" + chars(r, 20, WORD),
    "slack": lambda r: (
        r.choice(["xoxb", "xoxp"])
        + f"-{r.randrange(10**11, 10**12)}-{r.randrange(10**11, 10**12)}-"
        + chars(r, 24)
    ),
    "slack webhook": lambda r: (
        "https://hooks.slack" + f".com/services/T{chars(r, 9)}/B{chars(r, 9)}/" + chars(r, 24)
    ),
    "stripe": lambda r: r.choice(["sk", "rk"]) + "_live_" + chars(r, 24),
    "stripe hook": lambda r: "whsec" + "_" + chars(r, 32),
    "google api": lambda r: "AIza" + chars(r, 35, WORD),
    "google oauth": lambda r: "GOCSPX" + "-" + chars(r, 28, WORD),
    "google token": lambda r: "ya29" + "." + chars(r, 60, WORD),
    "npm": lambda r: "npm" + "_" + chars(r, 36),
    "pypi": lambda r: "pypi" + "-AgEIcHlwaS5vcmc" + chars(r, 80, WORD),
    "hugging face": lambda r: "hf" + "_" + chars(r, 34),
    "sendgrid": lambda r: "SG" + "." + chars(r, 22, WORD) + "." + chars(r, 43, WORD),
    "mailgun": lambda r: "key" + "-" + chars(r, 32, HEX),
    "mailchimp": lambda r: chars(r, 32, HEX) + "-us" + str(r.randrange(1, 22)),
    "twilio": lambda r: r.choice(["SK", "AC"]) + chars(r, 32, HEX),
    "telegram": lambda r: f"{r.randrange(10**8, 10**10)}:AA" + chars(r, 33, WORD),
    "discord": lambda r: "M" + chars(r, 23) + "." + chars(r, 6) + "." + chars(r, 38, WORD),
    "shopify": lambda r: "shpat" + "_" + chars(r, 32, HEX),
    "square": lambda r: "sq0atp" + "-" + chars(r, 22, WORD),
    "digitalocean": lambda r: "dop" + "_v1_" + chars(r, 64, HEX),
    "databricks": lambda r: "dapi" + chars(r, 32, HEX),
    "linear": lambda r: "lin" + "_api_" + chars(r, 40),
    "notion": lambda r: "ntn" + "_" + chars(r, 46),
    "figma": lambda r: "figd" + "_" + chars(r, 40, WORD),
    "airtable": lambda r: "pat" + chars(r, 14) + "." + chars(r, 64, HEX),
    "atlassian": lambda r: "ATATT3" + chars(r, 180, WORD),
    "supabase": lambda r: "sbp" + "_" + chars(r, 40, HEX),
    "doppler": lambda r: "dp.pt" + "." + chars(r, 43),
    "vault": lambda r: "hvs" + "." + chars(r, 90, WORD),
    "docker": lambda r: "dckr" + "_pat_" + chars(r, 27, WORD),
    "grafana": lambda r: "glsa" + "_" + chars(r, 32) + "_" + chars(r, 8, HEX),
    "sentry": lambda r: "sntrys" + "_" + chars(r, 60),
    "groq": lambda r: "gsk" + "_" + chars(r, 52),
    "replicate": lambda r: "r8" + "_" + chars(r, 37),
    "jwt": jwt,
    "private key": private_key,
}

# Kinds that are told by the words around them: a secret and the sentence that gives it away.
TOLD: dict[str, tuple[Make, str]] = {
    "env password": (human, "export DB_PASSWORD={}"),
    "yaml password": (human, "db:\n  user: ann\n  password: {}\n  port: 5432"),
    "json password": (human, '{{"user": "ann", "password": "{}", "port": 5432}}'),
    "spoken password": (human, "The password for the wifi is {}, please keep it."),
    "german password": (human, "Das Passwort lautet: {}"),
    "aws secret": (lambda r: chars(r, 40, ALNUM + "/+"), "aws_secret_access_key = {}"),
    "bearer": (
        lambda r: chars(r, 40, WORD),
        'curl -H "Authorization: Bearer {}" https://api.example.com',
    ),
    "basic": (
        lambda r: base64.b64encode(f"ann:{human(r)}".encode()).decode(),
        "Authorization: Basic {}",
    ),
    "address": (lambda r: chars(r, 14), "postgres://ann:{}@db.example.com:5432/shop"),
    "api key header": (lambda r: chars(r, 32, HEX), "x-api-key: {}"),
    "query": (lambda r: chars(r, 32), "GET /v1/items?access_token={}&page=2"),
    "client secret": (lambda r: chars(r, 32), "client_secret: '{}'"),
}

SENTENCES = (
    "Here it is: {}",
    "{}",
    "use {} for the staging server, not the other one",
    "I set it to `{}` yesterday.",
    "OPENAI = '{}'\nprint('done')",
    "(see {})",
    "first line\n\n{}\n\nlast line",
)


def cut(rng: random.Random, secret: str) -> str:
    """The secret with a line break in its second half, as a terminal or mail makes it."""
    at = rng.randrange(len(secret) // 2, len(secret) - 3)
    return secret[:at] + rng.choice(["\n", "\r\n", "\n  ", " \\\n", "\n> "]) + secret[at:]


def sprinkled(rng: random.Random, secret: str) -> str:
    """The secret with invisible characters in it."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(1, len(secret))
        secret = secret[:at] + rng.choice(ZERO_WIDTH) + secret[at:]
    return secret


def planted(count: int, seed: int = 6) -> list[tuple[str, str, str]]:
    """(kind, secret, text that holds it), each kind about equally often."""
    rng = random.Random(seed)
    kinds = [*SHAPED, *TOLD]
    made = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind in TOLD:
            make, sentence = TOLD[kind]
            secret = make(rng)
            made.append((kind, secret, sentence.format(secret)))
            continue
        secret = SHAPED[kind](rng)
        shown = secret
        if kind != "private key":
            how = rng.randrange(4)
            shown = cut(rng, secret) if how == 0 else sprinkled(rng, secret) if how == 1 else secret
        made.append((kind, secret, rng.choice(SENTENCES).format(shown)))
    return made
