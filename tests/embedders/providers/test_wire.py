"""Each provider is asked and understood as its documentation says."""

from __future__ import annotations

import numpy as np
import pytest

from embedders.providers.conftest import Maker
from embedders.providers.loopback import KEY, Loopback
from memdown.embedders import EmbeddingEndpoint
from memdown.errors import BadAnswer

PROVIDERS = ("openai", "gemini", "voyage", "ollama")
TEXTS = ["the router stands in the hall", "the cat sleeps", "a third note"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_documents_and_queries_get_their_vectors(
    provider: str, server: Loopback, make: Maker
) -> None:
    embedder = make(provider, "plain")
    rows = embedder.embed_batch(TEXTS)
    assert rows.shape == (3, server.dims)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    query = embedder.embed_query("which router stands in the hall")
    assert int(np.argmax(rows @ query)) == 0
    assert embedder.dims == server.dims


def test_openai_sends_model_input_and_bearer(server: Loopback, make: Maker) -> None:
    make("openai").embed_batch(["one", "two"])
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/embeddings")
    assert seen.body == {"model": "text-embedding-3-small", "input": ["one", "two"]}
    assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_openai_itself_is_asked_for_base64(server: Loopback, make: Maker) -> None:
    """A quarter of the bytes; other servers that speak like OpenAI may not know it."""
    endpoint = EmbeddingEndpoint(server.base("openai"), KEY, is_default=True)
    embedder = make("openai", endpoint=endpoint)
    plain = make("openai").embed_batch(TEXTS)
    assert np.allclose(embedder.embed_batch(TEXTS), plain, atol=1e-6)
    assert server.seen[-1].body["encoding_format"] == "base64"


def test_gemini_has_an_endpoint_and_a_task_for_each_use(server: Loopback, make: Maker) -> None:
    embedder = make("gemini", "models/gemini-embedding-001")
    embedder.embed_query("where?")
    embedder.embed_batch(["here", "there"])
    query, documents = server.seen
    assert query.path == "/v1beta/models/gemini-embedding-001:embedContent"
    assert query.body["taskType"] == "RETRIEVAL_QUERY"
    assert documents.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert [one["taskType"] for one in documents.body["requests"]] == ["RETRIEVAL_DOCUMENT"] * 2
    assert query.headers["x-goog-api-key"] == KEY
    assert "authorization" not in query.headers
    assert KEY not in query.path


def test_the_second_gemini_model_takes_the_task_as_words(server: Loopback, make: Maker) -> None:
    make("gemini", "gemini-embedding-2").embed_query("where?")
    (seen,) = server.seen
    assert "taskType" not in seen.body
    assert seen.body["content"]["parts"][0]["text"] == "task: search result | query: where?"


def test_voyage_tells_queries_from_documents(server: Loopback, make: Maker) -> None:
    embedder = make("voyage")
    embedder.embed_query("where?")
    embedder.embed_batch(["here"])
    assert [seen.body["input_type"] for seen in server.seen] == ["query", "document"]
    assert server.seen[0].body["model"] == "voyage-4-large"


def test_ollama_adds_the_words_that_the_model_was_trained_with(
    server: Loopback, make: Maker
) -> None:
    embedder = make("ollama")
    embedder.embed_query("where?")
    embedder.embed_batch(["here"])
    assert [seen.body["input"] for seen in server.seen] == [
        ["search_query: where?"],
        ["search_document: here"],
    ]


def test_order_is_by_index_not_by_arrival(server: Loopback, make: Maker) -> None:
    embedder = make("openai")
    straight = embedder.embed_batch(TEXTS)
    server.misbehave("reordered")
    assert np.array_equal(embedder.embed_batch(TEXTS), straight)


def test_twice_the_same_index_is_no_answer(server: Loopback, make: Maker) -> None:
    server.misbehave("duplicate")
    with pytest.raises(BadAnswer, match=r"holds no embeddings"):
        make("openai").embed_batch(TEXTS)


def test_no_texts_need_no_request(server: Loopback, make: Maker) -> None:
    assert make("openai").embed_batch([]).shape == (0, 0)
    assert server.seen == []


def test_a_query_in_the_base_address_stays(server: Loopback, make: Maker) -> None:
    """Azure has its version there."""
    base = server.base("openai") + "?api-version=2024"
    embedder = make("openai", endpoint=EmbeddingEndpoint(base, KEY, is_default=False))
    with pytest.raises(BadAnswer, match=r"404"):
        embedder.embed_query("x")
    assert server.seen[0].path == "/v1/embeddings?api-version=2024"
