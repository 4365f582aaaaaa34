"""The documents say what is true: sessions and examples run, generated pages are current, links
lead somewhere."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from consoles import console_commands, matches, run_session
from imports import fixtures
from memdown import Memory, types
from memdown.cli.reference import render
from memdown.index import store
from memdown.index.store import Store, Writer
from memdown.tuning import TUNING
from transcripts.talking import CONFIG, said, talk

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
SESSIONS = [page for page in PAGES if console_commands(page.read_text())]


def test_the_command_page_is_current() -> None:
    assert (ROOT / "docs/cli.md").read_text() == render()


def python_examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@cache
def printed(example: str) -> str:
    """What an example prints, in a process of its own, which is started once for all tests."""
    return subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_run(page: str) -> None:
    examples = python_examples(page)
    assert examples
    for example in examples:
        assert printed(example).strip()


def test_the_readme_example_finds_the_router() -> None:
    example = python_examples("README.md")[0]
    assert len(example.strip().splitlines()) <= 10
    assert printed(example).startswith("memory/home-network.md")


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_sessions_run_as_shown(page: Path, tmp_path: Path) -> None:
    """What a newcomer types first must work; it is run in a new home, among the example's notes."""
    home, notes = tmp_path / "home", tmp_path / "home/example"
    shutil.copytree(ROOT / "examples/workspace", notes)
    if prepare := _PREPARED.get(page.name):
        prepare(home, notes)
    environment = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }
    outcomes = run_session(console_commands(page.read_text()), notes, environment)
    faults = [fault for outcome in outcomes if (fault := outcome.fault())]
    assert not faults, "\n\n".join(faults)


def _sessions(home: Path, notes: Path) -> None:
    """The conversation about the kitchen that the page asks about, and a file with two secrets."""
    talk(
        home / ".memdown",
        "kitchen",
        said("user", "Which paint for the kitchen?"),
        said("assistant", "Sage green, silk matt, for the kitchen walls."),
    )
    (home / ".memdown/memdown.json5").write_text(CONFIG)
    token = "ghp" + "_" + "a1B2" * 9
    text = f"Server\n\npassword = hunter2xy\n\nCI\n\nkey {token}\n"
    (notes / "notes.txt").write_text(text)


def _importing(home: Path, notes: Path) -> None:
    """Small copies of what the other programs keep."""
    del notes
    fixtures.claude_code(home)
    fixtures.codex(home)
    fixtures.openclaw(home)
    (home / "Downloads").mkdir()
    with zipfile.ZipFile(home / "Downloads/export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([fixtures.conversation(1)]))
    (home / "Downloads/memories.json").write_text('[{"id": "1", "memory": "Ana likes tea."}]')
    (home / "old-notes").mkdir()
    (home / "old-notes/ideas.md").write_text("# Ideas\n\nA bench under the pear tree.\n")


def _evaluation(home: Path, notes: Path) -> None:
    """A folder with the question file that the page shows."""
    del home
    page = (ROOT / "docs/evaluation.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (notes / "questions").mkdir()
    (notes / "questions/home.json").write_text(example)


_PREPARED: dict[str, Callable[[Path, Path], None]] = {
    "sessions.md": _sessions,
    "importing.md": _importing,
    "evaluation.md": _evaluation,
}


def test_the_readme_shows_a_session_and_its_answer() -> None:
    """Otherwise the test above would prove nothing."""
    commands = console_commands((ROOT / "README.md").read_text())
    answers = [one.expected for one in commands if one.text.startswith("memdown search")]
    assert any("tea over coffee" in line for line in answers[0])


def test_outputs_are_compared_line_by_line() -> None:
    assert matches(("1. a.md   …   Home", "…", "end"), "1. a.md   0.91   Home\nx\ny\nend\n")
    assert matches(("a", "…"), "a\n")
    assert not matches(("1. a.md",), "1. b.md\n")
    assert not matches(("one",), "one\ntwo\n")


def test_the_question_about_the_database_gets_the_decision() -> None:
    """The page's only example asks for it, so the first hit must be the decision itself."""
    (example,) = python_examples("docs/python.md")
    cited = printed(example).strip()
    path, first, last = re.fullmatch(r"(.+)#L(\d+)-L(\d+)", cited).groups()  # type: ignore[union-attr]
    with Memory.open(ROOT / "examples/workspace") as memory:
        lines = int(last) - int(first) + 1
        assert "plain PostgreSQL" in memory.get(path, start=int(first), lines=lines).text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / link).exists(), link


def told_signatures(page: str) -> dict[str, list[str]]:
    """The calls that a page shows in its tables, with the names of their parameters."""
    calls = re.findall(r"^\| `(\w+)\((.*?)\)`", (ROOT / page).read_text(), re.MULTILINE)
    return {
        name: [one.group(1) for one in re.finditer(r"(?:^|, )\*?(\w+)(?==|,|$)", parameters)]
        for name, parameters in calls
    }


def test_the_python_page_has_every_call_with_every_parameter() -> None:
    told = told_signatures("docs/python.md")
    public = {
        name: [one for one in inspect.signature(call).parameters if one != "self"]
        for name, call in vars(Memory).items()
        if inspect.isfunction(call) and not name.startswith("_")
    }
    public["from_settings"] = list(inspect.signature(Memory.from_settings).parameters)
    assert told == public
    text = (ROOT / "docs/python.md").read_text()
    (opening,) = re.findall(r"`Memory\.open\((.*?)\)`", text)
    names = [one.partition("=")[0] for one in opening.replace("*, ", "").split(", ")]
    assert names == list(inspect.signature(Memory.open).parameters)


def test_the_plugin_page_has_every_method_of_a_store() -> None:
    section = (ROOT / "docs/plugins.md").read_text().partition("\n## A store\n")[2]
    rows = "".join(re.findall(r"^\| (`\w+\(.*?) \|", section, re.MULTILINE))
    methods = {name for name in {*vars(Store), *vars(Writer)} if not name.startswith("_")}
    assert set(re.findall(r"`(\w+)\(", rows)) == methods


def test_the_plugin_page_names_every_protocol() -> None:
    """What an embedder or a store may be able to do is a protocol, found with `isinstance`."""
    page = (ROOT / "docs/plugins.md").read_text()
    protocols = [
        name
        for module in (types, store)
        for name, value in vars(module).items()
        if isinstance(value, type) and getattr(value, "_is_runtime_protocol", False)
    ]
    assert len(protocols) > 8
    assert [name for name in protocols if f"`{name}`" not in page] == []


def test_the_pools_of_the_search_page_are_those_of_the_code() -> None:
    said = " ".join((ROOT / "docs/search.md").read_text().split())
    assert (
        f"Of more than {TUNING.pool_all:,} passages, the best {TUNING.pool_text:,} by words and those "
        f"of the nearest {TUNING.pool_chunks:,} chunks are scored." in said
    )
