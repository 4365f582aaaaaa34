"""What limits on single keys cannot say: keys that must agree, and older ways to write a value."""

from __future__ import annotations

from dataclasses import replace

from memdown.config.origin import Origin
from memdown.config.qmd_settings import QmdSettings
from memdown.config.search_settings import (
    ChunkingSettings,
    HybridSettings,
    MemorySearch,
)
from memdown.types import SOURCES, Source

_WEIGHTS = ("query", "hybrid")


def settle(search: MemorySearch, origin: Origin) -> MemorySearch:
    """`memorySearch` with its sources, chunking and weights in agreement with each other."""
    return replace(
        search,
        sources=_sources(search, origin),
        chunking=_chunking(search.chunking, origin),
        query=replace(search.query, hybrid=_weights(search.query.hybrid, origin)),
    )


def modernise(qmd: QmdSettings) -> QmdSettings:
    """The settings with `dm`, an older name, read as `direct`."""
    rules = tuple(
        replace(rule, match=replace(rule.match, chat_type="direct"))
        if rule.match.chat_type == "dm"
        else rule
        for rule in qmd.scope.rules
    )
    return replace(qmd, scope=replace(qmd.scope, rules=rules))


def _sources(search: MemorySearch, origin: Origin) -> tuple[Source, ...]:
    wanted = set(search.sources)
    if "sessions" in wanted and not search.experimental.session_memory:
        origin.note(
            ["sources"],
            'names "sessions", which counts only when experimental.sessionMemory is true.',
        )
        wanted.remove("sessions")
    return tuple(source for source in SOURCES if source in wanted) or ("memory",)


def _chunking(chunking: ChunkingSettings, origin: Origin) -> ChunkingSettings:
    if chunking.overlap < chunking.tokens:
        return chunking
    overlap = chunking.tokens - 1
    origin.note(
        ["chunking", "overlap"],
        f"is {chunking.overlap}, which counts as {overlap}, one less than tokens.",
    )
    return replace(chunking, overlap=overlap)


def _weights(hybrid: HybridSettings, origin: Origin) -> HybridSettings:
    vector, text = hybrid.vector_weight, hybrid.text_weight
    if vector is None and text is None:
        return hybrid
    if vector is not None and text is not None:
        # Divided by the larger first: the sum of two huge numbers is infinite.
        largest = max(vector, text)
        if largest == 0:
            raise origin.error(
                [*_WEIGHTS, "vectorWeight"],
                "and textWeight are both 0; give one of them a value above 0 or remove both.",
            )
        vector, text = vector / largest, text / largest
        return replace(
            hybrid, vector_weight=vector / (vector + text), text_weight=text / (vector + text)
        )
    name = "vectorWeight" if text is None else "textWeight"
    given = vector or text or 0.0
    if given > 1:
        raise origin.error(
            [*_WEIGHTS, name],
            f"is {given:g} and stands alone; give both weights, or one between 0 and 1.",
        )
    if text is None:
        return replace(hybrid, vector_weight=given, text_weight=1 - given)
    return replace(hybrid, vector_weight=1 - given, text_weight=given)
