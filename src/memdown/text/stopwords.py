"""Words that carry no meaning in a question: short lists, written out as people write them.

They are indexed like all others; only a question leaves them out, by the language it is asked in:
*die*, *war*, *door* and *dan* are words like any other in a question that is not German or Dutch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from memdown.text.scripts import fold
from memdown.text.stemming import stem
from memdown.text.terms import is_gram, ordered_terms, tokens

STOP_WORDS: Final = """
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

ao aos às com como da das de do dos e ela elas ele eles em era esta está este eu foi há isso isto já
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

# What people say when they ask about themselves and their own: forms of *my* and *have*, and verbs that only ask
# for a name. They are left out of a question in their language, if they are written small: Mia and Ben are names.
_PERSONAL: Final = """
shall might must mine ours myself ourselves yourself theirs hadn couldn whats

ab alles bist dein deine deinem deinen deiner deines dich dir eigentlich euch eure habe haben habt hast hattest hieß
heißen heißt ihnen ihrem ihren ihrer jede jedem jeden jeder jedes kannst keinem keinen keiner können könnte könnten meine
meinem meinen meiner meines möchte muss musst müssen nenne nennen nennt seid seinem seinen seiner seit soll sollen sollte
unsere unserem unseren unserer unseres viel viele weil werde wieviel womit wofür woran worauf worüber wovon wozu würde

a ai as avait avaient avez avoir avons ça chez combien dont été êtes était étaient être eu faut même miens nomme nomment
appelle appelles appellent appelait peut peux peuvent quoi sommes suis si sera tes tous tout toute toutes lequel laquelle
lesquels lesquelles y depuis

a cuáles cuánta cuántas cuánto cuántos cada debe debo eres esas esos estaba estamos están estas estos estoy fueron había
hace han has he hemos llama llaman llamaba llamas llamo mía mías mío míos mis nosotros nuestra nuestras nuestro nuestros
o os otra otro puede puedo si soy somos tengo tenemos tenía tiene tienen ti todo todos tu tus tú usted ustedes vuestra
vuestro

a abbiamo anche avere aveva avete chiama chiamano chiamava chiami col cosa cos dai degli dello devo deve era erano essere
hai ho li ma mia mie miei mio ne nei nostra nostre nostri nostro o perche posso può quanta quante quanti quanto quei quella
quelle quelli queste questi sei si sia siamo siete sta stai sto sua sue sui suo suoi tu tua tue tuo tuoi tutti tutto voi
vostra vostro

a à ainda até chama chamam chamava devo deve dela dele deles és estão estava estou eram foram fui lhe meus minhas muito
nossa nossas nosso nossos num numa nós o os pelas pelos pode posso quanta quantas quantos quais seus somos sou sobre só
suas te temos tenho teu tua tinha tudo uns umas vocês

af al alle alles ben bent daar dus eens elk elke haar hadden heb hebben hebt heet heette heten hier hun iets ja jij jou jouw
jullie kunnen kun mag mij mijne moet moeten na noemt nu omdat onder ons onze toch u uw veel wanneer was wiens wil word wordt
zo zou zouden zelf zonder zullen

будет будут вами ваш ваша ваше ваши вашего вашей все всё всех еще ещё зовут звали называется зачем кем куда мой моя моё мои
моего моей моему моем моих моим мою можно может мной нам нами нас наш наша наше наши нашего нашей нашему наших нашу ней ним
нужно надо откуда очень свой своя своё своего своей свою себя себе сколько тебе тебя твой твоя твои твоего твоей тоже чей
чья чьё чьи этой этого этом эту этих
"""

# The numbers of German and Dutch in these lists, and of Russian.
_BENT: Final = frozenset((1, 6))
_RUSSIAN: Final = 7

# How people speak of themselves, in the order of the lists above; but for the endings of Russian, as they are indexed.
_OF_ONESELF: Final = """
i im ive me mine my myself our us we

ich mein meine meinem meinen meiner meines mich mir uns unser unsere unserem unseren unserer wir

je ma mes moi mon nos notre nous

me mi mis nosotros nuestra nuestras nuestro nuestros yo

io mi mia mie miei mio noi nostra nostre nostri nostro

eu me meu meus minha minhas nossa nossas nosso nossos nós

ik me mij mijn ons onze wij

меня мне мной мои моя моё мой моего моей мою мы нам нас наш наша наши я
"""

# With these questions begin; hardly one of them means something else in another language.
_ASKING: Final = """
wann warum was welche welchem welchen welcher welches wem wen wer wie wieso wo woher wohin
comment où pourquoi quand quel quelle quelles quels que qui cuál cuándo dónde qué quién quiénes
che chi dov dove perché quale quali onde qual quais quanto quem hoe waar waarom wat welk
"""

