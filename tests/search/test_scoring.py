"""Passages scored in arrays: who is asked about, the whole of an index or a part, few and many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memdown.embedders.bundled import BundledEmbedder
from memdown.index.reader import IndexedChunks, Reader, read_in_memory
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.search import candidates, features, scoring
from memdown.text import index_terms, query_terms
from memdown.tuning import TUNING, Tuning
from memdown.types import FileState

EMBEDDER = BundledEmbedder()
TALK = "# Talk\n\n" + "\n\n".join(
    f"{who}: {said}"
    for who, said in [
        ("Nora", "Do you like the garden in autumn?"),
        ("Ben", "I planted garlic and onions in the garden last week."),
        ("Nora", "I planted tulips in the garden, forty of them, and I am tired."),
        ("Ben", "Forty tulips in the garden, that is a lot."),
        ("Nora", "The car is at the garage until Friday."),
        ("Ben", "Then take my bicycle."),
    ]
)


def reader_of(notes: dict[str, str]) -> Reader:
    files = []
    for path, text in notes.items():
        state = FileState(path, "memory", len(text), 0)
        made = read_document(state, text)
        chunks = chunk_document(made, tokens=100, overlap=10, model="m", headings=made.headings)
        vectors = EMBEDDER.embed_batch([chunk.text for chunk in chunks])
        files.append(IndexedChunks(state, chunks, vectors))
    return read_in_memory(files, EMBEDDER.embed_batch)


def ranked(question: str, reader: Reader, tuning: Tuning = TUNING) -> list[int]:
    vector = EMBEDDER.embed_query(question)
    found = scoring.rank(
        question, query_terms(question), vector, reader, scoring.Scope(None), 0.7, tuning
    )
    return [one.key for one in found.best]


def text_at(reader: Reader, key: int) -> str:
    row = int(np.searchsorted(reader.chunk_key, key, side="right")) - 1
    stored = reader.chunks([row])[row]
    passage = stored.chunk.passages[key - stored.key]
    return stored.chunk.text[passage.start : passage.end]


def test_what_the_named_person_said_comes_first() -> None:
    reader = reader_of({"memory/talk.md": TALK, "memory/cars.md": "The garage has two cars."})
    first = text_at(reader, ranked("What did Nora plant in the garden?", reader)[0])
    assert "tulips" in first
    first = text_at(reader, ranked("What did Ben plant in the garden?", reader)[0])
    assert "garlic" in first


def test_up_to_two_passages_on_each_side_are_looked_at() -> None:
    plain = "\n\n".join(f"Line {n} is plain." for n in range(30))
    bees = "The bees are in the old tower."
    reader = reader_of({"memory/a.md": f"{bees}\n\n{plain}\n\n{bees}", "memory/b.md": bees})
    some = replace(TUNING, pool_all=1)
    found = candidates.find(query_terms("bees"), None, reader, None, some)
    assert found.rows.tolist() == [0, 31, 32]
    assert found.near.tolist() == [0, 1, 2, 29, 30, 31, 32]
    assert found.near[found.places].tolist() == found.rows.tolist()
    every = candidates.find(query_terms("bees"), None, reader, None, TUNING)
    assert every.near.tolist() == every.rows.tolist() == list(range(33))


def measured(question: str, reader: Reader) -> features.Features:
    vector = EMBEDDER.embed_query(question)
    found = candidates.find(query_terms(question), vector, reader, None, TUNING)
    return features.measure(question, found, reader, TUNING)


def test_it_is_told_who_answers_and_who_says_much() -> None:
    lines = [
        "Ben: It rained all night.",
        "Nora: Oh well.",
        "Ben: And after work?",
        "Nora: Mostly pottery.",
        "Ben: The bus was late, and then the tram did not come either, so we walked all the way.",
        "Nora: At the weekend it is hikes with Ida, a swim if the lake is warm, and a book at night.",
        "Ben: Was that all?",
    ]
    reader = reader_of({"memory/talk.md": "\n".join(lines)})
    found = measured("What are the hobbies of Nora?", reader)
    assert found.answers.tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert found.at_length.argmax() == 5
    assert found.at_length[[0, 2, 4, 6]].max() == 0
    nobody = measured("Which hobbies are there?", reader)
    assert not nobody.answers.any()
    assert not nobody.at_length.any()


def test_what_stands_behind_a_question_of_another_file_is_no_answer() -> None:
    said = [f"Nora: The weather is fine on day {day}." for day in range(4)]
    asked = "\n".join([*said, "Ben: And then?"])
    reader = reader_of({"memory/a.md": asked, "memory/b.md": "\n".join(said)})
    assert not measured("What does Nora like?", reader).answers.any()


def test_a_pool_of_the_best_gives_the_same_first_results_as_all() -> None:
    notes = {
        f"memory/{n}.md": f"# Log {n}\n\nPump {n} ran for {n} hours near valve {n % 7}.\n\nAll is well."
        for n in range(200)
    }
    reader = reader_of(notes)
    small = replace(TUNING, pool_all=10, pool_text=150, pool_chunks=60)
    for question in ("How long did pump 17 run?", "valve 3 hours", "Is everything fine?"):
        assert ranked(question, reader, small)[:3] == ranked(question, reader)[:3]


def test_only_the_files_in_scope_are_found() -> None:
    reader = reader_of({"memory/a.md": "The boat is blue.", "memory/b.md": "The boat is red."})
    only = np.array([False, True])
    found = scoring.rank(
        "boat", query_terms("boat"), None, reader, scoring.Scope(only), 0.7, TUNING
    )
    assert [text_at(reader, one.key) for one in found.best] == ["The boat is red."]


def test_an_empty_index_has_no_candidates() -> None:
    reader = reader_of({})
    found = scoring.rank(
        "boat", query_terms("boat"), None, reader, scoring.Scope(None), 0.7, TUNING
    )
    assert not len(found.best)
    assert found.sure == 0.0


def test_a_word_counts_once_however_often_it_stands_there() -> None:
    notes = {
        "memory/often.md": "The lamp, the lamp, the lamp, the lamp and the lamp are in the cellar.",
        "memory/both.md": "The lamp needs a fuse, which is in the drawer of the old desk upstairs.",
        **{f"memory/{n}.md": f"Nothing is said here about number {n}." for n in range(100)},
    }
    reader = reader_of(notes)
    made = measured("fuse of the lamp", reader)
    by_path = {reader.files[file].path: row for row, file in enumerate(reader.passage_file)}
    often, both = by_path["memory/often.md"], by_path["memory/both.md"]
    assert made.once[both] == 1
    assert made.once[often] < made.text[often] / made.text[both]


def test_what_is_like_the_best_answers_gains() -> None:
    pets = {
        "memory/cat.md": "The cat sleeps on the sofa and purrs.",
        "memory/kitten.md": "A kitten purrs and naps on the couch.",
        "memory/tax.md": "The tax return is due at the end of July.",
        **{f"memory/{n}.md": f"Invoice {n} was paid by bank transfer." for n in range(20)},
    }
    reader = reader_of(pets)
    question = "where does the cat sleep"
    vector = EMBEDDER.embed_query(question)
    found = candidates.find(query_terms(question), vector, reader, None, TUNING)
    by_path = {reader.files[file].path: row for row, file in enumerate(reader.passage_file)}
    scores = np.zeros(len(found.rows), np.float32)
    scores[by_path["memory/cat.md"]] = 1
    gained = scoring.feedback(scores, found, reader, TUNING)
    assert gained[by_path["memory/kitten.md"]] > gained[by_path["memory/tax.md"]]
    assert not scoring.feedback(np.zeros_like(scores), found, reader, TUNING).any()


def test_without_vectors_of_passages_nothing_is_like_another() -> None:
    reader = reader_of({f"memory/{n}.md": f"Note {n} about garlic." for n in range(20)})
    found = candidates.find(query_terms("garlic"), None, reader, None, TUNING)
    scores = np.linspace(0, 1, len(found.rows), dtype=np.float32)
    assert not scoring.feedback(scores, found, reader, TUNING).any()


def test_words_that_stand_together_count_more_in_a_long_paragraph() -> None:
    tale = "so on and on it went " * 6
    apart = f"Bees. {tale}A tower, a tower. {tale}The harbour, the harbour."
    together = f"{tale}They keep bees in the tower of the harbour. {tale}"
    reader = reader_of({"memory/a.md": apart, "memory/b.md": together})
    found = candidates.find(query_terms("bees tower harbour"), None, reader, None, TUNING)
    nearness = features.Nearness(found.looked, TUNING)
    near, far = (nearness.of(index_terms(text)) for text in (together, apart))
    assert near > 1.5 * far
    assert nearness.of(index_terms("bees, tower, harbour")) > 0.9
    assert nearness.of([]) == 0
    question = "bees tower harbour"
    unread = ranked(question, reader, replace(TUNING, together=0.0))[0]
    first = ranked(question, reader)[0]
    assert text_at(reader, unread).startswith("Bees")
    assert "keep bees" in text_at(reader, first)


def test_a_number_among_pieces_counts_as_much_as_a_word() -> None:
    notes = {"memory/a.md": "第 49 届在那里举行。", "memory/b.md": "超级的比赛在那里举行。"}
    reader = reader_of(notes)
    found = measured("超级杯赛 49", reader)
    by_file = dict(zip((file.path for file in reader.files), found.coverage, strict=True))
    assert by_file["memory/a.md"] > by_file["memory/b.md"]


def test_behind_the_first_short_messages_come_before_long_ones_that_fit_alike() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.69, 0.1], np.float32)
    lengths = np.array([50, 50, 200, 10, 5], np.int32)
    order = np.argsort(-scores)
    tuning = replace(TUNING, unshortened=2)
    shortened = scoring.shorter_first(scores, order, lengths, tuning)
    assert np.argsort(-shortened).tolist() == [0, 1, 3, 2, 4]
    assert sorted(shortened) == sorted(scores)
    assert scoring.shorter_first(scores, order[:3], lengths, tuning) is scores


def test_it_is_told_who_speaks_of_themselves() -> None:
    lines = [
        "Nora: I went to the lake.",
        "Nora: You went to the lake.",
        "Ben: I went to the lake.",
        "Nora: Ida took my boat to the lake.",
        "Ben: You and Ida went to the lake.",
        "Ben: The lake is far.",
    ]
    reader = reader_of({"memory/talk.md": "\n".join(lines)})
    assert (measured("Where did Nora go?", reader).own > 0).tolist() == [1, 0, 0, 1, 0, 0]
    # Nobody is named, the user asks, or nothing tells the language.
    for question in ("Where is the lake?", "Where did Nora go with my boat?", "Nora lake"):
        assert not measured(question, reader).own.any()
