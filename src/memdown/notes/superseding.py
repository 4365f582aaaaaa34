"""Whether a newer fact replaces an older one: surely, perhaps, or not at all (pure functions).

Told by what statements have in common and by how the newer one speaks: that something ended or took
another's place ("quit", "handed over", "postponed"), in the words of ten languages, or that one thing that
can only be one at a time (where it is, what it costs, who it is) is now another. In doubt it is not sure.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Sequence
from enum import IntEnum
from itertools import takewhile
from typing import Final, Literal

from memdown.notes.details import (
    FactDetails,
    content_words,
    details_of,
    differ_in_one_detail,
    is_among,
    same_fact,
)
from memdown.notes.exchanges import gives_up
from memdown.notes.placing import INBOX
from memdown.notes.relations import restated, tells_of_another
from memdown.notes.roots import date_of
from memdown.notes.statements import Fact
from memdown.text import fold, index_terms, is_stop
from memdown.text.dates.words import MONTHS, WEEKDAYS
from memdown.text.wording import WordPattern
from memdown.values import pattern


class Replaced(IntEnum):
    """How sure it is that a newer fact takes the place of an older one."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


# What ended, was exchanged, put off, raised or mended, by language. Words that may tell of something that
# comes besides ("new", "began", "got", "now") are not among them.
_ENDED: Final = WordPattern(
    # en
    r"\b(?:stopped|quits?|gave up|given up|dropped out|ended|cancell?ed|called off|closed|shut down|discontinued"
    r"|retired|resigned|(?:has|have|had|she|he|they) left|left (?:us|for|the|his|her|their)|moved"
    r"|passed away|died|expired|sold|got rid of|gave away|broke up|broken up|split up|divorced|separated|fell through"
    r"|replaced|replaces|swapped|switched|changed|exchanged|traded|took over|taken over|takes over|handed|succeeded"
    r"|succeeds|instead|rather than|turned .{0,30}into|converted|rewrote|rewritten|rebuilt|migrated|ported"
    r"|transferred|relocated|reassigned|renamed|rebranded|upgraded|downgraded|updated|revised|correction|corrected"
    r"|amended|postponed|pushed|put off|delayed|slipped|rescheduled|brought forward|extended|shortened|shifted"
    r"|rebooked|raised|increased|went up|gone up|rose|risen|grown|reduced|lowered|cut .{0,40}to|went down|down to"
    r"|fell to|decreased|repaired|fixed|recovered|healed|back to|no longer|not any ?more|any ?more|never again"
    r"|used to|formerly|after all|turns out|actually|nowadays|these days|from now on|in the end|can't make"
    r"|dropped to|sank to|climbed to|grew to|jumped to|doubled|halved|tripled|shrank|refinanced|stepped (?:down|aside)"
    r"|retrained|outgrew|outgrown|ditched|scrapped|phased out|superseded|overbooked|laid off|fired|promoted|demoted"
    r"|altered|went back to|gone back to|settled on|relicensed|finished"
    # de
    r"|aufgehort|hort .{0,20}auf|beendet|abgebrochen|gekundigt|kundigt|abgesagt|abgemeldet|abgegeben|geschlossen"
    r"|verkauft|verlassen|ausgezogen|weggezogen|gestorben|verstorben|rente|ruhestand|pensioniert|getrennt"
    r"|geschieden|ersetzt|getauscht|ausgetauscht|gewechselt|wechselt|umgestellt|umgestiegen|umgezogen|gezogen|zieht um|zieht nach"
    r"|umgebaut|umgebucht|umgeschrieben|umgewandelt|umbenannt|ubernommen|ubernimmt|ubergeben|abgelost"
    r"|nachfolger\w*|verlegt|verschoben|verlangert|verkurzt|vorgezogen|vertagt|erhoht|gestiegen|gesunken|gesenkt"
    r"|reduziert|teurer|billiger|gewachsen|repariert worden|geheilt|genesen|doch|nicht mehr|kein\w* .{0,20}mehr"
    r"|nur noch|statt|stattdessen|anstelle|anstatt|sondern|inzwischen|mittlerweile|ab sofort|kunftig|neuerdings"
    r"|korrektur|korrigiert|geandert|andert|aktualisiert|abgelaufen|fallt aus|ausgefallen"
    r"|verdoppelt|halbiert|umgeschult|zuruckgetreten|tritt zuruck|befordert|abgeschafft|aufgegeben|verschenkt"
    r"|umgemeldet|entlassen|zuruckgegeben|gewichen|hingeschmissen|abbestellt|verspatet|ausgelesen"
    # fr
    r"|arrete|cesse|fini|termine|quitte|partie?s?|demissionne|retraite|decede|vendue?|rompu|separes?"
    r"|annulee?|resilie|remplac\w+|echange|change|changee?|passe (?:a|au|aux|en)|bascule|migre"
    r"|transferee?|demenage|renommee?|repris|reprend|cede|reportee?|repoussee?|avancee?|decalee?|prolongee?"
    r"|augmente|baisse|montee? a|descendue? a|reduite?|repare|gueri|ne .{1,25} plus|n'\w+ plus|au lieu"
    r"|plutot|desormais|dorenavant|finalement|en fait|corrigee?"
    r"|laissee?|passees? (?:a|au|aux|en)|abandonne|supprimee?|doublee?|promue?|licenciee?|troque|modifiee?|retardee?"
    # es
    r"|dejo|dejado|dejan?|termino|terminado|se fue|se ha ido|se marcho|renuncio|jubil\w+|murio|fallecio|cerro"
    r"|cerrado|vendio|vendido|rompieron|divorci\w+|cancel\w+|anul\w+|sustitu\w+|reemplaz\w+|cambi\w+"
    r"|pas[ao] (?:a|al)|(?:ha|han) pasado|migr\w+|traslad\w+|se mudo|mudado|renombr\w+|relev[ao]\w*|aplaz\w+"
    r"|pospuest\w+|adelant\w+|retras\w+|prolong\w+|subio|subido|aument\w+|bajado|reduc\w+|redujo|reparad\w+"
    r"|ya no|en vez|en lugar|sino|al final|en realidad|a partir de ahora"
    r"|modific\w+|abandon\w+|ascendid\w+|despid\w+|duplic\w+|solo queda"
    # pt
    r"|deixou|parou|terminou|saiu|foi embora|demitiu|reformou|aposent\w+|morreu|faleceu|fechou|vendeu|substitu\w+"
    r"|trocou|mudou|passou|transferid\w+|renome\w+|adiad\w+|antecip\w+|atrasad\w+|subiu|aument\w+|baixou|desceu"
    r"|reduz\w+|consert\w+|ja nao|nao .{1,25} mais|em vez|afinal|na verdade|foi (?:viver|morar|trabalhar|estudar)"
    r"|alterad\w+|modificad\w+|abandon\w+|largou|desist\w+|promovid\w+|despedid\w+|dobrou"
    # it
    r"|lasciato|smesso|finito|terminato|andat\w via|dimess\w|in pensione|mort[oa]|chius[oaie]|vendut\w|separat\w"
    r"|divorziat\w|cancellat\w|annullat\w|disdett\w|sostituit\w|cambiat\w|passat\w a\w*|migrat\w|trasferit\w"
    r"|rinominat\w|spostat\w|rinviat\w|posticipat\w|anticipat\w|prolungat\w|salit\w a\w*|aumentat\w|sces\w a\w*"
    r"|diminuit\w|ridott\w|riparat\w|guarit\w|non .{1,25} piu|invece|al posto|alla fine|in realta|d'ora in poi"
    r"|modificat\w|abbandonat\w|promoss\w|licenziat\w|raddoppiat\w|cedut\w|regalat\w|rimpiazzat\w"
    # nl
    r"|gestopt|stopt|opgezegd|afgezegd|geannuleerd|gesloten|verkocht|vertrokken|ontslag|pensioen|overleden"
    r"|gescheiden|uit elkaar|vervangen|vervangt|geruild|veranderd|gewisseld|overgestapt|overgenomen|overgedragen"
    r"|verhuisd|verplaatst|verzet|uitgesteld|vervroegd|verlengd|verhoogd|gestegen|omhoog|verlaagd|gedaald"
    r"|gerepareerd|opgehaald|niet meer|geen .{0,20}meer|nog maar|in plaats|toch|eigenlijk|voortaan"
    r"|tegenwoordig|hernoemd|gewijzigd|aangepast|afgeschaft|weggedaan|ingeruild|gepromoveerd|verdubbeld"
    r"|gehalveerd|afgestapt|ontslagen|bevorderd)\b"
    # zh, ja, th
    r"|改|换|換|搬|调到|转到|转为|升到|升为|降到|涨|跌到|推迟|延期|提前|取消|退休|离职|辞职|离开|毕业|去世|卖掉|卖了"
    r"|停止|不再|变成|修好|分手|离婚|重装|替|接手|更正|而不是|其实|不是.{1,8}而是|了[。!！]?\s*$"
    r"|に変わ|変更|異動|引っ越|転勤|転職|転校|退職|辞め|やめ|前倒し|中止|キャンセル|改名|交代|代わりに|ではなく|もう.{0,12}ない"
    r"|結局|やはり|値上|値下|に上が|に下が|直りました|別れ|売り|訂正|になりました|に決まりました"
    + "".join(
        f"|{fold(word)}"
        for word in (
            "ย้าย เปลี่ยน ไม่อีกต่อไป แทน แก้ไข เลิก ยกเลิก เลื่อน หยุด ลาออก เกษียณ ขึ้นเป็น เพิ่มเป็น ลดเหลือ กลายเป็น ซ่อมแล้ว"
        ).split()
    )
)
# Of these, what ends altogether and is not exchanged for something else.
_STOPPED: Final = re.compile(
    r"\b(?:stopped|quit|gave up|given up|cancell?ed|no longer|not any ?more|sold|got rid of|ended|discontinued|finished"
    r"|aufgehort|beendet|gekundigt|abgesagt|abbestellt|verkauft|nicht mehr|kein\w* .{0,20}mehr|arrete|resilie|annulee?|vendue?"
    r"|ne .{1,25} plus|n'\w+ plus|dejo|dejado|ya no|vendio|vendido|cancel\w+|parou|deixou|vendeu|ja nao|smesso|lasciato"
    r"|vendut\w|disdett\w|non .{1,25} piu|gestopt|opgezegd|verkocht|niet meer|geen .{0,20}meer)\b"
)
# Without "no" and "ne", which say something else in other languages.
_DENIED: Final = WordPattern(
    r"\b(?:not|isn't|doesn't|don't|never|nicht|kein|keine|keinen|pas|jamais|nunca|nao|non|niet|geen|nooit)\b"
)
# A state, and what tells that it is over: broken, ill, a couple, away, not done yet.
_STATES: Final = tuple(
    (WordPattern(rf"\b(?:{before})\b|{signs[0]}"), WordPattern(rf"\b(?:{after})\b|{signs[1]}"))
    for before, after, signs in (
        (
            "broken|defective|out of order|down|kaputt|defekt|en panne|cassee?|rot[oa]|averiad[oa]|estragad[oa]"
            "|avariad[oa]|rott[oa]|guast[oa]|kapot|stuk",
            "repaired|fixed|works again|working again|up again|repariert|funktioniert wieder|geht wieder|lauft wieder"
            "|reparee?|remarche|reparad[oa]|arreglad[oa]|consertad[oa]|riparat[oa]|aggiustat[oa]|gerepareerd|gemaakt",
            ("坏了|故障|壊れ", "修好|直りまし|直った"),
        ),
        (
            "ill|sick|in hospital|in the hospital|krank|im krankenhaus|malade|a l'hopital|enferm[oa]|doente|malat[oa]|ziek",
            "recovered|well again|healthy again|out of hospital|discharged|home from (?:the )?hospital|home again|gesund|genesen|entlassen|wieder zu hause|sortie? de l'hopital|en casa|em casa|dimess[oa]|a casa|guerie?|retablie?"
            "|recuperad[oa]|curad[oa]|recuperou|guarit[oa]|hersteld|beter",
            ("生病|住院|病気|入院", "康复|病好|出院|治りまし|退院"),
        ),
        (
            "dating|engaged|married|together|a couple|zusammen|verlobt|verheiratet|ensemble|marie[es]*|sale con|salen"
            "|casad[oa]s?|namora\\w*|sposat[oaie]|insieme|samen|getrouwd",
            "broke up|split up|separated|divorced|getrennt|geschieden|rompu|separes?|divorces?|lo han dejado|rompieron"
            "|separad[oa]s|divorciad[oa]s|separaram|lasciat[oi]|separat[oi]|divorziat[oi]|uit elkaar|gescheiden",
            ("在一起|结婚|交往|付き合", "分手|离婚|別れ|離婚"),
        ),
        (
            "pregnant|expecting|schwanger|enceinte|embarazada|gravida|incinta|zwanger",
            "gave birth|had (?:her|the|a|their) baby|entbunden|baby ist da|accouche|dio a luz|deu a luz|partorito|bevallen",
            ("怀孕|妊娠", "生了|出産"),
        ),
        (
            "single|ledig|celibataire|solter[oa]|solteir[oa]|vrijgezel",
            "engaged|married|dating|in a relationship|verlobt|verheiratet|liiert|marie[es]*|fiancee?|casad[oa]|novi[oa]"
            "|fidanzat[oa]|sposat[oa]|getrouwd|verloofd",
            ("单身|独身", "结婚|订婚|結婚"),
        ),
        (
            "unemployed|looking for a job|out of work|arbeitslos|auf jobsuche|au chomage|en paro|sin trabajo"
            "|desempregad[oa]|disoccupat[oa]|werkloos",
            "found (?:a|work)|has a job|got a job|stelle gefunden|arbeit gefunden|trouve (?:un|du)|ha encontrado"
            "|encontrou|ha trovato|heeft werk|baan gevonden",
            ("失业|無職", "找到工作|就職"),
        ),
        (
            "owes?|schuldet|schulde|doit|debe|debo|deve|devo",
            "paid .{0,20}back|repaid|zuruckgezahlt|zuruckbezahlt|rembourse|devolvio|ha devuelto|devolveu|pagou|restituito"
            "|terugbetaald",
            ("欠", "还清|还了"),
        ),
        (
            "away|abroad|on holiday|on vacation|on leave|travelling|traveling|im urlaub|verreist|unterwegs|en vacances"
            "|en voyage|de vacaciones|de viaje|de ferias|em viagem|in vacanza|in viaggio|op vakantie|op reis",
            "(?:is|are) back|came back|returned|zuruck|wieder da|rentree?s?|de retour|revenue?s?|ha vuelto|han vuelto"
            "|de vuelta|voltou|voltaram|tornat[oaie]|terug",
            ("出差|度假|休假|出張中|休暇中", "回来|戻り"),
        ),
        (
            "open|pending|unfinished|not done|in progress|offen|ausstehend|in arbeit|en cours|en attente|pendiente"
            "|en curso|pendente|em curso|in corso|in sospeso|openstaand",
            "done|finished|completed|closed|solved|resolved|settled|erledigt|fertig|abgeschlossen|gelost|terminee?"
            "|resolue?|regle|terminad[oa]|resuelt[oa]|cerrad[oa]|concluid[oa]|resolvid[oa]|finit[oa]|risolt[oa]|conclus[oa]"
            "|klaar|afgerond|opgelost",
            ("进行中|未完成|対応中", "完成|解决|完了|解決"),
        ),
    )
)
_AUXILIARIES: Final = frozenset(
    term
    for word in fold(
        "has have had hat haben bin bist wurde wurden worden ont ete ai as avons ha han he hemos foi foram sido "
        "stato stata stati hanno ho heeft hebben werd zum zur get gets got"
    ).split()
    for term in index_terms(word)
)
# Somebody who moved something else: "moved the meeting", "moved his desk".
_MOVED_ELSE: Final = pattern(
    r"\bmoved (?!to\b|into\b|in\b|out\b|from\b|away\b|back\b|house\b|home\b|on\b|over\b|here\b|there\b|again\b|indoors\b)"
)
# A thing of which there is one: it is named by an article or as somebody's.
_DEFINITE: Final = frozenset(
    fold(
        "the our my his her their your der die das unser unsere mein meine sein seine ihr ihre le la les l "
        "notre nos mon ma mes son sa ses leur el los las nuestro nuestra mi mis su sus o a os as il lo gli i "
        "nosso nossa meu minha seu sua nostro nostra mio mia suo sua loro de het onze ons mijn zijn haar hun"
    ).split()
)
# What can only be one at a time of such a thing: what it is, where it is, when, how much.
_ONE_AT_A_TIME: Final = frozenset(
    fold(
        "is are was were costs weighs starts begins opens closes ends leaves meets stands lies hangs sits runs lives "
        "works listens ist sind war kostet wiegt beginnt startet offnet schliesst endet fahrt steht liegt hangt "
        "wohnt heisst lauft wird betragt est sont coute pese commence ouvre ferme finit part habite s'appelle "
        "tourne es son esta estan cuesta pesa empieza abre cierra termina sale vive llama e sao fica custa comeca "
        "fecha sai mora chama sono costa inizia chiude parte abita chiama zijn kost weegt begint opent sluit "
        "vertrekt staat ligt hangt woont heet draait"
    ).split()
)
_COPULAS: Final = frozenset(
    fold(
        "is are was ist sind war heisst est sont s'appelle es son esta estan llama e sao chama sono chiama zijn heet"
    ).split()
)
# What somebody or something has one of: a favourite, a size, an address.
_ATTRIBUTES: Final = WordPattern(
    r"\b(?:favou?rite|liebling\w*|prefer\w+|favorit\w+|lievelings\w*|colou?r|\w*farbe|couleur|color|cor|colore|kleur"
    r"|size|\w*grosse|taille|talla|tamanho|taglia|\w*maat|address|adresse|direccion|endereco|indirizzo|adres|name|nom"
    r"|nombre|nome|naam|brand|marke|marque|marca|merk|language|sprache|langue|idioma|lingua|taal|job|beruf|metier"
    r"|status|default|standard|currency|format|version|model|modell|modele|modelo|modello|type|typ|theme|motto|title"
    r"|titel|titre|titulo|titolo|provider|anbieter|supplier|lieferant|vendor|diagnosis|diagnose|password hint)\b"
)
# Of these people have several.
_SEVERAL: Final = WordPattern(
    r"\b(?:neighbou?r|friend|colleague|brother|sister|cousin|uncle|aunt|son|daughter|child|member|customer|student"
    r"|nachbar\w*|freund\w*|kolleg\w*|bruder|schwester|onkel|tante|sohn|tochter|kind|mitglied|kund\w*|voisine?|amie?"
    r"|collegue|frere|soeur|oncle|fils|fille|enfant|vecin[oa]|amig[oa]|coleg\w*|companer[oa]|herman[oa]|prim[oa]|ti[oa]"
    r"|hij[oa]|vizinh[oa]|irma\w?|filh[oa]|vicin[oa]|collega|fratello|sorella|zi[oa]|figli[oa]|cugin[oa]|buur\w*|vriend\w*"
    r"|broer|zus|oom|zoon|dochter|kind|lid|klant)\b"
)
_POSSESSIVE: Final = pattern(r"\w['’]s?$")
_INDEFINITE: Final = frozenset("a an ein eine einen einem einer un une una uno um uma een".split())
# Where, when or with what something is: behind these any word says it.
# What is done to a thing that is in one place: "are stored at".
_KEPT: Final = frozenset(
    "stored kept parked located placed filed hidden registered docked moored housed hosted hung".split()
)
_PLACED: Final = frozenset(
    fold(
        "in at on under behind beside near with by from to im am auf unter hinter neben bei mit zu vor aus um "
        "nach dans sur sous chez avec au aux du en con sobre bajo tras por para no na nos nas ao em com sob nel "
        "nella al alla sul sulla sotto dietro presso op onder achter naast bij met te naar los las le"
    ).split()
)
_LEADING_DAY: Final = pattern(r"(?:\*\*)?\d{4}-\d\d-\d\d\b")
_TOKEN: Final = pattern(r"[\w'’][\w'’.:/,-]*")
_DAY_SIGNS: Final = pattern(r"(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜")
_NUMBER_SIGNS: Final = pattern(r"[一二三四五六七八九十百千万两〇零]+[点时元块个月日号年楼岁斤级班]")
_CLOCK: Final = pattern(r"\b\d{1,2}[:h.]\d\d\b|\b\d{1,2} ?(?:h|am|pm|uhr|o'clock)\b|\d+[点時时]")
_UNSPACED: Final = "\u0e00"
# Longer texts say more than one thing.
_MOST_CHARACTERS: Final = 140
_FEWEST_SHARED: Final = 2
_TAKEN_UP: Final = 0.6
_MOST_NEW, _MOST_OTHER, _MOST_SIGNS = 5, 2, 8
_MOST_VALUE: Final = 4
_FEWEST_SIGNS, _SIGNS_TAKEN_UP = 2, 0.34
_TITLES: Final = frozenset(
    term
    for title in "dr mr mrs ms prof doctor doctora docteur dottor dottoressa herr frau monsieur madame senor senora".split()
    for term in index_terms(title)
)
_GRAMMAR: Final = pattern("[\u3040-\u309f]")
Kind = Literal["day", "clock", "number", "other"]


