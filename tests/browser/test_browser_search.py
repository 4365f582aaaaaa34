"""Searching in a real browser: as you type, why, open at the line, by keyboard, on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser.pages import until_ready
from memdown.web.serving import Door
from memdown.web.site import Site
from web.live import launch_link


@pytest.fixture
def site(shown_site: Site) -> Site:
    """Nothing is changed here, so that all tests share one server."""
    return shown_site


@pytest.fixture
def folder(shown_site: Site) -> Path:
    return shown_site.folder


def test_the_launch_link_leaves_no_token_in_the_address(page: Page, base: str) -> None:
    assert page.url == f"{base}/"
    expect(page.get_by_role("heading", name="Latest days")).to_be_visible()
    expect(page.locator(".glimpse")).to_have_count(3)


def test_the_private_file_leads_in_and_its_link_works_once(
    browser: Browser, site: Site, base: str
) -> None:
    """`memdown serve` opens the browser on a file, so that no code stands in a command line."""
    door = Door(site.memory.settings.state_dir, site.access.port)
    address = door.lead_to(launch_link(site))
    for heading in ("Latest days", "may not come in"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        context.close()


def test_results_come_while_typing(page: Page) -> None:
    page.locator("#q").press_sequentially("router in the hall")
    first = page.locator(".hit").first
    expect(first.locator(".path")).to_have_text("memory/home.md")
    expect(first.locator("mark").first).to_have_text("router")
    expect(page).to_have_url(re.compile(r"\?q=router"))
    expect(page).to_have_title("router in the hall · Memdown")
    page.locator("#q").fill("")
    expect(page.get_by_role("heading", name="Latest days")).to_be_visible()


def test_why_adds_up(page: Page) -> None:
    """In words: what stands there and what does not; and in parts that make the score."""
    page.locator("#q").fill("router balcony")
    page.keyboard.press("Enter")
    expect(page.locator("[data-hit]").first).to_be_focused()
    hit = page.locator(".hit").first
    hit.get_by_text("Why?").click()
    expect(hit.locator(".why-sentence mark").first).to_have_text("router")
    expect(hit.locator(".why-sentence s")).to_have_text("balcony")
    said = hit.locator(".sum dd").all_text_contents()
    *parts, total = [float(one.replace("+", "").replace("−", "-").replace(" ", "")) for one in said]
    assert round(sum(parts), 2) == total


def test_a_filter_narrows_the_results(page: Page) -> None:
    page.locator("#q").fill("router hazelnut")
    expect(page.locator(".hit .path", has_text="memory/home.md").first).to_be_visible()
    page.get_by_text("Only some notes").click()
    page.get_by_label("In folder").fill("people")
    page.get_by_label("In folder").press("Tab")
    expect(page.locator(".hit .path", has_text="memory/home.md")).to_have_count(0)
    expect(page.locator(".hit .path").first).to_contain_text("people/")
    expect(page).to_have_url(re.compile(r"folder=people"))
    page.reload()
    expect(page.get_by_label("In folder")).to_have_value("people")


def test_an_empty_answer_says_why_and_what_to_try(page: Page) -> None:
    page.locator("#q").fill("xyzzy plugh")
    expect(page.get_by_role("heading", name="No note answers that")).to_be_visible()
    expect(page.locator(".empty li").first).to_be_visible()
    expect(page.get_by_role("link", name="Browse all notes")).to_be_visible()


def test_a_hit_opens_at_its_lines(page: Page) -> None:
    page.locator("#q").fill("password on the fridge")
    page.locator(".hit [data-hit]").first.click()
    until_ready(page, re.compile(r"/notes/memory/home\.md#L\d+"))
    expect(page.locator(".hl", has_text="fridge")).to_be_visible()
    expect(page.locator(".hl").first).to_be_in_viewport()


def test_everything_by_keyboard(page: Page) -> None:
    """No mouse: search, go through the hits, open, edit, come back."""
    page.locator("#q").blur()
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("router")
    expect(page.locator(".hit").nth(1)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("[data-hit]").nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("[data-hit]").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("w")
    expect(page.locator(".hit").first.locator(".why-body")).to_be_visible()
    page.locator("[data-hit]").first.focus()
    page.keyboard.press("Enter")
    until_ready(page, re.compile("/notes/"))
    page.keyboard.press("e")
    until_ready(page, re.compile("view=edit"))
    expect(page.locator("[data-text]")).to_be_focused()
    page.keyboard.press("Escape")
    until_ready(page, re.compile("/notes/[^?]*$"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile("/sessions$"))


def test_dark_and_light(page: Page, browser: Browser, site: Site) -> None:
    body = page.locator("body")
    page.emulate_media(color_scheme="light")
    light = str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    page.emulate_media(color_scheme="dark")
    expect(body).not_to_have_css("background-color", light)
    page.get_by_role("button", name="Dark or light").click()
    expect(body).to_have_css("background-color", light)
    page.reload()
    expect(body).to_have_css("background-color", light)
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_what_is_typed_before_the_script_starts_is_searched_for(page: Page, base: str) -> None:
    """The page shows before its script runs; someone may type into it at once."""
    held: list[Route] = []
    page.route("**/memdown.js*", lambda route: held.append(route))
    page.goto(f"{base}/", wait_until="commit")
    page.locator("#q").fill("router in the hall")
    expect(page.locator(".hit")).to_have_count(0)
    for _ in range(1_000):
        if held:
            break
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator(".hit .path").first).to_have_text("memory/home.md")


def test_a_search_works_without_scripts(browser: Browser, site: Site, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(launch_link(site))
    page.wait_for_selector("#q")
    page.goto(f"{base}/?q=router")
    expect(page.locator(".hit").first).to_be_visible()
    context.close()


def test_token_missing_or_wrong(browser: Browser, base: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    for path in ("/", "/?code=wrong", "/notes/MEMORY.md"):
        answer = page.goto(base + path)
        assert answer is not None
        assert answer.status == 401
        assert "ER605" not in page.content()
        expect(page.get_by_text("memdown open")).to_be_visible()
        expect(page.get_by_role("button", name="Come in")).to_be_visible()
    context.close()


def test_another_website_cannot_reach_the_notes(
    browser: Browser, site: Site, base: str, folder: Path
) -> None:
    """A page of another origin tries, in the browser that has the cookie."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(launch_link(site))
    page.wait_for_selector("#q")
    page.route(
        "http://evil.example/**",
        lambda route: route.fulfill(body="<p>hello</p>", content_type="text/html"),
    )
    page.goto("http://evil.example/")
    attempt = """async (base) => {
        const tries = [];
        for (const [method, path, body] of [["GET", "/api/notes/MEMORY.md"], ["POST", "/api/entries", '{"text":"evil"}']])
            for (const mode of ["cors", "no-cors"])
                tries.push(await fetch(base + path, {method, mode, body, credentials: "include"}).then((r) => r.text()).catch(() => "blocked"));
        return tries;
    }"""
    for text in page.evaluate(attempt, base):
        assert "ER605" not in text
    assert not any("evil" in file.read_text() for file in folder.rglob("*.md"))
    context.close()


