"""A third life: a boatyard, a buoy project, a theatre, a brewery, and friends on four continents.

It was written by someone who had not read the rules by which an older fact counts as replaced. Two threads with
codes, which are refused as secrets, were exchanged before its first run could end; one pair that could be read as
a change was put right afterwards, and nothing else. Of its 132 threads, told by someone who ignores the question,
66 were clean then (50 %), in 13 the outdated fact came first (10 %); 4 of the 139 facts that hold side by side
were shown as what was, and a review would have struck 3.

Where two statements of a thread have the same telling word, the later one says the same in other words, or goes
back to what was before. Whoever changes rules by looking at it writes a new one.
"""

from __future__ import annotations

from bench.life_words import Thread, thread

ENGLISH = (
    thread(
        "Where does Ifeoma live?",
        "Ifeoma rents a flat in *Bergen*, right by the fish market.",
        "Ifeoma gave up the flat and is buying a house in *Stavanger*, so letters go there.",
        "The sale fell through at the notary's and Ifeoma lives in *Bergen* as before.",
    ),
    thread(
        "At which berth is the Skarv?",
        "The Skarv lies at berth *F17* in the marina.",
        "The harbour office gave us berth *D42* for the Skarv while they dredge.",
        "Dredging is done, the Skarv is back at berth *F17*.",
    ),
    thread(
        "Which port does the MQTT broker of tidewatch listen on?",
        "tidewatch: the MQTT broker listens on port *1883*.",
        "tidewatch: the MQTT broker listens on port *8883*, with TLS.",
    ),
    thread(
        "Which firmware do the buoys run?",
        "The buoys run firmware *2.4.1*.",
        "Flashed all the buoys last night, they run firmware *2.6.0*.",
        "2.6.0 drained the batteries within a day, so we put firmware *2.4.9* on the buoys.",
    ),
    thread(
        "How long are raw sonar files kept?",
        "Raw sonar files are kept for *90 days*.",
        "After a long call with legal, who were worried about the insurance case from last winter, we "
        "agreed that raw sonar files are kept for *400 days*.",
    ),
    thread(
        "Who is the skipper of the survey vessel?",
        "*Anselm* is the skipper of the survey vessel.",
        "Anselm left for the coast guard. Skipper of the survey vessel: *Birte*.",
    ),
    thread(
        "How many members does the ceramics studio have?",
        "The ceramics studio has *eight members*.",
        "Yewande joined, which makes it *nine members* at the ceramics studio.",
    ),
    thread(
        "Which hearing aid does Gudrun wear?",
        "Gudrun wears a hearing aid by *Phonak*.",
        "Gudrun sent hers back because it whistled; she wears a hearing aid by *Widex*.",
    ),
    thread(
        "What strength are Kelechi's glasses?",
        "Kelechi's glasses have *-1.25* on both eyes.",
        "The optician measured again and Kelechi's glasses need *-1.75* on both eyes.",
    ),
    thread(
        "What is Obinna's basal rate?",
        "Obinna's insulin pump: basal rate *0.85* units an hour.",
        "Obinna's insulin pump: basal rate *0.70* units an hour.",
    ),
    thread(
        "How much is the Tidal family plan?",
        "The Tidal family plan is *11.99* a month.",
        "From the October bill on, the Tidal family plan is *16.99* a month.",
    ),
    thread(
        "Which magazine do we subscribe to?",
        "We subscribe to the magazine *Wooden Boat*.",
        "I cancelled Wooden Boat, nobody read it. The magazine we subscribe to is *Apollo*.",
    ),
    thread(
        "When is Solveig's driving test?",
        "Solveig's driving test is on *12 October*.",
        "The examiner has the flu, Solveig's driving test got pushed to *26 October*.",
        "The driving school phoned, someone dropped out: Solveig takes the test on *19 October*.",
    ),
    thread(
        "What is the parrot called?",
        "The parrot is called *Captain*.",
        "Scratch that, the parrot is called *Kaptein*, the Norwegian way.",
    ),
    thread(
        "Where is the horse Fakir stabled?",
        "Solveig's horse Fakir is stabled at *Lundgård*.",
        "Solveig took Fakir to the stable at *Myrvoll*, they have an indoor arena.",
    ),
    thread(
        "What time does Torstein aim for in the marathon?",
        "Torstein aims for *3:45* in the marathon.",
        "With that calf of his he aims lower, Torstein would be happy with *4:10* in the marathon.",
    ),
    thread(
        "When does Yewande's residence permit end?",
        "Yewande's residence permit ends in *November 2026*.",
        "The letter is here! Yewande's residence permit was extended and ends in *November 2028*.",
    ),
    thread(
        "When does the podcast come out?",
        "The podcast comes out on every *second Tuesday*.",
        "Listeners wanted more, so the podcast comes out on *each Friday*.",
    ),
    thread(
        "Where is the podcast hosted?",
        "The podcast is hosted at *Libsyn*.",
        "Moved every episode of the podcast from Libsyn to *Podbean*.",
    ),
    thread(
        "Where are the rehearsals?",
        "Rehearsals are in the *Old Brewhouse*.",
        "The roof leaks there. Rehearsals are in the *Net Loft*.",
    ),
    thread(
        "Which lighting desk does the theatre have?",
        "The theatre has a *GrandMA2* as its lighting desk.",
        "The theatre sold the desk and got an *Eos Ti* to run the lighting.",
    ),
    thread(
        "How much is a theatre ticket?",
        "A theatre ticket is *240 kroner*.",
        "The board voted six to one: a theatre ticket is *265 kroner*.",
    ),
    thread(
        "Which hops go into the pale ale?",
        "The hops in the pale ale are *Cascade*.",
        "The supplier ran out, the hops in the pale ale are *Citra*.",
    ),
    thread(
        "What is the fermentation chamber set to?",
        "The fermentation chamber is set to *18.5* degrees.",
        "The fermentation chamber is set to *20.5* degrees.",
    ),
    thread(
        "What is the title of the board game?",
        "The title of the board game is *Saltmarsh*.",
        "The publisher wants another one: the title of the board game is *Brackwater*.",
        "Long fight with the publisher, and we won. The board game gets the title *Saltmarsh* again.",
    ),
    thread(
        "How many can play the board game?",
        "The board game is for *2 to 4* players.",
        "It held up with more at the table, so the board game is for *2 to 5* players.",
    ),
    thread(
        "Which radio channel does the boathouse use?",
        "Boathouse radio: *channel 72*.",
        "Boathouse radio: *channel 77*.",
    ),
    thread(
        "What is Ragnhild's extension at the aquarium?",
        "Ragnhild at the aquarium has extension *3318*.",
        "You reach Ragnhild at the aquarium on extension *3350*.",
    ),
    thread(
        "When is the grant call with Oslo?",
        "The grant call with Oslo is on Wednesdays at *13:15*.",
        "They reorganised over there; the grant call with Oslo is on Wednesdays at *15:40*.",
    ),
    thread(
        "How much is the reef grant?",
        "The reef grant is *48,000* dollars.",
        "I misread the letter, sorry: the reef grant is *84,000* dollars.",
    ),
    thread(
        "How many requests does the weather API allow?",
        "The weather API allows *75 requests* a minute.",
        "We are on the paid tier, the weather API allows *750 requests* a minute.",
    ),
    thread(
        "Where does CI run?",
        "CI runs on *CircleCI*.",
        "Finished migrating the pipelines: CI runs on *Buildkite*.",
    ),
    thread(
        "Which Python does tidewatch need?",
        "tidewatch needs Python *3.10* or newer.",
        "tidewatch needs Python *3.12* or newer, we use the new type syntax.",
    ),
    thread(
        "Which topic do the sensor readings go to?",
        "Sensor readings go to the topic *buoy.raw*.",
        "Sensor readings go to the topic *buoy.readings*, nothing writes to the old one any more.",
    ),
    thread(
        "How many approvals does a merge need?",
        "A merge needs *one approval*.",
        "Decided in the retro: a merge needs *two approvals*.",
    ),
    thread(
        "How does Ifeoma want summaries?",
        "Ifeoma wants summaries as *bullet points*.",
        "Ifeoma told me she would rather get summaries as *one paragraph*.",
    ),
    thread(
        "What does Kelechi eat?",
        "Kelechi is a *vegetarian*.",
        "Kelechi has gone *vegan*, so cheese and eggs are out, too.",
    ),
    thread(
        "Where is Gudrun being treated?",
        "Gudrun is being treated in ward *7B* at Haukeland.",
        "They wheeled Gudrun over to ward *2A* at Haukeland this afternoon.",
        "Gudrun is out of hospital and is being treated *at home* by a nurse.",
    ),
    thread(
        "Who runs the harbour kiosk?",
        "*Petronella* runs the harbour kiosk.",
        "Petronella sold the harbour kiosk to *Ignatius*, he runs it with his brother.",
        "*Philippa* runs the harbour kiosk, the brothers lasted nine days.",
    ),
    thread(
        "Where is the fuse box?",
        "The fuse box is in the pantry *behind the flour*.",
        "If a fuse blows: the box is in the pantry, *behind the flour*.",
    ),
    thread(
        "What does Obinna hate to eat?",
        "Obinna can't stand *coriander*.",
        "Never cook with *coriander* when Obinna visits, he hates to eat it.",
    ),
    thread("What is Solveig's middle name?", "Solveig's middle name is *Adaeze*.", repeated=True),
    thread(
        "What is the sourdough starter fed with?",
        "The sourdough starter is fed with *rye* every other evening.",
        repeated=True,
    ),
    thread("Which sail was torn?", "The *mizzen* of the Skarv has a tear near the second reef."),
    thread("Who has our cargo bike?", "*Chidi* has our cargo bike for his move.", until=6),
    thread(
        "How do we get to the island?",
        "The tunnel is shut, we get to the island from *Halhjem*.",
        until=5,
    ),
    thread(
        "Who grants exceptions from the code freeze?",
        "Code freeze. *Marisol* grants exceptions, nobody else.",
        until=4,
    ),
)
GERMAN = (
    thread(
        "Woher kommt die Erde für die Gärtnerei?",
        "Die Erde für die Gärtnerei kommt von *Gartenkraft*.",
        "Gartenkraft hat zugesperrt. Die Erde für die Gärtnerei kommt vom *Humuswerk* Leibnitz.",
    ),
    thread(
        "Was ist Reinhard bei der Zahnradbahn?",
        "Reinhard ist *Schaffner* bei der Zahnradbahn.",
        "Reinhard hat die Prüfung bestanden und ist *Lokführer* bei der Zahnradbahn.",
    ),
    thread(
        "Was kostet die Tageskarte am Skilift?",
        "Die Tageskarte am Skilift kostet *52 Franken*.",
        "Die Tageskarte am Skilift kostet *57 Franken*.",
    ),
    thread(
        "Wo wohnt Urs?",
        "Urs wohnt in *Thun*.",
        "Urs hat eine Wohnung in *Chur* gefunden, der Umzug ist vorbei.",
        "In Chur hat es ihm nicht gefallen, Urs wohnt wieder in *Thun*.",
    ),
    thread(
        "Wann ist Liesls Meisterprüfung?",
        "Liesls Meisterprüfung ist am *21. Oktober*.",
        "Der Prüfer liegt im Spital, Liesls Meisterprüfung ist am *28. Oktober*.",
    ),
    thread(
        "Auf welchem Port druckt die Kassa?",
        "Die Kassa druckt auf Port *9100*.",
        "Die Kassa druckt auf Port *9105*.",
    ),
    thread(
        "Wann startet die Bewässerung im Glashaus?",
        "Die Bewässerung im Glashaus startet um *5:20* Uhr.",
        "Weil sonst bis Mittag alles verdunstet ist und die Gurken die Blätter hängen lassen, startet "
        "die Bewässerung im Glashaus um *21:50* Uhr.",
    ),
    thread(
        "Wie heißt Vronis Meerschweinchen?",
        "Vronis Meerschweinchen heißt *Knödel*.",
        "Ich habe mich verhört: Vronis Meerschweinchen heißt *Krümel*.",
    ),
    thread(
        "Wo sind die Schneeketten?",
        "Die Schneeketten sind unter der *Rückbank*.",
        "Falls es schneit: unter der *Rückbank* vom Auto sind die Schneeketten.",
    ),
    thread(
        "Wo ist der Lieferwagen?",
        "Der Lieferwagen ist in der Werkstatt *Obermoser*.",
        until=5,
    ),
)
FRENCH = (
    thread(
        "Où est la librairie d'Aminata ?",
        "La librairie d'Aminata est à *Dakar*.",
        "Le loyer était trop cher : Aminata a rouvert sa librairie à *Thiès*.",
    ),
    thread(
        "Combien coûte la carte de ski de fond ?",
        "La carte de ski de fond coûte *145 dollars*.",
        "La carte de ski de fond coûte *160 dollars*.",
    ),
    thread(
        "À quel numéro joindre Étienne ?",
        "On peut joindre Étienne au numéro *418-0133*.",
        "Étienne a noyé son téléphone, on peut le joindre au numéro *581-0177*.",
    ),
    thread(
        "Quand Mireille va-t-elle chez l'ophtalmo ?",
        "Mireille va chez l'ophtalmo le *7 octobre*.",
        "Le cabinet a rappelé, Mireille va chez l'ophtalmo le *15 octobre*.",
    ),
    thread(
        "Sur quelle fréquence émet la radio ?",
        "La radio communautaire émet sur *89,1*.",
        "La radio communautaire émet sur *97,7*.",
    ),
    thread(
        "Qui s'occupe du son à la radio ?",
        "*Baptiste* s'occupe du son à la radio.",
        "Baptiste est parti à Montréal ; c'est *Ndeye* qui s'occupe du son à la radio.",
    ),
    thread(
        "Combien de temps dure le court métrage ?",
        "Le court métrage dure *14 minutes*.",
        "On a coupé la scène du port, le court métrage dure *11 minutes*.",
        "Avec le générique, le court métrage dure finalement *12 minutes*.",
    ),
    thread(
        "De quelle oreille le chien de Mireille est-il sourd ?",
        "Le chien de Mireille est sourd de l'oreille *gauche*.",
        repeated=True,
    ),
    thread("Qui garde les clés du studio ?", "*Fatou* garde les clés du studio.", until=6),
)
SPANISH = (
    thread(
        "¿En qué universidad da clase Joaquín?",
        "Joaquín da clase en la universidad de *Salto*.",
        "Joaquín ganó el concurso y da clase en la universidad de *Rivera*.",
    ),
    thread(
        "¿A cuánto se vende el mezcal?",
        "El mezcal se vende a *420 pesos* la botella.",
        "Subieron las etiquetas y el corcho, el mezcal se vende a *480 pesos* la botella.",
    ),
    thread(
        "¿A qué hora abre el taller de telares?",
        "El taller de telares abre a las *9:25*.",
        "El taller de telares abre a las *10:50*.",
    ),
    thread(
        "¿Cuándo le revisan el marcapasos a la abuela Elvira?",
        "A la abuela Elvira le revisan el marcapasos el *3 de noviembre*.",
        "Cambiaron la cita: a la abuela Elvira le revisan el marcapasos el *17 de noviembre*.",
    ),
    thread(
        "¿Quién es el novio de Ximena?",
        "El novio de Ximena es *Rodrigo*.",
        "Ximena terminó con Rodrigo y su novio es *Emiliano*.",
    ),
    thread(
        "¿Qué versión de la aplicación usa el taller?",
        "El taller usa la versión *4.2.7* de la aplicación.",
        "El taller usa la versión *4.3.8* de la aplicación.",
        "Ya instalé la *5.1.3* de la aplicación en el taller.",
    ),
    thread(
        "¿Quién trae la lana?",
        "La lana la trae *Fausto*.",
        "Fausto se jubiló; la lana la trae *Jacinta*, su hija.",
    ),
    thread(
        "¿Cómo va Tomás al trabajo?",
        "Tomás va al trabajo en *bicicleta*.",
        "Con tanta lluvia Tomás va al trabajo en *ómnibus*.",
        "Salió el sol y Tomás volvió a ir al trabajo en *bicicleta*.",
    ),
    thread(
        "¿Dónde horneamos el pan?",
        "Se rompió el horno, horneamos el pan en lo de *Graciela*.",
        until=7,
    ),
)
PORTUGUESE = (
    thread(
        "Onde mora a Benedita?",
        "A Benedita mora em *Maputo*.",
        "A Benedita arranjou casa em *Nampula* e já levou os móveis.",
    ),
    thread(
        "Quanto custa a capoeira?",
        "A capoeira custa *130 reais* por mês.",
        "A capoeira passou a custar *155 reais* por mês.",
    ),
    thread(
        "Em que dia é o ensaio do maracatu?",
        "O ensaio do maracatu é na *quinta-feira*.",
        "O ensaio do maracatu é no *sábado*.",
    ),
    thread(
        "De que cor é o barco do Zeferino?",
        "O barco do Zeferino é *amarelo*.",
        "O Zeferino pintou o barco de *vermelho*.",
    ),
    thread(
        "Quem administra o prédio?",
        "O *Leandro* administra o prédio.",
        "Na assembleia votaram na *Tainá*, é ela quem administra o prédio.",
    ),
    thread(
        "Quando é a consulta do Caetano com a dermatologista?",
        "A consulta do Caetano com a dermatologista é no dia *9 de outubro*.",
        "Ligaram da clínica: a consulta do Caetano com a dermatologista fica para *23 de outubro*.",
    ),
    thread(
        "Quantos filhotes teve a cadela?",
        "A cadela teve *seis filhotes*.",
        "Contei mal, havia um debaixo da manta: a cadela teve *sete filhotes*.",
    ),
    thread(
        "O Caetano é canhoto ou destro?",
        "O Caetano é *canhoto*.",
        "O Caetano escreve com a mão esquerda, é *canhoto*.",
    ),
    thread("Quem toma conta da padaria?", "A *Rosário* toma conta da padaria.", until=6),
)
ITALIAN = (
    thread(
        "Dove restaura organi Ornella?",
        "Ornella restaura organi a *Trieste*.",
        "Ornella ha trasferito il laboratorio: restaura organi a *Gorizia*.",
    ),
    thread(
        "Quanto costa una lezione di vela?",
        "Una lezione di vela costa *38 euro*.",
        "Una lezione di vela costa *44 euro*.",
    ),
    thread(
        "Quando si riuniscono i soci?",
        "I soci si riuniscono il *10 ottobre*.",
        "La riunione dei soci slitta al *24 ottobre*.",
        "Il 24 manca la presidente, i soci si riuniscono il *31 ottobre*.",
    ),
    thread(
        "Chi cura l'archivio dei pupi?",
        "*Saverio* cura l'archivio dei pupi.",
        "Saverio è andato in pensione, l'archivio dei pupi lo cura *Loredana*.",
    ),
    thread(
        "Che cosa macina il mulino?",
        "Il mulino macina soltanto *segale*.",
        "Il mulino macina soltanto *farro*.",
    ),
    thread(
        "Con che cosa cammina nonno Dante?",
        "Nonno Dante cammina con il *bastone*.",
        "Nonno Dante è caduto dalle scale e cammina con il *deambulatore*.",
    ),
    thread(
        "Quanti anni ha il furetto di Ilaria?",
        "Il furetto di Ilaria ha *tre anni*.",
        "Mi correggo, il furetto di Ilaria ha *cinque anni*.",
    ),
    thread(
        "Quando chiude il vinaio?",
        "Il vinaio chiude il *mercoledì* pomeriggio.",
        repeated=True,
    ),
    thread(
        "Da dove si passa l'Isonzo?",
        "Il ponte è chiuso, l'Isonzo si passa da *Gradisca*.",
        until=5,
    ),
)
DUTCH = (
    thread(
        "Wat studeert Femke?",
        "Femke studeert *geologie* in Groningen.",
        "Femke is overgestapt, ze studeert *sterrenkunde* in Groningen.",
    ),
    thread(
        "Wanneer draait de molen?",
        "De molen draait op *zaterdagochtend*.",
        "De molen draait op *zondagmiddag*.",
    ),
    thread(
        "Wat kost een pot stroop?",
        "Een pot stroop kost *6,50*.",
        "Door de suikerprijs kost een pot stroop *7,20*.",
    ),
    thread(
        "In welk kantoor werkt Wouter?",
        "Wouter werkt in het kantoor in *Gent*.",
        "Sinds de fusie werkt Wouter in het kantoor in *Mechelen*.",
        "Wouter mocht terug, hij werkt in het kantoor in *Gent*.",
    ),
    thread(
        "Waar draait de webwinkel op?",
        "De webwinkel draait op *Magento*.",
        "De webwinkel is overgezet naar *Shopware*.",
    ),
    thread(
        "Wanneer wordt Marijke geopereerd?",
        "Marijke wordt op *2 november* aan haar stembanden geopereerd.",
        "De chirurg is op reis, Marijke wordt op *16 november* geopereerd.",
    ),
    thread(
        "Op welk nummer bel je de veerman?",
        "De veerman bel je op nummer *06-4410*.",
        "De veerman bel je op nummer *06-7793*.",
    ),
    thread(
        "Wie doet de boekhouding?",
        "*Ravi* doet de boekhouding.",
        "Ravi is terug naar Paramaribo, *Shanti* doet de boekhouding.",
    ),
    thread(
        "Waar leggen we de tjalk aan?",
        "De sluis is stuk, we leggen de tjalk aan in *Zuidlaren*.",
        until=6,
    ),
)
CHINESE = (
    thread("茶馆的老板是谁?", "茶馆的老板是*罗师傅*。", "罗师傅回老家了,茶馆转给*谭姐*,她是老板。"),
    thread(
        "小雅在哪里拍纪录片?",
        "小雅在*昆明*拍纪录片。",
        "昆明那边拍完了,小雅在*大理*拍纪录片。",
    ),
    thread("牛肉面多少钱一碗?", "牛肉面*十六块*一碗。", "牛肉面*十九块*一碗。"),
    thread("陶艺课在星期几?", "陶艺课在*星期二*晚上。", "陶艺课调到*星期五*晚上。"),
    thread(
        "外公每天打多少胰岛素?",
        "外公每天打*八个单位*的胰岛素。",
        "医生让外公加量,每天打*十二个单位*的胰岛素。",
    ),
    thread("小程序是哪个版本?", "小程序的版本是*1.8.2*。", "小程序发布了版本*1.9.4*。"),
    thread("快递站的电话是多少?", "快递站的电话是*6612*。", "快递站的电话是*7745*。"),
    thread("鹩哥会说几句话?", "鹩哥会说*四句*话。", "我说错了,鹩哥会说*五句*话。"),
    thread(
        "民宿的管家是谁?",
        "民宿的管家是*阿珍*。",
        "民宿的管家换成*小蒋*。",
        "小蒋不干了,*阿珍*又回来当民宿的管家。",
    ),
    thread("阿嬤住在哪裡?", "阿嬤住在*高雄*。", "阿嬤跟舅舅住在*台南*,老房子賣掉了。"),
    thread("谁帮忙看茶馆?", "这几天*阿坤*帮忙看茶馆。", until=5),
)
JAPANESE = (
    thread(
        "美咲さんはどこで働いていますか?",
        "美咲さんは*金沢*の旅館で働いています。",
        "美咲さんは*那覇*のホテルに転職しました。",
    ),
    thread("茶道の稽古は何曜日ですか?", "茶道の稽古は*水曜日*です。", "茶道の稽古は*土曜日*です。"),
    thread(
        "駐車場の料金はいくらですか?",
        "駐車場の料金は月*八千円*です。",
        "駐車場の料金が月*九千五百円*に上がりました。",
    ),
    thread("受付の内線は何番ですか?", "受付の内線は*205番*です。", "受付の内線は*318番*です。"),
    thread(
        "祖父の手術はいつですか?",
        "祖父の手術は*11月4日*です。",
        "先生の都合で、祖父の手術は*11月18日*になりました。",
    ),
    thread(
        "アプリの最新版は何ですか?",
        "アプリの最新版は*3.6.1*です。",
        "昨日アプリの*3.7.2*を公開しました。",
    ),
    thread(
        "編集長は誰ですか?",
        "編集長は*黒田さん*です。",
        "黒田さんが退職したので、編集長は*早川さん*です。",
    ),
    thread(
        "金魚は何匹いますか?",
        "金魚は*六匹*います。",
        "すみません、数え間違いでした。金魚は*七匹*います。",
    ),
    thread("健太の利き手はどちらですか?", "健太の利き手は*左手*です。", repeated=True),
    thread("今週の当番医は誰ですか?", "今週の当番医は*佐伯先生*です。", until=6),
)
THAI = (
    thread("คุณนิดทำงานที่ไหน", "คุณนิดทำงานที่*เชียงใหม่*", "คุณนิดย้ายไปทำงานที่*หาดใหญ่*"),
    thread("ข้าวซอยชามละเท่าไร", "ข้าวซอยชามละ *55 บาท*", "ข้าวซอยชามละ *65 บาท*"),
    thread("เรียนมวยไทยวันไหน", "เรียนมวยไทย*วันอังคาร*", "ครูเลื่อนเรียนมวยไทยไปเป็น*วันพฤหัส*"),
    thread(
        "เบอร์โทรของช่างแอร์คืออะไร",
        "เบอร์โทรของช่างแอร์คือ *081-2240*",
        "เบอร์โทรของช่างแอร์คือ *089-5517*",
    ),
    thread("หมาของลุงชื่ออะไร", "หมาของลุงชื่อ*ถุงทอง*", "พูดผิด หมาของลุงชื่อ*ถุงเงิน*"),
    thread(
        "ใครเป็นผู้จัดการโรงแรม",
        "ผู้จัดการโรงแรมคือ*คุณสมชาย*",
        "คุณสมชายลาออกแล้ว ผู้จัดการโรงแรมคือ*คุณวิภา*",
    ),
    thread("ยายนัดหมอตาวันไหน", "ยายนัดหมอตาวันที่ *8 ตุลาคม*", "หมอตาเลื่อนนัดยายเป็นวันที่ *22 ตุลาคม*"),
    thread("ลูกชายแพ้อะไร", "ลูกชายแพ้*กุ้ง*", repeated=True),
    thread("ใครดูแลร้านกาแฟ", "ช่วงนี้*น้องฟ้า*ดูแลร้านกาแฟ", until=5),
)
THIRD_LIFE: dict[str, tuple[Thread, ...]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "pt": PORTUGUESE,
    "it": ITALIAN,
    "nl": DUTCH,
    "zh": CHINESE,
    "ja": JAPANESE,
    "th": THAI,
}
THIRD_ASIDE = (
    "Scraped barnacles all afternoon, my shoulders are ruined.",
    "The grant officer laughed at our spelling of Plymouth.",
    "Somebody left a crate of lemons on the quay.",
    "Rebased three times and gave up before lunch.",
    "Watched the northern lights from the roof with cocoa.",
    "The kettle in the workshop trips whenever it rains.",
    "Kelechi learned to whistle with two fingers.",
    "Lost a chess game against the lighthouse keeper.",
    "Nebel bis mittags, dann Sonne auf der Alm.",
    "Die Kaffeemaschine entkalkt, sie klingt wie neu.",
    "Mit Liesl Marillen eingekocht.",
    "Grosse panne d'électricité, on a joué aux cartes.",
    "Mireille a trouvé une vieille boussole.",
    "Se nos quemó el arroz, pedimos empanadas.",
    "Vimos delfines desde la rambla.",
    "Chuva forte, a feira acabou cedo.",
    "O Zeferino contou histórias até à meia-noite.",
    "Bora fortissima, le sedie sono volate via.",
    "Abbiamo assaggiato il miele di castagno.",
    "Met Femke naar de vallende sterren gekeken.",
    "De fietsband twee keer geplakt.",
    "下午在河边喝茶,遇到老同学。",
    "昨晚停电,点了蜡烛。",
    "朝から雪で、電車が止まりました。",
    "縁側で猫と昼寝をしました。",
    "ฝนตกหนัก น้ำท่วมซอย",
    "ไปตลาดเช้า ซื้อมะม่วงมาเยอะ",
)
THIRD_BESIDE: tuple[tuple[str, ...], ...] = (
    (
        "What are the hulls made of?",
        "The Skarv has a wooden hull.",
        "The Alke has a steel hull.",
    ),
    (
        "How far did Torstein run?",
        "Torstein ran 14 km on Sunday.",
        "Torstein ran 9 km on Tuesday.",
    ),
    (
        "Which ports does tidewatch use?",
        "The bridge of tidewatch listens on port 1884.",
        "The admin page of tidewatch listens on port 9001.",
    ),
    (
        "What does a berth cost?",
        "Berth F17 costs 4,100 kroner a season.",
        "Berth D42 costs 3,800 kroner a season.",
    ),
    (
        "What does Gudrun take?",
        "Gudrun takes her heart pill with breakfast.",
        "Gudrun takes her iron drops with dinner.",
    ),
    (
        "What did Kelechi get for the bike?",
        "Kelechi got a new saddle for the bike.",
        "Kelechi got a new bell for the bike.",
    ),
    (
        "What did Yewande move?",
        "Yewande moved the glazes to the top shelf.",
        "Yewande moved the clay to the cellar.",
    ),
    (
        "When do the offices close?",
        "The office in Lagos closes at 17:00.",
        "The office in Bergen closes at 16:00.",
    ),
    (
        "What are the episodes about?",
        "Episode 41 is about eels.",
        "Episode 42 is about kelp.",
    ),
    (
        "When were the buoys serviced?",
        "Buoy 3 was serviced in May.",
        "Buoy 5 was serviced in June.",
        "Buoy 3 was serviced again in August.",
    ),
    (
        "Which languages does Obinna speak?",
        "Obinna speaks Igbo with his sister.",
        "Obinna speaks Twi at the market.",
    ),
    (
        "Whom does Ifeoma owe money?",
        "Ifeoma owes Marisol 30 dollars for the taxi.",
        "Ifeoma owes Birte 55 dollars for the dinner.",
    ),
    (
        "What has changed for Torstein?",
        "Torstein is no longer afraid of flying.",
        "Torstein is no longer in the rowing club.",
    ),
    (
        "How strong are the beers?",
        "The stout has 6.1 percent.",
        "The pale ale has 4.7 percent.",
    ),
    ("Whom did the parrot bite?", "The parrot bit the postman.", "The parrot bit Solveig."),
    (
        "What did Solveig pass?",
        "Solveig passed the theory test.",
        "Solveig passed the first-aid course.",
    ),
    (
        "Since when are they in the crew?",
        "Anselm joined the crew in 2019.",
        "Birte joined the crew in 2023.",
    ),
    (
        "When are the performances?",
        "The premiere is on 6 November.",
        "The second performance is on 8 November.",
    ),
    (
        "What do the grants pay for?",
        "The grant from Oslo pays for the sonar.",
        "The grant from Accra pays for the interns.",
    ),
    (
        "Where are the winches?",
        "The old winch is in the boathouse.",
        "The new winch is on deck.",
    ),
    (
        "What are Ifeoma's preferences?",
        "Ifeoma wants dates with the day first.",
        "Ifeoma wants amounts in kroner.",
    ),
    (
        "What did firmware releases fix?",
        "Firmware 2.4 fixed the clock.",
        "Firmware 2.5 fixed the compass.",
    ),
    (
        "When do Marisol's flights land?",
        "Marisol's flight to Accra lands at 05:50.",
        "Marisol's flight to Oslo lands at 19:25.",
    ),
    (
        "Who comes on Mondays?",
        "Kelechi's algebra tutor comes on Mondays.",
        "Kelechi's drum teacher comes on Mondays.",
    ),
    (
        "When do subscriptions renew?",
        "The Tidal subscription renews in January.",
        "The antivirus subscription renews in June.",
    ),
    (
        "What were the rooms changed into?",
        "Room 2 was changed into an office.",
        "Room 4 was changed into a nursery.",
    ),
    (
        "What did we drink at the tasting?",
        "At the tasting we drank a porter from Tromsø.",
        "At the tasting we drank a lager from Accra.",
    ),
    (
        "Who left the theatre?",
        "Ludmila left the theatre for a film.",
        "Corentin left the theatre for a tour.",
    ),
    (
        "Was hat Urs fotografiert?",
        "Urs hat im Juli die Hängebrücke fotografiert.",
        "Urs hat im August die Staumauer fotografiert.",
    ),
    (
        "Wie lange fahren die Bahnen?",
        "Der Sessellift fährt bis 16:30.",
        "Die Gondelbahn fährt bis 17:15.",
    ),
    (
        "Was gibt es Neues von Vroni?",
        "Vroni hat jetzt einen Roller.",
        "Vroni hat jetzt eine Zahnlücke.",
    ),
    (
        "Was wurde bei Reinhard operiert?",
        "Bei Reinhard wurde das linke Knie operiert.",
        "Bei Reinhard wurde das rechte Knie operiert.",
    ),
    (
        "Was kostet das Gemüse?",
        "Die Paradeiser kosten 4 Euro das Kilo.",
        "Die Paprika kosten 5 Euro das Kilo.",
    ),
    (
        "Wer bestellt Blumen?",
        "Frau Egger bestellt jeden Freitag Rosen.",
        "Herr Zbinden bestellt jeden Freitag Tulpen.",
    ),
    (
        "Qu'a vendu Aminata ?",
        "Aminata a vendu douze atlas.",
        "Aminata a vendu trois romans policiers.",
    ),
    (
        "À quelle heure sont les émissions ?",
        "L'émission de jazz est à 20 h 15.",
        "L'émission de contes est à 18 h 30.",
    ),
    (
        "Que pratique Étienne ?",
        "Étienne fait du canot le samedi.",
        "Étienne fait maintenant aussi de l'escalade le jeudi.",
    ),
    (
        "Qui joue dans le court métrage ?",
        "Odile joue la gardienne dans le court métrage.",
        "Mamadou joue le pêcheur dans le court métrage.",
    ),
    (
        "Qu'a acheté Mireille ?",
        "Mireille a acheté une nouvelle lampe pour le salon.",
        "Mireille a acheté une nouvelle lampe pour la cave.",
    ),
    (
        "¿Qué materias da Joaquín?",
        "Joaquín da estadística los lunes.",
        "Joaquín da topografía los miércoles.",
    ),
    (
        "¿Cuánto cuestan los tapetes?",
        "El tapete grande cuesta 2300 pesos.",
        "El tapete chico cuesta 900 pesos.",
    ),
    (
        "¿Qué le regalaron a Ximena?",
        "A Ximena le regalaron unos aretes.",
        "A Ximena le regalaron un cuaderno nuevo.",
    ),
    (
        "¿Qué médicos ve la abuela Elvira?",
        "La abuela Elvira ve al cardiólogo en mayo.",
        "La abuela Elvira ve al podólogo en julio.",
    ),
    (
        "¿Dónde viven los primos?",
        "El primo Néstor vive en Paysandú.",
        "El primo Abel vive en Colonia.",
    ),
    (
        "Que línguas fala a Benedita?",
        "A Benedita fala macua com a avó.",
        "A Benedita fala inglês no trabalho.",
    ),
    (
        "O que pescou o Zeferino?",
        "O Zeferino pescou uma garoupa.",
        "O Zeferino pescou dois polvos.",
    ),
    (
        "Quem toca no maracatu?",
        "A Iolanda toca alfaia no maracatu.",
        "O Davi agora toca gonguê no maracatu.",
    ),
    (
        "Que obras houve no prédio?",
        "No prédio trocaram o elevador.",
        "No prédio trocaram as caixas do correio.",
    ),
    (
        "Che organi ha restaurato Ornella?",
        "Ornella ha restaurato l'organo di Muggia.",
        "Ornella ha restaurato l'organo di Duino.",
    ),
    (
        "Quanto costano le barche a noleggio?",
        "La barca piccola costa 70 euro al giorno.",
        "La barca grande costa 120 euro al giorno.",
    ),
    (
        "Che cosa ha Ilaria?",
        "Ilaria ha un nuovo zaino.",
        "Ilaria ha una nuova bussola.",
    ),
    (
        "Chi sono i soci?",
        "Fulvio è socio dal 2015.",
        "Ottavia è socia dal 2024.",
    ),
    (
        "Welke vakken volgt Femke?",
        "Femke volgt optica op dinsdag.",
        "Femke volgt mechanica op donderdag.",
    ),
    (
        "Wat verkoopt de webwinkel?",
        "De webwinkel verkoopt stroop.",
        "De webwinkel verkoopt nu ook mosterd.",
    ),
    (
        "Wat is er kapot aan de tjalk?",
        "Van de tjalk is de pomp kapot.",
        "Van de tjalk is het roer kapot.",
    ),
    (
        "Hoe laat gaan de veren?",
        "De veer naar Texel gaat om 8:30.",
        "De veer naar Ameland gaat om 9:45.",
    ),
    ("小雅拍过什么纪录片?", "小雅拍过一部茶农的纪录片。", "小雅拍过一部渔民的纪录片。"),
    ("面馆卖什么?", "担担面卖十二块。", "酸辣粉卖十一块。"),
    ("外公有什么爱好?", "外公喜欢养兰花。", "外公现在也喜欢拉二胡。"),
    ("民宿有哪些房间?", "一号房可以看山。", "二号房可以看湖。"),
    ("阿嬤有幾個孫子?", "阿嬤的孫子阿傑在讀大學。", "阿嬤的孫女小慧在讀高中。"),
    ("美咲さんの趣味は何ですか?", "美咲さんの趣味は写真です。", "美咲さんは釣りも趣味です。"),
    ("会議室は何人入りますか?", "会議室Aは六人入ります。", "会議室Bは二十人入ります。"),
    ("祖父は何を飲んでいますか?", "祖父は朝に胃薬を飲みます。", "祖父は夜に漢方薬を飲みます。"),
    (
        "雑誌の記事は誰が書きますか?",
        "音楽の記事は宮本さんが書きます。",
        "料理の記事は岡さんが書きます。",
    ),
    ("เมนูราคาเท่าไร", "ชาเย็นแก้วละ 40 บาท", "กาแฟแก้วละ 50 บาท"),
    ("ลุงเลี้ยงอะไร", "ลุงเลี้ยงไก่", "ลุงเลี้ยงปลา"),
    ("คุณนิดไปเที่ยวไหนมา", "คุณนิดไปเที่ยวกระบี่เดือนเมษายน", "คุณนิดไปเที่ยวน่านเดือนกรกฎาคม"),
    ("ใครทำงานในโรงแรม", "คุณอรทำงานที่ครัวของโรงแรม", "คุณก้องทำงานที่สระว่ายน้ำของโรงแรม"),
)
