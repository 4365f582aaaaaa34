"""The pages, without a browser: what they show, and that they stay small."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memdown import Memory
from memdown.types import FileState
from memdown.web import changes, searching
from memdown.web.library import by_day, month, months, tree, year
from memdown.web.site import STATIC, ago
from web.conftest import client_for
from web.live import site_over


@pytest.mark.parametrize("view", ["read", "source", "chunks", "edit"])
def test_a_note_has_its_views(client: TestClient, view: str) -> None:
    page = client.get(f"/notes/memory/home.md?view={view}").text
    assert "The router hangs in the hall." in page


def test_an_unknown_note_is_an_error_page(client: TestClient) -> None:
    answer = client.get("/notes/memory/none.md")
    assert answer.status_code == 404
    assert "There is no note memory/none.md" in answer.text
    assert client.get("/notes/memory/../../../etc/passwd").status_code == 404
    assert client.get("/notes/MEMORY.md?view=nothing").status_code == 404
    assert client.get("/days/never").status_code == 404
    assert client.get("/sessions/none").status_code == 404


def test_today_is_offered_before_it_exists(client: TestClient) -> None:
    today = datetime.date.today().isoformat()
    assert "still empty" in client.get(f"/notes/memory/{today}.md").text


def test_an_empty_memory_helps(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    (tmp_path / "new").mkdir()
    client = client_for(site_over(open_memory(tmp_path / "new")))
    assert "This memory is empty" in client.get("/").text
    assert "No notes yet" in client.get("/notes").text
    assert "No sessions yet" in client.get("/sessions").text
    assert "There are no notes yet" in client.get("/health").text
    assert "No note answers that" in client.get("/?q=router").text


def test_what_no_longer_holds_is_marked_among_the_results(client: TestClient, folder: Path) -> None:
    (folder / "memory/2026-03-01.md").write_text("# 1 March\n\n- Ida's bank is Alba.\n")
    (folder / "MEMORY.md").write_text("# Memory\n\n- Ida's bank is Nordea now. (2026-03-02)\n")
    found = client.get("/hits", params={"q": "What is Ida's bank?"}).text
    newer, older = (
        next(one for one in found.split("</article>") if name in one) for name in ("Nordea", "Alba")
    )
    assert "no longer true" in older
    assert "no longer true" not in newer
    told = client.get("/api/search", params={"q": "What is Ida's bank?"}).json()["results"]
    assert {one["was"] for one in told if "Alba" in one["snippet"]} == {True}
    # The day of a fact makes no log of MEMORY.md.
    assert ">long-term<" in newer
    assert ">daily<" in older


def test_names_cannot_break_out_of_a_page(client: TestClient, folder: Path) -> None:
    name = 'x"><script>alert(1)<.md'
    (folder / "memory" / name).write_text("# <script>alert(2)</script>\n\nstrange name\n")
    for path in (
        "/notes",
        "/?q=strange+name",
        "/branch?under=memory",
        "/health",
        "/?q=%3Cscript%3E",
    ):
        text = client.get(path).text
        assert "<script>alert" not in text


def test_the_search_page_has_filters_that_work_without_scripts(client: TestClient) -> None:
    """They are fields of the same form, and what was given stays in them."""
    page = client.get("/", params={"q": "rain", "since": "March <2026>", "tag": "weather"}).text
    assert 'form="ask" name="since" value="March &lt;2026&gt;"' in page
    assert "is no time that is understood" in page
    assert '<details class="only" open>' in page
    assert '<details class="only">' in client.get("/").text


def test_the_search_page_is_light(client: TestClient) -> None:
    """Page, style, script and icons together stay under 150 KB."""
    shared = sum(
        (STATIC / name).stat().st_size
        for name in ("memdown.css", "memdown.js", "icons.svg", "icon.svg")
    )
    for path, scripts in (
        ("/", ()),
        ("/?q=router", ()),
        ("/notes/MEMORY.md", ("note.js",)),
    ):
        size = len(client.get(path).content) + sum(
            (STATIC / name).stat().st_size for name in scripts
        )
        assert shared + size < 150_000


def test_static_files_may_be_kept(client: TestClient) -> None:
    assert "immutable" in client.get("/static/memdown.css?v=1").headers["cache-control"]
    assert client.get("/static/../app.py").status_code == 404


def state(path: str, size: int = 10) -> FileState:
    from memdown.notes import date_of

    return FileState(path, "memory", size, 1, date=date_of(path))


def test_the_tree_gathers_logs_by_month_and_many_by_year() -> None:
    few = [f"memory/2026-0{m}-01.md" for m in range(1, 4)]
    branches = tree(few, "memory", few[0])
    assert [one.name for one in branches] == ["March 2026", "February 2026", "January 2026"]
    assert branches[2].inner[0].path == few[0]
    many = [f"memory/{y}-{m:02}-01.md" for y in (2024, 2025, 2026) for m in range(1, 13)]
    years = tree(many, "memory", many[-1])
    assert [(one.name, one.kind, one.count, one.open) for one in years] == [
        ("2026", "year", 12, True),
        ("2025", "year", 12, False),
        ("2024", "year", 12, False),
    ]
    assert len(months(many, "memory/2025")) == 12
    assert [one.path for one in month(many, "memory/2025-03")] == ["memory/2025-03-01.md"]


def test_absolute_paths_have_a_folder_of_their_own() -> None:
    (branch,) = tree(["/srv/notes/a.md", "/srv/notes/b.md"], "")
    assert (branch.path, branch.count) == ("/srv/notes", 2)
    assert [one.path for one in tree(["/srv/notes/a.md"], "/srv/notes")] == ["/srv/notes/a.md"]


def test_a_year_has_every_day_once_and_starts_weeks_on_monday() -> None:
    days = year({}, 2024)
    assert len(days) == 366
    assert all(one.weekday == one.date.weekday() for one in days)
    assert len({(one.week, one.weekday) for one in days}) == 366


def test_busy_days_stand_out() -> None:
    files = {
        f"memory/2026-01-0{n}.md": state(f"memory/2026-01-0{n}.md", n * 100) for n in range(1, 9)
    }
    levels = [one.level for one in year(by_day(files), 2026) if one.paths]
    assert levels == [1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    ("days", "said"), [(0, "today"), (1, "yesterday"), (5, "5 days ago"), (20, "2 weeks ago"), (90, "3 months ago"),
                       (800, "2 years ago"), (-3, "in 3 days")],
)  # fmt: skip
def test_days_as_people_say_them(days: int, said: str) -> None:
    today = datetime.date(2026, 11, 15)
    assert ago(today - datetime.timedelta(days=days), today) == said


def test_a_long_snippet_is_shown_around_its_matches() -> None:
    lines = [f"line {n} says nothing of interest to anyone at all" for n in range(30)]
    lines[20] = "the router hangs here"
    shown = searching.focus("\n".join(lines), ["router"])
    assert "router" in shown
    assert len(shown) <= 420


def test_git_settings_of_the_workspace_start_no_program(folder: Path) -> None:
    """An agent may write into the workspace, so its git settings are not trusted."""
    trap = folder / "trap"

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=N", "-c", "user.email=n@example.com")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "First")
    for key in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "core.sshCommand"):
        git("config", key, f"touch {trap}; true")
    git("config", "log.showSignature", "true")
    git("config", "diff.md.textconv", f"touch {trap}; cat")
    git("config", "diff.md.command", f"touch {trap}; cat")
    (folder / ".gitattributes").write_text("*.md diff=md\n")
    (change,) = changes.commits(folder, "MEMORY.md")
    assert change.subject == "First"
    assert changes.difference(folder, "MEMORY.md", change.commit)[1].kind == "+"
    assert changes.is_versioned(folder)
    assert not trap.exists()


def test_a_missing_object_is_fetched_from_nowhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git before 2.45 does not know `GIT_NO_LAZY_FETCH`, and the repository says `ext` is allowed."""
    trap = tmp_path / "trap"

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=N", "-c", "user.email=n@example.com")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=folder, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "First")
    blob = git("rev-parse", "HEAD:MEMORY.md")
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    git("config", "remote.evil.url", f"ext::touch {trap}")
    git("config", "remote.evil.promisor", "true")
    git("config", "extensions.partialClone", "evil")
    git("config", "protocol.ext.allow", "always")
    old_git = tmp_path / "bin/git"
    old_git.parent.mkdir()
    old_git.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {shutil.which("git")} "$@"\n')
    old_git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old_git.parent}:{os.environ['PATH']}")
    changes.commits(folder, "MEMORY.md")
    assert not trap.exists()


