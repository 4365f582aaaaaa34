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
WEEKDAYS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "monday montag lundi lunes понедельник",
            "tuesday dienstag mardi martes вторник",
            "wednesday mittwoch mercredi miercoles среду",
            "thursday donnerstag jeudi jueves четверг",
            "friday freitag vendredi viernes пятницу",
            "saturday samstag sonnabend samedi sabado субботу",
            "sunday sonntag dimanche domingo воскресенье",
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

GERMAN: Final = frozenset(
    "ist sind war waren wir ich du sie er der die das dem den ein eine wo was wer wie wann gibt hat "
    "haben steht von und auf mit fur".split()
)

TELLING: Final = frozenset(
    {*MONTHS, *WEEKDAYS, *UNITS}.union(
        "yesterday today gestern vorgestern heute hier aujourd hoy ayer anteayer ieri oggi ontem "
        "hoje gisteren vandaag вчера позавчера сегодня неделе месяце году".split()
    )
)
TELLING_PIECES: Final = (
    *"昨 今 前 去 先 上 本 这 月 年 きのう きょう おととい".split(),
    *(fold(word) for word in "어제 오늘 그저께 지난 이번 작년 올해 วาน วันนี้ ที่แล้ว".split()),
)
