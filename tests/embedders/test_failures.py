"""Every error of the HTTP library has one of ours, and a sentence without secrets."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import hypothesis.strategies as st
import pytest
from hypothesis import given

from memdown.embedders import failures
from memdown.embedders.failures import ErrorSubject
from memdown.errors import EmbedderError

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
PLACE = ErrorSubject("openai", "api.openai.com", "check the key in OPENAI_API_KEY.", (KEY,))


def concrete(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for child in kind.__subclasses__():
        yield from concrete(child)


def library_errors() -> list[type[BaseException]]:
    """Everything that the library exports and raises."""
    exported = [getattr(httpx, name) for name in httpx.__all__]
    return [one for one in exported if isinstance(one, type) and issubclass(one, Exception)]


@pytest.mark.parametrize("kind", library_errors(), ids=lambda kind: kind.__name__)
def test_each_error_of_the_library_is_caught_and_mapped(kind: type[Exception]) -> None:
    assert issubclass(kind, failures.http_errors())
    error = kind.__new__(kind)
    mapped = failures.from_exception(PLACE, error)
    assert isinstance(mapped, EmbedderError)
    assert type(mapped) is not EmbedderError
    assert str(mapped).endswith(".")
    assert failures.is_broken_connection(error) in (True, False)
    assert failures.never_left(error) in (True, False)


def test_nothing_is_left_out() -> None:
    """New kinds of a newer version must be exported ones, which the test above knows."""
    known = set(library_errors())
    for root in failures.http_errors():
        assert set(concrete(root)) <= known


@given(st.integers(300, 599), st.text())
def test_any_status_and_any_body_make_a_sentence(status: int, body: str) -> None:
    error = failures.from_status(PLACE, status, body)
    assert type(error) is not EmbedderError
    assert "openai (api.openai.com)" in str(error)
    assert str(error).endswith(".")


@given(st.sampled_from([400, 401, 402, 403, 404, 422, 429, 500]), st.text(), st.text())
def test_a_key_is_never_repeated(status: int, before: str, after: str) -> None:
    import json

    for said in (KEY, f"{before}{KEY}{after}"):
        body = json.dumps({"error": {"message": said}})
        assert KEY not in str(failures.from_status(PLACE, status, body))


def test_an_unknown_key_in_a_message_is_hidden_too() -> None:
    body = (
        '{"error": {"message": "Project proj_x has no access with sk-live-99887766554433221100"}}'
    )
    assert "99887766554433221100" not in str(failures.from_status(PLACE, 400, body))


def test_long_messages_are_cut() -> None:
    body = '{"detail": "' + "word " * 500 + '"}'
    assert len(str(failures.from_status(PLACE, 422, body))) < 450
