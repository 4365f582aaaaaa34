"""An export of mem0: its memories as JSON or JSONL become one note for each user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memdown.errors import ImportFailed
from memdown.imports.foreign import entries
from memdown.imports.items import Found, distinct, note, shown

SOURCE = "mem0"
_MOST_BYTES = 512 * 1024 * 1024


def find(path: Path, home: Path) -> Found:
    """Every memory of an export, by user, agent or run."""
    owners: dict[str, list[dict[str, Any]]] = {}
    seen: set[str] = set()
    for memory in _memories(path):
        name = str(memory.get("id") or memory.get("hash") or _text(memory))
        if name not in seen:
            seen.add(name)
            owners.setdefault(_owner(memory), []).append(memory)
    if not owners:
        raise ImportFailed(
            f"{path} holds no memories; it should be what mem0's get_all or an export returns, "
            'objects with "memory" in them, as JSON or one to a line.'
        )
    return Found(
        tuple(
            note(SOURCE, shown(path, home), f"{distinct(owner)}.md", _writer(owner, memories))
            for owner, memories in sorted(owners.items())
        )
    )


def _writer(owner: str, memories: list[dict[str, Any]]) -> Any:
    def text() -> str:
        ordered = sorted(memories, key=lambda memory: (_date(memory), _text(memory)))
        return f"# Memories of {owner}\n\n" + "".join(map(_line, ordered))

    return text


def _line(memory: dict[str, Any]) -> str:
    first, *rest = _text(memory).strip().split("\n")
    about = [date for date in (_date(memory),) if date]
    categories = memory.get("categories")
    if isinstance(categories, list):
        about += [str(category) for category in categories]
    tail = f" ({', '.join(about)})" if about else ""
    return "\n".join([f"- {first}{tail}", *(f"  {line}" for line in rest)]) + "\n"


def _memories(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".jsonl":
        yield from _usable(entries(path))
        return
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ImportFailed(f"{path} is larger than 512 MB; export it as JSONL.")
        data = json.loads(path.read_text("utf-8-sig", "replace"))
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read ({error.strerror}); check it.") from None
    except (json.JSONDecodeError, RecursionError):
        yield from _usable(entries(path))
        return
    yield from _usable(_list(data))


def _list(data: Any) -> list[Any]:
    if isinstance(data, dict):
        for key in ("results", "memories", "data"):
            if isinstance(data.get(key), (list, dict)):
                return _list(data[key])
        return [data]
    return data if isinstance(data, list) else []


def _usable(data: Iterable[Any]) -> Iterator[dict[str, Any]]:
    return (memory for memory in data if isinstance(memory, dict) and _text(memory).strip())


def _text(memory: dict[str, Any]) -> str:
    for key in ("memory", "data", "text"):
        if isinstance(memory.get(key), str):
            return str(memory[key])
    payload = memory.get("payload")
    return _text(payload) if isinstance(payload, dict) else ""


def _owner(memory: dict[str, Any]) -> str:
    payload = memory.get("payload")
    for place in (memory, payload if isinstance(payload, dict) else {}):
        for key in ("user_id", "agent_id", "run_id"):
            if isinstance(place.get(key), str) and place[key]:
                return str(place[key])
    return "everyone"


def _date(memory: dict[str, Any]) -> str:
    for key in ("updated_at", "created_at"):
        if isinstance(memory.get(key), str):
            return str(memory[key])[:10]
    return ""