@functools.lru_cache(maxsize=8192)
def replaced(old: str, new: str, asked: frozenset[str] = frozenset()) -> Replaced:
    """How sure it is that a fact is replaced by a newer one; `asked` are the words of a question."""
    if max(len(old), len(new)) > _MOST_CHARACTERS or same_fact(old, new):
        return Replaced.NO
    if details_of(new).change.besides:
        return Replaced.NO
    if _is_one_slot(old, new) or _is_same_role(old, new) or gives_up(new, old, asked):
        return Replaced.SURELY
    if content_words(old).isdisjoint(content_words(new)):
        return Replaced.NO
    if _is_restated(old, new) or _state_is_over(old, new) or _is_denied(old, new):
        return Replaced.SURELY
    if not tells_end(new) or another_event(old, new):
        return Replaced.NO
    return _ended_by(old, new, asked)


def contradicts(older: Fact, newer: Fact) -> bool:
    """Whether a newer fact of the notes surely says something else about the same thing."""
    places = ((older.path, older.heading), (newer.path, newer.heading))
    if another_event(older.text, newer.text) or stand_apart(*places, older.text, newer.text):
        return False
    return differ_in_one_detail(older, newer) or replaced(older.text, newer.text) is Replaced.SURELY


def stand_apart(one: tuple[str, str], other: tuple[str, str], first: str, second: str) -> bool:
    """Whether two facts stand below different headings of lasting notes, and name nobody in common.

    "Lives in Porto" below Nora and "moved to Braga" below Teo are about two people. Each place is a path
    and the headings above the fact.
    """
    sections = [heading.rpartition(" > ") for _, heading in (one, other)]
    if any(date_of(path) is not None for path, _ in (one, other)):
        return False
    if any(not above or title == INBOX for above, _, title in sections):
        return False
    if sections[0] == sections[1]:
        return False
    return details_of(first).names.isdisjoint(details_of(second).names)


