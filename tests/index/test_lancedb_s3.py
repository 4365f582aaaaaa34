"""LanceDB in object storage: a real S3 protocol on the loopback."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import lancedb
import pytest

from contracts.store_contract import PRINT, chunk, put, state, texts_found, unit, words
from memdown.errors import IndexBusy, StoreError
from memdown.index.lancedb import create
from memdown.index.lancedb.database import read_pointers

pytestmark = pytest.mark.long


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import boto3
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
        server.start()
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": address,
            "AWS_ENDPOINT_URL": address,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        boto3.client("s3", endpoint_url=address, region_name="us-east-1").create_bucket(
            Bucket="notes"
        )
    # One process has one S3, so every test has a folder of its own.
    yield f"s3://notes/{request.node.name}"
    server.stop()


@pytest.mark.filterwarnings("ignore")
def test_an_index_in_object_storage(bucket: str, tmp_path: Path) -> None:
    store = create(tmp_path / "index", url=bucket)
    assert store.files() == {}
    with store.writing(5.0):
        store.begin(PRINT)
        put(store, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
    other = create(tmp_path / "elsewhere", url=bucket)
    assert texts_found(other, words("alpha")) == ["alpha"]
    with other.writing(5.0), other.rebuild(PRINT) as writer:
        put(writer, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
    assert texts_found(store, words("alpha", "beta")) == ["beta"]
    assert set(store.files()) == {"b.md"}


@pytest.mark.filterwarnings("ignore")
def test_two_machines_take_turns_to_write(bucket: str, tmp_path: Path) -> None:
    """Their local locks know nothing of each other; without turns both would number files alike."""
    hosts = [create(tmp_path / f"host-{number}", url=bucket) for number in range(2)]
    with hosts[0].writing(5.0) as acquired:
        assert acquired
        hosts[0].begin(PRINT)
        with hosts[1].writing(0.5) as refused:
            assert not refused

    def write(number: int) -> None:
        for note in range(4):
            with hosts[number].writing(60.0) as acquired:
                assert acquired
                path = f"host-{number}-{note}.md"
                put(hosts[number], state(path), [chunk(path, 1, ["beta"])], unit(0, 1, 0, 0))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(2)))
    for host in hosts:
        assert len(host.files()) == 8
        assert texts_found(host, words("beta")) == ["beta"] * 8
        assert host.check() == []


@pytest.mark.filterwarnings("ignore")
def test_the_turn_of_a_machine_that_died_ends(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, other = (create(tmp_path / name, url=bucket) for name in ("dead", "other"))
    with dead.writing(5.0):
        dead.begin(PRINT)
        monkeypatch.setattr("memdown.index.lancedb.writing.LEASE_SECONDS", 0.5)
        lease = dead._writer.lease
        assert lease is not None
        lease._until = 0.0
        put(dead, state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
        assert set(dead.files()) == {"a.md"}
        time.sleep(1.0)
        with other.writing(10.0) as acquired:
            assert acquired
            put(other, state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
            # It comes back, too late: another writes by now.
            lease._until = 0.0
            put(dead, state("c.md"), [chunk("c.md", 1, ["gamma"])], unit(0, 0, 1, 0))
            with pytest.raises(IndexBusy, match="another machine"):
                dead.files()
    assert set(other.files()) == {"a.md", "b.md"}


@pytest.mark.filterwarnings("ignore")
def test_many_writes_to_object_storage_are_put_together(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdown.index.lancedb.upkeep._COMPACT_AFTER", 3)
    store = create(tmp_path / "index", url=bucket)
    with store.writing(5.0):
        store.begin(PRINT)
    for number in range(6):
        path = f"n-{number}.md"
        with store.writing(5.0):
            put(store, state(path), [chunk(path, 1, ["beta"])], unit(0, 1, 0, 0))
    with store._database.using() as db:
        (pointer,) = read_pointers(db).values()
        table: Any = lancedb.connect(f"{bucket}/main").open_table(pointer.table)
        fragments = table.stats()["fragment_stats"]["num_fragments"]
    assert fragments <= 4
    assert texts_found(store, words("beta")) == ["beta"] * 6


def test_what_a_storage_refuses_is_one_sentence(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LanceDB prints all that its layers know of it, a thousand characters of which say nothing."""
    assert "NoSuchBucket: The specified bucket does not exist" in _refusal(
        tmp_path, bucket.replace("s3://notes", "s3://nowhere")
    )
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    assert "AWS_ALLOW_HTTP" in _refusal(tmp_path, bucket)
    assert "scheme: 'foo'" in _refusal(tmp_path, "foo://notes/a")


def _refusal(folder: Path, url: str) -> str:
    with closing(create(folder / "index", url=url)) as store, pytest.raises(StoreError) as told:
        store.files()
    text = str(told.value)
    assert "cannot be reached" in text
    assert len(text) < 250
    return text
