"""Question sets of our own: synonyms, short forms, compounds, misspellings, and questions about other people's notes.

Each has 150 questions or about as many, made of short lists by rules, so that nothing of them was
chosen by what search finds. `python tests/evaluation/own_sets/sets.py FOLDER` writes them as question
files that `memdown eval FOLDER` runs.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
PEOPLE = ("Nora", "Ben", "Ida", "Tariq", "Lucia", "Pavel", "Aiko", "Sven", "Mara", "Jonas")
STRANGERS = ("Wendell", "Oksana", "Thabo", "Priscilla", "Duarte", "Ingrid", "Farouk", "Beatrix")
_COLOURS = (
    "amber blue coral crimson green grey indigo ivory lilac olive orange purple silver teal".split()
)
_BEASTS = (
    "badger crane falcon heron lynx marten otter owl pike raven seal stoat swift tern wren".split()
)
_FOREIGN = (
    "What did {who} plant behind the {thing} in {year}?",
    "Which {thing} did {who} sell at the auction?",
    "Why was the {thing} of {who} closed in {year}?",
    "How many {thing}s did the museum in {town} lend to {who}?",
    "Who repaired the {thing} after the flood in {town}?",
)
# How notes tell what a short form means: lists, tables, and in the middle of a sentence.
_DEFINED = {
    "en": (
        "{short} ({long})",
        "{long} ({short})",
        "{short}: {long}",
        "**{short}** – {long}",
        "{short} stands for {long}.",
        "{short} = {long}",
        "After the summer we talked about {long} ({short}) with everybody, and liked it.",
        "| {short} | {long} |",
        "Ida was new to {short} ({long}), so we explained it twice.",
        "What we mean by {long}, or {short} for short, was told on the first day.",
        "{long} (abbreviated {short}) came up again.",
    ),
    "de": (
        "{short} ({long})",
        "Das Wort {long} ({short}) fiel im Gespräch mehrmals.",
        "{short}: {long}",
        "{short} steht für {long}.",
        "{long}, kurz {short}",
    ),
    "fr": (
        "{short} ({long})",
        "On a parlé de {long} ({short}) avec tout le monde.",
        "{short} : {long}",
        "{short} signifie {long}.",
    ),
    "es": (
        "{long} ({short})",
        "{short}: {long}",
        "Hablamos de {short} ({long}) con todos.",
        "{short} significa {long}.",
    ),
    "ru": (
        "{short} ({long})",
        "Сначала обсудили, что такое {long} ({short}), и все согласились.",
        "{short} — {long}",
        "{short}: {long}",
    ),
    "nl": ("{short} ({long})", "{long} ({short})", "{short}: {long}", "{short} staat voor {long}."),
    "it": ("{long} ({short})", "{short}: {long}", "{short} ({long})"),
    "zh": ("{short}（{long}）", "{long}（{short}）", "{short}：{long}", "{short} 是{long}的缩写。"),
}
# Two facts, each with its question; what is asked for is told by the other form.
_TOLD = {
    "en": (
        ("{form} is looked after by {who} since week {number}.", "Who looks after {form}?"),
        ("The budget for {form} is {number} thousand.", "What is the budget for {form}?"),
    ),
    "de": (
        ("Um {form} kümmert sich {who} seit Woche {number}.", "Wer kümmert sich um {form}?"),
        ("Für {form} sind {number} Euro eingeplant.", "Wie viel ist für {form} eingeplant?"),
    ),
    "fr": (
        ("{form} : le dossier est chez {who} depuis {number} jours.", "Qui a le dossier {form} ?"),
        ("Le budget pour {form} est de {number} euros.", "Quel est le budget pour {form} ?"),
    ),
    "es": (
        ("De {form} se encarga {who} desde la semana {number}.", "¿Quién se encarga de {form}?"),
        ("Para {form} hay {number} euros.", "¿Cuántos euros hay para {form}?"),
    ),
    "ru": (
        ("{form}: этим занимается {who} уже {number} дней.", "Кто занимается темой {form}?"),
        ("На {form} отложено {number} рублей.", "Сколько рублей отложено на {form}?"),
    ),
    "nl": (
        ("{who} regelt de {form} sinds week {number}.", "Wie regelt de {form}?"),
        (
            "Voor de {form} is {number} euro opzij gezet.",
            "Hoeveel is er voor de {form} opzij gezet?",
        ),
    ),
    "it": (
        ("Di {form} si occupa {who} da {number} giorni.", "Chi si occupa di {form}?"),
        ("Per {form} ci sono {number} euro.", "Quanti euro ci sono per {form}?"),
    ),
    "zh": (
        ("{form}从第{number}周起由{who}负责。", "谁负责{form}？"),
        ("{form}的预算是{number}元。", "{form}的预算是多少？"),
    ),
}
_THINGS = "lighthouse orchard telescope harpsichord windmill tannery observatory vineyard kiln ferry".split()
_TOWNS = "Bergamo Tromso Coimbra Galway Tartu Uppsala Lecce Ghent Riga Porto".split()
Notes = dict[str, list[str]]
Workspace = dict[str, Any]


def _rows(name: str) -> list[list[str]]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _pairs(name: str) -> list[tuple[str, str]]:
    return [(first, second) for first, second in _rows(name)]


def _value(number: int) -> str:
    return f"{_COLOURS[number % len(_COLOURS)]} {_BEASTS[number * 7 % len(_BEASTS)]}"


def _noted(facts: Iterable[tuple[str, str]]) -> tuple[Notes, dict[str, list[list[Any]]]]:
    """Facts, each with the note it stands in, as notes and as the place of each fact."""
    notes: Notes = {}
    places: dict[str, list[list[Any]]] = {}
    for name, fact in facts:
        lines = notes.setdefault(f"memory/{name}.md", [f"# {name.title()}", ""])
        lines.append(f"- {fact}")
        places[fact] = [[f"memory/{name}.md", len(lines), len(lines)]]
    return notes, places


def synonyms() -> list[Workspace]:
    """Each word of a pair stands in a fact, and is asked for by the other word."""
    asked = []
    for number, (one, other) in enumerate(_pairs("words.tsv")):
        for turn, (told, meant) in enumerate(((one, other), (other, one))):
            who = PEOPLE[(number + 5 * turn) % len(PEOPLE)]
            fact = f"{who}'s {told} is called {_value(2 * number + turn)}."
            asked.append((who.lower(), fact, f"What is the name of {who}'s {meant}?"))
    notes, places = _noted((name, fact) for name, fact, _ in asked)
    return [_set("synonyms", notes, [(question, places[fact]) for _, fact, question in asked])]


def acronyms() -> list[Workspace]:
    """A glossary tells what short forms mean; facts use one form, questions the other."""
    asked = []
    glossary = []
    for number, (short, long) in enumerate(_pairs("acronyms.tsv")):
        who = PEOPLE[number % len(PEOPLE)]
        glossary.append(("glossary", f"{short} ({long})"))
        fact = f"The {short} is looked after by {who} since week {number + 1}."
        asked.append(("duties", fact, f"Who looks after the {long}?"))
        fact = f"The budget for {long} is {40 + 3 * number} thousand."
        asked.append(("budgets", fact, f"What is the budget for {short}?"))
    notes, places = _noted([*glossary, *((name, fact) for name, fact, _ in asked)])
    return [_set("acronyms", notes, [(question, places[fact]) for _, fact, question in asked])]


def definitions(half: int | None = None) -> list[Workspace]:
    """Short forms in eight languages, defined in the ways that notes do; a workspace for each language.

    Facts use one form, questions the other. The rules that find definitions were written with the first
    half (0); the second (1) was asked only when they were done.
    """
    return [_defined(language, half) for language in _DEFINED]


def _defined(language: str, half: int | None) -> Workspace:
    """All definitions and facts of a language, and the questions about them or about one half."""
    facts, asked = [], []
    mine = [(short, long) for of, short, long in _rows("definitions.tsv") if of == language]
    for number, (short, long) in enumerate(mine):
        forms = _DEFINED[language]
        told = forms[number % len(forms)].format(short=short, long=long)
        facts.append(("glossary" if number % 2 else "spring", told))
        who = PEOPLE[number % len(PEOPLE)]
        for (fact, question), (noted, meant) in zip(
            _TOLD[language], ((short, long), (long, short)), strict=True
        ):
            fact = fact.format(form=noted, who=who, number=20 + 3 * number)
            facts.append(("facts", fact))
            if half is None or number % 2 == half:
                asked.append((fact, question.format(form=meant)))
    notes, places = _noted(facts)
    return _set(language, notes, [(question, places[fact]) for fact, question in asked])


# Of each language what a compound begins with and what stands in its place, both ends of it, how a fact
# is told and how it is asked for.
_COMPOUNDS = {
    "de": (
        "router|den Router auto|das Auto garagen|die Garage küchen|die Küche heizungs|die Heizung "
        "keller|den Keller garten|den Garten wohnungs|die Wohnung firmen|die Firma urlaubs|den Urlaub",
        "rechnung vertrag schlüssel versicherung termin liste nummer reparatur",
        "{head} für {thing}: siehe {value}.",
        "Wo steht die {compound}?",
    ),
    "nl": (
        "router|de router auto|de auto garage|de garage keuken|de keuken verwarmings|de verwarming "
        "kelder|de kelder vakantie|de vakantie",
        "rekening contract sleutel verzekering lijst",
        "{head} voor {thing}: zie {value}.",
        "Waar staat de {compound}?",
    ),
    "sv": (
        "router|en router garage|ett garage trädgårds|en trädgård källar|en källare semester|en semester "
        "företags|ett företag lägenhets|en lägenhet",
        "räkning avtal nyckel försäkring lista",
        "{head} för {thing}: se {value}.",
        "Var står {compound}?",
    ),
}


def compounds() -> list[Workspace]:
    """Questions with a compound about notes that hold its parts; every other line has one of them."""
    made = []
    for language, (firsts, heads, fact, question) in _COMPOUNDS.items():
        asked = []
        told = [one.split("|") for one in re.findall(r"\S+\|\S+ \S+", firsts)]
        for number, (head, (first, thing)) in enumerate(product(heads.split(), told)):
            line = fact.format(head=head.capitalize(), thing=thing, value=_value(number))
            wanted = question.format(compound=(first + head).capitalize())
            asked.append((f"{language}-{number % 9}", line, wanted))
        notes, places = _noted((name, line) for name, line, _ in asked)
        made.append(
            _set(f"compounds-{language}", notes, [(text, places[line]) for _, line, text in asked])
        )
    return made


def misspellings() -> list[Workspace]:
    """The longest word of each question has one slip: letters swapped, lost, doubled or wrong."""
    chance = random.Random(3)
    asked = []
    for number, (one, other) in enumerate(_pairs("words.tsv")):
        for turn, told in enumerate((one, other)):
            beast = _BEASTS[(number + turn) % len(_BEASTS)]
            fact = (
                f"The {told} with the {beast} belongs to {PEOPLE[(number + turn) % len(PEOPLE)]}."
            )
            longest = max((told, beast), key=len)
            question = f"Who owns the {told} with the {beast}?"
            slip = _slip(longest, chance)
            asked.append((f"things-{number % 9}", fact, question.replace(longest, slip, 1)))
    notes, places = _noted((name, fact) for name, fact, _ in asked)
    return [_set("misspellings", notes, [(question, places[fact]) for _, fact, question in asked])]


def _slip(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word) - 1)
    return chance.choice(
        (
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + chance.choice("aeionrst") + word[place + 1 :],
        )
    )


def foreign() -> list[Workspace]:
    """Questions about people and things that are in none of the notes of the other sets."""
    chance = random.Random(5)
    notes = {**synonyms()[0]["documents"], **misspellings()[0]["documents"]}
    asked: dict[str, list[list[Any]]] = {}
    while len(asked) < 150:
        question = chance.choice(_FOREIGN).format(
            who=chance.choice(STRANGERS),
            thing=chance.choice(_THINGS),
            town=chance.choice(_TOWNS),
            year=chance.randrange(1950, 2020),
        )
        asked[question] = []
    return [_set("foreign", notes, asked.items())]


def _set(name: str, notes: Notes, asked: Iterable[tuple[str, list[list[Any]]]]) -> Workspace:
    questions = [{"question": text, "evidence": evidence} for text, evidence in asked]
    return {"name": name, "documents": notes, "questions": questions}


Make = Callable[[], list[Workspace]]
SETS: tuple[Make, ...] = (synonyms, acronyms, definitions, compounds, misspellings, foreign)


def write(folder: Path) -> list[Path]:
    """Write every set as a question file; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for make in SETS:
        file = folder / f"{make.__name__}.json"
        file.write_text(json.dumps(make(), ensure_ascii=False, indent=1), encoding="utf-8")
        files.append(file)
    return files


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
