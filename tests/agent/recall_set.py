"""Memories of seven people in six languages, and what they type to an agent.

Written before anything was tuned on it. Each prompt names the words of the line that it needs; the
unrelated ones are everyday requests that nothing in the notes can help with.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Someone's notes, the prompts with the words that each one needs, and other talk."""

    notes: dict[str, str]
    needed: tuple[tuple[str, str], ...]
    unrelated: tuple[str, ...]


GERMAN = Person(
    {
        "MEMORY.md": """# Gedächtnis

## Familie
- Meine Frau Annika ist Hebamme und hat dienstags und donnerstags Nachtdienst.
- Unser Sohn Jonte (9) ist gegen Walnüsse allergisch, Haselnüsse gehen.
- Schwiegermutter Gerda hört schlecht: bitte anrufen, keine Sprachnachrichten.
- Hochzeitstag ist der 23. Mai.

## Regeln
- Rechnungen immer als PDF und mit Bestellnummer verschicken.
- Keine Termine vor 9:30 Uhr.
- Briefe an das Finanzamt nur per Einschreiben.

## Haus
- Die Heizungsfirma ist Bruns & Sohn, Telefon 0441 88231, Kundennummer K-5512.
- Der Sicherungskasten steht im Keller hinter der Werkbank.
- WLAN der Gäste: Netz Deichblick, Kennwort liegt in der Küchenschublade.
""",
        "memory/wohnmobil.md": """# Wohnmobil

- Fahrzeughöhe 2,95 m, Länge 6,36 m; Führerschein Klasse B reicht.
- Die Gasprüfung läuft im April 2027 ab.
- Reifendruck vorn 4,5 bar, hinten 5,0 bar.
- Die Bordbatterie wurde im März getauscht (LiFePO4, 150 Ah).
""",
        "memory/verein.md": """# Ruderverein

Die Hallenzeiten sind montags 18 bis 20 Uhr. Den Schlüssel für das Bootshaus hat Momme.
Beiträge werden im Februar eingezogen. Das Boot „Krabbe“ hat einen Riss am Bug und darf nicht aufs Wasser.
""",
    },
    (
        ("Back einen Walnusskuchen für Jontes Geburtstag", "Haselnüsse"),
        ("Die Heizung ist kalt, wen soll ich anrufen?", "Bruns"),
        ("Schick Gerda eine Sprachnachricht zum Namenstag", "bitte anrufen"),
        ("Passt unser Wohnmobil in eine Garage mit 2,80 m Höhe?", "2,95"),
        ("Mach mir einen Termin beim Zahnarzt um 8 Uhr", "9:30"),
        ("Schreib den Brief an das Finanzamt", "Einschreiben"),
        ("Können wir am Samstag mit der Krabbe rudern?", "Riss"),
        ("Wie viel Luft muss in die Reifen vom Wohnmobil?", "4,5 bar"),
        ("Plan für Donnerstagabend ein Essen mit Annika", "Nachtdienst"),
        ("Wo ist der Sicherungskasten?", "Werkbank"),
    ),
    (
        "Schreib ein Gedicht über den Herbst",
        "Wie funktioniert eine Blockchain?",
        "Übersetze diesen Satz ins Englische",
        "Danke, das war alles",
        "Schreib mir eine Funktion, die zwei Zahlen addiert",
        "Was ist die Hauptstadt von Kanada?",
        "Erklär mir den Treibhauseffekt",
        "Mach bitte weiter",
        "Wie lange muss ein Ei kochen?",
        "Fass den Text zusammen",
        "Welches Handy soll ich kaufen?",
        "Korrigiere die Rechtschreibung",
    ),
)
FRENCH = Person(
    {
        "MEMORY.md": """# Mémoire

- Je suis végétarienne depuis 2019 ; le poisson non plus.
- Mon frère Bastien vit à Lyon, 14 rue des Tanneurs, code 27B9.
- Pas de réunion le vendredi après-midi.
- Mon médecin est le docteur Lemaître, cabinet fermé le mercredi.
- Le chat s'appelle Pruneau et prend son comprimé pour la thyroïde à 19 h.
- Je préfère les réponses courtes, sans listes.
""",
        "memory/atelier.md": """# Atelier de céramique

- Le four monte à 1 260 °C ; biscuit à 980 °C.
- Fournisseur de grès : Terres de Puisaye, délai de dix jours.
- L'émail céladon coule au-dessus de 1 250 °C.
- Les cours du samedi sont limités à huit personnes.
- L'assurance de l'atelier est chez MAIF, contrat 4471-203-B.
""",
        "memory/voyages.md": """# Voyages

Pour Lisbonne nous avons réservé l'hôtel Alma, du 3 au 8 mai, annulation gratuite jusqu'au 20 avril.
Bastien ne prend jamais l'avion : toujours le train.
""",
    },
    (
        ("Réserve un restaurant de fruits de mer pour mon anniversaire", "végétarienne"),
        ("Quel est le code de l'immeuble de Bastien ?", "27B9"),
        ("Programme une réunion vendredi à 15 h avec l'équipe", "Pas de réunion"),
        ("Donne à manger à Pruneau ce soir, autre chose ?", "comprimé"),
        ("À quelle température cuire le biscuit ?", "980"),
        ("Commande du grès pour l'atelier la semaine prochaine", "Puisaye"),
        ("Inscris quatre amis de plus au cours du samedi", "huit personnes"),
        ("Trouve un vol pour Bastien jusqu'à Lisbonne", "train"),
        ("Prends rendez-vous chez le docteur mercredi", "fermé le mercredi"),
    ),
    (
        "Écris une chanson sur la pluie",
        "Comment trier une liste en Python ?",
        "Résume cet article en trois phrases",
        "Continue, s'il te plaît",
        "Quelle est la hauteur de la tour Eiffel ?",
        "Écris une fonction qui additionne deux nombres",
        "Explique-moi la photosynthèse",
        "Corrige les fautes de ce texte",
        "Combien de temps cuire un œuf ?",
    ),
)
SPANISH = Person(
    {
        "MEMORY.md": """# Memoria

- Mi hija Lucía tiene clase de violín los lunes a las 17:00.
- No como gluten: soy celíaco desde 2015.
- El coche es un Seat León azul, matrícula 4821 KLM; la ITV vence en junio.
- Mi jefa es Carmen Ortuño; prefiere los informes los jueves, nunca por correo.
- La contraseña del wifi está detrás del router.
- El fontanero de confianza es Paco, 611 204 877.
""",
        "memory/huerto.md": """# Huerto

- El riego por goteo se abre a las 6:30 durante veinte minutos.
- Las tomateras de este año son de la variedad rosa de Barbastro.
- No usar azufre con más de 30 grados.
- Las gallinas ponen menos en diciembre; comen maíz y avena.
""",
        "memory/tesis.md": """# Tesis

El director es el profesor Iglesias. La defensa está prevista para el 12 de marzo en el aula B-204.
El formato de las citas es Chicago, con notas al pie.
""",
    },
    (
        ("Hazme pan de trigo para el desayuno", "celíaco"),
        ("Hay una fuga en el baño, ¿a qué fontanero llamo?", "611 204 877"),
        ("¿Cuándo tengo que pasar la ITV del coche?", "junio"),
        ("Manda el informe a Carmen por correo", "nunca por correo"),
        ("Queda con Lucía el lunes a las cinco en el parque", "violín"),
        ("Echa azufre en el huerto hoy, hace 34 grados", "más de 30"),
        ("¿En qué aula es la defensa de la tesis?", "B-204"),
        ("Da formato a las citas del capítulo dos de la tesis", "Chicago"),
        ("Cambia la hora del riego a las ocho", "6:30"),
    ),
    (
        "Escribe un cuento sobre un dragón",
        "¿Cuál es la capital de Australia?",
        "Explícame qué es una derivada",
        "Sigue, por favor",
        "Escribe una función que sume dos números",
        "¿Qué tiempo hace en Noruega?",
        "Corrige la ortografía de este texto",
        "¿Cuánto tarda en cocer un huevo?",
        "Borra la rama antigua",
    ),
)
CHINESE = Person(
    {
        "MEMORY.md": """# 记忆

- 我对花生过敏，外卖要备注。
- 女儿小满每周三下午四点上游泳课。
- 老板姓梁，周报要在周五中午前发给他。
- 家里的路由器是华硕 AX86U，管理地址 192.168.50.1。
- 妈妈住在苏州，生日是农历八月初三。
- 出差只坐高铁二等座，不坐飞机。
""",
        "memory/装修.md": """# 装修

- 客厅墙面用的是都芳乳胶漆，色号 N304。
- 水电师傅老周，电话 13805550142。
- 厨房台面要预留 62 厘米给洗碗机。
- 卫生间防水要做 48 小时闭水试验。
""",
        "memory/猫.md": """# 猫

团子是一只橘猫，五岁，对鸡肉不耐受，只吃鸭肉罐头。下一次疫苗在明年二月。
""",
    },
    (
        ("帮我点一份宫保鸡丁外卖", "花生过敏"),
        ("给团子买点鸡肉零食", "鸭肉"),
        ("周三下午四点安排个会议", "游泳课"),
        ("客厅的墙要补漆，色号是多少？", "N304"),
        ("订一张去北京出差的机票", "高铁"),
        ("厨房水管漏了，叫水电师傅", "13805550142"),
        ("洗碗机的位置要留多宽？", "62 厘米"),
        ("路由器后台怎么进？", "192.168.50.1"),
    ),
    (
        "写一首关于秋天的诗",
        "什么是量子力学？",
        "把这段话翻译成英文",
        "继续",
        "写一个排序函数",
        "法国的首都是哪里？",
        "帮我改一下错别字",
        "鸡蛋要煮多久？",
        "今天天气怎么样",
        "推荐一部电影",
    ),
)
JAPANESE = Person(
    {
        "MEMORY.md": """# メモリー

- 妻の美咲は甲殻類アレルギーなので、えびとかには避ける。
- 会議は午前中に入れない。
- 車検は来年の二月十日まで。
- 実家の父は補聴器を使っているので、電話はゆっくり話す。
- 請求書は毎月二十五日に送る。
- 会社の複合機は京セラ、保守の電話は 0120-555-834。
""",
        "memory/自転車.md": """# 自転車

- フレームサイズは 54。タイヤは 700x28C。
- チェーンは十一速、シマノ CN-HG701。
- 前のブレーキパッドは九月に交換した。
""",
        "memory/ピアノ.md": """# ピアノ教室

佐伯先生のレッスンは火曜の十九時。発表会は六月で、曲はドビュッシーの「月の光」。調律は毎年十月。
""",
    },
    (
        ("美咲の誕生日にえび料理の店を予約して", "甲殻類"),
        ("明日の午前十時に会議を入れて", "午前中に入れない"),
        ("車検はいつまで？", "二月十日"),
        ("複合機が紙詰まり、保守に電話して", "0120-555-834"),
        ("自転車の新しいタイヤを注文して", "700x28C"),
        ("発表会の曲は何だった？", "月の光"),
        ("請求書はいつ送ればいい？", "二十五日"),
        ("火曜の夜七時に歯医者を予約して", "十九時"),
    ),
    (
        "秋の俳句を作って",
        "ブラックホールとは何ですか",
        "この文を英語に訳して",
        "続けてください",
        "二つの数を足す関数を書いて",
        "フランスの首都はどこですか",
        "文章を校正して",
        "卵は何分ゆでればいい？",
        "おすすめの映画を教えて",
    ),
)
RUSSIAN = Person(
    {
        "MEMORY.md": """# Память

- Жена Оля не ест мёд и прополис: аллергия.
- Сын Тимур ходит на шахматы по средам в 18:30.
- Отчёты начальник Аркадий Львович читает только на бумаге.
- Страховка на машину заканчивается 14 сентября, полис ХХХ 0381.
- Код от подъезда мамы: 73к19.
- По воскресеньям я не работаю и на письма не отвечаю.
""",
        "memory/дача.md": """# Дача

- Насос стоит в колодце, включать только при уровне воды выше метра.
- Ключ от сарая висит под крыльцом.
- Яблони обрезать в марте, до набухания почек.
- Газовый баллон меняли в июле.
""",
        "memory/лодка.md": """# Лодка

Мотор Ямаха 9,9, масло для редуктора менять каждые сто часов. Винт запасной лежит в рундуке.
""",
    },
    (
        ("Испеки Оле медовик на юбилей", "аллергия"),
        ("Отправь отчёт начальнику по почте", "на бумаге"),
        ("Запиши Тимура к врачу в среду в 18:30", "шахматы"),
        ("Когда кончается страховка на машину?", "14 сентября"),
        ("Включи насос на даче", "выше метра"),
        ("Где лежит ключ от сарая?", "под крыльцом"),
        ("Какой код у маминого подъезда?", "73к19"),
        ("Пора менять масло в моторе лодки?", "сто часов"),
    ),
    (
        "Напиши стихи про зиму",
        "Что такое рекурсия?",
        "Переведи этот текст на английский",
        "Продолжай, пожалуйста",
        "Напиши функцию сложения двух чисел",
        "Какая столица у Канады?",
        "Исправь ошибки в тексте",
        "Сколько варить яйцо?",
        "Посоветуй фильм",
    ),
)
PEOPLE = {
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "zh": CHINESE,
    "ja": JAPANESE,
    "ru": RUSSIAN,
}

# Everyday requests that the example workspace has nothing for.
MORE_UNRELATED = (
    "Write a Dockerfile for a Node app",
    "How do I center a div in CSS?",
    "Draft a polite reply declining a job offer",
    "Make the button blue and move it to the right",
    "Run the tests and commit",
    "Explain the difference between TCP and UDP",
    "Plan a three day itinerary for Tokyo",
    "Convert this JSON to YAML",
    "What is the time complexity of quicksort?",
    "Review my pull request",
    "Please continue",
    "Write a regex that matches email addresses",
    "Give me ideas for a birthday party for kids",
    "Tell me a joke about programmers",
    "Upgrade the dependencies and check that the build is green",
    "Why is the sky blue?",
    "Translate 'good morning' into Korean",
    "Create a table with three columns",
    "Delete the old branch",
    "What does this error mean: segmentation fault",
    "Proofread this paragraph",
    "Set up a new repository with a README",
    "Which phone should I buy this year?",
    "How long do I boil an egg?",
    "Add logging to the server",
    "Generate test data for a shop",
    "What is the weather like in spring in Norway?",
    "Write a function that adds two dates",
    "Show me how to fold a paper plane",
    "What is the best way to learn guitar?",
)
