"""The words for times in several languages, folded as queries are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memdown.text import fold

# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian.
MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "january januar janner janvier enero gennaio janeiro januari январе январь января",
            "february februar fevrier febrero febbraio fevereiro februari феврале февраль февраля",
            "march marz maerz mars marzo marco maart марте март марта",
            "april avril abril aprile апреле апрель апреля",
            "may mai mayo maggio maio mei мае май мая",
            "june juni juin junio giugno junho июне июнь июня",
            "july juli juillet julio luglio julho июле июль июля",
            "august aout agosto augustus августе август августа",
            "september septembre septiembre settembre setembro сентябре сентябрь сентября",
            "october oktober octobre octubre ottobre outubro октябре октябрь октября",
            "november novembre noviembre novembro ноябре ноябрь ноября",
            "december dezember decembre diciembre dicembre dezembro декабре декабрь декабря",
        ),
        start=1,
    )
    for name in fold(names).split()
}
# Too short to be looked for on their own: they count beside a number only.
SHORT_MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        "jan janv|feb febr fev|mar mrz|apr avr|mai|jun|jul juil|aug|sep sept|oct okt|nov|dec dez".split(
            "|"
        ),
        start=1,
    )
    for name in names.split()
}
THAI_MONTHS: Final[Mapping[str, int]] = {
    fold(name): number
    for number, name in enumerate(
        (
            "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"
        ).split(),
        start=1,
    )
}
CHINESE_NUMBERS: Final[Mapping[str, int]] = {
    **{digit: number for number, digit in enumerate("一二三四五六七八九十", start=1)},
    **{f"十{digit}": number for number, digit in enumerate("一二三四五六七八九", start=11)},
    "二十": 20,
    **{f"二十{digit}": number for number, digit in enumerate("一二三四五六七八九", start=21)},
    "三十": 30,
    "三十一": 31,
}
WEEKDAYS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "monday montag lundi lunes понедельник lunedi segunda-feira maandag",
            "tuesday dienstag mardi martes вторник martedi terca-feira dinsdag",
            "wednesday mittwoch mercredi miercoles среду mercoledi quarta-feira woensdag",
            "thursday donnerstag jeudi jueves четверг giovedi quinta-feira donderdag",
            "friday freitag vendredi viernes пятницу venerdi sexta-feira vrijdag",
            "saturday samstag sonnabend samedi sabado субботу sabato zaterdag",
            "sunday sonntag dimanche domingo воскресенье domenica zondag",
        )
    )
    for name in fold(names).split()
}
UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys("day days tag tagen tage jour jours dia dias день дня дней".split(), "day"),
    **dict.fromkeys(
        "week weeks woche wochen semaine semaines semana semanas неделю недели недель".split(),
        "week",
    ),
    **dict.fromkeys(
        "month months monat monaten monate mois mes meses месяц месяца месяцев".split(), "month"
    ),
    **dict.fromkeys(
        "year years jahr jahren jahre an ans annee annees ano anos год года лет".split(), "year"
    ),
}
NUMBERS: Final[Mapping[str, int]] = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer un une una uno",
            "two zwei deux dos",
            "three drei trois tres",
            "four vier quatre cuatro",
            "five funf cinq cinco",
            "six sechs seis",
        ),
        start=1,
    )
    for word in words.split()
}

# The month in which each begins; winter goes on into the next year.
SEASONS: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        "spring fruhling fruhjahr printemps primavera voorjaar lente 春天 春季 春".split(), 3
    ),
    **dict.fromkeys(
        "summer sommer ete verano verao zomer l'estate dell'estate 夏天 夏季 夏".split(), 6
    ),
    **dict.fromkeys(
        "autumn fall herbst automne otono autunno outono herfst 秋天 秋季 秋".split(), 9
    ),
    **dict.fromkeys("winter hiver invierno inverno 冬天 冬季 冬".split(), 12),
}
ORDINALS: Final[Mapping[str, int]] = {
    word: number
    for number, words in enumerate(
        (
            "first erste erstes ersten 1er premier primer primo primeiro eerste",
            "second zweite zweites zweiten deuxieme segundo secondo tweede",
            "third dritte drittes dritten troisieme tercer terzo terceiro derde",
            "fourth last vierte viertes vierten quatrieme cuarto quarto vierde",
        ),
        start=1,
    )
    for word in words.split()
}

# A question with one of these is about every such time, not about the last one.
ALWAYS: Final = frozenset(
    "always never every each usually normally generally weekly monthly yearly "
    "immer nie niemals jeden jede jedes jeweils meistens normalerweise "
    "toujours jamais chaque nunca siempre cada sempre mai ogni nooit altijd elke "
    "всегда никогда каждый каждую".split()
)
# With one of these it is, unless it is told as what was.
RULES: Final = frozenset(
    "not do does can may must should shall is are will allowed forbidden "
    "nicht darf durfen kann konnen soll sollen muss mussen ist sind "
    "peut doit faut pas puede debe hay pode deve mag moet niet можно нельзя".split()
)
PAST: Final = frozenset(
    "did was were had happened went said wrote decided met been done "
    "war waren hat habe haben hatte hatten wurde wurden ging gab "
    "ai avons etait etaient hice hizo hicimos fue paso fiz fez foi ho abbiamo deed was "
    "был была было были делал делала сделал".split()
)

# Words that ask for the notes of a time themselves, whatever they are about.
ASKING: Final = frozenset(
    fold(
        "happen happened happening happens occurred write wrote written writing note notes noted log "
        "logs daily diary journal entry entries do did done doing day days events event up "
        "passiert passierte geschah geschehen war los machte gemacht getan tat schrieb geschrieben "
        "habe haben hat hatte hatten ai avons est cosa "
        "notiz notizen notiert tagebuch eintrag eintrage eintragen tag tage tages ereignisse "
        "passe arrive fait ecrit notes jour journal evenements paso pasaba hice hicimos escribi escribio "
        "notas nota dia diario successo fatto scritto giorno aconteceu fiz fizemos escrevi gebeurde "
        "gebeurd gedaan deed schreef geschreven dagboek dag notities "
        "случилось произошло делал делала сделал записи заметки дневник было"
    ).split()
)

GERMAN: Final = frozenset(
    "ist sind war waren wir ich du sie er der die das dem den ein eine wo was wer wie wann gibt hat "
    "haben steht von und auf mit fur am im man nicht darf kann soll muss".split()
)

TELLING: Final = frozenset(
    {*MONTHS, *WEEKDAYS, *UNITS, *SEASONS}.union(
        "yesterday today gestern vorgestern heute hier aujourd hoy ayer anteayer ieri oggi ontem "
        "hoje gisteren vandaag вчера позавчера сегодня неделе месяце году segunda terca quarta quinta "
        "sexta estate settimana scorsa scorso anno mese quarter quartal trimestre kwartaal kw "
        "christmas xmas weihnachten heiligabend noel navidad nochebuena natale natal kerst kerstmis "
        "kerstavond рождество easter ostern paques pascua pasqua pascoa pasen silvester sylvestre "
        "nochevieja silvestro oudejaarsavond neujahr nieuwjaar capodanno jaar maand mes passado "
        "passada année".split()
    )
)
TELLING_PIECES: Final = (
    *"昨 今 前 去 先 上 本 这 月 年 周 週 圣 聖 平安夜 元旦 元日 大晦日 クリスマス きのう きょう おととい".split(),
    *"春 夏 秋 冬".split(),
    "new year",
    "nouvel an",
    "jour de l'an",
    "ano n",
    *(
        fold(word)
        for word in "어제 오늘 그저께 지난 이번 작년 올해 월 크리스마스 วาน วันนี้ ที่แล้ว าคม ายน ภาพันธ์ "
        "คริสต์มาส ปีใหม่".split()
    ),
)
