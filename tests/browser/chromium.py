"""Where the browser is that the tests of the web page drive."""

from __future__ import annotations

import os
import shutil

VARIABLE = "MEMDOWN_CHROMIUM"
# The first is the same engine without the windows of a desktop: a page takes a third of the time.
_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = (
    "The tests of the web page did not run: there is no Chromium. Install it (apt install "
    f"chromium-headless-shell, or chromium), or set {VARIABLE} to the path of a Chromium or Chrome."
)


def find_chromium() -> str | None:
    """The browser that the environment names, else the first known one that is installed."""
    names = [named] if (named := os.environ.get(VARIABLE)) else _NAMES
    return next((path for name in names if (path := shutil.which(name))), None)


def is_slow(path: str | None) -> bool:
    """Whether another browser would be better than this one, which nobody named."""
    return VARIABLE not in os.environ and not (path or "").endswith(_NAMES[0])
