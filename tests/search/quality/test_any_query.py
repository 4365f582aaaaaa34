"""Queries that nobody would think of: none of them is an error, and what can be found is found."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdown import Answer, Memory, QueryError

TRACE = """Traceback (most recent call last):
  File "src/settings/loader.py", line 88, in parse_config
    raise KeyError(name)
KeyError: 'memorySearch'"""


def first(answer: Answer) -> str:
    return answer.hits[0].path if answer.hits else ""


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("牙", "memory/many-tongues.md"),
        ("예약", "memory/many-tongues.md"),
        ("นัดหมอฟันเมื่อไร", "memory/many-tongues.md"),
        ("הפגישה עם דני", "memory/many-tongues.md"),
        ("متى موعد طبيب الأسنان؟", "memory/many-tongues.md"),
        ("Wann ist der Zahnarzttermin?", "memory/many-tongues.md"),
        ("когда приём у врача?", "memory/many-tongues.md"),
        ("🎂", "memory/2026-06-02.md"),
        ("🎂🎂🎂 cake!!!", "memory/2026-06-02.md"),
        ("router роутер ルーター 路由器", "memory/home-network.md"),
        (TRACE, "memory/2025-05-21.md"),
        ("def parse_config(path: str) -> dict: ...", "memory/2025-05-21.md"),
        ("router " * 10_000, "memory/home-network.md"),
        ("ROUTER", "memory/home-network.md"),
        ("\ud800 router \0", "memory/home-network.md"),
        ("router* AND NEAR(", "memory/home-network.md"),
    ],
)
def test_unusual_queries_find_their_note(memory: Memory, query: str, path: str) -> None:
    assert first(memory.search(query)) == path


@pytest.mark.parametrize(
    "query",
    ["?!?", " ".join(f"xq{n}z" for n in range(10_000)), "🦜"],
)
def test_queries_without_an_answer_say_why(memory: Memory, query: str) -> None:
    answer = memory.search(query)
    assert answer.hits == ()
    assert answer.reasons


@pytest.mark.parametrize("query", ["", "   ", "\0", "\n\t"])
def test_an_empty_query_is_refused(memory: Memory, query: str) -> None:
    with pytest.raises(QueryError, match="The query is empty"):
        memory.search(query)


@pytest.mark.parametrize(
    ("query", "path", "meant"),
    [
        ("wich ruoter do we use", "memory/home-network.md", "router"),
        ("fimrware of the routter", "memory/home-network.md", "firmware"),
        ("obsrvatory", "memory/2026-06-02.md", "observatory"),
    ],
)
def test_misspelled_words_are_put_right(memory: Memory, query: str, path: str, meant: str) -> None:
    answer = memory.search(query)
    assert first(answer) == path
    assert any(f"looked for {meant!r}" in reason for reason in answer.reasons)


def test_a_guess_scores_less_than_the_word_itself(memory: Memory) -> None:
    meant, guessed = memory.search("observatory"), memory.search("obsrvatory")
    assert guessed.hits[0].score < meant.hits[0].score


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)
@given(st.text(min_size=1, max_size=200))
def test_any_text_is_a_legal_query(memory: Memory, query: str) -> None:
    try:
        answer = memory.search(query)
    except QueryError:
        return
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert answer.hits or answer.reasons
