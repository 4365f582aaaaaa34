"""A conversation as a whole: what is a secret in one message is one in all others."""

from __future__ import annotations

import random

import pytest

from memdown.text.redaction import Redactor, find_secrets, redact
from text.redaction.making import made
from text.redaction.planted import planted

SECRET = "Xk9" + "!fooBar7"


def test_a_secret_that_comes_again_is_redacted_without_anything_that_tells_it() -> None:
    """People name a password once and then only use it."""
    redactor = Redactor()
    first = redactor.redact_all([f"the password is {SECRET}", "thanks"])
    later = redactor.redact_all(["hello", f"now log in with {SECRET} there"])
    assert SECRET not in " ".join([*first, *later])
    assert later[1] == "now log in with [redacted: password] there"


def test_a_secret_that_was_used_before_it_was_told_is_redacted_too() -> None:
    """The whole text is there, so its earlier lines are mended as well."""
    text = f"I typed {SECRET} here.\nIt did not work.\npassword: {SECRET}\n"
    assert redact(text).count("[redacted: password]") == 2
    assert [secret.kind for secret in find_secrets(text)] == ["password"] * 2


def test_conversations_know_nothing_of_each_other() -> None:
    Redactor().redact_all([f"password: {SECRET}"])
    assert Redactor().redact_all([f"only {SECRET.strip('!')}"]) == [f"only {SECRET}"]


def test_ordinary_words_that_were_a_password_once_stay_elsewhere() -> None:
    shown = Redactor().redact_all(["password: dragon", "The dragon sleeps.", "PIN: 4821", "4821 m"])
    assert shown == [
        "password: [redacted: password]",
        "The dragon sleeps.",
        "PIN: [redacted: PIN]",
        "4821 m",
    ]


@pytest.mark.parametrize(
    ("question", "answer", "secret"),
    [
        ("What is the wifi password?", SECRET, SECRET),
        ("What is the wifi password?", f"Sure, it's {SECRET}.", SECRET),
        ("What's the password?", "correcthorse", "correcthorse"),
        ("Please send me the admin password", "It is hunter22x, I think.", "hunter22x"),
        ("Wie lautet das Passwort?", "Sommer2024!", "Sommer2024!"),
        ("Quel est le mot de passe ?", "C'est Soleil42!", "Soleil42!"),
        ("¿Cuál es la contraseña?", "Verano2024!", "Verano2024!"),
        ("パスワードは何ですか？", "natsu2024", "natsu2024"),
        ("密码是什么？", "Xiatian2024!", "Xiatian2024!"),
        ("Какой пароль?", "Leto2024!", "Leto2024!"),
        ("What is the PIN?", "4821", "4821"),
        ("And the API key?", "Xk9fooBar7Qw2eRt5y", "Xk9fooBar7Qw2eRt5y"),
    ],
)
def test_the_answer_to_a_question_for_a_password_is_redacted(
    question: str, answer: str, secret: str
) -> None:
    """The answer holds no telling word; only the question does, in another message."""
    shown = Redactor().redact_all(["Hi.", question, answer, "Good."])
    assert shown[:2] == ["Hi.", question]
    assert secret not in shown[2]
    redactor = Redactor()
    redactor.redact_all([question])
    assert secret not in redactor.redact_all([answer])[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the password policy?", "At least 12 characters."),
        ("Did you reset the password?", "Yes"),
        ("Do you have the key?", "No, Ann has it."),
        ("How many tokens are left?", "About 4096 of them."),
        ("Which token did you use?", "I used the staging one."),
    ],
)
def test_other_answers_stay(question: str, answer: str) -> None:
    assert Redactor().redact_all([question, answer]) == [question, answer]


def test_many_at_once_are_as_one_after_the_other() -> None:
    """How messages are batched must make no difference to what is found in each."""
    texts = [text for _, _, text in planted(200)] + ["", "plain", "pass", "word = hunter2", "\x1e"]
    random.Random(1).shuffle(texts)
    one_by_one = [Redactor().redact_all([text])[0] for text in texts]
    together = Redactor().redact_all(texts)
    for alone, among in zip(one_by_one, together, strict=True):
        if "[redacted" in alone:
            assert "[redacted" in among
    assert [("[redacted" in text) for text in together] == [
        ("[redacted" in text) for text in one_by_one
    ]


def test_thousands_of_secrets_are_kept_in_bounds() -> None:
    """A long log of tokens must not make a redactor grow for ever; the latest are known."""
    redactor = Redactor()
    tokens = [made("ghp_{36}", seed).text for seed in range(2000)]
    for first in range(0, 2000, 100):
        redactor.redact_all([f"token {token}" for token in tokens[first : first + 100]])
    assert redactor.redact_all([f"x{tokens[-1][4:]}"]) == [f"x{tokens[-1][4:]}"]
    assert "[redacted" in redactor.redact_all([f"see a{tokens[-1]}"])[0]


def test_two_secrets_on_neighbouring_lines_are_two() -> None:
    """They were once taken for one that a line break cut in two."""
    first, second = made("ghp_{36}").text, made("sk-ant-api03-{93w}").text
    kinds = [secret.kind for secret in find_secrets(f"{first}\n{second}\n")]
    assert kinds == ["GitHub token", "Anthropic key"]
