"""Searches answered by `qmd`, and by the built-in index whenever `qmd` cannot."""

from __future__ import annotations

from dataclasses import replace

from memdown.backends.qmd.sidecar import NAME, Sidecar
from memdown.config import Chat, chat_of
from memdown.search.searcher import Request, Searcher
from memdown.types import Answer


class QmdSearcher:
    """Asks `qmd` first; `own` answers in its place, and the answer says why.

    `chat` is where requests come from that do not say it.
    """

    def __init__(self, sidecar: Sidecar, own: Searcher, chat: Chat) -> None:
        self._sidecar = sidecar
        self._own = own
        self._chat = chat

    def search(self, request: Request) -> Answer:
        """Find what answers a request."""
        scope = self._own.scope(request)
        if scope.only is not None:
            own = self._own.search(request)
            why = "the built-in index answered instead of qmd, which takes no filter"
            return replace(own, reasons=(why, *own.reasons))
        chat = self._chat
        if request.chat or request.session_key:
            chat = chat_of(request.chat or "direct", request.session_key)
        answer = self._sidecar.answer(
            request.query,
            max_results=request.max_results,
            min_score=request.min_score,
            sources=scope.sources,
            chat=chat,
        )
        if isinstance(answer, Answer):
            return answer
        own = self._own.search(request)
        why = f"the built-in index answered instead of qmd: {answer}"
        return replace(own, fallback=own.fallback or NAME, reasons=(why, *own.reasons))
