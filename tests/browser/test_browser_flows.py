"""Every flow of the page in a real browser, on the example and, in the long run, on 1,000 notes.

The tests share one server for each workspace; each changes notes of its own.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from browser.conftest import fill, serving
from browser.pages import until_ready
from memdown.transcripts.reading import sessions_folder
from memdown.web.site import Site
from web.live import launch_link

ROOT = Path(__file__).parents[2]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
YESTERDAY = datetime.date.today() - datetime.timedelta(1)
OWN = {
    "memory/flows/conflict.md": "# Conflict\n\nThe shed is green.\n",
    "memory/flows/edit.md": "# Bees\n\n- The hive stands behind the shed.\n",
    "memory/flows/tyres.md": "# Tyres\n\n- The winter tyres are stored at Krause. (since 2025-03-01)\n"
    "- The winter tyres are stored at Schulz. (since 2026-03-01)\n"
    f"- The bike insurance ends with the year. (until {YESTERDAY})\n",
    "memory/flows/hebrew.md": "# משפחה\n\n- יונתן גר בתל אביב.\n- אמא אוהבת קפה, לא תה.\n",
    "memory/flows/zoo.md": "# Zoo\n\n## Tasks\n\n- [ ] One\n- [x] Two\n\n## Code\n\n```python\n"
    "def f(x: int) -> str:  # why\n    return 'text' * 3\n```\n\n```diff\n+ came\n- went\n```\n\n## Formula\n\n"
    "So $x^2$ and\n\n$$\n\\frac{a}{b}\n$$\n\n> [!note] See\n> [[Tyres]]\n",
    "memory/flows/token.md": f"# Token\n\n- {'a1b2c3d4' * 24} is a digest.\n",
}
PAGES = (
    "/",
    "/?q=tyres",
    "/?q=xyzzyplugh",
    "/review",
    "/asked",
    "/about/Ida",
    "/notes",
    "/notes/memory/flows/tyres.md",
    "/notes/memory/flows/tyres.md?view=edit",
    "/notes/memory/flows/tyres.md?view=source",
    "/notes/memory/flows/tyres.md?view=chunks",
    "/notes/memory/flows/tyres.md?view=history",
    "/notes/memory/flows/hebrew.md",
    "/notes/memory/flows/zoo.md",
    "/notes/memory/flows/token.md",
    "/notes/memory/flows/nowhere.md",
    "/days/2001-01-01",
    "/sessions",
    "/sessions?q=hello",
    "/sessions/talk",
    "/health",
    "/settings",
)


MAIN = ("/", "/?q=tyres", "/review", "/asked", "/about/Ida", "/notes/memory/flows/tyres.md")


def _example(folder: Path) -> Path:
    shutil.copytree(ROOT / "examples/workspace", folder, dirs_exist_ok=True)
    return fill(folder, OWN)


def _thousand(folder: Path) -> Path:
    first = datetime.date(1999, 6, 27)
    days = {
        f"memory/{first + datetime.timedelta(days=n)}.md": f"# Day {n}\n\n- Note number {n}.\n"
        for n in range(800)
    }
    topics = {
        f"memory/topics/topic-{n}.md": f"# Topic {n}\n\n- About thing {n}.\n" for n in range(200)
    }
    people = {"memory/people/ida.md": "# Ida\n\n- Hazelnut allergy.\n"}
    return fill(folder, {**days, **topics, **people, **OWN, "MEMORY.md": "# Memory\n\n- Tea.\n"})


@pytest.fixture(scope="module", params=[_example, pytest.param(_thousand, marks=pytest.mark.long)])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = request.param(tmp_path_factory.mktemp("notes"))
    config = tmp_path_factory.mktemp("config") / "memdown.json5"
    config.write_text("{memory: {use: {enabled: true}}}")
    state = tmp_path_factory.mktemp("state")
    talk = sessions_folder(state, "main") / "talk.jsonl"
    talk.parent.mkdir(parents=True)
    for role in ("user", "assistant"):
        line = {"type": "message", "message": {"role": role, "content": "The `ferry`?"}}
        with talk.open("a") as file:
            file.write(json.dumps(line) + "\n")
    with serving(folder, state, config) as site:
        yield site


@pytest.fixture
def folder(site: Site) -> Path:
    return site.folder


def test_search_open_edit_save_and_undo(page: Page, base: str, folder: Path) -> None:
    file = folder / "memory/flows/edit.md"
    before = file.read_bytes()
    page.locator("#q").press_sequentially("hive behind the shed")
    # What the first letters find may have none of the words.
    expect(page).to_have_title(re.compile("hive behind the shed"))
    page.locator(".hit [data-hit]", has_text="Bees").first.click()
    until_ready(page, re.compile(r"flows/edit\.md#L"))
    expect(page.locator("mark[data-word]").first).to_be_visible()
    page.keyboard.press("e")
    until_ready(page, re.compile("view=edit"))
    page.locator("[data-text]").fill("# Bees\n\n- The hive was sold.\n")
    page.keyboard.press("Control+s")
    until_ready(page, re.compile(r"flows/edit\.md(#|$)"))
    expect(page.locator("article")).to_contain_text("The hive was sold.")
    page.keyboard.press("z")
    expect(page.locator("article")).to_contain_text("behind the shed")
    assert file.read_bytes() == before


def test_a_conflict_in_two_tabs(page: Page, base: str, folder: Path) -> None:
    """Both texts stay in sight, and saving both loses neither."""
    file = folder / "memory/flows/conflict.md"
    other = page.context.new_page()
    for tab, text in ((page, "Mine."), (other, "Theirs.")):
        tab.goto(f"{base}/notes/memory/flows/conflict.md?view=edit")
        until_ready(tab)
        tab.locator("[data-text]").fill(f"# Conflict\n\n{text}\n")
    other.keyboard.press("Control+s")
    until_ready(other, re.compile(r"conflict\.md$"))
    page.bring_to_front()
    page.keyboard.press("Control+s")
    expect(page.locator("[data-clashes] .side pre")).to_have_text(["Mine.", "Theirs."])
    page.keyboard.press("Enter")
    until_ready(page, re.compile(r"conflict\.md$"))
    assert file.read_text() == "# Conflict\n\nTheirs.\nMine.\n"
    other.close()


def _tried(act: Callable[[], None], done: Locator) -> None:
    """Act until it is seen to be done: what changed a moment ago may still come in under hand or key."""
    for _ in range(3):
        act()
        with contextlib.suppress(NotInTime):
            done.wait_for(timeout=5_000)
            return
    pytest.fail("nothing came of it")


def test_today_by_keys_and_by_swiping(
    page: Page, base: str, site: Site, browser: Browser, folder: Path
) -> None:
    """An agent writes: it is there within moments, counted in the title; undo and keep by hand."""
    for text in ("Ferry at nine.", "The sauna is heated on Sundays.", "Bring the blue bag."):
        site.memory.remember(text, actor="client:codex")
    log = folder / f"memory/{datetime.date.today()}.md"
    item = page.locator(".change.new", has_text="Ferry at nine.")
    expect(item).to_be_visible()
    expect(page).to_have_title(re.compile(r"^\(\d+\) "))
    item.locator("[data-hit]").focus()
    page.keyboard.press("u")
    expect(page.locator("#toast.on")).to_contain_text("Taken back")
    assert "Ferry at nine." not in log.read_text()
    page.keyboard.press("z")
    expect(page.locator("#toast.on")).to_contain_text("Undone")
    assert "Ferry at nine." in log.read_text()
    blue = page.locator(".change", has_text="Bring the blue bag.").locator("[data-hit]").first
    moved = page.locator("#toast.on", has_text="Moved to MEMORY.md")

    def move() -> None:
        blue.focus()
        page.keyboard.press("m")

    _tried(move, moved)
    assert "Bring the blue bag." in (folder / "MEMORY.md").read_text()
    assert "Bring the blue bag." not in log.read_text()
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    touched = phone.new_page()
    touched.goto(launch_link(site))
    touched.wait_for_selector("#q")
    until_ready(touched)
    row = touched.locator(".change", has_text="The sauna is heated")
    expect(row).to_be_visible()
    kept = touched.locator("#toast.on", has_text="Kept")
    _tried(lambda: _swipe(touched, row, 150), kept)
    expect(row).not_to_have_class(re.compile("new"))
    _tried(
        lambda: _swipe(touched, row, -150),
        touched.locator("#toast.on", has_text="Taken back"),
    )
    assert "The sauna is heated" not in log.read_text()
    phone.close()


def test_what_is_new_leaves_the_rest_alone(page: Page, site: Site) -> None:
    """A row keeps its focus, and stays under a finger, while other rows come and go around it."""
    site.memory.remember("The kiln is booked for Friday.", actor="client:codex")
    row = page.locator(".change", has_text="The kiln is booked for Friday.")
    row.locator("[data-hit]").focus()
    row.evaluate("one => { window.row = one; window.held = document.activeElement; }")
    site.memory.remember("Glazes stand on the top shelf.", actor="client:codex")
    expect(page.locator(".change", has_text="Glazes stand on the top shelf.")).to_be_visible()
    assert page.evaluate("row.isConnected && held === document.activeElement")
    page.keyboard.press("y")
    expect(page.locator("#toast.on")).to_contain_text("Kept")
    expect(row).not_to_have_class(re.compile("new"))
    assert page.evaluate("row.isConnected")


_PLACE = """(one, aside) => {
    one.scrollIntoView({ block: "center", behavior: "instant" });
    const box = one.getBoundingClientRect();
    return [box.x + aside, box.y + 20];
}"""


def _swipe(page: Page, row: Locator, by: float) -> None:
    session = page.context.new_cdp_session(page)
    x, y = row.evaluate(_PLACE, 60 if by > 0 else 250)
    touch = "Input.dispatchTouchEvent"
    session.send(touch, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in range(1, 6):
        point = {"x": x + by * part / 5, "y": y}
        session.send(touch, {"type": "touchMove", "touchPoints": [point]})
    session.send(touch, {"type": "touchEnd", "touchPoints": []})


def test_review_by_keys(page: Page, base: str, folder: Path) -> None:
    """This one holds, both hold, later: each at once, each with an undo."""
    file = folder / "memory/flows/tyres.md"
    before = file.read_bytes()
    page.goto(f"{base}/review")
    until_ready(page)
    tyres = page.locator(".proposal", has_text="Krause")
    # The first look through 1,000 notes takes a while on a busy machine.
    expect(tyres).to_be_visible(timeout=120_000)
    tyres.get_by_role("button", name="This one holds").nth(1).click()
    expect(tyres).to_have_count(0)
    expect(page.locator("#toast.on")).to_contain_text("Done", timeout=120_000)
    assert "~~The winter tyres are stored at Krause." in file.read_text()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("#toast.on")).to_contain_text("Undone")
    expect(tyres).to_be_visible()
    assert file.read_bytes() == before
    over = page.locator(".proposal", has_text="bike insurance")
    over.locator("[data-hit]").focus()
    page.keyboard.press("l")
    expect(page.locator("#toast.on")).to_contain_text("Asked again in a week")
    expect(over).to_have_count(0)
    page.keyboard.press("z")
    expect(over).to_be_visible()
    assert file.read_bytes() == before


def test_a_question_without_an_answer_gets_one(page: Page, base: str, folder: Path) -> None:
    question = "qwyzzel frobnicator"
    page.locator("#q").fill(question)
    with page.expect_response(re.compile("asked=1")):
        page.keyboard.press("Enter")
    page.goto(f"{base}/asked")
    until_ready(page)
    miss = page.locator(".miss", has_text=question)
    miss.get_by_text("Write the answer").click()
    miss.locator("textarea").fill("The qwyzzel frobnicator is in the cellar.")
    miss.get_by_role("button", name="Remember").click()
    expect(page.locator("#toast.on")).to_contain_text("Remembered")
    assert "frobnicator is in the cellar" in (folder / "MEMORY.md").read_text()


def test_what_is_known_about_a_name(page: Page, base: str) -> None:
    page.locator("#q").fill("ida")
    page.locator(".subject").click()
    until_ready(page, re.compile("/about/Ida"))
    expect(
        page.locator(".fact", has_text=re.compile("allergy", re.IGNORECASE)).first
    ).to_be_visible()


def test_a_dropped_file_comes_in(page: Page, base: str, folder: Path) -> None:
    page.goto(f"{base}/notes")
    until_ready(page)
    drop = """([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        for (const type of ["dragenter", "dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop, ["picture.png", "no note"])
    expect(page.locator("#import")).to_contain_text("picture.png")
    page.get_by_role("button", name="Cancel").click()
    page.evaluate(drop, ["porto.md", "# Porto\n\n- The tram is 28.\n"])
    expect(page.locator("#import")).to_contain_text("1 note would come in")
    page.get_by_role("button", name="Bring in").click()
    expect(page.locator("#toast.on")).to_contain_text("1 note came in")
    assert "The tram is 28." in next(folder.rglob("porto.md")).read_text()


def test_offline_and_back(page: Page, base: str) -> None:
    """Without the network the last answer stays, a bar says so, and the page goes on by itself."""
    page.locator("#q").fill("tyres")
    expect(page.locator(".hit").first).to_be_visible()
    page.context.set_offline(True)
    page.locator("#q").fill("tyres krause")
    expect(page.locator(".offline-bar")).to_be_visible()
    expect(page.locator(".hit").first).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".offline-bar")).to_be_hidden()
    expect(page).to_have_title(re.compile("tyres krause"))


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.long)])
def test_no_page_has_a_flaw_that_axe_finds(
    request: pytest.FixtureRequest, browser: Browser, site: Site, base: str, scheme: str
) -> None:
    """Nor is one wider than a phone, nor begins it scrolled down; the long run looks at every page."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
    )
    page = context.new_page()
    page.goto(launch_link(site))
    page.wait_for_selector("#q")
    every = request.node.get_closest_marker("long") is not None
    # The pages do not renew themselves while axe looks at them.
    page.route("**/api/pulse*", lambda _: None)
    found: list[str] = []
    for path in PAGES:
        page.goto(base + path)
        until_ready(page)
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            found.append(f"{path}: wider than the screen")
        if page.evaluate("scrollY") and "#" not in path:
            found.append(f"{path}: scrolled down")
        if not every and path not in MAIN:
            continue
        page.evaluate(AXE)
        for width in (390, 1280) if every else (390,):
            page.set_viewport_size({"width": width, "height": 844})
            flaws = page.evaluate("(rules) => axe.run(document, { runOnly: rules })", _RULES)
            found += [
                f"{path}: {one['id']}: {one['nodes'][0]['html'][:120]}"
                for one in flaws["violations"]
            ]
        page.set_viewport_size({"width": 390, "height": 844})
    context.close()
    assert found == []


def test_right_to_left_text_stands_right(page: Page, base: str) -> None:
    page.goto(f"{base}/notes/memory/flows/hebrew.md")
    until_ready(page)
    for selector in ("article h1", "article ul"):
        side = page.locator(selector).evaluate(
            "one => [getComputedStyle(one).direction, getComputedStyle(one).textAlign]"
        )
        assert side == ["rtl", "start"]
    page.goto(f"{base}/?q=יונתן")
    until_ready(page)
    assert (
        page.locator(".hit .snippet ul").first.evaluate("one => getComputedStyle(one).direction")
        == "rtl"
    )
    assert page.locator("#q").evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_the_notes_page_stays_small(page: Page, base: str) -> None:
    """Few elements, one tab stop for the year, and Edit within a few of the top."""
    page.goto(f"{base}/notes")
    until_ready(page)
    assert page.evaluate("document.querySelectorAll('*').length") < 3000
    assert page.locator("[data-heat] a[tabindex='0']").count() == 1
    page.locator("[data-heat] a[tabindex='0']").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(f"{base}/notes")
    page.goto(f"{base}/notes/memory/flows/tyres.md")
    until_ready(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hasAttribute('data-edit')"):
            break
    assert page.evaluate("document.activeElement.hasAttribute('data-edit')")
