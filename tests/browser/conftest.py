"""A real Chromium on a real server. Tests that change notes have a workspace of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.chromium import MISSING, find_chromium
from browser.pages import until_ready
from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder
from memdown.types import Embedder
from memdown.web.site import Site
from web.live import launch_link, running

# Without these Chromium looks for Google's hosts at every start; root needs no sandbox.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NOTES = {
    "MEMORY.md": "# Memory\n\nWhat lasts.\n\n"
    "## Home\n\n- The **router** is an ER605, see `memory/home.md`.\n- Tea, not coffee.\n",
    "memory/home.md": "# Home\n\n"
    + "".join(f"Filler line {n} about nothing much.\n\n" for n in range(60))
    + "## Network\n\nThe router hangs in the hall.\n\nIts password is on the fridge.\n",
    "memory/2026-03-01.md": "# 1 March\n\n- Planted tomatoes with Ida.\n",
    "memory/2026-03-02.md": "# 2 March\n\n- Rain all day. The router was down.\n",
    "memory/2026-03-02-trip.md": "# Trip\n\n- Went to the sea.\n",
    "memory/people/ida.md": "# Ida\n\nHazelnut allergy.\n",
}


# Far more than any of it takes; a busy machine must not fail a test.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    assert path, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def serving(
    folder: Path, state_dir: Path, config: Path | None = None, embedder: Embedder | None = None
) -> Iterator[Site]:
    """A server over a workspace that several tests share; with the bundled model, or another."""
    settings = load_settings(
        workspace=folder, config=config, environ={"MEMDOWN_STATE_DIR": str(state_dir)}
    )
    with Memory.from_settings(settings, embedder=embedder) as memory:
        memory.sync()
        with running(memory) as site:
            yield site


def fill(folder: Path, notes: dict[str, str]) -> Path:
    """Write notes into a folder."""
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="session")
def shown_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all tests that change no note."""
    folder = fill(tmp_path_factory.mktemp("shown"), NOTES)
    with serving(folder, tmp_path_factory.mktemp("state"), embedder=HashEmbedder()) as site:
        yield site


@pytest.fixture
def folder(write_notes: Callable[[dict[str, str]], Path]) -> Path:
    return write_notes(NOTES)


@pytest.fixture
def site(folder: Path, open_memory: Callable[..., Memory]) -> Iterator[Site]:
    with running(open_memory(folder)) as site:
        yield site


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def base(site: Site) -> str:
    return f"http://127.0.0.1:{site.access.port}"


@pytest.fixture
def page(context: BrowserContext, site: Site) -> Iterator[Page]:
    """A page that came in by the launch link; no script error and no blocked load is tolerated."""
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: (
            problems.append(message.text)
            if message.type == "error"
            and "status of 4" not in message.text
            and "INTERNET_DISCONNECTED" not in message.text
            else None
        ),
    )
    page.goto(launch_link(site))
    page.wait_for_selector("#q")
    until_ready(page)
    yield page
    assert problems == []
