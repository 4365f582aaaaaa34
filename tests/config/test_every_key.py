"""Every documented key has an effect that can be seen from outside.

A new key without a case fails here: write one in a module `key_cases_*`, which opens a memory with
the usual value and with another one, and observes the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config import key_cases_facts, key_cases_providers, key_cases_qmd, key_cases_search
from config.key_world import CASES, Case, World
from embedders.providers.loopback import Loopback
from memdown.config.keys import walk
from memdown.config.reference import SECTIONS

MODULES = (key_cases_facts, key_cases_providers, key_cases_qmd, key_cases_search)


@pytest.fixture
def world(tmp_path: Path, own_state: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    server = Loopback()
    folder = tmp_path / "workspace"
    folder.mkdir()
    yield World(folder, own_state, server, monkeypatch)
    server.close()


def test_every_documented_key_has_a_case() -> None:
    documented = {
        f"{title}.{key.path}"
        for title, section in SECTIONS
        for key in walk(section)
        if not key.branch
    }
    assert documented == set(CASES)


@pytest.mark.parametrize("case", dict.fromkeys(CASES.values()), ids=lambda case: case.__name__)
def test_it_does_what_it_says(case: Case, world: World) -> None:
    case(world)
