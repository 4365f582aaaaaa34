"""What every embedder must do: an embedder's test module subclasses this and gives a `make`."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
import pytest

from memdown.types import Closeable, Embedder, Vectors

TEXTS = [
    "the router stands in the hall",
    "the cat sleeps on the printer",
    "coffee machine in the kitchen",
]
ODD = [
    "猫はプリンターの上で寝る",
    "e\u0301 \u200d 👩‍👩‍👧",
    "a",
    "word " * 3000,
    "line\nline\r\n\ttab",
]


class EmbedderContract:
    """Subclass it, and give the embedder."""

    @abstractmethod
    def make(self) -> Embedder:
        """A new embedder."""

    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        made = self.make()
        yield made
        _close(made)

    def test_it_has_names(self, embedder: Embedder) -> None:
        assert embedder.id
        assert embedder.model
        assert embedder.provider_key
        assert embedder.cacheable in (True, False)
        assert embedder.instant in (True, False)
        assert embedder.text_weight is None or 0 <= embedder.text_weight <= 1

    def test_names_do_not_change(self, embedder: Embedder) -> None:
        """They say which vectors may stand side by side, today and next year."""
        other = self.make()
        names = (other.id, other.model, other.provider_key)
        _close(other)
        embedder.embed_batch(TEXTS)
        assert (embedder.id, embedder.model, embedder.provider_key) == names

    def test_rows_are_float32_of_length_one(self, embedder: Embedder) -> None:
        rows = embedder.embed_batch(TEXTS)
        assert rows.dtype == np.float32
        assert rows.shape[0] == len(TEXTS)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
        assert embedder.dims == rows.shape[1]

    def test_a_query_is_as_long_as_a_document(self, embedder: Embedder) -> None:
        query = embedder.embed_query(TEXTS[0])
        assert query.dtype == np.float32
        assert query.shape == (embedder.embed_batch(TEXTS[:1]).shape[1],)

    def test_a_query_is_nearest_to_the_text_it_repeats(self, embedder: Embedder) -> None:
        rows = embedder.embed_batch(TEXTS)
        for number, text in enumerate(TEXTS):
            assert int(np.argmax(rows @ embedder.embed_query(text))) == number

    def test_order_and_company_do_not_matter(self, embedder: Embedder) -> None:
        straight = embedder.embed_batch(TEXTS)
        turned = embedder.embed_batch(TEXTS[::-1])[::-1]
        assert np.allclose(straight, turned, atol=1e-3)

    def test_many_texts_keep_their_places(self, embedder: Embedder) -> None:
        many = [TEXTS[number % 3] for number in range(200)]
        rows = embedder.embed_batch(many)
        assert rows.shape[0] == 200
        for number in range(3):
            assert np.allclose(rows[number::3], rows[number], atol=1e-3)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert len(embedder.embed_batch([])) == 0

    def test_odd_texts_get_finite_rows(self, embedder: Embedder) -> None:
        rows = embedder.embed_batch(ODD)
        assert rows.shape[0] == len(ODD)
        assert np.isfinite(rows).all()

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        expected = embedder.embed_batch(TEXTS)
        results: list[Vectors] = []

        def work() -> None:
            results.append(embedder.embed_batch(TEXTS))
            embedder.embed_query(TEXTS[0])

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 6
        assert all(np.allclose(rows, expected, atol=1e-3) for rows in results)


def _close(embedder: Embedder) -> None:
    if isinstance(embedder, Closeable):
        embedder.close()
