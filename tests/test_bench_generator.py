"""The made-up workspaces of the benchmarks: same bytes, true questions, the size asked for."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest
from bench.generate import KINDS, Workload, generate


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return generate(tmp_path_factory.mktemp("bench") / "notes", 600, seed=3)


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.md"))
    }


def test_same_seed_writes_the_same_bytes(tmp_path: Path, load: Workload) -> None:
    """Figures of two runs can only be compared when both ran on the same notes."""
    again = generate(tmp_path / "again", 600, seed=3)
    assert _digests(again.folder) == _digests(load.folder)
    assert again.questions == load.questions


def test_another_seed_writes_other_notes(tmp_path: Path, load: Workload) -> None:
    other = generate(tmp_path / "other", 600, seed=4)
    assert not set(_digests(other.folder).values()) & set(_digests(load.folder).values())


def test_questions_point_at_the_line_that_answers_them(load: Workload) -> None:
    assert {question.kind for question in load.questions} == set(KINDS)
    for question in load.questions:
        lines = (load.folder / question.path).read_text(encoding="utf-8").splitlines()
        assert question.answer in lines[question.line - 1], question


def test_no_question_is_asked_twice_and_identifiers_stand_in_one_line(load: Workload) -> None:
    """Else a search could find a true answer and be counted as wrong."""
    texts = [question.text for question in load.questions]
    assert len(texts) == len(set(texts))
    lines = [
        line
        for path in load.folder.rglob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    for question in load.of_kind("identifier"):
        exact = re.compile(rf"(?<!\w){re.escape(question.text)}(?!\w)")
        # Hardly any line holds it, and to look for it plainly is quick.
        holding = [line for line in lines if question.text in line]
        assert sum(bool(exact.search(line)) for line in holding) == 1, question


@pytest.mark.parametrize("chunks", [1, 30, 600])
def test_sizes_are_about_right(tmp_path: Path, chunks: int) -> None:
    load = generate(tmp_path / "notes", chunks)
    written = list(load.folder.rglob("*.md"))
    assert load.files == len(written)
    assert load.size_bytes == sum(path.stat().st_size for path in written)
    assert 0.8 * 1400 * chunks < load.characters < 1.6 * 1400 * chunks + 1600
    if chunks == 600:
        assert 7 < chunks / load.files < 14


def test_bigger_means_more_notes_not_repeated_ones(tmp_path: Path, load: Workload) -> None:
    """An index of repeated lines would be smaller and faster than a real one."""
    small = generate(tmp_path / "small", 60, seed=3)
    lines, words = _long_lines(load.folder), _words(load.folder)
    assert len(set(lines)) > 0.98 * len(lines)
    assert len(words) > 1.5 * len(_words(small.folder)) > 1500


def test_other_languages_have_their_share(load: Workload) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in load.folder.rglob("*.md"))
    scripts = Counter(
        name
        for name, pattern in {
            "han": "[一-龥]",
            "kana": "[ぁ-ヿ]",
            "thai": "[ก-๛]",
            "cyrillic": "[а-я]",
            "german": "[äöüß]",
        }.items()
        for _ in re.finditer(pattern, text)
    )
    assert len(scripts) == 5
    assert 0.01 < sum(scripts.values()) / len(text) < 0.12


def test_a_folder_with_notes_in_it_is_left_alone(load: Workload) -> None:
    with pytest.raises(FileExistsError, match="name a new folder"):
        generate(load.folder, 10)


def _long_lines(folder: Path) -> list[str]:
    return [
        line
        for path in folder.rglob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line) > 40
    ]


def _words(folder: Path) -> set[str]:
    return {
        word
        for path in folder.rglob("*.md")
        for word in re.findall(r"[a-z]+", path.read_text(encoding="utf-8").lower())
    }
