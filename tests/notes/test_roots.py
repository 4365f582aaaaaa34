"""Opening a workspace, and what paths mean in it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.errors import WorkspaceError
from memdown.notes import daily_note, date_of, open_workspace


def test_an_empty_folder_is_a_workspace(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, [])

    assert workspace.folder == tmp_path.resolve()
    assert workspace.extra == ()


def test_a_linked_workspace_is_opened_where_it_leads(tmp_path: Path) -> None:
    """Which folder is the workspace is the user's choice; links are only refused inside it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert open_workspace(tmp_path / "link").folder == (tmp_path / "real").resolve()


def test_extra_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path.resolve() / "workspace"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    given = ["docs", "./docs/", "../team/plan.md", "~/shared", str(folder / "inside"), "/srv/x"]

    assert open_workspace(folder, given).extra == (
        folder / "docs",
        tmp_path.resolve() / "team/plan.md",
        tmp_path / "shared",
        folder / "inside",
        Path("/srv/x"),
    )


def test_an_extra_path_that_leads_into_the_workspace_by_a_link_is_inside(tmp_path: Path) -> None:
    (tmp_path / "real/docs").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")

    workspace = open_workspace(tmp_path / "link", [str(tmp_path / "link/docs")])

    assert workspace.extra == (tmp_path.resolve() / "real/docs",)


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "a\udce4b", "C:\\notes"])
def test_an_unusable_extra_path_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(WorkspaceError, match="extraPaths"):
        open_workspace(tmp_path, [path])


def test_a_missing_workspace(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"nowhere does not exist; run `memdown init`"):
        open_workspace(tmp_path / "nowhere")


def test_a_workspace_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(WorkspaceError, match="file is not a folder"):
        open_workspace(tmp_path / "file")


def test_a_workspace_that_is_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(WorkspaceError, match="loop"):
        open_workspace(tmp_path / "loop")


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_workspace_name_no_disk_takes(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceError, match="workspace"):
        open_workspace(tmp_path / name)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2026-03-01.md", datetime.date(2026, 3, 1)),
        ("memory/2026-03-01-router.md", datetime.date(2026, 3, 1)),
        ("memory/work/2024-02-29 review.MD", datetime.date(2024, 2, 29)),
        ("/srv/shared/2026-03-01_plan.md", datetime.date(2026, 3, 1)),
        ("memory/2026-13-45.md", None),
        ("memory/2025-02-29.md", None),
        ("memory/0000-01-01.md", None),
        ("memory/2026-03-011.md", None),
        ("memory/2026-03.md", None),
        ("memory/router-2026-03-01.md", datetime.date(2026, 3, 1)),
        ("memory/incident 2026-13-01, 2026-05-18.md", datetime.date(2026, 5, 18)),
        ("memory/v2026-03-01.md", None),
        ("memory/12026-03-01.md", None),
        ("memory/2026-03-01/notes.md", None),
        ("memory/๒๐๒๖-๐๓-๐๑.md", None),
        ("MEMORY.md", None),
    ],
)
def test_the_day_of_a_note(path: str, expected: datetime.date | None) -> None:
    assert date_of(path) == expected


@given(st.dates())
def test_every_daily_log_has_its_day(day: datetime.date) -> None:
    assert date_of(daily_note(day)) == day
