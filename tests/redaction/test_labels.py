"""The words that give a secret away, in every language and in every way people write them."""

from __future__ import annotations

import random

import pytest

from memdown.redaction import redact
from memdown.redaction.labels import LANGUAGES, Language

SECRET = "Xk9" + "!fooBar7"
KEY = "Xk9foo" + "Bar7Qw2e" + "Rt5yUi8o"


def words(alternatives: str) -> list[str]:
    """The words of an alternation, each in its first form."""
    import sre_parse  # noqa: F401


LANGUAGE = [pytest.param(one, id=one.code) for one in LANGUAGES]
