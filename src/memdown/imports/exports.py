"""Data exports of services: the conversations of ChatGPT, the memories of mem0."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from memdown.errors import ImportFailed
from memdown.imports.items import (
    ForeignTranscript,
    ImportedTurn,
    ImportItem,
    SourceContents,
    distinct,
    elements,
    entries,
    note,
    shown,
    transcript,
)
from memdown.types import Failure

CHATGPT = "chatgpt"
_NAME = re.compile(r"(?:.*/)?conversations(?:-[0-9]+)?\.json")
_SPOKEN = ("text", "multimodal_text")
# Marks of the pages that a tool found; they mean nothing outside of the program.
_CITATIONS = re.compile("\ue200.*?\ue201|[\ue200-\ue206]", re.DOTALL)


def find_chatgpt(path: Path, home: Path) -> SourceContents:
    """Every conversation of an export."""
    items: list[ImportItem] = []
    problems: list[Failure] = []
    names = _names(path)
    if not names:
        raise ImportFailed(
            f"{path} holds no conversations.json; give the ZIP or folder that ChatGPT's data export "
            "(Settings, Data controls, Export data) sent you."
        )
    for name in names:
        where = f"{shown(path, home)}/{name}" if name else shown(path, home)
        # The same in an export that is still zipped, unpacked, or given as one file.
        origin = f"ChatGPT's export, {Path(name or path.name).name}"
        try:
            with _opened(path, name) as file:
                for number, data in enumerate(elements(file, where)):
                    item = _conversation(data, origin, number)
                    if item:
                        items.append(item)
        except ImportFailed as error:
            problems.append(Failure(where, str(error)))
    return SourceContents(tuple(items), tuple(problems))


def _names(path: Path) -> list[str]:
    """The files with conversations, by their names below the path; one without a name is it."""
    if path.is_dir():
        return sorted(file.name for file in path.iterdir() if _NAME.fullmatch(file.name))
    if path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sorted(name for name in archive.namelist() if _NAME.fullmatch(name))
    return [""] if path.is_file() else []


@contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[str]]:
    if name and path.is_file():
        with zipfile.ZipFile(path) as archive, archive.open(name) as raw:
            yield io.TextIOWrapper(raw, "utf-8", "replace")
        return
    with (path / name if name else path).open(encoding="utf-8", errors="replace") as file:
        yield file


def _conversation(data: Any, where: str, number: int) -> ImportItem | None:
    if not isinstance(data, dict) or not isinstance(data.get("mapping"), dict):
        return None
    said = list(turns(data))
    if not said:
        return None
    name = data.get("conversation_id") or data.get("id") or f"conversation-{number + 1}"
    facts = {
        key: value
        for key, value in (("title", data.get("title")), ("timestamp", data.get("create_time")))
        if isinstance(value, (str, int, float))
    }
    return transcript(CHATGPT, ForeignTranscript(str(name), where, lambda: iter(said), facts))


def turns(data: dict[str, Any]) -> Iterator[ImportedTurn]:
    """The branch of the conversation that was shown last, from its start."""
    mapping = data["mapping"]
    node = data.get("current_node") or _newest_leaf(mapping)
    branch: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(node, str) and node not in seen and isinstance(mapping.get(node), dict):
        seen.add(node)
        branch.append(mapping[node])
        node = mapping[node].get("parent")
    for entry in reversed(branch):
        said = _said(entry.get("message"))
        if said:
            yield said


def _said(message: Any) -> ImportedTurn | None:
    if not isinstance(message, dict):
        return None
    author, content = message.get("author"), message.get("content")
    metadata = message.get("metadata")
    if not isinstance(author, dict) or not isinstance(content, dict):
        return None
    if author.get("role") not in ("user", "assistant") or message.get("recipient", "all") != "all":
        return None
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    parts = content.get("parts")
    if content.get("content_type") not in _SPOKEN or not isinstance(parts, list):
        return None
    text = _CITATIONS.sub("", "\n".join(filter(None, map(_part_text, parts))))
    time = message.get("create_time")
    milliseconds = int(time * 1000) if isinstance(time, (int, float)) else None
    return ImportedTurn(author["role"], text, milliseconds) if text.strip() else None


def _part_text(part: Any) -> str:
    """What a part says: text, or what was understood of speech."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        spoken = part.get("text")
        return spoken if isinstance(spoken, str) else ""
    return ""


def _newest_leaf(mapping: dict[str, Any]) -> str | None:
    leaves = [
        (_time(node), key)
        for key, node in mapping.items()
        if isinstance(node, dict) and not node.get("children")
    ]
    return max(leaves)[1] if leaves else None


def _time(node: dict[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, (int, float)) else 0.0


MEM0 = "mem0"
_MOST_BYTES = 512 * 1024 * 1024


def find_mem0(path: Path, home: Path) -> SourceContents:
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
    return SourceContents(
        tuple(
            note(MEM0, shown(path, home), f"{distinct(owner)}.md", _writer(owner, memories))
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
