"""A third life, written with the rules for what is replaced: home, health, work, software, money, travel, pets.

The rules were made while `BUILT_ON` was looked at; `HELD_OUT` was only counted, never read, meanwhile. Both
were written before any rule of that session. The facts that hold side by side are cut the same way.
"""

from __future__ import annotations

from bench.life_words import Thread, thread

BUILT_ON: tuple[Thread, ...] = (
    # en
    thread(
        "Where does Marisol keep the spare key?",
        "The spare key is under the *geranium*.",
        "The spare key is in the *meter cupboard*.",
    ),
    thread(
        "Which gym does Everett train at?",
        "Everett trains at *Ironside*.",
        "Everett signed up at *Fitlane* and trains there.",
    ),
    thread(
        "What is the room number of the studio?",
        "The room number of the studio is *4471*.",
        "The caretaker set a fresh room number for the studio: *9032*.",
    ),
    thread(
        "Which library do we parse dates with?",
        "We parse dates with *moment*.",
        "Date parsing is done by *luxon*.",
    ),
    thread(
        "How much does the cleaner charge?",
        "The cleaner charges *22* pounds an hour.",
        "The cleaner asks for *26* pounds an hour.",
    ),
    thread(
        "Who is the tech lead of Heron?",
        "The tech lead of Heron is *Obinna*.",
        "Obinna went on leave; the tech lead of Heron is *Wenche*.",
    ),
    thread(
        "What seat does Priscilla have on the train?",
        "Priscilla has seat *14A* on the train.",
        "Priscilla's seat on the train is *31C*.",
    ),
    thread(
        "Which car does Thaddeus drive?",
        "Thaddeus drives a *Skoda*.",
        "Thaddeus sold the Skoda and drives a *Mazda*.",
    ),
    thread(
        "When is band practice?",
        "Band practice is on *Tuesdays*.",
        "Because the hall is taken, band practice is on *Sundays*.",
    ),
    thread(
        "How long is the release cycle?",
        "We release every *two* weeks.",
        "We release every *four* weeks.",
    ),
    # de
    thread(
        "Wie heißt Veras Zahnärztin?",
        "Veras Zahnärztin heißt Dr. *Pahlke*.",
        "Vera geht zu einer anderen Zahnärztin, Dr. *Ommen*.",
    ),
    thread(
        "Was kostet der Kindergarten?",
        "Der Kindergarten kostet *180* Euro im Monat.",
        "Für den Kindergarten zahlen wir *215* Euro im Monat.",
    ),
    thread(
        "Wo steht das Klavier?",
        "Das Klavier steht im *Flur*.",
        "Das Klavier steht im *Wohnzimmer*.",
    ),
    thread(
        "Wer betreut den Praktikanten?",
        "*Gesine* betreut den Praktikanten.",
        "Um den Praktikanten kümmert sich *Falk*.",
    ),
    thread(
        "Welche Version hat die Schnittstelle?",
        "Die Schnittstelle hat die Version *2.3*.",
        "Die Schnittstelle ist bei Version *3.0*.",
    ),
    thread(
        "Wann öffnet die Bücherei?",
        "Die Bücherei öffnet um *9 Uhr*.",
        "Wegen der Ferien öffnet die Bücherei um *11 Uhr*.",
    ),
    thread(
        "Welches Instrument lernt Jasper?",
        "Jasper lernt *Geige*.",
        "Jasper lernt nicht mehr Geige, er lernt *Schlagzeug*.",
    ),
    # fr
    thread(
        "Où habite Odile ?",
        "Odile habite à *Nantes*.",
        "Odile s'est installée à *Rennes*.",
    ),
    thread(
        "Combien coûte la cantine ?",
        "La cantine coûte *4,20* euros par repas.",
        "La cantine est à *4,80* euros par repas.",
    ),
    thread(
        "Qui garde les enfants le mercredi ?",
        "*Mireille* garde les enfants le mercredi.",
        "Le mercredi, c'est *Solène* qui garde les enfants.",
    ),
    thread(
        "Quel est le nom du wifi ?",
        "Le nom du wifi est *tournesol*.",
        "On a changé le nom du wifi : *coquelicot*.",
    ),
    thread(
        "Quelle base de données utilise le site ?",
        "Le site utilise la base de données *MySQL*.",
        "Le site tourne avec *PostgreSQL* au lieu de MySQL.",
    ),
    thread(
        "À quelle heure est le cours de danse ?",
        "Le cours de danse est à *17h*.",
        "Le cours de danse est à *18h30* cette année.",
    ),
    # es
    thread(
        "¿En qué empresa trabaja Rubén?",
        "Rubén trabaja en *Acerinox*.",
        "Rubén ha fichado por *Iberdrola*.",
    ),
    thread(
        "¿Cuánto cuesta el alquiler?",
        "El alquiler cuesta *750* euros.",
        "El alquiler son *820* euros desde enero.",
    ),
    thread(
        "¿Quién es el pediatra de Nico?",
        "El pediatra de Nico es el doctor *Barrios*.",
        "A Nico lo lleva ahora la doctora *Mena*, su pediatra.",
    ),
    thread(
        "¿Dónde están las llaves del trastero?",
        "Las llaves del trastero están en el *cajón*.",
        "Las llaves del trastero están colgadas en la *entrada*.",
    ),
    thread(
        "¿Qué día sacamos la basura?",
        "Sacamos la basura los *lunes*.",
        "La basura se saca los *jueves*.",
    ),
    thread(
        "¿Cuántos alumnos tiene la clase?",
        "La clase tiene *24* alumnos.",
        "En la clase hay *26* alumnos.",
    ),
    # pt
    thread(
        "Qual é o número de telefone da Teresa?",
        "O número de telefone da Teresa é *912 330 118*.",
        "A Teresa tem outro número de telefone: *934 501 772*.",
    ),
    thread(
        "Onde estuda o Duarte?",
        "O Duarte estuda em *Coimbra*.",
        "O Duarte foi estudar para *Évora*.",
    ),
    thread(
        "Quem rega as plantas?",
        "O *Simão* rega as plantas.",
        "Agora é a *Leonor* que rega as plantas.",
    ),
    thread(
        "Quanto custa o ginásio?",
        "O ginásio custa *35* euros por mês.",
        "O ginásio passou para *42* euros por mês.",
    ),
    # it
    thread(
        "Dove parcheggiamo la macchina?",
        "Parcheggiamo la macchina in *via Roma*.",
        "La macchina la parcheggiamo in *via Dante*.",
    ),
    thread(
        "Chi è il direttore della scuola?",
        "Il direttore della scuola è il signor *Bassi*.",
        "La scuola ha una nuova direttrice, la signora *Corti*.",
    ),
    thread(
        "A che ora chiude la farmacia?",
        "La farmacia chiude alle *19:30*.",
        "La farmacia chiude alle *20:00*.",
    ),
    thread(
        "Che lavoro fa Fiorella?",
        "Fiorella fa la *cameriera*.",
        "Fiorella non fa più la cameriera, fa la *fiorista*.",
    ),
    # nl
    thread(
        "Waar woont Sanne?",
        "Sanne woont in *Zwolle*.",
        "Sanne heeft een huis gekocht in *Deventer* en woont daar.",
    ),
    thread(
        "Hoeveel kost de opvang?",
        "De opvang kost *640* euro per maand.",
        "Voor de opvang betalen we *710* euro per maand.",
    ),
    thread(
        "Wie is de trainer van het team?",
        "De trainer van het team is *Gerrit*.",
        "*Joost* traint het team.",
    ),
    thread(
        "Op welke dag is de markt?",
        "De markt is op *vrijdag*.",
        "De markt is voortaan op *zaterdag*.",
    ),
    # zh
    thread("爸爸的电话号码是多少?", "爸爸的电话是*13800011*。", "爸爸的电话号码是*13955522*。"),
    thread("阿明住在哪里?", "阿明住在*青岛*。", "阿明搬去*成都*住了。"),
    thread("谁负责测试?", "*小周*负责测试。", "测试由*小郑*负责。"),
    thread("钢琴课几点开始?", "钢琴课*四点*开始。", "钢琴课*五点*开始。"),
    # ja
    thread("会議室はどこですか?", "会議室は*三階*です。", "会議室は*五階*になりました。"),
    thread("担当者は誰ですか?", "担当者は*佐藤さん*です。", "担当者は*鈴木さん*に交代しました。"),
    thread("家賃はいくらですか?", "家賃は*8万円*です。", "家賃は*9万円*です。"),
    # th
    thread("นิดทำงานที่ไหน", "นิดทำงานที่*ธนาคาร*", "นิดย้ายไปทำงานที่*โรงพยาบาล*"),
    thread("ค่าเช่าเท่าไร", "ค่าเช่า *6000* บาท", "ค่าเช่าขึ้นเป็น *6500* บาท"),
)
HELD_OUT: tuple[Thread, ...] = (
    # en
    thread(
        "Where does Philippa live?",
        "Philippa lives in *Leeds*.",
        "Philippa bought a flat in *Durham* and lives there.",
    ),
    thread(
        "What is the wifi network called?",
        "The wifi network is called *marmalade*.",
        "The wifi network is called *huckleberry*.",
    ),
    thread(
        "Who is Rosalind's physiotherapist?",
        "Rosalind's physiotherapist is *Beckett*.",
        "Rosalind goes to the physiotherapist *Amara*, since Beckett closed his practice.",
    ),
    thread(
        "Which database does the ledger service use?",
        "The ledger service uses *Redis*.",
        "The ledger service stores its data in *Cassandra* instead.",
    ),
    thread(
        "What time does the nursery close?",
        "The nursery closes at *17:30*.",
        "On account of staff shortages, the nursery closes at *16:00*.",
    ),
    thread(
        "How much is the electricity bill?",
        "The electricity bill is *84* dollars a month.",
        "We pay *97* dollars a month for electricity.",
    ),
    thread(
        "Which airline do we fly with to Oslo?",
        "We fly to Oslo with *Norwegian*.",
        "Norwegian cancelled, so we fly to Oslo with *Finnair*.",
    ),
    thread(
        "What does the parrot Mango eat?",
        "The parrot Mango eats *seeds*.",
        "The parrot Mango eats *pellets* these days.",
    ),
    thread(
        "Which instrument does Clementine play?",
        "Clementine plays the *oboe*.",
        "Clementine dropped the oboe and plays the *cello*.",
    ),
    thread(
        "When is the sprint review?",
        "The sprint review is on *Thursdays*.",
        "We hold the sprint review on *Wednesdays*.",
    ),
    # de
    thread(
        "Wo arbeitet Friedhelm?",
        "Friedhelm arbeitet bei *Miele*.",
        "Friedhelm hat bei *Bosch* angefangen.",
    ),
    thread(
        "Wer ist unsere Vermieterin?",
        "Unsere Vermieterin ist Frau *Kessel*.",
        "Das Haus gehört jetzt Frau *Lindner*, sie ist unsere Vermieterin.",
    ),
    thread(
        "Wie viel wiegt das Baby?",
        "Das Baby wiegt *5,2* Kilo.",
        "Das Baby hat die *6,1* Kilo erreicht.",
    ),
    thread(
        "Wann ist die Chorprobe?",
        "Die Chorprobe ist *montags*.",
        "Die Chorprobe findet *mittwochs* statt.",
    ),
    thread(
        "Welches Auto fährt Tante Uschi?",
        "Tante Uschi fährt einen *Polo*.",
        "Tante Uschi hat den Polo in Zahlung gegeben und fährt einen *Fabia*.",
    ),
    thread(
        "Auf welchem Port läuft der Testserver?",
        "Der Testserver läuft auf Port *8080*.",
        "Der Testserver ist unter Port *9090* zu erreichen.",
    ),
    thread(
        "Wie heißt Leons Lehrerin?",
        "Leons Lehrerin heißt Frau *Thoma*.",
        "Leon hat seit September Frau *Reuter* als Lehrerin.",
    ),
    # fr
    thread(
        "Où travaille Bastien ?",
        "Bastien travaille chez *Renault*.",
        "Bastien a été embauché chez *Airbus*.",
    ),
    thread(
        "Quel est le numéro de Chloé ?",
        "Le numéro de Chloé est le *06 12 44 90*.",
        "Chloé a un nouveau numéro, le *07 55 31 08*.",
    ),
    thread(
        "Quand est la réunion de parents ?",
        "La réunion de parents est le *4 octobre*.",
        "La réunion de parents aura lieu le *11 octobre*.",
    ),
    thread(
        "Qui répare le vélo ?",
        "*Gaspard* répare le vélo.",
        "C'est *Firmin* qui répare le vélo, Gaspard n'a plus le temps.",
    ),
    thread(
        "Combien pèse le chat ?",
        "Le chat pèse *4* kilos.",
        "Le chat fait maintenant *5* kilos.",
    ),
    thread(
        "Où sont rangées les valises ?",
        "Les valises sont à la *cave*.",
        "Les valises sont au *grenier*.",
    ),
    # es
    thread(
        "¿Dónde vive Amparo?",
        "Amparo vive en *Cádiz*.",
        "Amparo se ha comprado un piso en *Huelva* y vive allí.",
    ),
    thread(
        "¿Qué coche tiene Ignacio?",
        "Ignacio tiene un *Ibiza*.",
        "Ignacio cambió el Ibiza por un *Corolla*.",
    ),
    thread(
        "¿A qué hora abre la piscina?",
        "La piscina abre a las *10:00*.",
        "En invierno la piscina abre a las *11:30*.",
    ),
    thread(
        "¿Quién lleva la contabilidad?",
        "*Remedios* lleva la contabilidad.",
        "De la contabilidad se encarga *Joaquín*.",
    ),
    thread(
        "¿Cuánto gana Elsa?",
        "Elsa gana *1400* euros.",
        "A Elsa le subieron el sueldo a *1550* euros.",
    ),
    thread(
        "¿Qué lenguaje usa el proyecto Tajo?",
        "El proyecto Tajo está escrito en *Perl*.",
        "El proyecto Tajo está escrito en *Kotlin*.",
    ),
    # pt
    thread(
        "Onde mora a Fátima?",
        "A Fátima mora em *Setúbal*.",
        "A Fátima foi morar para *Faro*.",
    ),
    thread(
        "Quem é o treinador da equipa?",
        "O treinador da equipa é o *Baltazar*.",
        "O *Norberto* é o treinador da equipa desde a saída do Baltazar.",
    ),
    thread(
        "A que horas é a consulta?",
        "A consulta é às *15h*.",
        "A consulta ficou marcada para as *16h*.",
    ),
    thread(
        "O que come o cão da Rita?",
        "O cão da Rita come *ração seca*.",
        "O cão da Rita come *comida húmida*.",
    ),
    # it
    thread(
        "Dove abita Lorenzo?",
        "Lorenzo abita a *Parma*.",
        "Lorenzo si è trasferito a *Modena*.",
    ),
    thread(
        "Quanto costa la palestra?",
        "La palestra costa *45* euro al mese.",
        "Per la palestra paghiamo *52* euro al mese.",
    ),
    thread(
        "Chi è il dentista di Alba?",
        "Il dentista di Alba è il dottor *Neri*.",
        "Alba va da un altro dentista, il dottor *Fermi*.",
    ),
    thread(
        "Quando è l'esame di guida?",
        "L'esame di guida è il *6 giugno*.",
        "L'esame di guida è stato fissato per il *20 giugno*.",
    ),
    # nl
    thread(
        "Waar werkt Wouter?",
        "Wouter werkt bij *Philips*.",
        "Wouter is begonnen bij *ASML*.",
    ),
    thread(
        "Hoe laat begint de les?",
        "De les begint om *19:00*.",
        "De les begint om *19:30*.",
    ),
    thread(
        "Wie is de huisarts van oma?",
        "De huisarts van oma is dokter *Visser*.",
        "Oma's nieuwe huisarts is dokter *Bakker*.",
    ),
    thread(
        "Waar staat de kano?",
        "De kano staat in de *schuur*.",
        "De kano ligt bij de *steiger*.",
    ),
    # zh
    thread("小芳在哪家公司上班?", "小芳在*华为*上班。", "小芳跳槽到*腾讯*了。"),
    thread("房租多少钱?", "房租每月*三千*元。", "房租每月*三千五*元。"),
    thread("孩子的班主任是谁?", "孩子的班主任是*孙老师*。", "孩子的班主任现在是*高老师*。"),
    thread("车停在哪里?", "车停在*地下一层*。", "车停在*路边*。"),
    # ja
    thread(
        "妹はどこに住んでいますか?", "妹は*札幌*に住んでいます。", "妹は*福岡*に引っ越しました。"
    ),
    thread("体重は何キロですか?", "猫の体重は*4*キロです。", "猫の体重は*5*キロです。"),
    thread("練習は何曜日ですか?", "練習は*火曜日*です。", "練習は*木曜日*になりました。"),
    # th
    thread("สมชายอยู่ที่ไหน", "สมชายอาศัยอยู่ที่*เชียงใหม่*", "สมชายย้ายไปอยู่ที่*ภูเก็ต*"),
    thread("ประชุมกี่โมง", "ประชุมเวลา *9:00*", "ประชุมเลื่อนเป็นเวลา *10:30*"),
)
ASIDE_OF_PAIRS: tuple[str, ...] = (
    "The neighbours were loud until midnight.",
    "Baked bread with Philippa, it did not rise.",
    "Long queue at the post office.",
    "Heron crashed twice during the demo.",
    "Auf dem Markt Spargel gekauft.",
    "Der Testserver war eine Stunde nicht erreichbar.",
    "Promenade au bord du canal, il pleuvait.",
    "Comimos paella con los primos.",
    "O comboio chegou atrasado.",
    "Abbiamo visto un film noioso.",
    "Met Sanne naar het museum geweest.",
    "晚上和阿明一起打球。",
    "駅前で傘を買いました。",
)
BESIDE_BUILT_ON: tuple[tuple[str, ...], ...] = (
    (
        "Which phones does Everett have?",
        "Everett's work phone is 555-0131.",
        "Everett's home phone is 555-0178.",
    ),
    (
        "Which schools do the kids go to?",
        "Cosima goes to the Lindgren school.",
        "Ansel goes to the Kepler school.",
    ),
    (
        "Where are our offices?",
        "The Leeds office is on Wharf Street.",
        "The Hull office is on Anchor Lane.",
    ),
    (
        "When does the choir sing?",
        "The choir sings on 12 December in St Mary's.",
        "The choir sings on 20 December in the town hall.",
    ),
    (
        "What did we buy?",
        "Bought a drill for 60 pounds.",
        "Bought a ladder for 85 pounds.",
    ),
    (
        "What does the API return?",
        "The API returns 404 for unknown users.",
        "The API returns 429 for too many calls.",
    ),
    (
        "What can Priscilla not eat?",
        "Priscilla does not eat shellfish.",
        "Priscilla does not eat celery.",
    ),
    (
        "Which languages does Wenche speak?",
        "Wenche speaks Norwegian.",
        "Wenche speaks Portuguese.",
    ),
    (
        "Where did Thaddeus work?",
        "Thaddeus worked at Nokia from 2010 to 2014.",
        "Thaddeus worked at Ericsson from 2014 to 2019.",
    ),
    (
        "Who is allergic?",
        "Obinna is allergic to nuts.",
        "Marisol is allergic to pollen.",
    ),
    (
        "Wer kommt wann zu Besuch?",
        "Tante Gerda kommt am 3. Juli.",
        "Onkel Bert kommt am 9. Juli.",
    ),
    (
        "Was muss noch erledigt werden?",
        "Die Regenrinne muss gereinigt werden.",
        "Die Heizung muss entlüftet werden.",
    ),
    (
        "Wo stehen die Regale?",
        "Das Regal mit den Krimis steht im Flur.",
        "Das Regal mit den Noten steht im Keller.",
    ),
    (
        "Was hat Jasper gelesen?",
        "Jasper hat ein Buch über Vulkane gelesen.",
        "Jasper hat ein Buch über Piraten gelesen.",
    ),
    (
        "Qui fait quoi à la maison ?",
        "Mireille fait la cuisine.",
        "Solène fait la vaisselle.",
    ),
    (
        "Quels sports fait Odile ?",
        "Odile fait du tennis le lundi.",
        "Odile fait de la natation le jeudi.",
    ),
    (
        "¿Qué reuniones hay?",
        "La reunión con Ventas es el martes.",
        "La reunión con Compras es el viernes.",
    ),
    (
        "¿Dónde viven los hermanos de Rubén?",
        "Su hermano Darío vive en Oviedo.",
        "Su hermano Iván vive en Murcia.",
    ),
    (
        "Quanto custam os bilhetes?",
        "O bilhete de adulto custa 12 euros.",
        "O bilhete de criança custa 6 euros.",
    ),
    (
        "Quali medicine prende il nonno?",
        "Il nonno prende lo sciroppo la sera.",
        "Il nonno prende le gocce la mattina.",
    ),
    (
        "Welke taken heeft Joost?",
        "Joost maakt de roosters.",
        "Joost bestelt de ballen.",
    ),
    ("谁喜欢什么?", "小周喜欢爬山。", "小周喜欢下棋。"),
    ("孩子们多大了?", "大女儿八岁。", "小女儿五岁。"),
    ("部屋はどこですか?", "会議室Aは三階です。", "会議室Bは四階です。"),
    ("ใครชอบอะไร", "นิดชอบกาแฟ", "นิดชอบชาเขียว"),
)
BESIDE_HELD_OUT: tuple[tuple[str, ...], ...] = (
    (
        "Which e-mail addresses does Rosalind use?",
        "Rosalind's private address is ros@home.example.",
        "Rosalind's work address is r.lane@work.example.",
    ),
    (
        "How old are the twins and Theo?",
        "The twins are 4 years old.",
        "Theo is 9 years old.",
    ),
    (
        "Which ports does the ledger service use?",
        "The ledger service listens on port 7000 for HTTP.",
        "The ledger service exposes metrics on port 7001.",
    ),
    (
        "When were the tyres changed?",
        "The tyres were changed in April.",
        "The tyres were changed in November.",
    ),
    (
        "Where did we go on Sundays?",
        "Hiked to the old quarry with Philippa.",
        "Hiked to the lighthouse with Philippa.",
    ),
    (
        "What do the plans cost?",
        "The basic plan costs 9 dollars.",
        "The family plan costs 15 dollars.",
    ),
    (
        "What does Clementine collect?",
        "Clementine collects stamps.",
        "Clementine collects old maps.",
    ),
    (
        "Who drives which car?",
        "Philippa drives a Fiesta.",
        "Beckett drives a Volvo.",
    ),
    (
        "Which bugs are open?",
        "Issue 114: the export drops the last row.",
        "Issue 120: the export drops accents.",
    ),
    (
        "What is in the freezer?",
        "There are peas in the freezer.",
        "There is a loaf in the freezer.",
    ),
    (
        "Welche Termine hat Friedhelm?",
        "Friedhelm hat am Montag Physiotherapie.",
        "Friedhelm hat am Donnerstag Zahnarzt.",
    ),
    (
        "Wem gehören die Fahrräder?",
        "Das rote Fahrrad gehört Leon.",
        "Das blaue Fahrrad gehört Uschi.",
    ),
    (
        "Was wächst im Garten?",
        "Im Hochbeet wachsen Möhren.",
        "Im Gewächshaus wachsen Tomaten.",
    ),
    (
        "Was hat Tante Uschi erzählt?",
        "Tante Uschi war im Mai in Rom.",
        "Tante Uschi war im August in Danzig.",
    ),
    (
        "Quels cadeaux avons-nous offerts ?",
        "Nous avons offert un puzzle à Chloé.",
        "Nous avons offert une lampe à Bastien.",
    ),
    (
        "À quelle heure sont les repas ?",
        "Le déjeuner est à midi et demi.",
        "Le dîner est à 19h30.",
    ),
    (
        "¿Qué idiomas estudia Amparo?",
        "Amparo estudia alemán los martes.",
        "Amparo estudia árabe los sábados.",
    ),
    (
        "¿Cuánto costaron las obras?",
        "El fontanero costó 300 euros.",
        "El pintor costó 450 euros.",
    ),
    (
        "Quem faz anos em junho?",
        "A Fátima faz anos a 3 de junho.",
        "O Norberto faz anos a 21 de junho.",
    ),
    (
        "Chi abita nel palazzo?",
        "Al primo piano abita la signora Neri.",
        "Al terzo piano abita il signor Fermi.",
    ),
    (
        "Waar staan de fietsen?",
        "De fiets van Wouter staat in de gang.",
        "De fiets van oma staat in de schuur.",
    ),
    ("小芳学过什么?", "小芳学过法语。", "小芳学过会计。"),
    ("每天几点吃饭?", "午饭十二点吃。", "晚饭六点半吃。"),
    ("妹は何が好きですか?", "妹は音楽が好きです。", "妹は登山が好きです。"),
    ("บ้านมีสัตว์อะไรบ้าง", "ที่บ้านมีแมวสองตัว", "ที่บ้านมีนกหนึ่งตัว"),
)
