"""The keyword leg: candidates by an index over term numbers, scores by BM25 as in SQLite.

The rarest things that are asked for give the candidates, as many as a budget allows; everything
that is asked for counts in the score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memdown.index.bm25 import Column, Wanted, scores
from memdown.index.passages import passage_terms
from memdown.index.postgres.connection import one, run
from memdown.index.postgres.packed import Flat, literal, read_passages
from memdown.index.postgres.place import Place
from memdown.index.reach import reachable
from memdown.index.sqlite.keys import source_keys
from memdown.types import FILE_SPAN, Chunk, Match, TextMatches, TextQuery

BUDGET = 10_000
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class _Term:
    number: int
    passages: int
    in_text: int


def insert(place: Place, first_keys: Sequence[int], chunks: Sequence[Chunk]) -> None:
    """Index the passages of chunks, each chunk's under the numbers from its key on."""
    rows: list[tuple[int, list[str], list[str]]] = []
    anywhere: Counter[str] = Counter()
    in_text: Counter[str] = Counter()
    for first, chunk in zip(first_keys, chunks, strict=True):
        for key, (words, head) in enumerate(passage_terms(chunk), start=first):
            rows.append((key, words, head))
            anywhere.update({*words, *head})
            in_text.update(set(words))
    if not rows:
        return
    terms = sorted(anywhere)
    numbers = dict(
        run(
            place.db,
            place.sql(
                "INSERT INTO {s}.terms (agent_id, generation, term, passages, in_text) "
                "SELECT %s, %s, * FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) "
                "ON CONFLICT (agent_id, generation, term) DO UPDATE SET "
                "passages = terms.passages + excluded.passages, "
                "in_text = terms.in_text + excluded.in_text RETURNING term, id"
            ),
            (
                *place.owner,
                terms,
                [anywhere[term] for term in terms],
                [in_text[term] for term in terms],
            ),
        )
    )
    run(
        place.db,
        place.sql(
            "INSERT INTO {s}.passages SELECT %s, %s, key, words::int[], head::int[] "
            "FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS new (key, words, head)"
        ),
        (
            *place.owner,
            [key for key, _, _ in rows],
            [literal([numbers[word] for word in words]) for _, words, _ in rows],
            [literal([numbers[word] for word in head]) for _, _, head in rows],
        ),
    )
    _count(place, len(rows), sum(len(words) + len(head) for _, words, head in rows))


def delete(place: Place, keys: range) -> None:
    """Forget passages, and count them off."""
    ((gone, tokens),) = run(
        place.db,
        place.sql(
            "WITH gone AS (DELETE FROM {s}.passages WHERE agent_id = %s AND generation = %s "
            "AND key >= %s AND key < %s RETURNING key, words, head), "
            "either AS (SELECT t, count(DISTINCT key) AS n FROM gone, unnest(words || head) AS t "
            "GROUP BY t), "
            "inside AS (SELECT t, count(DISTINCT key) AS n FROM gone, unnest(words) AS t "
            "GROUP BY t), "
            "changed AS (UPDATE {s}.terms SET passages = terms.passages - either.n, "
            "in_text = terms.in_text - coalesce(inside.n, 0) "
            "FROM either LEFT JOIN inside USING (t) "
            "WHERE agent_id = %s AND generation = %s AND id = either.t) "
            "SELECT count(*), coalesce(sum(cardinality(words) + cardinality(head)), 0) FROM gone"
        ),
        (*place.owner, keys.start, keys.stop, *place.owner),
    )
    if gone:
        _count(place, -gone, -int(tokens))


def _count(place: Place, passages: int, tokens: int) -> None:
    run(
        place.db,
        place.sql(
            "UPDATE {s}.generations SET passages = passages + %s, tokens = tokens + %s "
            "WHERE agent_id = %s AND generation = %s"
        ),
        (passages, tokens, *place.owner),
    )


def match(place: Place, query: TextQuery, budget: int = BUDGET) -> TextMatches:
    """The best passages that hold any of the query's words, prefixes or phrases."""
    counts = run(
        place.db,
        place.sql(
            "SELECT passages, tokens FROM {s}.generations WHERE agent_id = %s AND generation = %s"
        ),
        place.owner,
    )
    if not counts or not counts[0][0]:
        return TextMatches((), 0.0)
    total, tokens = counts[0][0], int(counts[0][1])
    known = _known(place, {*query.words, *(term for phrase in query.phrases for term in phrase)})
    wanted, costs = _wanted(place, query, known, total)
    most = _reachable(query, known, total)
    if not wanted:
        return TextMatches((), most)
    # Of some files only, even the passages of common words are few.
    chosen = _affordable(costs, budget if query.files is None else total)
    if query.files is None:
        wanted = [_counted_here(one, chosen) for one in wanted]
    keys, text, head = _candidates(place, chosen, query.files)
    if not len(keys):
        return TextMatches((), most)
    found = scores(len(keys), text, head, wanted, total=total, average=tokens / total)
    # All sources count in what is rare, so they are left out only now.
    found *= _is_within(keys, query)
    order = np.lexsort((keys, -found))
    best = [place for place in order[: query.limit] if found[place] > 0]
    return TextMatches(tuple(Match(int(keys[n]), float(found[n])) for n in best), most)