def test_a_folder_without_git_has_no_history(folder: Path) -> None:
    assert not changes.is_versioned(folder)
    assert changes.commits(folder, "MEMORY.md") == []


def test_a_note_shows_its_outline_what_links_to_it_and_the_days_beside_it(
    client: TestClient, folder: Path
) -> None:
    (folder / "memory/long.md").write_text("# Long\n\n## One\n\n### Deep\n\n## Two\n\n## One\n")
    (folder / "memory/people/ida.md").write_text("# Ida\n\nSee [[Long]] and [home](../home.md).\n")
    page = client.get("/notes/memory/long.md").text
    found = re.findall(r'<li class="depth(\d)"><a href="#L(\d+)" dir="auto">([^<]+)</a>', page)
    assert found == [("1", "3", "One"), ("2", "5", "Deep"), ("1", "7", "Two"), ("1", "9", "One")]
    assert 'href="/notes/memory/people/ida.md#L3" title="memory/people/ida.md"' in page
    home = client.get("/notes/memory/home.md").text
    assert "On this page" not in home, "two headings need no list"
    for path in ("MEMORY.md#L3", "memory/people/ida.md#L3"):
        assert f'href="/notes/{path}"' in home
    day = client.get("/notes/memory/2026-03-02-trip.md").text
    assert 'href="/notes/memory/2026-03-01.md" rel="prev"' in day
    assert 'href="/notes/memory/2026-03-02.md" rel="next"' in day
    assert 'rel="next"' not in client.get("/notes/memory/2026-03-02.md").text
    assert 'class="days"' not in home


