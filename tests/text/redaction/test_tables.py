"""Every row of the tables is proved by its own examples, alone and among other text."""

from __future__ import annotations

import pytest

from memdown.text.redaction import find_secrets, redact
from memdown.text.redaction.finding import KINDS
from memdown.text.redaction.kinds import Kind
from text.redaction.making import made


def name(kind: Kind) -> str:
    return f"{kind.name} {kind.hint}"[:60]


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_the_examples_are_found(kind: Kind) -> None:
    """A row without a working example would be a promise that nobody checks."""
    assert kind.examples
    for example in kind.examples:
        for seed in range(5):
            one = made(example, seed)
            shown = redact(one.text)
            assert "[redacted: " in shown, one.text
            for secret in one.secrets:
                assert secret not in shown, one.text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.others], ids=name)
def test_the_counter_examples_stay(kind: Kind) -> None:
    """What only looks like a secret to a careless pattern must stay readable."""
    for text in kind.others:
        assert redact(text) == text


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_the_words_around_an_example_stay(kind: Kind) -> None:
    for example in kind.examples:
        one = made(example)
        text = f"Hello there, Ann.\n{one.text}\nGreetings from all of us."
        shown = redact(text)
        assert shown.startswith("Hello there, Ann.\n")
        assert shown.endswith("\nGreetings from all of us.")


def test_there_are_more_than_a_hundred_and_twenty_kinds() -> None:
    assert len({kind.name for kind in KINDS}) > 120


def test_a_secret_is_named_by_its_own_kind() -> None:
    """`sk-ant-…` is also a token of a more general kind; the reader is told the right one."""
    one = made("my key is sk-ant-api03-{93w}")
    assert [secret.kind for secret in find_secrets(one.text)] == ["Anthropic key"]
