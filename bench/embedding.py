"""How close embedding by a provider comes to the ideal: 50 ms an answer, four requests in flight."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.generate import generate
from bench.measure import peak_mb, save, table
from memdown import Memory
from memdown.config import load_settings
from memdown.embedders import EmbeddingEndpoint, Options, Sent, create
from memdown.embedders.remote import IN_FLIGHT, pack

DELAY = 0.05
DIMS = 1536


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run over one workspace gave."""

    chunks: int
    requests: int
    ideal: float
    embedding: float
    indexing: float
    requests_of_second_rebuild: int
    second_rebuild: float
    peak_mb: float

    @property
    def share(self) -> float:
        """How much of the ideal speed embedding alone reaches."""
        return self.ideal / self.embedding

    @property
    def share_of_indexing(self) -> float:
        """The same for a whole index: reading, cutting, embedding, writing."""
        return self.ideal / self.indexing


def run(chunks: int = 10_000) -> None:
    """Measure a small and the asked-for workspace, each in a process of its own."""
    runs = [_in_process(size) for size in (max(1, chunks // 4), chunks)]
    print(
        table(
            f"embedding by a provider that answers in {DELAY * 1000:.0f} ms, {DIMS} dimensions",
            ("chunks", "requests", "ideal s", "embed s", "of ideal", "index s", "of ideal", "MB"),
            [
                (
                    f"{one.chunks:,}",
                    f"{one.requests:,}",
                    f"{one.ideal:.2f}",
                    f"{one.embedding:.2f}",
                    f"{one.share:.0%}",
                    f"{one.indexing:.2f}",
                    f"{one.share_of_indexing:.0%}",
                    f"{one.peak_mb:.0f}",
                )
                for one in runs
            ],
        )
    )
    last = runs[-1]
    print(
        f"\na second full rebuild: {last.requests_of_second_rebuild} requests,"
        f" {last.second_rebuild:.2f} s"
    )
    save("embedding", {"runs": [asdict(one) for one in runs]})


def _in_process(chunks: int) -> Figures:
    command = [sys.executable, "-m", "bench.embedding", "measure", str(chunks)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Figures(**json.loads(done.stdout.splitlines()[-1]))


def measure(chunks: int) -> Figures:
    """Index a made-up workspace, count requests and time, then make the index anew."""
    sent: list[Sent] = []
    with tempfile.TemporaryDirectory() as folder, _server() as address:
        load = generate(Path(folder, "notes"), chunks)
        settings = load_settings(
            workspace=load.folder, environ={"MEMDOWN_STATE_DIR": folder, "HOME": folder}
        )
        options = Options(endpoint=EmbeddingEndpoint(address, "key"), on_sent=sent.append)
        embedder = create("openai", options)
        embedder.embed_query("opens the connections")
        sent.clear()
        with Memory.from_settings(settings, embedder=embedder) as memory:
            began = time.perf_counter()
            report = memory.sync()
            indexing = time.perf_counter() - began
            requests = len(sent)
            began = time.perf_counter()
            memory.sync(force=True)
            second = time.perf_counter() - began
            again = len(sent) - requests
        peak = peak_mb()
        texts = _texts(load.folder)
        ideal = math.ceil(sum(1 for _ in pack(texts, 512)) / IN_FLIGHT) * DELAY
        began = time.perf_counter()
        embedder.embed_batch(texts)
        embedding = time.perf_counter() - began
        embedder.close()  # type: ignore[attr-defined]
    return Figures(report.chunks, requests, ideal, embedding, indexing, again, second, peak)


def _texts(folder: Path) -> list[str]:
    """The texts that an index of the workspace embeds, each once."""
    settings = load_settings(workspace=folder, environ={"MEMDOWN_STATE_DIR": str(folder)})
    with Memory.from_settings(settings) as memory:
        found = [chunk for path in memory.notes().files for chunk in memory.index.chunks(path)]
    return list({chunk.digest: chunk.text for chunk in found}.values())


@contextmanager
def _server() -> Iterator[str]:
    """A provider in a process of its own, so that it takes nothing from the one measured."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.embedding", "serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _body(count: int) -> bytes:
    """An answer with `count` vectors."""
    numbers = random.Random(count)
    row = [numbers.gauss(0, 1) for _ in range(DIMS)]
    vector = base64.b64encode(struct.pack(f"<{DIMS}f", *row)).decode()
    item = '{"object":"embedding","index":%d,"embedding":"%s"}'
    data = ",".join(item % (number, vector) for number in range(count))
    body = f'{{"object":"list","data":[{data}]}}'.encode()
    start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    return f"{start}content-length: {len(body)}\r\n\r\n".encode() + body


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speak just enough HTTP: read a request, wait, send as many vectors as there are texts."""
    bodies: dict[int, bytes] = {}
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            writer.close()
            return
        began = time.monotonic()
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        count = len(json.loads(await reader.readexactly(length))["input"])
        bodies[count] = bodies.get(count) or _body(count)
        # Timers are late by about a millisecond, and are asked for that much earlier.
        await asyncio.sleep(DELAY - 0.001 - (time.monotonic() - began))
        writer.write(bodies[count])
        await writer.drain()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(_serve())
    else:
        print(json.dumps(asdict(measure(int(sys.argv[2])))))
