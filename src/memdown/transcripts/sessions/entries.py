"""What the session store keeps, typed: entries of the registry, histories, messages.

Every value keeps fields it does not know in `extra` and writes them back, in their place at the
end, so that a newer program's data survives.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memdown.validation import camel

VERSION = 2


@dataclass(frozen=True, slots=True)
class SkillName:
    """A skill in a snapshot."""

    name: str
    primary_env: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SkillSnapshot:
    """The skills a session was started with."""

    prompt: str
    skills: tuple[SkillName, ...] = ()
    resolved_skills: list[Any] | None = None
    version: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptSizes:
    """How long the system prompt was, and of what."""

    chars: int = 0
    project_context_chars: int = 0
    non_project_context_chars: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InjectedFile:
    """A workspace file that was put into the system prompt."""

    name: str
    path: str
    missing: bool = False
    raw_chars: int = 0
    injected_chars: int = 0
    truncated: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptReport:
    """What the system prompt was made of."""

    source: str
    generated_at: int
    provider: str | None = None
    model: str | None = None
    workspace_dir: str | None = None
    system_prompt: PromptSizes | None = None
    injected_workspace_files: tuple[InjectedFile, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session in the registry. Times are milliseconds since 1970."""

    session_id: str
    updated_at: int
    session_file: str | None = None
    channel: str | None = None
    origin: Mapping[str, Any] | None = None
    delivery_context: Mapping[str, Any] | None = None
    model_override: str | None = None
    provider_override: str | None = None
    thinking_level: str | None = None
    auth_profile_override: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    compaction_count: int | None = None
    memory_flush_at: int | None = None
    memory_flush_compaction_count: int | None = None
    skills_snapshot: SkillSnapshot | None = None
    system_prompt_report: PromptReport | None = None
    group_activation: Literal["mention", "always"] | str | None = None
    group_id: str | None = None
    exec_host: str | None = None
    exec_security: str | None = None
    exec_node: str | None = None
    response_usage: str | None = None
    tts_auto: str | None = None
    queue_mode: str | None = None
    queue_debounce_ms: int | None = None
    queue_cap: int | None = None
    queue_drop: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredUsage:
    """The tokens of one answer."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """What a model thought before it answered."""

    type: str = "thought"
    content: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredToolCall:
    """A tool that a model called."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message of a history; content may be text or a list of blocks."""

    role: str
    content: str | list[Any] = ""
    timestamp: int | None = None
    usage: StoredUsage | None = None
    thinking_blocks: tuple[ThinkingBlock, ...] = ()
    tool_calls: tuple[StoredToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompactionSummary:
    """What is left of messages that were compacted."""

    content: str
    role: str = "system"
    compacted_at: int | None = None
    original_message_count: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class History:
    """A whole session as its file has it."""

    session_id: str
    created_at: int
    updated_at: int
    version: int = VERSION
    messages: tuple[StoredMessage, ...] = ()
    compacted_history: tuple[CompactionSummary, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def to_json(value: Any) -> Any:
    """A value as JSON has it: camel case, nothing that is unset."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        data = {}
        for item in dataclasses.fields(value):
            content = getattr(value, item.name)
            if item.name == "extra" or content is None or content == ():
                continue
            data[camel(item.name)] = to_json(content)
        return {**data, **getattr(value, "extra", {})}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value
