"""The first hour: a memory of one note, of three, of a dozen answers, line by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory

Notes = dict[str, str]

FACTS = {
    "Ana prefers tea over coffee.": ("what does Ana drink?", "favourite hot beverage"),
    "We use PostgreSQL for the shop.": ("what do we use for the shop?", "which database is it?"),
    "Bob's birthday is on 3 May.": ("when was Bob born?", "date of birth"),
    "The staging machine is called heron.": ("name of the staging machine", "test server"),
    "Lunch is at 12:30 in the canteen.": ("when do we eat lunch?", "time of the midday meal"),
    "The office moved to Ring 12, Dresden.": ("what is the office address?", "company location"),
    "Die Miete beträgt 980 Euro.": ("Wie hoch ist die Miete?", "Was kostet die Wohnung?"),
    "El perro se llama Bruno.": ("¿Cómo se llama el perro?", "nombre de la mascota"),
    "牙医是王医生。": ("牙医是谁？", "看牙齿找谁"),
}
UNRELATED = (
    "What is the capital of Mongolia?",
    "Who won the chess tournament?",
    "How many moons has Saturn?",
    "Welche Impfung braucht man für Kenia?",
    "¿Quién inventó el telescopio?",
    "土星有多少颗卫星？",
)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[list[str]], Memory]:
    def open_with(facts: list[str]) -> Memory:
        folder = tmp_path / "workspace"
        (folder / "memory").mkdir(parents=True)
        lines = "\n".join(f"- {fact}" for fact in facts)
        (folder / "MEMORY.md").write_text(f"# Memory\n\n{lines}\n", encoding="utf-8")
        return Memory.open(folder)

    return open_with


@pytest.mark.parametrize("fact", FACTS)
def test_one_fact_is_found_by_its_words_and_by_its_meaning(
    fact: str, opened: Callable[[list[str]], Memory]
) -> None:
    by_words, by_meaning = FACTS[fact]
    with opened([fact]) as memory:
        answer = memory.search(by_words)
        assert [hit.snippet for hit in answer.hits] == [f"- {fact}"]
        assert (answer.hits[0].heading, answer.strength) == ("Memory", "strong")
        (hit,) = memory.search(by_meaning).hits
        assert hit.snippet == f"- {fact}"


def test_of_some_facts_the_line_that_answers_is_first(
    opened: Callable[[list[str]], Memory],
) -> None:
    with opened(list(FACTS)) as memory:
        for fact, (question, _) in FACTS.items():
            first = memory.search(question).hits[0]
            assert (first.snippet, first.strength) == (f"- {fact}", "strong")


def test_what_no_word_is_shared_with_is_still_shown(opened: Callable[[list[str]], Memory]) -> None:
    with opened(list(FACTS)) as memory:
        shown = [
            any(fact in hit.snippet for hit in memory.search(question).hits)
            for fact, (_, question) in FACTS.items()
        ]
    assert sum(shown) >= 0.8 * len(shown)


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_question_about_something_else_gets_nothing_strong(
    count: int, opened: Callable[[list[str]], Memory]
) -> None:
    with opened(list(FACTS)[:count]) as memory:
        assert "strong" not in [memory.search(query).strength for query in UNRELATED]


def test_a_minimum_score_that_was_set_leaves_weak_hits_out(
    opened: Callable[[list[str]], Memory],
) -> None:
    with opened(list(FACTS)[:3]) as memory:
        assert memory.search("favourite hot beverage").strength == "weak"
        answer = memory.search("favourite hot beverage", min_score=0.35)
    assert (answer.hits, answer.strength) == ((), None)
    assert "below the minimum score of 0.35" in answer.reasons[-1]


def test_the_bullet_is_shown_and_not_the_file(
    write_notes: Callable[[Notes], Path], open_memory: Callable[..., Memory]
) -> None:
    text = (
        "# Office\n\n## Meals\n\n- Breakfast is up to you.\n- Lunch is at 12:30,\n  in the canteen.\n"
        "\n## Rooms\n\n- The quiet room is upstairs.\n"
    )
    memory = open_memory(write_notes({"memory/office.md": text}))
    hit = memory.search("lunch").hits[0]
    assert hit.snippet == "- Lunch is at 12:30,\n  in the canteen."
    assert (hit.start_line, hit.end_line, hit.heading) == (6, 7, "Office > Meals")


def test_hits_far_below_the_best_are_left_out(
    write_notes: Callable[[Notes], Path], open_memory: Callable[..., Memory]
) -> None:
    notes = {f"memory/day-{n}.md": f"We tried the new router number {n}.\n" for n in range(30)}
    notes["memory/router.md"] = "The router in the hall cupboard is a Fritzbox with old firmware.\n"
    memory = open_memory(write_notes(notes))
    question = "which firmware has the Fritzbox in the hall cupboard, our router?"
    assert [hit.path for hit in memory.search(question).hits] == ["memory/router.md"]
    assert len(memory.search(question, min_score=0.0).hits) == 6


def test_the_decision_about_the_database_comes_first(tmp_path: Path) -> None:
    """The question of docs/python.md about the example."""
    example = Path(__file__).parents[3] / "examples" / "workspace"
    with Memory.open(example, state_dir=tmp_path) as memory:
        first = memory.search("what did we decide about the database?").hits[0]
    assert (first.path, first.start_line, first.heading) == ("MEMORY.md", 38, "Memory > Decisions")


def test_of_fifty_facts_in_one_note_each_is_judged(opened: Callable[[list[str]], Memory]) -> None:
    """Also the last of them by its meaning alone, as one line and not as a window of many."""
    others = [f"Machine number {n} was painted {n} years ago." for n in range(49)]
    with opened([*others, "Ana prefers tea over coffee."]) as memory:
        first = memory.search("favourite hot beverage").hits[0]
    assert "- Ana prefers tea over coffee." in first.snippet
    assert first.snippet.count("\n") < 3


def test_a_correction_within_the_hour_comes_first(tmp_path: Path) -> None:
    """Told on one day, into two notes: what was told later holds."""
    told = (
        ("The dentist is Dr. Weber.", "Dr. Weber retired, the dentist is Dr. Adler.", "dentist?"),
        ("We deploy with Jenkins.", "We deploy with Buildkite.", "what do we deploy with?"),
        ("Nora lives in Lisbon.", "Nora moved to Porto.", "where does Nora live?"),
        ("Die Miete kostet 980 Euro.", "Die Miete kostet 1050 Euro.", "Was kostet die Miete?"),
    )
    with Memory.open(tmp_path) as memory:
        for durable in (True, False):
            for before, after, _ in told:
                memory.remember(before if durable else after, durable=durable)
        for before, after, question in told:
            first, second = memory.search(question).hits[:2]
            assert (after in first.snippet, first.was) == (True, False)
            assert (before in second.snippet, second.was) == (True, True)
