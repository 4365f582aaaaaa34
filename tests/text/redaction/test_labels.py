"""The words that give a secret away, in every language and in every way people write them."""

from __future__ import annotations

import re

import pytest

from memdown.text.redaction import find_secrets, redact
from memdown.text.redaction.labels import LANGUAGES, Language
from text.redaction.making import made
from text.redaction.written import WRITTEN

PASSWORD = "Xk9" + "!fooBar7"
KEY = "Xk9foo" + "Bar7Qw2e" + "Rt5yUi8o"
WITHOUT_BLANKS = ("zh", "ja", "ko", "th")


def words(alternatives: str) -> list[str]:
    """The words of an alternation: of what may be left out, nothing; of what may differ, the first."""
    found, depth, word = [], 0, ""
    for letter in alternatives + "|":
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and depth == 0:
            word = re.sub(r"\(\?:[^()]*\)\?", "", word)
            while "(?:" in word:
                word = re.sub(r"\(\?:([^()|]*)(?:\|[^()]*)?\)", r"\1", word)
            found.append(re.sub(r"(.)\?", r"\1", re.sub(r"\[(.)[^\]]*\]\??", r"\1", word)))
            word = ""
        else:
            word += letter
    return [word for word in found if word]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.code)
def test_every_word_of_every_language_gives_its_value_away(language: Language) -> None:
    verb = words(language.verb)[0]
    said = f"{{}}{verb}{{}}" if language.code in WITHOUT_BLANKS else f"{{}} {verb} {{}}"
    forms = (
        "{}: {}",
        "**{}:** {}",
        "- **{}**: `{}`",
        "| {} | {} |",
        "{} = {}",
        "{}：{}",
        '"{}": "{}"',
        "| x | {} |\n|---|---|\n| a | {} |\n",
        said,
    )
    for alternatives, value in (
        (language.password, PASSWORD),
        (language.short, PASSWORD),
        (language.key, KEY),
        (language.pin, "4821"),
    ):
        for word in words(alternatives):
            kept = [text for form in forms if value in redact(text := form.format(word, value))]
            assert kept == []


def test_there_are_more_than_ten_languages() -> None:
    assert len({language.code for language in LANGUAGES}) >= 20


@pytest.mark.parametrize("place", WRITTEN)
def test_what_people_and_programs_write_is_found(place: str) -> None:
    for text in WRITTEN[place]:
        one = made(text)
        shown = redact(one.text)
        for secret in one.secrets:
            assert secret not in shown, (one.text, shown)


@pytest.mark.parametrize("place", WRITTEN)
def test_places_are_exact(place: str) -> None:
    """A redacted text is the original with each place replaced, so nothing else moves."""
    for text in WRITTEN[place]:
        one = made(f"Grüße 🎉 {text} ende")
        shown, last = "", 0
        for secret in find_secrets(one.text):
            assert secret.start >= last
            shown += one.text[last : secret.start] + f"[redacted: {secret.kind}]"
            last = secret.end
        assert shown + one.text[last:] == redact(one.text)


@pytest.mark.parametrize(
    "text",
    [
        "password: <your-password>",
        "API_KEY=xxx",
        "token: ${TOKEN}",
        "password=$DB_PASSWORD",
        "secret: {{ vault_secret }}",
        "password: ********",
        "password: changeme",
        "password: example",
        "api_key: YOUR_API_KEY_HERE",
        "api key = sk-...",
        'password: "{password}"',
        "https://shop.example.com/item?key=blue-suede-shoes-size-42",
        "PIN 4 of the connector is ground, pin: 1013 on the schematic",
        "- Ana has changed her PIN (2026-11-19)",
        "- ~~The door code is [erased]~~ (2026-11-19 to 2026-11-20)",
        '{"password": {"type": "string", "minLength": 8}}',
        "password_file: /run/secrets/db_password",
        "password_file = /etc/app/pw.txt",
        "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
        "The password must have at least 12 characters.",
        "password: Optional[str] = None",
        "password = os.environ['DB_PASSWORD']",
        "password: config.get('db.password')",
        "def check(password: str, token: str) -> bool:",
        "Forgot your password? Click here.",
        "What is the password policy?\nAt least 12 characters, changed every 90 days.",
        "The token bucket refills 100 tokens per second.",
        "primary key: user_id, foreign key: order_id",
        'a sort key such as "created_at_2024"',
        "key: value",
        "keyboard: US-International",
        "tokens: 120000, max_tokens: 4096",
        "secretary: Ann Miller, room 4-121",
        "the passenger list has 12 names",
        "compass: north, bypass: closed, passport: C01X00T47",
        "sessionId: 550e8400-e29b-41d4-a716-446655440000",
        "| Key | Action |\n|---|---|\n| Ctrl+Shift+P | palette |\n",
        "| token | meaning |\n|---|---|\n| IDENT | a name |\n",
        "username,password,enabled\n",
        "Passwort vergessen? Dann hier klicken.",
        "Der Schlüssel liegt unter der Matte.",
        "La clave del éxito es la paciencia.",
        "密码必须至少 8 个字符",
        "パスワードを忘れた場合はこちら",
    ],
)
def test_ordinary_text_about_secrets_stays(text: str) -> None:
    assert redact(text) == text
