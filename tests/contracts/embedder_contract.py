"""The contract that plugin authors run too, under the name the tests here know it by."""

from memdown.testing.embedders import (
    ODD,
    TEXTS,
    EmbedderContract,
)

__all__ = [
    "ODD",
    "TEXTS",
    "EmbedderContract",
]
