"""What a plugin returns or raises spoils no index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.embedders.options import PluginEmbedder, guarded
from memdown.errors import BadAnswer, EmbedderError
from memdown.testing.embedders import EmbedderContract
from memdown.types import Embedder

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class Letters:
    """An embedder as somebody may write it; `change` spoils its rows."""

    id, provider_key, model = "letters", "letters", "letters-1"
    cacheable, instant, text_weight, dims = True, True, None, 26

    def __init__(self, change: Callable[[Any], Any] = lambda rows: rows) -> None:
        self._change = change

    def embed_query(self, text: str) -> Any:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str]) -> Any:
        counts = [[text.lower().count(one) + 0.01 for one in ALPHABET] for text in texts]
        return self._change(np.array(counts).reshape(len(texts), 26))


def made(change: Callable[[Any], Any]) -> Embedder:
    return guarded("letters", cast("Embedder", Letters(change)))


class TestAnEmbedderOfFloat64(EmbedderContract):
    """Whose rows have any length, too."""

    def make(self) -> Embedder:
        return made(lambda rows: rows)


def fail(_: Any) -> Any:
    raise KeyError("data")


@pytest.mark.parametrize(
    ("change", "is_found"),
    [
        (lambda rows: rows.tolist(), True),
        (lambda rows: rows.astype(np.float32), True),
        (lambda rows: rows[:-1], False),
        (lambda rows: rows[:, :20], False),
        (lambda _: "vectors", False),
        (fail, False),
    ],
    ids=["lists", "any length", "too few", "too short", "no rows", "an exception"],
)
def test_a_search_answers_whatever_a_plugin_does(
    change: Callable[[Any], Any], is_found: bool, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "MEMORY.md").write_text("The router stands in the hall.\n")
    embedder = made(change)
    settings = load_settings(
        workspace=tmp_path / "notes", environ={"MEMDOWN_STATE_DIR": str(tmp_path / "state")}
    )
    with Memory.from_settings(settings, embedder=embedder) as memory:
        answer = memory.search("router")
        assert [hit.path for hit in answer.hits] == ["MEMORY.md"]
        assert memory.index.check() == []
    assert any("keywords only" in reason for reason in answer.reasons) is not is_found
    assert not list((tmp_path / "state").rglob("*damaged*"))
    if not is_found:
        with pytest.raises(BadAnswer, match="letters"):
            embedder.embed_batch(["one", "two"])


def test_what_is_no_embedder_is_told() -> None:
    with pytest.raises(EmbedderError, match=r"lacks model, dims, .*embed_batch"):
        guarded("odd", cast("Embedder", Nothing()))


class Nothing:
    id = "nothing"


def test_who_can_do_more_is_used_as_it_is() -> None:
    class Knowing(Letters):
        def knows(self, text: str) -> bool:
            return bool(text)

    knowing = cast("Embedder", Knowing())
    assert guarded("knowing", knowing) is knowing
    assert isinstance(guarded("letters", cast("Embedder", Letters())), PluginEmbedder)
