"""Reading, correcting and adding notes in a real browser; the map and the index."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Dialog, Page, expect

from browser.pages import until_ready
from memdown import Memory
from memdown.transcripts.reading import sessions_folder
from memdown.web.site import Site
from waiting import eventually
from web.live import launch_link, running


def test_an_edit_with_its_preview(page: Page, base: str, folder: Path) -> None:
    page.goto(f"{base}/notes/memory/people/ida.md")
    page.get_by_role("link", name="Edit", exact=True).click()
    until_ready(page, re.compile("view=edit"))
    page.locator("[data-text]").fill("# Ida\n\nHazelnut **and walnut** allergy.\n")
    expect(page.locator("[data-preview] strong")).to_have_text("and walnut")
    page.keyboard.press("Control+s")
    expect(page).to_have_url(f"{base}/notes/memory/people/ida.md")
    expect(page.locator("article strong")).to_have_text("and walnut")
    assert (
        folder / "memory/people/ida.md"
    ).read_text() == "# Ida\n\nHazelnut **and walnut** allergy.\n"
    page.goto(f"{base}/?q=walnut")
    expect(page.locator(".hit .path").first).to_have_text("memory/people/ida.md")


def test_a_conflict_keeps_every_line_of_both_sides(page: Page, base: str, folder: Path) -> None:
    """What is focused loses nothing, and undo brings both back."""
    file = folder / "memory/people/ida.md"
    page.goto(f"{base}/notes/memory/people/ida.md?view=edit")
    text = page.locator("[data-text]")
    text.fill("# Ida\n\nMine.\n")
    file.write_text("# Ida\n\nTheirs.\n")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", name="changed on disk")).to_be_in_viewport()
    sides = page.locator("[data-clashes] .side pre")
    expect(sides).to_have_text(["Mine.", "Theirs."])
    expect(page.locator("[data-clashes] details pre")).to_have_text("Hazelnut allergy.")
    assert file.read_text() == "# Ida\n\nTheirs.\n"
    expect(page.get_by_role("button", name="Save both")).to_be_focused()
    page.keyboard.press("Escape")
    expect(text).to_have_value("# Ida\n\nMine.\n")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("button", name="Save both")).to_be_focused()
    page.keyboard.press("Enter")
    until_ready(page, f"{base}/notes/memory/people/ida.md")
    assert file.read_text() == "# Ida\n\nTheirs.\nMine.\n"
    expect(page.locator("#toast.on")).to_contain_text("Saved, together")
    page.keyboard.press("z")
    until_ready(page, re.compile("view=edit"))
    expect(text).to_have_value("# Ida\n\nMine.\n")
    assert file.read_text() == "# Ida\n\nTheirs.\n"
    page.keyboard.press("Control+s")
    page.get_by_role("radio", name="Yours").check()
    page.get_by_role("button", name="Save this").click()
    until_ready(page, f"{base}/notes/memory/people/ida.md")
    assert file.read_text() == "# Ida\n\nMine.\n"


def test_changes_in_two_places_are_put_together(page: Page, base: str, folder: Path) -> None:
    """Also in two tabs; saving says so, and `z` takes it back."""
    file = folder / "MEMORY.md"
    before = file.read_text()
    other = page.context.new_page()
    for tab, old, new in (
        (page, "Tea, not coffee.", "Tea, never coffee."),
        (other, "What lasts.", "What will last."),
    ):
        tab.goto(f"{base}/notes/MEMORY.md?view=edit")
        tab.locator("[data-text]").fill(before.replace(old, new))
    for tab in (page, other):
        tab.get_by_role("button", name="Save", exact=True).click()
        until_ready(tab, f"{base}/notes/MEMORY.md")
    assert "Tea, never coffee." in file.read_text()
    assert "What will last." in file.read_text()
    # The first tab follows the file.
    expect(page.locator("article")).to_contain_text("What will last.")
    expect(other.locator("#toast.on")).to_contain_text("together with")


def test_text_survives_a_restart_of_the_server(
    context: BrowserContext, folder: Path, open_memory: Callable[..., Memory]
) -> None:
    """The page finds its way in again by itself, and what was typed is saved; so is a reload."""
    file = folder / "memory/people/ida.md"
    memory = open_memory(folder)
    page = context.new_page()
    with running(memory) as site:
        port = site.access.port
        base = f"http://127.0.0.1:{port}"
        page.goto(launch_link(site))
        page.wait_for_selector("#q")
        until_ready(page)
        eventually(lambda: page.evaluate("localStorage.getItem('memdown-pair')") is not None)
        page.goto(f"{base}/notes/memory/people/ida.md?view=edit")
        until_ready(page)
        page.locator("[data-text]").fill("# Ida\n\nWalnuts, too.\n")
    page.keyboard.press("Control+s")
    expect(page.locator("#toast.on")).to_contain_text("does not answer")
    expect(page.locator(".offline-bar")).to_be_visible()
    with running(memory, port=port):
        expect(page.locator(".offline-bar")).to_be_hidden()
        page.reload()
        until_ready(page)
        expect(page.locator("[data-draft]")).to_contain_text("unsaved text is back")
        expect(page.locator("[data-text]")).to_have_value("# Ida\n\nWalnuts, too.\n")
        page.keyboard.press("Control+s")
        until_ready(page, f"{base}/notes/memory/people/ida.md")
        assert file.read_text() == "# Ida\n\nWalnuts, too.\n"
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("article")).to_contain_text("Hazelnut allergy.")
        assert file.read_text() == "# Ida\n\nHazelnut allergy.\n"


def test_something_is_written_down_for_today(page: Page, base: str, folder: Path) -> None:
    page.locator("#remember").fill("Bought <b>bread</b>.")
    page.get_by_role("button", name="Remember").click()
    toast = page.locator("#toast.on")
    expect(toast).to_contain_text("Remembered in")
    file = folder / f"memory/{datetime.date.today().isoformat()}.md"
    assert "- Bought <b>bread</b>.\n" in file.read_text()
    expect(page.locator(".home")).to_contain_text("Bought <b>bread</b>.")
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_have_text("Taken back")
    assert "bread" not in file.read_text()


def test_a_secret_is_written_only_after_the_person_was_asked(
    page: Page, base: str, folder: Path
) -> None:
    """Once refused and once allowed; the question names the kind and not the secret."""
    token = "ghp" + "_" + "a1B2c3D4e5F6" * 3
    asked: list[str] = []
    answers = iter([False, True])

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        if next(answers):
            dialog.accept()
        else:
            dialog.dismiss()

    page.on("dialog", answer)
    page.goto(f"{base}/notes/MEMORY.md?view=edit")
    until_ready(page, re.compile("view=edit"))
    page.locator("[data-text]").fill(f"# Memory\n\n{token}\n")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toast")).to_contain_text("GitHub token")
    assert token not in (folder / "MEMORY.md").read_text()
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{base}/notes/MEMORY.md")
    assert token in (folder / "MEMORY.md").read_text()
    assert len(asked) == 2
    assert "a GitHub token (line 3)" in asked[0]
    assert token not in asked[0]


def test_the_history_of_a_versioned_note(page: Page, base: str, folder: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Nora", "-c", "user.email=nora@example.com")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "First")
    (folder / "memory/people/ida.md").write_text("# Ida\n\nNo allergy any more.\n")
    git("commit", "-qam", "Good news")
    page.goto(f"{base}/notes/memory/people/ida.md")
    page.get_by_role("link", name="History").click()
    expect(page.locator(".changes > li")).to_have_count(2)
    page.get_by_text("Good news").click()
    expect(page.locator(".diff .minus")).to_contain_text("Hazelnut allergy.")
    expect(page.locator(".diff .plus")).to_contain_text("No allergy any more.")


def test_markdown_with_scripts_does_nothing(page: Page, base: str, folder: Path) -> None:
    """What an agent was tricked into writing down must not run when it is read."""
    evil = (
        "# <script>window.bad = 1</script>\n\n<img src=x onerror='window.bad = 2'>\n\n"
        "[click](javascript:window.bad=3) ![p](http://127.0.0.1:9/x.png)\n\n"
        "<iframe srcdoc='<script>parent.bad=4</script>'></iframe>\n"
    )
    (folder / "memory/evil.md").write_text(evil)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in (
        "/notes/memory/evil.md",
        "/notes/memory/evil.md?view=source",
        "/notes/memory/evil.md?view=edit",
        "/?q=click+script",
    ):
        page.goto(base + path)
        assert page.evaluate("window.bad") is None
        assert page.locator("iframe, main script").count() == 0
    page.goto(f"{base}/notes/memory/evil.md")
    expect(page.locator("article")).to_contain_text("<script>window.bad = 1</script>")
    assert all(url.startswith(base) for url in asked)


def test_a_rebuild_shows_its_progress(page: Page, base: str) -> None:
    page.goto(f"{base}/health")
    page.get_by_role("button", name="Rebuild").click()
    expect(page.locator("[data-progress]")).to_be_visible()
    expect(page.locator("#toast.on")).to_contain_text("indexed")
    expect(page.locator(".state")).to_contain_text("up to date")


def test_a_task_is_ticked_and_code_is_copied(
    page: Page, base: str, folder: Path, context: BrowserContext
) -> None:
    file = folder / "memory/list.md"
    before = "# List\n\n- [ ] Water them\n- [x] Call\n\n```python\nprint(1)  # <b>\n```\n"
    file.write_text(before)
    page.goto(f"{base}/notes/memory/list.md")
    until_ready(page)
    task = page.get_by_role("checkbox", name="Water them")
    task.focus()
    page.keyboard.press("Space")
    expect(page.locator("#toast.on")).to_contain_text("Done")
    expect(task).to_be_checked()
    expect(task).to_be_focused()
    assert "- [x] Water them" in file.read_text()
    page.get_by_role("checkbox", name="Call").click()
    expect(page.get_by_role("checkbox", name="Call")).not_to_be_checked()
    assert "- [ ] Call" in file.read_text()
    page.keyboard.press("z")
    until_ready(page)
    expect(page.get_by_role("checkbox", name="Call")).to_be_checked()
    assert file.read_text() == before.replace("[ ] Water", "[x] Water")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#toast.on")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "print(1)  # <b>"


def test_a_long_note_is_found_ones_way_in(page: Page, base: str, folder: Path) -> None:
    """The headings beside it, with the one that is read; days by keys."""
    parts = "".join(f"## Part {n}\n\n" + "Words.\n\n" * 40 for n in range(5))
    (folder / "memory/long.md").write_text(f"# Long\n\n{parts}")
    page.goto(f"{base}/notes/memory/long.md")
    until_ready(page)
    page.get_by_role("link", name="Part 3").click()
    expect(page.get_by_role("heading", name="Part 3")).to_be_in_viewport()
    expect(page.locator(".outline [aria-current]")).to_have_text("Part 3")
    page.goto(f"{base}/notes/memory/2026-03-01.md")
    until_ready(page)
    page.keyboard.press("]")
    until_ready(page, f"{base}/notes/memory/2026-03-02-trip.md")
    page.keyboard.press("[")
    until_ready(page, f"{base}/notes/memory/2026-03-01.md")


def test_forget_shows_every_place_and_gives_a_receipt(page: Page, base: str, folder: Path) -> None:
    """Nothing is erased before it is asked for; afterwards no file of ours has the words."""
    page.goto(f"{base}/about/Ida")
    until_ready(page)
    fact = page.locator(".fact", has_text="Hazelnut allergy.")
    fact.hover()
    fact.get_by_role("button", name="Forget…").click()
    box = page.get_by_role("dialog")
    expect(box.locator("blockquote")).to_have_text("Hazelnut allergy.")
    expect(box.locator("li", has_text="memory/people/ida.md")).to_be_visible()
    expect(box.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(box).to_be_hidden()
    assert "Hazelnut" in (folder / "memory/people/ida.md").read_text()
    fact.hover()
    fact.get_by_role("button", name="Forget…").click()
    box.get_by_role("button", name="Erase everywhere").click()
    expect(box.get_by_role("heading", name="Forgotten")).to_be_visible()
    expect(box).to_contain_text("none holds the words any more")
    expect(box).to_contain_text("erased in notes")
    box.get_by_role("button", name="Close").click()
    assert "Hazelnut" not in (folder / "memory/people/ida.md").read_text()
    page.goto(f"{base}/?q=hazelnut")
    until_ready(page)
    expect(page.locator(".hit", has_text="Hazelnut")).to_have_count(0)


def test_a_conversation_is_exported_and_deleted(page: Page, base: str, site: Site) -> None:
    place = sessions_folder(site.memory.settings.state_dir, "main")
    place.mkdir(parents=True, exist_ok=True)
    line = {"type": "message", "message": {"role": "user", "content": "Which **ferry**?"}}
    (place / "talk.jsonl").write_text(json.dumps(line) + "\n")
    page.goto(f"{base}/sessions/talk")
    until_ready(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Which ferry?")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert download.value.suggested_filename == "talk.md"
    assert "Which **ferry**?" in Path(download.value.path()).read_text()
    answers = iter([Dialog.dismiss, Dialog.accept])
    page.on("dialog", lambda dialog: next(answers)(dialog))
    page.get_by_role("button", name="Delete…").click()
    assert (place / "talk.jsonl").exists()
    page.get_by_role("button", name="Delete…").click()
    until_ready(page, f"{base}/sessions")
    expect(page.locator("#toast.on")).to_contain_text("Deleted")
    assert not (place / "talk.jsonl").exists()
