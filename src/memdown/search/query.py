"""The question as a search understands it: terms, a vector, a time that it names, how it is to be answered."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import islice

from memdown.errors import EmbedderError, QueryError
from memdown.index.reader import Sought, Unit, word
from memdown.index.store import Snapshot
from memdown.search import identifiers
from memdown.search.currency import ArrivalSource
from memdown.search.features import cues_of
from memdown.text import (
    Alternative,
    QueryTerms,
    index_terms,
    query_terms,
    without_stop_words,
)
from memdown.text.cues import INTRODUCES
from memdown.text.dates import NamedTime, asks_for_notes_only, find_time
from memdown.text.synonyms import as_terms, meanings
from memdown.tuning import TUNING
from memdown.types import (
    Embedder,
    NearWord,
    Reranker,
    Source,
    SynonymKnowing,
    Vector,
    knows_synonyms,
)
from memdown.values import dataclass, pattern

_SURENESS, _TIME, _WORDS = TUNING.sureness, TUNING.time, TUNING.words

SNIPPET_CHARS = 700
# Some 350 words: of more, neither leg would gain, and each takes its time.
_MOST_QUERY_CHARS = 2_000
# Of words that mean about the same, those that begin alike are found by stem or prefix anyway. No more than
# so many words of a question, and so many for each.
_SAME_START, _MOST_SYNONYMS, _SYNONYMS_A_WORD = 4, 24, 3
# The same few words are asked for again and again.
_CACHED_WORDS = 1_024
# Where several numbers and codes stand beside one another, so many of the best passages tell it.
_LOOKED_INTO = 60
_WORD = pattern(r"[^\W\d_]{3,}")
_NO_TERMS = QueryTerms((), (), (), frozenset())


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search is done; the defaults are the documented ones."""

    max_results: int = 6
    min_score: float = _SURENESS.strong
    # Nothing below the minimum score is shown; otherwise what is below it is marked as weak.
    strict: bool = False
    sources: tuple[Source, ...] = ("memory",)
    hybrid: bool = True
    vector_weight: float | None = None
    text_weight: float | None = None
    candidate_multiplier: int = 4
    mmr_lambda: float | None = None
    half_life_days: float | None = 30.0
    most_decay: float = _TIME.most_decay
    snippet_chars: int = SNIPPET_CHARS
    # What held on this day instead of today; and whether what was is shown in its place.
    as_of: datetime.date | None = None
    history: bool = False
    # Whether the best of what is below the bar is told though something is above it.
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the two legs understand it; `failure` is why the embedder gave no vector."""

    text: str
    terms: QueryTerms
    vector: Vector | None
    failure: EmbedderError | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One search: what is asked, how, on which day, and with whose help.

    `files` are the numbers of the files that may be found, all if None; `timely` those of the time
    that is named, by source, and `time_words` the words that name it, if they are not looked for. `arrivals` is
    when undated facts came.
    """

    query: Query
    options: SearchOptions
    today: datetime.date
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    named: NamedTime | None = None
    absent: tuple[str, ...] = ()
    respelled: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[int] | None = None
    timely: Mapping[Source, frozenset[int]] = field(default_factory=dict)
    time_words: tuple[str, ...] = ()
    arrivals: ArrivalSource | None = None


def clean(text: str) -> str:
    """The query without what no index can hold: lone surrogates, NULs, endless length."""
    text = text[:_MOST_QUERY_CHARS].encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.replace("\0", " ").split())


def prepare(text: str, embedder: Embedder | None, reasons: list[str]) -> Query:
    """Split the question into terms and embed it; without a vector, keywords must do."""
    cleaned = clean(text)
    if not cleaned:
        raise QueryError("The query is empty: ask for something, such as a name or a question.")
    terms = query_terms(cleaned)
    near = _near_words(cleaned, terms, embedder) if knows_synonyms(embedder) else ()
    if alternatives := _alternatives(cleaned, terms, near):
        terms = replace(terms, alternatives=alternatives)
    if embedder is None:
        return Query(cleaned, terms, None)
    try:
        vector = embedder.embed_query(cleaned)
    except EmbedderError as error:
        reasons.append(f"keywords only: {error}")
        return Query(cleaned, terms, None, error)
    if not vector.any():
        reasons.append("keywords only: the query has no meaning to the embedder")
        return Query(cleaned, terms, None)
    return Query(cleaned, terms, vector)


