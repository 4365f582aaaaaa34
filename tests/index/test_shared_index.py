"""Several hosts, one index: each has its own disk, and none takes another's notes away."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from commands import Done, memdown
from index.postgres_server import Server
from memdown import Memory
from memdown.config import load_settings
from memdown.index.lancedb import rows
from memdown.index.lancedb.connection import EngineClient, TableVersion
from memdown.index.lancedb.store import LanceStore
from memdown.index.postgres.store import PostgresStore
from memdown.types import SyncReport

NOTES = {"MEMORY.md": "Anita lives in Rome.\n", "memory/home.md": "The router is an ER-605.\n"}


class Host:
    """A machine: its own notes and its own state folder."""

    def __init__(self, top: Path, name: str, url: str, agent: str, **search: object) -> None:
        driver = "postgres" if url.startswith("postgres") else "lancedb"
        self.notes = top / name / "notes"
        self.state = top / name / "state"
        self.agent = agent
        self.state.mkdir(parents=True)
        self.notes.mkdir()
        store = {"driver": driver, **({"url": url} if url else {})}
        config = {"agents": {"defaults": {"memorySearch": {"store": store, **search}}}}
        self.config = top / name / "memdown.json"
        self.config.write_text(json.dumps(config))

    def write(self, notes: dict[str, str]) -> None:
        for path, text in notes.items():
            (self.notes / path).parent.mkdir(exist_ok=True)
            (self.notes / path).write_text(text)

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        settings = load_settings(
            config=self.config,
            workspace=self.notes,
            agent=self.agent,
            environ={"MEMDOWN_STATE_DIR": str(self.state)},
        )
        with Memory.from_settings(settings) as memory:
            yield memory

    def sync(self, *, force: bool = False) -> SyncReport:
        with self.memory() as memory:
            return memory.sync(force=force)

    def run(self, *arguments: str) -> Done:
        """A command as somebody types it on this machine."""
        place = ("--config", str(self.config), "--workspace", str(self.notes))
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("MEMDOWN_STATE_DIR", str(self.state))
            return memdown(*arguments, *place, "--agent", self.agent)

    def number(self) -> str:
        """By what other hosts know this one."""
        (file,) = self.state.rglob("*.host.sqlite")
        with sqlite3.connect(file) as db:
            ((number,),) = db.execute("SELECT id FROM host").fetchall()
        return str(number)

    def find(self, text: str) -> list[str]:
        with self.memory() as memory:
            return [hit.path for hit in memory.search(text).hits]


@pytest.fixture(params=["postgres", "lancedb"])
def url(postgres: Server, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    return postgres.url if request.param == "postgres" else str(tmp_path / "shared")


@pytest.fixture
def hosts(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Host, Host]:
    agent = request.node.name.replace("[", "-").replace("]", "")
    return Host(tmp_path, "a", url, agent), Host(tmp_path, "b", url, agent)


def test_a_host_does_not_remove_what_it_never_had(hosts: tuple[Host, Host]) -> None:
    a, b = hosts
    a.write(NOTES)
    a.sync()
    b.write({"memory/garden.md": "Tomatoes stand in the garden.\n"})
    assert "memory/garden.md" in b.find("tomatoes")
    assert "memory/home.md" in b.find("router ER-605")
    assert "memory/garden.md" in a.find("tomatoes")
    assert a.sync(force=True).rebuilt
    assert "memory/garden.md" in a.find("tomatoes"), "a rebuild keeps what others have"
    (b.notes / "memory/garden.md").unlink()
    b.sync()
    assert "memory/garden.md" not in a.find("tomatoes")
    with a.memory() as memory:
        assert memory.index.check() == []


def test_the_same_notes_on_two_hosts_are_read_once_each(hosts: tuple[Host, Host]) -> None:
    """Times and inodes differ on every disk; they are compared with the host's own."""
    a, b = hosts
    a.write(NOTES)
    a.sync()
    shutil.copytree(a.notes, b.notes, dirs_exist_ok=True)
    with a.memory() as memory:
        before = memory.index.store.state()  # type: ignore[attr-defined]
    b.sync()
    for host in (a, b, a, b):
        report = host.sync()
        assert (report.indexed, report.removed) == (0, 0)
    with a.memory() as memory:
        assert memory.index.store.state() == before, "nothing was written"  # type: ignore[attr-defined]