@functools.lru_cache(maxsize=8192)
def tells_end(text: str) -> bool:
    """Whether a text says that something ended or took another's place."""
    return bool(_ENDED.search(_MOVED_ELSE.sub(" ", fold(text))))


def another_event(old: str, new: str) -> bool:
    """Whether two texts tell of two events or things: two repairs, two runs of so many km in so many minutes."""
    if _two_events(old, new):
        return True
    if content_words(old).isdisjoint(content_words(new)):
        return False
    if tells_of_another(old, new, _told_end(new)):
        return True
    return _two_numbers(details_of(new), details_of(old)) and not _is_restated(old, new)


def _two_events(old: str, new: str) -> bool:
    dated = _LEADING_DAY.match(old) or _LEADING_DAY.match(new)
    return bool(dated) or _same_event(old, new)


@functools.lru_cache(maxsize=8192)
def _is_restated(old: str, new: str) -> bool:
    """Whether both name a value of the same relation, which has one at a time."""
    if _two_events(old, new):
        return False
    return restated(old, new, _told_end(new))


def _told_end(text: str) -> frozenset[str]:
    """The words by which a text tells that something ended or changed."""
    return _ended_terms(text) if tells_end(text) else frozenset()


def _ended_by(old: str, new: str, asked: frozenset[str]) -> Replaced:
    """How sure it is that a text which tells of an end tells of the end of this fact."""
    fresh, known = details_of(new), details_of(old)
    spaced = old[:1] < _UNSPACED
    ended = _ended_terms(new)
    telling = {
        word for word in known.words if word not in _ended_terms(old) and not _has_digit(word)
    }
    if not spaced:
        # Pairs of signs that are words; single signs and endings stand in everything.
        telling = {word for word in telling if len(word) > 1 and not _GRAMMAR.search(word)}
    shared = {word for word in telling if is_among(word, fresh.words)}
    said = {word for word in telling if is_among(word, asked)}
    come = {
        word
        for word in fresh.words
        if word not in ended and word not in _AUXILIARIES and not is_among(word, known.words)
    }
    fewest = _FEWEST_SHARED if spaced else _FEWEST_SIGNS
    if _is_anothers(shared, old, new):
        return Replaced.NO
    if shared and _other_value(old, new) and not come - _values(new):
        # Nothing is said but another time or number of what the older fact is about.
        return Replaced.SURELY
    if len(shared) >= fewest and _other_value(old, new) and len(come - _values(new)) < fewest:
        return Replaced.SURELY
    if spaced and not come and _STOPPED.search(fold(new)) and _is_said_of(shared, old):
        # Nothing is said but that it ended.
        return Replaced.SURELY
    whole = bool(telling) and shared == telling
    most = (_MOST_NEW if whole else _MOST_OTHER) if spaced else _MOST_SIGNS
    people = spaced and not whole and all(_is_name(word, old) for word in shared)
    if len(come - _values(new)) > most or (people and come - details_of(new).names):
        # Of people, and of what is told at length, much can be said that ends nothing.
        return Replaced.PERHAPS if len(shared) >= fewest else Replaced.NO
    share = _TAKEN_UP if spaced else _SIGNS_TAKEN_UP
    if len(shared) >= fewest and len(shared) >= share * len(telling):
        return Replaced.SURELY
    if len(said & shared) >= fewest and len(said & shared) >= (0.5 + 0.1 * spaced) * len(said):
        return Replaced.SURELY
    return Replaced.PERHAPS if shared & said or len(shared) >= fewest else Replaced.NO


