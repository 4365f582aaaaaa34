"""Whether a text says that what another one tells is gone: "replaced Slack with Zulip", "den Golf verkauft".

The two need not share what they are about: who asks for the database finds that it is MySQL, and another
note tells only that one moved from MySQL to Postgres (pure functions).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from memdown.notes.details import content_words
from memdown.text import fold, index_terms, is_gram, is_stop
from memdown.text.changes import GONE_WORDS, SIGNS, Gone, how_gone
from memdown.text.terms import tokens
from memdown.values import pattern

_CLAUSE_END: Final = pattern(r"[.;!?。；！？]\s|\n|[,，、]\s*|\s[-–—]\s|$")
# Between what is gone and the word that says so, so many small words may stand, and what came instead.
_MOST_BETWEEN: Final = 3
_MOST_CAME: Final = 3
# Words that say how something is gone, when, or that it was in use, and are no stop words.
_SMALL_WORDS: Final = """
old our finally up off out away now last yesterday today week month year since got gone completely entirely
use uses used using have has had go goes went work works
durch gegen alten alte unseren unsere unserem jetzt nun endlich gestern heute komplett ganz weg
nutzen nutzt verwenden verwendet benutzen benutzt haben läuft laufen
ancien ancienne vieux notre nos finalement enfin hier maintenant désormais avons ont utilise utilisons utilisait
viejo antiguo ahora ayer fin hemos usamos utilizamos uso usa tenemos
velho antigo agora ontem finalmente nosso usamos usa temos
vecchio nostro ieri ora finalmente abbiamo usiamo usa
oude onze ons nu gisteren eindelijk gebruiken gebruikt hebben
теперь вчера наш нашу старый старую используем
"""
_SMALL: Final = frozenset(map(fold, _SMALL_WORDS.split()))
_SMALL_TERMS: Final = frozenset(term for word in _SMALL for term in index_terms(word))
# Two words that are one, as one that is known.
_AS_ONE: Final = (
    (pattern(r"\bg[ai]v(?:e|en|ing) (?:up|away)\b"), "abandoned"),
    (pattern(r"\bany more\b"), "anymore"),
)
# One of these has every text that says that something is gone, unless it does so by signs.
_CUES: Final = GONE_WORDS.union("give given giving gave".split())
_LETTERS: Final = pattern(r"[^\W_]+")
_FROM: Final = frozenset("from von vom de del des du da dal dalla van из с со off".split())
_NOT: Final = frozenset(
    "no not nicht kein keine keinen keiner ne n pas nao non niet geen не n't don doesn".split()
)
# Of "X was sold" and "X has sold", the first says that X is gone.
_PASSIVE: Final = frozenset(
    "is are was were been be got gets est sont ete fue fueron sido foi foram sido stato stata e wurde wurden wird "
    "werden worden werd is был была были".split()
)
_BY: Final = frozenset("by with for par por con com pelo pela da dal door met на".split())
_ACTIVE: Final = frozenset(
    "has have had hat haben hatte hatten habe ist sind heeft hebben had zijn a ont ha".split()
)


class _Word(NamedTuple):
    """A word of a clause: its terms, whether it says little, and how it says that something is gone."""

    folded: str
    terms: frozenset[str]
    small: bool
    gone: Gone | None
    name: bool


def gives_up(new: str, old: str, asked: Collection[str]) -> bool:
    """Whether a text says that the answer of another to a question is gone.

    `asked` are the content words of the question; the others of `old` are what it answers.
    """
    if not _words_for_gone(new):
        return False
    answer = content_words(old).difference(asked, _SMALL_TERMS)
    return any(
        _is_most(gone, answer) and not _is_anothers(clause, gone, old)
        for written in _clauses(new)
        # Hardly any clause has as much of it: of the others the words need not be looked at one by one.
        if _is_most(index_terms(written), answer) and (clause := _words(written))
        for gone in _given_up(clause, answer)
    ) and _is_most(content_words(new), answer)


def _is_most(terms: Iterable[str], answer: frozenset[str]) -> bool:
    """Whether some terms are more than half of an answer."""
    return 2 * len(answer.intersection(terms)) > len(answer)


def distinctive_words(old: str, asked: Collection[str]) -> Iterator[str]:
    """The words of a text that answer a question, each once; what gives them up has more than half of them."""
    answer = set(content_words(old).difference(asked, _SMALL_TERMS))
    for _, token in tokens(old) if answer else ():
        term = _first_term(token)
        if term in answer and not is_gram(term):
            answer.remove(term)
            yield term


@lru_cache(maxsize=16_384)
def _first_term(token: str) -> str:
    """A word or a whole compound as a term; empty if it is none."""
    return next(iter(index_terms(token)), "")


def _given_up(clause: Sequence[_Word], answer: frozenset[str]) -> Iterator[frozenset[str]]:
    """The runs of words of the answer that a clause says are gone."""
    place = 0
    while place < len(clause):
        end = place
        while end < len(clause) and clause[end].terms & answer and not clause[end].gone:
            end += 1
        if end > place and (_gone_before(clause, place, end) or _gone_behind(clause, place, end)):
            yield frozenset().union(*(word.terms for word in clause[place:end]))
        place = max(end, place + 1)


def _gone_before(clause: Sequence[_Word], place: int, end: int) -> bool:
    """Whether it was said before: "switched from X to Y", "gave up the X", but not "replaced the X disk"."""
    if end < len(clause) and not (clause[end].small or clause[end].gone):
        return False
    between = [word.folded for word in clause[max(0, place - _MOST_BETWEEN) : place]]
    for word in reversed(clause[max(0, place - _MOST_BETWEEN) : place]):
        if word.gone:
            is_from = not _FROM.isdisjoint(between)
            return is_from if word.gone is Gone.FROM else _is_meant(word.gone, clause)
        if not word.small:
            return False
    return False


def _gone_behind(clause: Sequence[_Word], place: int, end: int) -> bool:
    """Whether it is said behind it: "X durch Y ersetzt", "X was sold", but not "X replaced Y"."""
    between: list[_Word] = []
    for word in clause[end : end + _MOST_BETWEEN + _MOST_CAME]:
        if word.gone:
            folded = {one.folded for one in between}
            if word.gone is Gone.FROM:
                return place > 0 and clause[place - 1].folded in _FROM
            if word.gone is Gone.LAST:
                return folded.isdisjoint(_ACTIVE)
            if word.gone is Gone.OBJECT:
                return not folded.isdisjoint(_PASSIVE) or _is_by(clause, word)
            return word.gone is Gone.NEGATED and _is_meant(word.gone, clause)
        between.append(word)
        if not between[0].small or sum(not one.small for one in between) > _MOST_CAME:
            return False
    return False


def _is_by(clause: Sequence[_Word], word: _Word) -> bool:
    """Whether a word is followed by what came instead: "X replaced by Y"."""
    following = clause[clause.index(word) + 1 :]
    return bool(following) and following[0].folded in _BY


def _is_meant(how: Gone, clause: Sequence[_Word]) -> bool:
    return how is not Gone.NEGATED or any(word.folded in _NOT for word in clause)


def _is_anothers(clause: Sequence[_Word], gone: frozenset[str], old: str) -> bool:
    """Whether it is told of someone or something else: the first word that counts is in neither."""
    known = content_words(old)
    for word in clause:
        if word.gone or word.terms & gone:
            return False
        if word.name and not word.small:
            return known.isdisjoint(word.terms)
    return False


@lru_cache(maxsize=2_048)
def _words_for_gone(text: str) -> frozenset[str]:
    """What may say in a text that something is gone: few have a word for it, and only those need a closer look."""
    found = _CUES.intersection(_LETTERS.findall(fold(text)))
    return found if text.isascii() else found.union(SIGNS.findall(text))


@lru_cache(maxsize=2_048)
def _clauses(text: str) -> tuple[str, ...]:
    """The clauses of a text that may say that something is gone."""
    words = _words_for_gone(text)
    ends = [end.span() for end in _CLAUSE_END.finditer(text)]
    begins = [0, *(behind for _, behind in ends)]
    each = [text[begin:end] for begin, (end, _) in zip(begins, ends, strict=False)]
    return tuple([one for one in each if any(word in one or word in fold(one) for word in words)])


@lru_cache(maxsize=2_048)
def _words(clause: str) -> tuple[_Word, ...]:
    """The words of a clause that says that something is gone; none if it does not."""
    for one, known in _AS_ONE:
        clause = one.sub(known, clause)
    written = [token for _, token in tokens(clause)]
    return tuple(map(_word, written)) if any(map(_how_gone, written)) else ()


@lru_cache(maxsize=16_384)
def _word(token: str) -> _Word:
    gone = _how_gone(token)
    if is_gram(token):
        return _Word(token, frozenset(), gone is None, gone, name=False)
    folded = fold(token)
    terms = frozenset(index_terms(token))
    small = folded in _SMALL or all(map(is_stop, terms))
    return _Word(folded, terms, small, gone, name=token[:1].isupper())


@lru_cache(maxsize=16_384)
def _how_gone(token: str) -> Gone | None:
    if is_gram(token):
        return Gone.LAST if SIGNS.search(token) else None
    return how_gone(fold(token))
