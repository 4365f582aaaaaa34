"""Prose and code that is at hand: at most one false alarm in 100,000 characters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import re2

from memdown.text.redaction import find_secrets

PROJECT = Path(__file__).parents[3]
LIBRARY = Path(os.__file__).parent
PACKAGES = Path(re2.__file__).parents[1]
# Secrets are what these are about.
ABOUT_SECRETS = ("redaction", "phrases.py")
PER_CHARS = 100_000


def texts(name: str) -> Iterator[str]:
    """Every text of a kind; what is not UTF-8 is passed over."""
    files = {
        "our code": (PROJECT / "src").rglob("*.py"),
        "our pages": (PROJECT / "docs").glob("*.md"),
        "the standard library": (LIBRARY.glob("*.py")),
        "packages' pages": PACKAGES.glob("*/METADATA"),
        "packages' licences": PACKAGES.rglob("LICENSE*"),
        "example notes": (PROJECT / "examples").rglob("*.md"),
    }[name]
    for file in sorted(files):
        if not any(part in str(file) for part in ABOUT_SECRETS):
            try:
                yield file.read_text("utf-8")
            except (UnicodeDecodeError, IsADirectoryError):
                continue


@pytest.mark.parametrize(
    "name",
    [
        "our code",
        "our pages",
        "the standard library",
        "packages' pages",
        "packages' licences",
        "example notes",
    ],
)
def test_hardly_anything_is_taken_for_a_secret(name: str) -> None:
    """A text full of holes is no memory; most found here are made-up passwords of examples."""
    chars, found = 0, []
    for text in texts(name):
        chars += len(text)
        found += [json.dumps(text[one.start : one.end][:60]) for one in find_secrets(text)]
    assert chars
    assert len(found) <= max(1, chars / PER_CHARS), found
