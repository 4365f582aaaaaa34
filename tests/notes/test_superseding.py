"""Which facts a newer one replaces: what both hold must never be taken for replaced."""

from __future__ import annotations

import datetime
import json
from importlib.resources import files

import pytest
from bench.lives import read_pairs

from memdown.notes.details import content_words
from memdown.notes.exchanges import gives_up
from memdown.notes.statements import Fact, facts_of
from memdown.notes.superseding import (
    Replaced,
    contradicts,
    features_of,
    is_worth_asking,
    likelihood,
    replaced,
    weighed_by,
)
from memdown.search.currency import Times, order_by_currency
from memdown.types import Hit

RULED = read_pairs("ruledPairs")


def test_most_of_what_ends_or_can_be_one_thing_only_is_replaced() -> None:
    """The weights are fitted to these pairs, too; what is to be expected elsewhere `python -m bench facts` says."""
    found = [replaced(one.old, one.new) is Replaced.SURELY for one in RULED if one.replaced]
    assert sum(found) >= 0.8 * len(found)


def test_hardly_anything_that_may_hold_beside_the_newer_is_replaced() -> None:
    both = [one for one in RULED if not one.replaced]
    wrong = [one for one in both if replaced(one.old, one.new) is Replaced.SURELY]
    assert len(wrong) <= 0.05 * len(both), wrong


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("when does bus 42 leave", "Bus 42 leaves at 8:10.", "Bus 43 leaves at 8:20."),
        ("is chapter 3 done", "Chapter 3 is done.", "Chapter 4 is done."),
        ("invoice 2031", "Invoice 2031 was paid.", "Invoice 2032 was paid."),
        ("commit a828e60", "Commit a828e60 fixes the parser.", "Commit b919f71 fixes the parser."),
        ("when did we deploy v1.4.2", "Deployed v1.4.2 to staging.", "Deployed v1.4.3 to staging."),
        ("where is tape T17", "Tape T17 goes to the safe.", "Tape T18 goes to the safe."),
        ("PR #812", "Merged PR #812: fix login.", "Merged PR #815: fix logout."),
    ],
)
def test_one_of_several_that_is_asked_for_by_its_number_or_code_is_not_replaced_by_another(
    question: str, old: str, new: str
) -> None:
    assert replaced(old, new, question) is Replaced.NO


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("when does bus 42 leave", "Bus 42 leaves at 8:10.", "Bus 42 leaves at 8:20 now."),
        (
            "is it platform 4",
            "The train leaves from platform 4.",
            "The train leaves from platform 9.",
        ),
        ("do we have 4 hives", "We have 4 hives.", "We have 3 hives now."),
        ("is the stand-up at 9:30", "The stand-up is at 9:30.", "The stand-up is at 10:15."),
    ],
)
def test_another_number_of_the_same_replaces(question: str, old: str, new: str) -> None:
    assert replaced(old, new, question) is Replaced.SURELY


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rent is 940 euros a month.", "Rent is 985 euros a month."),
        ("Piet coaches the under-tens.", "Sofie has taken over the under-tens from Piet."),
        ("The dishwasher is broken.", "The dishwasher has been repaired."),
        ("Zwemles is op dinsdag.", "Zwemles is verzet naar woensdag."),
        (
            "The tent is in the loft.",
            "After the flood we carried the tent down, it is in the shed.",
        ),
        ("班主任是刘老师。", "班主任换成了黄老师。"),
    ],
)
def test_another_value_of_the_same_is_what_holds(old: str, new: str) -> None:
    assert replaced(old, new) is Replaced.SURELY


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The shed is red.", "The shed is small."),
        ("Buoy 3 was serviced.", "Buoy 5 was serviced."),
        ("Quentin has two goats.", "Quentin has now a donkey."),
        ("Tess has a cello.", "Tess bought a new viola."),
        ("Anna's dentist is Dr. Lau.", "Ben's dentist is Dr. Mai."),
        ("Jette mag Grün.", "Jette mag Orange."),
        ("一班有30个人。", "二班有28个人。"),
    ],
)
def test_one_more_or_another_takes_nothing_away(old: str, new: str) -> None:
    assert replaced(old, new) is not Replaced.SURELY


def test_most_features_have_a_weight() -> None:
    found = features_of("The rent is 940 euros.", "The rent is 985 euros.", "How much is the rent?")
    weights = json.loads(files("memdown.notes").joinpath("superseding.json").read_text("utf-8"))
    assert found is not None
    assert len(found.keys() & weights.keys()) > 0.8 * len(found)


def test_other_weights_hold_for_a_while_only() -> None:
    old, new = "The rent is 940 euros.", "The rent is 985 euros."
    with weighed_by({"base": -9.0}):
        assert replaced(old, new) is Replaced.NO
    assert replaced(old, new) is Replaced.SURELY


def test_who_asks_for_several_things_hears_of_several() -> None:
    old, new = "The gateway listens on port 8080.", "The gateway listens on port 9102."
    one, several = "Which port does the gateway use?", "What are the ports of the gateway?"
    assert likelihood(old, new, one) > likelihood(old, new, several)


