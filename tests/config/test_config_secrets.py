"""A secret in the file is seen by nobody but who asks for it."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import pickle
import pprint
import traceback
from pathlib import Path

import pytest

from config.config_case import load, search
from memdown.config import Secret
from memdown.config.keys import as_json
from memdown.errors import ConfigError

KEY = "sk-hunter2-hunter2"

WITH_SECRETS: dict[str, object] = {
    **search(
        {
            "remote": {"apiKey": KEY, "headers": {"Authorization": f"Bearer {KEY}"}},
            "store": {"url": f"postgres://me:{KEY}@db/x", "readUrl": f"postgres://me:{KEY}@r/x"},
        }
    ),
    "models": {"providers": {"openai": {"apiKey": KEY, "headers": {"X-Key": KEY}}}},
}


def test_settings_never_show_a_secret(tmp_path: Path) -> None:
    settings = load(tmp_path, WITH_SECRETS)
    assert settings.remote.api_key == Secret(KEY)
    shown = [
        str(settings),
        repr(settings),
        f"{settings.remote.api_key}{settings.remote.headers!r}{settings.store.url:>40}",
        pprint.pformat(settings),
        str(dataclasses.asdict(settings)),
        json.dumps(as_json(settings)),
        json.dumps(dataclasses.asdict(settings), default=str),
        logging.makeLogRecord({"msg": "%s %r", "args": (settings, settings)}).getMessage(),
    ]
    assert all("hunter2" not in text for text in shown)
    shown_remote = as_json(settings)["agents"]["defaults"]["memorySearch"]["remote"]  # type: ignore[index]
    assert shown_remote["apiKey"] == "set"
    assert shown_remote["headers"] == {"Authorization": "set"}


def test_a_secret_is_a_value() -> None:
    secret = Secret("x")
    assert secret == copy.deepcopy(secret) == pickle.loads(pickle.dumps(secret))
    assert secret != Secret("y")
    assert secret != "x"
    assert len({secret, Secret("x"), Secret("y")}) == 2
    assert secret.reveal() == "x"


@pytest.mark.parametrize(
    "content",
    [
        search({"remote": {"apiKey": [KEY]}}),
        search({"remote": {"apiKey": {"value": KEY}}}),
        search({"remote": {"apiKeys": KEY}}),
        search({"remote": {"apikey": KEY}}),
        search({"remote": KEY}),
        search({"remote": {"headers": KEY}}),
        search({"remote": {"headers": [KEY]}}),
        search({"remote": {"headers": {"Authorization": [KEY]}}}),
        search({"remote": {"headers": {"Authorization": f"{KEY}\n"}}}),
        search({"remote": {"apiKey": KEY}, "query": {"maxResults": "x"}}),
        search({"store": {"url": [KEY]}}),
        search({"store": {"uri": KEY}}),
        search({"store": {"readUrl": {"x": KEY}}}),
        search({"remote": {"baseUrl": f"https://me:{KEY}@example.com"}}),
        search({"remote": {"apiKey": f"{KEY}\0"}}),
        {"models": {"providers": {"openai": KEY}}},
        {"models": {"providers": {"openai": {"apiKey": [KEY]}}}},
        {"agents": {"list": [{"id": "main", "memorySearch": {"apiKey": KEY}}]}},
    ],
)
def test_no_error_shows_a_secret(tmp_path: Path, content: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def test_a_number_as_key_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, search({"remote": {"apiKey": 4711}}))
    assert "4711" not in str(caught.value)


def test_a_variable_s_value_is_not_shown(tmp_path: Path) -> None:
    """What stands in the file is shown, not what it was replaced by."""
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {"memory": {"backend": "${BACKEND}"}}, BACKEND=KEY)
    assert "hunter2" not in str(caught.value)
    assert "${BACKEND}" in str(caught.value)


@pytest.mark.parametrize("broken", ["", "}}", " b", "'"])
def test_broken_json5_shows_no_secret(tmp_path: Path, broken: str) -> None:
    content = f"{{memory: {{}}, apiKey: '{KEY}' {broken}"
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"http://h/v1?api-key={KEY}", "http://h/v1?api-key=set"),
        (f"http://h/v1?a=1&key={KEY}&{KEY}#{KEY}", "http://h/v1?a=set&key=set&set#set"),
        ("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
    ],
)
def test_an_address_is_shown_without_its_keys(tmp_path: Path, address: str, shown: str) -> None:
    """Some endpoints want the key in the query."""
    settings = load(tmp_path, search({"remote": {"baseUrl": address}}))
    remote = as_json(settings)["agents"]["defaults"]["memorySearch"]["remote"]  # type: ignore[index]
    assert remote["baseUrl"] == shown
    assert KEY not in json.dumps(as_json(settings))