@functools.lru_cache(maxsize=8192)
def _state_words(text: str) -> tuple[tuple[int, frozenset[str], frozenset[str]], ...]:
    """The states that a text tells of, by number, with a minus if over; its words before it, and all others."""
    folded = fold(text)
    found = []
    for number, (state, over) in enumerate(_STATES, start=1):
        ended = over.search(folded)
        match = ended or state.search(folded)
        if match:
            ahead, behind = folded[: match.start()], folded[match.end() :]
            if text[:1] >= _UNSPACED:
                # Without spaces all that stands before is whom it is about.
                who = frozenset((ahead.rstrip("在正はがも"),))
                found.append((-number if ended else number, who, who))
                continue
            before, every = (
                frozenset(one for one in index_terms(part) if _tells(one))
                for part in (ahead, f"{ahead} {behind}")
            )
            found.append((-number if ended else number, before, every))
    return tuple(found)


def _state_is_over(old: str, new: str) -> bool:
    """Whether one says in which state something is, and the other of the same that this is over."""
    return any(
        number == -over
        and 0 < len(of) <= _MOST_OTHER
        and all(is_among(one, by) for one in of)
        and all(is_among(one, of) for one in subject)
        and len(by) - len(of) <= _MOST_OTHER
        for number, _, of in _state_words(old)
        if number > 0
        for over, subject, by in _state_words(new)
    )