def test_rules_that_are_left_out_would_have_changed_nothing() -> None:
    """With a question, `replaced` asks rules only until they cannot matter; `likelihood` asks all of them."""
    for one in RULED:
        question = f"What about this: {one.old.rstrip('.')}?"
        chance = likelihood(one.old, one.new, question)
        found = replaced(one.old, one.new, question)
        if chance >= 0.6:
            assert found is Replaced.SURELY, one
        elif chance < 0.5 and not gives_up(one.new, one.old, content_words(question)):
            assert found is not Replaced.SURELY, one
            assert chance >= 0.08 or found is Replaced.NO, one
        assert chance < 0.4 or found is not Replaced.NO, one


def test_also_said_of_something_else_is_no_also() -> None:
    old, new = "GP: Dr. Lau, Hill Street 8", "GP: Dr. Mai, Market Street 3, also on Saturdays"
    assert likelihood(old, new) > 0
    assert likelihood("The shop is on Mill Street.", "The shop is also on Park Lane.") == 0


def test_what_says_too_much_is_no_also() -> None:
    old, new = "The timeout is 30 seconds.", "Too many retries: the timeout is 90 seconds."
    assert replaced(old, new) is Replaced.SURELY


def test_what_says_also_replaces_nothing() -> None:
    assert replaced("The shop is on Mill Street.", "The shop is also on Park Lane.") is Replaced.NO


def test_below_the_headings_of_two_people_two_people_are_meant() -> None:
    note = "# Memory\n\n## Nora\n\n- Lives in Porto.\n\n## Teo\n\n- Lives in Braga now.\n"
    nora, teo = facts_of(note, "MEMORY.md")
    assert not contradicts(nora, teo)
    same = facts_of(note.replace("\n## Teo\n\n", ""), "MEMORY.md")
    assert contradicts(*same)


def test_a_name_tells_whom_both_are_about() -> None:
    note = "# Memory\n\n## Family\n\n- Aunt Nora lives in Porto.\n\n## News\n\n- Aunt Nora moved to Braga.\n"
    old, new = facts_of(note, "MEMORY.md")
    assert isinstance(old, Fact)
    assert contradicts(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Hallberg is a customer since 2021.", "Nordlys is a new customer."),
        ("Felix has a hamster.", "Felix now has an aquarium in his room."),
        ("一号服务器跑网站。", "二号服务器跑新的数据库。"),
    ],
)
def test_one_more_takes_nothing_away(old: str, new: str) -> None:
    (first,) = facts_of(f"- {old}\n", "memory/2026-03-01.md")
    (second,) = facts_of(f"- {new}\n", "memory/2026-03-09.md")
    assert not contradicts(first, second)
    hits = [
        Hit(fact.path, "memory", 1, 1, 0.9, f"- {fact.text}", date=fact.day)
        for fact in (first, second)
    ]
    found = order_by_currency(hits, Times(datetime.date(2026, 4, 1)), f"{old} {new}")
    assert not any(hit.was for hit in found)


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Nora lives in Lisbon.", "Nora now drinks tea after noon.", "Where does Nora live?"),
        ("Nora lives in Lisbon.", "Nora now drinks tea after noon.", "where does nora live"),
        ("Nora wohnt in Lissabon.", "Nora trinkt jetzt nachmittags Tee.", "Wo wohnt Nora?"),
        ("Nora arbeitet bei Siemens.", "Nora spielt jetzt im Orchester.", "Wo arbeitet Nora?"),
        ("Nora habite à Lisbonne.", "Nora boit maintenant du thé.", "Où habite Nora ?"),
        ("Nora vive en Lisboa.", "Nora ahora bebe té por la tarde.", "¿Dónde vive Nora?"),
        ("诺拉住在里斯本。", "诺拉现在下午喝茶。", "诺拉住在哪里？"),
        ("Mara works at Siemens.", "Mara now sings in a choir.", "Where does Mara work?"),
    ],
)
def test_what_is_new_of_somebody_replaces_nothing_else(old: str, new: str, question: str) -> None:
    """The question makes a newer fact about the same thing likelier, but not one about the same person."""
    assert replaced(old, new, question) is Replaced.NO


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("My phone number is 555-0100.", "My new number is 555-0199.", "What is my phone number?"),
        ("Nora lives in Lisbon.", "Nora moved to Porto.", "Where does Nora live?"),
        ("Nora wohnt in Lissabon.", "Nora ist nach Porto gezogen.", "Wo wohnt Nora?"),
        ("We use MySQL.", "We switched from MySQL to Postgres.", "Which database do we use?"),
        ("诺拉住在里斯本。", "诺拉搬到了波尔图。", "诺拉住在哪里？"),
    ],
)
def test_a_correction_replaces_what_it_corrects(old: str, new: str, question: str) -> None:
    assert replaced(old, new, question) is Replaced.SURELY


def test_who_remembers_is_asked_about_the_nearest_first() -> None:
    """What is as likely is asked about if it is the nearest, not if others are nearer."""
    old, new = "The kiln fires at cone 6.", "Gwen set the kiln, it fires hotter."
    with weighed_by({"base": -2.5}):
        assert is_worth_asking(old, new, 0.5, nearest=True)
        assert not is_worth_asking(old, new, 0.5, nearest=False)
        assert not is_worth_asking(old, new, 0.2, nearest=True)
