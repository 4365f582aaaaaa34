"""A loopback provider for every test that wants one, and quick embedders that speak to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from embedders.providers.loopback import KEY, Loopback
from memdown.embedders import EmbeddingEndpoint, Options, Timeouts, create
from memdown.embedders.remote import RemoteEmbedder

QUICK = Timeouts(query=20.0, batch=20.0, first_pause=0.02, longest_pause=0.1)

Maker = Callable[..., RemoteEmbedder]


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture
def make(server: Loopback) -> Iterator[Maker]:
    """Makes embedders for the server, and closes them after the test."""
    made: list[RemoteEmbedder] = []

    def make_one(provider: str, model: str | None = None, **changes: Any) -> RemoteEmbedder:
        endpoint = EmbeddingEndpoint(
            server.base(provider), KEY, key_source="the test", is_default=False
        )
        options = replace(Options(model=model, endpoint=endpoint, timeouts=QUICK), **changes)
        embedder = create(provider, options)
        assert isinstance(embedder, RemoteEmbedder)
        made.append(embedder)
        return embedder

    yield make_one
    for embedder in made:
        embedder.close()
