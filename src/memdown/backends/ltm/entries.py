"""One memory and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Category = Literal["preference", "fact", "decision", "entity", "other"]
CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory; `created_at` is in milliseconds since 1970."""

    id: str
    text: str
    importance: float
    category: Category
    created_at: int


@dataclass(frozen=True, slots=True)
class Found:
    """A memory and how similar it is to what was asked, from 0 to 1."""

    entry: Entry
    score: float
