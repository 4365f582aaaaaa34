"""ChatGPT's data export: `conversations.json`, alone, in its folder, or still in the ZIP."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from memdown.errors import ImportFailed
from memdown.imports.foreign import elements
from memdown.imports.items import Found, Item, Said, Talk, shown, transcript
from memdown.types import Failure

SOURCE = "chatgpt"
_NAME = re.compile(r"(?:.*/)?conversations(?:-[0-9]+)?\.json")
_SPOKEN = ("text", "multimodal_text")
# Marks of the pages that a tool found; they mean nothing outside of the program.
_CITATIONS = re.compile("\ue200.*?\ue201|[\ue200-\ue206]", re.DOTALL)


def find(path: Path, home: Path) -> Found:
    """Every conversation of an export."""
    items: list[Item] = []
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
    return Found(tuple(items), tuple(problems))


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


def _conversation(data: Any, where: str, number: int) -> Item | None:
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
    return transcript(SOURCE, Talk(str(name), where, lambda: iter(said), facts))


def turns(data: dict[str, Any]) -> Iterator[Said]:
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


def _said(message: Any) -> Said | None:
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
    return Said(author["role"], text, milliseconds) if text.strip() else None


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
