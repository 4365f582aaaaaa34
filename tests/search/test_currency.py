"""What holds comes before what was; of two that contradict, the newer."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pytest

from memdown.errors import QueryError
from memdown.notes.arrivals import Came
from memdown.search.currency import Times, order_by_currency, read_as_of
from memdown.types import Hit

TODAY = datetime.date(2026, 11, 17)


def hit(snippet: str, path: str = "MEMORY.md", line: int = 1, **more: object) -> Hit:
    return Hit(path, "memory", line, line + snippet.count("\n"), 0.9, snippet, **more)  # type: ignore[arg-type]


def order(*hits: Hit, as_of: datetime.date | None = None) -> list[str]:
    return [one.snippet for one in order_by_currency(hits, Times(TODAY, as_of))]


def test_what_was_comes_last_and_is_marked() -> None:
    struck = hit("- ~~The code is 4471.~~ (2026-11-07 to 2026-11-08)", "memory/2026-11-07.md")
    over = hit("- Works from Madrid. (until 2026-11-12)", line=3)
    now = hit("- The code is 9902. (since 2026-11-08)", line=9)
    found = order_by_currency([struck, over, now], Times(TODAY))
    assert [one.snippet for one in found] == [now.snippet, struck.snippet, over.snippet]
    assert [one.was for one in found] == [False, True, True]
    assert found[0].date == datetime.date(2026, 11, 8)


def test_words_that_were_struck_elsewhere_are_over_too() -> None:
    """A process was killed between writing the new fact and striking the old one in its log."""
    old = hit("- The code is 4471.", "memory/2026-11-07.md")
    new = hit("- The code is 9902.\n  - ~~The code is 4471.~~ (until 2026-11-08)")
    assert order(old, new) == [new.snippet, old.snippet]


def test_of_two_that_contradict_the_newer_comes_first() -> None:
    old = hit("- The stand-up is at 09:30.", "memory/2026-11-01.md")
    new = hit("- The stand-up is at 10:15.", "memory/2026-11-04.md")
    assert order(old, new) == [new.snippet, old.snippet]
    both = hit("- The stand-up is at 09:30. (2026-11-01)\n- The stand-up is at 10:15. (2026-11-04)")
    assert order(both) == [
        "- The stand-up is at 10:15. (2026-11-04)",
        "- The stand-up is at 09:30. (2026-11-01)",
    ]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (
            "when is my 1:1",
            "- Priya is my manager since June; 1:1 every second Tuesday at 10:30.",
            "- Priya moved our 1:1 to Thursdays at 14:00.",
        ),
        (
            "feature flag service",
            '- The feature-flag service is LaunchDarkly; key is in 1Password under "LD prod".',
            "- Switched the feature flags to Unleash.",
        ),
    ],
)
def test_the_clause_that_answers_may_be_over(question: str, old: str, new: str) -> None:
    """A fact that says two things comes below what changed the one that is asked about."""
    hits = [hit(old, matched=("x",)), hit(new, "memory/2026-11-16.md", matched=("x",))]
    found = order_by_currency(hits, Times(TODAY), question)
    assert [one.snippet for one in found] == [new, old]


def test_another_clause_of_a_fact_stays_above() -> None:
    old = hit("- Priya is my manager since June; 1:1 every second Tuesday at 10:30.")
    new = hit("- Priya moved our 1:1 to Thursdays at 14:00.", "memory/2026-11-16.md")
    found = order_by_currency([old, new], Times(TODAY), "who is my manager")
    assert [one.snippet for one in found] == [old.snippet, new.snippet]


def test_the_number_of_a_day_ends_no_statement() -> None:
    """That she moves is no later word on the first half of "Oma hat am 3. Mai Geburtstag"."""
    old = hit("- Oma Hilde hat am 3. Mai Geburtstag.", matched=("oma", "geburtstag"))
    new = hit("- Oma Hilde zieht nach Bremen. (2026-11-16)", line=2, matched=("oma",))
    found = order_by_currency([old, new], Times(TODAY), "Oma Geburtstag")
    assert [one.start_line for one in found] == [1, 2]


def test_a_fact_that_replaced_another_is_judged_as_one_fact() -> None:
    """What is struck below it makes it no answer to another question."""
    old = hit("- Oma Hilde hat am 3. Mai Geburtstag.", matched=("oma", "geburtstag"))
    new = hit(
        "- Oma Hilde wohnt jetzt in Bremen. (since 2026-11-16)\n"
        "  - ~~Oma Hilde wohnt in Kiel.~~ (2026-11-09 to 2026-11-16)",
        line=2,
        matched=("oma",),
    )
    found = order_by_currency([old, new], Times(TODAY), "Oma Geburtstag")
    assert [one.start_line for one in found] == [1, 2]


def test_what_has_replaced_another_fact_may_be_over_itself() -> None:
    old = hit(
        "- Nora moved to Porto. (since 2026-11-09)\n"
        "  - ~~Nora lives in Lisbon.~~ (2026-11-02 to 2026-11-09)",
        matched=("nora",),
    )
    new = hit("- Nora moved to Braga. (2026-11-16)", line=3, matched=("nora",))
    found = order_by_currency([old, new], Times(TODAY), "Where does Nora live?")
    assert [one.start_line for one in found] == [3, 1]


def test_who_asks_for_a_day_is_shown_that_day_first() -> None:
    asked, next_day = datetime.date(2026, 11, 6), datetime.date(2026, 11, 7)
    old = hit(
        "- Walked 8 km along the river.", "memory/2026-11-06.md", date=asked, matched=("walk",)
    )
    new = hit(
        "- Walked 2 km along the river.", "memory/2026-11-07.md", date=next_day, matched=("walk",)
    )
    question = "how far did I walk on 6 November"
    of_that_day = Times(TODAY, named=(asked, asked))
    found = order_by_currency([old, new], of_that_day, question)
    assert [one.date for one in found] == [asked, next_day]
    found = order_by_currency([old, new], Times(TODAY), question)
    assert [one.date for one in found] == [next_day, asked]


def test_a_newer_note_about_something_else_stays_below() -> None:
    old = hit("- Nora lives in Lisbon.", "memory/2026-11-01.md", matched=("nora", "live"))
    new = hit("- Nora now drinks tea after noon.", "memory/2026-11-04.md", matched=("nora",))
    assert order(old, new) == [old.snippet, new.snippet]
    assert order(old) == [old.snippet]


def test_as_of_an_earlier_day() -> None:
    fact = hit(
        "- Lives in Porto. (since 2026-11-06)\n  - ~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)"
    )
    assert order(fact, as_of=datetime.date(2026, 11, 3)) == [
        "  - ~~Lives in Lisbon.~~ (2026-11-01 to 2026-11-06)"
    ]
    assert order(fact, as_of=datetime.date(2026, 11, 6)) == ["- Lives in Porto. (since 2026-11-06)"]
    assert order(fact, as_of=datetime.date(2026, 10, 1)) == []


def test_as_of_a_day_of_a_fact_below_another() -> None:
    both = hit(
        "- Tom leads the club. (since 2026-11-09)\n- Ana lives in Faro. (since 2026-11-06)\n"
        "  - ~~Ana lives in Lisbon.~~ (2026-11-01 to 2026-11-06)\n- The code was 12. (until 2026-11-02)",
        line=5,
    )
    was, over = order_by_currency([both], Times(TODAY, datetime.date(2026, 11, 2)))
    assert was.snippet == "  - ~~Ana lives in Lisbon.~~ (2026-11-01 to 2026-11-06)"
    assert (was.start_line, was.end_line) == (7, 7)
    assert over.snippet == "- The code was 12. (until 2026-11-02)"
    assert over.start_line == 8


def test_days_that_cannot_be_understood_are_said_so() -> None:
    assert read_as_of("2026-11-04", TODAY) == datetime.date(2026, 11, 4)
    with pytest.raises(QueryError, match="no day"):
        read_as_of("whenever", TODAY)


def shown_as_past(question: str, *told: str) -> list[str]:
    """Facts told on one day after the other, asked for: those that are shown as what was."""
    hits = [
        hit(f"- {text}", f"memory/2026-11-{number:02}.md") for number, text in enumerate(told, 1)
    ]
    found = order_by_currency(hits, Times(TODAY), question)
    assert sorted(one.snippet for one in found) == sorted(one.snippet for one in hits)
    return [one.snippet.removeprefix("- ") for one in found if one.was]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where does Mara live?", ["Mara lives in Lisbon.", "Mara moved to Porto."]),
        ("Who is the landlord?", ["The landlord is Mr Okafor.", "The new landlord is Ms Lindqvist."]),
        ("When is yoga?", ["The yoga class is at 18:00.", "The yoga class is now at 19:15."]),
        ("Wer leitet den Verein?", ["Henning leitet den Verein.", "Wiebke leitet jetzt den Verein."]),
        ("Où habite Solène ?", ["Solène habite à Nantes.", "Solène a déménagé à Rennes."]),
        ("¿Quién entrena al equipo?", ["Ramiro entrena al equipo.", "El equipo tiene nueva entrenadora: Ana."]),
        ("小林住在哪里?", ["小林住在杭州。", "小林搬到苏州了。"]),
        ("会議は何時からですか?", ["会議は10時からです。", "会議は14時からに変更になりました。"]),
    ],
)  # fmt: skip
def test_what_a_newer_fact_says_otherwise_is_shown_as_what_was(
    question: str, told: list[str]
) -> None:
    """Nobody struck it: the teller did not say what the new fact replaces."""
    assert shown_as_past(question, *told) == told[:1]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which languages does Amira speak?", ["Amira speaks Arabic.", "Amira now speaks Finnish, too."]),
        ("Which servers run?", ["The server Falcon runs the wiki.", "The new server Osprey runs the builds."]),
        ("What is in the freezer?", ["Peas are in the freezer.", "New ice cream is in the freezer."]),
        ("Where do the cousins live?", ["Cousin Levi lives in Ghent.", "Cousin Noor lives in Turku."]),
        ("Was wissen wir über Torben?", ["Torben arbeitet bei der Post.", "Torben hat jetzt einen Hund."]),
        ("Welche Farben mag Jette?", ["Jette mag Grün.", "Jette mag Orange."]),
        ("Welche Schuhgröße hat Ida?", ["Ida hat Schuhgröße 31.", "Ida hat eine neue Lehrerin."]),
        ("小陈会什么语言?", ["小陈会说法语。", "小陈也会说德语。"]),
    ],
)  # fmt: skip
def test_what_holds_beside_it_is_not(question: str, told: list[str]) -> None:
    assert shown_as_past(question, *told) == []


def test_of_many_bullets_those_that_were_asked_for_come_first() -> None:
    """A hit of several bullets is cut where one is over; the others are not what was asked."""
    many = hit(
        "- The stove is gas. (2026-11-01)\n- Rex sleeps. (until 2026-11-02)\n"
        "- The kitchen is painted yellow. (2026-11-03)\n- The kitchen is now painted blue. (2026-11-05)"
    )
    found = order_by_currency([many], Times(TODAY), "Which colour is the kitchen painted in?")
    assert [one.snippet.partition(" (")[0] for one in found] == [
        "- The kitchen is now painted blue.",
        "- The stove is gas.",
        "- The kitchen is painted yellow.",
        "- Rex sleeps.",
    ]
    assert [one.was for one in found] == [False, False, True, True]


def test_what_only_stands_around_is_not_cut() -> None:
    """Facts that have nothing to do with the question stay together, though one of them replaces another."""
    found = hit("- The dentist is Dr. Yilmaz. (2026-11-05)")
    around = replace(
        hit("- The port is 8080. (2026-11-01)\n- The port is now 9090. (2026-11-05)", line=7),
        score=0.3,
    )
    shown = order_by_currency([found, around], Times(TODAY), "who is my dentist?")
    assert [one.snippet for one in shown] == [found.snippet, around.snippet]


def test_what_has_no_day_is_older_than_what_says_now() -> None:
    plain = hit("- Teo is a nurse.", line=7)
    now = hit("- Teo is now a doctor. (2026-11-17)", line=8)
    found = order_by_currency([plain, now], Times(TODAY), "What is Teo?")
    assert [(one.start_line, one.was) for one in found] == [(8, False), (7, True)]
    both = hit("- Teo is a nurse.\n- Teo is now a doctor. (2026-11-17)", line=7)
    found = order_by_currency([both], Times(TODAY), "What is Teo?")
    assert [(one.start_line, one.was) for one in found] == [(8, False), (7, True)]
    silent = hit("- Teo is a doctor. (2026-11-17)", line=8)
    assert not any(one.was for one in order_by_currency([plain, silent], Times(TODAY), "Teo"))


@dataclass(frozen=True)
class Known:
    """The days on which facts came, in this order."""

    days: dict[str, datetime.date]
    outside: bool = False

    def until_now(self) -> Callable[[str], Mapping[str, Came]]:
        return self._of

    def _of(self, path: str) -> dict[str, Came]:
        noon = datetime.time(12)
        return {
            text: Came(datetime.datetime.combine(day, noon), number, self.outside)
            for number, (text, day) in enumerate(self.days.items())
        }

    def begun(self) -> datetime.date:
        return datetime.date(2026, 11, 1)


def test_what_was_there_before_all_was_seen_is_older() -> None:
    old = hit("- Ida's bank is Alba.", line=3)
    new = hit("- Ida's bank is Nordea.", "memory/2026-11-09.md")
    times = Times(TODAY, arrivals=Known({}))
    found = order_by_currency([old, new], times, "What is Ida's bank?")
    assert [(one.snippet, one.was) for one in found] == [(new.snippet, False), (old.snippet, True)]
    past = replace(new, path="memory/2026-10-09.md", date=datetime.date(2026, 10, 9))
    assert order_by_currency([old, past], times, "What is Ida's bank?")[0].snippet == old.snippet


def test_an_undated_fact_is_of_the_day_on_which_it_came() -> None:
    """Of two without a day the one that came later is first, and the day is told."""
    days = {"Ida's bank is Alba.": datetime.date(2026, 11, 2)}
    days["Ida's bank is Nordea."] = datetime.date(2026, 11, 9)
    old, new = (
        hit("- Ida's bank is Alba.", line=3),
        hit("- Ida's bank is Nordea.", "memory/bank.md"),
    )
    times = Times(TODAY, arrivals=Known(days))
    found = order_by_currency([old, new], times, "What is Ida's bank?")
    assert [(one.snippet, one.was) for one in found] == [(new.snippet, False), (old.snippet, True)]
    assert [one.date for one in found] == [
        days["Ida's bank is Nordea."],
        days["Ida's bank is Alba."],
    ]
    then = Times(TODAY, datetime.date(2026, 11, 4), arrivals=Known(days))
    assert [one.snippet for one in order_by_currency([old, new], then)] == [old.snippet]


def test_a_day_of_its_own_counts_more_than_when_a_fact_came() -> None:
    told = hit("- Ida's bank is Alba. (2026-01-05)")
    times = Times(TODAY, arrivals=Known({"Ida's bank is Alba.": TODAY}))
    assert order_by_currency([told], times)[0].date == datetime.date(2026, 1, 5)


def test_of_one_day_the_later_is_newer() -> None:
    """A fact and its correction within an hour, in two notes: the journal knows which came first."""
    old = hit("- Ida's bank is Alba. (2026-11-17)", line=3)
    new = hit("- Ida's bank is Nordea.", "memory/2026-11-17.md", date=TODAY)
    told = ["Ida's bank is Alba.", "Ida's bank is Nordea."]
    arrivals = Known(dict.fromkeys(told, TODAY))
    found = order_by_currency([old, new], Times(TODAY, arrivals=arrivals), "What is Ida's bank?")
    assert [(one.snippet, one.was) for one in found] == [(new.snippet, False), (old.snippet, True)]
    turned = Known(dict.fromkeys(reversed(told), TODAY))
    found = order_by_currency([old, new], Times(TODAY, arrivals=turned), "What is Ida's bank?")
    assert [(one.snippet, one.was) for one in found] == [(old.snippet, False), (new.snippet, True)]
    one_look = Times(TODAY, arrivals=Known(arrivals.days, outside=True))
    found = order_by_currency([old, new], one_look, "What is Ida's bank?")
    assert not any(one.was for one in found), "an editor saved both: nobody knows which came first"


def test_of_one_day_what_tells_of_a_change_is_newer() -> None:
    """Without a journal, as in a fresh clone, the words tell."""
    old = hit("- Nora lives in Lisbon. (2026-11-17)", line=3)
    new = hit("- Nora moved to Porto.", "memory/2026-11-17.md", date=TODAY)
    found = order_by_currency([old, new], Times(TODAY), "Where does Nora live?")
    assert [(one.snippet, one.was) for one in found] == [(new.snippet, False), (old.snippet, True)]


@pytest.mark.parametrize(
    ("told", "other", "question"),
    [
        ("Nora moved to Porto.", "Nora has a new bike.", "Where does Nora live?"),
        ("Jonas ist nach Bremen gezogen.", "Jonas hat ein neues Fahrrad.", "Wo wohnt Jonas?"),
    ],
)
def test_what_is_new_of_somebody_stands_above_no_answer(
    told: str, other: str, question: str
) -> None:
    answer = hit(f"- {told} (2026-11-16)", line=3)
    new = hit(f"- {other} (2026-11-17)", line=4)
    found = order_by_currency([answer, new], Times(TODAY), question)
    assert [(one.start_line, one.was) for one in found] == [(3, False), (4, False)]
