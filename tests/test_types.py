"""What crosses rooms: abilities are told by class."""

from __future__ import annotations

from memdown.embedders.bundled import BundledEmbedder
from memdown.types import (
    BatchEmbedder,
    Closeable,
    PassageEmbedder,
    ShortEmbedder,
    StreamingEmbedder,
    SynonymKnowing,
    WordKnowing,
    offers,
)

ABILITIES = (
    BatchEmbedder,
    Closeable,
    PassageEmbedder,
    ShortEmbedder,
    StreamingEmbedder,
    SynonymKnowing,
    WordKnowing,
)


def test_what_a_class_offers_is_what_python_finds_and_is_asked_once() -> None:
    bundled = BundledEmbedder()
    for _ in range(2):
        told = [offers(bundled, ability) for ability in ABILITIES]
        assert told == [isinstance(bundled, ability) for ability in ABILITIES]
        assert any(told)
        assert not all(told)
        assert not any(offers(None, ability) for ability in ABILITIES)
