"""The process that runs LanceDB for all clients of a host: shared, small for them, and never in the way."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from contracts.store_contract import PRINT, chunk, put, state, texts_found, unit, words
from engine_processes import VARIABLE, end_engines, engines, is_running
from forked import Forked
from index.engine_clients import filled, put_note, search, search_in, search_on, write_on
from memdown.errors import DiskFull, StoreError
from memdown.files import is_locked
from memdown.index.lancedb import LanceStore, connection, create, engine
from waiting import eventually

LOADED = ("index.engine_clients",)


@pytest.fixture(autouse=True)
def own_engines_alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What is done to an engine here is done to no other test's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv(VARIABLE, folder)
        monkeypatch.setattr(connection, "ALIVE_SECONDS", 1.0)
        yield Path(folder, f"memdown-{os.geteuid()}")
        end_engines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index.lancedb"


@pytest.fixture
def store(folder: Path) -> Iterator[LanceStore]:
    """A store with one note."""
    with closing(filled(folder)) as made:
        yield made


def the_engine() -> int:
    (process,) = engines()
    return process


@contextlib.contextmanager
def frozen(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


@contextlib.contextmanager
def meanwhile(work: Callable[..., object], *arguments: object) -> Iterator[Future[object]]:
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(work, *arguments)


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def test_a_client_loads_neither_lancedb_nor_pyarrow(store: LanceStore, folder: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from contextlib import closing\n"
        "from memdown.index.lancedb import create\n"
        "from memdown.testing.stores import texts_found, words\n"
        "with closing(create(pathlib.Path(sys.argv[1]))) as store:\n"
        "    assert texts_found(store, words('alpha')) == ['alpha']\n"
        "print(sorted({'lancedb', 'pyarrow'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "[]\n"


def test_clients_that_start_at_once_share_one_engine(folder: Path, tmp_path: Path) -> None:
    filled(folder).close()
    end_engines()
    said = tmp_path / "said"
    clients = [Forked(search, folder, output=said, load=LOADED) for _ in range(4)]
    for client in clients:
        assert client.wait() == 0, said.read_text()
    started = [
        int(file.parent.name)
        for file in Path("/proc").glob("[0-9]*/cmdline")
        if os.environ[VARIABLE].encode() in _content(file)
    ]
    assert started == engines()


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_an_engine_that_is_killed_in_a_search_is_followed_by_another(store: LanceStore) -> None:
    killed = the_engine()
    with frozen(killed), meanwhile(search_in, store) as found:
        os.kill(killed, signal.SIGKILL)
        assert found.result() == ["alpha"]
    assert the_engine() != killed
    eventually(lambda: is_gone(killed), 10.0, what="no zombie")


@pytest.mark.parametrize("is_alone", [True, False])
def test_an_engine_that_is_killed_in_a_write_writes_once(store: LanceStore, is_alone: bool) -> None:
    killed = the_engine()
    writing = store.writing(5.0) if is_alone else contextlib.nullcontext(True)
    with writing as acquired:
        assert acquired
        with frozen(killed), meanwhile(put_note, store, "beta"):
            os.kill(killed, signal.SIGKILL)
        assert set(store.files()) == {"alpha.md", "beta.md"}
        assert is_locked(store._database.lock_file) == is_alone
    assert not is_locked(store._database.lock_file)
    assert texts_found(store, words("beta")) == ["beta"]
    assert the_engine() != killed


def test_a_write_of_which_the_answer_is_lost_is_done_once(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine may end between writing and telling."""
    receive = engine.receive
    lost: list[object] = []

    def lose_once(link: socket.socket, descriptors: list[int] | None = None) -> object:
        answer = receive(link, descriptors)
        if is_writing and not lost:
            lost.append(answer)
            raise EOFError
        return answer

    is_writing = False
    monkeypatch.setattr(engine, "receive", lose_once)
    ask = connection.EngineClient.ask

    def asked(
        self: connection.EngineClient, operation: str, *rest: object, **more: object
    ) -> object:
        nonlocal is_writing
        is_writing = operation == "add"
        return ask(self, operation, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(connection.EngineClient, "ask", asked)
    put_note(store, "beta")
    assert lost == [("done", None)]
    assert texts_found(store, words("beta")) == ["beta"]
    assert store.status().chunks == {"memory": 2}


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_frozen_engine_is_ended_and_another_answers(
    store: LanceStore, folder: Path, is_connected: bool
) -> None:
    killed = the_engine()
    os.kill(killed, signal.SIGSTOP)
    with closing(store if is_connected else create(folder)) as asked:
        assert search_in(asked) == ["alpha"]
    assert the_engine() != killed
    eventually(lambda: is_gone(killed), 10.0, what="the end of the frozen one")


def test_a_frozen_engine_loses_no_write(store: LanceStore) -> None:
    os.kill(the_engine(), signal.SIGSTOP)
    with store.writing(5.0) as acquired:
        assert acquired
        put_note(store, "beta")
    assert texts_found(store, words("beta")) == ["beta"]


def test_what_a_killed_writer_asked_for_is_done_before_another_writes(
    store: LanceStore, folder: Path, tmp_path: Path
) -> None:
    """Its last write may still be under way: another writer would number its files alike."""
    told, said = tmp_path / "told", tmp_path / "said"
    search_in(store)
    # The other's own connections are made before the engine stands still.
    other = Forked(write_on, folder, tmp_path, output=said, load=LOADED)
    eventually(told.exists)
    with frozen(the_engine()):
        (tmp_path / "go").touch()
        eventually((tmp_path / "asking").exists, what="the last write")
        threading.Event().wait(0.3)
        other.kill()
        assert other.wait() == -signal.SIGKILL
        assert is_locked(store._database.lock_file)
    with store.writing(30.0) as acquired:
        assert acquired
        with store._database.using() as db:
            assert "key" in db.table(store._database.live(db).table).indexed()
        put_note(store, "gamma")
    assert set(store.files()) == {"alpha.md", "gamma.md"}
    assert store.check() == []


def test_an_interrupted_write_keeps_the_lock_until_it_is_done(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for an answer and is interrupted goes at once; others wait for what it began."""
    wait = connection.EngineClient._wait

    def interrupted(self: connection.EngineClient, *arguments: object) -> None:
        monkeypatch.setattr(connection.EngineClient, "_wait", wait)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.writing(5.0) as acquired:
        assert acquired
        with store._database.using() as db:
            name = store._database.live(db).table
            monkeypatch.setattr(connection.EngineClient, "_wait", interrupted)
            db.index(name, "key", "keys")
    with store.writing(30.0) as acquired:
        assert acquired
        with store._database.using() as db:
            assert "key" in db.table(name).indexed()


def test_ctrl_c_ends_a_client_and_not_the_engine(
    store: LanceStore, folder: Path, tmp_path: Path
) -> None:
    shared = the_engine()
    told, said = tmp_path / "told", tmp_path / "said"
    client = Forked(search_on, folder, told, output=said, load=LOADED)
    eventually(told.exists)
    assert os.getsid(shared) == shared
    os.killpg(client.pid, signal.SIGINT)
    assert client.wait() == 0, said.read_text()
    assert the_engine() == shared
    assert search_in(store) == ["alpha"]


def test_a_client_that_is_killed_while_it_reads_harms_nobody(
    store: LanceStore, folder: Path, tmp_path: Path
) -> None:
    shared = the_engine()
    told, said = tmp_path / "told", tmp_path / "said"
    client = Forked(search_on, folder, told, output=said, load=LOADED)
    eventually(told.exists)
    client.kill()
    assert client.wait() == -signal.SIGKILL
    assert search_in(store) == ["alpha"]
    assert the_engine() == shared


def test_an_engine_ends_when_nobody_needs_it(
    folder: Path, own_engines_alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_WITHOUT_CLIENTS", 0.2)
    with closing(filled(folder)):
        process = the_engine()
        threading.Event().wait(1.0)
        assert is_running(process), "it has a client"
    eventually(lambda: is_gone(process), 10.0, what="the end of an engine, and no zombie")
    assert [file.name for file in own_engines_alone.iterdir() if file.is_socket()] == []
    search(folder)


def test_an_engine_that_nobody_asks_ends_although_clients_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may stand idle for days."""
    monkeypatch.setattr(connection, "_WITHOUT_REQUESTS", 0.2)
    with closing(filled(folder)) as store:
        process = the_engine()
        eventually(lambda: is_gone(process), 10.0, what="the end of an engine")
        assert search_in(store) == ["alpha"]


def test_clients_of_two_versions_have_an_engine_each(
    store: LanceStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_version", lambda: "another")
    with closing(create(folder)) as other:
        put_note(other, "beta")
        assert len(engines()) == 2
        assert texts_found(store, words("beta")) == ["beta"]
        put_note(store, "gamma")
        assert texts_found(other, words("gamma")) == ["gamma"]


def test_an_engine_of_another_version_is_told_apart(
    store: LanceStore, folder: Path, own_engines_alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should one stand at the same socket, it is left to its clients."""
    (there,) = (file for file in own_engines_alone.iterdir() if file.is_socket())
    shared = the_engine()
    monkeypatch.setattr(connection, "_version", lambda: "another")
    with closing(create(folder)) as other:
        there.rename(own_engines_alone / other._database.link._name)
        assert search_in(other) == ["alpha"]
        assert search_in(store) == ["alpha"]
        assert is_running(shared)
    os.kill(shared, signal.SIGKILL)


def test_a_folder_with_a_long_path_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a socket has at most 107 bytes."""
    deep = tmp_path / ("a" * 100) / ("b" * 100)
    deep.mkdir(parents=True)
    monkeypatch.setenv(VARIABLE, str(deep))
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert connection.runtime_folder(16) == Path("/tmp", f"memdown-{os.geteuid()}")
    short = os.environ["HOME"]
    monkeypatch.setattr(tempfile, "tempdir", short if len(short) < 60 else None)
    with closing(filled(deep / "index.lancedb")) as store:
        (process,) = [engine.peer(link)[0] for link in store._database.link._idle]
        assert search_in(store) == ["alpha"]
    os.kill(process, signal.SIGKILL)


def test_a_folder_that_others_may_enter_is_not_used(own_engines_alone: Path) -> None:
    own_engines_alone.mkdir(mode=0o700, exist_ok=True)
    own_engines_alone.chmod(0o755)
    assert connection.runtime_folder(16) != own_engines_alone


def test_a_link_in_place_of_the_folder_is_not_followed(
    own_engines_alone: Path, tmp_path: Path
) -> None:
    own_engines_alone.symlink_to(tmp_path)
    assert connection.runtime_folder(16) != own_engines_alone


def test_nobody_else_gets_in(store: LanceStore, own_engines_alone: Path) -> None:
    (there,) = (file for file in own_engines_alone.iterdir() if file.is_socket())
    assert own_engines_alone.stat().st_mode & 0o777 == 0o700
    assert there.stat().st_mode & 0o777 == 0o600
    assert os.geteuid() == 0, "another user is tried as root"
    code = (
        "import socket, sys\n"
        "with socket.socket(socket.AF_UNIX) as link:\n"
        "    link.connect(sys.argv[1])\n"
        "    print(link.recv(1))\n"
    )

    def said_to_nobody() -> str:
        done = subprocess.run(
            ["/usr/bin/env", "python3", "-c", code, str(there)],
            user=65534,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        return done.stdout + done.stderr

    own_engines_alone.parent.chmod(0o755)
    assert "PermissionError" in said_to_nobody()
    own_engines_alone.chmod(0o755)
    there.chmod(0o666)
    # The engine looks who it is.
    assert said_to_nobody() == "b''\n"


def test_an_engine_knows_no_secrets_of_its_first_client(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret too")
    filled(folder).close()
    environ = Path(f"/proc/{the_engine()}/environ").read_bytes()
    assert b"secret" not in environ
    assert b"MALLOC_ARENA_MAX=2" in environ


@pytest.mark.parametrize(
    ("code", "said"),
    [("import os; os.kill(os.getpid(), 9)", "ended twice"), ("raise ImportError('odd')", "odd")],
)
def test_an_engine_that_cannot_start_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    broken = tmp_path / "engine.py"
    broken.write_text(code)
    monkeypatch.setattr(engine, "__file__", str(broken))
    folder.mkdir()
    with closing(create(folder)) as store, pytest.raises(StoreError, match=said):
        store.files()


def test_clients_with_other_credentials_have_another_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They may be let in elsewhere."""
    clients = []
    for key in ("one", "two", "two"):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
        clients.append(connection.EngineClient("s3://notes/memory"))
    assert len({client._name for client in clients}) == 2


def test_a_folder_that_was_made_anew_is_seen(store: LanceStore, folder: Path) -> None:
    """What the engine has open of the old one is of no use."""
    with closing(create(folder)) as other:
        assert search_in(other) == ["alpha"]
        for _ in range(3):
            shutil.rmtree(folder)
            with store.writing(5.0):
                store.begin(PRINT)
                put_note(store, "beta")
            assert texts_found(other, words("alpha", "beta")) == ["beta"]


def test_a_folder_that_was_deleted_is_made_anew(store: LanceStore, folder: Path) -> None:
    """A process that begins now knows nothing of what the engine has open."""
    assert search_in(store) == ["alpha"]
    shutil.rmtree(folder)
    with closing(create(folder)) as other, other.writing(5.0):
        other.begin(PRINT)
        put_note(other, "beta")
    assert texts_found(store, words("alpha", "beta")) == ["beta"]


def test_a_full_disk_is_told_and_survived(tmp_path: Path) -> None:
    """Needs the right to mount."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False).returncode:
        pytest.fail("This test mounts a small file system: run it as root, or leave it out.")
    try:
        with closing(filled(disk / "index.lancedb")) as store:
            filler = disk / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
            big = [chunk("b.md", n, ["beta " + os.urandom(400).hex()]) for n in range(1, 400)]
            rows = np.concatenate([unit(0, 1, 0, 0)] * len(big))
            with pytest.raises(DiskFull):
                put(store, state("b.md"), big, rows)
            assert search_in(store) == ["alpha"]
            filler.unlink()
            put(store, state("b.md"), big, rows)
            assert set(store.files()) == {"alpha.md", "b.md"}
            assert store.check() == []
    finally:
        end_engines()
        subprocess.run(["umount", str(disk)], check=True)
