"""Where the browser is that the tests of the web page drive; `make test` asks this file, too."""

from __future__ import annotations

import os
import shutil
import sys

VARIABLE = "MEMDOWN_CHROMIUM"
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = (
    "The tests of the web page did not run: there is no Chromium. Install it (apt install chromium), "
    f"or set {VARIABLE} to the path of a Chromium or Chrome."
)


def find_chromium() -> str | None:
    """The browser that the environment names, else the first known one that is installed."""
    names = [named] if (named := os.environ.get(VARIABLE)) else _NAMES
    return next((path for name in names if (path := shutil.which(name))), None)


def may_be_missing() -> bool:
    """Whether the tests may go without a browser: at home, but not where CI is set."""
    return os.environ.get("CI", "").lower() in ("", "0", "false")


if __name__ == "__main__":
    found = find_chromium()
    print(found or MISSING)
    sys.exit(0 if found else 1)
