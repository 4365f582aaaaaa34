"""Everything Memdown can be told, as plain values; importing this loads no heavy library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from memdown.config.search_settings import MemorySearch
from memdown.config.values import Chat, Duration, Secret, Shared, about, chat_of
from memdown.validation import Strict
from memdown.values import dataclass

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
        metadata=about(
            "After an update none runs for so long; a note saved meanwhile makes an answer `partial`.",
            low=0,
            high=86_400_000,
        ),
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
        metadata=about(
            "After this time a small command of qmd is ended.",
            low=100,
            high=86_400_000,
            zero_is_default=True,
        ),
    )
    update_timeout_ms: int = field(
        default=120_000,
        metadata=about(
            "After this time `qmd update` is ended and tried again later.",
            low=100,
            high=86_400_000,
            zero_is_default=True,
        ),
    )
    embed_timeout_ms: int = field(
        default=120_000,
        metadata=about(
            "After this time `qmd embed` is ended and tried again later.",
            low=100,
            high=86_400_000,
            zero_is_default=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class QmdLimits(Strict):
    """How much a search may bring."""

    max_results: int = field(
        default=6, metadata=about("How many results a search shows at most.", low=1, high=100)
    )
    max_snippet_chars: int = field(
        default=700,
        metadata=about("Longer snippets are cut to so many characters.", low=1, high=100_000),
    )
    max_injected_chars: int = field(
        default=4000,
        metadata=about(
            "All snippets of an answer together have at most so many characters.",
            low=1,
            high=1_000_000,
        ),
    )
    timeout_ms: int = field(
        default=4000,
        metadata=about(
            "If a search of qmd takes longer, the built-in index answers.",
            low=100,
            high=3_600_000,
            zero_is_default=True,
        ),
    )


@dataclass(frozen=True, slots=True)
class QmdMatch(Strict):
    """Which chats a rule is for; what is unset matches every chat."""

    chat_type: Literal["direct", "group", "channel", "dm"] | None = field(
        default=None, metadata=about("`direct`, `group` or `channel` (`dm` is read as `direct`).")
    )
    channel: str | None = field(
        default=None, metadata=about("The chat program that asks, such as `telegram`.")
    )
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

    action: Action = field(
        metadata=about("`allow`: these chats get results; `deny`: they get none.")
    )
    match: QmdMatch = field(default_factory=QmdMatch)


@dataclass(frozen=True, slots=True)
class QmdScope(Strict):
    """Which chats may see results: the first rule that matches decides."""

    default: Action = field(
        default="deny",
        metadata=about("Whether a chat that no rule is about gets results: `allow` or `deny`."),
    )
    rules: tuple[QmdRule, ...] = field(
        default=(QmdRule("allow", QmdMatch(chat_type="direct")),),
        metadata=about("Which chats get results: the first rule that matches decides."),
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

    command: str = field(
        default="qmd", metadata=about("The program that is run: a name or a path.", path=True)
    )
    search_mode: Literal["search", "vsearch", "query"] = field(
        default="search",
        metadata=about("`search` (words), `vsearch` (meaning), `query` (both, slower)."),
    )
    include_default_memory: bool = field(
        default=True,
        metadata=about("`false`: only `paths` are searched, not the workspace's own notes."),
    )
    paths: tuple[QmdPath, ...] = field(
        default=(), metadata=about("More folders and files that are searched.")
    )
    sessions: QmdSessionSettings = field(default_factory=QmdSessionSettings)
    update: QmdUpdateSettings = field(default_factory=QmdUpdateSettings)
    limits: QmdLimits = field(default_factory=QmdLimits)
    scope: QmdScope = field(default_factory=QmdScope)


Backend = Literal["builtin", "qmd"]
Citations = Literal["auto", "on", "off"]
MemorySlot = Literal["memory-core", "memory-lancedb", "none"]
Access = Literal["rw", "ro", "none"]

FLUSH_SYSTEM_PROMPT = (
    "This session is about to be compacted and older messages will be lost. "
    "Save what must last to memory files now. Only append: never change or remove existing notes. "
    "The user does not see this turn; NO_REPLY is usually the right answer."
)
FLUSH_PROMPT = (
    "Before compaction: append lasting facts, decisions, preferences and open tasks of this "
    "session to memory/YYYY-MM-DD.md (today's date; create the file if needed). "
    "Reply with NO_REPLY when done or when there is nothing to save."
)


@dataclass(frozen=True, slots=True)
class MemoryFlushSettings(Strict):
    """The silent turn that saves memories before a session is compacted."""

    enabled: bool = field(
        default=True,
        metadata=about(
            "Before a conversation is compacted, the model is asked to save what must last; in hooks "
            "a digest is written."
        ),
    )
    soft_threshold_tokens: int = field(
        default=4000,
        metadata=about("How long before compaction it happens, in tokens.", low=0, high=10**8),
    )
    system_prompt: str = field(
        default=FLUSH_SYSTEM_PROMPT, metadata=about("Added to the system prompt of that turn.")
    )
    prompt: str = field(
        default=FLUSH_PROMPT,
        metadata=about("What the model is asked in that turn; `YYYY-MM-DD` is today."),
    )
    command: str = field(
        default="",
        metadata=about(
            "What asks a model where hooks have none: `claude`, `codex`, `gemini`, `opencode` or a command that gets the "
            "prompt on its standard input, such as `ollama run qwen3`. Unset: a digest is written."
        ),
    )


@dataclass(frozen=True, slots=True)
class CompactionSettings(Shared):
    """What Memdown must know of compaction."""

    reserve_tokens_floor: int = field(
        default=20_000,
        metadata=about(
            "So many tokens of the context window stay free for answers: the more, the sooner a "
            "conversation is compacted.",
            low=0,
            high=10**8,
        ),
    )
    memory_flush: MemoryFlushSettings = field(default_factory=MemoryFlushSettings)


@dataclass(frozen=True, slots=True)
class JournalSettings(Strict):
    """How much of the history of the notes is kept."""

    days: int = field(
        default=90,
        metadata=about(
            "How long `memdown history` and `undo` can go back; older changes are dropped.",
            low=1,
            high=36_500,
        ),
    )
    max_megabytes: int = field(
        default=64,
        metadata=about(
            "How large the history may grow; the oldest changes go first.", low=1, high=100_000
        ),
    )


@dataclass(frozen=True, slots=True)
class UseSettings(Strict):
    """The log of what was asked, found and opened; it never leaves the machine."""

    enabled: bool = field(
        default=False,
        metadata=about(
            "Keep a log of questions and of what they found; `memdown review --use` shows what is "
            "recalled often or never, and what was not found."
        ),
    )
    days: int = field(
        default=90, metadata=about("How long a day of that log is kept.", low=1, high=3650)
    )


@dataclass(frozen=True, slots=True)
class TidySettings(Strict):
    """Which model `memdown tidy` asks, and when."""

    command: str | None = field(
        default=None,
        metadata=about(
            "The coding agent that is asked where `--with` names none: `claude`, `codex`, `gemini`, `opencode` or a command."
        ),
    )
    provider: Literal["openai", "anthropic"] = field(
        default="openai", metadata=about("How the endpoint that is asked speaks.")
    )
    base_url: str | None = field(
        default=None,
        metadata=about(
            "Where the model is; unset: as in `models.providers`, else the provider's own."
        ),
    )
    model: str | None = field(
        default=None,
        metadata=about("The model that is asked where there is no command; unset: none is."),
    )
    timeout_ms: int = field(
        default=120_000,
        metadata=about(
            "How long an answer may take; afterwards nothing is changed.", low=1000, high=3_600_000
        ),
    )
    after_session: bool = field(
        default=False,
        metadata=about(
            "Tidy in the background when a session ends; each change is in `memdown history` and can "
            "be undone."
        ),
    )


@dataclass(frozen=True, slots=True)
class MemorySection(Shared):
    """What stands under `memory`."""

    backend: Backend = field(
        default="builtin", metadata=about("`builtin`, or `qmd` for the external command.")
    )
    citations: Citations = field(
        default="auto",
        metadata=about("Sources under snippets: `on`, `off`, or `auto`: in direct chats."),
    )
    journal: JournalSettings = field(default_factory=JournalSettings)
    use: UseSettings = field(default_factory=UseSettings)
    tidy: TidySettings = field(default_factory=TidySettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)


@dataclass(frozen=True, slots=True)
class ProviderSettings(Shared):
    """What stands under `models.providers.<provider>`."""

    api_key: Secret | None = field(
        default=None,
        metadata=about(
            "The key that is sent; unset: that of the environment, such as `OPENAI_API_KEY`."
        ),
    )
    base_url: str | None = field(
        default=None,
        metadata=about("Where requests are sent, in place of the provider's own address."),
    )
    headers: Mapping[str, Secret] = field(
        default_factory=dict,
        metadata=about("Sent with every request, such as a header that a proxy wants."),
    )


@dataclass(frozen=True, slots=True)
class SandboxSettings(Shared):
    """What stands under `sandbox`: what an agent may do to the workspace."""

    mode: Literal["off", "non-main", "all"] | None = field(
        default=None,
        metadata=about(
            "For which sessions `workspaceAccess` counts: `off`: none, `non-main`: all but the "
            "owner's own, `all` or unset: all."
        ),
    )
    workspace_access: Access = field(
        default="rw",
        metadata=about(
            "`rw`, or `ro` and `none`: no note is written, so there is no memory flush, no "
            "`memory_remember` and no digest in the daily log."
        ),
    )

    def access_of(self, chat: Chat) -> Access:
        """What a session may do; the owner's own is called `main`, or has no name."""
        is_main = chat.key in ("", "main") and chat.is_direct
        free = self.mode == "off" or (self.mode == "non-main" and is_main)
        return "rw" if free else self.workspace_access


