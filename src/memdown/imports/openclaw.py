"""An OpenClaw state folder: its configuration, its workspace, the sessions of its agents."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from memdown.config.places import PROFILES
from memdown.config.search_settings import MemorySearch
from memdown.config.values import chat_of
from memdown.errors import ImportFailed, MissingExtra
from memdown.imports.items import (
    ForeignTranscript,
    ImportedTurn,
    ImportItem,
    SourceContents,
    entries,
    markdown_below,
    note,
    note_text,
    safe,
    shown,
    transcript,
)
from memdown.text import json5_text
from memdown.transcripts.discovery import MAX_LINE_BYTES
from memdown.transcripts.messages import BrokenLine, parse_entry, spoken_text, text_of
from memdown.types import Failure
from memdown.validation import camel

SOURCE = "openclaw"
SETTINGS = "memdown.json5"
_DATABASE = "agent/openclaw-agent.sqlite"
_PROVIDERS = ("openai", "google", "voyage")
_MEMORY = ("backend", "citations", "qmd")
_NOTES = ("MEMORY.md", "memory.md", "USER.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "HEARTBEAT.md")


def find(root: Path, home: Path, moving_in: MovingIn | None = None) -> SourceContents:
    """Everything below `~/.openclaw` that memory can use, of 2026.2 and of 2026.9.

    Whoever has no notes yet goes on with those of OpenClaw where they are; into other notes they
    are copied. What is there and not understood is named among the problems.
    """
    config, problems = _config(root, home)
    items: list[ImportItem] = []
    left_out = list(problems)
    workspaces = list(_workspaces(root, config))
    moves = moving_in is not None and moving_in.goes_on_with(workspaces)
    ours = _ours(config or {})
    made = _with_workspaces(ours.made, workspaces, home) if moves else ours.made
    if made:
        items.append(_settings(root, home, made))
    if ours.unknown:
        where = shown(root / "openclaw.json", home)
        names = ", ".join(sorted(ours.unknown))
        left_out.append(Failure(where, f"these settings are not understood here: {names}."))
    if not moves:
        for one in workspaces:
            items += [_note(path, one.folder, one.prefix, home) for path in _notes(one.folder)]
    items += [
        _auth_profiles(path, home)
        for path in sorted(root.glob(f"agents/*/agent/{PROFILES}"))
        if path.is_file() and not path.is_symlink()
    ]
    for folder in sorted(root.glob("agents/*")):
        found = _sessions_of(folder, home)
        items += found.items
        left_out += found.problems
    notice = ""
    if moves:
        folders = ", ".join(shown(one.folder, home) for one in workspaces)
        notice = f"The notes stay where they are and are yours from now on: {folders}."
    return SourceContents(tuple(items), tuple(left_out), notice)


@dataclass(frozen=True, slots=True)
class MovingIn:
    """The workspace that notes would go to, and whether the user has neither notes nor settings."""

    workspace: Path
    is_new: bool

    def goes_on_with(self, theirs: Sequence[_Theirs]) -> bool:
        """Whether there is nothing to be mixed with, or the notes are the same ones already."""
        folders = [one.folder.resolve() for one in theirs]
        return bool(theirs) and (self.is_new or self.workspace.resolve() in folders)


def _sessions_of(folder: Path, home: Path) -> SourceContents:
    """The sessions of one agent: files, packed or not, and those in its database."""
    problems: list[Failure] = []
    keys: Mapping[str, str] = {}
    try:
        keys = _session_keys(folder)
    except ImportFailed as error:
        problems.append(Failure(shown(folder, home), str(error)))
    files = sorted([*folder.glob("sessions/*.jsonl*"), *folder.glob("agent/**/*.jsonl.zst")])
    items = [
        session(path, home, folder.name, keys)
        for path in files
        if _is_transcript(path) and path.is_file() and not path.is_symlink()
    ]
    path = folder / _DATABASE
    if path.is_file() and not path.is_symlink():
        try:
            items += _stored_sessions(path, home, folder.name, keys)
        except ImportFailed as error:
            problems.append(Failure(shown(path, home), str(error)))
    return SourceContents(tuple(items), tuple(problems))


def _with_workspaces(made: dict[str, Any], theirs: Sequence[_Theirs], home: Path) -> dict[str, Any]:
    """Settings that name the workspaces of OpenClaw's agents."""
    agents = _object(made.get("agents"))
    listed = {str(one["id"]): one for one in agents.get("list") or ()}
    defaults = dict(_object(agents.get("defaults")))
    for one in theirs:
        where = shown(one.folder, home)
        if one.agent:
            listed[one.agent] = {"id": one.agent, **listed.get(one.agent, {}), "workspace": where}
        else:
            defaults["workspace"] = where
    both = {"defaults": defaults, "list": list(listed.values())}
    return {**made, "agents": {key: value for key, value in both.items() if value}}


