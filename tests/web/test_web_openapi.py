"""Any request that the OpenAPI document allows, and many that it does not, get a documented answer."""

from __future__ import annotations

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

schema = schemathesis.openapi.from_dict(document())


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


@schema.parametrize()
@hypothesis.settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
@pytest.mark.filterwarnings("ignore")
def test_every_answer_is_documented(case: Any, port: int) -> None:
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{port}",
        headers={"authorization": "Bearer fuzz"},
        excluded_checks=schemathesis.checks.CHECKS.get_by_names(EXCLUDED),
    )
