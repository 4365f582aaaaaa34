"""The contract that plugin authors run too, under the name the tests here know it by."""

from memdown.testing.stores import (
    DIMS,
    KEY,
    PRINT,
    StoreContract,
    by_vector,
    by_words,
    chunk,
    digest,
    state,
    texts_found,
    unit,
    words,
)

__all__ = [
    "DIMS",
    "KEY",
    "PRINT",
    "StoreContract",
    "by_vector",
    "by_words",
    "chunk",
    "digest",
    "state",
    "texts_found",
    "unit",
    "words",
]
