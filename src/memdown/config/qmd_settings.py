"""What `memory.qmd` holds: the settings of the external `qmd` command."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from memdown.config.values import Chat, Duration, Strict, about

Action = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True)
class QmdPath(Strict):
    """One more folder or file that becomes a collection."""

    path: str = field(metadata=about("Folder or file.", path=True))
    pattern: str = field(
        default="**/*.md",
        metadata=about("Which files of a folder are searched, and can be read by `memory_get`."),
    )
    name: str | None = field(default=None, metadata=about("Name of the collection."))


@dataclass(frozen=True, slots=True)
class QmdSessionSettings(Strict):
    """Transcripts as a collection of their own."""

    enabled: bool = field(
        default=False,
        metadata=about("Search conversations too: they are exported, redacted, as Markdown."),
    )
    retention_days: int | None = field(
        default=None,
        metadata=about(
            "Days a transcript is kept; unset: for ever.", low=0, high=36_500, zero_is_default=True
        ),
    )
    export_dir: str | None = field(
        default=None,
        metadata=about(
            "Where the exports are written, absolute or relative to the state folder; unset: in "
            "qmd's own folder there.",
            path=True,
        ),
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
    on_boot: bool = field(
        default=True, metadata=about("Run `qmd update` when a session starts, in the background.")
    )
    wait_for_boot_sync: bool = field(
        default=False,
        metadata=about("The first search waits until that update is done, however long it takes."),
    )
    embed_interval: Duration = field(
        default=Duration("60m"),
        metadata=about(
            "Time between two runs of `qmd embed`, for `vsearch` and `query`; 0: only the first."
        ),
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
    key_prefix: str | None = field(
        default=None,
        metadata=about("Start of the session's key, such as `slack:channel:c024`."),
    )
    raw_key_prefix: str | None = field(
        default=None,
        metadata=about("Start of the whole key: `agent:main:slack:channel:c024`."),
    )

    def fits(self, chat: Chat) -> bool:
        """Whether a rule with this match is about a chat."""
        return (
            self.chat_type in (None, chat.kind)
            and (self.channel is None or self.channel.lower() == chat.channel)
            and chat.key.startswith((self.key_prefix or "").lower())
            and chat.raw_key.startswith((self.raw_key_prefix or "").lower())
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

    def allows(self, chat: Chat) -> bool:
        """Whether this chat may see results."""
        if chat.also and not self.allows(replace(chat, kind=chat.also, also=None)):
            return False
        for rule in self.rules:
            if rule.match.fits(chat):
                return rule.action == "allow"
        return self.default == "allow"


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
