"""docs/agents.md says nothing that does not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown.config.workspaces import add_own

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/agents.md").read_text(), re.DOTALL)
EXAMPLES = "\n".join(file.read_text() for file in sorted((ROOT / "examples/agents").glob("*.py")))


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.startswith("from ")])
def test_whole_programs_run(
    block: str,
    write_notes: Callable[..., Path],
    own_state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write_notes({"MEMORY.md": "# Memory\n\n- The router at home is an ER-605.\n"})
    add_own(own_state, folder)
    monkeypatch.chdir(folder)
    exec(compile(block, "docs/agents.md", "exec"), {})


@pytest.mark.parametrize("block", [block for block in BLOCKS if not block.startswith("from ")])
def test_excerpts_stand_in_an_example_that_is_run(block: str) -> None:
    assert squeezed(block) in squeezed(EXAMPLES)


def squeezed(text: str) -> str:
    """An excerpt stands further left than in its example, so its lines may break elsewhere."""
    return "".join(text.split())
