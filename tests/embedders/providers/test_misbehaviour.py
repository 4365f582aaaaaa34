"""Whatever a provider does wrong becomes one of our errors, with a sentence that helps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from embedders.providers.conftest import Maker
from embedders.providers.loopback import KEY, Loopback
from memdown.embedders import EmbeddingEndpoint, Timeouts
from memdown.embedders.failures import asked_pause
from memdown.errors import (
    BadAnswer,
    EmbedderError,
    ProviderTimeout,
    QuotaExhausted,
    RateLimited,
    RefusedKey,
    Unreachable,
)
from memdown.types import Vectors

PROVIDERS = ("openai", "gemini", "voyage", "ollama")
TEXTS = ["the router stands in the hall", "the cat sleeps", "a third note"]

FAULTS = [
    ("401", RefusedKey, "refused access .* check the key in the test"),
    ("403", RefusedKey, "refused access"),
    ("key-400", RefusedKey, "refused access"),
    ("400", BadAnswer, "does not accept the request .*maximum context length"),
    ("404", BadAnswer, "does not know the model .* check memorySearch.model"),
    ("429", RateLimited, "fewer requests"),
    ("429-later", RateLimited, "fewer requests"),
    ("429-minute", RateLimited, "fewer requests"),
    ("429-info", RateLimited, "fewer requests"),
    ("quota", QuotaExhausted, "no quota left .* billing"),
    ("500", Unreachable, "out of order"),
    ("503", Unreachable, "out of order"),
    ("html", BadAnswer, "a web page; check memorySearch.remote.baseUrl"),
    ("cut_json", BadAnswer, "not whole JSON"),
    ("cut", Unreachable, "broke off"),
    ("words", BadAnswer, "something else than numbers"),
]
SILENT = [("nan", "all-zero"), ("zeros", "all-zero")]


def drain(
    batches: Iterator[tuple[Sequence[int], Vectors]],
) -> tuple[list[int], EmbedderError | None]:
    """The positions that came, and the error that ended it."""
    found: list[int] = []
    try:
        for positions, _ in batches:
            found += positions
    except EmbedderError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("fault", "kind", "said"), FAULTS)
def test_errors_are_ours_and_say_what_to_do(
    provider: str, fault: str, kind: type[EmbedderError], said: str, server: Loopback, make: Maker
) -> None:
    server.misbehave(fault)
    embedder = make(provider, "plain")
    with pytest.raises(kind, match=said) as batch:
        embedder.embed_batch(TEXTS)
    with pytest.raises(kind, match=said) as query:
        embedder.embed_query("where?")
    for error in (batch, query):
        assert type(error.value) is kind
        assert provider in str(error.value)
        assert KEY not in str(error.value) + repr(error.value)
    assert embedder.dims is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wrong_number_of_vectors_is_refused(provider: str, server: Loopback, make: Maker) -> None:
    server.misbehave("wrong_count")
    with pytest.raises(BadAnswer, match=r"2 vectors for 3 texts"):
        make(provider).embed_batch(TEXTS)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("fault", "said"), SILENT)
def test_vectors_without_direction_are_no_vectors(
    provider: str, fault: str, said: str, server: Loopback, make: Maker
) -> None:
    """For a question it only means that keywords must do: the caller sees a vector of zeros."""
    server.misbehave(fault)
    embedder = make(provider, "plain")
    with pytest.raises(BadAnswer, match=said):
        embedder.embed_batch(TEXTS)
    assert not embedder.embed_query("where?").any()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_another_dimension_than_before_is_refused(
    provider: str, server: Loopback, make: Maker
) -> None:
    embedder = make(provider, "plain")
    embedder.embed_batch(TEXTS)
    server.misbehave("wrong_dims")
    with pytest.raises(BadAnswer, match=r"13 numbers instead of 16"):
        embedder.embed_batch(TEXTS)
    with pytest.raises(BadAnswer, match=r"13 numbers instead of 16"):
        embedder.embed_query("where?")


def test_vectors_of_different_lengths_are_refused(server: Loopback, make: Maker) -> None:
    server.misbehave("uneven")
    with pytest.raises(BadAnswer, match=r"different lengths"):
        make("openai").embed_batch(TEXTS)


@pytest.mark.parametrize("fault", ["429", "429-after", "500", "503", "cut"])
def test_passing_trouble_is_tried_again(fault: str, server: Loopback, make: Maker) -> None:
    server.misbehave(fault, times=2)
    assert make("openai").embed_batch(TEXTS).shape == (3, server.dims)
    assert len(server.seen) == 3


def test_after_three_attempts_it_is_over(server: Loopback, make: Maker) -> None:
    server.misbehave("500")
    with pytest.raises(Unreachable):
        make("openai").embed_batch(TEXTS)
    assert len(server.seen) == 3


@pytest.mark.parametrize("fault", ["401", "403", "400", "404", "html", "429-later"])
def test_lasting_trouble_is_not_tried_again(fault: str, server: Loopback, make: Maker) -> None:
    server.misbehave(fault)
    with pytest.raises(EmbedderError):
        make("openai").embed_batch(TEXTS)
    assert len(server.seen) == 1


@pytest.mark.parametrize("fault", ["429-after", "429-told", "429-info"])
def test_the_pause_that_the_provider_asks_for_is_kept(
    fault: str, server: Loopback, make: Maker
) -> None:
    """By its header, or in the words of OpenAI and Gemini."""
    server.misbehave(fault, times=1)
    began = time.monotonic()
    make("openai").embed_query("where?")
    assert time.monotonic() - began >= 0.2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_that_hangs_costs_no_more_than_the_time_limit(
    provider: str, server: Loopback, make: Maker
) -> None:
    server.misbehave("hang")
    embedder = make(provider, timeouts=Timeouts(query=0.3, batch=0.4))
    asks: list[tuple[Callable[[], object], float]] = [
        (lambda: embedder.embed_query("where?"), 0.3),
        (lambda: embedder.embed_batch(TEXTS), 0.4),
    ]
    for ask, limit in asks:
        began = time.monotonic()
        with pytest.raises(ProviderTimeout, match=r"in time|within"):
            ask()
        assert time.monotonic() - began < limit + 2


def test_attempts_of_a_query_share_one_time_limit(server: Loopback, make: Maker) -> None:
    server.misbehave("500")
    limits = Timeouts(query=0.5, batch=0.5, first_pause=0.4, longest_pause=8.0)
    began = time.monotonic()
    with pytest.raises(EmbedderError):
        make("openai", timeouts=limits).embed_query("where?")
    assert time.monotonic() - began < 2.5


def test_slow_is_not_wrong(server: Loopback, make: Maker) -> None:
    server.misbehave("slow")
    assert make("openai").embed_query("where?").size == server.dims


def test_nobody_listens(server: Loopback, make: Maker) -> None:
    endpoint = EmbeddingEndpoint("http://127.0.0.1:9/v1", KEY, is_default=False)
    with pytest.raises(Unreachable, match=r"openai \(127.0.0.1:9\) cannot be reached"):
        make("openai", endpoint=endpoint).embed_query("where?")


def test_a_redirect_to_another_host_is_refused(server: Loopback, make: Maker) -> None:
    """The key would go to a host that nobody configured."""
    other = Loopback()
    try:
        server.redirect_to = f"{other.origin}/v1/embeddings"
        server.misbehave("redirect")
        with pytest.raises(BadAnswer, match=r"redirects to another host.*refused"):
            make("openai").embed_query("where?")
        with pytest.raises(BadAnswer, match=r"redirects to another host.*refused"):
            make("gemini").embed_batch(TEXTS)
        assert other.seen == []
    finally:
        other.close()


def test_a_redirect_within_the_host_is_followed(server: Loopback, make: Maker) -> None:
    server.redirect_to = "/v1/embeddings"
    server.misbehave("redirect", times=1)
    assert make("openai").embed_query("where?").size == server.dims
    assert len(server.seen) == 2


def test_endless_redirects_end(server: Loopback, make: Maker) -> None:
    server.redirect_to = "/v1/embeddings"
    server.misbehave("redirect")
    with pytest.raises(BadAnswer, match=r"redirects instead of answering"):
        make("openai").embed_query("where?")


def test_one_text_that_cannot_be_embedded_costs_no_other(server: Loopback, make: Maker) -> None:
    embedder = make("openai")
    server.misbehave("one_zero")
    found, error = drain(embedder.embed_in_batches(TEXTS))
    assert sorted(found) == [1, 2]
    assert isinstance(error, BadAnswer)
    assert "all-zero" in str(error)


def test_a_refused_batch_is_sent_text_by_text(server: Loopback, make: Maker) -> None:
    """Only once something has worked: otherwise it is the model or the address that is wrong."""
    embedder = make("openai")
    embedder.embed_batch(TEXTS[:1])
    server.misbehave("400", times=1)
    assert embedder.embed_batch(TEXTS).shape == (3, server.dims)
    assert len(server.seen) == 5


def test_at_most_four_requests_are_in_flight(server: Loopback, make: Maker) -> None:
    server.delay = 0.05
    long = ["w" * 33_000] * 12
    rows = make("openai").embed_batch(long)
    assert len(rows) == 12
    assert server.most_in_flight == 4
    assert len(server.seen) == 12


def test_what_is_finished_comes_before_the_error(server: Loopback, make: Maker) -> None:
    long = ["w" * 33_000 + str(number) for number in range(6)]
    server.misbehave("401", times=1)
    found, error = drain(make("openai").embed_in_batches(long))
    assert isinstance(error, RefusedKey)
    # One text a request; how many were sent before the refusal came depends on the machine.
    assert len(found) == len(server.seen) - 1


def test_closing_ends_all_waiting(server: Loopback, make: Maker) -> None:
    server.misbehave("hang")
    embedder = make("openai", timeouts=Timeouts(query=60, batch=60))
    batches = embedder.embed_in_batches(TEXTS)
    began = time.monotonic()
    assert not batches.ready()
    embedder.close()
    with pytest.raises(EmbedderError, match=r"closed"):
        list(batches)
    with pytest.raises(EmbedderError, match=r"closed"):
        embedder.embed_query("where?")
    assert time.monotonic() - began < 1


def test_nothing_shows_the_key(server: Loopback, make: Maker) -> None:
    embedder = make("openai")
    endpoint = EmbeddingEndpoint(server.base("openai"), KEY, {"x-api-key": KEY}, "OPENAI_API_KEY")
    shown = f"{embedder!r} {vars(embedder)!r} {embedder.provider_key} {embedder.http.place!r} {endpoint!r}"
    assert KEY not in shown
    assert np.isfinite(embedder.embed_query("x")).all()


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ("Please try again in 20s. Visit the page on limits.", 20),
        ("Please try again in 6m0s.", 360),
        ("Please try again in 250ms.", 0.25),
        ('"retryDelay": "3.5s"', 3.5),
        ("wait a little and try again in a while", None),
        ("You exceeded your current quota, please check your plan and billing details.", None),
    ],
)
def test_a_pause_is_read_from_what_is_said(body: str, seconds: float | None) -> None:
    assert asked_pause(body) == seconds
