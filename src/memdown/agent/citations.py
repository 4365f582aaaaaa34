"""Whether and how an answer names its sources."""

from __future__ import annotations

from typing import Literal

from memdown.config import ChatType
from memdown.types import Hit

CitationMode = Literal["auto", "on", "off"]


def show_citations(mode: str, chat: ChatType = "direct") -> bool:
    """`on` always, `off` never, `auto` in direct chats only."""
    return mode == "on" or (mode == "auto" and chat == "direct")


def with_source(hit: Hit) -> str:
    """The snippet with its citation under it."""
    return f"{hit.snippet}\n\nSource: {hit.path}#L{hit.start_line}-L{hit.end_line}"
