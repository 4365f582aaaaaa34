"""Words by which a text says that something is gone: it was given up, or exchanged for something else.

They are one word each, so that a passage which has one is known when it is indexed. The lists are of many
languages; what stands in none of them tells nothing.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from memdown.text.scripts import fold
from memdown.values import pattern


class Gone(Enum):
    """How a word says that something is gone."""

    # Of what is behind it, or in a passive before it: "sold the car", "the car was sold".
    OBJECT = auto()
    # The same, and at the end of a clause of what stands before it: "den Wagen verkauft".
    LAST = auto()
    # Of what it went from: "moved from X".
    FROM = auto()
    # Only with a "not": "no longer X", "X nicht mehr".
    NEGATED = auto()
    # Of what is behind it: "instead of X".
    INSTEAD = auto()


_WORDS: Final = {
    Gone.OBJECT: """
        replaced replaces replacing swapped exchanged traded left quit dropped ditched scrapped abandoned sold
        retired stopped cancelled canceled ended discontinued deprecated superseded outgrew rid
        remplacé remplacée remplacés remplace quitté abandonné vendu vendue arrêté résilié troqué supprimé
        dejé dejó dejado dejamos sustituido sustituida sustituimos sustituyó reemplazado reemplazamos reemplazó
        vendí vendió vendido abandonado cancelado cancelé
        deixei deixou deixámos deixamos substituído substituída substituiu substituímos trocou troquei trocámos
        trocamos vendi vendeu vendido abandonou larguei largou cancelei
        lasciato lasciata sostituito sostituita venduto venduta smesso abbandonato disdetto rimpiazzato
        заменили заменил заменила заменен продал продала продали бросил бросила отменили
    """,
    Gone.LAST: """
        ersetzt ersetzen getauscht ausgetauscht eingetauscht gekündigt abbestellt verkauft verlassen abgeschafft
        aufgegeben abgelöst abgemeldet gestrichen
        vervangen verkocht opgezegd verlaten ingeruild afgeschaft geruild
    """,
    Gone.FROM: """
        moved moving switched switching changed migrated migrating ported went
        gewechselt wechselt umgestellt umgestiegen migriert umgezogen
        passé passés migré changé cambiamos cambié cambió cambiado migrado migramos pasamos pasado
        mudei mudou mudámos mudamos migrou migrámos migramos passámos passamos
        passato passati cambiato migrato gewisseld overgestapt gemigreerd перешли перешел перешла
    """,
    Gone.NEGATED: "longer anymore more mehr plus ya já più meer больше",
    Gone.INSTEAD: "instead statt anstelle anstatt lieu vez lugar posto plaats вместо",
}
_HOW: Final = {fold(word): how for how, words in _WORDS.items() for word in words.split()}
GONE_WORDS: Final = frozenset(_HOW)
"""All words, folded, that say so."""

# Chinese, Japanese, Thai and Korean: what stands before them is gone, mostly.
SIGNS: Final = pattern(
    "换成|換成|改用|改成|改为|不再|替换|取代|卖掉|卖了|取消|停用|辞职|离职|离开|放弃"
    "|に変更|から変|乗り換え|やめ|辞め|売り|売った|解約|廃止|ではなく|の代わりに|移行"
    "|เปลี่ยน|เลิก|ยกเลิก|ขาย|แทน|ลาออก"
    "|바꿨|바꾸|교체|그만|팔았|대신|취소"
)


def how_gone(folded: str) -> Gone | None:
    """How a folded word says that something is gone; None if it does not."""
    return _HOW.get(folded)
