"""Secrets go, everything else stays, and no text takes more than linear time."""

from __future__ import annotations

import random
import re
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.text.redaction import find_secrets, redact
from memdown.text.redaction.finding import KINDS
from memdown.text.redaction.kinds import Kind
from text.redaction.making import made
from text.redaction.planted import SHAPED, TOLD, cut, planted, sprinkled

EXAMPLES = Path(__file__).parents[3] / "examples" / "workspace"


def leaks(text: str, secret: str) -> bool:
    """Whether a telling part of the secret is left, also if something was put inside it."""
    bare = re.sub(r"[^!-~]|[\s>\\|]", "", text)
    parts = [line for line in re.split(r"\s", secret) if len(line) > 8 and "----" not in line]
    return any(part[-8:] in bare or part[: len(part) // 2][-8:] in bare for part in parts)


def test_a_thousand_secrets_of_more_than_forty_kinds() -> None:
    made = planted(1000)
    assert len({kind for kind, _, _ in made}) >= 40
    found = [(kind, secret, text) for kind, secret, text in made if leaks(redact(text), secret)]
    assert found == []


@pytest.mark.parametrize("kind", [*SHAPED, *TOLD])
def test_every_kind_goes_and_the_words_around_it_stay(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(20):
        if kind in TOLD:
            make, sentence = TOLD[kind]
            secret = make(rng)
            text = f"Before. {sentence.format(secret)} After."
        else:
            secret = SHAPED[kind](rng)
            text = f"Before the key {secret} after the key."
        shown = redact(text)
        assert secret not in shown
        assert shown.startswith("Before")
        assert "fter" in shown
        assert "[redacted: " in shown


@pytest.mark.parametrize("kind", sorted(set(SHAPED) - {"private key"}))
def test_line_breaks_and_invisible_characters_hide_nothing(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(10):
        secret = SHAPED[kind](rng)
        for shown in (cut(rng, secret), sprinkled(rng, secret), sprinkled(rng, cut(rng, secret))):
            assert not leaks(redact(f"the key\n{shown}\nis new"), secret)


def test_the_line_after_a_key_stays() -> None:
    key = "ghp" + "_" + "a1B2" * 9
    assert (
        redact(f"use {key}\nThanks for waiting")
        == "use [redacted: GitHub token]\nThanks for waiting"
    )


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "password: required",
        "password = input('Password: ')",
        "token = get_token()",
        "max_tokens = 4096, token count: 12000",
        "apiKey: process.env.OPENAI_API_KEY",
        "OPENAI_API_KEY=${OPENAI_API_KEY}",
        "The secret of good bread is time.",
        "Reset your password under Settings > Security.",
        "Tokens: the lexer yields one token at a time.",
        "commit a828e60f1b6f0c1f3b7e9f5f0c7b8d9e0a1b2c3d",
        "see https://example.com/docs/authentication?page=2",
        "call me at 10:30, room 4-121",
        "ssh ann@server.example.com",
        "class sk-folding-cube-inner-wrapper",
        "npm_config_registry is set",
        "Our basic idea: keep it simple.",
        "a cookie recipe: flour, sugar, butter",
        "die Passwort-Regeln: mindestens zehn Zeichen",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_the_example_notes_hold_no_secret() -> None:
    """People's notes are full of names, numbers and paths; none of them may be taken for a key."""
    texts = [path.read_text("utf-8") for path in sorted(EXAMPLES.rglob("*.md"))]
    assert texts
    assert [text[one.start : one.end] for text in texts for one in find_secrets(text)] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("密码是abc12345", "password"),
        ("パスワードは hunter22x です", "password"),
        ("비밀번호: qwerty99", "password"),
        ("Пароль: Zima2024!", "password"),
        ("mot de passe : Soleil42", "password"),
        ("my PIN is 4821", "PIN"),
        ("Set-Cookie: session=abc123def456; Path=/", "cookie"),
        ("machine example.com login ann password t0psecret", "password"),
    ],
)
def test_passwords_in_many_languages_and_places(text: str, kind: str) -> None:
    (secret,) = find_secrets(text)
    assert secret.kind == kind


def test_a_private_key_that_is_cut_off_goes_as_far_as_it_is_there() -> None:
    dashes = "-" * 5
    body = "\n".join(["MIIEowIBAAKCAQEA" + "Ab1+" * 12] * 3)
    assert redact(f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{body}") == "[redacted: private key]"
    assert "MIIE" not in redact(f"{body}\n{dashes}END RSA PRIVATE KEY{dashes}\nbye")


def test_places_are_counted_in_characters() -> None:
    text = "Grüße 🎉 password = hunter2 ende"
    (secret,) = find_secrets(text)
    assert text[secret.start : secret.end] == "hunter2"


@given(st.text(max_size=300))
def test_any_text_can_be_redacted_and_plain_letters_stay(text: str) -> None:
    shown = redact(text)
    assert redact(shown) == shown or "[redacted" in shown
    if all(character in string.ascii_lowercase + " \n" for character in text):
        assert shown == text


HOSTILE = {
    "blanks": " ",
    "newlines": "\n",
    "passwords": "password ",
    "assignments": "password=",
    "labels": "**Password:** ",
    "open labels": "pass: '",
    "questions": "password? ",
    "prompts": "password:\n",
    "headings": "password\n\n",
    "tables": "| password | x |\n",
    "csv": "user,password\n",
    "columns": "| a | password |\n|---|---|\n",
    "tags": "<password>",
    "fields": 'password" value="',
    "seeds": "seed phrase: ",
    "words": "legal winner thank ",
    "lines of words": "legal winner thank year wave sausage worth useful legal winner thank yellow\n",
    "codes": "recovery codes: a1b2-c3d4 ",
    "pins": "pin 1 ",
    "digits": "4111 1111 ",
    "long digits": "4",
    "begins": "-----BEGIN RSA PRIVATE KEY-----\n",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n",
    "long base64": "QUJDREVGR0hJSktMTU5PUFFS",
    "addresses": "a://b:c",
    "addresses with at": "a://b:c@",
    "queries": "?token=abc",
    "keys": "sk-",
    "key starts": "ghp_",
    "cut keys": "ghp_a1B2c3D4\n",
    "dots": "eyJhbGciOi.",
    "jwts": "eyJ",
    "bearer": "bearer ",
    "cookies": "cookie: a=",
    "curls": "curl -u a ",
    "mysqls": "mysql -p",
    "echos": "echo a | ",
    "options": "--password ",
    "invisible": "\u200b",
    "colours": "\x1b[31m",
    "half colours": "\x1b]",
    "escapes": "\\n",
    "quotes": "token: '",
    "chinese": "密码",
    "secrets": "password: Xk9!fooBar7\n",
    "other secrets": "".join(f"password: Xk9!foo{n}x7\n" for n in range(40)),
}


def work(text: str) -> float:
    """Seconds of the processor for one text."""
    start = time.process_time()
    redact(text)
    return time.process_time() - start


def keeps_up(small: str, large: str, times: int, beside: float = 0.0125) -> bool:
    """Whether a text takes at most so many times as long as another, and some seconds beside.

    A busy machine may err twice.
    """
    return any(work(large) < times * work(small) + beside for _ in range(3))


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(name: str) -> None:
    """Four times the text in at most about four times the time; a square would take sixteen."""
    part = HOSTILE[name]
    small, large = (part * (size // len(part)) for size in (5_000, 20_000))
    assert keeps_up(small, large, 10)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name} {kind.hint}"[:50])
def test_hints_are_of_bounded_length(kind: Kind) -> None:
    """They are looked for at every place, so one without an end would take the square of a text."""
    bare = re.sub(r"\[(?:\\.|[^\]])*\]", "C", re.sub(r"\\[+*.|$?]", "L", kind.hint))
    assert re.search(r"[*+]|\{\d+,\}", bare) is None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name} {kind.hint}"[:50])
def test_no_row_is_slow_on_what_looks_like_its_secret(kind: Kind) -> None:
    """Whoever adds a row need not know which patterns are dear: this tells."""
    one = made(kind.examples[0]).text
    for part in (one, one[: len(one) // 2]):
        small, large = (part * (1 + size // len(part)) for size in (1_000, 4_000))
        assert keeps_up(small, large, 10)


@pytest.mark.parametrize(
    "value",
    ["ab" * 40 + "1", "aB" * 40 + "!", "a_" * 60 + "1", "a." * 60 + "(", "<" * 200, "a/" * 90],
)
def test_a_strange_value_takes_no_time(value: str) -> None:
    """Eighty letters behind `password=` once took longer than anyone would wait."""
    assert keeps_up("password=", f"password={value}", 50, beside=0.05)


def test_what_only_names_passwords_is_no_secret() -> None:
    """Who writes down which password manager to use must not be refused; a secret beside it still is."""
    for text in ("Password manager is Bitwarden", "Our password policy: 14 signs, no rotation"):
        assert not find_secrets(text), text
    for text in (
        "The password for the manager is hunter2",
        "Password manager: master password is hunter2",
        "Password manager: hunter2",
        "password reset to hunter2",
        "Password database: hunter2",
    ):
        [found] = find_secrets(text)
        assert text[found.start : found.end] == "hunter2"
