"""Which files a scan lists, and what it says about the others."""

from __future__ import annotations

import datetime
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdown.errors import MemdownError, PathRefused, WorkspaceError
from memdown.notes import Scan, open_workspace, read_note, scan


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)


def listed(folder: Path, *extra: str) -> list[str]:
    return list(scan(open_workspace(folder, extra)).files)


def problems(found: Scan) -> dict[str, str]:
    return {problem.path: problem.reason for problem in found.problems}


def test_the_notes_of_a_workspace(tmp_path: Path) -> None:
    write(
        tmp_path,
        "MEMORY.md",
        "README.md",
        "docs/x.md",
        "memory/2026-03-01.md",
        "memory/topics/home/network.MD",
        "memory/picture.png",
        "memory/md",
        "memory/.hidden.md",
        "memory/.git/x.md",
        "memory/.obsidian/x.md",
        "memory/node_modules/x.md",
    )

    found = scan(open_workspace(tmp_path))

    assert list(found.files) == [
        "MEMORY.md",
        "memory/2026-03-01.md",
        "memory/topics/home/network.MD",
    ]
    assert found.problems == ()


def test_the_facts_of_a_note(tmp_path: Path) -> None:
    write(tmp_path, "memory/2026-03-01.md")
    facts = (tmp_path / "memory/2026-03-01.md").stat()

    state = scan(open_workspace(tmp_path)).files["memory/2026-03-01.md"]

    assert (state.path, state.source, state.digest) == ("memory/2026-03-01.md", "memory", "")
    assert (state.size, state.mtime_ns, state.ctime_ns, state.inode) == (
        facts.st_size,
        facts.st_mtime_ns,
        facts.st_ctime_ns,
        facts.st_ino,
    )
    assert state.date == datetime.date(2026, 3, 1)


def test_no_notes_yet_is_no_problem(tmp_path: Path) -> None:
    assert scan(open_workspace(tmp_path)) == Scan()


def test_a_workspace_that_vanished_is_an_error(tmp_path: Path) -> None:
    """An empty scan would empty the index, only because a disk is not mounted."""
    (tmp_path / "workspace").mkdir()
    workspace = open_workspace(tmp_path / "workspace")
    (tmp_path / "workspace").rmdir()

    with pytest.raises(WorkspaceError, match="does not exist"):
        scan(workspace)


def test_extra_paths_are_named_as_they_were_configured(tmp_path: Path) -> None:
    tmp_path = tmp_path.resolve()
    home = tmp_path / "workspace"
    write(home, "docs/a/b.md", ".notes/c.md", "plan.md")
    write(tmp_path, "team/d.md", "team/e.txt", "single.md", "other.md")

    assert listed(home, "docs", ".notes", "plan.md", "../team", "../single.md") == [
        ".notes/c.md",
        f"{tmp_path}/single.md",
        f"{tmp_path}/team/d.md",
        "docs/a/b.md",
        "plan.md",
    ]


def test_the_whole_workspace_as_extra_path(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "memory/a.md", "README.md", ".git/x.md")

    assert listed(tmp_path, ".") == ["MEMORY.md", "README.md", "memory/a.md"]


def test_a_file_reached_twice_is_listed_once(tmp_path: Path) -> None:
    write(tmp_path, "workspace/memory/a.md", "workspace/docs/b.md", "c.md")

    names = listed(tmp_path / "workspace", "memory", "docs/b.md", "docs", "..", str(tmp_path))

    assert names == [f"{tmp_path.resolve()}/c.md", "docs/b.md", "memory/a.md"]