def _is_denied(old: str, new: str) -> bool:
    """Whether one says that something is, and the other of the same that it is not."""
    denied = [bool(_DENIED.search(fold(text))) for text in (old, new)]
    if denied[0] == denied[1] or old[:1] >= _UNSPACED:
        return False
    fresh, known = details_of(new), details_of(old)
    said = {word for word in known.words if _tells(word) and not word.startswith("@")}
    ours = {word for word in fresh.words if _tells(word) and not word.startswith("@")}
    extra = [word for word in ours if not is_among(word, said)]
    return (
        len(said) >= _FEWEST_SHARED
        and all(is_among(word, ours) for word in said)
        and len(extra) <= _MOST_OTHER
    )


def _tells(term: str) -> bool:
    return not is_stop(term) and term not in _AUXILIARIES


def _other_value(old: str, new: str) -> bool:
    """Whether both name a day, a time or another number, and not the same."""
    kinds = [_kind(_tokens(text)) for text in (old, new)]
    if old[:1] >= _UNSPACED:
        return bool(_values(old)) and bool(_values(new)) and _values(old) != _values(new)
    return kinds[0] == kinds[1] != "other" and _values(old) != _values(new)


def _is_said_of(shared: Collection[str], old: str) -> bool:
    """Whether what is named is more than a person, of whom much else may hold, and no part of another name."""
    things = [word for word in shared if not _is_name(word, old)]
    terms = [term for term in index_terms(old) if _tells(term)]
    last = max((terms.index(word) for word in things if word in terms), default=-1)
    # A bike shop is no bike.
    behind = terms[last + 1 : last + 2] if last >= 0 and fold(old).count(" ") else []
    compound = (
        bool(behind) and behind[0] not in shared and _are_neighbours(terms[last], behind[0], old)
    )
    return (len(shared) >= _FEWEST_SHARED or bool(things)) and not compound


