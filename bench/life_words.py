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


def thread(question: str, *told: str, repeated: bool = False, until: int = 0) -> Thread:
    """A thread from texts in which the telling word stands in asterisks."""
    pairs = tuple((text.replace("*", ""), text.split("*")[1]) for text in told)
    return Thread(question, pairs, repeated, until)


ENGLISH = (
    thread(
        "Where does Mara live?",
        "Mara lives in *Lisbon*.",
        "Mara moved to *Porto*.",
        "Mara now lives in *Braga*.",
    ),
    thread(
        "When is the daily stand-up?",
        "The daily stand-up is at *09:30*.",
        "The daily stand-up is now at *10:15*.",
        "The daily stand-up moved to *09:45*.",
    ),
    thread(
        "What is the phone number of the dentist?",
        "The dentist's phone number is *555-0142*.",
        "The dentist has a new phone number: *555-0199*.",
    ),
    thread(
        "Which laptop does Oskar use?",
        "Oskar uses a *ThinkPad* laptop.",
        "Oskar switched to a *Framework* laptop.",
    ),
    thread(
        "Who leads the billing team?",
        "*Priyanka* leads the billing team.",
        "*Tobias* now leads the billing team instead of Priyanka.",
    ),
    thread(
        "Which database does the shop use?",
        "The shop uses *MySQL* as its database.",
        "The shop changed its database to *PostgreSQL*.",
    ),
    thread(
        "What is the name of our cat?",
        "Our cat is called *Biscuit*.",
        "Correction: our cat is called *Biscotti*.",
    ),
    thread(
        "What is the budget for the garden?",
        "The garden budget is *800* euros.",
        "The garden budget is *1200* euros now.",
    ),
    thread(
        "On which day is the recycling collected?",
        "The recycling is collected on *Tuesdays*.",
        "The recycling is collected on *Thursdays* from now on.",
    ),
    thread(
        "What does Lena drink in the morning?",
        "Lena drinks *coffee* in the morning.",
        "Lena no longer drinks coffee in the morning, she drinks *matcha*.",
    ),
    thread(
        "What is the wifi name in the office?",
        "The wifi in the office is called *Heron*.",
        "The office wifi was renamed to *Kingfisher*.",
    ),
    thread(
        "Which gym does Paul go to?",
        "Paul goes to the gym *IronWorks*.",
        "Paul changed to the gym *Boulderhaus*.",
    ),
    thread(
        "Who is the landlord?",
        "The landlord is Mr *Okafor*.",
        "The new landlord is Ms *Lindqvist*.",
    ),
    thread(
        "How large is the staging server?",
        "The staging server has *16* GB of memory.",
        "The staging server has *64* GB of memory now.",
    ),
    thread("What is Ada allergic to?", "Ada is allergic to *hazelnuts*."),
    thread(
        "What is the licence plate of the van?",
        "The licence plate of the van is *HH-TX 204*.",
        repeated=True,
    ),
    thread("Where are the spare keys?", "The spare keys hang behind the *boiler*.", repeated=True),
    thread("Which side of the bed does Rex sleep on?", "Rex the dog sleeps under the *piano*."),
    thread(
        "Where does Oskar work from this week?", "Oskar works from *Madrid* this week.", until=6
    ),
    thread("Who stays in the guest room?", "Aunt *Clara* stays in the guest room.", until=4),
)
GERMAN = (
    thread(
        "Wo wohnt Jonas?",
        "Jonas wohnt in *Kassel*.",
        "Jonas ist nach *Bremen* umgezogen.",
        "Jonas wohnt jetzt in *Erfurt*.",
    ),
    thread(
        "Wann beginnt die Chorprobe?",
        "Die Chorprobe beginnt um *19:00* Uhr.",
        "Die Chorprobe beginnt jetzt um *19:30* Uhr.",
    ),
    thread(
        "Welche Telefonnummer hat der Hausmeister?",
        "Die Telefonnummer des Hausmeisters ist *040-7781*.",
        "Der Hausmeister hat eine neue Telefonnummer: *040-9925*.",
    ),
    thread(
        "Welches Auto fährt Sabine?",
        "Sabine fährt einen *Octavia*.",
        "Sabine fährt jetzt einen *Twingo*.",
    ),
    thread(
        "Wer leitet den Verein?",
        "*Henning* leitet den Verein.",
        "*Wiebke* leitet jetzt den Verein, nicht mehr Henning.",
    ),
    thread(
        "Wie heißt die Lehrerin von Ida?",
        "Die Lehrerin von Ida heißt Frau *Petersen*.",
        "Ida hat eine neue Lehrerin, sie heißt Frau *Yilmaz*.",
    ),
    thread(
        "Wie hoch ist die Miete?",
        "Die Miete beträgt *950* Euro.",
        "Die Miete beträgt ab sofort *1010* Euro.",
    ),
    thread(
        "Welches Instrument spielt Ida?",
        "Ida spielt *Geige*.",
        "Ida spielt jetzt *Cello* statt Geige.",
    ),
    thread(
        "An welchem Tag ist Wochenmarkt?",
        "Der Wochenmarkt ist am *Mittwoch*.",
        "Der Wochenmarkt wurde auf *Samstag* verschoben.",
    ),
    thread(
        "Welche Farbe bekommt die Küche?",
        "Die Küche wird *gelb* gestrichen.",
        "Korrektur: die Küche wird *türkis* gestrichen.",
    ),
    thread(
        "Bei welcher Bank ist das Vereinskonto?",
        "Das Vereinskonto ist bei der *Sparkasse*.",
        "Das Vereinskonto ist nicht mehr bei der Sparkasse, sondern bei der *Volksbank*.",
    ),
    thread(
        "Wann kommt der Heizungsableser?",
        "Der Heizungsableser kommt am *3. Dezember*.",
        "Der Heizungsableser kommt doch nicht am 3., sondern am *9. Dezember*.",
    ),
    thread(
        "Wie heißt der Drucker im Netz?",
        "Der Drucker heißt im Netz *drache*.",
        "Der Drucker wurde in *einhorn* umbenannt.",
    ),
    thread("Welche Schuhgröße hat Ida?", "Ida hat Schuhgröße *31*."),
    thread("Wo liegt der Impfpass?", "Der Impfpass liegt in der *Kommode*.", repeated=True),
    thread(
        "Wie heißt die Nachbarin?", "Die Nachbarin im ersten Stock heißt *Galina*.", repeated=True
    ),
    thread(
        "Wo steht das Fahrrad?", "Das Fahrrad steht bis zur Reparatur bei *Radhaus Kley*.", until=5
    ),
    thread("Wer gießt die Blumen?", "*Ruben* gießt in dieser Woche die Blumen.", until=6),
)
SPANISH = (
    thread(
        "¿Dónde vive Marta?",
        "Marta vive en *Cádiz*.",
        "Marta se mudó a *Jaén*.",
        "Marta ahora vive en *Lugo*.",
    ),
    thread(
        "¿A qué hora es la clase de yoga?",
        "La clase de yoga es a las *18:00*.",
        "La clase de yoga ahora es a las *19:15*.",
    ),
    thread(
        "¿Cuál es el teléfono del fontanero?",
        "El teléfono del fontanero es *600-111*.",
        "El fontanero tiene un nuevo teléfono: *600-987*.",
    ),
    thread(
        "¿Quién es el médico de Pilar?",
        "El médico de Pilar es el doctor *Vargas*.",
        "El nuevo médico de Pilar es el doctor *Ibarra*.",
    ),
    thread(
        "¿Dónde trabaja Diego?",
        "Diego trabaja en *Telefónica*.",
        "Diego ya no trabaja en Telefónica, ahora trabaja en *Repsol*.",
    ),
    thread(
        "¿Cuánto cuesta el alquiler del garaje?",
        "El alquiler del garaje cuesta *75* euros.",
        "El alquiler del garaje ahora cuesta *90* euros.",
    ),
    thread(
        "¿Cómo se llama el perro de Lola?",
        "El perro de Lola se llama *Trueno*.",
        "Corrección: el perro de Lola se llama *Bruno*.",
    ),
    thread(
        "¿Qué día es la reunión de vecinos?",
        "La reunión de vecinos es el *lunes*.",
        "La reunión de vecinos cambió al *jueves*.",
    ),
    thread("¿Qué coche tiene Diego?", "Diego tiene un *Seat*.", "Diego ahora tiene un *Dacia*."),
    thread("¿Qué postre le gusta a Pilar?", "A Pilar le gusta el *flan*."),
    thread(
        "¿Dónde está la llave del trastero?",
        "La llave del trastero está en el *cajón* azul.",
        repeated=True,
    ),
    thread("¿Cuál es la talla de Diego?", "La talla de camisa de Diego es la *42*.", repeated=True),
    thread("¿Quién cuida la casa?", "*Carmen* cuida la casa esta semana.", until=6),
    thread(
        "¿Dónde está aparcado el coche?", "El coche está aparcado en la calle *Feria*.", until=2
    ),
)
CHINESE = (
    thread("小林住在哪里?", "小林住在*杭州*。", "小林搬到*苏州*了。"),
    thread("周会几点开始?", "周会*9点*开始。", "周会改为*11点*开始。"),
    thread("供应商的联系人是谁?", "供应商的联系人是*陈梅*。", "供应商的联系人现在是*王强*。"),
    thread("小林的手机号是多少?", "小林的手机号是*1380001*。", "小林的新手机号是*1390002*。"),
    thread("仓库在几楼?", "仓库在*三楼*。", "仓库现在在*五楼*。"),
    thread("项目叫什么名字?", "项目的名字叫*青鸟*。", "项目改名叫*白鹭*了。"),
    thread("预算是多少?", "展会的预算是*两万*元。", "展会的预算现在是*三万*元。"),
    thread("老张开什么车?", "老张开*比亚迪*。", "老张现在开*蔚来*。"),
    thread("小林对什么过敏?", "小林对*花生*过敏。"),
    thread("备用钥匙放在哪里?", "备用钥匙放在*鞋柜*里。", repeated=True),
    thread("谁在办公室值班?", "这周*小赵*在办公室值班。", until=5),
)
# Added after the rules were settled, and never used to settle them.
HELD_OUT = (
    thread(
        "Which airline does Farid fly with?",
        "Farid always flies with *Finnair*.",
        "Farid always flies with *Iberia* these days.",
    ),
    thread(
        "What is the code of the bike lock?",
        "The bike lock opens with *3390*.",
        "The bike lock now opens with *7812*.",
    ),
    thread(
        "Where is the summer party?",
        "The summer party takes place in the *orchard*.",
        "The summer party was moved indoors, to the *barn*.",
    ),
    thread(
        "Wer ist unsere Steuerberaterin?",
        "Unsere Steuerberaterin ist Frau *Thielen*.",
        "Seit Oktober ist Frau *Marquardt* unsere Steuerberaterin.",
    ),
    thread(
        "Wann fährt der letzte Bus?",
        "Der letzte Bus fährt um *23:10*.",
        "Neuer Fahrplan: der letzte Bus fährt um *22:40*.",
    ),
    thread(
        "Welchen Kindergarten besucht Emil?",
        "Emil besucht den Kindergarten *Regenbogen*.",
        "Emil geht nicht mehr in den Regenbogen, sondern in den Kindergarten *Spatzennest*.",
    ),
    thread(
        "¿Qué idioma estudia Nerea?",
        "Nerea estudia *alemán*.",
        "Nerea dejó el alemán y ahora estudia *coreano*.",
    ),
    thread(
        "¿Quién entrena al equipo?",
        "*Ramiro* entrena al equipo.",
        "El equipo tiene nueva entrenadora: *Azucena*.",
    ),
    thread("老师姓什么?", "钢琴老师姓*孙*。", "换了钢琴老师,新老师姓*郑*。"),
)
# Written after the rules by which an older fact is shown as what was; six more languages.
FRESH = (
    thread(
        "Which bakery delivers the bread?",
        "The bakery *Huld* delivers the bread.",
        "The bread is now delivered by the bakery *Sorrel*.",
    ),
    thread(
        "Which locker does Wilma have?",
        "Wilma has locker *117*.",
        "Wilma changed to locker *204*.",
    ),
    thread(
        "Who takes care of the beehives?",
        "*Magnus* takes care of the beehives.",
        "*Ottilie* takes care of the beehives from now on.",
    ),
    thread(
        "Wo liegt das Ersatzrad?",
        "Das Ersatzrad liegt im *Schuppen*.",
        "Das Ersatzrad liegt nicht mehr im Schuppen, sondern im *Keller*.",
    ),
    thread(
        "Wie viele Hühner hat Tante Hedwig?",
        "Tante Hedwig hat *sieben* Hühner.",
        "Tante Hedwig hat inzwischen nur noch *vier* Hühner.",
    ),
    thread(
        "¿Dónde se guarda el telescopio?",
        "El telescopio se guarda en el *desván*.",
        "El telescopio ahora se guarda en la *buhardilla* pequeña.",
    ),
    thread(
        "Où habite Solène ?",
        "Solène habite à *Nantes*.",
        "Solène a déménagé à *Rennes*.",
    ),
    thread(
        "À quelle heure ferme la piscine ?",
        "La piscine ferme à *20 h*.",
        "La piscine ferme désormais à *21 h*.",
    ),
    thread(
        "Chi guida il coro?",
        "*Fabrizio* guida il coro.",
        "Adesso *Ginevra* guida il coro al posto di Fabrizio.",
    ),
    thread(
        "Dove lavora Ennio?",
        "Ennio lavora alla *Olivetti*.",
        "Ennio non lavora più alla Olivetti, lavora alla *Ferrero*.",
    ),
    thread(
        "Qual é o telefone da creche?",
        "O telefone da creche é *21-5550*.",
        "O novo telefone da creche é *21-7781*.",
    ),
    thread(
        "Waar staat de bakfiets?",
        "De bakfiets staat in de *schuur*.",
        "De bakfiets staat nu in de *garage*.",
    ),
    thread(
        "小野さんはどこに住んでいますか?",
        "小野さんは*札幌*に住んでいます。",
        "小野さんは*仙台*に引っ越しました。",
    ),
    thread(
        "会議は何時からですか?", "会議は*10時*からです。", "会議は*14時*からに変更になりました。"
    ),
    thread("ร้านเปิดกี่โมง", "ร้านเปิดเวลา *8* โมง", "ร้านเปลี่ยนเวลาเปิดเป็น *10* โมง"),
    thread("仓库的钥匙在谁那里?", "仓库的钥匙在*老李*那里。", "仓库的钥匙现在在*小何*那里。"),
)
# A second such set: of it 10 of 12 were clean when it was asked for the first time.
UNSEEN = (
    thread(
        "Where is the winter tyre storage?",
        "The winter tyres are stored at *Brunner*.",
        "We no longer store the winter tyres at Brunner, they are at *Reifen Held*.",
    ),
    thread(
        "Who is Signe's piano teacher?",
        "Signe's piano teacher is *Albrecht*.",
        "Signe got a new piano teacher called *Domenica*.",
    ),
    thread(
        "How much is the membership?",
        "The membership costs *45* euros a year.",
        "The membership went up to *52* euros a year.",
    ),
    thread(
        "Which train does Kofi take?",
        "Kofi takes the train at *7:05*.",
        "Kofi takes the *7:35* train these days.",
    ),
    thread(
        "What is the name of the new cafe?",
        "The cafe at the corner is called *Lumen*.",
        "The cafe at the corner is now called *Tinto*.",
    ),
    thread(
        "Wo ist die Sitzung?",
        "Die Sitzung ist im Raum *Elbe*.",
        "Die Sitzung findet stattdessen im Raum *Weser* statt.",
    ),
    thread(
        "Welche Blutgruppe hat Malte?",
        "Malte hat Blutgruppe *A*.",
        "Korrektur: Malte hat Blutgruppe *AB*.",
    ),
    thread(
        "Wer repariert das Dach?",
        "Die Firma *Krüger* repariert das Dach.",
        "Das Dach repariert jetzt die Firma *Lorenz*.",
    ),
    thread(
        "¿Qué marca de café compramos?",
        "Compramos café de la marca *Sol*.",
        "Ya no compramos café Sol, compramos *Montaña*.",
    ),
    thread(
        "¿Cuándo es el examen de Álvaro?",
        "El examen de Álvaro es el *12 de mayo*.",
        "El examen de Álvaro se aplazó al *19 de mayo*.",
    ),
    thread(
        "Comment s'appelle le voisin ?",
        "Le voisin s'appelle *Marcel*.",
        "Correction : le voisin s'appelle *Michel*.",
    ),
    thread("小吴在哪个部门?", "小吴在*财务部*。", "小吴调到*市场部*了。"),
)
LANGUAGES = {
    "en": ENGLISH,
    "de": GERMAN,
    "es": SPANISH,
    "zh": CHINESE,
    "held out": HELD_OUT,
    "fresh": FRESH,
    "unseen": UNSEEN,
}
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
# Facts about one thing that all hold: none may be shown as what was. A question, and the facts.
BESIDE: tuple[tuple[str, ...], ...] = (
    (
        "What do we know about Nils?",
        "Nils plays the tuba.",
        "Nils now has a dog named Pippa.",
        "Nils moved his desk to the attic.",
    ),
    (
        "What does Carla like to eat?",
        "Carla likes to eat mango.",
        "Carla likes to eat pistachio ice cream.",
    ),
    ("Which instruments does Jun play?", "Jun plays the harp.", "Jun plays the oboe."),
    (
        "Who is in the book club?",
        "Ingrid is in the book club.",
        "Matteo is now in the book club, too.",
    ),
    (
        "When do trains to the coast leave?",
        "A train to the coast leaves at 08:12.",
        "Another train to the coast leaves at 17:40.",
    ),
    (
        "What did the plumber repair?",
        "The plumber repaired the tap in the kitchen.",
        "The plumber repaired the tap in the bathroom.",
    ),
    (
        "Which servers do we run?",
        "The server Falcon runs the wiki.",
        "The new server Osprey runs the builds.",
    ),
    (
        "What is Yusuf's phone number?",
        "Yusuf's work phone number is 555-7001.",
        "Yusuf's private phone number is 555-8002.",
    ),
    (
        "Where has Greta been on holiday?",
        "Greta was in Crete in spring.",
        "Greta was in Norway in autumn.",
    ),
    (
        "What does the garage contain?",
        "The garage has a workbench.",
        "The garage has a new bike rack.",
    ),
    (
        "What does Selma allergic to?",
        "Selma is allergic to cats.",
        "Selma is now allergic to pollen as well.",
    ),
    (
        "Which meetings are on Monday?",
        "The planning meeting is on Monday.",
        "The budget meeting is on Monday.",
    ),
    (
        "Was wissen wir über Torben?",
        "Torben arbeitet bei der Post.",
        "Torben hat jetzt einen Hund.",
        "Torben ist Vater geworden.",
    ),
    ("Welche Sprachen spricht Amira?", "Amira spricht Arabisch.", "Amira spricht auch Finnisch."),
    (
        "Welche Schlüssel gibt es?",
        "Der Schlüssel für den Keller hängt im Flur.",
        "Der neue Schlüssel für den Dachboden liegt in der Schublade.",
    ),
    ("Welche Termine hat Ole?", "Ole hat am Montag Fußball.", "Ole hat am Freitag Klavier."),
    ("Wer kommt zum Fest?", "Birgit kommt zum Fest.", "Ansgar kommt jetzt auch zum Fest."),
    (
        "Welche Pflanzen stehen im Bad?",
        "Im Bad steht ein Farn.",
        "Im Bad steht jetzt auch eine Orchidee.",
    ),
    (
        "¿Qué sabemos de Ulises?",
        "Ulises toca la guitarra.",
        "Ulises ahora tiene una hermana pequeña.",
    ),
    (
        "¿Qué compramos en la ferretería?",
        "En la ferretería compramos clavos.",
        "En la ferretería compramos un martillo nuevo.",
    ),
    ("¿Qué clases da Rocío?", "Rocío da clases de cerámica.", "Rocío da clases de italiano."),
    (
        "¿Quién vive en el tercero?",
        "Fermín vive en el tercero izquierda.",
        "Amparo vive en el tercero derecha.",
    ),
    ("小周有什么爱好?", "小周喜欢下围棋。", "小周喜欢爬山。"),
    ("公司有哪些打印机?", "二楼有一台黑白打印机。", "四楼有一台新的彩色打印机。"),
)
# Written afterwards, like `FRESH` and `UNSEEN`; 6 of these 56 were marked wrongly at first.
BESIDE_FRESH: tuple[tuple[str, ...], ...] = (
    ("What does Ivo collect?", "Ivo collects stamps.", "Ivo has started to collect old maps."),
    (
        "Who works in the kiosk?",
        "Dunja works in the kiosk on Mondays.",
        "Pavel works in the kiosk on Fridays.",
    ),
    (
        "Which trips are planned?",
        "A trip to the quarry is planned for May.",
        "A trip to the island is planned for July.",
    ),
    (
        "What did Edda cook?",
        "Edda cooked lentil soup.",
        "Edda cooked a risotto for the first time.",
    ),
    ("Which tools are in the shed?", "The shed has a rake.", "There is a new saw in the shed."),
    ("Where do the cousins live?", "Cousin Levi lives in Ghent.", "Cousin Noor lives in Turku."),
    ("How old are the children?", "Mika is 7 years old.", "Ronja is 11 years old."),
    (
        "Welche Kurse besucht Frieda?",
        "Frieda besucht einen Nähkurs.",
        "Frieda besucht seit Mai einen Segelkurs.",
    ),
    (
        "Welche Bücher liest Arne?",
        "Arne liest ein Buch über Wale.",
        "Arne liest ein Buch über Brücken.",
    ),
    (
        "Wer hat einen Garten?",
        "Familie Brandt hat einen Garten.",
        "Familie Sommer hat jetzt auch einen Garten.",
    ),
    (
        "Welche Medikamente nimmt Opa?",
        "Opa nimmt morgens Tabletten gegen Bluthochdruck.",
        "Opa nimmt abends Tropfen für die Augen.",
    ),
    ("¿Qué deportes hace Iria?", "Iria juega al balonmano.", "Iria ha empezado a nadar."),
    (
        "¿Qué árboles hay en el patio?",
        "En el patio hay un limonero.",
        "En el patio hay una higuera.",
    ),
    (
        "Quels instruments y a-t-il ?",
        "Il y a un piano dans le salon.",
        "Il y a un violon dans la chambre.",
    ),
    ("Che animali ha Tullio?", "Tullio ha un gatto.", "Tullio ha preso anche una tartaruga."),
    ("小陈会什么语言?", "小陈会说法语。", "小陈也会说德语。"),
    ("What does Halldor grow?", "Halldor grows leeks.", "Halldor grows chard behind the house."),
    (
        "Which films did we see?",
        "We saw the film about the lighthouse.",
        "We saw the film about the miners.",
    ),
    (
        "What is in the freezer?",
        "There are peas in the freezer.",
        "There is a new tub of ice cream in the freezer.",
    ),
    ("Who has a key?", "Bettina has a key to the house.", "Rashid has a key to the house as well."),
    ("What are the opening hours?", "The library opens at 10:00.", "The pharmacy opens at 08:30."),
    (
        "What did the doctor say?",
        "The doctor said that the knee is fine.",
        "The doctor said that the blood values are good now.",
    ),
    ("Welche Farben mag Jette?", "Jette mag Grün.", "Jette mag Orange."),
    (
        "Was hat Herr Nowak verkauft?",
        "Herr Nowak hat sein Boot verkauft.",
        "Herr Nowak hat den Anhänger verkauft.",
    ),
    ("Wohin fährt Bus 12?", "Bus 12 fährt zum Hafen.", "Bus 34 fährt zum Zoo."),
    ("¿Qué toma Remedios?", "Remedios toma té por la mañana.", "Remedios toma vino por la noche."),
    ("Qui vient dîner ?", "Léonie vient dîner samedi.", "Bastien vient dîner dimanche."),
    ("老王有几辆车?", "老王有一辆卡车。", "老王有一辆自行车。"),
)
