"""The words by which facts are compared: relations with one value at a time, ends and changes, states, kin; by language."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from memdown.text import fold, index_terms
from memdown.text.wording import WordPattern
from memdown.values import pattern

Kind = Literal["word", "name", "code", "number", "clock", "day", "often", "relation", "is"]
# Where a value may stand: behind the relation, before it (who does it), or anywhere.
Place = Literal["behind", "agent", "any"]


class _Relation(NamedTuple):
    """The words that tell of a relation, what its values are and where they stand.

    `nouns` tell of it, too, and name the thing besides: the rent, the school.
    """

    words: str
    kinds: frozenset[Kind]
    place: Place = "any"
    nouns: str = ""


_THINGS: Final[frozenset[Kind]] = frozenset(("word", "name", "code"))
_NAMED: Final[frozenset[Kind]] = frozenset(("name",))
_AMOUNT: Final[frozenset[Kind]] = frozenset(("number",))
WHEN: Final[frozenset[Kind]] = frozenset(("clock", "day", "often"))
_CLOCK: Final[frozenset[Kind]] = frozenset(("clock",))
TELLING: Final[frozenset[Kind]] = frozenset(("name", "code", "number", "clock", "day"))
# en | de | fr | es | pt | it | nl, present tense: what is told as past are events, and of those there are many.
RELATIONS: Final[Mapping[str, _Relation]] = {
    "home": _Relation(
        "live lives living resides moved relocated | wohnt wohnen lebt leben umgezogen gezogen gezugelt"
        " | habite habitent habitons vit vivent installe installee installes demenage emmenage | vive viven vivo vivir vivimos"
        " mudo mudado mudamos instalado instalada | mora moram morar moramos viver mudou | abita abitano abitiamo abitare vivere vivono"
        " trasferito trasferita trasferiti | woont wonen verhuisd",
        _THINGS,
        "behind",
    ),
    "work": _Relation(
        "works working work employed hired joined job | arbeitet arbeiten angestellt angefangen jobbt"
        " | travaille travaillent embauche embauchee engagee | trabaja trabajan contratado contratada fichado entrado"
        " | trabalha trabalham contratada | lavora lavorano assunto assunta | werkt werken begonnen aangenomen",
        _THINGS,
        "behind",
    ),
    "school": _Relation(
        "attends enrolled studies goes | besucht geht studiert | va frequente etudie | estudia estudian va"
        " | estuda estudam estudar anda | frequenta studia va | studeert gaat zit",
        frozenset((*_THINGS, "number")),
        "behind",
        "school class grade classroom college | schule klasse kita kindergarten klassenzimmer | ecole lycee creche classe"
        " | colegio escuela instituto guarderia clase | escola turma | scuola asilo classe | klas groep",
    ),
    "price": _Relation(
        "cost costs charges price fee pay pays asks | kostet kosten preis zahlen zahlt bezahlen betragt | coute"
        " coutent prix tarif payons | cuesta cuestan precio pagamos sale | custa custam preco pagamos | costa costano"
        " prezzo paghiamo | kost prijs betalen",
        _AMOUNT,
        "any",
        "rent | miete | loyer | alquiler | renda | affitto | huur",
    ),
    "earn": _Relation(
        "earns earn | verdient verdiene | gagne | gana gano | ganha ganho | guadagna guadagno | verdien",
        _AMOUNT,
        "any",
        "salary wage | gehalt lohn | salaire | sueldo salario | ordenado | stipendio | salaris loon",
    ),
    "save": _Relation(
        "save saves | sparen spart | epargnons epargne | ahorramos ahorra | poupamos poupa | risparmiamo risparmia",
        _AMOUNT,
    ),
    "weigh": _Relation(
        "weighs weight | wiegt gewicht | pese poids | pesa peso | weegt",
        _AMOUNT,
    ),
    "has": _Relation(
        "has have gets got takes take every wears counts | hat haben bekommt nimmt nehme alle tragt | prend prends tous porte compte"
        " | tiene hay toma tomo cada lleva | tem ha toma calca | ha prende prendo ogni porta | heeft krijgt neemt elke"
        " draagt",
        frozenset(("number", "often")),
    ),
    "start": _Relation(
        "starts begins | beginnt startet anfangt | commence debute | empieza comienza | comeca | inizia comincia"
        " | begint start",
        frozenset(("clock", "day")),
    ),
    "open": _Relation("opens | offnet | ouvre | abre abren | abre | apre | opent", _CLOCK),
    "close": _Relation("closes | schliesst | ferme | cierra | fecha | chiude | sluit", _CLOCK),
    "leave": _Relation(
        "leaves departs departure leave | fahrt abfahrt fahren abflug fliegen | part partons depart decolle | sale"
        " salimos salida despega | sai partimos partida | parte partiamo partenza | vertrekt vertrekken vertrek",
        frozenset(("clock", "day")),
    ),
    "arrive": _Relation(
        "arrives lands arrival | ankunft landet | arrive arrivee | llega llegada | chega chegada | arriva arrivo"
        " | aankomst landt",
        frozenset(("clock", "day")),
    ),
    "live": _Relation("goes-live go-live launch launches release-date", frozenset(("day",))),
    "when": _Relation(
        "held hold takes-place meets falls rehearses | probt findet trifft stattfindet | aura-lieu a-lieu | celebra se-reune | realiza-se"
        " marcada marcado | svolge fissato fissata | plaats",
        WHEN,
    ),
    "kept": _Relation(
        "kept stored parked stands lies hangs sits put moved | umgezogen gestellt gehangt geraumt gelegt steht liegt hangt stehen liegen hangen lagert parkt | mis mise range ranges"
        " rangee rangees garee gare | guardado guardada guardados guardadas colgado colgada colgadas aparcado aparcada"
        " aparcamos puesto puesta | guardadas guardados fica ficam estacionado | sta stanno trova parcheggiamo parcheggiata messo messa"
        " | gezet gelegd verhuisd staat"
        " staan ligt liggen hangt hangen",
        _THINGS,
        "behind",
    ),
    "stay": _Relation(
        "staying stay stays travelling traveling arrived moved | ubernachten ubernachtet | logeons loge sejourne"
        " | alojamos aloja | hospedados ficamos | alloggiamo alloggia | verblijven logeert",
        _THINGS,
        "behind",
    ),
    "sleep": _Relation("sleeps | schlaft | dort | duerme | dorme | slaapt", _THINGS, "behind"),
    "practise": _Relation(
        "trains | trainiert | entraine | entrena | treina | allena | traint", _THINGS, "behind"
    ),
    "lead": _Relation(
        "leads heads manages chairs leader lead head manager boss captain runs | leitet leiter leiterin leitung fuhrt"
        " chef chefin vorsitz | dirige directeur directrice chef cheffe responsable patron | dirige director directora"
        " lidera jefe jefa capitan | lidera dirige diretor diretora chefe | dirige guida direttore direttrice capo"
        " | leidt leider chef directeur",
        _NAMED,
        "agent",
    ),
    "teach": _Relation(
        "teaches teacher coaches coach trainer | unterrichtet lehrer lehrerin trainiert trainer trainerin"
        " klassenlehrerin klassenlehrer | enseigne professeur entraine entraineur maitresse | ensena profesor profesora"
        " entrena entrenador entrenadora | ensina professor professora treina treinador treinadora | insegna"
        " insegnante allena allenatore allenatrice maestra maestro | traint trainer juf meester",
        _NAMED,
        "agent",
    ),
    "care": _Relation(
        "looks-after minds babysits | betreut | garde | cuida | cuida | bada | verzorgt",
        _NAMED,
        "agent",
    ),
    "charge": _Relation(
        "responsible handles owns owner | kummert verantwortet zustandig verantwortlich gehort | occupe | encarga"
        " lleva encargado encargada | encarrega trata | occupa cura | zorgt regelt beheert",
        _NAMED,
        "agent",
    ),
    "use": _Relation(
        "uses use stores | nutzt verwendet benutzt nutzen | utilise tourne utilisons | usa usan utiliza usamos"
        " | usa usam utiliza | usa usano utilizza | gebruikt gebruiken",
        _THINGS,
        "behind",
    ),
    "made": _Relation(
        "written built based | geschrieben programmiert basiert gebaut | ecrit codee | escrito escrita basado | escrito"
        " escrita | scritto scritta | geschreven gebouwd",
        _THINGS,
        "behind",
    ),
    "runs": _Relation(
        "runs run hosted deployed deploy deploys listens go goes sent moved | umgezogen lauft laufen gehostet | heberge hebergee tourne | corre"
        " alojado alojada | corre alojado | gira ospitato | draait",
        frozenset((*_THINGS, "number")),
        "behind",
    ),
    "reports": _Relation("reports | berichtet | rapporteert", _NAMED, "behind"),
    "fly": _Relation(
        "fly flying flies | fliegen fliegt | volons | volamos | voamos | voliamo | vliegen vliegt",
        _THINGS,
        "behind",
    ),
    "comes": _Relation(
        "comes come | kommt | vient | viene | vem | viene | komt", frozenset(("day",))
    ),
    "lesson": _Relation(
        "",
        _NAMED,
        "behind",
        "lesson lessons tuition | unterricht klavierunterricht gitarrenunterricht geigenunterricht nachhilfe | cours"
        " lecons | clases clase | aulas explicacoes | lezioni lezione | les bijles pianoles",
    ),
    "drive": _Relation(
        "drives | fahrt | conduit roule | conduce | conduz | guida | rijdt", _THINGS, "behind"
    ),
    "name": _Relation(
        "called named name | heisst heissen name | appelle nom | llama llaman nombre | chama nome | chiama nome"
        " | heet naam",
        _THINGS,
        "behind",
    ),
    # What somebody or something has one of; the word itself must be the same.
    "attribute": _Relation(
        "",
        TELLING,
        "any",
        "number address phone version port seat room platform gate size e-mail email url licence license birthday"
        " deadline appointment dentist doctor gp vet landlord landlady bank insurer insurance provider broker lawyer"
        " physiotherapist therapist hairdresser plumber editor interest-rate rate balance budget blood-type favourite"
        " favorite language framework database hotel flight chairman chair president treasurer secretary mayor pressure"
        " temperature limit speed biggest largest main best oldest youngest nearest primary medication"
        " contact"
        " | nummer telefonnummer handynummer adresse version port platz sitzplatz zimmer gleis grosse geburtstag frist"
        " termin zahnarzt zahnarztin hausarzt hausarztin arzt arztin tierarzt tierarztin vermieter vermieterin bank"
        " versicherung krankenkasse anbieter steuerberater steuerberaterin friseur friseurin budget zinssatz sprache"
        " framework datenbank hotel vorsitzende vorsitzender prasident prasidentin kassier kassenwart druck temperatur ansprechpartner ansprechpartnerin"
        " grosster grosste beste bester alteste wichtigste"
        " | numero adresse telephone taille siege chambre quai gare anniversaire echeance dentiste medecin pediatre kine"
        " veterinaire proprietaire banque assurance fournisseur avocat avocate coiffeur coiffeuse taux budget langue"
        " base hotel president presidente tresorier tresoriere secretaire maire"
        " | numero direccion telefono talla asiento habitacion anden cumpleanos plazo dentista medico medica pediatra"
        " veterinario veterinaria casero casera banco seguro proveedor abogado abogada peluquero tipo presupuesto"
        " idioma hotel presidenta tesorero tesorera alcalde | numero morada telefone tamanho lugar quarto prazo consulta dentista medico medica veterinario"
        " senhorio senhoria banco seguro fornecedor taxa orcamento | numero indirizzo telefono taglia posto stanza"
        " binario scadenza appuntamento dentista medico pediatra veterinario padrone banca assicurazione fornitore"
        " avvocato tasso | nummer adres telefoonnummer maat stoel kamer spoor verjaardag afspraak tandarts huisarts"
        " dierenarts huisbaas verhuurder bank verzekering leverancier rente",
    ),
}
ON: Final = frozenset("on an sur with mit aan to".split())
# Verbs of somebody who changes something of a thing: "the clinic set", "the caretaker gave us".
DOES: Final = frozenset(
    "set gave given gives assigned told called says said wrote put made fixed chose picked decided gab gibt sagte schrieb"
    " legte donne dit mis fixe choisi dio dado dijo puso fijo deu disse pos dato detto messo fissato gaf zei zette".split()
)
# Of these the value stands behind a preposition: "the server runs Nginx" says what, not where.
PLACED: Final = frozenset("home work kept stay sleep practise runs lesson".split())
NAMED_PLACES: Final = frozenset("home kept".split())
# "Attends a course" says one of several, "drives a Skoda" does not.
DEFINITE_ONLY: Final = frozenset("school use kept".split())
ENGLISH: Final = frozenset("the is are at on of to for with his her".split())
# Behind an article they are things: the deploy, the stay.
THINGS_TOO: Final = frozenset("runs use kept stay home work sleep drive fly has".split())
INDEFINITE: Final = frozenset("a an ein eine einen einem einer un une una uno um uma een".split())
# Who has charge of something leads, teaches or looks after it.
ANY_AGENT: Final = frozenset(("lead", "teach", "care", "charge"))
MONEY: Final = frozenset(
    "euro euros € $ dollar dollars pound pounds £ eur usd chf franken francs".split()
)
WEIGHT: Final = frozenset("kg kilo kilos chili chilos kilogram quilos quilo".split())
UNITS: Final = MONEY | WEIGHT | frozenset("mg ml g km cm m % gb mb tb h min".split())
# A preposition tells what kind of value follows it.
PREPOSITIONS: Final[Mapping[str, str]] = {
    word: kind
    for kind, words in {
        "at": "in at on to into under behind beside near inside im am auf unter hinter neben bei beim zu zur zum ins"
        " vor aus nach dans sur sous chez a au aux en sobre bajo tras al no na nos nas ao em sob nel nella sul sulla"
        " sotto dietro presso alla da op onder achter naast bij te naar para pour op unter",
        "from": "from ab vanaf von vom",
        "with": "with mit avec con com met",
        "for": "for fur per por voor against gegen contre contra contro tegen",
        "as": "as als comme como come",
        "by": "by durch par pelo pela dal dalla door",
    }.items()
    for word in words.split()
}
COPULAS: Final = frozenset(
    "is are 's ist sind est sont es son esta estan e sao sono zijn wird c'est zit reached became erreicht atteint alcanzo atingiu raggiunto bereikt".split()
)
# Words that say nothing of what is: articles, pronouns, verbs that only carry a noun, "now", "new", "there".
LIGHT: Final = frozenset(
    (
        "the a an our my his her their your its this that these those there here now new fresh currently only just already"
        " still been being was be will would done gets get got has have had goes go going sees set put signed up bought"
        " erst different other another started began took out together most both all so then because we us i you he she it they who which year"
        " term month week per each an hour can at moment however apparently turned down after"
        " der die das den dem des ein eine einen einem einer unser unsere mein meine sein seine ihr ihre dort da hier jetzt"
        " nun neu neue neuer neues neuen derzeit aktuell momentan nur schon noch wurde worden geworden bekommt hat habe"
        " haben geht gehen ging wir uns ich er sie es sich man pro jahr monat woche seit statt stattfindet inzwischen"
        " mittlerweile neuerdings gekauft unter und oder anderen andere anderer ander"
        " annee trimestre semestre rentree semester halbjahr jahre le la les l un une des du d notre nos mon ma mes son sa ses leur ce cette ces y maintenant nouveau nouvelle"
        " desormais actuellement ete etre fait faire va vont a ont on nous je il elle ils elles se s c qui que par an mois"
        " semaine et ou aura lieu autre achete"
        " el los las lo uno una unos nuestro nuestra mi su sus este esta estos ahora nuevo nueva actualmente ya alli ahi"
        " sido ha han va van fue hay nos me le les se al del de y o que quien por mes ano semana comprado empezado hace"
        " os as um uma meu minha seu sua nosso nossa agora novo nova atualmente ali la foi ser tem vai nos e ou que quem"
        " por mes ano semana ficou do dos das comprou"
        " il gli i uno mio mia suo sua nostro nostra adesso ora nuovo nuova ormai attualmente li stato stata va fa ci si"
        " e o che chi al mese anno settimana della dello dei delle di arrivato arrivata comprato"
        " het de een onze ons mijn zijn haar hun nu nieuw nieuwe momenteel inmiddels daar hier geworden gaat wij we ik hij"
        " zij ze zich en of dat die per maand jaar week voortaan tegenwoordig gekocht van"
    ).split()
)
TITLES: Final = frozenset(
    "dr mr mrs ms prof miss doctor doctora docteur dottor dottoressa herr frau monsieur madame m mme senor senora don"
    " signor signora dokter meneer mevrouw professor professoressa dona dra sr sra tante onkel uncle aunt".split()
)
# What follows says why or since when, not what.
ASIDE: Final = frozenset(
    "since because wegen aufgrund weil seit depuis desde dopo sinds vanwege omdat porque perche causa after ab durch"
    " account due grace".split()
)
ASIDE_FOR: Final = frozenset("por pour".split())
THERE: Final = frozenset("there dort dorthin da y la alli ahi ali li daar".split())
MINE: Final = frozenset(
    "our my unser unsere mein meine notre mon ma nuestro nuestra mi nosso nossa meu minha nostro nostra mio mia onze ons"
    " mijn we wir nous noi wij i ich je yo eu io ik".split()
)
RENEWED: Final = frozenset(
    "new different hired neu neue neuer neuen anderen andere nouveau nouvelle autre nuevo nueva novo nova nuovo nuova"
    " nieuwe ander andere".split()
)
OFTEN: Final = frozenset(
    (
        "hourly daily weekly monthly yearly fortnightly stundlich taglich wochentlich monatlich jahrlich quotidien"
        " hebdomadaire mensuel diario diariamente semanal mensual mensal giornaliero settimanale mensile dagelijks"
        " wekelijks maandelijks"
    ).split()
)
ARTICLES: Final = frozenset("the der die das le la les el los las o os as il lo gli de het".split())
NUMBER_WORDS: Final = frozenset(
    (
        "two three four five six seven eight nine ten eleven twelve zwei drei vier funf sechs sieben acht neun zehn elf"
        " zwolf deux trois quatre cinq sept huit neuf dix onze douze dos tres cuatro cinco seis siete ocho nueve diez"
        " dois duas quatro sete oito nove dez due tre quattro cinque sei sette otto dieci twee vijf zes zeven negen tien once twice thrice einmal zweimal dreimal viermal tweemaal driemaal"
    ).split()
)
OCLOCK: Final = frozenset("uhr am pm o'clock h heures heure uur horas".split())
AT_HOUR: Final = frozenset("at um las alle om".split())
FLOOR: Final = frozenset("floor stock etage stockwerk piso planta andar piano verdieping".split())
_ON_SOME_DAYS: Final = (
    "closed open free busy off away geschlossen zu frei offen ferme ouvert libre cerrado abierto fechado aberto chiuso"
    " aperto dicht vrij born geboren ne nacido nato nascido"
)
# A building stays where it is: what is said of its place besides holds, too.
FIXED: Final = frozenset(
    "house office flat apartment cottage shop store school hotel room garden station church cafe restaurant haus buro"
    " wohnung laden geschaft schule garten bahnhof kirche werkstatt maison bureau appartement magasin ecole jardin"
    " oficina casa piso tienda jardin escritorio loja jardim ufficio negozio giardino kantoor winkel huis tuin".split()
)
# What follows does not hold: "from trunk, not develop".
INSTEAD: Final = frozenset("instead statt anstatt anstelle rather".split())
NOT: Final = frozenset("not nicht pas non niet no nao".split())
LIEU: Final = frozenset("au lieu en vez lugar em in plaats al posto".split())
# What ended, was exchanged, put off, raised or mended, by language. Words that may tell of something that
# comes besides ("new", "began", "got", "now") are not among them.
ENDED: Final = WordPattern(
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

# A state, and what tells that it is over: broken, ill, a couple, away, not done yet.
STATES: Final = tuple(
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

# Somebody who moved something else: "moved the meeting", "moved his desk".
MOVED_ELSE: Final = pattern(
    r"\bmoved (?!to\b|into\b|in\b|out\b|from\b|away\b|back\b|house\b|home\b|on\b|over\b|here\b|there\b|again\b|indoors\b)"
)

# Who belongs to whom: "Pia's brother" is not Pia, and of brothers and neighbours there are several.
KIN: Final = WordPattern(
    r"\b(?:brother|sister|mother|father|mum|dad|grandma|grandpa|aunt|uncle|cousin|son|daughter|child|wife|husband|friend"
    r"|neighbou?r|colleague|member|customer|student|bruder|schwester|mutter|vater|oma|opa|tante|onkel|sohn|tochter|kind"
    r"|nachbar\w*|freund\w*|kolleg\w*|mitglied|kund\w*|frere|soeur|mere|pere|oncle|fils|fille|enfant|voisine?|amie?|collegue"
    r"|herman[oa]|madre|padre|ti[oa]|hij[oa]|prim[oa]|vecin[oa]|amig[oa]|coleg\w*|companer[oa]|irma\w?|pai|mae|filh[oa]"
    r"|vizinh[oa]|fratello|sorella|zi[oa]|figli[oa]|cugin[oa]|vicin[oa]|collega|broer|zus|moeder|vader|oom|zoon|dochter|lid"
    r"|buur\w*|vriend\w*|klant)\b"
)
# By these a log speaks of its own day.
THAT_DAY: Final = WordPattern(
    r"\b(?:today|tonight|tomorrow|yesterday|heute|morgen|gestern|aujourd'hui|demain|hier|hoy|manana|ayer|hoje|amanha|ontem"
    r"|oggi|domani|ieri|vandaag|gisteren)\b|今天|明天|昨天|今日|明日|昨日"
)
# What somebody can do with many things, or did more than once: one more takes none away.
_MANY: Final = (
    "likes loves enjoys hates knows speaks sells collects reads visited met called paid bought lent fixed needs owns supports"
    " grows learned plays allergic wrote made planted watched saw cooked baked recommends studied attended ran went did"
    " | mag liebt kennt spricht verkauft sammelt liest las braucht besuchte besitzt lernt spielt allergisch gekauft gelesen"
    " schrieb repariert war | aime adore connait parle vend collectionne lit achete lu besoin possede apprend joue allergique"
    " | gusta encanta conoce habla vende colecciona lee compro compramos necesita juega toca alergico alergica"
    " | gosta adora conhece fala coleciona comprou precisa joga alergica | ama piace conosce parla colleziona legge comprato"
    " bisogno gioca suona allergico allergica | houdt kent spreekt verkoopt verzamelt leest gekocht nodig speelt"
)
MANY_SIGNS: Final = (
    "喜欢 会 去过 学过 买了 有 过敏 好き 得意 飼って 行きまし ชอบ เลี้ยง ไปเที่ยว พูด"
).split()


@functools.lru_cache(maxsize=8192)
def tells_end(text: str) -> bool:
    """Whether a text says that something ended or took another's place."""
    folded = fold(text)
    return ENDED.matches(MOVED_ELSE.sub(" ", folded) if "moved" in folded else folded)


@functools.cache
def many() -> frozenset[str]:
    """The terms of what can be said of many things."""
    return frozenset(term[:6] for term in index_terms(_MANY))


@functools.cache
def lexicon() -> Mapping[str, frozenset[str]]:
    """The relations that a verb tells of; made at the first use, as are the others."""
    return _by_word({name: one.words for name, one in RELATIONS.items()})


@functools.cache
def nouns() -> Mapping[str, frozenset[str]]:
    """The relations that a noun tells of."""
    return _by_word({name: one.nouns for name, one in RELATIONS.items()})


@functools.cache
def attributes() -> frozenset[str]:
    """The terms of what somebody or something has one of."""
    return frozenset(index_terms(RELATIONS["attribute"].nouns))


@functools.cache
def states() -> frozenset[str]:
    """In which state something may be on more than one day: closed, free; as words and as terms."""
    return frozenset((*_ON_SOME_DAYS.split(), *index_terms(_ON_SOME_DAYS)))


def _by_word(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, listed in words.items():
        for word in listed.replace("|", " ").split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}
