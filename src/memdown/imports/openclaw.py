"""An OpenClaw state folder: its configuration, its workspace, the sessions of its agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from memdown.config.search_settings import MemorySearch
from memdown.errors import ImportFailed
from memdown.imports.items import (
    Found,
    Item,
    Said,
    Talk,
    entries,
    markdown_below,
    note,
    note_text,
    safe,
    shown,
    transcript,
)
from memdown.text import json5_text
from memdown.transcripts.messages import BrokenLine, parse_entry, spoken_text, text_of
from memdown.transcripts.sessions.entries import camel
from memdown.types import Failure

SOURCE = "openclaw"
SETTINGS = "memdown.json5"
_PROVIDERS = ("openai", "google", "voyage")
_MEMORY = ("backend", "citations", "qmd")
_NOTES = ("MEMORY.md", "memory.md", "USER.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "HEARTBEAT.md")


def find(root: Path, home: Path) -> Found:
    """Everything below `~/.openclaw` that memory can use, of 2026.2 and of 2026.9.

    What is there and not understood is named among the problems.
    """
    config, problems = _config(root, home)
    items: list[Item] = []
    left_out = list(problems)
    if config:
        ours = _ours(config)
        if ours.made:
            items.append(_settings(root, home, ours.made))
        if ours.unknown:
            where = shown(root / "openclaw.json", home)
            names = ", ".join(sorted(ours.unknown))
            left_out.append(Failure(where, f"these settings are not understood here: {names}."))
    for folder, prefix in _workspaces(root, config):
        items += [_note(path, folder, prefix, home) for path in _notes(folder)]
    for path in sorted(root.glob("agents/*/sessions/*.jsonl*")):
        if _is_transcript(path) and path.is_file() and not path.is_symlink():
            items.append(session(path, home, path.parent.parent.name))
    for path in sorted(root.glob("agents/*/agent/openclaw-agent.sqlite")):
        if path.is_file() and not path.is_symlink():
            try:
                items += _stored_sessions(path, home, path.parent.parent.name)
            except ImportFailed as error:
                left_out.append(Failure(shown(path, home), str(error)))
    return Found(tuple(items), tuple(left_out))


def session(path: Path, home: Path, agent: str | None) -> Item:
    """One transcript, also an archived one; its agent has the same name here."""
    name = path.name.removesuffix(".jsonl").replace(".jsonl.", "-")
    talk = Talk(name, shown(path, home), lambda: turns(entries(path)))
    return transcript(SOURCE, talk, agent.lower() if agent else None)


def turns(lines: Iterable[dict[str, Any]]) -> Iterator[Said]:
    """What user and assistant said, without what OpenClaw says in their names."""
    for entry in lines:
        message = entry.get("message")
        if entry.get("type") != "message" or not isinstance(message, dict):
            continue
        role, text = message.get("role"), text_of(message.get("content"))
        if role not in ("user", "assistant"):
            continue
        text = spoken_text(role, text, message.get("model"))
        if text.strip():
            yield Said(role, text, entry.get("timestamp") or message.get("timestamp"))


def _is_transcript(path: Path) -> bool:
    """Whether it is a transcript, or one that a reset or a deletion put aside."""
    ending = path.name.partition(".jsonl")[2]
    return not ending or ending.startswith((".reset.", ".deleted."))


def _stored_sessions(path: Path, home: Path, agent: str) -> list[Item]:
    """The transcripts in the database that OpenClaw keeps since 2026.9."""
    with _database(path) as database:
        names = [
            str(name)
            for (name,) in database.execute(
                "SELECT DISTINCT session_id FROM transcript_events ORDER BY session_id"
            )
        ]
    return [
        transcript(
            SOURCE,
            Talk(
                name,
                f"{shown(path, home)}, session {name}",
                lambda name=name: turns(_stored_events(path, name)),  # type: ignore[misc]
            ),
            agent.lower(),
        )
        for name in names
    ]


def _stored_events(path: Path, session_id: str) -> Iterator[dict[str, Any]]:
    with _database(path) as database:
        columns = {row[1] for row in database.execute("PRAGMA table_info(transcript_events)")}
        packed = "event_zstd" if "event_zstd" in columns else "NULL"
        rows = database.execute(
            f"SELECT event_json, {packed} FROM transcript_events WHERE session_id = ? ORDER BY seq",
            (session_id,),
        )
        for text, data in rows:
            try:
                yield parse_entry(str(text).encode() if text is not None else _unpacked(data))
            except BrokenLine:
                continue


def _unpacked(data: Any) -> bytes:
    """An event that is stored compressed."""
    try:
        zstandard: Any = import_module("zstandard")
    except ImportError:
        raise ImportFailed(
            "Some messages are compressed; run `pip install zstandard` and import again."
        ) from None
    try:
        return bytes(zstandard.ZstdDecompressor().decompress(bytes(data), 8 * 1024 * 1024))
    except zstandard.ZstdError:
        raise BrokenLine from None


@contextmanager
def _database(path: Path) -> Iterator[Any]:
    import apsw

    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        database = apsw.Connection(f"{path.resolve().as_uri()}?mode=ro", flags=flags)
    except apsw.Error as error:
        raise ImportFailed(f"{path} cannot be opened ({error}); check it.") from None
    try:
        database.set_busy_timeout(5000)
        yield database
    except apsw.Error as error:
        raise ImportFailed(f"{path} cannot be read as OpenClaw's sessions ({error}).") from None
    finally:
        database.close()


def _config(root: Path, home: Path) -> tuple[dict[str, Any] | None, tuple[Failure, ...]]:
    path = root / "openclaw.json"
    if not path.is_file():
        return None, ()
    try:
        data = json5_text.loads(path.read_text("utf-8", "replace"))
    except (json5_text.BadJson5, OSError) as error:
        where = shown(path, home)
        return None, (Failure(where, f"{where} cannot be read ({error}); correct it."),)
    return (data if isinstance(data, dict) else None), ()


def _settings(root: Path, home: Path, made: dict[str, Any]) -> Item:
    def content() -> Iterator[bytes]:
        where = shown(root / "openclaw.json", home)
        yield f"// imported from {SOURCE}: {where}\n{json5_text.dumps(made)}\n".encode()

    return Item("settings", shown(root / "openclaw.json", home), SETTINGS, content)


@dataclass(frozen=True, slots=True)
class _Ours:
    """Settings about memory in our layout, and the names of those that have no meaning here."""

    made: dict[str, Any]
    unknown: frozenset[str]


def _ours(config: dict[str, Any]) -> _Ours:
    """The parts of a configuration that are about memory; nothing of channels and their tokens.

    Since 2026.9 what was `agents.defaults.memorySearch` is `memory.search`, and what was in
    `agents.list` is in `agents.entries`.
    """
    unknown: set[str] = set()
    agents, memory = _object(config.get("agents")), _object(config.get("memory"))
    defaults = _picked(_object(agents.get("defaults")), ("memorySearch", "compaction"))
    if isinstance(memory.get("search"), dict):
        older = _object(defaults.get("memorySearch"))
        defaults["memorySearch"] = {**older, **memory["search"]}
    named = [agent for agent in agents.get("list") or () if isinstance(agent, dict)]
    for name, agent in _object(agents.get("entries")).items():
        search = _object(_object(_object(agent).get("memory")).get("search"))
        named.append({"id": name, **({"memorySearch": search} if search else {})})
    listed = [
        _picked(agent, ("id", "memorySearch"))
        for agent in named
        if isinstance(agent.get("memorySearch"), dict)
    ]
    known = {camel(one.name) for one in fields(MemorySearch)}
    for place in (defaults, *listed):
        told = place.get("memorySearch")
        if isinstance(told, dict):
            unknown |= {f"memory.search.{key}" for key in told if key not in known}
            place["memorySearch"] = {key: told[key] for key in told if key in known}
    providers = {
        name: _picked(_object(value), ("apiKey", "baseUrl", "headers"))
        for name, value in _object(_object(config.get("models")).get("providers")).items()
        if name in _PROVIDERS
    }
    slots = _picked(_object(_object(config.get("plugins")).get("slots")), ("memory",))
    unknown |= {f"memory.{key}" for key in memory if key not in (*_MEMORY, "search")}
    made: dict[str, Any] = {}
    if defaults or listed:
        made["agents"] = {
            key: value for key, value in (("defaults", defaults), ("list", listed)) if value
        }
    if kept := _picked(memory, _MEMORY):
        made["memory"] = kept
    if any(providers.values()):
        made["models"] = {"providers": providers}
    if slots:
        made["plugins"] = {"slots": slots}
    return _Ours(made, frozenset(unknown))


def _workspaces(root: Path, config: dict[str, Any] | None) -> Iterator[tuple[Path, str]]:
    """Every workspace with the folder its notes go to: one for each agent that has its own."""
    agents = _object((config or {}).get("agents"))
    named = _object(agents.get("defaults")).get("workspace")
    main = Path(named).expanduser() if isinstance(named, str) else root / "workspace"
    if not main.is_dir():
        main = root / "workspace"
    if main.is_dir():
        yield main, ""
    seen = {main.resolve()}
    for path in sorted(root.glob("workspace-*")):
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path, f"{safe(path.name.removeprefix('workspace-'))}/"
    entries_now = _object(agents.get("entries")).items()
    listed = [{"id": name, **_object(agent)} for name, agent in entries_now]
    for agent in [*(agents.get("list") or ()), *listed]:
        own = agent.get("workspace") if isinstance(agent, dict) else None
        path = Path(own).expanduser() if isinstance(own, str) else main
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path, f"{safe(str(agent.get('id') or path.name))}/"


def _notes(folder: Path) -> Iterator[Path]:
    names: set[str] = set()
    for name in _NOTES:
        path = folder / name
        # A disk that does not tell case shows MEMORY.md under both names.
        if path.is_file() and not path.is_symlink() and name.lower() not in names:
            names.add(name.lower())
            yield path
    yield from markdown_below(folder / "memory")


def _note(path: Path, folder: Path, prefix: str, home: Path) -> Item:
    name = path.relative_to(folder).as_posix().removeprefix("memory/")
    return note(SOURCE, shown(path, home), prefix + name, lambda: note_text(path))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _picked(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: data[key] for key in keys if key in data}
