"""Damage to the index is noticed, or does not change an answer; there is no third way."""

from __future__ import annotations

import json
import logging
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from faults.figures import Campaign
from faults.stage import Stage, answers_of, staged
from memdown.cli import run as cli
from memdown.index.sqlite.connection import connect
from memdown.index.sqlite.schema import MIGRATIONS

Damage = Callable[[random.Random, Path], str]
PAGE = 16384


def flip_bits(rng: random.Random, file: Path) -> str:
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 20))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    return "bits"


def blank(rng: random.Random, file: Path) -> str:
    data = bytearray(file.read_bytes())
    size = rng.choice((16, 512, 4096, 65536))
    start = rng.randrange(len(data)) // size * size
    end = min(len(data), start + size)
    data[start:end] = bytes(end - start) if rng.random() < 0.5 else rng.randbytes(end - start)
    file.write_bytes(data)
    return "block"


def cut(rng: random.Random, file: Path) -> str:
    data = file.read_bytes()
    file.write_bytes(data[: rng.randrange(len(data))])
    return "cut"


def move_block(rng: random.Random, file: Path) -> str:
    data = bytearray(file.read_bytes())
    pages = max(1, len(data) // 4096)
    source, target = rng.randrange(pages) * 4096, rng.randrange(pages) * 4096
    data[target : target + 4096] = data[source : source + 4096]
    file.write_bytes(data[: pages * 4096])
    return "page"


DAMAGES: tuple[Damage, ...] = (flip_bits, flip_bits, flip_bits, blank, blank, cut, move_block)


def copies(stage: Stage) -> tuple[Path, Path]:
    """A copy of an index with all in the file, and one with much of it in the log."""
    with stage.memory() as memory:
        memory.sync()
    clean = stage.top / "clean"
    shutil.copytree(stage.state, clean)
    memory = stage.memory()
    with memory:
        for number in range(6):
            (stage.folder / f"memory/late{number}.md").write_text(
                f"late {number} alpha beta\n" * 30
            )
            memory.sync()
        logged = stage.top / "logged"
        shutil.copytree(stage.state, logged)
    assert (logged / "memory/main.sqlite-wal").stat().st_size > 0
    return clean, logged


def damage_files(rng: random.Random, stage: Stage) -> str:
    """One random damage to the database, or to its log or shared memory."""
    files = [file for file in stage.index.parent.iterdir() if file.stat().st_size]
    file = stage.index if rng.random() < 0.7 else rng.choice(files)
    rng.choice(DAMAGES)(rng, file)
    return "database" if file == stage.index else "log or shared memory"


def cut_beside_log(rng: random.Random, stage: Stage) -> str:
    """SQLite reads zeros where the file ends, if there is a log."""
    size = stage.index.stat().st_size
    with stage.index.open("r+b") as file:
        file.truncate(rng.randrange(size))
    return "cut off beside a log"


def put_foreign(rng: random.Random, stage: Stage) -> str:
    """A database of another program, alone or beside what is left of the index."""
    if rng.random() < 0.5:
        shutil.rmtree(stage.index.parent)
        stage.index.parent.mkdir()
    shutil.copy(rng.choice(sorted(stage.top.glob("foreign*.sqlite"))), stage.index)
    return "foreign database"


ATTACKS = (*[damage_files] * 3, cut_beside_log, put_foreign)


def damage_at_random(
    top: Path, rounds: int, campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    done = campaign("damage to the database, its log and its shared memory")
    rng = random.Random(17)
    caplog.set_level(logging.WARNING)
    kinds: Counter[str] = Counter()
    noticed = 0
    with staged(top) as stage:
        clean, logged = copies(stage)
        foreign_files(stage.top)
        shutil.rmtree(stage.state)
        with stage.memory() as memory:
            memory.sync()
            expected = answers_of(memory)
        for number in range(rounds):
            attack = ATTACKS[number % len(ATTACKS)]
            shutil.rmtree(stage.state)
            shutil.copytree(
                logged if attack is cut_beside_log else rng.choice((clean, logged)), stage.state
            )
            kinds[attack(rng, stage)] += 1
            caplog.clear()
            with stage.memory() as memory:
                assert answers_of(memory) == expected
                noticed += bool(caplog.records)
                assert len(caplog.records) <= 1
    done(
        f"{rounds} ({', '.join(f'{count} {kind}' for kind, count in kinds.most_common())})",
        f"{noticed} noticed and rebuilt, {rounds - noticed} without effect, 0 wrong answers, "
        "0 errors",
    )
    assert noticed > rounds / 4


@pytest.mark.parametrize("rounds", [10, pytest.param(500, marks=pytest.mark.long)])
def test_random_damage(
    tmp_path: Path, campaign: Campaign, caplog: pytest.LogCaptureFixture, rounds: int
) -> None:
    damage_at_random(tmp_path, rounds, campaign, caplog)


def test_an_empty_file_in_place_of_the_index(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        with stage.memory() as memory:
            expected = answers_of(memory)
        stage.index.write_bytes(b"")
        with stage.memory() as memory:
            assert answers_of(memory) == expected


@pytest.mark.parametrize("which", ["older", "newer", "foreign", "garbage"])
def test_side_files_that_belong_to_another_state(
    tmp_path: Path, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A backup of one of the files without the others; SQLite would replay the log all the same."""
    with staged(tmp_path) as stage:
        clean, logged = copies(stage)
        (stage.folder / "memory/late0.md").write_text("late 0 is another note by now, delta\n")
        with stage.memory() as memory:
            expected = answers_of(memory)
        log = stage.index.with_name("main.sqlite-wal")
        if which == "older":
            shutil.copy(logged / "memory/main.sqlite-wal", log)
        elif which == "newer":
            with stage.memory() as memory:
                (stage.folder / "memory/late1.md").write_text("late 1 again, epsilon\n")
                expected = answers_of(memory)
                saved = log.read_bytes()
            shutil.copy(clean / "memory/main.sqlite", stage.index)
            log.write_bytes(saved)
        elif which == "foreign":
            other = Stage(tmp_path / "other")
            with other.memory() as memory:
                memory.sync()
                saved = other.index.with_name("main.sqlite-wal").read_bytes()
            log.write_bytes(saved)
        else:
            log.write_bytes(random.Random(1).randbytes(50_000))
            stage.index.with_name("main.sqlite-shm").write_bytes(b"\7" * 32768)
        with stage.memory() as memory:
            assert answers_of(memory) == expected
            assert memory.index.check() == []


def test_a_process_follows_when_another_set_the_index_aside(tmp_path: Path) -> None:
    """An open connection would go on reading the file that was moved away."""
    with staged(tmp_path) as stage, stage.memory() as first:
        expected = answers_of(first)
        stage.index.with_name("main.sqlite-wal").unlink(missing_ok=True)
        stage.index.write_bytes(b"garbage" * 3000)
        with stage.memory() as second:
            assert answers_of(second) == expected
        (stage.folder / "memory/new.md").write_text("anchor lighthouse keeper, once more\n")
        assert "memory/new.md" in {hit[0] for hit in answers_of(first)[0]}


def test_after_the_machine_died_everything_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only then can a page be half written; checksums cannot tell a block of zeros from a page."""
    from memdown.index.sqlite import integrity

    looks: list[int] = []
    look = integrity.problems

    def counted(db: apsw.Connection) -> list[str]:
        looks.append(1)
        return look(db)

    monkeypatch.setattr(integrity, "problems", counted)
    with staged(tmp_path) as stage:
        _, logged = copies(stage)
        shutil.rmtree(stage.state)
        shutil.copytree(logged, stage.state)
        with stage.memory() as memory:
            memory.search("anchor")
        assert looks == []
        shutil.rmtree(stage.state)
        shutil.copytree(logged, stage.state)
        monkeypatch.setattr(integrity, "boot_id", lambda: "another run of the machine")
        for _ in range(2):
            with stage.memory() as memory:
                memory.search("anchor")
        assert looks == [1]


def test_old_damaged_indexes_do_not_pile_up(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        for _ in range(6):
            with stage.memory() as memory:
                memory.sync()
            stage.index.write_bytes(b"garbage" * 3000)
        with stage.memory() as memory:
            memory.sync()
        assert len(list(stage.index.parent.glob("*.damaged-?"))) <= 3


def test_pages_without_checksums_are_refused(tmp_path: Path) -> None:
    """One flipped bit in the header would turn the checking off."""
    with staged(tmp_path) as stage:
        with stage.memory() as memory:
            memory.sync()
        data = bytearray(stage.index.read_bytes())
        assert data[20] == 8
        data[20] = 0
        stage.index.write_bytes(data)
        with stage.memory() as memory:
            expected = answers_of(memory)
        db = connect(stage.index)
        assert db.reserve_bytes("main", -1) == 8
        db.close()
        with stage.memory() as memory:
            assert answers_of(memory) == expected


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_an_index_cut_off_beside_its_log(
    tmp_path: Path, campaign: Campaign, caplog: pytest.LogCaptureFixture, step: int
) -> None:
    """SQLite reads zeros where the file ends, if there is a log: no checksum tells of that."""
    done = campaign("an index cut off beside its log, twice in a page")
    caplog.set_level(logging.WARNING)
    with staged(tmp_path) as stage:
        _, logged = copies(stage)
        with stage.memory() as memory:
            expected = answers_of(memory)
        size = (logged / "memory/main.sqlite").stat().st_size
        cuts = [
            at for page in range(0, size, step * PAGE) for at in (page + PAGE // 2, page + PAGE)
        ]
        healed = 0
        for at in cuts:
            shutil.rmtree(stage.state)
            shutil.copytree(logged, stage.state)
            with stage.index.open("r+b") as file:
                file.truncate(min(at, size))
            caplog.clear()
            with stage.memory() as memory:
                memory.status()
                assert answers_of(memory) == expected
                assert memory.index.check() == []
            healed += bool(caplog.records)
            assert len(caplog.records) <= 1
    done(f"{len(cuts)} cuts", f"{healed} noticed and rebuilt, 0 wrong answers")
    assert healed >= len(cuts) // 2


def foreign_files(folder: Path) -> list[Path]:
    """Databases of other programs, which may lie where the index should."""
    made = []
    for number, statements in enumerate(
        (
            ["CREATE TABLE x (y)", "DROP TABLE x"],
            ["CREATE TABLE x (y)", "DROP TABLE x", "VACUUM"],
            ["CREATE TABLE files (path TEXT, hash TEXT)", "INSERT INTO files VALUES (NULL, NULL)"],
            ["PRAGMA journal_mode = WAL", "CREATE TABLE meta (key TEXT, value TEXT)"],
            [
                "CREATE TABLE meta (key TEXT, value TEXT)",
                f"PRAGMA user_version = {len(MIGRATIONS)}",
            ],
            ["CREATE TABLE a (b)", "PRAGMA user_version = 1"],
            ["PRAGMA page_size = 16384", "CREATE TABLE chunk_rows (key TEXT)"],
        )
    ):
        path = folder / f"foreign{number}.sqlite"
        # Plain SQLite, without the checksums of an index.
        db = apsw.Connection(str(path))
        for statement in statements:
            db.execute(statement).fetchall()
        db.close()
        made.append(path)
    return made


@pytest.mark.parametrize("first", ["search", "sync", "status", "check"])
def test_a_foreign_database_in_place_of_the_index(tmp_path: Path, first: str) -> None:
    """The first thing that is asked of it must work, not only the second."""
    with staged(tmp_path, topics=4) as stage:
        with stage.memory() as memory:
            expected = answers_of(memory)
        for foreign in foreign_files(tmp_path):
            shutil.rmtree(stage.state)
            stage.index.parent.mkdir(parents=True)
            shutil.copy(foreign, stage.index)
            with stage.memory() as memory:
                if first == "search":
                    assert answers_of(memory) == expected
                elif first == "sync":
                    assert memory.sync().complete
                elif first == "status":
                    assert memory.status().dirty
                else:
                    memory.index.check()
                assert answers_of(memory) == expected


def test_commands_on_an_index_cut_off(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`status` tells and writes nothing; the doctor mends it, as do `index` and `index --force`."""
    with staged(tmp_path) as stage:
        _, logged = copies(stage)
        monkeypatch.setenv("MEMDOWN_STATE_DIR", str(stage.state))
        for command in (["index"], ["index", "--force"], ["doctor", "--fix"], ["search", "anchor"]):
            shutil.rmtree(stage.state)
            shutil.copytree(logged, stage.state)
            with stage.index.open("r+b") as file:
                file.truncate(PAGE + 100)
            place = ["-w", str(stage.folder), "--json"]
            cli(["status", *place])
            told = json.loads(capfd.readouterr().out)
            assert told["dirty"]
            assert "is damaged" in told["problems"][0]["reason"]
            assert stage.index.stat().st_size == PAGE + 100
            assert cli([*command, *place]) == 0
            capfd.readouterr()
            cli(["status", *place])
            told = json.loads(capfd.readouterr().out)
            assert not told["dirty"]
            assert told["problems"] == []
