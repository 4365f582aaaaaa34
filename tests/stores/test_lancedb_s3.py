"""LanceDB in object storage: a real S3 protocol on the loopback."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.store_contract import PRINT, chunk, state, texts_found, unit, words
from memdown.stores.lancedb import create

pytestmark = pytest.mark.long


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
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
    yield "s3://notes/memory"
    server.stop()


@pytest.mark.filterwarnings("ignore")
def test_an_index_in_object_storage(bucket: str, tmp_path: Path) -> None:
    store = create(tmp_path / "index", url=bucket)
    assert store.files() == {}
    with store.writing(5.0):
        store.begin(PRINT)
        store.replace(state("a.md"), [chunk("a.md", 1, ["alpha"])], unit(1, 0, 0, 0))
    other = create(tmp_path / "elsewhere", url=bucket)
    assert texts_found(other, words("alpha")) == ["alpha"]
    with other.writing(5.0), other.rebuild(PRINT) as writer:
        writer.replace(state("b.md"), [chunk("b.md", 1, ["beta"])], unit(0, 1, 0, 0))
    assert texts_found(store, words("alpha", "beta")) == ["beta"]
    assert set(store.files()) == {"b.md"}
