"""Configuration: a JSON5 file → `Settings`. Importing this loads no heavy library."""

from memdown.config.chats import Chat, ChatType, chat_of
from memdown.config.load import load_settings
from memdown.config.qmd_settings import (
    QmdLimits,
    QmdMatch,
    QmdPath,
    QmdRule,
    QmdScope,
    QmdSessionSettings,
    QmdSettings,
    QmdUpdateSettings,
)
from memdown.config.search_settings import (
    BatchSettings,
    CacheSettings,
    ChunkingSettings,
    DecaySettings,
    ExperimentalSettings,
    HybridSettings,
    LocalSettings,
    MmrSettings,
    QuerySettings,
    RemoteSettings,
    SessionSyncSettings,
    StoreSettings,
    SyncSettings,
    VectorSettings,
)
from memdown.config.settings import (
    Access,
    CompactionSettings,
    MemoryFlushSettings,
    ProviderSettings,
    Settings,
)
from memdown.config.values import Duration, Secret

__all__ = [
    "Access",
    "BatchSettings",
    "CacheSettings",
    "Chat",
    "ChatType",
    "ChunkingSettings",
    "CompactionSettings",
    "DecaySettings",
    "Duration",
    "ExperimentalSettings",
    "HybridSettings",
    "LocalSettings",
    "MemoryFlushSettings",
    "MmrSettings",
    "ProviderSettings",
    "QmdLimits",
    "QmdMatch",
    "QmdPath",
    "QmdRule",
    "QmdScope",
    "QmdSessionSettings",
    "QmdSettings",
    "QmdUpdateSettings",
    "QuerySettings",
    "RemoteSettings",
    "Secret",
    "SessionSyncSettings",
    "Settings",
    "StoreSettings",
    "SyncSettings",
    "VectorSettings",
    "chat_of",
    "load_settings",
]
