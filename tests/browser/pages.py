"""Waiting in a browser for what is really there."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def until_ready(page: Page, url: str | re.Pattern[str] | None = None) -> None:
    """Wait for the page, after it changed to `url`: its address is there before its scripts are."""
    if url is not None:
        expect(page).to_have_url(url)
    expect(page.locator("html")).to_have_attribute("data-ready", "")