def test_who_has_nothing_new_reads_no_list_of_files(postgres: Server, tmp_path: Path) -> None:
    logged = f"{postgres.url}?options=-clog_statement%3Dall"
    host = Host(tmp_path, "a", logged, "settled")
    host.write({f"memory/{n}.md": f"Box {n} holds thing number {n}.\n" for n in range(400)})
    host.sync()
    before = _lists_read(postgres)
    assert before > 0
    assert "memory/250.md" in host.find("thing number 250")
    assert _lists_read(postgres) == before
    host.write({"memory/250.md": "The box was given to Zuzana.\n"})
    assert "memory/250.md" in host.find("Zuzana"), "what changed is seen"
    before = _lists_read(postgres)
    assert "memory/250.md" in host.find("Zuzana")
    assert _lists_read(postgres) == before, "the sync has noted that all is indexed"


@pytest.mark.parametrize("place", ["shared", ""], ids=["address", "folder"])
def test_who_has_nothing_new_asks_lancedb_for_no_list_of_files(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also right after the sync that wrote them; and a full index asks little for each note."""
    asked = 0
    ask = EngineClient.ask

    def count(*given: Any, **options: Any) -> Any:
        nonlocal asked
        asked += 1
        return ask(*given, **options)

    listed: list[str] = []
    read = rows.read_files

    def note(table: TableVersion, where: str) -> Any:
        listed.append(where)
        return read(table, where)

    monkeypatch.setattr(EngineClient, "ask", count)
    host = Host(tmp_path, "a", str(tmp_path / place) if place else "", "main")
    host.write({f"memory/{n}.md": f"Box {n} holds thing number {n}.\n" for n in range(300)})
    host.sync()
    assert asked < 150, "a few portions, and not one question after the other"
    monkeypatch.setattr(rows, "read_files", note)
    for _ in range(2):
        assert "memory/250.md" in host.find("thing number 250")
    assert "key < 0" not in listed
    host.write({"memory/250.md": "The box was given to Zuzana.\n"})
    assert "memory/250.md" in host.find("Zuzana"), "what changed is seen"
    assert "key < 0" in listed
    listed.clear()
    assert "memory/250.md" in host.find("Zuzana")
    assert "key < 0" not in listed, "the sync has noted that all is indexed"
    (host.notes / "memory/250.md").unlink()
    assert "memory/250.md" not in host.find("Zuzana")


def test_a_change_costs_what_changed(postgres: Server, tmp_path: Path) -> None:
    """A host compares with what it knew last, and learns what others did since."""
    logged = f"{postgres.url}?options=-clog_statement%3Dall"
    a, b = (Host(tmp_path, name, logged, "changes") for name in "ab")
    a.write({f"memory/{n}.md": f"Box {n} holds thing number {n}.\n" for n in range(300)})
    shutil.copytree(a.notes, b.notes, dirs_exist_ok=True)
    a.sync()
    b.sync()
    before = _lists_read(postgres)
    a.write({"memory/25.md": "The box was given to Zuzana.\n"})
    assert a.sync().indexed == 1
    assert "memory/25.md" in b.find("Zuzana"), "another host's change"
    b.write({"memory/25.md": "The box was given to Zuzana.\n"})
    assert b.sync().indexed == 0, "it is there as given"
    (a.notes / "memory/7.md").unlink()
    assert a.sync().removed == 1
    assert b.sync().indexed == 1, "this host still has it, and brings it back"
    assert "memory/7.md" in a.find("thing number 7")
    for host in (a, b, a, b):
        report = host.sync()
        assert (report.indexed, report.removed) == (0, 0)
    assert _lists_read(postgres) == before


def _lists_read(server: Server) -> int:
    """How often the server was asked for all files, by its log."""
    log = (server.folder / "log").read_text(errors="replace")
    return len(re.findall(r'FROM "memdown"."files_\w+" WHERE generation = \$1$', log, re.MULTILINE))


def test_what_another_host_took_out_is_looked_for_again(hosts: tuple[Host, Host]) -> None:
    a, b = hosts
    a.write(NOTES)
    shutil.copytree(a.notes, b.notes, dirs_exist_ok=True)
    a.sync()
    b.sync()
    for _ in range(2):
        assert "memory/home.md" in a.find("router")
    (b.notes / "memory/home.md").unlink()
    b.sync()
    assert "memory/home.md" in a.find("router"), "it is still on this host's disk"
    (a.notes / "memory/home.md").unlink()
    assert "memory/home.md" not in a.find("router")


def test_an_older_copy_does_not_undo_a_newer_one(hosts: tuple[Host, Host]) -> None:
    """Only a host whose own file changed writes it; a copy that is behind waits for its sync."""
    a, b = hosts
    a.write(NOTES)
    shutil.copytree(a.notes, b.notes, dirs_exist_ok=True)
    a.sync()
    b.sync()
    a.write({"MEMORY.md": "Anita lives in Paris now.\n"})
    a.sync()
    b.sync()
    with b.memory() as memory:
        (hit, *_) = memory.search("where does Anita live").hits
    assert "Paris" in hit.snippet
    b.write({"MEMORY.md": "Anita lives in Paris now.\n"})
    assert b.sync().indexed == 0


def test_who_joins_is_told_and_brings_no_older_copies(
    hosts: tuple[Host, Host], caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody else's agent may have the same name; and a copy from a backup is no news."""
    a, b = hosts
    a.write({"MEMORY.md": "Anita lives in Paris now.\n", "memory/pets.md": "The cat is Miso.\n"})
    a.sync()
    assert not caplog.messages
    b.write({"MEMORY.md": "Anita lives in Rome.\n", "memory/pets.md": "The dog is Rex.\n"})
    os.utime(b.notes / "MEMORY.md", (1_000_000_000, 1_000_000_000))
    b.sync()
    (told,) = caplog.messages
    assert told.startswith(f"Other hosts have notes of the agent {b.agent!r} at ")
    for host in (a, b):
        with host.memory() as memory:
            text = " ".join(hit.snippet for hit in memory.search("where does Anita live").hits)
            assert "Paris" in text
            assert "Rome" not in text
            found = memory.search("what is the pet called, dog Rex or cat Miso").hits
            assert any("Rex" in hit.snippet for hit in found), (
                "what is newer replaces what is there"
            )
    caplog.clear()
    assert b.sync().indexed == 0
    b.write({"MEMORY.md": "Anita lives in Oslo.\n"})
    b.sync()
    with a.memory() as memory:
        (hit, *_) = memory.search("where does Anita live").hits
    assert "Oslo" in hit.snippet, "from now on this host's changes count"
    assert not caplog.messages


def test_hosts_with_other_settings_have_an_index_each(url: str, tmp_path: Path) -> None:
    a = Host(tmp_path, "a", url, "variants", chunking={"tokens": 400})
    b = Host(tmp_path, "b", url, "variants", chunking={"tokens": 300})
    for host in (a, b):
        host.write(NOTES)
        host.sync()
    for host in (a, b, a, b):
        report = host.sync()
        assert (report.rebuilt, report.indexed) == (False, 0)
        assert "memory/home.md" in host.find("router")
    a.write({"memory/pets.md": "The cat is called Miso.\n"})
    a.sync()
    with a.memory() as memory:
        store = memory.index.store
        assert isinstance(store, PostgresStore | LanceStore)
        store.vacuum()
    assert "memory/pets.md" in a.find("Miso")
    assert b.find("Miso") == [], "it is in the other index"
    assert "memory/home.md" in b.find("router"), "what is in use is not cleared"


def test_two_folders_of_one_agent_on_one_host_have_an_index_each(
    postgres: Server, tmp_path: Path
) -> None:
    one = Host(tmp_path, "one", postgres.url, "folders")
    other = Host(tmp_path, "other", postgres.url, "folders")
    other.state = one.state
    one.write({"MEMORY.md": "Anita lives in Rome.\n"})
    other.write({"MEMORY.md": "Bertil lives in Oslo.\n"})
    one.sync()
    other.sync()
    for host, mine, theirs in ((one, "Rome", "Oslo"), (other, "Oslo", "Rome")):
        with host.memory() as memory:
            text = " ".join(hit.snippet for hit in memory.search("who lives where").hits)
        assert mine in text
        assert theirs not in text


def test_files_of_a_gone_host_are_removed_when_asked(hosts: tuple[Host, Host]) -> None:
    a, b = hosts
    a.write(NOTES)
    a.sync()
    b.write({**NOTES, "memory/garden.md": "Tomatoes stand in the garden.\n"})
    b.sync()
    looked = a.run("store", "orphans")
    assert looked.returncode == 0, looked.stderr
    assert "Every file of the index is one of a living host's." in looked.stdout
    assert a.run("store", "orphans", "--gone", a.number()).returncode != 0, "this host is here"
    assert "No host 'nobody'" in a.run("store", "orphans", "--gone", "nobody").stderr
    shutil.rmtree(b.notes)
    looked = a.run("store", "orphans", "--gone", b.number())
    assert "memory/garden.md" in looked.stdout
    assert "memory/home.md" not in looked.stdout, "this host has it, too"
    assert "--apply" in looked.stdout
    assert "memory/garden.md" in a.find("tomatoes"), "it was a look"
    done = json.loads(a.run("store", "orphans", "--gone", b.number(), "--apply", "--json").stdout)
    assert done["removed"] == ["memory/garden.md"]
    assert "memory/garden.md" not in a.find("tomatoes")
    assert "memory/home.md" in a.find("router")
    (left,) = json.loads(a.run("store", "orphans", "--json").stdout)["hosts"]
    assert (left["isThis"], left["files"]) == (True, 2)
    with a.memory() as memory:
        assert memory.index.check() == []


def test_a_host_brings_back_what_it_still_has(hosts: tuple[Host, Host]) -> None:
    """The files are the truth: to call a living host gone does no lasting harm."""
    a, b = hosts
    a.write(NOTES)
    a.sync()
    b.write({"memory/garden.md": "Tomatoes stand in the garden.\n"})
    b.sync()
    assert a.run("store", "orphans", "--gone", b.number(), "--apply").returncode == 0
    assert "memory/garden.md" not in a.find("tomatoes")
    assert "memory/garden.md" in b.find("tomatoes")
    assert "memory/garden.md" in a.find("tomatoes")


def test_what_nobody_reported_goes_only_if_named(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a version that reported nothing has left it; a rebuild takes it over."""
    a, b = hosts
    a.write(NOTES)
    a.sync()
    b.write({"eval/question.md": "What was asked once.\n", "memory/eval.md": "Asked once.\n"})
    for store in (PostgresStore, LanceStore):
        monkeypatch.setattr(store, "_report_files", lambda _: None)
    b.sync()
    monkeypatch.undo()
    assert a.sync(force=True).rebuilt
    kept = a.run("store", "orphans", "--days", "0", "--apply")
    assert "memory/eval.md  (reported by no host)" in kept.stdout
    assert "1 that no host has reported were kept" in kept.stdout
    assert "memory/eval.md" in a.find("asked once")
    done = a.run("store", "orphans", "--unreported", "--apply")
    assert "Removed from the index: 1 files. No note was touched." in done.stdout
    assert "memory/eval.md" not in a.find("asked once")
    assert a.sync(force=True).rebuilt
    assert "memory/eval.md" not in a.find("asked once"), "and no rebuild brings it back"


def test_who_only_searches_reports_once_a_day(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = hosts
    for host in hosts:
        host.write({f"memory/{host.state.parent.name}.md": "Tomatoes stand in the garden.\n"})
        host.sync()
        host.find("tomatoes")

    def age() -> float:
        found = json.loads(b.run("store", "orphans", "--json").stdout)["hosts"]
        return float(next(one["secondsAgo"] for one in found if not one["isThis"]))

    time.sleep(1.6)
    a.find("tomatoes")
    assert age() >= 1, "it has reported today"
    monkeypatch.setattr("memdown.index.ownership.REPORT_SECONDS", 1.0)
    a.find("tomatoes")
    monkeypatch.undo()
    assert age() < 1.5


def test_an_index_of_one_host_has_no_orphans(tmp_path: Path) -> None:
    host = Host(tmp_path, "a", "", "main")
    for driver in ("sqlite", "lancedb"):
        config = {"agents": {"defaults": {"memorySearch": {"store": {"driver": driver}}}}}
        host.config.write_text(json.dumps(config))
        done = host.run("store", "orphans")
        assert done.stdout == (
            f"This index ({driver}) is of this host alone, so there are no files of others in it.\n"
        )
