"""Query → Answer: both legs, the ranking steps in order, and the reasons when little was found."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from memdown.errors import EmbedderError, QueryError
from memdown.index.reader import Reader, Sought, Unit
from memdown.index.store import Snapshot
from memdown.search import diversity, identifiers, scoring
from memdown.search import rank as ranking
from memdown.search import spelling as respelling
from memdown.search.candidates import file_mask
from memdown.search.currency import Seen, Times, order_by_currency
from memdown.search.rank import GENTLE_DECAY, Presentation, Scored, Texts
from memdown.search.snippets import beside, is_talk
from memdown.search.tuning import TUNING
from memdown.text import (
    Alternative,
    QueryTerms,
    distinct_terms,
    index_terms,
    is_asked,
    prefix_terms,
    query_terms,
    without_stop_words,
)
from memdown.text.dates import NamedTime, asks_for_notes_only, find_time
from memdown.types import (
    FILE_SPAN,
    Embedder,
    Explanation,
    Hit,
    Reranker,
    Source,
    SynonymKnowing,
    Vector,
    WordKnowing,
)

SNIPPET_CHARS = 700
# From this score on a result is strong.
STRONG = 0.35
# Some 350 words: of more, neither leg would gain, and each takes its time.
_MOST_QUERY_CHARS = 2_000
# What each leg gives for a `candidateMultiplier` of 1. The first results must not depend on how many
# are asked for, so the pool does not either, unless more are asked for than it has.
_POOL = 25
# Beside an embedder that was never measured. Of 60 questions that name an identifier among 400 notes, 0.3
# finds 20 to 31, 0.5 28 to 49 and 0.7 58 to 59; where no word is shared, meaning decides alone anyway.
_DEFAULT_TEXT_WEIGHT = 0.7
# What is left of a score if a word had to be spelled otherwise: it may have been meant as it was.
_GUESSED = 0.7
# Results are settled in steps of so many: what replaces what, and which talk only repeats a note.
_SETTLED = 12
# How many places a reranker may choose from, and how many that missed the bar are told.
_RERANKED = 50
_SHOWN_BELOW = 3
# Variety is chosen among so many of the best, however many are asked for.
_VARIED = 50
# A day that is asked about drops what did not hold then: so many are made, however few are asked for.
_BEFORE_DROPS = 60
# How many identifiers that no note holds are named.
_MOST_UNHELD = 3
# What scores less than this share of the best is left out.
_FAR = 0.25
# Where nothing is sure, a faint similarity will do, and so many lines around a fact are shown.
# The nearest is worth something then: a share of its similarity, but never enough to be strong.
_FAINT, _NOTHING, _CONTEXT_LINES = 0.1, 2.0, 3
_GUESSED_NEAR, _MOST_GUESSED = 0.5, 0.3
# Words that mean about the same count this share of their similarity; those that begin alike are found
# by stem or prefix anyway. No more than so many words of a question, and so many for each.
_SYNONYM, _SAME_START, _MOST_SYNONYMS, _SYNONYMS_A_WORD = 0.5, 4, 24, 3
_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_TERMS = QueryTerms((), (), (), frozenset())


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search is done; the defaults are the documented ones."""

    max_results: int = 6
    min_score: float = STRONG
    # Nothing below the minimum score is shown; otherwise what is below it is marked as weak.
    strict: bool = False
    sources: tuple[Source, ...] = ("memory",)
    hybrid: bool = True
    vector_weight: float | None = None
    text_weight: float | None = None
    candidate_multiplier: int = 4
    mmr_lambda: float | None = None
    half_life_days: float | None = 30.0
    most_decay: float = GENTLE_DECAY
    snippet_chars: int = SNIPPET_CHARS
    # What held on this day instead of today; and whether what was is shown in its place.
    as_of: datetime.date | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the two legs understand it; `failure` is why the embedder gave no vector."""

    text: str
    terms: QueryTerms
    vector: Vector | None
    failure: EmbedderError | None = None


def clean(text: str) -> str:
    """The query without what no index can hold: lone surrogates, NULs, endless length."""
    text = text[:_MOST_QUERY_CHARS].encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.replace("\0", " ").split())


def prepare(text: str, embedder: Embedder | None, reasons: list[str]) -> Query:
    """Split the question into terms and embed it; without a vector, keywords must do."""
    cleaned = clean(text)
    if not cleaned:
        raise QueryError("The query is empty: ask for something, such as a name or a question.")
    asked = Query(cleaned, query_terms(cleaned), None)
    if embedder is None:
        return asked
    if isinstance(embedder, SynonymKnowing):
        terms = replace(asked.terms, alternatives=_alternatives(cleaned, asked.terms, embedder))
        asked = replace(asked, terms=terms)
    try:
        vector = embedder.embed_query(cleaned)
    except EmbedderError as error:
        reasons.append(f"keywords only: {error}")
        return replace(asked, failure=error)
    if not np.any(vector):
        reasons.append("keywords only: the query has no meaning to the embedder")
        return asked
    return replace(asked, vector=vector)


def _alternatives(
    text: str, terms: QueryTerms, embedder: SynonymKnowing
) -> tuple[Alternative, ...]:
    """Terms that mean about the same as words of the question: movie for film."""
    found = []
    for word in dict.fromkeys(_WORD.findall(text.lower())[:_MOST_SYNONYMS]):
        term = "".join(index_terms(word)[:1])
        if term not in terms.words or term in terms.exact:
            continue
        near: dict[str, float] = {}
        for other, similarity in embedder.synonyms(word):
            meant = index_terms(other)
            if len(meant) == 1 and meant[0][:_SAME_START] != term[:_SAME_START]:
                near.setdefault(meant[0], similarity)
        found += [
            Alternative(term, (meant,), _SYNONYM * similarity)
            for meant, similarity in list(near.items())[:_SYNONYMS_A_WORD]
        ]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first, the reasons where something is missing, and how it all came about."""

    hits: list[Hit]
    reasons: list[str]
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Asked:
    """One search: what is asked, how, on which day, and with whose help.

    `files` are the numbers of the files that may be found, all if None; `timely` those of the time
    that is named, by source, and `told` the words that name it, if they are not looked for. `seen` is
    when undated facts came.
    """

    query: Query
    options: SearchOptions
    today: datetime.date
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    named: NamedTime | None = None
    unheld: tuple[str, ...] = ()
    respelled: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[int] | None = None
    timely: Mapping[Source, frozenset[int]] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    seen: Seen | None = None