@dataclass(frozen=True, slots=True)
class PluginSlots(Shared):
    """What stands under `plugins.slots`."""

    memory: MemorySlot = field(
        default="memory-core",
        metadata=about("`memory-core` (files), `memory-lancedb` (single memories) or `none`."),
    )


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a file that are read, for one agent; without a file, the defaults."""

    search: MemorySearch = field(default_factory=MemorySearch)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    memory: MemorySection = field(default_factory=MemorySection)
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    slots: PluginSlots = field(default_factory=PluginSlots)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    plugin_configs: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    workspace: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(MemorySearch):
    """All settings of one agent, resolved: what `load_settings` gives.

    The keys of `memorySearch` are fields of their own; `notes` tells what was not taken as written.
    `chat` is where questions come from unless they say otherwise, `access` what may be done to the
    notes there; `profile_keys` are keys of providers from OpenClaw's auth profiles.
    In an `adopted` workspace all Markdown counts. A `foreign` one was found by its files in a
    checkout, and nobody said that it is a memory; `passed_over` is a folder that looks like a
    workspace too, nearer than the one that is used.
    """

    agent: str
    workspace: Path
    state_dir: Path
    config_path: Path | None
    compaction: CompactionSettings
    backend: Backend
    citations: Citations
    qmd: QmdSettings
    providers: Mapping[str, ProviderSettings]
    memory_slot: MemorySlot
    journal: JournalSettings = field(default_factory=JournalSettings)
    use: UseSettings = field(default_factory=UseSettings)
    tidy: TidySettings = field(default_factory=TidySettings)
    profile_keys: Mapping[str, Secret] = field(default_factory=dict)
    plugin_configs: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)
    access: Access = "rw"
    chat: Chat = field(default_factory=Chat)
    adopted: bool = False
    foreign: bool = False
    passed_over: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def holds_notes(self) -> bool:
        """Whether agents have a memory, and it is made of notes."""
        return self.enabled and self.memory_slot == "memory-core"

    @property
    def holds_single_memories(self) -> bool:
        """Whether agents have a memory, and it is the plugin `memory-lancedb`."""
        return self.enabled and self.memory_slot == "memory-lancedb"

    def asked_in(self, chat: str | None, session_key: str | None) -> Chat:
        """Where a question comes from, by what its asker says or else by the settings."""
        return chat_of(chat or "direct", session_key) if chat or session_key else self.chat
