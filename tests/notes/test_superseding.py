"""Which facts a newer one replaces: what both hold must never be taken for replaced."""

from __future__ import annotations

import datetime

import pytest

from memdown.notes.details import content_words
from memdown.notes.statements import Fact, facts_of
from memdown.notes.superseding import Replaced, contradicts, replaced
from memdown.search.currency import Times, order_by_currency
from memdown.types import Hit

REPLACED = (
    ("Ole takes 5 mg of zinc twice a day.", "The doctor raised Ole's zinc to 10 mg twice a day."),
    ("The rent is 940 euros a month.", "Rent is 985 euros a month."),
    ("Piet coaches the under-tens.", "Sofie has taken over the under-tens from Piet."),
    (
        "The head of the choir is Roland.",
        "After Roland's farewell, Beatrix is the head of the choir.",
    ),
    ("The dishwasher is broken.", "The dishwasher has been repaired."),
    ("Ravi is dating Tilda.", "Ravi and Tilda broke up."),
    ("Hana's favourite colour is teal.", "Hana's favourite colour is mustard."),
    ("Lena studiert Jura.", "Lena hat Jura abgebrochen und studiert Biologie."),
    ("Die Wohnung wird mit Gas geheizt.", "Die Wohnung wird mit einer Wärmepumpe geheizt."),
    ("Zwemles is op dinsdag.", "Zwemles is verzet naar woensdag."),
    ("Hugo joue au foot.", "Hugo a arrêté le foot pour le judo."),
    ("Nuestro veterinario es el doctor Sanz.", "Nuestra veterinaria es la doctora Lago."),
    ("Marta lavora in banca.", "Marta ha lasciato la banca e lavora in una scuola."),
    ("O gato dorme no sofá.", "O gato já não dorme no sofá, dorme na cesta."),
    ("班主任是刘老师。", "班主任换成了黄老师。"),
    ("ゴミの日は火曜日です。", "ゴミの日は金曜日に変わりました。"),
)
BOTH_HOLD = (
    ("The shed is red.", "The shed is small."),
    ("The meeting is on Monday.", "The meeting is in room 5."),
    ("The flight is on Friday.", "The flight is at 9:20."),
    ("The boiler was repaired in May.", "The boiler was repaired in October."),
    ("My son is 12 years old.", "My son is 150 cm tall."),
    ("Ran 5 km in 28 minutes.", "Ran 10 km in 61 minutes."),
    ("Changed the password of the router.", "Changed the password of the mail account."),
    ("Ines moved to Graz.", "Ines moved the meeting to Friday."),
    ("Pia moved to Bonn.", "Pia's brother moved to Kiel."),
    ("Mum is ill.", "Mum's sister has recovered."),
    ("Tom knows Ana.", "Tom and Ana sold the boat."),
    ("Our neighbour is Mr. Bell.", "Our neighbour is Ms. Ortiz."),
    ("The head of sales is Piotr.", "The head of sales is ill."),
    ("The server runs Nginx.", "The server runs Postgres."),
    ("Our office is in Berlin.", "Our office is on the second floor."),
    ("The school is closed on Friday.", "The school is closed on Monday."),
    ("Theo is allergic to penicillin.", "Theo is allergic to wasp stings."),
    ("Karin wohnt in Celle.", "Karins Bruder ist nach Hameln umgezogen."),
    ("Das Büro ist in Kiel.", "Das Büro ist im zweiten Stock."),
    ("Jette mag Grün.", "Jette mag Orange."),
    ("La oficina está en Lugo.", "La oficina está en obras."),
    ("Elena vive en Soria.", "La hermana de Elena se mudó a Vigo."),
    ("Luc joue du piano.", "Luc a arrêté de fumer."),
    ("2026-07-30: asked the co-operative.", "2026-09-29: asked the co-operative, postponed."),
    ("小李会弹钢琴。", "小李换了手机。"),
    ("田中さんは犬を飼っています。", "田中さんは車を売りました。"),
)


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_ends_or_can_be_one_thing_only_is_replaced(old: str, new: str) -> None:
    assert replaced(old, new, content_words(old)) is Replaced.SURELY


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_may_hold_beside_the_newer_is_not(old: str, new: str) -> None:
    asked = content_words(old)
    assert replaced(old, new) is not Replaced.SURELY
    assert replaced(old, new, asked) is not Replaced.SURELY


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
