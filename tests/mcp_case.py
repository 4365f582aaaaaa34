"""A server in a process of its own, as clients start it, over either transport."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client.session import SamplingFnT
from mcp.client.streamable_http import streamable_http_client

from mcp import Client, StdioServerParameters
from memdown import http_server as connections
from memdown.config import load_settings
from memdown.mcp import http as mcp_http
from memdown.mcp.http import create_server
from memdown.mcp.service import Service

TOKEN = "a-token-for-tests-only"


def run(main: Callable[..., Awaitable[None]], *arguments: object) -> None:
    """Run to the end, in a thread of its own: browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, main, *arguments).result()


def command(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "memdown.cli", "mcp", "-w", str(folder), *options]


def server(folder: Path, *options: str) -> StdioServerParameters:
    program, *arguments = command(folder, *options)
    environ = {name: os.environ[name] for name in ("MEMDOWN_STATE_DIR", "HOME", "PATH")}
    return StdioServerParameters(command=program, args=arguments, env=environ)


def with_stdio(
    folder: Path, work: Callable[[Client], Awaitable[None]], *options: str, mode: str = "auto"
) -> None:
    """Do something with a client of a server over standard input and output."""

    async def main() -> None:
        async with Client(server(folder, *options), mode=mode) as client:
            await work(client)

    run(main)


def in_process(
    folder: Path,
    work: Callable[[Client], Awaitable[None]],
    *,
    write: bool = False,
    config: Path | None = None,
) -> None:
    """The same without a process of its own, where the transport does not matter."""

    async def main() -> None:
        settings = load_settings(workspace=folder, config=config)
        server = create_server(Service(settings, write=write))
        async with Client(server, mode="legacy") as client:
            await work(client)

    run(main)


@contextmanager
def http_server(folder: Path, *options: str) -> Iterator[str]:
    """The address of a server over HTTP, in a process of its own."""
    process = subprocess.Popen(
        command(folder, "--http", "--port", "0", *options),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MEMDOWN_MCP_TOKEN": TOKEN},
    )
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        yield said.split()[1].rstrip(";")
    finally:
        process.terminate()
        out, _ = process.communicate()
        assert out == ""


@contextmanager
def http_thread(folder: Path, *, write: bool = False, config: Path | None = None) -> Iterator[str]:
    """The same without a process of its own: that takes two seconds to start."""
    listener = mcp_http.listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = create_server(Service(load_settings(workspace=folder, config=config), write=write))
    app = mcp_http.create_app(server, TOKEN, mcp_http.allowed_hosts("127.0.0.1", port))
    serving = connections.server(app, lifespan="on")
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        serving.should_exit = True
        thread.join()
        listener.close()


@asynccontextmanager
async def http_client(
    address: str, mode: str = "auto", sample: SamplingFnT | None = None
) -> AsyncIterator[Client]:
    """A client with the token; `sample` is its model."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport: Any = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode, sampling_callback=sample) as client:
            yield client