def settle(asked: Asked, snapshot: Snapshot) -> Asked:
    """The question as it can be asked of these notes: identifiers are looked for as they are written."""
    query = asked.query
    if not query.terms.identifiers:
        return asked
    sources, files = asked.options.sources, asked.files
    wanted = Sought(identifiers.looked_for(query.terms), sources=sources, files=files)
    look = identifiers.SearchScope(snapshot.reader(wanted), sources, files)
    terms, unheld = identifiers.settle(query.terms, look)
    return replace(asked, query=replace(query, terms=terms), unheld=unheld)


def _is_unheld(asked: Asked) -> bool:
    """Whether all that is asked for are identifiers that no note holds."""
    return bool(asked.unheld) and not asked.query.terms.words and asked.named is None


def gather(asked: Asked, snapshot: Snapshot) -> list[Hit]:
    """All that might be an answer, from every source.

    An embedder that costs nothing to ask also compares the best passages themselves.
    """
    if _is_unheld(asked):
        return []
    reader = snapshot.reader(_sought(asked))
    terms = _terms(asked)
    if forms := respelling.other_forms(asked.query.text, terms, reader, asked.options.sources):
        terms = replace(terms, alternatives=(*terms.alternatives, *forms))
        asked = replace(asked, query=replace(asked.query, terms=terms))
        reader = snapshot.reader(_sought(asked))
    hits: list[Hit] = []
    # Notes come first: what a conversation only repeats of them is dropped later, and does not count.
    for source in sorted(asked.options.sources):
        hits += _take(_source_hits(asked, reader, source), asked, hits)
    return hits


def _sought(asked: Asked) -> Sought:
    terms = _terms(asked)
    return Sought(
        words=(
            *terms.words,
            *asked.told,
            *(term for one in terms.alternatives for term in one.terms),
        ),
        prefixes=terms.prefixes,
        phrases=terms.phrases,
        vector=asked.query.vector,
        sources=asked.options.sources,
        files=asked.files,
        preferred=frozenset().union(*asked.timely.values()),
        passages=TUNING.pool_text,
        chunks=TUNING.pool_chunks,
    )


