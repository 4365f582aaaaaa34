"""A client that is slow, or one of very many, does not keep others from being answered."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from memdown import http_server as connections
from waiting import eventually

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@contextmanager
def running() -> Iterator[int]:
    with serving() as (_, port):
        yield port


@contextmanager
def serving() -> Iterator[tuple[uvicorn.Server, int]]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = connections.server(PlainTextResponse("hello"))
    # Less than the five seconds of uvicorn: a test waits for them.
    server.config.timeout_keep_alive = 1
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    try:
        yield server, listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def answered(port: int) -> bool:
    with connect(port) as client:
        client.sendall(REQUEST)
        return client.recv(1000).startswith(b"HTTP/1.1 200")


def is_dropped(client: socket.socket) -> bool:
    """Whether the server ends the connection; the socket's own limit ends the wait."""
    try:
        while client.recv(1000):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_an_answer_of_several_packets_is_sent_at_once() -> None:
    """Held back until the client confirms the first, it came 40 ms later."""
    with serving() as (server, port), connect(port) as client:
        client.sendall(REQUEST)
        assert client.recv(1000)
        (connection,) = server.server_state.connections
        assert isinstance(connection, connections.ImpatientProtocol)
        served = connection.transport.get_extra_info("socket")
        assert served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: here\r\n",
        REQUEST + b"GET / HT",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nx",
    ],
    ids=["nothing", "half a head", "half a second head", "half a body"],
)
def test_a_client_that_does_not_finish_is_dropped(
    start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anyone who reaches the port could otherwise hold all connections, without any token."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with running() as port, connect(port) as client:
        client.sendall(start)
        assert is_dropped(client)


def test_dripping_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    with running() as port, connect(port) as client:
        deadline = time.monotonic() + 30
        with pytest.raises(ConnectionError):
            while time.monotonic() < deadline:
                client.sendall(b"G")
                time.sleep(0.02)


def test_who_waits_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 10)
    with running() as port:
        held = [connect(port) for _ in range(40)]
        assert all(answered(port) for _ in range(20))
        assert is_dropped(held[0])
        for client in held:
            client.close()


def test_fewer_connections_where_few_files_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index needs files, too; on macOS a process may open 256 by default."""
    for allowed, most in ((256, 128), (1_000_000, 200), (4, 8), (resource.RLIM_INFINITY, 200)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, allowed=allowed: (allowed, allowed))
        assert connections.most_connections() == most
