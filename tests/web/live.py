"""A real server on a free port, in a thread, for tests that need real HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from memdown import Memory
from memdown.web.guard import Access, Pairings
from memdown.web.serving import Door, link, listen, server
from memdown.web.site import Site
from waiting import eventually


def site_over(
    memory: Memory, port: int = 7117, *, read_only: bool = False, token: str | None = None
) -> Site:
    """A site as `memdown serve` makes it."""
    state_dir = memory.settings.state_dir
    access = Access(port, use_code=Door(state_dir, port).use, pairings=Pairings(state_dir))
    return Site(memory, replace(access, token=token) if token else access, read_only)


def launch_link(site: Site) -> str:
    """A new link to a site, which works once."""
    door = Door(site.memory.settings.state_dir, site.access.port)
    return link("127.0.0.1", site.access.port, door.new_code())


@contextmanager
def running(
    memory: Memory, *, read_only: bool = False, token: str | None = None, port: int = 0
) -> Iterator[Site]:
    """Serve a memory while the block runs."""
    listening = listen("127.0.0.1", port)
    port = listening.getsockname()[1]
    site = site_over(memory, port, read_only=read_only, token=token)
    serving = server(site)
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    eventually(lambda: serving.started)
    try:
        with site.following():
            yield site
    finally:
        serving.should_exit = True
        thread.join()
        listening.close()
