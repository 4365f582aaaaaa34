"""The file of the bundled embedder's words says what the tokenizer's own file and the weights say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memdown.embedders import bundled, word_pieces
from memdown.embedders.word_pieces import WordPieces

VOCABULARY = {"<unk>": 0, "▁the": 3, "▁tea": 4, "t": 5, "語": 6, "▁": 7, "\udcff": 8}
WORDS = ["▁tea", "▁the"]
VECTORS = np.array([[1, 2, 3], [-4, 5, -6]], np.int8)


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "tokenizer", tmp_path / "weights"]
    for file in files:
        file.write_bytes(b"something")
    return files


def kept(folder: Path, sources: list[Path]) -> WordPieces:
    word_pieces.save(folder, sources, word_pieces.make(VOCABULARY, WORDS, VECTORS))
    found = word_pieces.load(folder, sources)
    assert found is not None
    return found


@pytest.mark.parametrize("looks", [0, 3_000])
def test_pieces_are_found_in_the_file(tmp_path: Path, sources: list[Path], looks: int) -> None:
    pieces = kept(tmp_path / "models", sources)
    for _ in range(looks):
        assert "nothing" not in pieces
    assert dict(pieces) == VOCABULARY
    assert {piece: pieces[piece] for piece in VOCABULARY} == VOCABULARY
    assert pieces.get("▁t") is None
    assert pieces.get("zzz") is None
    assert [pieces.row(word) for word in (*WORDS, "t", "no")] == [0, 1, None, None]
    assert [pieces.at_row(row) for row in (0, 1)] == WORDS
    assert pieces.vectors.tolist() == VECTORS.tolist()


def test_the_file_is_private_and_alone(tmp_path: Path, sources: list[Path]) -> None:
    kept(tmp_path / "models", sources)
    (file,) = (tmp_path / "models").iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_a_file_of_other_sources_or_a_damaged_one_is_not_used(
    tmp_path: Path, sources: list[Path]
) -> None:
    kept(tmp_path / "models", sources)
    (file,) = (tmp_path / "models").iterdir()
    whole = file.read_bytes()
    for data in (whole[:-1], whole + b"x", b"", b"{}\n", b"\xff" * 100):
        file.write_bytes(data)
        assert word_pieces.load(tmp_path / "models", sources) is None
    file.write_bytes(whole)
    assert word_pieces.load(tmp_path / "models", sources) is not None
    sources[0].write_bytes(b"something else")
    assert word_pieces.load(tmp_path / "models", sources) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, sources: list[Path]) -> None:
    (tmp_path / "file").write_text("not a folder")
    made = word_pieces.make(VOCABULARY, WORDS, VECTORS)
    word_pieces.save(tmp_path / "file" / "models", sources, made)
    assert word_pieces.opened(made)["▁the"] == 3


def test_the_bundled_words_are_the_tokenizers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutter = bundled.Cutter(bundled._package_file(bundled._TOKENIZER))
    for _ in range(2):
        # Made and written the first time, read the second.
        monkeypatch.setattr(bundled, "_pieces", None)
        pieces = bundled._pieces_of(tmp_path)
        assert dict(pieces) == dict(cutter._vocabulary)
        embedder = bundled.BundledEmbedder(tmp_path)
        assert [near.word for near in embedder.synonyms("doctor")][:1] == ["medical"]
        assert embedder.has_word("doctor")
        assert not embedder.has_word("xqzt")
    assert len(list(tmp_path.iterdir())) == 1
