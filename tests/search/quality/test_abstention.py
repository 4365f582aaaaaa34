"""Where nothing answers, nothing is called strong; what is named exactly is always found."""

from __future__ import annotations

import pytest

from memdown import Memory

UNRELATED = (
    "What is the capital of Mongolia?",
    "How do I renew my fishing licence?",
    "Which violin strings does the orchestra use?",
    "Who won the chess tournament?",
    "Where is the best sushi restaurant in Osaka?",
    "When does the ferry to Helsinki leave?",
    "What did the landlord say about the deposit?",
    "Who painted the ceiling of the chapel?",
    "Wie hoch ist der höchste Berg der Alpen?",
    "Combien de moutons y a-t-il en Écosse ?",
)
IDENTIFIERS = {
    "a828e60": "memory/2025-05-21.md",
    "ER605": "memory/home-network.md",
    "er605": "memory/home-network.md",
    "TN-2420": "memory/home-network.md",
    "HL-L2350DW": "memory/home-network.md",
    "2.1.4": "memory/home-network.md",
    "192.168.0.1": "memory/home-network.md",
    "mira@example.org": "MEMORY.md",
    "parse_config": "memory/2025-05-21.md",
    "src/settings/loader.py": "memory/2025-05-21.md",
    "memorySearch": "memory/2025-05-21.md",
    "2026-06-02": "memory/2026-06-02.md",
}


@pytest.mark.parametrize("query", UNRELATED)
def test_questions_about_nothing_in_the_notes_find_nothing_strong(
    memory: Memory, query: str
) -> None:
    """Of few notes the nearest are shown, but never as if they answered."""
    assert memory.search(query).strength in ("weak", None)


@pytest.mark.parametrize("query", UNRELATED)
def test_with_a_minimum_score_they_find_nothing(memory: Memory, query: str) -> None:
    answer = memory.search(query, min_score=0.35)
    assert (answer.hits, answer.strength) == ((), None)
    (reason,) = answer.reasons
    assert "below the minimum score of 0.35" in reason
    assert "--" not in reason


@pytest.mark.parametrize("query", ["zzqx blorf", "qwfp", "xkcdzz plmokn ijbuhv"])
def test_gibberish_finds_nothing(memory: Memory, query: str) -> None:
    assert memory.search(query).hits == ()


@pytest.mark.parametrize("query", IDENTIFIERS)
def test_identifiers_are_found_exactly(memory: Memory, query: str) -> None:
    assert memory.search(query).hits[0].path == IDENTIFIERS[query]


@pytest.mark.parametrize("query", ["a828e60", "TN-2420", "mira@example.org"])
def test_no_minimum_score_drops_an_identifier(memory: Memory, query: str) -> None:
    long = f"{query} and the moons of Saturn, seen from a submarine in the Sargasso Sea"
    (hit,) = memory.search(long, min_score=1.0).hits
    assert hit.path == IDENTIFIERS[query]


def test_a_note_without_anything_of_the_query_is_no_hit(memory: Memory) -> None:
    """Six results are not filled up with whatever there is."""
    assert [hit.path for hit in memory.search("a828e60").hits] == ["memory/2025-05-21.md"]


def test_without_a_bar_everything_is_shown_in_order(memory: Memory) -> None:
    answer = memory.search("What is the capital of Mongolia?", min_score=0)
    assert answer.hits
    assert answer.hits[0].score < 0.35


def test_one_rare_word_in_a_long_note_is_enough(memory: Memory) -> None:
    """Length lowers BM25; a passage that holds the whole question is an answer all the same."""
    assert memory.search("Boskoop").hits[0].path == "memory/garden.md"
    assert memory.search("Boskoop").hits[0].score > 0.35