def _terms(asked: Asked) -> QueryTerms:
    """The words that are looked for: none where only meaning counts."""
    query = asked.query
    return query.terms if asked.options.hybrid or query.vector is None else _NO_TERMS


def respell(
    asked: Asked, hits: Sequence[Hit], snapshot: Snapshot
) -> tuple[Asked, list[Hit]] | None:
    """The question with misspelled words put right, and what that finds; None if it does not help."""
    query, options = asked.query, asked.options
    if any(_is_strong(hit, asked) for hit in hits):
        return None
    put_right = respelling.put_right(
        query.text, query.terms.words, snapshot, options.sources, asked.embedder
    )
    if not put_right:
        return None
    meant = {one.term: one.meant_term for one in put_right}
    words = tuple(dict.fromkeys(meant.get(word, word) for word in query.terms.words))
    prefixes = tuple(prefix_terms(words)) if query.terms.prefixes else ()
    query = replace(query, terms=replace(query.terms, words=words, prefixes=prefixes))
    if asked.embedder and asked.embedder.instant and query.vector is not None:
        text = respelling.corrected(query.text, put_right)
        query = replace(query, vector=asked.embedder.embed_query(text))
    again = replace(asked, query=query, respelled={one.written: one.meant for one in put_right})
    found = [
        replace(hit, score=_GUESSED * hit.score, relevance=_GUESSED * hit.relevance)
        for hit in gather(again, snapshot)
    ]
    return (again, found) if any(_is_strong(hit, again) for hit in found) else None


def _is_strong(hit: Hit, asked: Asked) -> bool:
    """Whether a hit is likely to answer: it is sure enough, or holds an identifier of the question."""
    exact = asked.query.terms.exact
    return _rounded(hit.relevance) >= asked.options.min_score or not exact.isdisjoint(hit.matched)


def _may_be_shown(hit: Hit, asked: Asked) -> bool:
    """Whether a hit is good enough, or at least resembles the question if nobody set a bar."""
    if _is_strong(hit, asked):
        return True
    return not asked.options.strict and (hit.why is None or hit.why.resembles)


def _near_the_best(hits: Sequence[Hit], asked: Asked) -> list[Hit]:
    """Those that are not far below the best one."""
    if asked.options.strict or not hits:
        return list(hits)
    best = max(hits, key=lambda hit: hit.score)
    if not _is_strong(best, asked):
        return [hit for hit in hits if hit.score >= _FAR * best.score]
    exact = asked.query.terms.exact
    return [
        hit for hit in hits if hit.score >= _FAR * best.score or not exact.isdisjoint(hit.matched)
    ]


def _rounded(score: float) -> float:
    """A score as it is shown: nobody should read that 0.35 is below 0.35."""
    return round(score, 2)


def arrange(asked: Asked, hits: Sequence[Hit]) -> SearchResult:
    """The answer: what is good enough, each thing once, best first."""
    query, options, reranker = asked.query, asked.options, asked.reranker
    reasons = [
        f"no note holds {word!r}: looked for {other!r}" for word, other in asked.respelled.items()
    ]
    reasons += [f"no note holds {text!r}" for text in asked.unheld[:_MOST_UNHELD]]
    kept = _near_the_best([hit for hit in hits if _may_be_shown(hit, asked)], asked)
    ranked = diversity.with_rank(diversity.without_repeats(kept), "repeats")
    if reranker is not None and len(ranked) > 1:
        ranked = _reranked(query.text, ranked, reranker, reasons)
    if options.mmr_lambda is not None:
        varied = diversity.diversified(ranked[:_VARIED], options.mmr_lambda)
        ranked = diversity.with_rank([*varied, *ranked[_VARIED:]], "diversity")
    if len(options.sources) > 1:
        ranked = diversity.with_rank(ranking.with_lanes(ranked), "sources")
    times = Times(asked.today, options.as_of, options.history, asked.seen)
    current = (
        hit
        for first in range(0, len(ranked), _SETTLED)
        for hit in _current_first(ranked[first : first + _SETTLED], times, query.text)
    )
    chosen = [
        ranking.cited(replace(hit, strength="strong" if _is_strong(hit, asked) else "weak"))
        for hit in islice(current, options.max_results)
    ]
    if not chosen:
        reasons += _why_nothing(asked, hits)
    return SearchResult(chosen, reasons, _explanation(asked, hits, kept))


