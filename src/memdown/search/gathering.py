"""Query → hits: the best of each source, as many as may be needed; with misspelled words put right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from memdown.index.reader import Mask, Reader, Sought, word
from memdown.index.store import Snapshot, leaves_out
from memdown.notes.facts import is_heading
from memdown.search import diversity, scoring
from memdown.search import rank as ranking
from memdown.search import spelling as respelling
from memdown.search.candidates import file_mask
from memdown.search.query import Asked, SearchOptions, is_absent, is_of_no_note, terms_of, units_of
from memdown.search.rank import SHOWN_DIGITS, Bar, Presentation, Ranking, Scored, Texts, shown_score
from memdown.search.snippets import beside, is_talk
from memdown.search.successors import follow, is_successor
from memdown.text import Alternative, distinct_terms, is_asked, prefix_terms
from memdown.tuning import TUNING, Tuning
from memdown.types import Embedder, Hit, Source, knows_words

_SHOWN, _SURENESS, _WORDS = TUNING.shown, TUNING.sureness, TUNING.words

# What each leg gives for a `candidateMultiplier` of 1. The first results must not depend on how many
# are asked for, so the pool does not either, unless more are asked for than it has.
_POOL = 25
# Up to so many results the pools are the same.
_USUAL_MOST = 50
# Results are settled in steps of so many: what replaces what, and which talk only repeats a note. With 8 and 12, the
# lives of `python -m bench life` are answered alike (one question fewer), and a search takes a sixth and a half more time.
SETTLED = 6
# How many places a reranker may choose from, and how many that missed the bar an explanation has.
_RERANKED = 50
SHOWN_BELOW = 3
# Variety is chosen among so many of the best, however many are asked for.
VARIED = 50
# A day that is asked about drops what did not hold then: so many are made, however few are asked for.
_BEFORE_DROPS = 60


def gather(asked: Asked, snapshot: Snapshot) -> list[Hit]:
    """All that might be an answer, from every source.

    An embedder that costs nothing to ask also compares the best passages themselves.
    """
    if is_absent(asked) or is_of_no_note(asked):
        return []
    sought = _sought(asked)
    reader = snapshot.reader(sought)
    reader.fetch(units_of(asked.query))
    terms = terms_of(asked)
    forms: tuple[Alternative, ...] = ()
    if not leaves_out(snapshot, "other forms of words"):
        forms = respelling.other_forms(
            asked.query.text, terms, reader, snapshot, asked.options.sources
        )
    if forms:
        terms = replace(terms, alternatives=(*terms.alternatives, *forms))
        asked = replace(asked, query=replace(asked.query, terms=terms))
        reader = snapshot.reader(_sought(asked))
    hits: list[Hit] = []
    # Notes come first: what a conversation only repeats of them is dropped later, and does not count.
    for source in sorted(asked.options.sources):
        best, view = _ranked(asked, reader, source)
        bar = Bar()
        chosen = _chosen(best, view, asked, _holding(asked.query.terms.exact, best, reader), bar)
        made = _in_time(_made(best, asked, reader, view, chosen, bar), asked, snapshot)
        found = take(made, asked, hits, bar)
        if found and leaves_out(snapshot, "what came after"):
            hits += found
        else:
            hits += _followed(found, asked, reader, view)
    return hits


def _in_time(made: Iterable[Hit], asked: Asked, snapshot: Snapshot) -> Iterator[Hit]:
    """Hits, as long as there is time to make more than are asked for."""
    for count, hit in enumerate(made, start=1):
        yield hit
        if count >= asked.options.max_results and leaves_out(snapshot, "further results"):
            return


def _sought(asked: Asked) -> Sought:
    terms, pools = terms_of(asked), _pools(asked.options)
    return Sought(
        words=(
            *terms.words,
            *asked.time_words,
            *(term for one in terms.alternatives for term in one.terms),
        ),
        prefixes=terms.prefixes,
        phrases=terms.phrases,
        vector=asked.query.vector,
        sources=asked.options.sources,
        files=asked.files,
        preferred=frozenset().union(*asked.timely.values()),
        passages=pools.pool_text,
        chunks=pools.pool_chunks,
    )


def _pools(options: SearchOptions) -> Tuning:
    """The tuning, with pools for as many results as are asked for."""
    chunks = options.max_results if options.max_results > _USUAL_MOST else 0
    return _with_pools(candidate_count(options), chunks)


@lru_cache(64)
def _with_pools(most: int, chunks: int) -> Tuning:
    return replace(
        TUNING,
        ranked=most,
        pool_text=max(TUNING.pool_text, most),
        pool_chunks=max(TUNING.pool_chunks, chunks),
    )


def respell(
    asked: Asked, hits: Sequence[Hit], snapshot: Snapshot
) -> tuple[Asked, list[Hit]] | None:
    """The question with misspelled words put right, and what that finds; None if it does not help."""
    query, options = asked.query, asked.options
    if any(is_strong(hit, asked) for hit in hits):
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
        replace(hit, score=_WORDS.respelled * hit.score, relevance=_WORDS.respelled * hit.relevance)
        for hit in gather(again, snapshot)
    ]
    return (again, found) if any(is_strong(hit, again) for hit in found) else None


def _ranked(asked: Asked, reader: Reader, source: Source) -> tuple[Ranking, Presentation]:
    """The best of one source; each source is asked alone, so that a large one hides no small one."""
    query, options = asked.query, asked.options
    terms = terms_of(asked)
    named = asked.timely.get(source)
    scope = scoring.Scope(
        file_mask(reader, (source,), asked.files),
        None if not named else file_mask(reader, (source,), named),
        asked.time_words,
    )
    share = TUNING.text_share if options.text_weight is None else options.text_weight
    embedder = asked.embedder
    free = embedder.embed_batch if embedder is not None and not embedder.cacheable else None
    tuning = _pools(options)
    if asked.named:
        tuning = replace(tuning, ranked=max(tuning.ranked, TUNING.ranked))
    ranked = scoring.rank(query.text, terms, query.vector, reader, scope, share, tuning, free)
    sense = _makes_sense(query.text, asked.embedder)
    sure = ranked.sure
    guessed = sense and ranked.nearest is not None and sure < _SURENESS.strong
    if guessed and ranked.nearest is not None:
        sure = max(sure, min(_SURENESS.most_by_nearest, _SURENESS.nearest * ranked.nearest))
    view = Presentation(
        size=options.snippet_chars,
        near=_SURENESS.faint if guessed else ranked.near if sense else _SURENESS.nonsense,
        context=_SHOWN.context_lines if guessed else 0,
        sure=sure,
        weights=ranked.weights,
        today=asked.today,
        half_life_days=options.half_life_days,
        most_decay=options.most_decay,
        period=(asked.named.first, asked.named.last) if asked.named else None,
        only_time=bool(asked.timely) and not query.terms.words,
    )
    return ranking.by_time(ranked.best, reader.file_of, view), view


def _made(
    best: Ranking,
    asked: Asked,
    reader: Reader,
    view: Presentation,
    chosen: Iterator[int],
    bar: Bar,
) -> Iterator[Hit]:
    read, words = partial(_texts, reader), asked.query.terms.words
    return ranking.make_hits(best, read, reader.file_of, words, view, chosen, bar)


def _followed(hits: Sequence[Hit], asked: Asked, reader: Reader, view: Presentation) -> list[Hit]:
    """The hits, with what says that one of the first is over before it, wherever that stood."""
    question = asked.query.text
    ordered = list(hits)
    followed = list(follow(hits, question, reader))
    every = sorted({row for one in followed for row in one.rows})
    texts = dict(zip(every, reader.texts(every), strict=True)) if every else {}
    for one in followed:
        # Hits are made only of what gives something up: few of the passages with such words do.
        rows = [
            _as_scored(row, one.hit, reader)
            for row in one.rows
            if is_successor(texts[row], one, question)
        ]
        if not rows:
            continue
        made = _made(Ranking.of(rows), asked, reader, view, iter(range(len(rows))), Bar())
        newer = [
            replace(found, score=one.hit.score, relevance=one.hit.relevance)
            for found in made
            if is_successor(found.snippet, one, question)
        ]
        if newer:
            places = {_place(hit) for hit in newer}
            rest = [hit for hit in ordered if _place(hit) not in places]
            first = [_place(hit) for hit in rest].index(_place(one.hit))
            ordered = [*rest[:first], *newer, *rest[first:]]
    return ordered


def _place(hit: Hit) -> tuple[str, int]:
    return hit.path, hit.start_line


def _as_scored(row: int, hit: Hit, reader: Reader) -> Scored:
    """A passage as if it had been found like a hit."""
    chunk = int(reader.passage_chunk[row])
    key = int(reader.chunk_key[chunk])
    place = key + row - int(reader.chunk_first[chunk])
    return Scored(place, key, hit.text_score, hit.vector_score, 0.0, 0.0, 1.0)


def candidate_count(options: SearchOptions) -> int:
    """How many candidates each leg gives."""
    return max(_POOL * options.candidate_multiplier, options.max_results)


def _chosen(
    best: Ranking, view: Presentation, asked: Asked, exact: Mask, bar: Bar
) -> Iterator[int]:
    """The numbers of the candidates that may be shown; where there are none, or an explanation is asked for,
    those of the first others, too: they are told as below the bar. Those that hold an identifier of the
    question are `exact`, bool (n,), and are chosen however far they are below the best."""
    columns = best.columns
    sure = np.round((view.sure * columns.share).clip(0, 1), SHOWN_DIGITS)
    may = sure >= asked.options.min_score
    if not asked.options.strict:
        may |= (columns.text > 0) | (columns.vector >= view.near)
    may |= exact
    if asked.options.explain or not may.any():
        may[np.flatnonzero(~may)[:SHOWN_BELOW]] = True
    for number in np.flatnonzero(may).tolist():
        if not bar.is_far or exact[number]:
            yield number


def _holding(exact: Iterable[str], best: Ranking, reader: Reader) -> Mask:
    """Which candidates hold one of some terms, in their text or above it, bool (n,)."""
    found = np.zeros(len(best), bool)
    for term in exact:
        rows = reader.posting(word(term)).rows
        if len(rows):
            chunks = reader.passage_chunk[rows]
            keys = np.sort(reader.chunk_key[chunks] + rows - reader.chunk_first[chunks])
            at = keys.searchsorted(best.columns.key)
            found |= keys.take(at, mode="clip") == best.columns.key
    return found


def _texts(reader: Reader, some: Sequence[Scored], best: Collection[int]) -> Texts:
    """The chunks of some passages: the only text that a search reads. Of talk the chunks beside them, too, and
    those near them that hold one of the `best` passages."""
    rows = reader.rows_of([one.chunk_key for one in some])
    chunks = {stored.key: stored for stored in reader.chunks(rows).values()}
    talk = {key: stored for key, stored in chunks.items() if is_talk(stored.chunk)}
    wanted = {
        key
        for one in some
        if one.chunk_key in talk
        for key in beside(one.key, talk[one.chunk_key], best)
        if key not in talk
    }
    # What stands below a heading that ends a chunk.
    ends = {
        stored.key + len(stored.chunk.passages)
        for one in some
        if (stored := chunks[one.chunk_key])
        and one.key == stored.key + len(stored.chunk.passages) - 1
        and is_heading(stored.chunk, stored.chunk.passages[-1])
    } - chunks.keys()
    if ends:
        chunks |= {
            stored.key: stored for stored in reader.chunks(reader.rows_with(sorted(ends))).values()
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
    return is_asked(text) or not knows_words(embedder) or embedder.knows(text)


def take(
    made: Iterable[Hit], asked: Asked, notes: Sequence[Hit] = (), bar: Bar | None = None
) -> list[Hit]:
    """As many hits as may be needed.

    Some may be left out or step back later, because they repeat others or `notes`. Once enough are good and none of
    them repeats another, nothing that scores less can come before them, and the `bar` says so; how many are enough
    grows in steps, so that the first results are the same however many are asked for.
    """
    options = asked.options
    least = (
        _RERANKED if asked.reranker else 0,
        VARIED if options.mmr_lambda is not None else 0,
        _BEFORE_DROPS if options.as_of is not None else 0,
    )
    enough = max(-(-options.max_results // SETTLED) * SETTLED, *least)
    known = [distinct_terms(note.snippet) for note in notes]
    exact = asked.query.terms.exact
    hits: list[Hit] = []
    good: list[Hit] = []
    distinct = 0
    best, far = 0.0, 0
    bar = bar or Bar()
    for hit in made:
        if shown_score(hit.score) < bar.score:
            break
        hits.append(hit)
        if may_be_shown(hit, asked):
            best = max(best, hit.score)
            if (
                not options.strict
                and hit.score < _SHOWN.far * best
                and exact.isdisjoint(hit.matched)
            ):
                # What is far below the best is not shown, unless it holds an identifier, and so are all that follow.
                far += 1
                bar.is_far = far > (SHOWN_BELOW if options.explain else 0)
                if bar.is_far and not exact:
                    break
                continue
            is_known = bool(known) and ranking.echoes(hit, known)
            distinct += not (is_known or diversity.repeats(hit, good))
            good.append(hit)
        if distinct >= enough:
            # Of those whose scores are shown as equal, the newer comes first.
            bar.score = shown_score(hit.score)
    return hits


def is_strong(hit: Hit, asked: Asked) -> bool:
    """Whether a hit is likely to answer: it is sure enough, or holds an identifier of the question."""
    exact = asked.query.terms.exact
    return shown_score(hit.relevance) >= asked.options.min_score or not exact.isdisjoint(
        hit.matched
    )


def may_be_shown(hit: Hit, asked: Asked) -> bool:
    """Whether a hit is good enough, or at least resembles the question if nobody set a bar."""
    if is_strong(hit, asked):
        return True
    return not asked.options.strict and (hit.why is None or hit.why.resembles)


def near_the_best(hits: Sequence[Hit], asked: Asked) -> list[Hit]:
    """Those that are not far below the best one."""
    if asked.options.strict or not hits:
        return list(hits)
    best = max(hits, key=lambda hit: hit.score)
    if not is_strong(best, asked):
        return [hit for hit in hits if hit.score >= _SHOWN.far * best.score]
    exact = asked.query.terms.exact
    return [
        hit
        for hit in hits
        if hit.score >= _SHOWN.far * best.score or not exact.isdisjoint(hit.matched)
    ]
