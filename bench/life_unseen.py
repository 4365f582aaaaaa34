"""A second life, of other kinds: health, projects, school, pets, servers, travel, money.

It was written before the rules by which an older fact counts as replaced were made anew, and asked once when
they were done. Of its 67 threads, told by someone who ignores the question, 48 were clean then (72 %), in 4
the outdated fact came first (6 %); 3 of the 60 facts that hold side by side were shown as what was. The rules
before that had 30, 20 and 5. Since then the three were mended, so it is no longer unseen. Whoever changes rules by looking at it writes a new one.
"""

from __future__ import annotations

from bench.life_words import Thread, thread

ENGLISH = (
    thread(
        "What dose of metformin does Walter take?",
        "Walter takes *500* mg of metformin twice a day.",
        "Dr. Iyer raised Walter's metformin to *850* mg twice a day.",
    ),
    thread(
        "Who is our family doctor?",
        "Our family doctor is Dr. *Penrose*.",
        "Dr. Penrose retired; Dr. *Quist* is our family doctor.",
    ),
    thread(
        "When is the MRI appointment?",
        "The MRI appointment is on *March 3*.",
        "The clinic called: the MRI appointment is on *March 11*.",
    ),
    thread(
        "Which foot is Dana's cast on?",
        "Dana's *left* foot is in a cast.",
        "Dana's cast is *off*.",
    ),
    thread(
        "Which framework does the Meridian front end use?",
        "The Meridian front end is written in *Angular*.",
        "We rewrote the Meridian front end in *Svelte*.",
    ),
    thread(
        "When does Meridian go live?",
        "Meridian goes live on *2 June*.",
        "Go-live of Meridian slipped to *16 June*.",
        "Meridian will go live on *1 July* after all.",
    ),
    thread(
        "Who owns the payments module?",
        "*Farrukh* owns the payments module.",
        "Farrukh handed the payments module over to *Linnea*.",
    ),
    thread(
        "Which branch do we deploy from?",
        "We deploy from the branch *develop*.",
        "Deploys run from *trunk*, not develop.",
    ),
    thread(
        "How many tests does the importer have?",
        "The importer has *112* tests.",
        "The importer has *140* tests.",
    ),
    thread(
        "Which classroom is maths in?",
        "Maths is in classroom *B12*.",
        "Maths has been relocated to classroom *C03*.",
    ),
    thread(
        "Who teaches Ottokar physics?",
        "Mrs *Vandermeer* teaches Ottokar physics.",
        "Ottokar has Mr *Szabo* in physics this term.",
    ),
    thread(
        "Is Juniper in the school play?",
        "Juniper plays the *fox* in the school play.",
        "Juniper swapped roles and plays the *owl* in the school play.",
    ),
    thread(
        "What does the cat Sooty eat?",
        "Sooty the cat eats *chicken* kibble.",
        "The vet put Sooty on *renal* food.",
    ),
    thread(
        "How heavy is the dog Barnaby?",
        "Barnaby weighs *31* kg.",
        "Barnaby is down to *27* kg.",
    ),
    thread(
        "Which vet does Barnaby see?",
        "Barnaby's vet is Dr. *Holloway*.",
        "Barnaby sees the vet Dr. *Castellan* because Holloway moved away.",
    ),
    thread(
        "Where do the rabbits live?",
        "The rabbits live in the *hutch* in the garden.",
        "The rabbits have been brought *indoors* for the winter.",
    ),
    thread(
        "What is the IP address of mailhost?",
        "mailhost has the address *10.4.0.12*.",
        "mailhost got the address *10.4.7.30*.",
    ),
    thread(
        "Which system runs on vega?",
        "vega runs *Debian 11*.",
        "Upgraded vega to *Debian 12*.",
    ),
    thread(
        "Where are the backups of vega stored?",
        "Backups of vega go to *Wasabi*.",
        "Backups of vega are sent to *Hetzner* instead of Wasabi.",
    ),
    thread(
        "Which port does the metrics dashboard listen on?",
        "The metrics dashboard listens on port *3000*.",
        "The metrics dashboard listens on port *8443*.",
    ),
    thread(
        "Which hotel do we stay at in Ljubljana?",
        "In Ljubljana we stay at the hotel *Park*.",
        "Hotel Park was overbooked, so in Ljubljana we stay at the *Galleria*.",
    ),
    thread(
        "When does our flight to Reykjavik leave?",
        "Our flight to Reykjavik leaves at *06:55*.",
        "The airline changed our flight to Reykjavik: it leaves at *09:20*.",
    ),
    thread(
        "Who picks us up at the airport?",
        "*Gunnar* picks us up at the airport.",
        "Gunnar is ill, *Sigrid* picks us up at the airport.",
    ),
    thread(
        "Where is Imogen travelling?",
        "Imogen is travelling in *Peru*.",
        "Imogen has arrived in *Chile*.",
    ),
    thread(
        "What is the interest rate of the mortgage?",
        "The mortgage has an interest rate of *3.4* percent.",
        "The bank cut the interest rate of the mortgage to *2.9* percent.",
    ),
    thread(
        "Which broker do we use?",
        "Our broker is *Degiro*.",
        "Closed the Degiro account; our broker is *Scalable*.",
    ),
    thread(
        "How much pocket money does Felix get?",
        "Felix gets *8* euros of pocket money.",
        "Felix gets *10* euros of pocket money since his birthday.",
    ),
    thread(
        "How much do we save each month?",
        "We save *300* euros each month.",
        "We can only save *200* euros each month at the moment.",
    ),
    thread("What is Walter's blood type?", "Walter's blood type is *O negative*.", repeated=True),
    thread("Where is Dana's vaccination card?", "Dana's vaccination card is in the *blue folder*."),
    thread("What is the licence of Meridian?", "Meridian is under the licence *MPL*."),
    thread("Who waters the school garden?", "Class *4b* waters the school garden.", until=7),
    thread("Who is on call?", "*Linnea* is on call for the servers.", until=5),
)
GERMAN = (
    thread(
        "Welches Medikament nimmt Oma gegen Bluthochdruck?",
        "Oma nimmt *Ramipril* gegen Bluthochdruck.",
        "Oma verträgt Ramipril nicht und bekommt *Candesartan* gegen Bluthochdruck.",
    ),
    thread(
        "Bei welcher Krankenkasse ist Till?",
        "Till ist bei der Krankenkasse *Barmer*.",
        "Till hat zur Krankenkasse *TK* gewechselt.",
    ),
    thread(
        "Wann ist Tills Termin beim Orthopäden?",
        "Till hat am *5. März* einen Termin beim Orthopäden.",
        "Tills Termin beim Orthopäden ist auf den *19. März* verlegt.",
    ),
    thread(
        "In welche Klasse geht Marlene?",
        "Marlene geht in die *3a*.",
        "Marlene ist in die *3c* gewechselt.",
    ),
    thread(
        "Wer leitet das Projekt Kranich?",
        "*Henrike* leitet das Projekt Kranich.",
        "Die Leitung des Projekts Kranich liegt bei *Bastian*.",
    ),
    thread(
        "Bis wann muss der Antrag fertig sein?",
        "Der Antrag muss bis *15. April* fertig sein.",
        "Die Frist für den Antrag wurde bis *30. April* verlängert.",
    ),
    thread(
        "Auf welchem Server läuft die Datenbank?",
        "Die Datenbank läuft auf dem Server *Luchs*.",
        "Die Datenbank läuft seit dem Umbau auf dem Server *Dachs*.",
    ),
    thread(
        "Wie oft wird gesichert?",
        "Gesichert wird *wöchentlich*.",
        "Gesichert wird jetzt *täglich*.",
    ),
    thread(
        "Was frisst der Hund Anton?",
        "Der Hund Anton frisst *Trockenfutter*.",
        "Der Hund Anton bekommt nur noch *Nassfutter*.",
    ),
    thread(
        "Wie viel kostet die Hundeschule?",
        "Die Hundeschule kostet *15* Euro pro Stunde.",
        "Die Hundeschule ist teurer geworden: *18* Euro pro Stunde.",
    ),
    thread(
        "Wohin fahren wir im Sommer?",
        "Im Sommer fahren wir nach *Rügen*.",
        "Wir haben umgebucht: im Sommer fahren wir nach *Sylt*.",
    ),
    thread(
        "Mit welchem Zug fährt Annika?",
        "Annika fährt mit dem *ICE 593*.",
        "Der Zug fällt aus, Annika fährt mit dem *ICE 597*.",
    ),
    thread("Wo liegt der Impfpass?", "Der Impfpass liegt im *Nachttisch*.", repeated=True),
)
FRENCH = (
    thread(
        "Quel traitement suit Papa ?",
        "Papa prend de la *cortisone*.",
        "Papa ne prend plus de cortisone, il prend du *méthotrexate*.",
    ),
    thread(
        "Qui est le kiné de Manon ?",
        "Le kiné de Manon est M. *Ferrand*.",
        "Manon a un nouveau kiné, M. *Delmas*.",
    ),
    thread(
        "Dans quelle école va Jules ?",
        "Jules va à l'école *Pasteur*.",
        "Depuis la rentrée, Jules va à l'école *Curie*.",
    ),
    thread(
        "Quand partons-nous à Lisbonne ?",
        "Nous partons à Lisbonne le *8 mai*.",
        "Le départ pour Lisbonne est repoussé au *22 mai*.",
    ),
    thread(
        "Quel est le taux du livret ?",
        "Le taux du livret est de *3* %.",
        "Le taux du livret est descendu à *2,4* %.",
    ),
)
SPANISH = (
    thread(
        "¿Qué toma Lucía para la alergia?",
        "Lucía toma *loratadina* para la alergia.",
        "El médico le cambió la pastilla: Lucía toma *cetirizina* para la alergia.",
    ),
    thread(
        "¿Quién dirige el proyecto Faro?",
        "*Gonzalo* dirige el proyecto Faro.",
        "Desde marzo *Noelia* dirige el proyecto Faro.",
    ),
    thread(
        "¿Cuánto pagamos de luz?",
        "Pagamos *60* euros de luz al mes.",
        "La luz nos sale ahora por *75* euros al mes.",
    ),
    thread(
        "¿Dónde duerme el gato?",
        "El gato duerme en el *sofá*.",
        "El gato ya no duerme en el sofá sino en la *cesta*.",
    ),
    thread(
        "¿A qué hora sale el autobús de Toledo?",
        "El autobús de Toledo sale a las *7:30*.",
        "El autobús de Toledo sale a las *8:05* por las obras.",
    ),
)
OTHERS = (
    thread(
        "Quanto pesa il cane Argo?",
        "Il cane Argo pesa *18* chili.",
        "Il cane Argo è arrivato a *21* chili.",
    ),
    thread(
        "Chi insegna latino a Giulia?",
        "La professoressa *Moretti* insegna latino a Giulia.",
        "Il professor *Galli* ha sostituito la Moretti: insegna latino a Giulia.",
    ),
    thread(
        "Em que hospital trabalha a Inês?",
        "A Inês trabalha no hospital de *Braga*.",
        "A Inês foi transferida para o hospital de *Aveiro*.",
    ),
    thread(
        "Welke medicijnen krijgt opa?",
        "Opa krijgt *bloedverdunners*.",
        "Opa is gestopt met bloedverdunners en krijgt *aspirine*.",
    ),
    thread(
        "妈妈吃什么降压药?", "妈妈吃*氨氯地平*降血压。", "医生给妈妈换了降压药,现在吃*缬沙坦*。"
    ),
    thread("项目什么时候上线?", "项目*六月一日*上线。", "项目上线推迟到*六月十五日*。"),
    thread("服务器的系统是什么?", "服务器装的是*Ubuntu*。", "服务器重装成*Debian*了。"),
    thread("狗狗多重?", "狗狗重*12*公斤。", "狗狗现在重*14*公斤。"),
    thread("数学老师是谁?", "数学老师是*赵老师*。", "赵老师退休了,数学老师是*钱老师*。"),
    thread("出張はいつですか?", "出張は*3日*です。", "出張は*10日*に延期されました。"),
    thread(
        "犬の名前は何ですか?",
        "犬の名前は*ポチ*にするつもりです。",
        "犬の名前は結局*ハチ*になりました。",
    ),
)
UNSEEN_LIFE: dict[str, tuple[Thread, ...]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "others": OTHERS,
}
UNSEEN_ASIDE = (
    "Walked Barnaby along the reservoir before work.",
    "The waiting room had a very old aquarium.",
    "Paired with Linnea on the flaky export.",
    "Packed the suitcases and lost the adapter.",
    "Vega was slow for an hour, nobody knows why.",
    "Paid the plumber in cash.",
    "Ottokar forgot his gym bag again.",
    "Elternabend, sehr lang, schlechter Kaffee.",
    "Anton hat einen Igel verbellt.",
    "Beim Umbau Kabel sortiert und beschriftet.",
    "Le train avait quarante minutes de retard.",
    "Manon a bien avancé dans ses exercices.",
    "Hicimos cuentas y sobró para un helado.",
    "El gato rompió un vaso.",
    "带狗狗去公园,下雨了。",
    "项目组一起吃了火锅。",
    "Argo ha mangiato una ciabatta.",
    "Opa heeft de hele middag geschaakt.",
)
UNSEEN_BESIDE: tuple[tuple[str, ...], ...] = (
    (
        "Which medicines does Walter take?",
        "Walter takes ramipril in the morning.",
        "Walter takes melatonin at night.",
    ),
    (
        "What did the vet do?",
        "The vet cleaned Sooty's teeth.",
        "The vet clipped Sooty's claws.",
    ),
    (
        "How much does each server cost?",
        "The server vega costs 12 euros a month.",
        "The server rigel costs 40 euros a month.",
    ),
    (
        "Which ports are open?",
        "Port 443 is open on the gateway.",
        "Port 22 is open on the bastion.",
    ),
    (
        "What marks did Ottokar get?",
        "Ottokar got a 2 in biology.",
        "Ottokar got a 3 in Latin.",
    ),
    (
        "Which projects does Linnea work on?",
        "Linnea works on Meridian.",
        "Linnea started to help with Polaris.",
    ),
    (
        "What is planned for Iceland?",
        "In Iceland we hike to the waterfall.",
        "In Iceland we visit the new museum.",
    ),
    (
        "Who are our customers?",
        "Hallberg is a customer since 2021.",
        "Nordlys is a new customer.",
    ),
    (
        "Which accounts do we have?",
        "The savings account is at Triodos.",
        "The current account is at Revolut now.",
    ),
    (
        "What does Juniper do after school?",
        "Juniper goes to chess club on Mondays.",
        "Juniper goes to pottery on Wednesdays.",
    ),
    (
        "What did Dana break?",
        "Dana broke her foot in January.",
        "Dana broke her new glasses.",
    ),
    (
        "Which pets does Felix have?",
        "Felix has a hamster.",
        "Felix now has an aquarium in his room.",
    ),
    (
        "When was the boat inspected?",
        "The boat was inspected on 3 May 2024.",
        "The boat was inspected on 12 May 2026.",
    ),
    (
        "Where did Imogen fly?",
        "Imogen flew from Lima to Cusco.",
        "Imogen flew from Cusco to La Paz.",
    ),
    (
        "What broke on rigel?",
        "A disk of rigel failed and was replaced.",
        "A fan of rigel failed and was replaced.",
    ),
    (
        "Welche Tabletten nimmt Oma?",
        "Oma nimmt eine Tablette gegen Rheuma.",
        "Oma nimmt eine Tablette zum Schlafen.",
    ),
    (
        "Welche Fächer hat Marlene?",
        "Marlene hat montags Musik.",
        "Marlene hat donnerstags Werken.",
    ),
    (
        "Was läuft auf den Servern?",
        "Auf dem Server Luchs läuft das Wiki.",
        "Auf dem Server Dachs läuft jetzt der Chat.",
    ),
    (
        "Was kostet der Urlaub?",
        "Die Fähre kostet 140 Euro.",
        "Die Ferienwohnung kostet 900 Euro.",
    ),
    (
        "Wer macht was im Projekt Kranich?",
        "Im Projekt Kranich macht Jale die Gestaltung.",
        "Im Projekt Kranich macht Ruben die Tests.",
    ),
    (
        "Was wurde am Auto gemacht?",
        "Am Auto wurden die Bremsen erneuert.",
        "Am Auto wurde der Auspuff gewechselt.",
    ),
    (
        "Quels vaccins a eu Jules ?",
        "Jules a été vacciné contre le tétanos.",
        "Jules a été vacciné contre la rougeole.",
    ),
    (
        "Combien avons-nous payé ?",
        "Nous avons payé 90 euros pour le train.",
        "Nous avons payé 45 euros pour le musée.",
    ),
    (
        "¿Qué tareas hace Noelia?",
        "Noelia escribe la documentación.",
        "Noelia revisa las nuevas traducciones.",
    ),
    (
        "¿Qué mascotas tiene Álex?",
        "Álex tiene un loro.",
        "Álex tiene dos tortugas.",
    ),
    (
        "A chi telefona Giulia?",
        "Giulia telefona alla nonna la domenica.",
        "Giulia telefona a Pietro il venerdì.",
    ),
    ("Wat kost de reis?", "De trein kost 60 euro.", "Het hotel kost 210 euro."),
    ("妈妈有什么病?", "妈妈有高血压。", "妈妈有老花眼。"),
    ("我们有哪些服务器?", "一号服务器跑网站。", "二号服务器跑新的数据库。"),
    ("今年去哪里旅行?", "五月去云南旅行。", "十月去西藏旅行。"),
)
