"""English sentences of made-up notes, and the facts in them that questions ask for."""

from __future__ import annotations

import string
from collections.abc import Callable

from bench.scene import Fact, Language, Scene
from bench.words import CONTAINERS, NOUNS, listed

MONTHS = listed("""
January February March April May June July August September October November December
""")
DAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
FOODS = listed("""
hazelnuts peanuts shellfish celery mustard sesame lupin kiwi penicillin wool latex soya
strawberries pollen ibuprofen
""")
DRINKS = listed("tea coffee cider juice cocoa lemonade water ginger-beer mate buttermilk")

SENTENCES: tuple[Callable[[Scene], str], ...] = (
    lambda s: f"{s.first_name()} {s.verb()} the {s.noun()} and left the {s.noun()} for later.",
    lambda s: f"The {s.adjective()} {s.noun()} from {s.place()} is still {s.adjective()}.",
    lambda s: f"Talked with {s.first_name()} about the {s.noun()}; no decision yet.",
    lambda s: f"{s.project()}: {s.noun()} done, {s.noun()} half done, {s.noun()} not begun.",
    lambda s: f"We {s.verb()} the {s.noun()} twice, then {s.first_name()} {s.verb()} it for good.",
    lambda s: (
        f"Paid {s.number(4, 900)} € for the {s.noun()}, which {s.first_name()} thinks is fair."
    ),
    lambda s: f"Nobody in {s.place()} has seen the {s.noun()} since {s.pick(MONTHS)}.",
    lambda s: f"If the {s.noun()} is {s.adjective()} again, ask {s.first_name()} first.",
    lambda s: f"{s.first_name()} says the {s.product()} is too {s.adjective()} for our {s.noun()}.",
    lambda s: f"Reminder: {s.noun()} before {s.pick(DAYS)}, {s.noun()} after.",
    lambda s: f"The {s.noun()} in the {s.room()} sounds different when it is {s.adjective()}.",
    lambda s: (
        f"Compared three offers for the {s.noun()}: {s.number(80, 400)}, {s.number(80, 400)} and"
        f" {s.number(80, 400)} €; took the {s.adjective()} one."
    ),
    lambda s: (
        f"Took the {s.number(5, 22)}:{s.number(10, 59)} to {s.place()} with {s.first_name()}."
    ),
    lambda s: f"{s.first_name()} {s.verb()} the {s.product()}, {s.first_name()} only watched.",
    lambda s: f"It was the {s.noun()} after all, not the {s.noun()}.",
    lambda s: f"Wrote to {s.place()} because of the {s.noun()}; answer expected by {s.pick(DAYS)}.",
    lambda s: (
        f"What we learned: the {s.adjective()} {s.noun()} costs less than the {s.adjective()}"
        f" {s.noun()}, at least in {s.place()}."
    ),
    lambda s: (
        f"The {s.pick(s.jargon)} was {s.adjective()}, so {s.first_name()} {s.verb()} it by hand."
    ),
    lambda s: (
        f"On {s.date()} the {s.noun()} had {s.number(2, 90)} {s.pick(s.jargon)} marks, today"
        f" {s.number(2, 90)}."
    ),
    lambda s: f"{s.first_name()} wants the {s.noun()} {s.adjective()}, {s.first_name()} does not.",
    lambda s: (
        f"Half an hour in the {s.room()} looking for the {s.noun()}; it was under the {s.noun()}."
    ),
    lambda s: (
        f"For {s.project()} we need {s.number(2, 40)} more of the {s.adjective()} {s.pick(s.jargon)}"
        f" kind and somebody who has {s.verb()} one before."
    ),
    lambda s: f"Rain in {s.place()}, {s.number(1, 31)} °C, {s.noun()} inside.",
    lambda s: (
        f"{s.first_name()} called at {s.number(7, 21)}:{s.number(10, 59)}: the {s.noun()} is off."
    ),
    lambda s: f"Good day. The {s.noun()} works, the {s.noun()} too, and {s.first_name()} laughed.",
    lambda s: f"The {s.product()} from {s.place()} replaced the {s.adjective()} {s.product()}.",
    lambda s: (
        f"{s.first_name()} {s.verb()} and {s.verb()} the {s.noun()} until {s.number(18, 23)}:00,"
        f" with the {s.noun()} from {s.place()}."
    ),
)


def _key(s: Scene) -> Fact:
    where, who = f"{s.place()} {s.room()}", s.person()
    return Fact(
        f"The spare key for the {where} is with {who}.",
        f"Who has the spare key for the {where}?",
        who,
        "natural",
    )


