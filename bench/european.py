"""German and Russian sentences of made-up notes, and the facts in them.

Only nouns whose nominative and accusative are alike are used, so that templates stay grammatical.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.scene import Fact, Language, Scene
from bench.words import listed

_DE_FIRST = listed("""
Garten Keller Küchen Heizungs Fahrrad Werkstatt Boots Schul Chor Reise Balkon Dach Brief Wasser
Strom Bücher Wetter Hafen Miet Steuer Urlaubs Werkzeug Garagen Apfel Honig
""")
_DE_SECOND = listed("""
liste rechnung lampe tür leitung karte kiste planung prüfung sammlung lieferung mappe ordnung
anlage
""")
_DE_THINGS = listed("""
das_Fenster die_Pumpe das_Schloss die_Bohrmaschine das_Regal die_Säge das_Angebot die_Versicherung
das_Rezept die_Batterie das_Protokoll die_Leiter das_Gutachten die_Kündigung das_Paket
die_Quittung das_Messgerät die_Dichtung das_Zeugnis die_Bestellung
""")
_DE_DONE = listed("""
repariert bestellt bezahlt geprüft gemessen gestrichen gefunden verliehen abgeholt ersetzt
gereinigt eingebaut unterschrieben verschoben fotografiert gekündigt
""")
_DE_TODO = listed("""
prüfen bestellen bezahlen abholen streichen ersetzen messen reinigen verschicken kündigen
""")
_DE_ADJECTIVES = listed("""
neu alt teuer billig undicht zu_laut zu_klein verbogen verschwunden fertig brauchbar nass
verstaubt
""")
_DE_WHERE = listed("""
im_Keller im_Garten in_der_Küche im_Büro auf_dem_Balkon in_der_Werkstatt am_Hafen im_Archiv
in_der_Garage im_Treppenhaus
""")
_DE_MONTHS = listed("""
Januar Februar März April Mai Juni Juli August September Oktober November Dezember
""")
_DE_DAYS = listed("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag")


def _de_thing(s: Scene) -> str:
    if s.rng.random() < 0.5:
        return f"die {s.pick(_DE_FIRST)}{s.pick(_DE_SECOND)}"
    return s.pick(_DE_THINGS).replace("_", " ")


def _de(s: Scene, words: list[str]) -> str:
    return s.pick(words).replace("_", " ")


_GERMAN: tuple[Callable[[Scene], str], ...] = (
    lambda s: f"{s.first_name()} hat {_de_thing(s)} {_de(s, _DE_WHERE)} {s.pick(_DE_DONE)}.",
    lambda s: f"Noch offen: {_de_thing(s)} {s.pick(_DE_TODO)}, spätestens bis {s.pick(_DE_DAYS)}.",
    lambda s: (
        f"{s.first_name()} meint, {_de_thing(s)} sei {_de(s, _DE_ADJECTIVES)};"
        f" wir warten bis {s.pick(_DE_DAYS)}."
    ),
    lambda s: f"Aus {s.place()} kam heute {_de_thing(s)}, leider {_de(s, _DE_ADJECTIVES)}.",
    lambda s: (
        f"Am {s.number(1, 29)}. {s.pick(_DE_MONTHS)} haben wir {_de_thing(s)}"
        f" {s.pick(_DE_DONE)} und {_de_thing(s)} gleich mit."
    ),
    lambda s: (
        f"Für {_de_thing(s)} {s.number(9, 900)} € ausgegeben, {s.first_name()} weiß Bescheid."
    ),
    lambda s: (
        f"Mit {s.first_name()} nach {s.place()} gefahren, {s.number(2, 400)} km,"
        f" {_de_thing(s)} lag hinten."
    ),
    lambda s: (
        f"Wenn {_de_thing(s)} wieder {_de(s, _DE_ADJECTIVES)} ist, zuerst {s.first_name()} fragen."
    ),
)


def _de_key(s: Scene) -> Fact:
    where, who = f"{s.pick(_DE_FIRST)}haus in {s.place()}", s.person()
    return Fact(
        f"Der Ersatzschlüssel für das {where} liegt bei {who}.",
        f"Wer hat den Ersatzschlüssel für das {where}?",
        who,
        "natural",
    )


def _de_cost(s: Scene) -> Fact:
    who, what, price = s.person(), _de_thing(s), f"{s.number(20, 4000)} €"
    return Fact(
        f"{who} verlangt für {what} jetzt {price}.",
        f"Wie viel verlangt {who} für {what}?",
        price,
        "natural",
    )


_RU_THINGS = listed("""
насос договор шкаф фильтр замок счёт чертёж отчёт билет кабель датчик журнал ящик план ключ
паспорт велосипед двигатель кран график рецепт словарь альбом прибор конверт чемодан котёл якорь
парус
""")
_RU_ADJECTIVES = listed("""
новый старый тяжёлый дорогой дешёвый запасной сломанный длинный зелёный синий пустой полный тихий
""")
_RU_DONE = listed("""
проверил починил заказал оплатил измерил покрасил нашёл отдал заменил почистил установил подписал
""")
_RU_WHERE = listed("""
в_подвале на_балконе в_мастерской у_соседа на_складе в_гараже на_даче в_кабинете на_кухне в_архиве
на_причале в_сарае
""")
_RU_NAME_STARTS = listed("""
Бел Вор Гал Дем Ерм Жар Зор Кал Лат Мор Нар Озер Пав Рыл Сам Тар Уш Фил Чер
""")
_RU_NAME_ENDS = listed("анов ёнов унин итский енко арев олин ушев овский якин еров ыгин атов")
_RU_DAYS = listed("понедельника вторника среды четверга пятницы субботы воскресенья")


def _ru_name(s: Scene) -> str:
    return s.pick(_RU_NAME_STARTS) + s.pick(_RU_NAME_ENDS)


def _ru_where(s: Scene) -> str:
    return s.pick(_RU_WHERE).replace("_", " ")


_RUSSIAN: tuple[Callable[[Scene], str], ...] = (
    lambda s: (
        f"{_ru_name(s)} {s.pick(_RU_DONE)} {s.pick(_RU_ADJECTIVES)} {s.pick(_RU_THINGS)}"
        f" {_ru_where(s)}."
    ),
    lambda s: f"Снова ищем {s.pick(_RU_THINGS)}: {_ru_name(s)} видел его {_ru_where(s)}.",
    lambda s: (
        f"За {s.pick(_RU_ADJECTIVES)} {s.pick(_RU_THINGS)} заплатили {s.number(9, 900)} евро,"
        f" {_ru_name(s)} согласен."
    ),
    lambda s: (
        f"Нужен {s.pick(_RU_THINGS)} до {s.pick(_RU_DAYS)},"
        f" {_ru_name(s)} привезёт его {_ru_where(s)}."
    ),
    lambda s: (
        f"{_ru_name(s)} считает, что {s.pick(_RU_THINGS)} слишком {s.pick(_RU_ADJECTIVES)},"
        f" а {_ru_name(s)} так не считает."
    ),
    lambda s: f"На собрании в {s.place()} обсудили {s.pick(_RU_THINGS)} и {s.pick(_RU_THINGS)}.",
)


def _ru_number(s: Scene) -> Fact:
    who, thing, number = _ru_name(s), s.pick(_RU_THINGS), str(s.number(100, 9999))
    return Fact(
        f"{who} хранит {thing} в ячейке номер {number}.",
        f"В какой ячейке {who} хранит {thing}?",
        number,
        "script",
    )


def _ru_moved(s: Scene) -> Fact:
    who, thing, where = _ru_name(s), s.pick(_RU_THINGS), s.place()
    return Fact(
        f"{who} забыл {thing} в посёлке {where}.",
        f"Где {who} забыл {thing}?",
        where,
        "script",
    )


GERMAN = Language(
    name="de",
    headings=("Heute", "Offene Fragen", "Entscheidungen", "Erledigt", "Einkauf", "Gespräch"),
    sentences=_GERMAN,
    facts=(_de_key, _de_cost),
    chunk_chars=1400,
)
RUSSIAN = Language(
    name="ru",
    headings=("Сегодня", "Вопросы", "Решения", "Дом", "Покупки", "Разговор"),
    sentences=_RUSSIAN,
    facts=(_ru_number, _ru_moved),
    chunk_chars=990,
)