# Stop words of one language that are words or names in another.
_AMBIGUOUS: Final = """
am bin dan die dies door du hat hem her het hoe kan los ma man met mi mit mon nos ohne pas par
per pour sans se sin son sur ta tot tu uno van war waren wat wel wen yo
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
    """Whether a term carries no meaning in a question of some language."""
    return term in _stop_terms()


def without_stop_words(terms: Iterable[str]) -> list[str]:
    """The terms that are no stop words in any language."""
    stop = _stop_terms()
    return [term for term in terms if term not in stop]


def plain(word: str) -> str:
    """The form that stop words are compared in: as it is written, but for the endings of Russian."""
    folded = fold(word)
    return folded if folded.isascii() or not "а" <= folded[:1] <= "я" else stem(folded)


def stop_words_of(words: Sequence[str]) -> frozenset[str]:
    """The stop words of the language that a question with these plain words is asked in."""
    languages = _languages_of(words)
    return _all_of(_by_language, languages) if languages else _in_any_language()


def personal_words_of(words: Sequence[str]) -> frozenset[str]:
    """What says little more in the language of a question, unless it is written as a name."""
    return _all_of(_personal, _languages_of(words))


def first_person_of(words: Sequence[str]) -> frozenset[str]:
    """How people speak of themselves in the language of a question with these plain words, as terms; nothing if
    nothing tells the language."""
    return _all_of(_of_oneself, _languages_of(words))


def bends_verbs(words: Sequence[str]) -> bool:
    """Whether a question with these plain words is in German or Dutch, where *ge-* makes participles."""
    languages = _languages_of(words)
    return bool(languages) and _BENT.issuperset(languages)


@lru_cache(maxsize=64)
def _all_of(
    lists: Callable[[], Sequence[frozenset[str]]], languages: tuple[int, ...]
) -> frozenset[str]:
    """The words of some languages together, of these lists."""
    return frozenset().union(*(lists()[number] for number in languages))


def _languages_of(words: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the languages that a question with these plain words may be in; none if nothing tells.

    One word tells no language, unless it asks and stands first, or only Russian is written so: *door* alone is
    not Dutch. Those that are words or names elsewhere tell none, and count unless others tell it: *war in Europe*.
    """
    return _languages_by_words(words[0] if words else "", frozenset(words))


@lru_cache(maxsize=64)
def _languages_by_words(first: str, words: frozenset[str]) -> tuple[int, ...]:
    by_word, lists = _languages_of_word(), _by_language()
    counts = [0] * len(lists)
    for word in words:
        for number in by_word.get(word, ()):
            counts[number] += 1
    if first in _asking():
        for number, stop in enumerate(lists[1:], start=1):
            counts[number] += first in stop
    most, english = max(counts), len(words & lists[0])
    if max(most, english) <= 1:
        return (_RUSSIAN,) if counts[_RUSSIAN] else ()
    if english >= most:
        return (0,)
    return tuple(number for number, count in enumerate(counts) if count == most)


def is_asked(text: str) -> bool:
    """Whether a text has a word that sentences are made of, in any language or script."""
    known = _english_and_others()
    return any(is_gram(word) or plain(word) in known for _, word in tokens(text))


def looks_english(words: Iterable[str]) -> bool:
    """Whether the stop words among these are those of English rather than of another language."""
    asked = frozenset(words)
    return len(asked & _by_language()[0]) > len(asked & _others())


def is_english(text: str) -> bool | None:
    """Whether a text is in English; None if nothing tells."""
    words = frozenset(plain(word) for _, word in tokens(text))
    english = len(words & _by_language()[0])
    others = len(words & _others()) + sum(map(is_gram, words))
    return None if english == others else english > others


@cache
def _by_language() -> tuple[frozenset[str], ...]:
    """The lists in the order they stand in, English first."""
    return _lists(STOP_WORDS)


@cache
def _personal() -> tuple[frozenset[str], ...]:
    return _lists(_PERSONAL)


@cache
def _of_oneself() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(ordered_terms(words)) for words in _OF_ONESELF.split("\n\n"))


def _lists(written: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(plain, words.split())) for words in written.split("\n\n"))


@cache
def _languages_of_word() -> Mapping[str, Sequence[int]]:
    """The numbers of the languages other than English that each word tells."""
    found: dict[str, list[int]] = {}
    for number, stop in enumerate(_by_language()):
        for word in (stop | _personal()[number]) - _ambiguous() if number else ():
            found.setdefault(word, []).append(number)
    return found


@cache
def _others() -> frozenset[str]:
    return frozenset().union(*_by_language()[1:])


@cache
def _english_and_others() -> frozenset[str]:
    return _by_language()[0] | _others()


@cache
def _in_any_language() -> frozenset[str]:
    """Those that are stop words whatever the language."""
    return _by_language()[0] | _others() - _ambiguous()


@cache
def _ambiguous() -> frozenset[str]:
    return frozenset(_AMBIGUOUS.split())


@cache
def _asking() -> frozenset[str]:
    return frozenset(map(fold, _ASKING.split()))


@cache
def _stop_terms() -> frozenset[str]:
    """As terms: words are stop words as words, pieces of other scripts as pieces."""
    words = (term for term in ordered_terms(STOP_WORDS) if not is_gram(term))
    return frozenset((*words, *filter(is_gram, ordered_terms(_RUNS))))
