"""What each hook does, in the protocol of Claude Code: JSON in, JSON or nothing out."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdown import notes as workspace
from memdown.agent.session_start import CLIENT_BUDGET, NotesAlone, session_context, weights_of_use
from memdown.config import Settings
from memdown.errors import ConfigError, NoteNotFound, WorkspaceError
from memdown.facts import ASKING
from memdown.files import locked, make_folder
from memdown.notes.descriptors import shown
from memdown.types import Answer, Citation

if TYPE_CHECKING:
    from memdown.agent.hooks.digest import HookMessage
    from memdown.agent.hooks.saving import Copy

MAX_INPUT_CHARS = 8_000_000
FLUSH = "flush"
_FLUSH_TOKENS = 60_000
_FLUSH_SECONDS = 900.0
Output = dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class HookInput:
    """What the agent's program tells a hook; `messages` where it has no transcript in a file."""

    session_id: str
    transcript: Path | None
    cwd: Path | None
    prompt: str
    source: str = ""
    dry: bool = False
    messages: tuple[dict[str, Any], ...] = ()


def parse_input(text: str) -> HookInput:
    """The hook's input; unknown fields are left alone."""
    try:
        data = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ConfigError(
            "The hook got no valid JSON; it is meant to be run by an agent."
        ) from None
    if not isinstance(data, dict):
        raise ConfigError("The hook got JSON that is not an object; it is run by an agent.")

    def field(name: str) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else ""

    messages = data.get("messages")
    return HookInput(
        session_id=field("session_id"),
        transcript=Path(field("transcript_path")).expanduser()
        if field("transcript_path")
        else None,
        cwd=Path(field("cwd")) if field("cwd") else None,
        prompt=field("prompt"),
        source=field("source"),
        dry=data.get("memdown_dry_run") is True,
        messages=tuple(one for one in messages if isinstance(one, dict))
        if isinstance(messages, list)
        else (),
    )


def run_event(event: str, given: HookInput, settings: Settings) -> Output:
    """What a hook has to say; with `dry`, what it would do, while nothing is written."""
    if os.environ.get(ASKING):
        # A model that we ask ourselves is no conversation of the user's.
        return None
    if given.dry:
        return _say(_outlook(settings))
    return flush(given, settings) if event == FLUSH else EVENTS[event](given, settings)


def session_start(given: HookInput, settings: Settings) -> Output:
    """Give the agent MEMORY.md and the notes of the last two days.

    A session that goes on has them already; after a compaction they are given again.
    """
    if not settings.holds_notes or given.source == "resume":
        return None
    if not settings.workspace.is_dir():
        return _say(_no_workspace(settings))
    text = session_context(
        NotesAlone.of(settings),
        private=settings.chat.kind == "direct",
        budget=CLIENT_BUDGET,
        used=weights_of_use(settings),
    )
    output = _context("SessionStart", text)
    if settings.passed_over is not None and given.source in ("", "startup"):
        return {**(output or {}), **_say(_passed_over(settings))}
    return output


def user_prompt_submit(given: HookInput, settings: Settings) -> Output:
    """Give the agent the memories that clearly belong to what the user just said."""
    if not given.prompt.strip():
        return None
    if settings.holds_single_memories:
        from memdown.backends.ltm import auto_recall
        from memdown.opening import open_long_term

        return _context("UserPromptSubmit", auto_recall(open_long_term(settings), given.prompt))
    # The start of the session told that there is no workspace; not before every prompt again.
    if not settings.holds_notes or not settings.workspace.is_dir():
        return None
    from memdown.agent.prompt import recall, recall_text
    from memdown.memory import Memory

    with Memory.from_settings(settings) as memory:
        hits = recall(memory, given.prompt)
        if hits and settings.use.enabled:
            from memdown.facts.use import record_question

            # A prompt that recalls nothing is no question without an answer.
            record_question(
                memory, given.prompt, Answer(hits, "", ""), actor="hook", session=given.session_id
            )
        return _context("UserPromptSubmit", recall_text(hits))


def stop(given: HookInput, settings: Settings) -> Output:
    """Copy what was said since the last time; quick, since it runs after every answer."""
    _save(given, settings, write_digest=False)
    return None