def _auth_profiles(path: Path, home: Path) -> ImportItem:
    """A link to an agent's keys, which stay where they are and may change there."""
    name = f"agents/{path.parent.parent.name.lower()}/agent/{PROFILES}"
    origin = shown(path, home)
    return ImportItem("settings", origin, name, lambda: iter([bytes(path)]), link=path)


def session(
    path: Path, home: Path, agent: str | None, keys: Mapping[str, str] | None = None
) -> ImportItem:
    """One transcript, also an archived one; its agent has the same name here.

    `keys` are the keys of sessions by their ids: they tell in which chat it was said.
    """
    name = path.name.removesuffix(".zst").removesuffix(".jsonl").replace(".jsonl.", "-")
    bare = path.name.partition(".jsonl")[0]
    facts = _chat_facts((keys or {}).get(bare))
    log = ForeignTranscript(name, shown(path, home), lambda: turns(_entries(path)), facts)
    return transcript(SOURCE, log, agent.lower() if agent else None)


def _session_keys(folder: Path) -> dict[str, str]:
    """The key of each session by its id, from the session store of 2026.2 and of 2026.9."""
    found: dict[str, str] = {}
    path = folder / "sessions/sessions.json"
    if path.is_file() and not path.is_symlink():
        try:
            data = json5_text.loads(path.read_text("utf-8", "replace"))
        except (json5_text.BadJson5, OSError) as error:
            raise ImportFailed(f"{path} cannot be read ({error}); correct it.") from None
        for key, entry in _object(data).items():
            name = _object(entry).get("sessionId")
            if isinstance(name, str):
                found[name] = key
    database_file = folder / _DATABASE
    if database_file.is_file() and not database_file.is_symlink():
        with _database(database_file) as database:
            tables = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
            for table, column in (
                ("session_nodes", "current_session_id"),
                ("session_windows", "session_id"),
            ):
                if table in tables:
                    found |= dict(database.execute(f"SELECT {column}, session_key FROM {table}"))
    return found


