"""A second scan is saved only while nothing happened, and nothing is ever missed."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from contracts.store_contract import put, remove
from faults.figures import Campaign
from memdown import Memory
from memdown.errors import WorkspaceError
from memdown.index.freshness import SCAN_AGAIN_SECONDS, FolderEvents, c_library
from memdown.testing import HashEmbedder
from transcripts.talking import CONFIG, add, said, talk

WriteNotes = Callable[[dict[str, str]], Path]
OpenMemory = Callable[..., Memory]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A memory whose scans are counted."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.syncer = memory.index.syncer
        self.scans = 0
        self.clock = Clock()
        self.syncer.events = FolderEvents(self.clock)
        scan = self.syncer.sources.scan

        def counted(known: Any) -> Any:
            self.scans += 1
            return scan(known)

        self.syncer.sources.scan = counted  # type: ignore[method-assign]

    def settle(self) -> None:
        """Sync, and ask until a scan is no longer needed."""
        self.memory.sync()
        for _ in range(3):
            assert self.syncer.pending() == 0
        assert self.is_quiet()

    def is_quiet(self) -> bool:
        before = self.scans
        assert self.syncer.pending() == 0
        return self.scans == before

    def finds(self, word: str) -> set[str]:
        return {hit.path for hit in self.memory.search(word, min_score=0.0).hits}


@pytest.fixture
def folder(write_notes: WriteNotes) -> Path:
    return write_notes(
        {"MEMORY.md": "Memory.\n", "memory/a.md": "Alpha.\n", "memory/deep/b.md": "Beta.\n"}
    )


@pytest.fixture
def watched(folder: Path, open_memory: OpenMemory) -> Watched:
    watched = Watched(open_memory(folder))
    watched.settle()
    return watched


def test_the_first_look_of_a_process_makes_no_watches(
    folder: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory(folder)
    memory.sync()
    memory.index.syncer.pending()
    assert memory.index.syncer.events.is_open is False


def test_without_changes_there_are_no_scans_until_some_seconds_have_passed(
    watched: Watched,
) -> None:
    assert all(watched.is_quiet() for _ in range(20))
    watched.clock.now += SCAN_AGAIN_SECONDS + 1
    assert not watched.is_quiet()
    assert watched.is_quiet()


def replace(file: Path, text: str) -> None:
    draft = file.with_name(".draft")
    draft.write_text(text)
    draft.replace(file)


def added(file: Path, text: str) -> None:
    with file.open("a") as note:
        note.write(text)


def in_place(file: Path, text: str) -> None:
    """Same length, same time of change: only the kernel knows."""
    facts = file.stat()
    assert len(text) == facts.st_size
    file.write_text(text)
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def new_folder(folder: Path) -> None:
    (folder / "memory/x/y").mkdir(parents=True)
    (folder / "memory/x/y/z.md").write_text("Gamma.\n")


def swapped_root(folder: Path) -> None:
    shutil.rmtree(folder / "memory")
    (folder / "memory").mkdir()
    (folder / "memory/a.md").write_text("Gamma.\n")


def swapped_workspace(folder: Path) -> None:
    folder.rename(folder.with_name("old"))
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/a.md").write_text("Gamma.\n")


def renamed_folder(folder: Path) -> None:
    (folder / "memory/deep").rename(folder / "memory/deeper")
    (folder / "memory/deeper/b.md").write_text("Gamma.\n")


def came_from_elsewhere(folder: Path) -> None:
    outside = folder.with_name("outside")
    outside.mkdir()
    (outside / "c.md").write_text("Gamma.\n")
    outside.rename(folder / "memory/inside")


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (lambda f: (f / "memory/c.md").write_text("Gamma.\n"), {"memory/c.md"}),
        (lambda f: added(f / "memory/a.md", "Gamma.\n"), {"memory/a.md"}),
        (lambda f: replace(f / "memory/a.md", "Gamma.\n"), {"memory/a.md"}),
        (lambda f: in_place(f / "memory/a.md", "Gamma.\n"), {"memory/a.md"}),
        (lambda f: (f / "memory/deep/b.md").write_text("Gamma.\n"), {"memory/deep/b.md"}),
        (lambda f: (f / "MEMORY.md").write_text("Gamma.\n"), {"MEMORY.md"}),
        (new_folder, {"memory/x/y/z.md"}),
        (renamed_folder, {"memory/deeper/b.md"}),
        (came_from_elsewhere, {"memory/inside/c.md"}),
        (swapped_root, {"memory/a.md"}),
        (swapped_workspace, {"memory/a.md"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_search_sees_every_kind_of_change(
    watched: Watched, folder: Path, change: Callable[[Path], object], paths: set[str]
) -> None:
    assert "Gamma" not in str(watched.memory.search("gamma").hits)
    change(folder)
    assert paths <= watched.finds("gamma")
    watched.settle()


def test_what_is_deleted_is_gone_and_may_come_back(watched: Watched, folder: Path) -> None:
    shutil.rmtree(folder / "memory")
    assert watched.finds("alpha beta") <= {"MEMORY.md"}
    watched.settle()
    (folder / "memory").mkdir()
    (folder / "memory/a.md").write_text("Alpha again.\n")
    assert "memory/a.md" in watched.finds("alpha")


def test_a_link_in_place_of_a_folder_is_noticed(watched: Watched, folder: Path) -> None:
    outside = folder.with_name("outside")
    (folder / "memory/deep").rename(outside)
    (folder / "memory/deep").symlink_to(outside)
    assert "memory/deep/b.md" not in watched.finds("beta")
    (folder / "memory/deep").unlink()
    outside.rename(folder / "memory/deep")
    assert "memory/deep/b.md" in watched.finds("beta")


def test_an_ancestor_that_is_swapped_is_noticed(tmp_path: Path, open_memory: OpenMemory) -> None:
    """No folder of the notes itself is touched, so no watch tells."""
    folder = tmp_path / "above" / "between" / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/a.md").write_text("Alpha.\n")
    watched = Watched(open_memory(folder))
    watched.settle()
    shutil.copytree(tmp_path / "above", tmp_path / "copy")
    (tmp_path / "copy/between/workspace/memory/a.md").write_text("Gamma.\n")
    (tmp_path / "above").rename(tmp_path / "old")
    (tmp_path / "copy").rename(tmp_path / "above")
    assert "Gamma" in watched.memory.search("gamma").hits[0].snippet


def test_a_workspace_that_went_away_is_an_error_as_ever(watched: Watched, folder: Path) -> None:
    shutil.rmtree(folder)
    with pytest.raises(WorkspaceError, match="does not exist"):
        watched.memory.search("alpha")


@pytest.fixture
def with_extra(tmp_path: Path, folder: Path, open_memory: OpenMemory) -> Watched:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.md").write_text("One.\n")
    paths = [str(outside / "one.md"), "docs/inner/notes", str(tmp_path / "later/two.md")]
    config = tmp_path / "extra.json5"
    config.write_text(f"{{agents: {{defaults: {{memorySearch: {{extraPaths: {paths}}}}}}}}}")
    watched = Watched(open_memory(folder, config=config))
    watched.settle()
    return watched


def test_a_file_elsewhere_is_noticed(with_extra: Watched, tmp_path: Path) -> None:
    replace(tmp_path / "outside/one.md", "Gamma.\n")
    assert str(tmp_path / "outside/one.md") in with_extra.finds("gamma")


def test_an_extra_path_that_comes_into_being_is_noticed(
    with_extra: Watched, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "later").mkdir()
    assert with_extra.syncer.pending() == 0
    (tmp_path / "later/two.md").write_text("Gamma.\n")
    assert str(tmp_path / "later/two.md") in with_extra.finds("gamma")
    with_extra.settle()
    (folder / "docs").mkdir()
    with_extra.settle()
    (folder / "docs/inner").mkdir()
    with_extra.settle()
    (folder / "docs/inner/notes").mkdir()
    (folder / "docs/inner/notes/three.md").write_text("Delta.\n")
    assert "docs/inner/notes/three.md" in with_extra.finds("delta")
    with_extra.settle()
    (folder / "docs/inner/notes").rename(folder / "docs/inner/other")
    (folder / "docs/inner/notes").mkdir()
    assert "docs/inner/notes/three.md" not in with_extra.finds("delta")


def test_transcripts_are_noticed(folder: Path, own_state: Path, open_memory: OpenMemory) -> None:
    (own_state / "memdown.json5").write_text(CONFIG)
    watched = Watched(open_memory(folder))
    watched.settle()
    path = talk(own_state, "s1", said("user", "Which paint for the kitchen?"))
    assert "sessions/s1.jsonl" in watched.finds("paint")
    watched.settle()
    add(path, said("assistant", "Chalk white, two coats."))
    assert "Chalk" in str(watched.memory.search("chalk").hits)


def test_an_index_that_another_process_changed_is_looked_at(
    watched: Watched, folder: Path, open_memory: OpenMemory
) -> None:
    other = open_memory(folder)
    remove(other.index.store, ["memory/a.md"])
    assert watched.syncer.pending() == 1


def test_a_rebuild_that_goes_on_beside_it_leads_to_no_scan(
    watched: Watched, folder: Path, open_memory: OpenMemory
) -> None:
    other = open_memory(folder)
    fingerprint = other.index.store.fingerprint()
    assert fingerprint is not None
    with other.index.store.writing(5.0), other.index.store.rebuild(fingerprint) as writer:
        for path, state in other.index.store.files().items():
            put(writer, state, other.index.chunks(path), None)
            assert watched.is_quiet()
    assert not watched.is_quiet()


def test_a_full_queue_leads_to_a_scan(watched: Watched, folder: Path) -> None:
    """More events than the kernel keeps: what was dropped might have been a note."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (folder / "memory/a.md").open("a") as one, (folder / "memory/deep/b.md").open("a") as two:
        # The kernel merges what repeats, so two files take turns.
        for _ in range(limit // 2 + 100):
            os.utime(one.fileno())
            os.utime(two.fileno())
    (folder / "memory/c.md").write_text("Gamma.\n")
    assert "memory/c.md" in watched.finds("gamma")
    watched.settle()


class Failing:
    """A kernel that refuses something."""

    def __init__(self, number: int = 0, kind: int = 0xEF53) -> None:
        self.number = number
        self.kind = kind
        self.calls = 0
        self.real = c_library()

    def init(self) -> int:
        return self.real.init()

    def watch(self, descriptor: int, folder: str, mask: int) -> int:
        self.calls += 1
        if self.number:
            raise OSError(self.number, os.strerror(self.number))
        return self.real.watch(descriptor, folder, mask)

    def unwatch(self, descriptor: int, watch: int) -> None:
        self.real.unwatch(descriptor, watch)

    def file_system(self, folder: str) -> int:
        return self.kind


@pytest.mark.parametrize(
    "kernel",
    [Failing(errno.ENOSPC), Failing(errno.EACCES), Failing(kind=0x6969), Failing(kind=0x65735546)],
    ids=["no more watches", "not allowed", "NFS", "FUSE"],
)
def test_where_folders_cannot_be_watched_every_search_scans(
    folder: Path, open_memory: OpenMemory, kernel: Failing
) -> None:
    watched = Watched(open_memory(folder))
    watched.memory.sync()
    watched.syncer.events = FolderEvents(watched.clock, kernel)
    assert [watched.is_quiet() for _ in range(5)] == [False] * 5
    assert kernel.calls <= 1, "a limit that was reached is not tried again at every search"
    (folder / "memory/c.md").write_text("Gamma.\n")
    assert "memory/c.md" in watched.finds("gamma")


def test_watches_are_tried_again_later(folder: Path, open_memory: OpenMemory) -> None:
    kernel = Failing(errno.ENOSPC)
    watched = Watched(open_memory(folder))
    watched.memory.sync()
    watched.syncer.events = FolderEvents(watched.clock, kernel)
    assert [watched.is_quiet() for _ in range(3)] == [False] * 3
    kernel.number = 0
    watched.clock.now += 301
    assert [watched.is_quiet() for _ in range(3)] == [False, True, True]


def test_too_many_folders_are_scanned(
    folder: Path, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdown.index.freshness._MOST_FOLDERS", 2)
    watched = Watched(open_memory(folder))
    watched.memory.sync()
    assert [watched.is_quiet() for _ in range(3)] == [False] * 3


def test_a_forked_child_takes_no_events_from_its_parent(watched: Watched, folder: Path) -> None:
    (folder / "memory/c.md").write_text("Gamma.\n")
    child = os.fork()
    if child == 0:
        quiet = watched.syncer.events.nothing_happened(watched.syncer.index_state())
        watched.syncer.events.before_scan()
        os._exit(1 if quiet else 0)
    assert os.waitpid(child, 0)[1] == 0
    assert watched.syncer.pending() == 1


def test_closing_gives_the_watches_back(watched: Watched) -> None:
    def inotify() -> int:
        links = [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        return sum("inotify" in str(link) for link in links)

    before = inotify()
    watched.memory.close()
    assert inotify() == before - 1


def test_stale_watches_are_given_back(watched: Watched, folder: Path) -> None:
    """A folder that was moved out of the notes no longer costs a watch."""
    before = watched.syncer.events.watches
    (folder / "memory/deep").rename(folder.with_name("outside"))
    watched.settle()
    assert watched.syncer.events.watches == before - 1
    (folder.with_name("outside") / "b.md").write_text("Gamma.\n")
    assert watched.is_quiet()


def test_an_event_that_another_thread_took_spoils_a_scan_that_began_before(
    watched: Watched, folder: Path
) -> None:
    """One thread scans; a note changes behind it; a second thread takes the event and scans too.

    The first scan must not make the third thread believe that nothing happened.
    """
    first = watched.syncer.events
    state = watched.syncer.index_state()
    begun = first.before_scan()
    found = watched.syncer.sources.scan(watched.memory.index.store.files())
    (folder / "memory/c.md").write_text("Gamma.\n")
    first.before_scan()
    first.scanned(begun, watched.syncer.sources.places(found.folders), state)
    assert not first.nothing_happened(state)


def test_many_threads_see_what_they_wrote(watched: Watched, folder: Path) -> None:
    missed: list[str] = []

    def work(number: int) -> None:
        for turn in range(15):
            word = f"word{number}x{turn}"
            (folder / f"memory/t{number}.md").write_text(f"{word}\n")
            answer = watched.memory.search(word, min_score=0.0)
            if word not in str(answer.hits) and not answer.partial:
                missed.append(word)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not missed


def test_a_scan_of_another_thread_may_be_older_than_a_note(
    watched: Watched, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sync that a search waits for began with it: it knows nothing of a note that was saved since."""
    syncer, pending = watched.syncer, watched.syncer.pending
    (folder / "memory/a.md").write_text("Anchor.\n")
    assert pending() == 1
    before = vars(syncer)["_last_scan"]
    (folder / "memory/late.md").write_text("Lighthouse.\n")
    others = iter([before])

    def overtaken(*given: Any) -> int:
        found = pending(*given)
        vars(syncer)["_last_scan"] = next(others, vars(syncer)["_last_scan"])
        return found

    monkeypatch.setattr(syncer, "pending", overtaken)
    assert "memory/late.md" in watched.finds("lighthouse")


class Editing:
    """Random edits of a workspace, and the words that its notes should hold then."""

    def __init__(self, folder: Path, rng: Random) -> None:
        self.folder = folder
        self.rng = rng
        self.number = 0

    def notes(self) -> list[Path]:
        return sorted(self.folder.rglob("*.md"))

    def folders(self) -> list[Path]:
        memory = self.folder / "memory"
        return [memory, *sorted(path for path in memory.rglob("*") if path.is_dir())]

    def step(self) -> None:
        self.number += 1
        edits = [
            self.write, self.write, self.rewrite, self.rewrite, self.append, self.delete,
            self.rename, self.rename_folder, self.swap_folder, self.remove_folder,
        ]  # fmt: skip
        self.rng.choice(edits)()

    def word(self) -> str:
        return f"word{self.number}\n"

    def some_note(self) -> Path:
        notes = self.notes()
        if not notes:
            self.write()
            notes = self.notes()
        return self.rng.choice(notes)

    def write(self) -> None:
        folder = self.rng.choice(self.folders())
        if self.rng.random() < 0.3 and len(folder.parts) < len(self.folder.parts) + 4:
            folder = folder / f"f{self.rng.randrange(3)}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"n{self.rng.randrange(4)}.md").write_text(self.word())

    def rewrite(self) -> None:
        replace(self.some_note(), self.word())

    def append(self) -> None:
        added(self.some_note(), self.word())

    def delete(self) -> None:
        self.some_note().unlink()

    def rename(self) -> None:
        note = self.some_note()
        note.rename(self.rng.choice(self.folders()) / note.name)

    def rename_folder(self) -> None:
        folder = self.rng.choice(self.folders())
        target = self.folder / "memory" / f"r{self.number}"
        if folder.name != "memory":
            folder.rename(target)

    def swap_folder(self) -> None:
        """The whole folder of notes is replaced by a copy, in one step for whoever looks."""
        copy = self.folder / "copy"
        shutil.copytree(self.folder / "memory", copy)
        (copy / "swapped.md").write_text(self.word())
        shutil.rmtree(self.folder / "memory")
        copy.rename(self.folder / "memory")

    def remove_folder(self) -> None:
        shutil.rmtree(self.rng.choice(self.folders()))
        (self.folder / "memory").mkdir(exist_ok=True)


def edit_and_search(watched: Watched, folder: Path, edits: int, seed: int) -> Iterator[int]:
    editing = Editing(folder, Random(seed))
    for _ in range(edits):
        editing.step()
        words = {
            str(note.relative_to(folder)): note.read_text().split() for note in editing.notes()
        }
        last = f"word{editing.number}"
        expected = {path for path, found in words.items() if last in found}
        answer = watched.memory.search(last, min_score=0.0, max_results=50)
        hits = {hit.path for hit in answer.hits if last in hit.snippet.split()}
        assert hits == expected
        assert set(watched.memory.index.store.files()) == set(words)
        before = watched.scans
        # Each change is followed by a few searches with nothing new, as in real life.
        for _ in range(editing.rng.randrange(4)):
            assert watched.syncer.pending() == 0
        yield watched.scans - before


@pytest.mark.parametrize("seed", [1, 2])
def test_every_search_sees_the_edit_before_it(watched: Watched, folder: Path, seed: int) -> None:
    scans = list(edit_and_search(watched, folder, 100, seed))
    assert 0 in scans, "the watches must have been of use"


@pytest.mark.long
def test_a_thousand_edits_are_seen(
    folder: Path, open_memory: OpenMemory, campaign: Campaign
) -> None:
    done = campaign("notes and folders written, replaced, moved and removed between searches")
    watched = Watched(open_memory(folder, HashEmbedder()))
    watched.settle()
    scans = list(edit_and_search(watched, folder, 1000, 3))
    done(
        f"{len(scans):,} changes",
        "each seen by the next search, in every note that it changed, and none more",
    )
