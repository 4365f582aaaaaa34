"""How the tests of the configuration load a file."""

from __future__ import annotations

import json
from pathlib import Path

from memdown.config import Settings, load_settings


def load(
    folder: Path,
    content: str | bytes | dict[str, object],
    *,
    agent: str = "main",
    **variables: str,
) -> Settings:
    """The settings from a file with this content, in a world that is only this folder."""
    file = folder / "memdown.json5"
    if isinstance(content, dict):
        content = json.dumps(content)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_settings(
        config=file, agent=agent, cwd=folder, environ={"HOME": str(folder / "home"), **variables}
    )


def search(section: dict[str, object]) -> dict[str, object]:
    """A file that holds only this `memorySearch`."""
    return {"agents": {"defaults": {"memorySearch": section}}}