def test_missing_and_unfit_extra_paths_are_named(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt", "real/x.md")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "through").symlink_to(".")

    found = problems(
        scan(open_workspace(tmp_path, ["gone", "notes.txt", "link", "through/real", "notes.txt/a"]))
    )

    assert found["gone"] == "gone is named in extraPaths but does not exist; create it."
    assert "neither a folder nor a Markdown" in found["notes.txt"]
    assert "symbolic link" in found["link"]
    assert "goes through a symbolic link" in found["through/real"]
    assert "cannot be read" in found["notes.txt/a"]


def test_links_are_never_followed_and_always_named(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "workspace/memory/a.md", "outside/picture.png")
    home = tmp_path / "workspace"
    (home / "memory/linked.md").symlink_to(tmp_path / "outside/secret.md")
    (home / "memory/folder").symlink_to(tmp_path / "outside")
    (home / "memory/picture.png").symlink_to(tmp_path / "outside/picture.png")
    (home / "memory/loop").symlink_to("..")
    (home / "memory/dangling.md").symlink_to("nowhere")
    (home / "MEMORY.md").symlink_to(tmp_path / "outside/secret.md")

    found = scan(open_workspace(home))

    assert list(found.files) == ["memory/a.md"]
    assert sorted(problems(found)) == [
        "MEMORY.md",
        "memory/dangling.md",
        "memory/folder",
        "memory/linked.md",
        "memory/loop",
    ]


def test_a_linked_memory_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md")
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/memory").symlink_to(tmp_path / "outside")

    found = scan(open_workspace(tmp_path / "workspace"))

    assert found.files == {}
    assert "symbolic link" in problems(found)["memory"]


def test_a_hard_link_is_no_note(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "workspace/memory/a.md")
    os.link(tmp_path / "secret.md", tmp_path / "workspace/memory/linked.md")

    found = scan(open_workspace(tmp_path / "workspace"))

    assert list(found.files) == ["memory/a.md"]
    assert "second hard link" in problems(found)["memory/linked.md"]


def test_pipes_sockets_and_folders_with_the_name_of_a_note(tmp_path: Path) -> None:
    write(tmp_path, "memory/folder.md/inner.md")
    os.mkfifo(tmp_path / "memory/pipe.md")
    os.mkfifo(tmp_path / "MEMORY.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path / "memory")
        try:
            server.bind("socket.md")
        finally:
            os.chdir(here)

        found = scan(open_workspace(tmp_path))

    assert list(found.files) == ["memory/folder.md/inner.md"]
    assert sorted(problems(found)) == ["MEMORY.md", "memory/pipe.md", "memory/socket.md"]


def test_a_memory_that_is_a_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, "memory")

    assert list(problems(scan(open_workspace(tmp_path)))) == ["memory"]


def test_names_that_are_no_text_are_named_in_text(tmp_path: Path) -> None:
    write(tmp_path, "memory/a.md")
    folder = os.fsencode(tmp_path / "memory")
    for name in (b"caf\xe9.md", b"esc\x1b[31m.md", b"back\\slash.md"):
        Path(os.fsdecode(folder + b"/" + name)).write_text("x")
    Path(os.fsdecode(folder + b"/d\xe9")).mkdir()

    found = scan(open_workspace(tmp_path))

    assert list(found.files) == ["memory/a.md"]
    assert len(found.problems) == 4
    for problem in found.problems:
        assert f"{problem.path}{problem.reason}".isprintable()


def test_folders_too_deep_are_named(tmp_path: Path) -> None:
    deep = tmp_path / "memory"
    for _ in range(70):
        deep /= "d"
    write(deep, "x.md")

    found = scan(open_workspace(tmp_path))

    assert found.files == {}
    assert "folders deep" in found.problems[0].reason


def test_a_folder_that_grows_deep_does_not_exhaust_descriptors(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    write(tmp_path, "memory/" + "d/" * 40 + "x.md")

    assert len(listed(tmp_path)) == 1
    assert len(os.listdir("/dev/fd")) == before


NAMES = st.sampled_from(
    [
        "a.md",
        "B.MD",
        "c.txt",
        ".d.md",
        "e f.md",
        "ü.md",
        "日記.md",
        "2026-03-01.md",
        "b\\.md",
        "x\n.md",
    ]
)
FOLDERS = st.sampled_from(
    ["memory", "Memory", "memory/sub", "memory/.git", "docs", "docs/x", "", "o"]
)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.tuples(FOLDERS, NAMES), max_size=12), st.sets(st.sampled_from(["docs", "."])))
def test_what_is_listed_is_what_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, files: set[tuple[str, str]], extra: set[str]
) -> None:
    """The index and `get` must agree, or a hit could not be opened, or a hidden file could."""
    folder = tmp_path_factory.mktemp("workspace")
    paths = [f"{parent}/{name}".lstrip("/") for parent, name in files]
    write(folder, *paths)
    workspace = open_workspace(folder, sorted(extra))

    found = scan(workspace).files

    for path in paths:
        if path in found:
            data, state = read_note(workspace, path)
            assert data.decode() == path
            assert (state.path, state.date) == (path, found[path].date)
        else:
            with pytest.raises(MemdownError):
                read_note(workspace, path)


