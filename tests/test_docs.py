"""The documents say what is true: examples run, generated pages are current, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from memdown.cli.reference import render

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]


def test_the_command_page_is_current() -> None:
    assert (ROOT / "docs/cli.md").read_text() == render()


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_run(page: str) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert examples
    for example in examples:
        result = subprocess.run(
            [sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert result.stdout.strip()


def test_the_readme_example_finds_the_router() -> None:
    example = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    assert len(example.strip().splitlines()) <= 10
    output = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    assert output.startswith("memory/home-network.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / link).exists(), link
