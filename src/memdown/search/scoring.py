"""Features → order: one score a passage, and how sure we are that the notes answer at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from memdown.index.bm25 import Floats, places_of
from memdown.index.passage_vectors import passage_texts
from memdown.index.reader import Mask, Quantised, Reader, Rows, word
from memdown.index.similarity import cosines
from memdown.search import candidates, features
from memdown.search.candidates import Candidates, products
from memdown.search.features import Features, Nearness, reach_of
from memdown.search.rank import Columns, Ranking, Signs, Weights, confidence
from memdown.text import QueryTerms, index_terms, is_gram
from memdown.text.cues import names_in
from memdown.text.terms import ordered_terms
from memdown.tuning import TUNING, Tuning
from memdown.types import Vector, Vectors
from memdown.values import dataclass

_MEANING, _SURENESS, _TIME, _WORDS = TUNING.meaning, TUNING.sureness, TUNING.time, TUNING.words

_MOST_TIMELY = 400
_ROWS_AT_ONCE = 128


Embed = Callable[[Sequence[str]], Vectors]
_few_vectors: WeakKeyDictionary[Reader, Vectors] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which passages may be found, and which are of the time that a question names.

    `files` bool (F,) or None for all; `timely` bool (F,) or None if no time is named; `time_words` are words
    that name that time.
    """

    files: Mask | None
    timely: Mask | None = None
    time_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best passages, best first, and how sure we are that the notes answer.

    From the similarity `near` on, a text resembles the question whatever its words; `nearest` is the
    similarity of the nearest where there are few notes, else None. `candidates` is how many were scored.
    """

    best: Ranking
    sure: float
    near: float
    nearest: float | None
    weights: Weights
    candidates: int


def rank(
    question: str,
    terms: QueryTerms,
    vector: Vector | None,
    reader: Reader,
    scope: Scope,
    text_weight: float,
    tuning: Tuning,
    embed: Embed | None = None,
) -> Ranked:
    """Score the candidates of a question; `embed` compares the passages of few notes, where it is free."""
    extra = None if scope.timely is None else _beginnings(reader, scope.timely)
    found = candidates.find(terms, vector, reader, scope.files, tuning, extra)
    words = _word_count(terms)
    if scope.timely is not None:
        found = _with_time(found, reader, scope, words, only_time=not terms.words)
    weights = _weights(found, text_weight)
    if embed is not None and vector is not None and 0 < found.chunks <= tuning.meaning.few_chunks:
        found = _compared(found, vector, reader, embed)
    made = features.measure(question, found, reader, tuning)
    if embed is not None and vector is not None and found.passage_similarity is None:
        first = np.argsort(-_scores(made, weights, tuning, few=False), kind="stable")
        found = _compared_first(found, first[: tuning.compared], vector, reader, embed)
        made = features.measure(question, found, reader, tuning)
    few = 0 < found.chunks <= tuning.meaning.few_chunks and found.passage_similarity is not None
    scores = _scores(made, weights, tuning, few=few)
    if not few and weights.vector:
        scores = scores + np.float32(weights.vector / tuning.vector_share) * feedback(
            scores, found, reader, tuning
        )
    if scope.timely is not None and not terms.words:
        scores = np.where(found.own_text > 0, scores, 0)
    nearest = found.passage_similarity if few else None
    order = _best_first(scores, tuning.ranked)
    scores = _with_nearness(scores, order, found, made, reader, weights, tuning)
    order = _again(order, scores)
    if made.of_speakers and made.at_length.any():
        scores = shorter_first(scores, order, reader.passage_length[found.rows], tuning)
        order = _again(order, scores)
    return Ranked(
        _scored(order, scores, found, made, reader, few=few),
        confidence(
            _signs(
                found,
                made,
                few=few,
                dated=scope.timely is not None,
                strangers=_strangers(question, found, reader),
            ),
            weights,
        ),
        _near(found, few=few),
        None if nearest is None or not len(nearest) else float(nearest.max()),
        weights,
        len(found.rows),
    )


def _best_first(scores: Floats, count: int) -> NDArray[np.int64]:
    """The places of the best scores, best first; of equal ones the first."""
    worse = -scores.round(6)
    if len(worse) <= count:
        return worse.argsort(kind="stable")
    # Most are far from the best, and need no order.
    ordered = worse.copy()
    ordered.partition(count - 1)
    few = (worse <= ordered[count - 1]).nonzero()[0]
    best: NDArray[np.int64] = few[worse[few].argsort(kind="stable")][:count]
    return best


def _again(order: NDArray[np.int64], scores: Floats) -> NDArray[np.int64]:
    """Places in the order of scores that have changed; of equal ones the order stays."""
    return order[(-scores[order].round(6)).argsort(kind="stable")]


def _compared(found: Candidates, vector: Vector, reader: Reader, embed: Embed) -> Candidates:
    """With the similarities of the passages themselves, by their whole vectors."""
    if found.chunk_similarity is None or not len(found.rows):
        return found
    known = _few_vectors.get(reader)
    if known is None:
        stored = reader.chunks(np.unique(reader.passage_chunk[reader.alive]).tolist())
        texts = [text for row in sorted(stored) for text in passage_texts(stored[row].chunk)]
        known = _few_vectors[reader] = embed(texts)
    alive = np.flatnonzero(reader.alive)
    order = alive[np.argsort(reader.passage_chunk[alive], kind="stable")]
    place = np.zeros(len(reader.passage_chunk), np.int64)
    place[order] = np.arange(len(order))
    similar = cosines(known[place[found.rows]], vector).astype(np.float32)
    background = average(float(similar.mean()), len(similar))
    return found._replace(passage_similarity=similar, passage_background=background)


def _compared_first(
    found: Candidates, first: NDArray[np.int64], vector: Vector, reader: Reader, embed: Embed
) -> Candidates:
    """With the similarities of the first passages themselves, for an index that holds none of passages."""
    if found.chunk_similarity is None or not len(first):
        return found
    rows = found.rows[first]
    chunks = reader.passage_chunk[rows]
    stored = reader.chunks(np.unique(chunks).tolist())
    texts = []
    for row, chunk in zip(rows.tolist(), chunks.tolist(), strict=True):
        passage = row - int(reader.chunk_first[chunk])
        texts.append(passage_texts(stored[chunk].chunk, only=passage)[0])
    similar = found.chunk_similarity.copy()
    similar[first] = cosines(embed(texts), vector)
    return found._replace(passage_similarity=similar, passage_background=found.chunk_background)


def _word_count(terms: QueryTerms) -> float:
    grams = sum(map(is_gram, terms.words))
    return len(terms.words) - grams + grams / _WORDS.pieces_a_word


def _weights(found: Candidates, text: float) -> Weights:
    """The legs' weights; a leg that found nothing leaves all to the other."""
    if found.chunk_similarity is None:
        return Weights(vector=0.0, text=1.0)
    if not found.own_text.any():
        return Weights(vector=1.0, text=0.0)
    return Weights(vector=1.0 - text, text=text)