def link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


ODD_LINKS: dict[str, Callable[[str, Path], str]] = {
    "loop": lambda name, home: name,
    "dangling": lambda name, home: "nowhere/at/all",
    "too long": lambda name, home: "x" * 300,
    "through a file": lambda name, home: "note-0.md/x",
    "very deep": lambda name, home: "/".join(["d"] * 1000),
    "up": lambda name, home: "..",
    "outside": lambda name, home: str(home.parent),
    "device": lambda name, home: "/dev/null",
    "process": lambda name, home: "/proc/self/fd/999",
}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(ODD_LINKS)),
            st.sampled_from(["", "sub/", "sub/sub/"]),
            st.sampled_from(["link", "a-link", "zz", "link.md", "0.txt"]),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda one: (one[1], one[2]),
    )
)
def test_no_link_hides_a_note(
    tmp_path_factory: pytest.TempPathFactory, links: list[tuple[str, str, str]]
) -> None:
    """One link that could not be resolved once ended the listing of its folder, in silence."""
    home = tmp_path_factory.mktemp("workspace")
    notes = [f"memory/{sub}note-{n}.md" for sub in ("", "sub/", "sub/sub/") for n in range(6)]
    write(home, *notes[:9])
    for kind, sub, name in links:
        link(home / "memory" / sub / name, ODD_LINKS[kind](name, home))
    write(home, *notes[9:])

    found = scan(open_workspace(home))

    assert sorted(found.files) == sorted(notes)
    assert found.unlisted == ()
    named = problems(found)
    for kind, sub, name in links:
        if name.endswith(".md") or kind in ("loop", "too long", "up", "outside"):
            assert "symbolic link" in named[f"memory/{sub}{name}"]


def test_an_adopted_folder_counts_as_a_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        "Boat.md",
        "Projects/Alpha.md",
        "Projects/plan.txt",
        ".obsidian/x.md",
        ".trash/old.md",
        "node_modules/pkg/README.md",
        "memory/2026-03-01.md",
    )
    vault = open_workspace(tmp_path, adopted=True)

    found = scan(vault)

    assert list(found.files) == ["Boat.md", "Projects/Alpha.md", "memory/2026-03-01.md"]
    assert (found.problems, found.ignored) == ((), ())
    assert read_note(vault, "Projects/Alpha.md")[0] == b"Projects/Alpha.md"


def ignoring(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f".{name}").write_text(text)


def test_ignore_files_leave_notes_out_and_the_scan_tells(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "drafts/c.md", "docs/d.md", "docs/e.md", "docs/x.txt")
    ignoring(tmp_path, gitignore="drafts/\n*.txt\n", memdownignore="# mine\nb.md\n")
    ignoring(tmp_path / "docs", memdownignore="/e.md\n")

    found = scan(open_workspace(tmp_path, adopted=True))

    assert list(found.files) == ["a.md", "docs/d.md"]
    assert found.ignored == ("b.md", "docs/e.md", "drafts/")


def test_what_the_own_file_brings_back(tmp_path: Path) -> None:
    """Notes that are kept out of a repository are often just those that one wants to find."""
    write(tmp_path, "a.md", "private/b.md", "private/deep/c.md")
    ignoring(tmp_path, gitignore="private/\n", memdownignore="!private/\n")

    assert list(scan(open_workspace(tmp_path, adopted=True)).files) == [
        "a.md",
        "private/b.md",
        "private/deep/c.md",
    ]


def test_gitignore_never_hides_the_memory_itself(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "memory/a.md", "memory/sub/b.md", "c.md")
    ignoring(tmp_path, gitignore="MEMORY.md\nmemory/\n*.md\n")
    ignoring(tmp_path / "memory", gitignore="*\n")

    for adopted in (False, True):
        found = scan(open_workspace(tmp_path, adopted=adopted))
        assert list(found.files) == ["MEMORY.md", "memory/a.md", "memory/sub/b.md"]
        assert found.ignored == (("c.md",) if adopted else ())


def test_the_own_ignore_file_hides_the_memory_too(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "memory/a.md", "memory/old/b.md")
    ignoring(tmp_path, memdownignore="MEMORY.md\nold/\n")

    found = scan(open_workspace(tmp_path))

    assert list(found.files) == ["memory/a.md"]
    assert found.ignored == ("MEMORY.md", "memory/old/")