def _current_first(hits: Sequence[Hit], times: Times, question: str) -> list[Hit]:
    """What holds before what was; the scores stay where they are, the best on top."""
    ordered = order_by_currency(hits, times, question)
    scores = sorted((hit.score for hit in ordered), reverse=True)
    return [
        hit if hit.score == score else replace(hit, score=score)
        for hit, score in zip(ordered, scores, strict=True)
    ]


def _explanation(asked: Asked, hits: Sequence[Hit], kept: Sequence[Hit]) -> Explanation:
    terms, named = asked.query.terms, asked.named
    good = set(map(id, kept))
    below = sorted((hit for hit in hits if id(hit) not in good), key=lambda hit: -hit.relevance)
    return Explanation(
        words=terms.words,
        phrases=terms.phrases,
        exact=tuple(sorted(terms.exact)),
        period=(named.first, named.last) if named else None,
        min_score=asked.options.min_score,
        candidates=len(hits),
        below=tuple(map(ranking.cited, below[:_SHOWN_BELOW])),
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
    told = query_terms(query.text[named.start : named.end])
    rest = f"{query.text[: named.start]} {query.text[named.end :]}"
    # One word alone is looked for as well: "today" may stand in a note.
    if told.exact or not told.words or not (rest.strip() or " " in query.text):
        return replace(asked, named=named, timely=timely)
    terms = _NO_TERMS if asks_for_notes_only(rest) else query_terms(rest)
    return replace(
        asked,
        query=replace(query, terms=terms),
        named=named,
        timely=timely,
        # The day of a month alone stands everywhere.
        told=tuple(word for word in without_stop_words(told.words) if not word.isdecimal()),
    )


def _reranked(text: str, hits: list[Hit], reranker: Reranker, reasons: list[str]) -> list[Hit]:
    """The first hits in the order of a reranker; the scores stay where they are."""
    first = hits[: reranker.count]
    try:
        scores = reranker.rerank(text, [hit.snippet for hit in first])
    except EmbedderError as error:
        reasons.append(f"not reranked: {error}")
        return hits
    order = sorted(range(len(first)), key=lambda number: -scores[number])
    moved = [
        replace(first[number], score=hit.score) for number, hit in zip(order, first, strict=True)
    ]
    return diversity.with_rank([*moved, *hits[len(first) :]], "reranking")


def candidate_count(options: SearchOptions) -> int:
    """How many candidates each leg gives."""
    return max(_POOL * options.candidate_multiplier, options.max_results)


def _source_hits(asked: Asked, reader: Reader, source: Source) -> Iterator[Hit]:
    """The best of one source; each source is asked alone, so that a large one hides no small one."""
    query, options = asked.query, asked.options
    terms = _terms(asked)
    named = asked.timely.get(source)
    scope = scoring.Scope(
        file_mask(reader, (source,), asked.files),
        None if not named else file_mask(reader, (source,), named),
        asked.told,
    )
    share = _DEFAULT_TEXT_WEIGHT if options.text_weight is None else options.text_weight
    embedder = asked.embedder
    free = embedder.embed_batch if embedder is not None and not embedder.cacheable else None
    most = candidate_count(options)
    if asked.named:
        most = max(most, TUNING.ranked)
    tuning = replace(TUNING, ranked=most)
    ranked = scoring.rank(query.text, terms, query.vector, reader, scope, share, tuning, free)
    sense = _makes_sense(query.text, asked.embedder)
    sure = ranked.sure
    guessed = sense and ranked.nearest is not None and sure < STRONG
    if guessed and ranked.nearest is not None:
        sure = max(sure, min(_MOST_GUESSED, _GUESSED_NEAR * ranked.nearest))
    view = Presentation(
        size=options.snippet_chars,
        near=_FAINT if guessed else ranked.near if sense else _NOTHING,
        context=_CONTEXT_LINES if guessed else 0,
        sure=sure,
        weights=ranked.weights,
        today=asked.today,
        half_life_days=options.half_life_days,
        most_decay=options.most_decay,
        period=(asked.named.first, asked.named.last) if asked.named else None,
        only_time=bool(asked.timely) and not query.terms.words,
    )
    best = ranking.by_time(ranked.best, reader.file_of, view)
    return ranking.make_hits(
        best,
        lambda some: _texts(some, reader),
        query.terms.words,
        view,
        _chosen(best, view, asked, _holding(query.terms.exact, reader)),
    )


def _chosen(
    best: Sequence[Scored], view: Presentation, asked: Asked, exact: frozenset[int]
) -> Iterator[int]:
    """The numbers of the candidates that may be shown, and of the first others: those are told as below
    the bar. `exact` are the files that hold an identifier of the question: whether it is shown is found
    by reading."""
    bar, strict, below = asked.options.min_score, asked.options.strict, _SHOWN_BELOW
    for number, one in enumerate(best):
        if (
            (not strict and ranking.resembles(one, view))
            or _rounded(ranking.relevance(one, view)) >= bar
            or one.chunk_key // FILE_SPAN in exact
        ):
            yield number
        elif below:
            below -= 1
            yield number


def _holding(exact: Iterable[str], reader: Reader) -> frozenset[int]:
    """The numbers of the files that hold one of some terms."""
    rows = [reader.posting(Unit("word", (term,))).rows for term in exact]
    if not rows:
        return frozenset()
    return frozenset(reader.file_number[reader.passage_file[np.concatenate(rows)]].tolist())


def _texts(some: Sequence[Scored], reader: Reader) -> Texts:
    """The chunks of some passages: the only text that a search reads."""
    rows = reader.rows_of([one.chunk_key for one in some])
    chunks = {stored.key: stored for stored in reader.chunks(rows).values()}
    talk = {key: stored for key, stored in chunks.items() if is_talk(stored.chunk)}
    wanted = {
        key
        for one in some
        if one.chunk_key in talk
        for key in beside(one.key, talk[one.chunk_key])
        if key not in talk
    }
    if wanted:
        more = reader.chunks(reader.rows_with(sorted(wanted)))
        talk |= {stored.key: stored for stored in more.values()}
    messages = {
        stored.key + number: stored
        for stored in talk.values()
        for number in range(len(stored.chunk.passages))
    }
    return Texts(chunks, messages)


def _makes_sense(text: str, embedder: Embedder | None) -> bool:
    """Whether a question is one: to gibberish, the nearest note is no answer."""
    return is_asked(text) or not isinstance(embedder, WordKnowing) or embedder.knows(text)


def _take(made: Iterable[Hit], asked: Asked, notes: Sequence[Hit] = ()) -> list[Hit]:
    """As many hits as may be needed.

    Some may be left out or step back later, because they repeat others or `notes`. Once enough are good and none of
    them repeats another, nothing that follows can come before them; how many are enough grows in steps,
    so that the first results are the same however many are asked for.
    """
    options = asked.options
    least = (
        _RERANKED if asked.reranker else 0,
        _VARIED if options.mmr_lambda is not None else 0,
        _BEFORE_DROPS if options.as_of is not None else 0,
    )
    enough = max(-(-options.max_results // _SETTLED) * _SETTLED, *least)
    known = [distinct_terms(note.snippet) for note in notes]
    hits: list[Hit] = []
    good: list[Hit] = []
    distinct = 0
    best, far = 0.0, 0
    for hit in made:
        # Of those whose scores are shown as equal, the newer comes first.
        if distinct >= enough and _rounded(hit.score) < _rounded(hits[-1].score):
            break
        hits.append(hit)
        if _may_be_shown(hit, asked):
            # Where all that follow are far below the best, none of them is shown, unless it holds an identifier.
            best = max(best, hit.score)
            far += hit.score < _FAR * best
            if far > _SHOWN_BELOW and not options.strict and not asked.query.terms.exact:
                break
            distinct += not (diversity.repeats(hit, good) or ranking.echoes(hit, known))
            good.append(hit)
    return hits


def _why_nothing(asked: Asked, hits: Sequence[Hit]) -> list[str]:
    query, bar = asked.query, asked.options.min_score
    if _is_unheld(asked):
        return ["look for a part of it, or for words that would stand beside it"]
    if hits and asked.options.strict:
        best = max(hits, key=lambda hit: hit.relevance)
        return [
            f"the best candidate, {best.path}#L{best.start_line}, scored "
            f"{best.relevance:.2f}, below the minimum score of {bar:.2f}: "
            "allow a lower score, or use words that the note would use"
        ]
    if not query.terms.words and query.vector is None:
        return ["the query holds no word to look for: name something that a note would name"]
    return [
        "nothing in the notes resembles the query: use words that a note would use, or check that the "
        "note is in this workspace"
    ]