def _scores(made: Features, weights: Weights, tuning: Tuning, *, few: bool) -> Floats:
    by_text = tuning.text * made.text
    by_text += tuning.beside * made.beside
    by_text += tuning.two_away * made.two_away
    by_text += tuning.file * made.file
    by_text += tuning.chunk * made.chunk
    by_text += tuning.coverage * made.coverage
    by_text += tuning.idf_coverage * made.idf_coverage
    by_text += tuning.once * made.once
    if made.of_speakers:
        by_text += tuning.speaker * made.speaker
    by_text += tuning.kind * made.kind
    by_text += tuning.asks * made.asks
    if made.of_speakers:
        by_text += tuning.answers * made.answers
        by_text += tuning.at_length * made.at_length
        by_text += tuning.own * made.own
    if few:
        by_vector = np.float32(tuning.vector_share) * made.passage_similarity
    else:
        by_vector = (
            tuning.passage_similarity * made.passage_similarity
            + tuning.chunk_similarity * made.chunk_similarity
        )
    scores: Floats = by_text * np.float32(
        weights.text / tuning.text_share
    ) + by_vector * np.float32(weights.vector / tuning.vector_share)
    return scores


def feedback(scores: Floats, found: Candidates, reader: Reader, tuning: Tuning) -> Floats:
    """What it adds to a score to be like the best candidates in meaning: what answers is often said in
    several places, and not always in the words of the question."""
    none = np.zeros(len(scores), np.float32)
    if found.passage_vectors is None or len(scores) <= tuning.believed:
        return none
    first = (-scores).argpartition(tuning.believed)[: tuning.believed]
    trust = np.maximum(
        scores[first] - np.float32(tuning.meaning.believed_from) * scores[first].max(), 0
    )
    total = float(trust.sum())
    if total <= 0 or reader.passage_mean is None:
        return none
    trust /= np.float32(total)
    alike = _alike(found.passage_vectors, reader.passage_mean, first, trust)
    result: Floats = np.float32(tuning.alike) * alike
    if reader.chunk_vectors is not None:
        begins, places = found.chunk_runs
        own = found.chunk.take(begins)
        numbers, scale = reader.chunk_vectors
        vectors = Quantised(numbers.take(own, axis=0), scale.take(own))
        alike = _alike(vectors, _mean(vectors), places.take(first), trust)
        alike *= np.float32(tuning.chunk_alike)
        result += alike.take(places)
    return result


