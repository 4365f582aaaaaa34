"""One memory for all questions: they only read it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memdown import Memory
from search.quality.quality_case import write


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = write(tmp_path_factory.mktemp("workspace"))
    state = tmp_path_factory.mktemp("state")
    with Memory.open(folder, state_dir=state, environ={"HOME": str(state)}) as opened:
        opened.sync()
        yield opened
