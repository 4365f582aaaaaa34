"""How many planted secrets are kept out of the index, and how many harmless lines are taken for one.

The secrets were written by someone who did not know the rules, and go the way of every transcript:
a file in the sessions folder, read in portions for the index and turn by turn for people.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from memdown.text.redaction import find_secrets
from memdown.transcripts import read_portions, read_turns, scan_transcripts
from text.redaction.benchmark import innocent
from text.redaction.benchmark.cases import Case, cases

LEAST_CAUGHT = 0.97
LEAST_KEPT = 0.97
MOST_ALARMS_IN_100_000 = 1.0
MOST_TRICKY_ALARMS = 0.02


def shown(folder: Path, told: Sequence[Case]) -> list[str]:
    """What becomes of each conversation: the text that is indexed, and the turns people see."""
    for number, case in enumerate(told):
        entries = [
            {"type": "message", "message": {"role": role, "content": turn}}
            for turn, role in zip(case.turns, ("user", "assistant") * len(case.turns), strict=False)
        ]
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        (folder / f"{number:04}.jsonl").write_text(lines, encoding="utf-8")
    states = [state for _, state in sorted(scan_transcripts(folder).files.items())]
    assert len(states) == len(told)
    return [
        "\n".join(
            [portion.document.text for portion in read_portions(str(folder), state, None)]
            + [turn.text for turn in read_turns(str(folder), state.path)]
        )
        for state in states
    ]


def table(told: Sequence[Case], missed: Sequence[Case]) -> str:
    """What was missed, kind by kind, the worst first."""
    all_of, missed_of = (Counter(one.kind for one in some) for some in (told, missed))
    lines = [
        f"{missed_of[kind]:4} of {all_of[kind]:3}  {kind}" for kind, _ in missed_of.most_common()
    ]
    by_language = Counter(one.language for one in missed)
    names = [f"  {one.name}: {one.turns!r}"[:300] for one in missed]
    return "\n".join(["", *lines, f"by language: {dict(by_language)}", *names])


def test_the_benchmark_is_as_large_as_it_says() -> None:
    told = cases()
    assert len(told) >= 600
    assert len({case.kind for case in told}) >= 120
    languages = Counter(case.language for case in told)
    assert set(languages) >= set("en de fr es pt it nl zh ja ru".split())
    assert min(languages.values()) >= 20
    assert len({case.name for case in told}) == len(told)
    for case in told:
        assert case.leaked("\n".join(case.turns)), f"{case.name} holds no secret"
        assert not case.lost("\n".join(case.turns)), case.name
        others = "\n".join(case.turns).replace(case.secret, "")
        assert not case.leaked(others), f"{case.name} tells its secret otherwise"
    assert sum(len(text) for _, text in innocent.texts()) >= 300_000
    assert len(innocent.lines()) >= 150


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Case, str]]:
    told = cases()
    return list(zip(told, shown(tmp_path_factory.mktemp("sessions"), told), strict=True))


def test_nearly_every_secret_is_caught(outcome: list[tuple[Case, str]]) -> None:
    missed = [case for case, said in outcome if case.leaked(said)]
    share = 1 - len(missed) / len(outcome)
    assert share >= LEAST_CAUGHT, f"{share:.1%} caught" + table([c for c, _ in outcome], missed)


def test_what_stands_around_a_secret_stays(outcome: list[tuple[Case, str]]) -> None:
    """A rule that swallows the host or the next sentence would make the memory useless."""
    lost = [(case, text) for case, said in outcome for text in case.lost(said)]
    kept = sum(len(case.kept) for case, _ in outcome)
    share = 1 - len(lost) / kept
    told = "\n".join(f"  {case.name}: {text!r}" for case, text in lost)
    assert share >= LEAST_KEPT, f"{share:.1%} of {kept} kept\n{told}"


def test_prose_and_code_are_left_alone() -> None:
    chars = 0
    alarms = []
    for name, text in innocent.texts():
        chars += len(text)
        alarms += [
            f"  {name}: {one.kind}: {text[max(0, one.start - 40) : one.end + 20]!r}"
            for one in find_secrets(text)
        ]
    share = len(alarms) / chars * 100_000
    told = "\n".join(alarms)
    assert share <= MOST_ALARMS_IN_100_000, f"{share:.2f} in 100,000 characters of {chars}\n{told}"


def test_tricky_lines_are_left_alone() -> None:
    lines = innocent.lines()
    alarms = [
        f"  {found[0].kind}: {line[:200]!r}" for line in lines if (found := find_secrets(line))
    ]
    told = "\n".join(alarms)
    assert len(alarms) <= MOST_TRICKY_ALARMS * len(lines), f"{len(alarms)} of {len(lines)}\n{told}"