def test_the_calendar_opens_a_day(page: Page, base: str) -> None:
    page.goto(f"{base}/notes?year=2026")
    days = page.locator("[data-heat] a")
    expect(days).to_have_count(2)
    days.first.click()
    expect(page).to_have_url(f"{base}/notes/memory/2026-03-01.md")
    page.goto(f"{base}/notes?year=2026")
    days.nth(1).click()
    expect(page.locator(".glimpse")).to_have_count(2)


def test_the_tree_opens_branches(page: Page, base: str) -> None:
    page.goto(f"{base}/notes")
    page.locator(".tree summary", has_text="people").click()
    page.locator(".tree a", has_text="ida").click()
    expect(page.locator("article h1")).to_have_text("Ida")
    expect(page.locator(".tree a[aria-current]")).to_have_text("ida")


def test_source_and_chunks_have_line_numbers(page: Page, base: str) -> None:
    page.goto(f"{base}/notes/memory/home.md?view=source#L3")
    expect(page.locator("#L3.hl")).to_be_visible()
    page.get_by_role("link", name="Chunks").click()
    expect(page.locator(".band.c0").first).to_be_visible()
    expect(page.locator(".band.c1").first).to_be_visible()


def test_the_check_up(page: Page, base: str) -> None:
    page.goto(f"{base}/?q=router")
    page.goto(f"{base}/health")
    page.get_by_role("button", name="Examine everything").click()
    expect(page.locator("[data-verdict=ok]").first).to_be_visible()