def _allergy(s: Scene) -> Fact:
    who, what = s.person(), s.pick(FOODS)
    return Fact(
        f"{who} is allergic to {what}, ask before cooking.",
        f"What is {who} allergic to?",
        what,
        "natural",
    )


def _in_use(s: Scene) -> Fact:
    where, what, noun = f"{s.place()} {s.room()}", s.product(), s.pick(NOUNS)
    return Fact(
        f"In the {where} the {noun} is the {what}, since {s.pick(MONTHS)}.",
        f"Which {noun} do we use in the {where}?",
        what,
        "natural",
    )


def _moved(s: Scene) -> Fact:
    who, where = s.person(), s.place()
    return Fact(
        f"{who} has moved to {where} and likes it.", f"Where did {who} move to?", where, "natural"
    )


def _price(s: Scene) -> Fact:
    who, what, price = s.person(), s.product(), f"{s.number(20, 4000)} €"
    return Fact(
        f"{who} wants {price} for the {what}, not a cent less.",
        f"How much does {who} want for the {what}?",
        price,
        "natural",
    )


def _due(s: Scene) -> Fact:
    what, noun, day = s.project(), s.noun(), f"{s.pick(MONTHS)} {s.number(1, 29)}"
    return Fact(
        f"The {noun} of {what} is due on {day}, everyone agreed.",
        f"When is the {noun} of {what} due?",
        day,
        "natural",
    )


def _decision(s: Scene) -> Fact:
    what, product, reason = s.project(), s.product(), s.noun()
    return Fact(
        f"Decided: {what} keeps the {product}, because of the {reason}.",
        f"Why did we decide to keep the {product} for {what}?",
        reason,
        "natural",
    )


def _preference(s: Scene) -> Fact:
    who, liked, other = s.person(), s.pick(DRINKS), s.pick(FOODS)
    return Fact(
        f"{who} prefers {liked} in the morning and hates {other}.",
        f"What does {who} like to drink in the morning?",
        liked,
        "natural",
    )


def _birthday(s: Scene) -> Fact:
    who, day = s.person(), f"{s.number(1, 29)} {s.pick(MONTHS)}"
    return Fact(f"{who} was born on {day}.", f"When is the birthday of {who}?", day, "natural")


def _stored(s: Scene) -> Fact:
    what, where = f"{s.adjective()} {s.noun()} from {s.place()}", s.pick(CONTAINERS)
    return Fact(
        f"Put the {what} into the {where} in the {s.room()}.",
        f"Where did we put the {what}?",
        where,
        "natural",
    )


def identifier(s: Scene) -> Fact:
    """A line with an order number, hash, ticket, key or the like that stands nowhere else."""
    number, pick = s.number, s.pick
    shapes = (
        (
            lambda: f"{number(100, 999)}-{number(10000, 99999)}",
            f"Order {{}}: {number(2, 9)} × {s.noun()} from {s.place()}, {number(9, 600)} €.",
        ),
        (
            lambda: f"{number(0x1000000, 0xFFFFFFF):07x}",
            f"Commit `{{}}` repairs the {s.noun()}; {s.first_name()} reviewed it.",
        ),
        (
            lambda: f"{s.project()[:2].upper()}-{number(100, 99999)}",
            f"{{}} opened: the {s.noun()} is {s.adjective()} after the {s.noun()}.",
        ),
        (
            lambda: f"{pick(s.jargon)}.{pick(s.nouns)}.{pick(s.nouns)}_ms",
            f"Set `{{}}` to {number(5, 900)}, {s.first_name()} measured it.",
        ),
        (
            lambda: (
                f"{''.join(pick(string.ascii_uppercase) for _ in range(3))}-{number(0, 999999):06d}"
            ),
            f"Serial number {{}} is the {s.product()} in the {s.room()}.",
        ),
        (
            lambda: f"{s.person().lower().replace(' ', '.')}{number(1, 9999)}@example.com",
            f"Questions about the {s.noun()} go to {{}}.",
        ),
    )
    make, frame = shapes[number(0, len(shapes))]
    code = s.fresh(make)
    return Fact(frame.format(code), code, code, "identifier")


ENGLISH = Language(
    name="en",
    headings=(
        "Today", "Open questions", "Decisions", "Notes from the call", "To do", "Later", "Errands",
        "What happened", "Background", "Numbers", "People", "Ideas", "Workshop", "Money", "Evening",
    ),
    sentences=SENTENCES,
    facts=(
        _key, _allergy, _in_use, _moved, _price, _due, _decision, _preference, _birthday, _stored,
    ),
    chunk_chars=1400,
)  # fmt: skip
