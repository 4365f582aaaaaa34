"""The web page in a real browser: first paint, a keystroke's cost, the server's CPU, page weight."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from bench.calibration import calibrate, describe
from bench.generate import Workload, generate
from bench.measure import milliseconds, percentile, save, table, timed
from memdown import Memory
from memdown.web.guard import Access
from memdown.web.serving import listen, server
from memdown.web.site import Site

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_LOADS = 20
_QUESTIONS = 15
_CODE = "bench"
# From the keystroke to the new results in the page.
_TYPE = """(text) => new Promise((done) => {
    const field = document.querySelector("#q"), hits = document.querySelector("#hits");
    new MutationObserver((_, watcher) => { watcher.disconnect(); done(performance.now() - start); })
        .observe(hits, { childList: true });
    const start = performance.now();
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""
_FETCH = """async (urls) => { for (const url of urls) await (await fetch(url)).text(); }"""
_PAINT = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null"""
_WEIGHT = """() => performance.getEntriesByType("resource").concat(
    performance.getEntriesByType("navigation")).reduce((sum, one) => sum + one.transferSize, 0)"""


def run(chunks: int = 50_000) -> None:
    """Serve a made-up workspace of `chunks` chunks and use it in Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        load = generate(Path(folder, "notes"), chunks)
        with Memory.open(load.folder, state_dir=Path(folder, "state")) as memory:
            memory.sync()
            before = calibrate()
            with _serving(memory) as site, sync_playwright() as playwright:
                chromium = shutil.which("chromium")
                browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
                page = browser.new_page()
                base = f"http://127.0.0.1:{site.access.port}"
                page.goto(f"{base}/?code={_CODE}")
                page.wait_for_selector("#q")
                figures = {
                    "weight": _weight(page, base),
                    "paint": _paint(page, base),
                    "keystroke": _keystrokes(page, base, memory, load),
                    "cpu": _cpu(page, load),
                }
                browser.close()
            _show(load, figures)
            save(
                "web",
                {
                    "chunks_asked": load.chunks,
                    **figures,
                    "calibration": describe(before, calibrate()),
                },
            )


@contextmanager
def _serving(memory: Memory) -> Iterator[Site]:
    listening = listen("127.0.0.1", 0)
    site = Site(memory, Access(listening.getsockname()[1], use_code=_CODE.__eq__))
    serving = server(site)
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    with site.following():
        yield site
    serving.should_exit = True
    thread.join()


def _weight(page: Page, base: str) -> dict[str, int]:
    """Bytes over the wire for a browser that has nothing in its cache."""
    sizes = {}
    for path in ("/", "/?q=router", "/review", "/notes", "/notes/MEMORY.md", "/health"):
        session = page.context.new_cdp_session(page)
        session.send("Network.clearBrowserCache")
        page.goto(base + path)
        sizes[path] = int(page.evaluate(_WEIGHT))
    return sizes


def _paint(page: Page, base: str) -> dict[str, float]:
    """Seconds from the click to the first content on the screen, style and script in the cache."""
    paints = []
    for _ in range(_LOADS):
        page.goto(f"{base}/")
        # The page's policy forbids Playwright's own way to wait for a value.
        while (paint := page.evaluate(_PAINT)) is None:
            page.wait_for_timeout(5)
        paints.append(paint / 1000)
    return {"p50": percentile(paints, 0.5), "p95": percentile(paints, 0.95)}


def _keystrokes(page: Page, base: str, memory: Memory, load: Workload) -> dict[str, float]:
    """Seconds from a key to its results in the page, beside the same search in the library."""
    page.goto(f"{base}/")
    shown: list[float] = []
    library: list[float] = []
    extra: list[float] = []
    for question in load.of_kind("natural")[:_QUESTIONS]:
        for end in range(4, min(len(question.text), 40), 3):
            text = question.text[:end].strip()
            memory.search(text, max_results=6)
            alone = timed(lambda text=text: memory.search(text, max_results=6))[1].wall  # type: ignore[misc]
            seen = page.evaluate(_TYPE, text) / 1000
            library.append(alone)
            shown.append(seen)
            extra.append(seen - alone)
    return {
        "keys": len(shown),
        "page p50": percentile(shown, 0.5),
        "page p95": percentile(shown, 0.95),
        "library p50": percentile(library, 0.5),
        "library p95": percentile(library, 0.95),
        "extra p50": percentile(extra, 0.5),
        "extra p95": percentile(extra, 0.95),
    }


def _cpu(page: Page, load: Workload) -> dict[str, float]:
    """Seconds of CPU that this process, the server, takes for a request; the browser is another."""
    typed = [
        f"/hits?typing=1&q={quote(question.text[:end].strip())}"
        for question in load.of_kind("natural")[:_QUESTIONS]
        for end in range(4, min(len(question.text), 40), 3)
    ]
    used = {}
    for name, urls in (("page", ["/"] * _LOADS), ("keystroke", typed)):
        page.evaluate(_FETCH, urls)
        before = time.process_time()
        page.evaluate(_FETCH, urls)
        used[name] = (time.process_time() - before) / len(urls)
    return used


def _show(load: Workload, figures: dict[str, Any]) -> None:
    key, paint = figures["keystroke"], figures["paint"]
    print(
        table(
            f"web: {load.chunks:,} chunks, {load.files:,} files (ms)",
            ("what", "p50", "p95"),
            [
                (
                    "first paint of the search page",
                    milliseconds(paint["p50"]),
                    milliseconds(paint["p95"]),
                ),
                (
                    "a key's results in the page",
                    milliseconds(key["page p50"]),
                    milliseconds(key["page p95"]),
                ),
                (
                    "the same search in the library",
                    milliseconds(key["library p50"]),
                    milliseconds(key["library p95"]),
                ),
                (
                    "a key's cost over the library",
                    milliseconds(key["extra p50"]),
                    milliseconds(key["extra p95"]),
                ),
            ],
        )
    )
    used = figures["cpu"]
    print(
        f"server CPU: start page {milliseconds(used['page'])} ms, "
        f"keystroke {milliseconds(used['keystroke'])} ms"
    )
    print(
        "weight, nothing cached: "
        + ", ".join(f"{path} {size / 1000:.0f} KB" for path, size in figures["weight"].items())
    )
