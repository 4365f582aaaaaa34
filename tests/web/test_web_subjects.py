"""What the memory knows about a name: facts, outdated ones, neighbours; found without a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.web.library import names_in
from web.conftest import client_for
from web.live import site_over

NOTES = {
    "MEMORY.md": "# Memory\n\n- **Jonas**: a vegan since November.\n  - ~~Jonas is vegetarian.~~ (until 2026-11-01)\n",
    "memory/people/jonas-weber.md": "---\naliases: [Jonas]\n---\n# Jonas Weber\n\n- Plays chess with Mara.\n",
    "memory/2026-03-02.md": "# Day\n\n- We met Jonas and Mara in Lisbon.\n- Rain, says Mara, in Lisbon.\n",
}


@pytest.fixture
def client(
    write_notes: Callable[[dict[str, str]], Path], open_memory: Callable[..., Memory]
) -> TestClient:
    return client_for(site_over(open_memory(write_notes(NOTES))))


def test_current_facts_come_first_and_outdated_ones_are_struck(client: TestClient) -> None:
    page = client.get("/about/jonas").text
    current, _, past = page.partition("No longer true</h2>")
    for said in ("Plays chess with Mara", "a vegan since November", "We met Jonas"):
        assert said in current
    assert "Jonas is vegetarian." not in current
    assert "Jonas is vegetarian." in past
    assert "until 2026-11-01" in past
    assert "Rain, says" not in page
    assert 'href="/about/Mara"' in page
    assert "MEMORY.md#L3" in page, "the copy as context cites its places"


def test_a_name_that_is_typed_has_a_card(client: TestClient) -> None:
    assert 'class="subject" href="/about/Jonas"' in client.get("/hits?q=jonas").text
    assert "subject" not in client.get("/hits?q=chess").text


def test_an_unknown_name_is_explained(client: TestClient) -> None:
    answer = client.get("/about/Nobody%3Cscript%3E")
    assert answer.status_code == 404
    assert "<script>N" not in answer.text
    assert "search for it" in answer.text


def test_names_are_what_is_never_written_small() -> None:
    texts = {
        "a.md": "We saw Mara and a House. Then Mara left the house with Dr Adé, says Mara's friend."
    }
    assert "mara" in names_in(texts, {}).written
    assert "house" not in names_in(texts, {}).written


def test_german_nouns_are_no_names() -> None:
    """German writes every noun with a capital letter; there, something else must say that it is one."""
    texts = {
        "memory/garten.md": "# Garten\n\n- Der Zaun zum Nachbarn wurde mit Teo gestrichen, und die Leiter"
        " steht im Schuppen.\n- Hinter dem Schuppen liegt die Leiter, sagt Teo. Der Zaun ist neu.\n"
        "- Mit Jonas und Frau Dreyer war das nicht so, und der Hund von Frau Dreyer bellt.\n",
        "memory/day.md": "# Day\n\n- We met Teo and the dog in Lisbon.\n- Rain, says Teo, in Lisbon.\n",
        "memory/jonas.md": "---\naliases: [Jonas]\n---\n# Jonas Weber\n\nPlays chess.\n",
    }
    names = names_in(texts, {"memory/jonas.md": "Jonas Weber"}).written
    assert not {"zaun", "leiter", "schuppen", "nachbarn", "hund"} & set(names)
    assert {"teo", "jonas", "jonas weber", "lisbon", "frau dreyer"} <= set(names)


def test_words_in_scripts_without_capitals_are_no_names() -> None:
    assert names_in({"a.md": "เธอ กร เธอ กร, กร"}, {}).written == {}
