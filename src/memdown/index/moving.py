"""Vectors from one store to another, so that a new index needs no embedding."""

from __future__ import annotations

from memdown.types import Store

_AT_ONCE = 500
_ALL = 1 << 31


def copy_vectors(source: Store, target: Store) -> int:
    """Put the vectors of one index into the cache of another store; how many there were.

    The rows themselves are made from the notes, which hold all else.
    """
    fingerprint = source.fingerprint()
    if fingerprint is None:
        return 0
    with source.snapshot() as snapshot:
        keys, rows = snapshot.all_vectors(_ALL)
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            chunks = snapshot.load(some)
            digests = [chunks[key].chunk.digest for key in some]
            target.remember_vectors(fingerprint.key, digests, rows[first : first + _AT_ONCE])
    return len(keys)
