"""A site over a small workspace, and a client that came in by the launch link."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory
from memdown.web.app import create_app
from memdown.web.site import Site
from web.live import launch_link, site_over

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

NOTES = {
    "MEMORY.md": "# Memory\n\n- The router is an ER605, see `memory/home.md`.\n",
    "memory/home.md": "# Home\n\n## Network\n\nThe router hangs in the hall.\n\n## Plants\n\nWater on Monday.\n",
    "memory/2026-03-01.md": "# 1 March\n\n- Planted tomatoes.\n",
    "memory/2026-03-02.md": "# 2 March\n\n- Rain all day.\n",
    "memory/2026-03-02-trip.md": "# Trip\n\n- Went to the sea.\n",
    "memory/people/ida.md": "# Ida\n\nHazelnut allergy.\n",
}


def client_for(site: Site, *, launch: bool = True) -> TestClient:
    client = TestClient(
        create_app(site), base_url=f"http://127.0.0.1:{site.access.port}", follow_redirects=False
    )
    if launch:
        assert client.get(launch_link(site)).status_code == 200
        client.headers["x-memdown-csrf"] = site.access.csrf
        client.headers["origin"] = f"http://127.0.0.1:{site.access.port}"
    return client


@pytest.fixture
def folder(write_notes: Callable[[dict[str, str]], Path]) -> Path:
    return write_notes(NOTES)


@pytest.fixture
def site(folder: Path, open_memory: Callable[..., Memory]) -> Site:
    return site_over(open_memory(folder))


@pytest.fixture
def client(site: Site) -> TestClient:
    return client_for(site)
