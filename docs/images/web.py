"""Takes the pictures of the web page for README and docs: `python docs/images/web.py`.

It needs Chromium and the extras of the tests. The workspace is a copy of the example, with a few
changes by agents.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from memdown import Memory
from memdown.web.guard import Access
from memdown.web.serving import listen, server
from memdown.web.site import Site

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
_LEARNED = (
    ("client:codex", "Teo's residence permit is ready; pick it up before 2026-12-04.", False),
    ("client:claude-code", "Ida: walnuts belong to the allergy, too, says Dr. Öztürk.", False),
    ("client:claude-code", "Atlas: the refresh raced with sleep; fixed, tests added.", True),
)
_DISAGREE = """
## Car

- The winter tyres are stored at Reifen Krause. (since 2025-03-01)
- The winter tyres are stored at Reifen Schulz. (since 2026-10-01)
- The bike insurance ends with the year. (until 2026-01-31)
"""


def main() -> None:
    """Serve a copy of the example and take each picture."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "nora")
        shutil.copytree(ROOT / "examples/workspace", workspace)
        with Memory.open(workspace, state_dir=Path(folder, "state")) as memory:
            lasting = workspace / "MEMORY.md"
            lasting.write_text(lasting.read_text() + _DISAGREE)
            memory.sync()
            for actor, text, durable in _LEARNED:
                memory.remember(text, durable=durable, actor=actor)
            _take(memory)


def _take(memory: Memory) -> None:
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    serving = server(Site(memory, Access(port, use_code="pictures".__eq__)))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    base = f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.goto(f"{base}/?code=pictures")
        page.wait_for_selector("#q")
        _picture(page, f"{base}/", "web-today.png")
        page.goto(f"{base}/?q=which+router+do+we+use+at+home")
        page.locator(".why summary").first.click()
        page.wait_for_selector(".why-sentence")
        page.screenshot(path=HERE / "web-search.png")
        _picture(page, f"{base}/about/Teo", "web-about.png")
        _picture(page, f"{base}/review", "web-review.png")
        browser.close()
    serving.should_exit = True
    thread.join()


def _picture(page: Page, url: str, name: str) -> None:
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1_200)
    page.screenshot(path=HERE / name)


if __name__ == "__main__":
    sys.exit(main())