def _are_neighbours(one: str, other: str, text: str) -> bool:
    """Whether two terms stand side by side in a text, without a word between them."""
    words = [index_terms(word)[:1] for word in _tokens(text)]
    return any([one] == words[n] and [other] == words[n + 1] for n in range(len(words) - 1))


def _is_anothers(shared: Collection[str], old: str, new: str) -> bool:
    """Whether the newer fact is about what belongs to whom the older is about: "Pia", "Pia's brother"."""
    owners, before = _owners(new), _owners(old)
    owned = {word for word in shared if is_among(word, owners) and not is_among(word, before)}
    # If the thing itself is named by both, it is the same: "takes 5 mg of it", "Ole's dose of it in mg".
    things = [word for word in shared if word not in owned and not _is_name(word, old)]
    return bool(owned) and len(things) < _FEWEST_SHARED


@functools.lru_cache(maxsize=8192)
def _owners(text: str) -> frozenset[str]:
    found = re.findall(r"(\w+)['’]s? \w", fold(text))
    return frozenset(term for one in found for term in index_terms(one))


@functools.lru_cache(maxsize=8192)
def _is_name(term: str, text: str) -> bool:
    """Whether a term is written as a name in a text."""
    first = re.match(r"[^\W\d_a-zà-öø-ÿ][\w'’-]*", text)
    word = fold(first[0]) if first else ""
    begins = bool(word) and not is_stop(word) and word not in _DEFINITE
    if begins and term in index_terms(word):
        return True
    return term.startswith("@") or term in details_of(text).names


