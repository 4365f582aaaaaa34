"""`${NAME}` in values."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.config_case import load, search
from memdown.config.document import substitute
from memdown.errors import ConfigError, MissingVariable


def test_variables_are_replaced_in_all_our_sections(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """{
          agents: { defaults: {
            workspace: "${BASE}/notes",
            memorySearch: {
              model: "${A}-${B}",
              extraPaths: ["${BASE}/x"],
              remote: { apiKey: "${KEY}", headers: { "X-Org": "org ${A}" } },
            },
            compaction: { memoryFlush: { prompt: "Ask ${A}. NO_REPLY" } },
          } },
          memory: { qmd: { command: "${BASE}/qmd" } },
          models: { providers: { openai: { apiKey: "${KEY}" } } },
        }""",
        A="a",
        B="b",
        KEY=" k \n",
        BASE="/base",
    )
    assert settings.workspace == Path("/base/notes")
    assert settings.model == "a-b"
    assert settings.extra_paths == ("/base/x",)
    assert settings.remote.api_key is not None
    assert settings.remote.api_key.reveal() == "k"
    assert settings.remote.headers["X-Org"].reveal() == "org a"
    assert settings.compaction.memory_flush.prompt == "Ask a. NO_REPLY"
    assert settings.qmd.command == "/base/qmd"
    openai = settings.providers["openai"].api_key
    assert openai is not None
    assert openai.reveal() == "k"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$A", "$A"),
        ("${}", "${}"),
        ("${A", "${A"),
        ("${A-B}", "${A-B}"),
        ("${1A}", "${1A}"),
        ("100 $", "100 $"),
        ("${A}${A}", "vv"),
    ],
)
def test_what_is_a_reference_and_what_is_not(tmp_path: Path, text: str, expected: str) -> None:
    assert load(tmp_path, search({"model": text}), A="v").model == expected


def test_a_value_is_not_replaced_twice(tmp_path: Path) -> None:
    assert load(tmp_path, search({"model": "${A}"}), A="${B}", B="no").model == "${B}"


@pytest.mark.parametrize("variables", [{}, {"NOPE": ""}, {"NOPE": " "}])
def test_a_missing_variable_is_an_error(tmp_path: Path, variables: dict[str, str]) -> None:
    """An empty one counts as missing: that is how unset secrets look in many places."""
    content = search({"remote": {"headers": {"X": "${NOPE}"}}, "extraPaths": ["a"]})
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content, **variables)
    assert str(caught.value) == (
        f"{tmp_path / 'memdown.json5'}: agents.defaults.memorySearch.remote.headers.X needs the "
        "environment variable NOPE, which is not set; set it, or write $${NOPE} if the text is "
        "meant literally."
    )


def test_a_missing_variable_in_a_list_names_the_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"extraPaths\[1\] needs the environment variable X1"):
        load(tmp_path, search({"extraPaths": ["a", "${X1}"]}))


def test_variables_elsewhere_are_not_our_business(tmp_path: Path) -> None:
    content = """{
      gateway: { token: "${NOPE}" },
      agents: { defaults: { model: "${NOPE}", compaction: { customInstructions: "${NOPE}" } } },
      memory: { isolation: "${NOPE}" },
      models: { providers: { anthropic: { apiKey: "${NOPE}" } } },
      plugins: { entries: "${NOPE}" },
    }"""
    assert load(tmp_path, content).notes == ()


def test_the_key_of_a_provider_that_nobody_asked_for_may_be_missing(tmp_path: Path) -> None:
    """Such a file was made for another program's environment; the bundled model can still serve."""
    providers = "models: {providers: {google: {apiKey: '${NOPE}'}, voyage: {apiKey: 'v'}}}"
    settings = load(tmp_path, f"{{{providers}}}")
    assert settings.providers.keys() == {"voyage"}
    assert "models.providers.google is left out" in settings.notes[0]
    assert "NOPE" in settings.notes[0]
    for key in ("provider", "fallback"):
        asked = f"agents: {{defaults: {{memorySearch: {{{key}: 'gemini'}}}}}}"
        with pytest.raises(ConfigError, match=r"providers\.google\.apiKey needs .* NOPE"):
            load(tmp_path, f"{{{asked}, {providers}}}")


def test_a_secret_reference_of_openclaw(tmp_path: Path) -> None:
    reference = {"source": "env", "provider": "default", "id": "MY_KEY"}
    settings = load(tmp_path, search({"remote": {"apiKey": reference}}), MY_KEY="k")
    assert settings.remote.api_key is not None
    assert settings.remote.api_key.reveal() == "k"
    with pytest.raises(ConfigError, match=r"remote\.apiKey needs the environment variable MY_KEY"):
        load(tmp_path, search({"remote": {"apiKey": reference}}))
    with pytest.raises(ConfigError, match=r"remote\.apiKey is an object but must be text"):
        load(tmp_path, search({"remote": {"apiKey": {**reference, "source": "exec"}}}))


def test_a_whole_section_is_no_secret_reference(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"memorySearch\.source is not a key"):
        load(tmp_path, search({"source": "env", "id": "A"}), A="v")
    with pytest.raises(ConfigError, match=r"memorySearch\.query must be an object"):
        load(tmp_path, search({"query": {"source": "env", "id": "A"}}), A="v")


@pytest.mark.parametrize("value", ["a\0b", "a\udcffb"])
def test_a_value_that_is_no_text(tmp_path: Path, value: str) -> None:
    """Bytes of an environment variable that are not UTF-8 arrive as lone surrogates."""
    with pytest.raises(ConfigError, match=r"model holds a NUL or another character"):
        load(tmp_path, search({"model": "${V}"}), V=value)


def test_a_nul_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"extraPaths\[0\] holds a NUL"):
        load(tmp_path, r"{agents: {defaults: {memorySearch: {extraPaths: ['a\x00b']}}}}")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0$")))
def test_text_without_a_dollar_stays_as_it_is(text: str) -> None:
    assert substitute(text, {}, "here") == text


@given(st.text(st.sampled_from("${}AB "), max_size=30))
def test_every_text_gives_a_value_or_a_clear_error(text: str) -> None:
    result: object = ""
    with contextlib.suppress(MissingVariable):
        result = substitute(text, {"A": "x"}, "here")
    assert isinstance(result, str)
