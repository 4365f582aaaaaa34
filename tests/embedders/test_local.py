"""A GGUF model is loaded for real: a BERT of 60 KB that the test writes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from embedders.tiny_gguf import DIMS, write_tiny_bert
from memdown.embedders import Options, Timeouts, Unavailable, create
from memdown.embedders.local import LocalEmbedder
from memdown.errors import EmbedderError


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny-bert.gguf")


@pytest.fixture
def embedder(model: Path) -> Iterator[LocalEmbedder]:
    made = create("local", Options(model_path=str(model)))
    assert isinstance(made, LocalEmbedder)
    yield made
    made.close()


def test_texts_get_normalised_vectors(embedder: LocalEmbedder) -> None:
    texts = ["the router stands in the hall", "the cat sleeps", "coffee machine in the kitchen"]
    rows = embedder.embed_batch(texts)
    assert rows.shape == (3, DIMS)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert embedder.dims == DIMS
    assert int(np.argmax(rows @ embedder.embed_query("router in hall"))) == 0


def test_a_text_alone_and_in_company_is_the_same(embedder: LocalEmbedder) -> None:
    texts = [f"note {number} on the cat" for number in range(40)]
    together = embedder.embed_batch(texts)
    assert np.allclose(embedder.embed_batch([texts[7]])[0], together[7], atol=1e-4)


def test_a_text_longer_than_the_model_can_take_is_cut(embedder: LocalEmbedder) -> None:
    rows = embedder.embed_batch(["cat", "cat sleeps on the router " * 200])
    assert rows.shape == (2, DIMS)
    assert rows[1].any()


def test_nothing_is_loaded_before_it_is_needed(embedder: LocalEmbedder) -> None:
    assert embedder._worker is None
    assert embedder.dims is None
    assert embedder.model == "tiny-bert"


def test_llama_cpp_is_quiet_but_for_the_debug_log(
    embedder: LocalEmbedder, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "memdown.llama")
    embedder.embed_query("cat")
    embedder.close()
    assert capfd.readouterr() == ("", "")
    assert "loading model" in caplog.text


def test_a_damaged_model_is_an_error_and_not_the_end(tmp_path: Path, model: Path) -> None:
    """llama.cpp aborts on some damage, which must not take this process along."""
    whole = model.read_bytes()
    for name, data in (("cut", whole[: len(whole) // 2]), ("junk", b"GGUF" + b"\xff" * 500)):
        broken = tmp_path / f"{name}.gguf"
        broken.write_bytes(data)
        embedder = create("local", Options(model_path=str(broken)))
        with pytest.raises(EmbedderError, match=r"could not load"):
            embedder.embed_query("cat")


def test_after_a_crash_the_next_text_works(embedder: LocalEmbedder) -> None:
    embedder.embed_query("cat")
    assert embedder._worker is not None
    embedder._worker._process.kill()
    embedder._worker._process.wait()
    with pytest.raises(EmbedderError):
        embedder.embed_query("cat")
    assert embedder.embed_query("cat").any()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    made = create("local", Options(model_path=str(tmp_path / "none.gguf")))
    assert isinstance(made, Unavailable)
    with pytest.raises(
        EmbedderError, match=r"none.gguf does not exist; correct memorySearch.local"
    ):
        made.embed_query("cat")


def test_a_wrong_address_is_explained() -> None:
    made = create("local", Options(model_path="hf:nobody"))
    with pytest.raises(EmbedderError, match=r"write it like hf:ggml-org"):
        made.embed_query("cat")


def test_a_slow_model_is_given_up(model: Path) -> None:
    made = create("local", Options(model_path=str(model), timeouts=Timeouts(query=0, batch=0)))
    with pytest.raises(EmbedderError, match=r"took too long"):
        made.embed_query("cat")