@functools.lru_cache(maxsize=8192)
def _ended_terms(text: str) -> frozenset[str]:
    return frozenset(term for one in _ENDED.finditer(fold(text)) for term in index_terms(one[0]))


@functools.lru_cache(maxsize=8192)
def _values(text: str) -> frozenset[str]:
    """The days and numbers of a text, as its terms have them."""
    folded = fold(text)
    found = [word for word in re.findall(r"\w+", folded) if _is_day(word)]
    found += [match[0] for sign in (_DAY_SIGNS, _NUMBER_SIGNS) for match in sign.finditer(folded)]
    terms = {term for one in found for term in index_terms(one)}
    return frozenset(terms | {one for one in details_of(text).words if _has_digit(one)})


def _is_day(word: str) -> bool:
    return word in WEEKDAYS or word in MONTHS or word.removesuffix("s") in WEEKDAYS


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _same_event(old: str, new: str) -> bool:
    """Whether both tell of the same kind of event: two repairs are two, and two moves only of a home."""
    both = {term for term in _ended_terms(old) & _ended_terms(new) if not is_stop(term)}
    return bool(both) and not {"@home", "@name", "@time"} & set(details_of(old).words)


def _two_numbers(fresh: FactDetails, known: FactDetails) -> bool:
    """Whether two numbers differ or more: 5 km in 28 minutes, 10 km in 61 minutes."""
    return len(fresh.numbers - known.numbers) > 1 and len(known.numbers - fresh.numbers) > 1


