"""Which source is meant: by its name and usual place, or by what a path holds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from memdown.errors import ImportFailed
from memdown.imports import openclaw
from memdown.imports.coding_agents import (
    claude_code_session,
    codex_session,
    find_claude_code,
    find_codex,
)
from memdown.imports.exports import find_chatgpt, find_mem0
from memdown.imports.items import (
    ImportItem,
    SourceContents,
    entries,
    markdown_below,
    note,
    note_text,
    safe,
    shown,
)


def _find_markdown(path: Path, home: Path) -> SourceContents:
    """Every Markdown file, in the folders it lies in, under the name of the folder or file."""
    if path.is_file():
        return SourceContents((_note(path, path.name, "files", home),))
    source = safe(path.resolve().name)
    return SourceContents(
        tuple(
            _note(file, file.relative_to(path).as_posix(), source, home)
            for file in markdown_below(path)
        )
    )


def _note(path: Path, name: str, source: str, home: Path) -> ImportItem:
    return note(source, shown(path, home), name, lambda: note_text(path))


SOURCES = ("claude-code", "codex", "chatgpt", "openclaw", "mem0")


def find(
    source: str,
    path: Path | None,
    environ: Mapping[str, str],
    moving_in: openclaw.MovingIn | None = None,
) -> SourceContents:
    """What a source holds; a `source` that is no name of one is taken as a path.

    With `moving_in`, notes of OpenClaw may be gone on with where they are.
    """
    home = Path(environ.get("HOME") or Path.home())
    if source not in SOURCES:
        return _find_path(_given(source), home, moving_in)
    place = _existing(path) if path else _usual_place(source, home, environ)
    if source == "claude-code":
        return _some(find_claude_code(_above(place, "projects"), home), place, source)
    if source == "codex":
        return _some(find_codex(_above(place, "sessions"), home), place, source)
    if source == "openclaw":
        return _some(openclaw.find(place, home, moving_in), place, source)
    return find_chatgpt(place, home) if source == "chatgpt" else find_mem0(place, home)


def _find_path(path: Path, home: Path, moving_in: openclaw.MovingIn | None) -> SourceContents:
    if path.is_dir():
        if (path / "openclaw.json").is_file() or any(path.glob("agents/*/sessions")):
            return openclaw.find(path, home, moving_in)
        if (path / "projects").is_dir() and any(path.glob("projects/*/*")):
            return find_claude_code(path, home)
        if (path / "memories").is_dir() or any(path.glob("sessions/**/rollout-*.jsonl")):
            return find_codex(path, home)
        if any(path.glob("conversations*.json")):
            return find_chatgpt(path, home)
        return _some(_find_markdown(path, home), path, "Markdown")
    if path.suffix.lower() == ".md":
        return _find_markdown(path, home)
    if path.suffix == ".jsonl":
        return _find_lines(path, home)
    if path.suffix == ".zip" or path.name.startswith("conversations"):
        return find_chatgpt(path, home)
    if path.suffix == ".json":
        return find_chatgpt(path, home) if _is_chatgpt(path) else find_mem0(path, home)
    raise ImportFailed(
        f"{path} is of no known kind; give a folder or .md file of Markdown, a .jsonl session, "
        "ChatGPT's ZIP or conversations.json, or a JSON export of mem0."
    )


def _find_lines(path: Path, home: Path) -> SourceContents:
    """A JSONL file, told by its first lines."""
    for entry in islice(entries(path), 50):
        if "payload" in entry or entry.get("record_type") or path.name.startswith("rollout-"):
            return SourceContents((codex_session(path, home),))
        if "sessionId" in entry or "parentUuid" in entry or "leafUuid" in entry:
            return SourceContents((claude_code_session(path, home),))
        if entry.get("type") in ("session", "message"):
            return SourceContents((openclaw.session(path, home, None),))
        if any(key in entry for key in ("memory", "user_id")):
            return find_mem0(path, home)
    raise ImportFailed(
        f"{path} is no session of Claude Code, Codex or OpenClaw and no export of mem0; "
        "name the source, as in `memdown import mem0 PATH`."
    )


def _is_chatgpt(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return '"mapping"' in file.read(1_000_000)


def _usual_place(source: str, home: Path, environ: Mapping[str, str]) -> Path:
    places = {
        "claude-code": environ.get("CLAUDE_CONFIG_DIR") or home / ".claude",
        "codex": environ.get("CODEX_HOME") or home / ".codex",
        "openclaw": environ.get("OPENCLAW_STATE_DIR") or home / ".openclaw",
    }
    if source not in places:
        raise ImportFailed(
            f"{source} keeps nothing on this machine; give the path of your export: "
            f"`memdown import {source} PATH`."
        )
    place = Path(places[source])
    if not place.is_dir():
        raise ImportFailed(
            f"There is no folder {place}; give the path: `memdown import {source} PATH`."
        )
    return place


def _given(name: str) -> Path:
    path = Path(name).expanduser()
    if path.exists():
        return path
    near = difflib.get_close_matches(name, SOURCES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"sources are {', '.join(SOURCES)}, or a path."
    raise ImportFailed(f"{name} is neither a source nor an existing path; {hint}")


def _existing(path: Path) -> Path:
    path = path.expanduser()
    if not path.exists():
        raise ImportFailed(f"There is nothing at {path}; check the path.")
    return path


def _above(place: Path, inner: str) -> Path:
    """The folder itself, also when the one inside it was named."""
    return place.parent if place.name == inner and not (place / inner).is_dir() else place


def _some(found: SourceContents, place: Path, source: str) -> SourceContents:
    if not found.items and not found.problems:
        raise ImportFailed(f"{place} holds nothing of {source} to import; check the path.")
    return found
