"""Named ways to search, so that they can be compared side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memdown.config import Settings
from memdown.errors import ConfigError

FTS5 = "fts5"
DEFAULT = "hybrid"
ABOUT: Mapping[str, str] = {
    DEFAULT: "as configured",
    "vectors": "meaning only",
    "text": "words only",
    "mmr": "prefers results that differ",
    "no-decay": "the age of notes does not count",
    "no-bar": "no minimum score",
    "rerank": "with the configured reranker",
    FTS5: "plain FTS5 over the same chunks: any word, Porter stemming, the chunk's beginning",
}


def read_names(text: str) -> list[str]:
    """The configurations that a list such as `hybrid,text` names."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in ABOUT:
            raise ConfigError(
                f"There is no configuration {name!r} to compare: choose from {', '.join(ABOUT)}."
            )
    return names or [DEFAULT]


def configured(settings: Settings, name: str) -> Settings:
    """The settings of a named configuration; the notes are not looked at again for every question."""
    query = settings.query
    hybrid = query.hybrid
    match name:
        case "vectors":
            query = replace(query, hybrid=replace(hybrid, enabled=False))
        case "text":
            query = replace(query, hybrid=replace(hybrid, text_weight=1.0, vector_weight=0.0))
        case "mmr":
            query = replace(query, hybrid=replace(hybrid, mmr=replace(hybrid.mmr, enabled=True)))
        case "no-decay":
            decay = replace(hybrid.temporal_decay, enabled=False)
            query = replace(query, hybrid=replace(hybrid, temporal_decay=decay))
        case "no-bar":
            query = replace(query, min_score=0.0)
        case "rerank":
            query = replace(query, rerank=replace(query.rerank, enabled=True))
    return replace(settings, query=query, sync=replace(settings.sync, on_search=False))
