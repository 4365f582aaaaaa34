"""A real server on a free port, in a thread, for tests that need real HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memdown import Memory
from memdown.web.guard import Access
from memdown.web.serving import listen, server
from memdown.web.site import Site


@contextmanager
def running(memory: Memory, *, read_only: bool = False, token: str | None = None) -> Iterator[Site]:
    """Serve a memory while the block runs."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    access = Access(port, token=token) if token else Access(port)
    site = Site(memory, access, read_only)
    serving = server(site)
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    try:
        yield site
    finally:
        serving.should_exit = True
        thread.join()
        listening.close()
