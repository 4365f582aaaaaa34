"""The bundled embedder: word by word it gives what the model's own tokenizer gives for a text."""

from __future__ import annotations

import re
import threading
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers

from memdown.embedders import bundled
from memdown.embedders.bundled import DIMS, LONERS, BundledEmbedder, Cutter, units
from memdown.errors import EmbedderError
from memdown.types import Vectors

SAMPLES = [
    "Which ROUTER do we use at home? (it's the ER-605, 192.168.0.1)",
    "Straße, façade, naïve — “quotes” … and ½ of it; 10 °C, №5",
    "Пароль от роутера лежит в ящике; Київ, Ґанок",
    "路由器的管理密码是什么？hello世界abc 你 好",
    "ルーターのパスワードは何ですか。カタカナABC",
    "라우터 비밀번호는 무엇입니까?",
    "รหัสผ่านเราเตอร์คืออะไร",
    "מה הסיסמה של הנתב؟ ما هي كلمة المرور",
    "हिन्दी में पासवर्ड क्या है",
    "👩‍👩‍👧 🎉🎉 e\u0301 \u200d \ufeff \x00 \x01\x02 \x7f",
    "<s>struck</s> a <s> b <unk>x <S> <0x0A> </s>",
    "▁under ▁▁ lines▁inside a▁▁b ▁",
    "aaaaaaaaaaaaaaaaaaa ==================== -----------",
    "self._words.numbers.__getitem__(found)[start:end]  # noqa: PTH118",
    "\t tabs\u3000and\u00a0odd\u2003spaces\r\n",
    "x" * 1500,
    "",
    "   ",
]
SCRIPTS = st.sampled_from(
    [
        *SAMPLES,
        "<s>",
        "</s>",
        "<unk>",
        "▁",
        " ",
        "  ",
        "\n",
        "İ",
        "ß",
        "a",
        "B",
        "🎉",
        "你",
        "ก",
        "가",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(SCRIPTS, max_size=4).map("".join),
    st.lists(st.one_of(SCRIPTS, st.text(max_size=8)), max_size=8).map(" ".join),
    st.text("aeıst▁<s>/unk ", max_size=40),
    st.text("你好吗abc. ", max_size=30),
)


@cache
def tokenizer() -> Tokenizer:
    """The model's own, kept from merging white space: that carries no meaning."""
    made = Tokenizer.from_file(str(bundled._package_file(bundled._TOKENIZER)))
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    return made


@cache
def weights() -> Vectors:
    pieces = bundled._Weights(bundled._package_file(bundled._WEIGHTS))
    return np.asarray(pieces._halves).view(np.float16).astype(np.float32)


@cache
def cutter() -> Cutter:
    return Cutter(bundled._package_file(bundled._TOKENIZER))


def expected_pieces(text: str) -> list[int]:
    plain = " ".join(text.lower().split())
    pieces: list[int] = tokenizer().encode(plain, add_special_tokens=False).ids
    return pieces


def expected_vector(text: str) -> Vectors:
    total = weights()[expected_pieces(text)].sum(axis=0, dtype=np.float64)
    length = np.linalg.norm(total)
    vector: Vectors = (total / length if length else total).astype(np.float32)
    return vector


@pytest.mark.parametrize("more_to_come", [False, True])
@pytest.mark.parametrize("text", SAMPLES)
def test_samples_have_the_pieces_of_the_tokenizer(text: str, more_to_come: bool) -> None:
    cut = cutter().cut(units(text), more_to_come=more_to_come)
    assert [piece for unit in cut for piece in unit] == expected_pieces(text)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.booleans())
def test_every_text_has_the_pieces_of_the_tokenizer(text: str, more_to_come: bool) -> None:
    cut = cutter().cut(units(text), more_to_come=more_to_come)
    assert [piece for unit in cut for piece in unit] == expected_pieces(text)


# Its files are read once for all texts.
EMBEDDER = BundledEmbedder()


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_vectors_are_the_sums_of_all_pieces(texts: list[str]) -> None:
    rows = EMBEDDER.embed_batch(texts)
    assert rows.shape == (len(texts), DIMS)
    for row, text in zip(rows, texts, strict=True):
        assert np.abs(row - expected_vector(text)).max() <= 1e-6


def test_no_piece_joins_a_loner_with_anything() -> None:
    """What makes it right to take each Chinese or Thai character as a unit."""
    loner = re.compile(f"[{LONERS}]")
    assert not [p for p in cutter()._vocabulary if len(p) > 1 and loner.search(p)]


def test_a_word_that_is_a_piece_is_cut_into_that_piece() -> None:
    """What makes it right to look a word up before cutting it: all pieces can be reached."""
    alone = [p for p, n in cutter()._vocabulary.items() if n >= 259 and "▁" not in p[1:]]
    words = [piece[1:] for piece in alone if piece[0] == "▁" and len(piece) > 1]
    assert len(words) > 10_000
    plain = [word for word in words if word == word.lower() and word.split() == [word]]
    for word in plain:
        assert expected_pieces(word) == [cutter()._vocabulary[f"▁{word}"]], word


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    rows = BundledEmbedder().embed_batch(["a lone \ud800 half", "x" * 1100 + "\udfff"])
    assert np.isfinite(rows).all()


def test_many_words_are_forgotten_and_learnt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "_MOST_WORDS", 40)
    monkeypatch.setattr(bundled, "_CHARACTERS_AT_ONCE", 100)
    embedder = BundledEmbedder()
    texts = [" ".join(f"word{n * 7 % 90} the" for n in range(k, k + 9)) for k in range(120)]
    for start in (0, 3, 11):
        rows = embedder.embed_batch(texts[start:])
        expected = np.stack([expected_vector(text) for text in texts[start:]])
        assert np.abs(rows - expected).max() <= 1e-6
        assert len(embedder._words.rows) == 40
    rows = embedder.embed_batch([" ".join(f"w{n}" for n in range(500))])
    assert np.abs(rows[0] - expected_vector(" ".join(f"w{n}" for n in range(500)))).max() <= 1e-6


def test_threads_that_learn_at_once_get_the_right_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "_MOST_WORDS", 50)
    embedder = BundledEmbedder()
    wrong: list[str] = []

    def work(number: int) -> None:
        for turn in range(60):
            text = " ".join(f"word{(number * turn + n) % 70}" for n in range(12))
            if np.abs(embedder.embed_query(text) - expected_vector(text)).max() > 1e-6:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_another_tokenizer_file_is_left_to_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file of another size the order of merges may be another one."""
    monkeypatch.setattr(bundled, "_KNOWN_SIZE", 1)
    other = Cutter(bundled._package_file(bundled._TOKENIZER))
    for text in SAMPLES:
        cut = other.cut(units(text), more_to_come=False)
        assert [piece for unit in cut for piece in unit] == expected_pieces(text)


def test_damaged_weights_are_a_clear_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("weights") / "w.safetensors"
    whole = bundled._package_file(bundled._WEIGHTS).read_bytes()
    for damaged in (b"", whole[:5], b"\xff" * 100, whole[: len(whole) // 2]):
        file.write_bytes(damaged)
        with pytest.raises(EmbedderError, match="reinstall"):
            bundled._Weights(file)


def test_a_search_loads_no_tokenizers() -> None:
    """It takes a third of a cold search to load."""
    embedder = BundledEmbedder()
    embedder.embed_query("which router do we use at home?")
    assert embedder._loaded is not None
    assert "_tokenizer" not in vars(embedder._loaded[0])
