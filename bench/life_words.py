"""What is told in the simulated life: threads of statements in four languages, made up by hand.

A thread is about one thing. Its statements come in order, each with the word that tells it from the others;
the last one holds. `until` is the number of days that a temporary statement holds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thread:
    """Statements about one thing, in order, with the telling word of each, and a question."""

    question: str
    statements: tuple[tuple[str, str], ...]
    repeated: bool = False
    until: int = 0


def _thread(question: str, *told: str, repeated: bool = False, until: int = 0) -> Thread:
    """A thread from texts in which the telling word stands in asterisks."""
    pairs = tuple((text.replace("*", ""), text.split("*")[1]) for text in told)
    return Thread(question, pairs, repeated, until)


ENGLISH = (
    _thread(
        "Where does Mara live?",
        "Mara lives in *Lisbon*.",
        "Mara moved to *Porto*.",
        "Mara now lives in *Braga*.",
    ),
    _thread(
        "When is the daily stand-up?",
        "The daily stand-up is at *09:30*.",
        "The daily stand-up is now at *10:15*.",
        "The daily stand-up moved to *09:45*.",
    ),
    _thread(
        "What is the phone number of the dentist?",
        "The dentist's phone number is *555-0142*.",
        "The dentist has a new phone number: *555-0199*.",
    ),
    _thread(
        "Which laptop does Oskar use?",
        "Oskar uses a *ThinkPad* laptop.",
        "Oskar switched to a *Framework* laptop.",
    ),
    _thread(
        "Who leads the billing team?",
        "*Priyanka* leads the billing team.",
        "*Tobias* now leads the billing team instead of Priyanka.",
    ),
    _thread(
        "Which database does the shop use?",
        "The shop uses *MySQL* as its database.",
        "The shop changed its database to *PostgreSQL*.",
    ),
    _thread(
        "What is the name of our cat?",
        "Our cat is called *Biscuit*.",
        "Correction: our cat is called *Biscotti*.",
    ),
    _thread(
        "What is the budget for the garden?",
        "The garden budget is *800* euros.",
        "The garden budget is *1200* euros now.",
    ),
    _thread(
        "On which day is the recycling collected?",
        "The recycling is collected on *Tuesdays*.",
        "The recycling is collected on *Thursdays* from now on.",
    ),
    _thread(
        "What does Lena drink in the morning?",
        "Lena drinks *coffee* in the morning.",
        "Lena no longer drinks coffee in the morning, she drinks *matcha*.",
    ),
    _thread(
        "What is the wifi name in the office?",
        "The wifi in the office is called *Heron*.",
        "The office wifi was renamed to *Kingfisher*.",
    ),
    _thread(
        "Which gym does Paul go to?",
        "Paul goes to the gym *IronWorks*.",
        "Paul changed to the gym *Boulderhaus*.",
    ),
    _thread(
        "Who is the landlord?",
        "The landlord is Mr *Okafor*.",
        "The new landlord is Ms *Lindqvist*.",
    ),
    _thread(
        "How large is the staging server?",
        "The staging server has *16* GB of memory.",
        "The staging server has *64* GB of memory now.",
    ),
    _thread("What is Ada allergic to?", "Ada is allergic to *hazelnuts*."),
    _thread(
        "What is the licence plate of the van?",
        "The licence plate of the van is *HH-TX 204*.",
        repeated=True,
    ),
    _thread("Where are the spare keys?", "The spare keys hang behind the *boiler*.", repeated=True),
    _thread("Which side of the bed does Rex sleep on?", "Rex the dog sleeps under the *piano*."),
    _thread(
        "Where does Oskar work from this week?", "Oskar works from *Madrid* this week.", until=6
    ),
    _thread("Who stays in the guest room?", "Aunt *Clara* stays in the guest room.", until=4),
)
GERMAN = (
    _thread(
        "Wo wohnt Jonas?",
        "Jonas wohnt in *Kassel*.",
        "Jonas ist nach *Bremen* umgezogen.",
        "Jonas wohnt jetzt in *Erfurt*.",
    ),
    _thread(
        "Wann beginnt die Chorprobe?",
        "Die Chorprobe beginnt um *19:00* Uhr.",
        "Die Chorprobe beginnt jetzt um *19:30* Uhr.",
    ),
    _thread(
        "Welche Telefonnummer hat der Hausmeister?",
        "Die Telefonnummer des Hausmeisters ist *040-7781*.",
        "Der Hausmeister hat eine neue Telefonnummer: *040-9925*.",
    ),
    _thread(
        "Welches Auto fährt Sabine?",
        "Sabine fährt einen *Octavia*.",
        "Sabine fährt jetzt einen *Twingo*.",
    ),
    _thread(
        "Wer leitet den Verein?",
        "*Henning* leitet den Verein.",
        "*Wiebke* leitet jetzt den Verein, nicht mehr Henning.",
    ),
    _thread(
        "Wie heißt die Lehrerin von Ida?",
        "Die Lehrerin von Ida heißt Frau *Petersen*.",
        "Ida hat eine neue Lehrerin, sie heißt Frau *Yilmaz*.",
    ),
    _thread(
        "Wie hoch ist die Miete?",
        "Die Miete beträgt *950* Euro.",
        "Die Miete beträgt ab sofort *1010* Euro.",
    ),
    _thread(
        "Welches Instrument spielt Ida?",
        "Ida spielt *Geige*.",
        "Ida spielt jetzt *Cello* statt Geige.",
    ),
    _thread(
        "An welchem Tag ist Wochenmarkt?",
        "Der Wochenmarkt ist am *Mittwoch*.",
        "Der Wochenmarkt wurde auf *Samstag* verschoben.",
    ),
    _thread(
        "Welche Farbe bekommt die Küche?",
        "Die Küche wird *gelb* gestrichen.",
        "Korrektur: die Küche wird *türkis* gestrichen.",
    ),
    _thread(
        "Bei welcher Bank ist das Vereinskonto?",
        "Das Vereinskonto ist bei der *Sparkasse*.",
        "Das Vereinskonto ist nicht mehr bei der Sparkasse, sondern bei der *Volksbank*.",
    ),
    _thread(
        "Wann kommt der Heizungsableser?",
        "Der Heizungsableser kommt am *3. Dezember*.",
        "Der Heizungsableser kommt doch nicht am 3., sondern am *9. Dezember*.",
    ),
    _thread(
        "Wie heißt der Drucker im Netz?",
        "Der Drucker heißt im Netz *drache*.",
        "Der Drucker wurde in *einhorn* umbenannt.",
    ),
    _thread("Welche Schuhgröße hat Ida?", "Ida hat Schuhgröße *31*."),
    _thread("Wo liegt der Impfpass?", "Der Impfpass liegt in der *Kommode*.", repeated=True),
    _thread(
        "Wie heißt die Nachbarin?", "Die Nachbarin im ersten Stock heißt *Galina*.", repeated=True
    ),
    _thread(
        "Wo steht das Fahrrad?", "Das Fahrrad steht bis zur Reparatur bei *Radhaus Kley*.", until=5
    ),
    _thread("Wer gießt die Blumen?", "*Ruben* gießt in dieser Woche die Blumen.", until=6),
)
SPANISH = (
    _thread(
        "¿Dónde vive Marta?",
        "Marta vive en *Cádiz*.",
        "Marta se mudó a *Jaén*.",
        "Marta ahora vive en *Lugo*.",
    ),
    _thread(
        "¿A qué hora es la clase de yoga?",
        "La clase de yoga es a las *18:00*.",
        "La clase de yoga ahora es a las *19:15*.",
    ),
    _thread(
        "¿Cuál es el teléfono del fontanero?",
        "El teléfono del fontanero es *600-111*.",
        "El fontanero tiene un nuevo teléfono: *600-987*.",
    ),
    _thread(
        "¿Quién es el médico de Pilar?",
        "El médico de Pilar es el doctor *Vargas*.",
        "El nuevo médico de Pilar es el doctor *Ibarra*.",
    ),
    _thread(
        "¿Dónde trabaja Diego?",
        "Diego trabaja en *Telefónica*.",
        "Diego ya no trabaja en Telefónica, ahora trabaja en *Repsol*.",
    ),
    _thread(
        "¿Cuánto cuesta el alquiler del garaje?",
        "El alquiler del garaje cuesta *75* euros.",
        "El alquiler del garaje ahora cuesta *90* euros.",
    ),
    _thread(
        "¿Cómo se llama el perro de Lola?",
        "El perro de Lola se llama *Trueno*.",
        "Corrección: el perro de Lola se llama *Bruno*.",
    ),
    _thread(
        "¿Qué día es la reunión de vecinos?",
        "La reunión de vecinos es el *lunes*.",
        "La reunión de vecinos cambió al *jueves*.",
    ),
    _thread("¿Qué coche tiene Diego?", "Diego tiene un *Seat*.", "Diego ahora tiene un *Dacia*."),
    _thread("¿Qué postre le gusta a Pilar?", "A Pilar le gusta el *flan*."),
    _thread(
        "¿Dónde está la llave del trastero?",
        "La llave del trastero está en el *cajón* azul.",
        repeated=True,
    ),
    _thread(
        "¿Cuál es la talla de Diego?", "La talla de camisa de Diego es la *42*.", repeated=True
    ),
    _thread("¿Quién cuida la casa?", "*Carmen* cuida la casa esta semana.", until=6),
    _thread(
        "¿Dónde está aparcado el coche?", "El coche está aparcado en la calle *Feria*.", until=2
    ),
)
CHINESE = (
    _thread("小林住在哪里?", "小林住在*杭州*。", "小林搬到*苏州*了。"),
    _thread("周会几点开始?", "周会*9点*开始。", "周会改为*11点*开始。"),
    _thread("供应商的联系人是谁?", "供应商的联系人是*陈梅*。", "供应商的联系人现在是*王强*。"),
    _thread("小林的手机号是多少?", "小林的手机号是*1380001*。", "小林的新手机号是*1390002*。"),
    _thread("仓库在几楼?", "仓库在*三楼*。", "仓库现在在*五楼*。"),
    _thread("项目叫什么名字?", "项目的名字叫*青鸟*。", "项目改名叫*白鹭*了。"),
    _thread("预算是多少?", "展会的预算是*两万*元。", "展会的预算现在是*三万*元。"),
    _thread("老张开什么车?", "老张开*比亚迪*。", "老张现在开*蔚来*。"),
    _thread("小林对什么过敏?", "小林对*花生*过敏。"),
    _thread("备用钥匙放在哪里?", "备用钥匙放在*鞋柜*里。", repeated=True),
    _thread("谁在办公室值班?", "这周*小赵*在办公室值班。", until=5),
)
# Added after the rules were settled, and never used to settle them.
HELD_OUT = (
    _thread(
        "Which airline does Farid fly with?",
        "Farid always flies with *Finnair*.",
        "Farid always flies with *Iberia* these days.",
    ),
    _thread(
        "What is the code of the bike lock?",
        "The bike lock opens with *3390*.",
        "The bike lock now opens with *7812*.",
    ),
    _thread(
        "Where is the summer party?",
        "The summer party takes place in the *orchard*.",
        "The summer party was moved indoors, to the *barn*.",
    ),
    _thread(
        "Wer ist unsere Steuerberaterin?",
        "Unsere Steuerberaterin ist Frau *Thielen*.",
        "Seit Oktober ist Frau *Marquardt* unsere Steuerberaterin.",
    ),
    _thread(
        "Wann fährt der letzte Bus?",
        "Der letzte Bus fährt um *23:10*.",
        "Neuer Fahrplan: der letzte Bus fährt um *22:40*.",
    ),
    _thread(
        "Welchen Kindergarten besucht Emil?",
        "Emil besucht den Kindergarten *Regenbogen*.",
        "Emil geht nicht mehr in den Regenbogen, sondern in den Kindergarten *Spatzennest*.",
    ),
    _thread(
        "¿Qué idioma estudia Nerea?",
        "Nerea estudia *alemán*.",
        "Nerea dejó el alemán y ahora estudia *coreano*.",
    ),
    _thread(
        "¿Quién entrena al equipo?",
        "*Ramiro* entrena al equipo.",
        "El equipo tiene nueva entrenadora: *Azucena*.",
    ),
    _thread("老师姓什么?", "钢琴老师姓*孙*。", "换了钢琴老师,新老师姓*郑*。"),
)
LANGUAGES = {"en": ENGLISH, "de": GERMAN, "es": SPANISH, "zh": CHINESE, "held out": HELD_OUT}
# What happens besides, and has nothing to do with any question.
ASIDE = (
    "Watered the tomatoes and repaired the hose.",
    "Long call with the tax office about the form.",
    "Read two chapters of the book on tides.",
    "Fixed a flaky test in the importer.",
    "Der Kuchen ist angebrannt, trotzdem gegessen.",
    "Spaziergang am Kanal, drei Reiher gezählt.",
    "Die Steuerunterlagen sortiert.",
    "Comimos paella en la playa.",
    "El tren llegó tarde otra vez.",
    "今天下雨,改坐地铁。",
    "整理了旧照片。",
    "Sketched the shelf for the study.",
    "Backups of the photo archive finished.",
    "Neue Glühbirne im Keller eingesetzt.",
    "Compré tomates y albahaca en el mercado.",
    "Learned to fold a paper crane.",
)