def _alternatives(
    text: str, terms: QueryTerms, near: Sequence[Alternative]
) -> tuple[Alternative, ...]:
    """Other words for those of the question: what the thesaurus has counts, else what is `near`."""
    listed = [
        Alternative(one.term, same, _WORDS.thesaurus)
        for one in meanings(text, terms.words)
        if one.term not in terms.exact
        for same in as_terms(one.same, one.term)
    ]
    known = {(one.word, one.terms) for one in listed}
    return (*listed, *(one for one in near if (one.word, one.terms) not in known))


def _near_words(text: str, terms: QueryTerms, embedder: SynonymKnowing) -> list[Alternative]:
    """Terms that mean about the same as words of the question to an embedder: movie for film."""
    found: list[Alternative] = []
    for written in dict.fromkeys(_WORD.findall(text.lower())[:_MOST_SYNONYMS]):
        term = "".join(index_terms(written)[:1])
        if term in terms.words and term not in terms.exact:
            found += _alike(term, tuple(embedder.synonyms(written)))
    return found


@lru_cache(maxsize=_CACHED_WORDS)
def _alike(term: str, others: Sequence[NearWord]) -> tuple[Alternative, ...]:
    """The nearest of some words in the place of a term, without those that begin like it."""
    near: dict[str, float] = {}
    for other, similarity in others:
        meant = index_terms(other)
        if len(meant) == 1 and meant[0][:_SAME_START] != term[:_SAME_START]:
            near.setdefault(meant[0], similarity)
    return tuple(
        Alternative(term, (meant,), _WORDS.near_in_meaning * similarity)
        for meant, similarity in islice(near.items(), _SYNONYMS_A_WORD)
    )


def timed(asked: Asked, snapshot: Snapshot) -> Asked:
    """With the time that the query names, if there are notes of it.

    Then not its words are looked for, but its notes; an exact date is looked for as well.
    """
    query = asked.query
    named = find_time(query.text, asked.today)
    if named is None:
        return asked
    of_then = [
        (number, source)
        for number, source in snapshot.dated(named.first, named.last).items()
        if source in asked.options.sources and (asked.files is None or number in asked.files)
    ]
    timely = {
        source: frozenset(number for number, of in of_then if of == source)
        for source in {source for _, source in of_then}
    }
    if not timely and not named.relative:
        return asked
    time_words = query_terms(query.text[named.start : named.end])
    rest = f"{query.text[: named.start]} {query.text[named.end :]}"
    # One word alone is looked for as well: "today" may stand in a note.
    if time_words.exact or not time_words.words or not (rest.strip() or " " in query.text):
        return replace(asked, named=named, timely=timely)
    terms = _NO_TERMS if asks_for_notes_only(rest) else query_terms(rest)
    return replace(
        asked,
        query=replace(query, terms=terms),
        named=named,
        timely=timely,
        # The day of a month alone stands everywhere.
        time_words=tuple(
            word for word in without_stop_words(time_words.words) if not word.isdecimal()
        ),
    )


def units_of(query: Query) -> list[Unit]:
    """What the steps of a search look up one after the other, so that the first of them can fetch all of it."""
    terms = query.terms
    return [
        *map(word, terms.words),
        *(word(term) for one in terms.alternatives for term in one.terms),
        word(INTRODUCES),
        *cues_of(query.text).units(),
    ]


def settle(asked: Asked, snapshot: Snapshot) -> Asked:
    """The question as it can be asked of these notes: identifiers are looked for as they are written."""
    query = asked.query
    if not query.terms.identifiers:
        return asked
    sources, files = asked.options.sources, asked.files
    # Whether there are any is all that counts: of each some come, however few are asked for.
    wanted = Sought(
        identifiers.looked_for(query.terms), sources=sources, files=files, passages=_LOOKED_INTO
    )
    reader = snapshot.reader(wanted)
    # Of what a note holds whole, the parts are not asked for.
    reader.fetch([word(one) for each in query.terms.identifiers for one in each.spellings])
    look = identifiers.SearchScope(reader, sources, files)
    terms, absent = identifiers.settle(query.terms, look)
    return replace(asked, query=replace(query, terms=terms), absent=absent)


def terms_of(asked: Asked) -> QueryTerms:
    """The words that are looked for: none where only meaning counts."""
    query = asked.query
    return query.terms if asked.options.hybrid or query.vector is None else _NO_TERMS


def is_absent(asked: Asked) -> bool:
    """Whether all that is asked for are identifiers that no note holds."""
    return bool(asked.absent) and not asked.query.terms.words and asked.named is None


def is_of_no_note(asked: Asked) -> bool:
    """Whether nothing but a time is asked for, such as "yesterday", of which there is no note."""
    return asked.named is not None and not asked.timely and not asked.query.terms.words