def pre_compact(given: HookInput, settings: Settings) -> Output:
    """Copy the conversation and add a digest of it to the daily log, before it is cut.

    Where single memories take the place of notes, some of what the user said is kept instead.
    With `memoryFlush.enabled: false`, or notes that may not be written, it is only copied.
    """
    _save(given, settings, write_digest=True)
    return None


EVENTS: Mapping[str, Callable[[HookInput, Settings], Output]] = {
    "session-start": session_start,
    "user-prompt-submit": user_prompt_submit,
    "stop": stop,
    "pre-compact": pre_compact,
    "session-end": pre_compact,
}


def _save(given: HookInput, settings: Settings, *, write_digest: bool) -> None:
    if not given.transcript and not given.messages:
        return
    if not (settings.holds_notes or settings.holds_single_memories):
        return
    from memdown.agent.hooks.saving import enlist, opened_copy, save_conversation, save_messages
    from memdown.transcripts.reading import sessions_folder

    folder = sessions_folder(settings.state_dir, settings.agent)
    with opened_copy(folder, given.session_id) as copy:
        is_new = not copy.data
        if given.transcript:
            save_conversation(copy, given.transcript)
        else:
            save_messages(copy, given.messages)
        if copy.data and (is_new or write_digest):
            # Not after every answer: a registry of very many sessions takes a while.
            enlist(copy, _client(given), given.cwd)
        new = copy.undigested() if write_digest else []
        if settings.holds_single_memories:
            _capture(settings, copy, new)
            return
        if not settings.compaction.memory_flush.enabled or settings.access != "rw":
            return
        if not settings.compaction.memory_flush.command:
            # Else `flush` asks a model, in a process of its own.
            _digest(given, settings, copy, new)


def _client(given: HookInput) -> str:
    """The program that runs the hook, by the transcript it has."""
    if given.transcript is None:
        return "opencode"
    if given.transcript.name.startswith("rollout-"):
        return "codex"
    return "gemini" if ".gemini" in given.transcript.parts else "claude-code"


def tidies_after(event: str, settings: Settings) -> bool:
    """Whether the notes are tidied in the background after this event of a session."""
    tidy = settings.tidy
    return (
        event == "session-end"
        and tidy.after_session
        and bool(tidy.command or tidy.model)
        and settings.access == "rw"
        and settings.holds_notes
        and not os.environ.get(ASKING)
    )


def flushes_after(event: str, settings: Settings) -> bool:
    """Whether a model is to be asked for memories after this event."""
    wanted = settings.compaction.memory_flush
    return (
        event in ("pre-compact", "session-end")
        and wanted.enabled
        and bool(wanted.command)
        and settings.access == "rw"
        and settings.holds_notes
        and not os.environ.get(ASKING)
    )


def flush(given: HookInput, settings: Settings) -> Output:
    """Let a model save what must last of a conversation; a digest takes its place if it fails.

    It runs in a process of its own: a model takes longer than an agent waits for a hook. The copy of
    the conversation is not locked meanwhile. One flush runs at a time: a second one, for the same
    conversation, finds nothing left to do.
    """
    if not flushes_after("session-end", settings):
        return None
    make_folder(settings.state_dir / "locks")
    with locked(settings.state_dir / "locks" / "flush.lock", _FLUSH_SECONDS) as alone:
        return _flush(given, settings) if alone else None


def _flush(given: HookInput, settings: Settings) -> Output:
    from memdown.agent.flush import model_by_command, run_flush
    from memdown.agent.hooks.saving import opened_copy
    from memdown.agent.turns import Message
    from memdown.facts.tidying import ask_command
    from memdown.memory import Memory
    from memdown.transcripts.reading import sessions_folder

    command = settings.compaction.memory_flush.command
    folder = sessions_folder(settings.state_dir, settings.agent)
    with opened_copy(folder, given.session_id) as copy:
        new = copy.undigested()
    if not new:
        return None
    _opened(settings)
    model = model_by_command(lambda prompt: ask_command(command, prompt))
    said = [Message(one.role, one.text) for one in new]
    with Memory.from_settings(settings) as memory:
        result = run_flush(memory, model, said, max_tokens=_FLUSH_TOKENS)
    with opened_copy(folder, given.session_id) as copy:
        left = copy.undigested()
        if not left or left[0].id != new[0].id:
            # Another process was quicker.
            return None
        if result.done:
            places = ", ".join(map(str, result.saved)) or "nothing to save"
            copy.digested(new[-1].end, places)
        else:
            _digest(given, settings, copy, left)
    return None if result.done else _say(f"memories were not saved by a model: {result.error}")


