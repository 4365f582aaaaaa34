"""What the tests of server stores share: one server for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index.postgres_server import Server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    server = Server()
    try:
        yield server.create().start()
    finally:
        server.remove()