def _mean(vectors: Quantised) -> Vector:
    """The mean of some vectors, float32 (D,); a few rows at a time, as to fetch memory for all of them as floats
    costs more than to add them up."""
    total = np.zeros(vectors.numbers.shape[1], np.float32)
    for start in range(0, len(vectors.scale), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        total += vectors.scale[rows] @ vectors.numbers[rows].astype(np.float32)
    return total / np.float32(len(vectors.scale))


def _with_nearness(
    scores: Floats,
    order: NDArray[np.int64],
    found: Candidates,
    made: Features,
    reader: Reader,
    weights: Weights,
    tuning: Tuning,
) -> Floats:
    """The scores, with those of the first candidates in the order that they have if it counts how near to each
    other the question's words stand. In a long paragraph they may stand anywhere.

    Text is read only of those that may come first by it, which are shown anyway.
    """
    first = order[: tuning.contenders]
    gain = tuning.together * weights.text / tuning.text_share
    if len(first) < 2 or not gain:
        return scores
    most = scores[first] + np.float32(gain) * scores[first[0]] * made.idf_coverage[first]
    long = reader.passage_length[found.rows[first]] > tuning.words.long_passage * reach_of(
        found.looked
    )
    first = first[long & (most >= scores[first[0]])]
    if len(first) < 2:
        return scores
    nearness = Nearness(found.looked, tuning)
    texts = reader.texts(found.rows[first].tolist())
    near = np.array([nearness.of(ordered_terms(text)) for text in texts], np.float32)
    together = scores[first] + np.float32(gain) * scores[order[0]] * near
    better = (-together.round(6)).argsort(kind="stable")
    changed = scores.copy()
    changed[first[better]] = scores[first]
    return changed


def shorter_first(
    scores: Floats, order: NDArray[np.int64], lengths: Rows, tuning: Tuning
) -> Floats:
    """The scores, where behind the first messages short ones come before long ones that fit hardly better: who
    reads on pays by the character."""
    rest = order[tuning.unshortened :]
    if len(rest) < 2:
        return scores
    size = lengths[rest] / max(1.0, float(lengths[rest].mean()))
    worth = scores[rest] * (size + tuning.shortest) ** -tuning.brevity
    changed = scores.copy()
    changed[rest[(-worth.round(6)).argsort(kind="stable")]] = scores[rest]
    return changed


def _alike(vectors: Quantised, mean: Vector, first: NDArray[np.int64], trust: Floats) -> Floats:
    """How much n vectors point from the mean to where the first of them do, float32 (n,)."""
    believed = vectors.numbers[first].astype(np.float32)
    toward: Vector = ((trust * vectors.scale[first]) @ believed - mean).astype(np.float32)
    found: Floats = products(vectors, toward) - np.float32(mean @ toward)
    return found


def _scored(
    order: NDArray[np.int64],
    scores: Floats,
    found: Candidates,
    made: Features,
    reader: Reader,
    *,
    few: bool,
) -> Ranking:
    rows, chunks = found.rows.take(order), found.chunk.take(order)
    keys = reader.chunk_key.take(chunks)
    best = float(scores[order[0]]) if len(order) else 0.0
    similar = found.passage_similarity if few else found.chunk_similarity
    nearer = np.maximum(made.passage_similarity[order], made.chunk_similarity[order])
    return Ranking(
        Columns(
            key=keys + rows - reader.chunk_first.take(chunks),
            chunk_key=keys,
            text=(found.own_text[order] / (found.reachable or 1.0)).clip(0, 1),
            vector=np.zeros(len(rows)) if similar is None else similar[order].astype(np.float64),
            by_text=made.text[order],
            by_vector=nearer.clip(0, 1),
            share=(scores[order] / (best or 1.0)).clip(0, 1),
            rank=np.arange(1, len(rows) + 1),
        )
    )


def _strangers(question: str, found: Candidates, reader: Reader) -> bool:
    """Whether a question names someone or something that stands nowhere in the notes."""
    unknown = {
        one.unit.terms[0]
        for one in found.looked
        if one.is_word and not reader.frequency_of(one.unit, one.posting)
    }
    # Most questions have only words that the notes hold as well.
    return bool(unknown) and any(
        term in unknown for name in names_in(question) for term in index_terms(name)
    )


def _signs(found: Candidates, made: Features, *, few: bool, dated: bool, strangers: bool) -> Signs:
    """What tells whether the notes answer at all."""
    words = [one for one in found.looked if one.is_word]
    total = sum(one.idf for one in words) or 1.0
    missing = sum(
        one.idf for one in words if not len(one.posting.rows) and is_gram(one.unit.terms[0])
    )
    known = 1.0 - _SURENESS.missed_pieces * missing / total
    best = float(found.own_text.max(initial=0.0))
    return Signs(
        words=found.reachable > 0,
        covered=float(made.coverage.max(initial=0.0)),
        idf_coverage=float(made.idf_coverage.max(initial=0.0)) / known,
        text=best / (found.reachable or 1.0) / known,
        near=_ahead(found, few=few),
        passages=len(found.rows),
        strangers=strangers,
        dated=dated,
    )


def _ahead(found: Candidates, *, few: bool) -> float:
    """How much nearer than an average text the nearest is."""
    similar = found.passage_similarity if few else found.chunk_similarity
    if similar is None or not len(similar):
        return 0.0
    if few:
        return _lead(similar, average(float(similar.mean()), len(similar)))
    return float(similar.max()) - found.chunk_background


def average(similarity: float, count: int) -> float:
    """The similarity of an average text, as far as so many can tell."""
    if count > _MEANING.few_chunks:
        return similarity
    return (similarity * count + _MEANING.unrelated * _MEANING.unrelated_texts) / (
        count + _MEANING.unrelated_texts
    )


def _lead(similarity: Floats, background: float) -> float:
    """How far the nearest is ahead of an average text and of the next ones: all Chinese is alike."""
    ordered = np.sort(similarity)[::-1]
    others = ordered[1 : 1 + _MEANING.ahead_of]
    return float(ordered[0]) - max(background, float(others.mean()) if len(others) else background)


def _near(found: Candidates, *, few: bool) -> float:
    if few and found.passage_similarity is not None:
        similar = found.passage_similarity
        return average(float(similar.mean()), len(similar)) + _MEANING.near
    return found.chunk_background + _MEANING.near


def _beginnings(reader: Reader, timely: Mask) -> Rows:
    """The first passage of each file of the time that is named, whatever its words."""
    bounds = reader.file_bounds[np.flatnonzero(timely)[-_MOST_TIMELY:]]
    first: Rows = bounds[bounds[:, 1] > bounds[:, 0], 0]
    return first


def _with_time(
    found: Candidates, reader: Reader, scope: Scope, words: float, *, only_time: bool
) -> Candidates:
    """What was written in the time that is named counts as if it held one more word; what was not, but
    tells of that time, half a word more."""
    if scope.timely is None:
        return found
    then = scope.timely[reader.passage_file[found.near]]
    text = found.text.copy()
    if only_time:
        text[:] = 0
    reach = found.reachable
    gain = _TIME.timely_words * (reach / max(1.0, words) if reach > 0 else 1.0)
    worth = then & (text > 0)
    # They are candidates, whatever their words.
    worth[found.near.searchsorted(_beginnings(reader, scope.timely))] = True
    if found.chunk_similarity is not None:
        near = found.places[found.chunk_similarity > found.chunk_background]
        worth[near] |= then[near]
    for term in scope.time_words:
        places, _ = places_of(reader.posting(word(term)).rows, found.near)
        text[places[~then[places]]] += _TIME.naming_the_time * gain
    text += np.where(worth, np.float32(gain), np.float32(0))
    return found._replace(text=text, reachable=reach + gain)
