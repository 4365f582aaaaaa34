"""The official OpenAI client understands the loopback server: the wire format is the real one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from openai import AuthenticationError, OpenAI

from embedders.providers.conftest import Maker
from embedders.providers.loopback import KEY, Loopback


@pytest.fixture
def client(server: Loopback) -> Iterator[OpenAI]:
    with OpenAI(api_key=KEY, base_url=server.base("openai"), max_retries=0) as client:
        yield client


def test_both_get_the_same_vectors(client: OpenAI, server: Loopback, make: Maker) -> None:
    texts = ["the router stands in the hall", "the cat sleeps"]
    theirs = client.embeddings.create(model="text-embedding-3-small", input=texts)
    ours = make("openai").embed_batch(texts)
    rows = np.array([item.embedding for item in theirs.data], dtype=np.float32)
    assert np.allclose(rows, ours, atol=1e-5)
    asked, answered = server.seen
    assert asked.path == answered.path
    for name in ("model", "input"):
        assert asked.body[name] == answered.body[name]
    assert asked.headers["authorization"] == answered.headers["authorization"]


def test_it_runs_a_batch_job_here(client: OpenAI, server: Loopback) -> None:
    body = {"model": "text-embedding-3-small", "input": "the router"}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/embeddings", "body": body}
    file = client.files.create(file=("x.jsonl", json.dumps(line).encode()), purpose="batch")
    job = client.batches.create(
        input_file_id=file.id, endpoint="/v1/embeddings", completion_window="24h"
    )
    server.looks_until_done = 0
    done = client.batches.retrieve(job.id)
    assert done.status == "completed"
    assert done.output_file_id is not None
    result = json.loads(client.files.content(done.output_file_id).text)
    assert result["custom_id"] == "a"
    assert len(result["response"]["body"]["data"][0]["embedding"]) == server.dims


def test_it_sees_a_refused_key(server: Loopback) -> None:
    with (
        OpenAI(api_key="wrong", base_url=server.base("openai"), max_retries=0) as client,
        pytest.raises(AuthenticationError),
    ):
        client.embeddings.create(model="m", input="x")