def test_the_settings_in_force_without_secrets(
    tmp_path: Path, folder: Path, open_memory: Callable[..., Memory]
) -> None:
    """What the file says stands first, also what it says of this agent alone."""
    config = tmp_path / "memdown.json5"
    config.write_text(
        "{agents: {defaults: {memorySearch: {query: {maxResults: 7}, remote: {apiKey: 'hush-hush'}}},"
        " list: [{id: 'main', memorySearch: {chunking: {tokens: 300}}}]}, memory: {citations: 'on'}}"
    )
    page = client_for(site_over(open_memory(folder, config=config))).get("/settings").text
    own, others = page.split("As they come")
    for name, value in (
        ("query.maxResults", "7"),
        ("chunking.tokens", "300"),
        ("memory.citations", "&#34;on&#34;"),
        ("remote.apiKey", "&#34;set&#34;"),
    ):
        assert f"<code>{name}</code></dt><dd><code>{value}</code>" in own
    assert "<code>query.minScore</code>" in others
    assert "hush-hush" not in page
    assert (
        "everything is as it comes"
        in client_for(site_over(open_memory(folder))).get("/settings").text
    )


def test_a_day_is_told_once(client: TestClient, folder: Path) -> None:
    """Beside `1 Mar` a title that is only the date says nothing; any other is as it is written."""
    (folder / "memory/2026-03-03.md").write_text("# 2026-03-03\n\n- Snow.\n")
    page = client.get("/notes").text
    for path, title in (
        ("2026-03-01.md", "Sunday"),
        ("2026-03-03.md", "Tuesday"),
        ("2026-03-02-trip.md", "Trip"),
    ):
        assert f'<a href="/notes/memory/{path}" data-hit>{title}</a>' in page


def test_the_start_page_shows_what_lasts(client: TestClient, folder: Path) -> None:
    """The first facts of MEMORY.md that hold, not its introduction."""
    (folder / "MEMORY.md").write_text("# Memory\n\nRules.\n\n- ~~Old.~~\n- Tea, not coffee.\n")
    lasts = client.get("/").text.partition('id="lasts"')[2].partition("</section>")[0]
    assert "Tea, not coffee." in lasts
    assert "Rules." not in lasts
    assert "Old." not in lasts
