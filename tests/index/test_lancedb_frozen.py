"""Object storage that stops answering: a search ends in time, with less or with one sentence."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from contracts.store_contract import PRINT, chunk, put, state, texts_found, unit, words
from engine_processes import end_engines
from memdown.errors import StoreError
from memdown.index.lancedb import create
from memdown.index.reader import Sought

_MANY = 300
_WORDS = "words were looked up in what is alike only"


class Proxy:
    """Stands before a server; what comes from a client and holds `stalled` is kept back.

    `asked` counts how often something came from a client.
    """

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.stalled: re.Pattern[bytes] | None = None
        self.asked = 0
        self._freed = threading.Event()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._sockets.append(client)
                server = socket.create_connection(self._to)
                self._sockets.append(server)
                self._start(self._pass_on, client, server, True)
                self._start(self._pass_on, server, client, False)

    def _pass_on(self, one: socket.socket, other: socket.socket, is_asked: bool) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                self.asked += is_asked
                if is_asked and self.stalled is not None and self.stalled.search(data):
                    self._freed.wait(120.0)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._freed.set()
        for one in (self._listening, *self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(10.0)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import boto3
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
        server.start()
        host, port = server.get_host_and_port()
        proxy = Proxy(port)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": f"http://127.0.0.1:{proxy.port}",
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        direct = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1")
        direct.create_bucket(Bucket="notes")
    monkeypatch.setattr("memdown.index.lancedb.connection.READ_SECONDS", 2.0)
    yield proxy
    proxy.close()
    server.stop()


@pytest.mark.filterwarnings("ignore")
def test_a_frozen_storage_gives_one_sentence(proxy: Proxy, tmp_path: Path) -> None:
    with closing(create(tmp_path / "index", url="s3://notes/frozen")) as store:
        with store.writing(5.0):
            store.begin(PRINT)
            put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        assert texts_found(store, words("alpha")) == ["alpha"]
        proxy.stalled = re.compile(b".")
        asked = []
        for _ in range(3):
            with pytest.raises(StoreError, match=r"has not answered .* check the network"):
                texts_found(store, words("alpha"))
            asked.append(proxy.asked)
        assert len(set(asked)) == 1, "who asks again at once is not made to wait again"


@pytest.mark.filterwarnings("ignore")
def test_words_that_take_too_long_are_done_without(proxy: Proxy, tmp_path: Path) -> None:
    every = [chunk("a.md", n + 1, ["alpha" if n == 7 else f"other{n}"]) for n in range(_MANY)]
    vectors = np.concatenate(
        [unit(1, 0, 0, 0) if n == 7 else unit(0, 1, n, 1) for n in range(_MANY)]
    )
    with (
        closing(create(tmp_path / "index", url="s3://notes/words")) as store,
        store.writing(5.0),
    ):
        store.begin(PRINT)
        put(store, state("a.md"), every, vectors)
    sought = Sought(words=("alpha",), vector=unit(1, 0, 0, 0)[0], chunks=5)
    for stalled, missing in (
        (b"no such request", []),
        (rb"_indices/[^ ]*(invert|tokens)", [_WORDS]),
    ):
        # A new process has read nothing yet.
        end_engines()
        proxy.stalled = re.compile(stalled)
        with (
            closing(create(tmp_path / "other", url="s3://notes/words", patience=1.0)) as store,
            store.snapshot() as view,
        ):
            reader = view.reader(sought)
            found = view.chunks(reader.chunk_key.tolist())
            assert "alpha" in [one.chunk.text for one in found.values()]
            assert [one.partition("long, ")[2] for one in view.missing()] == missing
