"""Any request that the OpenAPI document allows, and many that it does not, get a documented answer."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.testing import HashEmbedder
from memdown.web.operations import document
from web.conftest import NOTES
from web.live import running

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis

# The guard's own tests cover the token; and blank text is a valid string but nothing to look for.
EXCLUDED = ["ignored_auth", "positive_data_acceptance"]

DOCUMENT = document()
schema = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("fuzzed")
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    environ = {"MEMDOWN_STATE_DIR": str(tmp_path_factory.mktemp("state"))}
    settings = load_settings(workspace=folder, environ=environ)
    with (
        Memory.from_settings(settings, embedder=HashEmbedder()) as memory,
        running(memory, token="fuzz") as site,
    ):
        yield site.access.port


@hypothesis.settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def check(case: Any, port: int) -> None:
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{port}",
        headers={"authorization": "Bearer fuzz"},
        excluded_checks=schemathesis.checks.CHECKS.get_by_names(EXCLUDED),
    )


# A test for each operation, by a name of its own: of tests with one name pytest-xdist runs one.
for path, methods in DOCUMENT["paths"].items():
    for method in methods:
        name = re.sub(r"\W+", "_", f"test_{method}_{path}").rstrip("_")
        globals()[name] = schema.include(path=path, method=method.upper()).parametrize()(check)


def test_every_operation_has_a_test() -> None:
    names = {name for name in globals() if re.match("test_(get|put|post|delete|patch)_", name)}
    assert len(names) == sum(map(len, DOCUMENT["paths"].values())) > 40