def _is_one_slot(old: str, new: str) -> bool:
    """Whether two facts begin alike up to what can be one thing only, and end with another."""
    if old[:1] >= _UNSPACED:
        return False
    ours, theirs = _frame(new), _frame(old)
    if ours[:_FEWEST_SHARED] != theirs[:_FEWEST_SHARED]:
        return False
    common = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    )
    frame, value, other = ours[:common], ours[common:], theirs[common:]
    behind = len(value)
    while value and other and value[-1] == other[-1]:
        value, other = value[:-1], other[:-1]
    behind -= len(value)
    if len(frame) < _FEWEST_SHARED or not value or not other or _is_verb(frame[0]):
        return False
    if max(len(value), len(other)) > _MOST_VALUE or not _is_definite(old, new):
        return False
    verb = next((place for place, word in enumerate(frame) if _is_verb(word)), 0)
    if not verb or _kind(value) != _kind(other) or not set(frame[verb + 1 :]) <= _PLACED | _KEPT:
        return False
    telling = [word for word in frame[:verb] if not is_stop(word)]
    kind = _kind(value)
    if kind == "other":
        # Of one thing several words may be true: the shed is red, it is small, it is on a lease.
        is_copula = frame[verb] in _COPULAS
        both = [words[0] in _PLACED for words in (value, other)]
        placed = frame[-1] in _PLACED or (all(both) and not is_copula)
        alike = not is_copula or _has_name(value, new) == _has_name(other, old)
        vague = not behind and bool(_INDEFINITE & {*value[:2], *other[:2]})
        several = bool(_SEVERAL.search(" ".join(frame)))
        named = (
            is_copula
            and not any(both)
            and _PLACED.isdisjoint((*value[1:], *other[1:]))
            and (_has_name(value, new) or bool(_ATTRIBUTES.search(" ".join(frame[:verb]))))
        )
        return alike and not vague and not several and (placed or named)
    units = [
        {word for word in words if not (_has_digit(word) or _is_day(word) or word in _PLACED)}
        for words in (value, other)
    ]
    return bool(telling) and units[0] == units[1]


def _has_name(words: Sequence[str], text: str) -> bool:
    """Whether some words hold a name; where all nouns are written like names, that is any noun."""
    names = details_of(text).names
    return any(term in names for word in words for term in index_terms(word))


def _is_verb(word: str) -> bool:
    return word in _ONE_AT_A_TIME


def _is_definite(old: str, new: str) -> bool:
    """Whether one of two texts speaks of a thing as the only one: "the rent", "Hana's bank"."""
    firsts = [_tokens(text)[:2] for text in (old, new)]
    return any(
        words[:1] and (words[0] in _DEFINITE or any(map(_POSSESSIVE.search, words)))
        for words in firsts
    )


def _kind(value: Sequence[str]) -> Kind:
    joined = " ".join(value)
    if any(map(_is_day, value)):
        return "day"
    if _CLOCK.search(joined):
        return "clock"
    return "number" if _has_digit(joined) else "other"


def _is_same_role(old: str, new: str) -> bool:
    """Whether both say who has a certain role, in either order: "Roland is the head of the choir"."""
    ours, theirs = _role(new), _role(old)
    if ours is None or theirs is None or _SEVERAL.search(fold(old)):
        return False
    same = all(is_among(word, theirs[0]) for word in ours[0]) and all(
        is_among(word, ours[0]) for word in theirs[0]
    )
    return same and ours[1] != theirs[1]


_ROLE: Final = pattern(
    r"(?:^|[.,;:!] )(?P<first>[\w'’ -]+?) (?P<verb>is|are|ist|sind|est|es|e|sono) (?P<second>[\w'’. -]+?)[.!]?$"
)


@functools.lru_cache(maxsize=8192)
def _role(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words of a role and the name of who has it: of "Ms Ek is our nurse" nurse, and Ms Ek."""
    match = _ROLE.search(fold(text))
    if match is None:
        return None
    for role, who in ((match["first"], match["second"]), (match["second"], match["first"])):
        words, name = _telling_terms(role), _telling_terms(who)
        is_role = role.split()[0] in _DEFINITE and words
        if is_role and name and all(_is_name(one, text) and not _is_day(one) for one in name):
            return words, name
    return None


def _telling_terms(text: str) -> tuple[str, ...]:
    return tuple(term for term in index_terms(text) if not is_stop(term) and term not in _TITLES)


@functools.lru_cache(maxsize=8192)
def _frame(text: str) -> tuple[str, ...]:
    """The words of a text without articles before its first verb; a colon says "is"."""
    tokens = _tokens(re.sub(r"^([^:]{3,60}): ", r"\1 is ", text))
    return tokens[1:] if tokens and tokens[0] in _DEFINITE else tokens


@functools.lru_cache(maxsize=8192)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(match.rstrip(".,:/-") for match in _TOKEN.findall(fold(text)))
