"""Words that carry no meaning in a question: short lists, written out as people write them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from memdown.text.terms import Cache, is_gram, ordered_terms, piece_terms, short_grams

_WORDS: Final = """
a about after all also am an and any are as at be because been before being but by can could did
didn do does doesn doing don for from had has hasn have haven having he her here hers him his how i
if in into is isn it its just me more most my no nor not of on or our out over own she should
shouldn so some such than that the their them then there these they this those to too under until
up us very was wasn we were weren what when where which while who whom whose why will with won
would wouldn you your yours

aber alle als am an auch auf aus bei beim bin bis da damit das dass dem den denn der des die dies
diese diesem diesen dieser dieses doch du ein eine einem einen einer eines er es euer für gibt hat
hatte hatten ich ihm ihn ihr ihre im in ist ja kann kein keine man mein mich mir mit nach nicht
noch nur ob oder ohne sein seine sich sie sind so über um und uns unser unter vom von vor wann war
waren warum was welche welchem welchen welcher welches wem wen wenn wer werden wie wieso wird wir
wo woher wohin wurde wurden zu zum zur

alors au aux avec ce ces cet cette ceux comme comment dans de des donc du elle elles en est et eux
il ils je la le les leur leurs lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas
pour pourquoi quand que quel quelle quelles quels qui sa sans se ses son sont sur ta te tes toi ton
tu un une vos votre vous

al como con cual cuál cuando cuándo de del desde dónde el ella ellas ellos en entre era es esa ese
eso esta está este esto fue ha hay la las le les lo los más me mi muy nos o para pero por porque
qué quien quién quiénes se ser sin sobre son su sus te un una unas uno unos y ya yo

ai al alla che chi ci come con cui da dal dalla dei del della delle di dov dove e ed gli ha hanno i il
in io la le lei lo loro lui ma mi nel nella non per perché più qual quale quali quando quello
questa questo sono su sul sulla ti tra un una uno è

ao aos às com como da das de do dos e ela elas ele eles em era esta este eu foi há isso isto já
mais mas me meu minha na nas não nem no nos o onde os ou para pela pelo por porque qual quais
quando quanto que quem são se sem ser seu sua também tem um uma você

aan als bij dan dat de der deze die dit door een en er geen had heb heeft hem het hij hoe ik in is
je kan maar me met mijn naar niet nog of om ook op over te tot uit van voor waar waarom waren wat
we wel welk welke wie wij worden zal ze zich zij zijn

а без был была были было бы в вам вас во вот вы где да для до его ее ей если есть же за и из или им
их к как какая какие какого какое какой каком какую когда кого кому которая которые который кто ли
между меня мне мы на над не него нее нет ни них но о об он она они оно от по под почему при про с
свои со так такой там те тем то того только тот ты у уже чего чем что чтобы чье эта эти это этот я
"""

# What questions are made of in the scripts that are searched by pieces.
_RUNS: Final = """
什么 什麼 甚麼 谁 誰 哪 哪个 哪個 哪些 哪里 哪裡 多少 怎么 怎麼 为什么 為什麼 的 了 是 吗 嗎 呢 吧 和 与 在 我们 你们 他们
是什么 了什么 叫什么 什么时候 何时 有多少 是多少 是哪 在哪 的哪 哪一 哪位 哪种 谁是 如何
の は が を に へ と で も か です ます ました でした である という とは から まで には では した して いる どこ どの だれ いつ なぜ どう 何 これ それ
のは は何 は誰 はどこ はいつ 何と 何年
무엇 무엇인가 누구 누구인가 언제 언제인가 어디 어디인가 어떤 얼마나 왜 은 는 이 가 을 를 의 에 에서 와 과 도 인가 인가요 이다 있는 하는 하였다 것은
는가 었는가 였는가 였나
อะไร ใคร ที่ไหน เมื่อไร เมื่อไหร่ อย่างไร ทำไม เท่าไร เท่าใด คือ ของ และ ที่ ใน เป็น ได้ ให้ มี ว่า จาก หรือ การ ไหน ใด
เมื่อใด ใดที่ สิ่งใด อะไรบ้าง ว่าอะไร กี่ อยู่
"""


def is_stop(term: str) -> bool:
    """Whether a term carries no meaning in a question."""
    return term in (_stop_grams() if is_gram(term) else _stop_words())


def without_stop_words(terms: Iterable[str]) -> list[str]:
    """The terms that can be found: stop words are not indexed, they would be half of the index."""
    stop = _stop_words()
    return [term for term in terms if term not in stop]


def findable_terms(text: str) -> str:
    """The terms of a text that can be found, joined by spaces, as the keyword index stores them."""
    found = " ".join(map(_FINDABLE.__getitem__, text.split()))
    return found if found.isascii() else " ".join([found, *short_grams(found.split())])


_FINDABLE: Final = Cache(lambda piece: without_stop_words(piece_terms(piece)))


def looks_english(terms: Iterable[str]) -> bool:
    """Whether the stop words among the terms are those of English rather than of another language."""
    english, others = _stop_words_by_language()
    seen = set(terms)
    return len(seen & english) > len(seen & others)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset().union(*_stop_words_by_language())


@cache
def _stop_words_by_language() -> tuple[frozenset[str], frozenset[str]]:
    """Those of English, which come first, and those of the other languages."""
    english, others = _WORDS.split("\n\n", maxsplit=1)
    return frozenset(ordered_terms(english)), frozenset(ordered_terms(others))


@cache
def _stop_grams() -> frozenset[str]:
    return frozenset(ordered_terms(_RUNS))