def _known(place: Place, terms: set[str]) -> dict[str, _Term]:
    """The terms of a query that occur."""
    # PostgreSQL's text holds no NUL, so no stored term does either.
    asked = [term for term in terms if "\0" not in term]
    rows = run(
        place.db,
        place.sql(
            "SELECT term, id, passages, in_text FROM {s}.terms WHERE agent_id = %s AND "
            "generation = %s AND term = ANY(%s) AND passages > 0"
        ),
        (*place.owner, asked),
    )
    return {term: _Term(number, passages, inside) for term, number, passages, inside in rows}


def _wanted(
    place: Place,
    query: TextQuery,
    known: dict[str, _Term],
    total: int,
) -> tuple[list[Wanted], list[tuple[int, list[int]]]]:
    """What counts in the score and, for each, what its candidates cost."""
    wanted: list[Wanted] = []
    costs: list[tuple[int, list[int]]] = []
    for word in query.words:
        if word in known:
            term = known[word]
            wanted.append(Wanted((term.number,), term.passages))
            costs.append((term.passages, [term.number]))
    for prefix in query.prefixes:
        terms = _with_prefix(place, prefix)
        if terms:
            numbers = [term.number for term in terms]
            # As if terms occurred independently, unless all their passages are candidates.
            without = 1.0
            for term in terms:
                without *= 1.0 - term.in_text / total
            found = terms[0].in_text if len(terms) == 1 else total * (1.0 - without)
            wanted.append(Wanted(tuple(numbers), found, in_head=False))
            costs.append((sum(term.passages for term in terms), numbers))
    for phrase in query.phrases:
        if len(phrase) > 1 and all(term in known for term in phrase):
            terms = [known[term] for term in phrase]
            rarest = min(terms, key=lambda term: term.passages)
            in_order = tuple(term.number for term in terms)
            wanted.append(Wanted(in_order, None, is_phrase=True, in_head=False))
            costs.append((rarest.passages, [rarest.number]))
    return wanted, costs


def _with_prefix(place: Place, prefix: str) -> list[_Term]:
    if "\0" in prefix:
        return []
    rows = run(
        place.db,
        place.sql(
            "SELECT id, passages, in_text FROM {s}.terms WHERE agent_id = %s AND generation = %s "
            "AND term >= %s AND term < %s AND in_text > 0"
        ),
        (*place.owner, prefix, prefix + _LAST),
    )
    return [_Term(*row) for row in rows]


def _affordable(costs: Sequence[tuple[int, list[int]]], budget: int) -> list[int]:
    """The numbers of the rarest terms, up to the budget; the rarest one whatever it costs."""
    chosen: list[int] = []
    spent = 0
    for cost, numbers in sorted(costs, key=lambda item: item[0]):
        if chosen and spent + cost > budget:
            break
        spent += cost
        chosen += numbers
    return sorted(set(chosen))


def _counted_here(one: Wanted, chosen: Sequence[int]) -> Wanted:
    """With the passages counted among the candidates, if all that hold it are there."""
    is_there = not one.is_phrase and len(one.terms) > 1 and set(one.terms) <= set(chosen)
    return replace(one, found_in=None) if is_there else one


def _is_within(keys: np.ndarray, query: TextQuery) -> np.ndarray:
    within = np.zeros(len(keys), bool)
    for source in query.sources:
        bounds = source_keys(source)
        within |= (keys >= bounds.start) & (keys < bounds.stop)
    return within


def _candidates(
    place: Place, numbers: Sequence[int], files: frozenset[int] | None
) -> tuple[np.ndarray, Column, Column]:
    where = "agent_id = %s AND generation = %s AND (words || head) && %s::int[]"
    values: tuple[object, ...] = (*place.owner, list(numbers))
    if files is not None:
        where, values = f"{where} AND key / {FILE_SPAN} = ANY(%s)", (*values, sorted(files))
    found = read_passages(place, where, values)
    return found.keys, _column(found.text), _column(found.head)


def _column(flat: Flat) -> Column:
    rows = np.repeat(np.arange(len(flat.sizes)), flat.sizes)
    return Column(flat.terms.astype(np.int64), rows)


def _reachable(query: TextQuery, known: dict[str, _Term], total: int) -> float:
    """What a passage of average length would score that holds every word once; as in SQLite."""
    return reachable(query, [known[w].passages if w in known else 0 for w in query.words], total)


def totals_are_right(place: Place) -> bool:
    """Whether the counts kept in step agree with the rows."""
    kept = run(
        place.db,
        place.sql("SELECT passages FROM {s}.generations WHERE agent_id = %s AND generation = %s"),
        place.owner,
    )
    there = one(
        place.db,
        place.sql("SELECT count(*) FROM {s}.passages WHERE agent_id = %s AND generation = %s"),
        place.owner,
    )
    return bool(kept) and kept[0][0] == there