def _chat_facts(key: str | None) -> dict[str, Any]:
    """What a session's key says of the chat: its type, and where it is."""
    if not key:
        return {}
    chat = chat_of(session_key=key)
    channel = {"channel": chat.channel} if chat.channel else {}
    return {"sessionKey": key, "chatType": chat.kind, **channel}


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a transcript, also of a compressed one, read piece by piece."""
    if path.suffix != ".zst":
        yield from entries(path)
        return
    rest = b""
    for piece in _decompressed(path):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            with contextlib.suppress(BrokenLine):
                yield parse_entry(line)
        # What is this long is no message; its end will not be one either.
        rest = rest[:MAX_LINE_BYTES]
    if rest:
        with contextlib.suppress(BrokenLine):
            yield parse_entry(rest)


def _decompressed(path: Path) -> Iterator[bytes]:
    zstandard = _zstandard()
    reader = zstandard.ZstdDecompressor().decompressobj()
    try:
        with path.open("rb") as file:
            while not reader.eof and (block := file.read(4096)):
                yield reader.decompress(block)
    except (zstandard.ZstdError, OSError) as error:
        raise ImportFailed(f"{path} cannot be unpacked ({error}); check it.") from None
    if not reader.eof:
        raise ImportFailed(f"{path} ends too early; a part of the conversation is missing.")


def turns(lines: Iterable[dict[str, Any]]) -> Iterator[ImportedTurn]:
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
            yield ImportedTurn(role, text, entry.get("timestamp") or message.get("timestamp"))


def _is_transcript(path: Path) -> bool:
    """Whether it is a transcript, or one that a reset or a deletion put aside."""
    ending = path.name.partition(".jsonl")[2].removesuffix(".zst")
    return not ending or ending.startswith((".reset.", ".deleted."))


def _stored_sessions(
    path: Path, home: Path, agent: str, keys: Mapping[str, str]
) -> list[ImportItem]:
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
            ForeignTranscript(
                name,
                f"{shown(path, home)}, session {name}",
                lambda name=name: turns(_stored_events(path, name)),  # type: ignore[misc]
                _chat_facts(keys.get(name)),
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
    zstandard = _zstandard()
    try:
        return bytes(zstandard.ZstdDecompressor().decompress(bytes(data), 8 * 1024 * 1024))
    except zstandard.ZstdError:
        raise BrokenLine from None


def _zstandard() -> Any:
    try:
        return import_module("zstandard")
    except ImportError:
        raise MissingExtra("To read OpenClaw's compressed conversations", "openclaw") from None


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


def _settings(root: Path, home: Path, made: dict[str, Any]) -> ImportItem:
    def content() -> Iterator[bytes]:
        where = shown(root / "openclaw.json", home)
        yield f"// imported from {SOURCE}: {where}\n{json5_text.dumps(made)}\n".encode()

    return ImportItem("settings", shown(root / "openclaw.json", home), SETTINGS, content)


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
    listed = _searches_of_agents(agents)
    known = {camel(one.name) for one in fields(MemorySearch)}
    for place in (defaults, *listed):
        section = place.get("memorySearch")
        if isinstance(section, dict):
            unknown |= {f"memory.search.{key}" for key in section if key not in known}
            place["memorySearch"] = {key: section[key] for key in section if key in known}
    providers = _providers_of(config)
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


def _searches_of_agents(agents: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The agents that search with settings of their own, each with those."""
    named = [agent for agent in agents.get("list") or () if isinstance(agent, dict)]
    for name, agent in _object(agents.get("entries")).items():
        search = _object(_object(_object(agent).get("memory")).get("search"))
        named.append({"id": name, **({"memorySearch": search} if search else {})})
    return [
        _picked(agent, ("id", "memorySearch"))
        for agent in named
        if isinstance(agent.get("memorySearch"), dict)
    ]


def _providers_of(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """How the providers that we know are reached."""
    providers = _object(_object(config.get("models")).get("providers"))
    return {
        name: _picked(_object(value), ("apiKey", "baseUrl", "headers"))
        for name, value in providers.items()
        if name in _PROVIDERS
    }


@dataclass(frozen=True, slots=True)
class _Theirs:
    """A workspace, the agent that has it for itself, and the folder to which its notes are copied."""

    folder: Path
    agent: str = ""
    prefix: str = ""


def _workspaces(root: Path, config: dict[str, Any] | None) -> Iterator[_Theirs]:
    """Every workspace: the common one first, then one for each agent that has its own."""
    agents = _object((config or {}).get("agents"))
    named = _object(agents.get("defaults")).get("workspace")
    main = Path(named).expanduser() if isinstance(named, str) else root / "workspace"
    if not main.is_dir():
        main = root / "workspace"
    if main.is_dir():
        yield _Theirs(main)
    seen = {main.resolve()}
    for path in sorted(root.glob("workspace-*")):
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            agent = path.name.removeprefix("workspace-")
            yield _Theirs(path, agent, f"{safe(agent)}/")
    entries_now = _object(agents.get("entries")).items()
    listed = [{"id": name, **_object(agent)} for name, agent in entries_now]
    for entry in [*(agents.get("list") or ()), *listed]:
        own = entry.get("workspace") if isinstance(entry, dict) else None
        path = Path(own).expanduser() if isinstance(own, str) else main
        if path.is_dir() and path.resolve() not in seen:
            seen.add(path.resolve())
            agent = str(entry.get("id") or path.name)
            yield _Theirs(path, agent, f"{safe(agent)}/")


def _notes(folder: Path) -> Iterator[Path]:
    names: set[str] = set()
    for name in _NOTES:
        path = folder / name
        # A disk that does not tell case shows MEMORY.md under both names.
        if path.is_file() and not path.is_symlink() and name.lower() not in names:
            names.add(name.lower())
            yield path
    yield from markdown_below(folder / "memory")


def _note(path: Path, folder: Path, prefix: str, home: Path) -> ImportItem:
    name = path.relative_to(folder).as_posix().removeprefix("memory/")
    return note(SOURCE, shown(path, home), prefix + name, lambda: note_text(path))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _picked(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: data[key] for key in keys if key in data}
