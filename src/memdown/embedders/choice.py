"""The embedder in use and the one in reserve, and which of them fits the index."""

from __future__ import annotations

import logging
from collections.abc import Callable

from memdown.embedders import Chosen, Unavailable, create
from memdown.errors import EmbedderError
from memdown.types import Closeable, Embedder, Fingerprint, ModelKey

log = logging.getLogger("memdown")

_BUNDLED = "bundled"


class Choice:
    """Changes hands at most once: when the chosen embedder fails and its fallback may go on."""

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen
        self._first = chosen.embedder
        self._spare: Embedder | None = None
        self._bundled: Embedder | None = None

    @property
    def embedder(self) -> Embedder | None:
        """The embedder that the index should be made with."""
        return self._chosen.embedder

    @property
    def requested(self) -> str:
        """What the settings ask for."""
        return self._chosen.requested

    @property
    def problem(self) -> str | None:
        """Why the chosen embedder does not do its work, as far as it is known."""
        return self._chosen.reason

    @property
    def is_settled(self) -> bool:
        """Whether no other embedder than the chosen one can be of use."""
        embedder = self._chosen.embedder
        return embedder is None or embedder.id == _BUNDLED or not self._chosen.ours

    @property
    def has_spare(self) -> bool:
        """Whether another embedder may take over."""
        return self._chosen.spare is not None

    def fitting(self, index: Fingerprint | None) -> Embedder | None:
        """The embedder for questions: the one that the index was made with, if it is at hand."""
        if self.is_settled:
            return self.embedder
        if index is None:
            down = isinstance(self.embedder, Unavailable)
            return self._make_spare() or self.embedder if down else self.embedder
        if index.key == ModelKey.of(self.embedder):
            return self.embedder
        spare = self._make_spare()
        if spare is not None and index.key == ModelKey.of(spare):
            return spare
        if index.key.provider == _BUNDLED:
            # It needs nothing, so the old index stays as good as it was until the new one is made.
            self._bundled = self._bundled or create(_BUNDLED)
            if index.key == ModelKey.of(self._bundled):
                return self._bundled
        return self.embedder

    def fallen_from(self, embedder: Embedder | None) -> str | None:
        """Whom an embedder stands in for, if it does."""
        if embedder is self.embedder or self.embedder is None:
            return self._chosen.fallback_from
        return self.embedder.id

    def why_not_the_first(self, embedder: Embedder | None) -> list[str]:
        """The reason why another embedder than the one asked for answers, if one does."""
        fallen = self.fallen_from(embedder)
        if fallen is None or embedder is None:
            return []
        reason = self.problem or f"the index is not made with {fallen} yet"
        return [f"{embedder.id} stands in for {fallen}: {reason}"]

    def fall_back(
        self, error: EmbedderError, index: Fingerprint | None, has_no_vectors: Callable[[], bool]
    ) -> bool:
        """Go on with the fallback; False if there is none, or a good index that it would spoil."""
        if self._chosen.spare is None:
            return False
        spare = self._make_spare()
        if spare is None:
            return False
        if not (index and index.key == ModelKey.of(spare)) and not has_no_vectors():
            return False
        log.warning("%s The fallback, %s, is used instead.", error, spare.id)
        self._chosen = self._chosen.fallen_back(spare, str(error))
        return True

    def close(self) -> None:
        """Let nobody wait for a provider any more; an embedder that a caller brought is theirs."""
        if not self._chosen.ours:
            return
        for embedder in (self._first, self._spare):
            if isinstance(embedder, Closeable):
                embedder.close()

    def _make_spare(self) -> Embedder | None:
        if self._spare is None and self._chosen.spare is not None:
            self._spare = self._chosen.spare()
        return self._spare
