"""The numbers of the fault campaign, one line a test, at the end of the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps one line with a test's numbers for the end of the run."""
    name = request.node.name.removeprefix("test_").replace("_", " ")

    def keep(numbers: str) -> None:
        request.config.stash.setdefault(LINES, []).append(f"{name}: {numbers}")

    return keep


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    lines = config.stash.get(LINES, [])
    if lines:
        terminalreporter.section("faults")
        for line in lines:
            terminalreporter.write_line(line)