def _digest(given: HookInput, settings: Settings, copy: Copy, new: Sequence[HookMessage]) -> None:
    from memdown.agent.hooks.digest import digest

    text = digest(new, given.session_id, _project(given))
    if text:
        copy.digested(new[-1].end, str(_write_once(settings, text)))


def _project(given: HookInput) -> str:
    """The name of the folder that a session is about; none for the home folder."""
    if given.cwd is None or given.cwd == Path.home():
        return ""
    return given.cwd.name.replace("(", "").replace(")", "")


def _capture(settings: Settings, copy: Copy, new: Sequence[HookMessage]) -> None:
    """Keep what is worth it of what the user said since the last time."""
    if not new:
        return
    from memdown.agent.long_term import AroundTurns
    from memdown.agent.provenance import own_words
    from memdown.opening import open_long_term
    from memdown.transcripts.messages import without_recalled

    before, now = (
        [own_words(without_recalled(said.text)) for said in some if said.role == "user"]
        for some in (copy.digested_before(), new)
    )
    around = AroundTurns(lambda: open_long_term(settings), before)
    kept = [stored.entry.id for message in now for stored in around.after(message)]
    copy.digested(new[-1].end, ", ".join(kept))


def _write_once(settings: Settings, text: str) -> Citation:
    """Add the digest to today's log, unless it stands there: the last run may have been killed."""
    place = _opened(settings)
    today = datetime.date.today()  # noqa: DTZ011
    for day in (today, today - datetime.timedelta(days=1)):
        path = workspace.daily_note(day)
        try:
            note = NotesAlone(place).get(path).text
        except (NoteNotFound, WorkspaceError):
            continue
        if text in note:
            first = note[: note.index(text)].count("\n") + 1
            return Citation(path, first, first + text.count("\n"))
    locks = settings.state_dir / "locks"
    return workspace.remember(place, text, durable=False, today=today, lock_dir=locks)


def _opened(settings: Settings) -> workspace.Workspace:
    """The notes; the default workspace is made when it is first needed.

    One that the user named is not: it may lie on a disk that is not there at the moment.
    """
    if settings.workspace == settings.state_dir / "workspace" and not settings.workspace.is_dir():
        workspace.create_workspace(settings.workspace, private=True)
    try:
        return NotesAlone.of(settings).place
    except WorkspaceError as error:
        raise WorkspaceError(
            f"{error} The conversation is copied, and its digest is written when that works again."
        ) from None


def _outlook(settings: Settings) -> str:
    """Which memory the hooks have, told after they were installed."""
    if settings.holds_single_memories:
        return "the hooks keep single memories (plugins.slots.memory: memory-lancedb)."
    if not settings.holds_notes:
        return "memory is turned off (memorySearch.enabled or plugins.slots.memory)."
    notes = NotesAlone.of(settings).place
    if not os.access(notes.folder, os.W_OK | os.X_OK):
        raise WorkspaceError(
            f"The workspace {notes.folder} cannot be written to; check its permissions."
        )
    count = len(workspace.scan(notes).files)
    return f"workspace {notes.folder}, {count} note{'s' * (count != 1)}."


def _no_workspace(settings: Settings) -> str:
    missing = f"there is no memory yet: the workspace {shown(settings.workspace)} does not exist."
    return (
        f"{missing} Run `memdown init`, and `memdown hooks install --apply`, where your notes are."
    )


def _passed_over(settings: Settings) -> str:
    return (
        f"{shown(settings.passed_over or '')} looks like a memory, but you never made it yours, so the one in "
        f"use is {shown(settings.workspace)}. Run `memdown init` there once if it is your memory."
    )


def _say(text: str) -> dict[str, Any]:
    """A message that the agent's program shows to its user."""
    return {"systemMessage": f"memdown: {text}"}


def _context(event: str, text: str) -> Output:
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
