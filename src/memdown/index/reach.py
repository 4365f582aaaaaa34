"""What a passage could score for a query at best, so that scores can be compared across queries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memdown.index.bm25 import FEW, rarity
from memdown.text import is_gram, is_stop
from memdown.types import TextQuery

# A prefix is found with its word and scores about half as much.
_WITH_PREFIX = 1.5
# So many unknown pairs for each known one are borders; in real questions there is hardly one.
_BORDERS = 2
# In so many passages most words of a language occur; in fewer, it tells less that one is missing.
_MANY = 500


def reachable(query: TextQuery, frequencies: Sequence[int], total: int) -> float:
    """What a passage of average length would score that holds every word once.

    `frequencies` tells in how many of the `total` passages each word occurs. A pair of characters
    that occurs nowhere is no missing word but a border between two words, unless there are many more
    of them than of known pairs: then the query is about something else. A word that is a stop word in
    some language and stands nowhere was not meant as a word.
    """
    if not total:
        return 0.0
    score = 0.0
    borders = 0
    for word, found in zip(query.words, frequencies, strict=True):
        gram = is_gram(word)
        if gram:
            borders += -_BORDERS if found else 1
        if found or not (gram or is_stop(word)):
            weight = _WITH_PREFIX if word.startswith(query.prefixes) else 1.0
            score += _rarity(total, found) * weight
    return score + max(0, borders) * _rarity(total, 0)


def _rarity(total: int, found: int) -> float:
    share = 1.0 if found else min(1.0, math.log(max(total, FEW) + 1) / math.log(_MANY))
    return rarity(total, found) * share
