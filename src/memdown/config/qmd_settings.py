"""What `memory.qmd` holds: the settings of the external `qmd` command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memdown.config.values import Duration, Strict, about

Action = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True)
class QmdPath(Strict):
    """One more folder or file that becomes a collection."""

    path: str = field(metadata=about("Folder or file.", path=True))
    pattern: str = field(default="**/*.md", metadata=about("Which files of a folder."))
    name: str | None = field(default=None, metadata=about("Name of the collection."))


@dataclass(frozen=True, slots=True)
class QmdSessionSettings(Strict):
    """Transcripts as a collection of their own."""

    enabled: bool = field(default=False, metadata=about("Export redacted transcripts."))
    retention_days: int | None = field(
        default=None,
        metadata=about(
            "Days a transcript is kept; unset: for ever.", low=0, high=36_500, zero_is_default=True
        ),
    )
    export_dir: str | None = field(
        default=None, metadata=about("Where the exports are written.", path=True)
    )


@dataclass(frozen=True, slots=True)
class QmdUpdateSettings(Strict):
    """When the collections are brought up to date, and how long that may take."""

    interval: Duration = field(
        default=Duration("5m"), metadata=about("Time between two updates; 0: never.")
    )
    debounce_ms: int = field(
        default=15_000,
        metadata=about("Least time between two updates.", low=0, high=86_400_000),
    )
    on_boot: bool = field(default=True, metadata=about("Update at the start."))
    wait_for_boot_sync: bool = field(
        default=False, metadata=about("Wait for the update at the start.")
    )
    embed_interval: Duration = field(
        default=Duration("60m"), metadata=about("Time between two embedding runs; 0: never.")
    )
    command_timeout_ms: int = field(
        default=30_000,
        metadata=about("For small commands.", low=100, high=86_400_000, zero_is_default=True),
    )
    update_timeout_ms: int = field(
        default=120_000,
        metadata=about("For `qmd update`.", low=100, high=86_400_000, zero_is_default=True),
    )
    embed_timeout_ms: int = field(
        default=120_000,
        metadata=about("For `qmd embed`.", low=100, high=86_400_000, zero_is_default=True),
    )


@dataclass(frozen=True, slots=True)
class QmdLimits(Strict):
    """How much a search may bring."""

    max_results: int = field(default=6, metadata=about("Results at most.", low=1, high=100))
    max_snippet_chars: int = field(
        default=700, metadata=about("Characters of a snippet.", low=1, high=100_000)
    )
    max_injected_chars: int = field(
        default=4000, metadata=about("Characters of all snippets.", low=1, high=1_000_000)
    )
    timeout_ms: int = field(
        default=4000,
        metadata=about("For a search.", low=100, high=3_600_000, zero_is_default=True),
    )


@dataclass(frozen=True, slots=True)
class QmdMatch(Strict):
    """Which chats a rule is for; what is unset matches every chat."""

    chat_type: Literal["direct", "group", "channel", "dm"] | None = field(
        default=None, metadata=about("`direct`, `group` or `channel` (`dm` is read as `direct`).")
    )
    channel: str | None = field(default=None, metadata=about("The channel, such as `telegram`."))
    key_prefix: str | None = field(default=None, metadata=about("Start of the session's key."))
    raw_key_prefix: str | None = field(
        default=None, metadata=about("Start of the session's key with the agent's part.")
    )


@dataclass(frozen=True, slots=True)
class QmdRule(Strict):
    """Allow or deny for the chats that match."""

    action: Action = field(metadata=about("`allow` or `deny`."))
    match: QmdMatch = field(default_factory=QmdMatch)


@dataclass(frozen=True, slots=True)
class QmdScope(Strict):
    """Which chats may see results: the first rule that matches decides."""

    default: Action = field(default="deny", metadata=about("When no rule matches."))
    rules: tuple[QmdRule, ...] = field(
        default=(QmdRule("allow", QmdMatch(chat_type="direct")),),
        metadata=about("The rules, in order."),
    )


@dataclass(frozen=True, slots=True)
class QmdSettings(Strict):
    """Everything under `memory.qmd`."""

    command: str = field(default="qmd", metadata=about("The program.", path=True))
    search_mode: Literal["search", "vsearch", "query"] = field(
        default="search",
        metadata=about("`search` (words), `vsearch` (meaning), `query` (both, slower)."),
    )
    include_default_memory: bool = field(
        default=True, metadata=about("Make collections of the workspace's own notes.")
    )
    paths: tuple[QmdPath, ...] = field(default=(), metadata=about("More collections."))
    sessions: QmdSessionSettings = field(default_factory=QmdSessionSettings)
    update: QmdUpdateSettings = field(default_factory=QmdUpdateSettings)
    limits: QmdLimits = field(default_factory=QmdLimits)
    scope: QmdScope = field(default_factory=QmdScope)
