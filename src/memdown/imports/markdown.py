"""Any folder of Markdown, or one file."""

from __future__ import annotations

from pathlib import Path

from memdown.imports.foreign import markdown_below, note_text
from memdown.imports.items import Found, Item, note, safe, shown


def find(path: Path, home: Path) -> Found:
    """Every Markdown file, in the folders it lies in, under the name of the folder or file."""
    if path.is_file():
        return Found((_note(path, path.name, "files", home),))
    source = safe(path.resolve().name)
    return Found(
        tuple(
            _note(file, file.relative_to(path).as_posix(), source, home)
            for file in markdown_below(path)
        )
    )


def _note(path: Path, name: str, source: str, home: Path) -> Item:
    return note(source, shown(path, home), name, lambda: note_text(path))
