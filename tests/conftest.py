"""What many tests need: a workspace of notes and a memory over it, away from the user's own."""

from __future__ import annotations

import itertools
import os
import shutil
import ssl
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from engine_processes import VARIABLE, end_engines
from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder
from programs import left_out

Notes = dict[str, str]
pytest_plugins = ["faults.figures"]

# The hundreds of commands that tests start would each compile all of Memdown again, as none does when installed.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A machine with other work to do is slow, and that is no failure.
hypothesis.settings.register_profile("memdown", deadline=None)
# For `make test`, which must not fail by chance: the same examples every time.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.load_profile("memdown")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a program its tests are left out, and the summary says so."""
    without = tuple(program.tests for program in left_out())
    needing = [item for item in items if without and item.nodeid.startswith(without)]
    if needing:
        config.hook.pytest_deselected(items=needing)
        items[:] = [item for item in items if item not in needing]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line about the tests of each program that were left out."""
    for program in left_out():
        terminalreporter.write_line(program.missing, yellow=True)


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Every client of HTTP would read all certificates for 40 ms, and nearly every one has its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def own_engines() -> Iterator[None]:
    """Tests share no process of LanceDB with whoever runs them, and leave none behind."""
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, pytest.MonkeyPatch.context() as patched:
        patched.setenv(VARIABLE, folder)
        yield
        end_engines()


@pytest.fixture(scope="session")
def own_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder name for each test. `mktemp` would look through all that it made before."""
    top = tmp_path_factory.mktemp("own")
    return (top / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_state(
    own_places: Iterator[Path], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """No test reads or writes the state, the configuration or the keys of whoever runs it."""
    failed = request.session.testsfailed
    place = next(own_places)
    state, home = place / "state", place / "home"
    for folder in (place, state, home):
        folder.mkdir(mode=0o700)
    monkeypatch.setenv("MEMDOWN_STATE_DIR", str(state))
    monkeypatch.setenv("HOME", str(home))
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("MEMDOWN_CONFIG", raising=False)
    yield state
    # As with tmp_path, what a failed test left is kept.
    if request.session.testsfailed == failed:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def write_notes(tmp_path: Path) -> Callable[[Notes], Path]:
    """Writes notes into a workspace and returns its folder."""

    def write(notes: Notes) -> Path:
        folder = tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        for path, text in notes.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def open_memory() -> Iterator[Callable[..., Memory]]:
    """Opens memories with an embedder that needs nothing, and closes them after the test."""
    opened: list[Memory] = []

    def open_one(folder: Path, embedder: HashEmbedder | None = None, **options: object) -> Memory:
        settings = load_settings(workspace=folder, **options)  # type: ignore[arg-type]
        memory = Memory.from_settings(settings, embedder=embedder or HashEmbedder())
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()
