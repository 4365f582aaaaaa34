"""Reading the file: JSON5, and one clear sentence for every way it can be broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from config.config_case import load
from memdown.config import load_settings
from memdown.config.document import MAX_BYTES, read_document
from memdown.errors import ConfigError


def test_json5_is_read(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """
        // a comment
        {
          agents: { defaults: { memorySearch: {
            'query': { maxResults: +0x0A, minScore: .5, },  /* trailing comma */
            "model": 'line \\
continued',
          } } },
        }
        """,
    )
    assert settings.query.max_results == 10
    assert settings.query.min_score == 0.5
    assert settings.model == "line continued"


@pytest.mark.parametrize("content", ["", "  \n", "// all\n// commented out\n", "{}", "null"])
def test_a_file_that_says_nothing_gives_the_defaults(tmp_path: Path, content: str) -> None:
    assert load(tmp_path, content).query.max_results == 6


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    assert load(tmp_path, b"\xef\xbb\xbf{memory: {citations: 'on'}}").citations == "on"


def test_of_two_equal_keys_the_last_one_counts(tmp_path: Path) -> None:
    assert load(tmp_path, "{memory: {citations: 'on', citations: 'off'}}").citations == "off"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{\n  a: 1,\n  b: }", r'line 3, column 6: a value is expected here, not "}"'),
        ("{a: 1 b: 2}", r'line 1, column 7: a comma or "}" is expected here, not "b"'),
        ("{a: 1,\n{", r'line 2, column 1: a key is expected here, not "{"'),
        ("{a: 1", r"line 1, column 1: the object that starts here is not closed"),
        ("{a: [1", r"line 1, column 5: the array that starts here is not closed"),
        ("{a: 'x", r"line 1, column 5: the string that starts here is not closed"),
        ("/* x", r"line 1, column 2: the comment that starts here is not closed"),
        ("{a: 1,,}", r"line 1, column 7: a comma too many"),
        ("{a: 1}\n\n  x", r'line 3, column 3: "x" stands after the end of the object'),
        ("{a: 1}\n\0", r"line 2, column 1: U\+0000 stands after the end"),
        ("{a: undefined}", r'line 1, column 5: a value is expected here, not "u"'),
        ("{a: " + "9" * 5000 + "}", r"line 1, column 5: the number .* too large"),
        ("{ü: '日本',\n  é: @}", r'line 2, column 6: a value is expected here, not "@"'),
        ("{a:\r\n  }", r"line 2, column 3"),
        ("[" * 101 + "]" * 101, r"nested more than 100 deep; make the file flatter"),
        ("{a: " * 5000, r"nested more than 100 deep"),
    ],
)
def test_broken_json5_names_file_line_and_column(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load(tmp_path, content)
    assert str(caught.value).startswith(str(tmp_path / "memdown.json5"))


@pytest.mark.parametrize("content", ["[]", "5", '"x"', "true"])
def test_the_top_must_be_an_object(tmp_path: Path, content: str) -> None:
    with pytest.raises(ConfigError, match="must hold an object"):
        load(tmp_path, content)


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"not UTF-8 text \(line 2\); save it as UTF-8"):
        load(tmp_path, b"{\n a: '\xfc'}")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path, "{}".encode("utf-16"))


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is a folder; name the configuration file in it"):
        load_settings(config=tmp_path, environ={"HOME": str(tmp_path)}, cwd=tmp_path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match=r"cannot be read \(.+\); check the path"):
        read_document(loop)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_document(Path("a\0b"))
    (tmp_path / "file").write_text("{}")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_document(tmp_path / "file/below")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"larger than 10 MB; check that this is the right file"):
        load(tmp_path, b" " * (MAX_BYTES + 1))


def test_an_endless_file_is_too_large_as_well() -> None:
    with pytest.raises(ConfigError, match="larger than 10 MB"):
        read_document(Path("/dev/zero"))


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    """As in `--config <(generate)`."""
    reader, writer = os.pipe()
    os.write(writer, b"{memory: {citations: 'on'}}")
    os.close(writer)
    try:
        assert read_document(Path(f"/dev/fd/{reader}")) == {"memory": {"citations": "on"}}
    finally:
        os.close(reader)
