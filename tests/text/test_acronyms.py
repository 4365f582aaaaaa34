"""Which short forms a text defines."""

from __future__ import annotations

import time

import pytest

from memdown.text.acronyms import (
    DEFINES,
    Definition,
    defined_by,
    defining_terms,
    definitions_in,
)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use CI (continuous integration) now.", "CI", "continuous integration"),
        (
            "We moved to continuous integration (CI) in spring.",
            "CI",
            "continuous integration",
        ),
        ("- SLO: service level objective", "SLO", "service level objective"),
        ("| SLO | service level objective |", "SLO", "service level objective"),
        ("**SLO** – service level objective", "SLO", "service level objective"),
        ("SLO stands for service level objective.", "SLO", "service level objective"),
        ("k8s (kubernetes)", "k8s", "kubernetes"),
        ("internationalization (i18n)", "i18n", "internationalization"),
        ("Bruttoinlandsprodukt (BIP)", "BIP", "Bruttoinlandsprodukt"),
        ("Künstlersozialkasse, kurz KSK", "KSK", "Künstlersozialkasse"),
        (
            "GmbH: Gesellschaft mit beschränkter Haftung",
            *("GmbH", "Gesellschaft mit beschränkter Haftung"),
        ),
        ("CE : comité d'entreprise", "CE", "comité d'entreprise"),
        ("impuesto sobre el valor añadido (IVA)", "IVA", "impuesto sobre el valor añadido"),
        (
            "ООО — общество с ограниченной ответственностью",
            *("ООО", "общество с ограниченной ответственностью"),
        ),
        ("CI（持续集成）", "CI", "持续集成"),
        ("持续集成（CI）", "CI", "持续集成"),
        ("CI 是持续集成的缩写。", "CI", "持续集成"),
        ("the mean time (short: MT) is", "MT", "mean time"),
    ],
)
def test_a_definition_is_found(text: str, short: str, long: str) -> None:
    assert Definition(short, long) in definitions_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "NASA (see below)",
        "We met in Berlin (DE) today.",
        "TODO: call the dentist",
        "Anna, Ben, BPP and PSPACE",
        "the best offer (XY)",
        "CI (CI)",
        "McDonald (many dons)",
        "He lives in the US (New York).",
        "an ordinary sentence (with brackets)",
    ],
)
def test_other_brackets_and_colons_define_nothing(text: str) -> None:
    assert definitions_in(text) == ()


def test_a_definition_is_found_by_either_form() -> None:
    told = defining_terms("CI (continuous integration)")
    assert told == (DEFINES, *defined_by(["ci", "continu"]))
    assert defining_terms("no short form (at all)") == ()


def test_the_time_grows_with_the_text() -> None:
    def seconds(text: str) -> float:
        begun = time.process_time()
        definitions_in(text)
        return time.process_time() - begun

    for piece in (
        "AB (",
        "Ab ab, ab ",
        "AAAA: a a a a a a\n",
        "(a a AAAAAAAA ",
        "A1 a-a-a-a (AAAAAA) ",
    ):
        once, more = seconds(piece * 500), seconds(piece * 4_000)
        assert more < 40 * max(once, 0.001), piece
