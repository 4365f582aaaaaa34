"""Which address, key and headers win, and which host a key may go to."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from memdown.embedders import Given, Setup, automatic, choose
from memdown.embedders.endpoints import VENDORS, is_secret, lets_in, provider_key, resolve
from memdown.errors import ConfigError, MissingKey

PROXY = "https://proxy.example/v1"
ENVIRON = {"OPENAI_API_KEY": "from-env", "GEMINI_API_KEY": "g", "VOYAGE_API_KEY": "v"}


def test_remote_wins_over_the_section_which_wins_over_the_environment() -> None:
    section = {"openai": Given(api_key="from-section")}
    ends = [
        resolve("openai", Given(api_key="from-remote"), section, ENVIRON),
        resolve("openai", Given(), section, ENVIRON),
        resolve("openai", Given(), {}, ENVIRON),
    ]
    assert [end.api_key for end in ends] == ["from-remote", "from-section", "from-env"]
    assert [end.key_source for end in ends] == [
        "memorySearch.remote.apiKey",
        "models.providers.openai.apiKey",
        "OPENAI_API_KEY",
    ]
    assert {end.base_url for end in ends} == {"https://api.openai.com/v1"}


def test_gemini_has_two_names() -> None:
    assert resolve("gemini", Given(), {"google": Given(api_key="a")}, {}).api_key == "a"
    assert resolve("gemini", Given(), {"gemini": Given(api_key="b")}, {}).api_key == "b"
    assert resolve("gemini", Given(), {}, {"GOOGLE_API_KEY": "c"}).api_key == "c"
    both = {"GEMINI_API_KEY": "first", "GOOGLE_API_KEY": "second"}
    assert resolve("gemini", Given(), {}, both).api_key == "first"


def test_a_key_in_the_environment_goes_to_its_vendor_only() -> None:
    """A shared configuration file must not be able to send a user's key somewhere else."""
    end = resolve("openai", Given(base_url=PROXY), {}, ENVIRON)
    assert end.api_key is None
    assert end.withheld == "OPENAI_API_KEY"
    assert not end.is_default


def test_a_key_of_a_section_goes_to_the_address_of_that_section() -> None:
    section = {"openai": Given(base_url=PROXY, api_key="proxy-key")}
    assert resolve("openai", Given(), section, ENVIRON).api_key == "proxy-key"
    elsewhere = resolve("openai", Given(base_url="https://other.example/v1"), section, ENVIRON)
    assert elsewhere.api_key is None
    same = resolve("openai", Given(base_url="https://proxy.example/v2"), section, {})
    assert same.api_key == "proxy-key"


def test_whoever_sets_both_gets_both() -> None:
    end = resolve("openai", Given(base_url=PROXY, api_key="mine"), {}, ENVIRON)
    assert (end.base_url, end.api_key) == (PROXY, "mine")


def test_plain_http_is_another_host() -> None:
    end = resolve("openai", Given(base_url="http://api.openai.com/v1"), {}, ENVIRON)
    assert end.api_key is None


def test_headers_are_merged_and_remote_wins() -> None:
    section = {"openai": Given(headers={"X-Team": "a", "X-Region": "eu"})}
    end = resolve("openai", Given(headers={"x-team": "b"}), section, {})
    assert {name.lower(): value for name, value in end.headers.items()} == {
        "x-team": "b",
        "x-region": "eu",
    }


def test_secret_headers_stay_with_their_host() -> None:
    section = {"openai": Given(headers={"X-Api-Key": "s3cret", "X-Region": "eu"})}
    end = resolve("openai", Given(base_url=PROXY), section, {})
    assert dict(end.headers) == {"X-Region": "eu"}


def test_a_header_can_be_the_key() -> None:
    assert lets_in(resolve("openai", Given(headers={"Authorization": "Bearer x"}), {}, {}))


@pytest.mark.parametrize("url", ["localhost:1234/v1", "ftp://x/v1", "https://", "http://x:abc/"])
def test_what_is_no_address_is_named(url: str) -> None:
    with pytest.raises(ConfigError, match=r"memorySearch.remote.baseUrl is not an address"):
        resolve("openai", Given(base_url=url), {}, {})


def test_nothing_shows_a_key() -> None:
    given_key = Given(api_key="s3cret", headers={"X-Api-Key": "s3cret"})
    setup = Setup(remote=given_key, environ={"OPENAI_API_KEY": "s3cret"})
    assert "s3cret" not in repr(given_key) + repr(setup) + repr(setup.options_for("openai"))


@given(st.text(min_size=1), st.text(min_size=1))
def test_secrets_do_not_change_the_provider_key(first: str, second: str) -> None:
    """Otherwise a new key would rebuild the index, and its digest would stand in it."""
    keys = {
        provider_key("openai", "m", PROXY, {"Authorization": value, "x-a": "1"})
        for value in (first, second)
    }
    assert len(keys) == 1
    assert provider_key("openai", "m", PROXY, {"x-a": "2"}) not in keys


@pytest.mark.parametrize(
    "name", ["Authorization", "x-api-key", "X-Auth-Token", "Cookie", "cf-access-client-secret"]
)
def test_names_that_sound_secret_are(name: str) -> None:
    assert is_secret(name)


def test_auto_takes_what_it_finds_in_order() -> None:
    names = []
    environ = dict(ENVIRON)
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY", "VOYAGE_API_KEY", None):
        names.append(automatic(Setup(environ=environ)))
        environ.pop(variable or "", None)
    assert names == ["openai", "gemini", "voyage", "bundled"]


def test_auto_takes_an_address_for_openai() -> None:
    assert automatic(Setup(remote=Given(base_url=PROXY), environ={})) == "openai"


def test_a_chosen_provider_without_a_key_is_there_but_says_so() -> None:
    for name in ("openai", "gemini", "voyage"):
        chosen = choose(Setup(provider=name))
        assert chosen.embedder is not None
        assert chosen.embedder.model == VENDORS[name].model
        with pytest.raises(MissingKey, match=VENDORS[name].variables[0]):
            chosen.embedder.embed_query("x")
        with_key = choose(Setup(provider=name, environ=ENVIRON)).embedder
        assert with_key is not None
        assert with_key.provider_key == chosen.embedder.provider_key


def test_the_fallback_does_not_inherit_address_and_model() -> None:
    setup = Setup("openai", "voyage", "m", Given(PROXY, "mine"), environ=ENVIRON)
    chosen = choose(setup)
    assert chosen.spare is not None
    spare = chosen.spare()
    assert (spare.id, spare.model) == ("voyage", "voyage-4-large")
    assert setup.for_fallback().endpoint("voyage").api_key == "v"


def test_a_wrong_name_gets_a_hint() -> None:
    with pytest.raises(
        ConfigError, match=r"memorySearch.provider is 'openal'.*did you mean 'openai'"
    ):
        choose(Setup(provider="openal"))
    with pytest.raises(ConfigError, match=r"memorySearch.fallback is 'nobody'"):
        choose(Setup(fallback="nobody"))