def test_extra_paths_are_named_so_only_what_is_in_them_can_be_left_out(tmp_path: Path) -> None:
    home = tmp_path / "workspace"
    write(home, "docs/a.md", "docs/b.md", "docs/c.md", "one.md")
    write(tmp_path, "team/d.md", "team/build/e.md")
    ignoring(home, gitignore="docs/\none.md\n", memdownignore="docs/c.md\n")
    ignoring(home / "docs", gitignore="b.md\n")
    ignoring(tmp_path, gitignore="team/\n")
    ignoring(tmp_path / "team", gitignore="build/\n")

    found = scan(open_workspace(home, ["docs", "one.md", "../team"]))

    team = f"{tmp_path.resolve()}/team"
    assert list(found.files) == [f"{team}/d.md", "docs/a.md", "one.md"]
    assert found.ignored == (f"{team}/build/", "docs/b.md", "docs/c.md")


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "large"])
def test_an_ignore_file_that_cannot_be_read_is_named(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "memory/a.md")
    file = tmp_path / "memory/.memdownignore"
    if kind == "link":
        file.symlink_to("a.md")
    elif kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_text("*.md\n" * 100_000)

    found = scan(open_workspace(tmp_path))

    assert list(found.files) == ["memory/a.md"]
    assert "leaves nothing out" in problems(found)["memory/.memdownignore"]


PATTERNS = st.sampled_from(
    [
        "*.md",
        "/a.md",
        "!a.md",
        "docs/",
        "!docs/",
        "**/x",
        "x/",
        "sub",
        "!*.md",
        "[z-a]",
        "ü.md",
        "e*",
    ]
)


@pytest.mark.parametrize("extra", [["docs", "docs/x"], ["docs/x", "docs"]])
def test_a_folder_named_inside_of_another_counts_by_itself(
    tmp_path: Path, extra: list[str]
) -> None:
    write(tmp_path, "docs/x/a.md", "docs/b.md")
    (tmp_path / "docs" / ".gitignore").write_text("*.md")
    workspace = open_workspace(tmp_path, extra)
    assert list(scan(workspace).files) == ["docs/x/a.md"]
    assert read_note(workspace, "docs/x/a.md")[0] == b"docs/x/a.md"
    with pytest.raises(PathRefused):
        read_note(workspace, "docs/b.md")


@settings(max_examples=80, deadline=None)
@given(
    st.sets(st.tuples(FOLDERS, NAMES), max_size=10),
    st.dictionaries(
        st.tuples(FOLDERS, st.sampled_from([".gitignore", ".memdownignore"])),
        st.lists(PATTERNS, min_size=1, max_size=3),
        max_size=4,
    ),
    st.sets(st.sampled_from(["docs", "docs/x", "o"])),
    st.booleans(),
)
def test_what_is_left_out_cannot_be_read(
    tmp_path_factory: pytest.TempPathFactory,
    files: set[tuple[str, str]],
    ignore: dict[tuple[str, str], list[str]],
    extra: set[str],
    adopted: bool,
) -> None:
    """A scan walks down with descriptors, a read asks by path: both must leave out the same."""
    folder = tmp_path_factory.mktemp("workspace")
    paths = [f"{parent}/{name}".lstrip("/") for parent, name in files]
    write(folder, *paths)
    for (parent, name), lines in ignore.items():
        (folder / parent).mkdir(parents=True, exist_ok=True)
        (folder / parent / name).write_text("\n".join(lines))
    workspace = open_workspace(folder, sorted(extra), adopted=adopted)

    found = scan(workspace).files

    for path in paths:
        if path in found:
            assert read_note(workspace, path)[0].decode() == path
        else:
            with pytest.raises(MemdownError):
                read_note(workspace, path)


def test_patterns_made_to_take_for_ever_do_not(tmp_path: Path) -> None:
    """They may come with a foreign checkout; with Python's own matcher this one never ends."""
    write(tmp_path, "memory/" + "a" * 200 + ".md")
    ignoring(tmp_path / "memory", memdownignore="a*" * 100 + "b\n" + "*a" * 300 + "*b\n")

    assert len(listed(tmp_path)) == 1
