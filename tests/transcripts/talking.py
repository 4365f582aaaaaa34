"""Transcripts for tests: lines as the agent writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG = (
    "{agents: {defaults: {memorySearch: {"
    'sources: ["memory", "sessions"], experimental: {sessionMemory: true}}}}}'
)


def said(role: str, text: Any, time: str = "2026-03-01T10:00:00.000Z") -> str:
    """One message as a line."""
    content = text if isinstance(text, list) else [{"type": "text", "text": text}]
    entry = {"type": "message", "timestamp": time, "message": {"role": role, "content": content}}
    return json.dumps(entry, ensure_ascii=False) + "\n"


def talk(state: Path, name: str, *lines: str | bytes, agent: str = "main") -> Path:
    """A transcript of these lines."""
    path = state / "agents" / agent / "sessions" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(_bytes(line) for line in lines))
    return path


def add(path: Path, *lines: str | bytes) -> None:
    """Say more."""
    with path.open("ab") as file:
        file.write(b"".join(_bytes(line) for line in lines))


def _bytes(line: str | bytes) -> bytes:
    return line if isinstance(line, bytes) else line.encode("utf-8")
