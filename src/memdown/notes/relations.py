"""What a fact says of what: who lives where, what costs how much, who leads what (pure functions).

Of such a relation there is one value at a time. If a newer fact names the same thing and the same relation, and
all that differs is one value of the same kind, it takes the older one's place, however it is worded. In ten
languages; facts that tell of no such relation, or of two differences at once, are never taken for replaced here.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from memdown.notes.details import is_among
from memdown.text import fold, index_terms, is_stop
from memdown.text.dates.words import MONTHS, WEEKDAYS
from memdown.values import dataclass, pattern

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
_WHEN: Final[frozenset[Kind]] = frozenset(("clock", "day", "often"))
_CLOCK: Final[frozenset[Kind]] = frozenset(("clock",))
_TELLING: Final[frozenset[Kind]] = frozenset(("name", "code", "number", "clock", "day"))

# en | de | fr | es | pt | it | nl, present tense: what is told as past are events, and of those there are many.
_RELATIONS: Final[Mapping[str, _Relation]] = {
    "home": _Relation(
        "live lives living resides moved relocated | wohnt wohnen lebt leben umgezogen gezogen gezügelt"
        " | habite habitent vit vivent installe installee installes demenage emmenage | vive viven vivo vivir"
        " mudo mudado instalado instalada | mora moram morar viver mudou | abita abitano abitare vivere vivono"
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
        "earns salary wage | verdient gehalt lohn | gagne salaire | gana sueldo salario | ganha ordenado salario"
        " | guadagna stipendio | salaris",
        _AMOUNT,
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
        "has have gets got takes every | hat haben bekommt nimmt alle | a prend tous | tiene hay toma cada"
        " | tem ha toma | ha prende ogni | heeft krijgt neemt elke",
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
        "held takes-place meets falls | findet trifft stattfindet | aura-lieu a-lieu | celebra se-reune | realiza-se"
        " marcada marcado | svolge fissato fissata | plaats",
        _WHEN,
    ),
    "kept": _Relation(
        "kept stored parked stands lies hangs sits | steht liegt hangt stehen liegen hangen lagert parkt | range ranges"
        " rangee rangees garee gare | guardado guardada guardados guardadas colgado colgada colgadas aparcado aparcada"
        " aparcamos | guardadas guardados fica ficam estacionado | sta stanno trova parcheggiamo parcheggiata | staat"
        " staan ligt liggen hangt hangen",
        _THINGS,
        "behind",
    ),
    "stay": _Relation(
        "staying stay stays travelling traveling arrived | ubernachten ubernachtet | logeons loge sejourne"
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
        "runs hosted deployed deploy deploys listens go goes sent | lauft gehostet | heberge hebergee tourne | corre"
        " alojado alojada | corre alojado | gira ospitato | draait",
        frozenset((*_THINGS, "number")),
        "behind",
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
        _TELLING,
        "any",
        "number address phone version port seat room platform gate size e-mail email url licence license birthday"
        " deadline appointment dentist doctor gp vet landlord landlady bank insurer insurance provider broker lawyer"
        " physiotherapist therapist hairdresser plumber editor interest-rate rate balance budget blood-type favourite"
        " favorite language framework database hotel flight"
        " | nummer telefonnummer handynummer adresse version port platz sitzplatz zimmer gleis grosse geburtstag frist"
        " termin zahnarzt zahnarztin hausarzt hausarztin arzt arztin tierarzt tierarztin vermieter vermieterin bank"
        " versicherung krankenkasse anbieter steuerberater steuerberaterin friseur friseurin budget zinssatz sprache"
        " framework datenbank hotel"
        " | numero adresse telephone taille siege chambre quai gare anniversaire echeance dentiste medecin pediatre kine"
        " veterinaire proprietaire banque assurance fournisseur avocat avocate coiffeur coiffeuse taux budget langue"
        " base hotel"
        " | numero direccion telefono talla asiento habitacion anden cumpleanos plazo dentista medico medica pediatra"
        " veterinario veterinaria casero casera banco seguro proveedor abogado abogada peluquero tipo presupuesto"
        " idioma hotel | numero morada telefone tamanho lugar quarto prazo consulta dentista medico medica veterinario"
        " senhorio senhoria banco seguro fornecedor taxa orcamento | numero indirizzo telefono taglia posto stanza"
        " binario scadenza appuntamento dentista medico pediatra veterinario padrone banca assicurazione fornitore"
        " avvocato tasso | nummer adres telefoonnummer maat stoel kamer spoor verjaardag afspraak tandarts huisarts"
        " dierenarts huisbaas verhuurder bank verzekering leverancier rente",
    ),
}
_ON: Final = frozenset("on an sur with mit aan to".split())
# Verbs of somebody who changes something of a thing: "the clinic set", "the caretaker gave us".
_DOES: Final = frozenset(
    "set gave given gives assigned told called says said wrote put made fixed chose picked decided gab gibt sagte schrieb"
    " legte donne dit mis fixe choisi dio dado dijo puso fijo deu disse pos dato detto messo fissato gaf zei zette".split()
)
# Of these the value stands behind a preposition: "the server runs Nginx" says what, not where.
_PLACED: Final = frozenset("home work kept stay sleep practise runs".split())
# "Attends a course" says one of several, "drives a Skoda" does not.
_DEFINITE_ONLY: Final = frozenset("school use kept".split())
_INDEFINITE: Final = frozenset("a an ein eine einen einem einer un une una uno um uma een".split())
# Who has charge of something leads, teaches or looks after it.
_ANY_AGENT: Final = frozenset(("lead", "teach", "care", "charge"))
_MONEY: Final = frozenset(
    "euro euros € $ dollar dollars pound pounds £ eur usd chf franken francs".split()
)
_WEIGHT: Final = frozenset("kg kilo kilos chili chilos kilogram quilos quilo".split())
_UNITS: Final = _MONEY | _WEIGHT | frozenset("mg ml g km cm m % gb mb tb h min".split())

# A preposition tells what kind of value follows it.
_PREPOSITIONS: Final[Mapping[str, str]] = {
    word: kind
    for kind, words in {
        "at": "in at on to into under behind beside near inside from im am auf unter hinter neben bei beim zu zur zum ins"
        " vor aus nach dans sur sous chez a au aux en sobre bajo tras al no na nos nas ao em sob nel nella sul sulla"
        " sotto dietro presso alla da op onder achter naast bij te naar para pour op unter",
        "with": "with mit avec con com met",
        "for": "for fur per por voor against gegen contre contra contro tegen",
        "as": "as als comme como come",
        "by": "by von vom durch par pelo pela dal dalla door",
    }.items()
    for word in words.split()
}
_COPULAS: Final = frozenset(
    "is are 's ist sind est sont es son esta estan e sao sono zijn wird c'est zit".split()
)
# Words that say nothing of what is: articles, pronouns, verbs that only carry a noun, "now", "new", "there".
_LIGHT: Final = frozenset(
    fold(
        "the a an our my his her their your its this that these those there here now new fresh currently only just already"
        " still been being was be will would done gets get got has have had goes go going sees set put signed up bought"
        " started began took out back together most both all so then because we us i you he she it they who which year"
        " term month week per each an hour can at moment however apparently turned reached down after"
        " der die das den dem des ein eine einen einem einer unser unsere mein meine sein seine ihr ihre dort da hier jetzt"
        " nun neu neue neuer neues neuen derzeit aktuell momentan nur schon noch wurde worden geworden bekommt hat habe"
        " haben geht gehen ging wir uns ich er sie es sich man pro jahr monat woche seit statt stattfindet inzwischen"
        " mittlerweile neuerdings erreicht erreichen gekauft unter und oder anderen andere anderer ander"
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
_TITLES: Final = frozenset(
    "dr mr mrs ms prof miss doctor doctora docteur dottor dottoressa herr frau monsieur madame m mme senor senora don"
    " signor signora dokter meneer mevrouw professor professoressa dona dra sr sra tante onkel uncle aunt".split()
)
# What follows says why or since when, not what.
_ASIDE: Final = frozenset(
    "since because wegen aufgrund weil seit depuis desde dopo sinds vanwege omdat porque perche causa after ab durch"
    " account due grace".split()
)
_ASIDE_FOR: Final = frozenset("por pour".split())
_MOST_ASIDE: Final = 3
_THERE: Final = frozenset("there dort dorthin da y la alli ahi ali li daar".split())
_OFTEN: Final = frozenset(
    fold(
        "hourly daily weekly monthly yearly fortnightly stundlich taglich wochentlich monatlich jahrlich quotidien"
        " hebdomadaire mensuel diario diariamente semanal mensual mensal giornaliero settimanale mensile dagelijks"
        " wekelijks maandelijks"
    ).split()
)
_ARTICLES: Final = frozenset(
    "the der die das le la les el los las o os as il lo gli de het".split()
)
_NUMBER_WORDS: Final = frozenset(
    fold(
        "two three four five six seven eight nine ten eleven twelve zwei drei vier fünf sechs sieben acht neun zehn elf"
        " zwölf deux trois quatre cinq sept huit neuf dix onze douze dos tres cuatro cinco seis siete ocho nueve diez"
        " dois duas quatro sete oito nove dez due tre quattro cinque sei sette otto dieci twee vijf zes zeven negen tien"
    ).split()
)
_OCLOCK: Final = frozenset("uhr am pm o'clock h heures heure uur horas".split())
_FLOOR: Final = frozenset("floor stock etage stockwerk piso planta andar piano verdieping".split())
_STATES: Final = frozenset(
    _stem_of
    for word in "closed open free busy off away geschlossen zu frei offen ferme ouvert libre cerrado abierto fechado"
    " aberto chiuso aperto dicht vrij born geboren ne nacido nato nascido".split()
    for _stem_of in (word, *index_terms(word))
)
# A building stays where it is: what is said of its place besides holds, too.
_FIXED: Final = frozenset(
    "house office flat apartment cottage shop store school hotel room garden station church cafe restaurant haus buro"
    " wohnung laden geschaft schule garten bahnhof kirche werkstatt maison bureau appartement magasin ecole jardin"
    " oficina casa piso tienda jardin escritorio loja jardim ufficio negozio giardino kantoor winkel huis tuin".split()
)
# What follows does not hold: "from trunk, not develop".
_INSTEAD: Final = frozenset("not instead statt anstatt anstelle rather nicht pas non niet".split())
_LIEU: Final = frozenset("au lieu en vez lugar em in plaats al posto".split())
_CLEFT: Final = pattern(
    r"\bc'est .{2,30} qui\b|\b(?:e|foi) [ao] \w+ que\b|\bes (?:la |el )?\w+ (?:quien|la que|el que)\b"
    r"|\bit(?:'s| is) \w+ who\b|\be \w+ (?:che|a)\b|\bes ist \w+, (?:der|die)\b"
)
_BREAK: Final = pattern(
    r"[,;:](?=\s)|\s[–—-]\s|[.!?]\s|\s(?:so|because|since|weil|denn|car|omdat|perche)\s"
)
_AND: Final = pattern(r"\s(?:and|und|et|y|e|en)\s")
_PAIR: Final = 2
_TOKEN: Final = pattern(r"[€$£%]|[^\W_][\w'’./:,@-]*")
_CLOCK_TOKEN: Final = pattern(r"\d{1,2}(?:[:h]\d\d|h)")
_MEASURE: Final = pattern(r"(\d[\d.,]*)([a-z%€$£]+)")
_NUMBER: Final = pattern(r"\d[\d.,:/-]*")
_UNSPACED: Final = "\u0e00"
_MOST_SPAN: Final = 3
_FEWEST_SHARED: Final = 2
# Longer texts say more than one thing.
_MOST_PIECES: Final = 16
_START: Final = 3


class _Piece(NamedTuple):
    """A word, value or relation of a clause; `ahead` is the kind of preposition before it.

    `vague`: it has an indefinite article, so that there may be more than one.
    """

    text: str
    kind: Kind
    ahead: str = ""
    vague: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a clause says, in order.

    `there` and `cleft`: it says "there", or "it is Ann who"; `denied` is what stands behind "instead of".
    """

    pieces: tuple[_Piece, ...]
    relations: frozenset[str]
    there: bool
    cleft: bool
    denied: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All but relations."""
        return tuple(one.text for one in self.pieces if one.kind not in ("relation", "is"))


def _lexicon(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, listed in words.items():
        for word in fold(listed).replace("|", " ").split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


_LEXICON: Final = _lexicon({name: one.words for name, one in _RELATIONS.items()})
_NOUNS: Final = _lexicon({name: one.nouns for name, one in _RELATIONS.items()})
_ATTRIBUTES: Final = frozenset(
    term for word, names in _NOUNS.items() if "attribute" in names for term in index_terms(word)
)


def restated(old: str, new: str, ended: Collection[str] = ()) -> bool:
    """Whether a newer fact names another value of the same relation of the same thing.

    `ended` are the words by which the newer one tells of a change: with them it need not name the relation.
    """
    if old[:1] >= _UNSPACED:
        return _restated_unspaced(old, new)
    if _starts(old).isdisjoint(_starts(new)):
        return False
    ours = _clauses(new)
    return any(_same_slot(theirs, one, ours, ended) for theirs in _clauses(old)[:1] for one in ours)


def tells_of_another(old: str, new: str, ended: Collection[str] = ()) -> bool:
    """Whether a fact is about something else in spite of common words: in the same place, or on another day.

    "The chat runs on the server" takes nothing away from "The wiki runs on the server", nor "Ben's key is here"
    from "Ben is here".
    """
    if old[:1] >= _UNSPACED:
        return _is_part(old, new)
    if ended or _starts(old).isdisjoint(_starts(new)):
        return False
    theirs, ours = _clauses(old)[:1], _clauses(new)[:1]
    if not theirs or not ours:
        return False
    gone, come = _missing(theirs[0], ours[0].words), _missing(ours[0], theirs[0].words)
    if not gone or not come:
        return False
    lost, found = (
        [clause.pieces[n] for n in some] for clause, some in ((theirs[0], gone), (ours[0], come))
    )
    if all("day" in {one.kind for one in some} and len(some) > 1 for some in (lost, found)):
        return True
    placed = theirs[0].relations & ours[0].relations & _PLACED
    if not placed or theirs[0].pieces[-1].text not in ours[0].words:
        return False
    # The place is the same and what is there is not.
    return gone[0] == 0 and theirs[0].pieces[-1].ahead == "at"


def _same_slot(
    theirs: _Clause, ours: _Clause, every: Sequence[_Clause], ended: Collection[str]
) -> bool:
    if not theirs.pieces or not ours.pieces:
        return False
    gone = _missing(theirs, ours.words)
    come = [n for n in _missing(ours, theirs.words) if ours.pieces[n].text not in ended]
    if ours.there:
        come = [n for n in come if ours.pieces[n].ahead == "at" and ours.pieces[n].kind == "name"]
    if not _is_span(come):
        come = _behind_lead(ours, come, ended)
    if not _is_span(gone) or not _is_span(come):
        return False
    shared = [one for one in theirs.words if _is_in(one, ours.words)]
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    alike = shared or theirs.relations & ours.relations
    if (
        alike
        and ours.denied
        and all(_is_in(one, [two.text for two in lost]) for one in ours.denied)
    ):
        return True
    if not shared or _kind(lost) != _kind(found):
        return False
    if _is_told_why(theirs, ours, every, lost, shared):
        return True
    if ours.cleft and gone[0] == 0 and _kind(lost) == "name" and len(shared) >= _FEWEST_SHARED:
        return True
    if ended and _is_all_else_alike(theirs, ours, lost, shared):
        return True
    relations = _common_relations(theirs, ours, found, bool(ended))
    return any(_fits(name, theirs, ours, gone, come, shared, bool(ended)) for name in relations)


def _is_told_why(
    theirs: _Clause,
    ours: _Clause,
    every: Sequence[_Clause],
    lost: Sequence[_Piece],
    shared: Sequence[str],
) -> bool:
    """Whether another clause tells of the old value, and this one names another: "Ben is ill, Ida comes"."""
    if ours is every[0] or len(shared) < _FEWEST_SHARED or _kind(lost) != "name":
        return False
    others = [word for one in every[1:] if one is not ours for word in one.words]
    names = [one.text for one in lost if one.kind == "name"]
    return all(_is_in(name, others) for name in names) and theirs.words != ours.words


def _is_all_else_alike(
    theirs: _Clause, ours: _Clause, lost: Sequence[_Piece], shared: Sequence[str]
) -> bool:
    """Whether a clause that tells of a change says the same but for one value."""
    if len(shared) < _FEWEST_SHARED:
        return False
    if _kind(lost) in _TELLING:
        return True
    verbs = [
        {one.text for one in clause.pieces if one.kind == "relation"} for clause in (theirs, ours)
    ]
    return bool(verbs[0]) and verbs[0] == verbs[1]


def _common_relations(
    theirs: _Clause, ours: _Clause, found: Sequence[_Piece], changed: bool
) -> frozenset[str]:
    both = theirs.relations & ours.relations
    agents = theirs.relations & _ANY_AGENT
    if agents and "charge" in (theirs.relations | ours.relations) and ours.relations & _ANY_AGENT:
        both |= agents
    # "Moved to Friday" tells by itself which relation it is about, if it names nothing but a value.
    mere = len({one.kind for one in found}) == 1 and (found[0].kind != "word" or len(found) == 1)
    if changed and mere and not ours.relations - {"has"}:
        both |= theirs.relations - {"has", "use", "is"}
    return both


def _fits(
    name: str,
    theirs: _Clause,
    ours: _Clause,
    gone: Sequence[int],
    come: Sequence[int],
    shared: Sequence[str],
    changed: bool,
) -> bool:
    """Whether the differing words are values of a relation."""
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    kind = _kind(lost)
    if name == "is":
        return _is_elsewhere(theirs, ours, gone, come)
    relation = _RELATIONS[name]
    if kind not in relation.kinds:
        return False
    places = _places_of_relations(theirs)
    if relation.place == "behind":
        if not places or gone[0] < places[0] or (name in _PLACED and not lost[0].ahead):
            return False
        if name in _DEFINITE_ONLY and lost[0].vague and found[0].vague:
            return False
        alike = changed or _same_preposition(lost[0].ahead, found[0].ahead)
        return alike and (name != "use" or len(shared) >= _FEWEST_SHARED)
    if relation.place == "agent":
        return _is_agent(theirs, gone) and (_is_agent(ours, come) or _is_last(ours, come))
    if name == "attribute":
        # Of a vet much can be told; "the vet is" tells who, and so does "Ben's vet".
        told = len(shared) >= _FEWEST_SHARED or "is" in theirs.relations & ours.relations
        return told and any(one in _ATTRIBUTES for one in shared)
    return True


def _same_preposition(one: str, other: str) -> bool:
    return one == other or {one, other} <= {"at", "for"}


def _is_elsewhere(theirs: _Clause, ours: _Clause, gone: Sequence[int], come: Sequence[int]) -> bool:
    """Whether both say by "is" when, how much or where something is."""
    lost, found = [theirs.pieces[n] for n in gone], [ours.pieces[n] for n in come]
    kind = _kind(lost)
    if kind in ("clock", "day", "number", "often"):
        # A shop may be closed on more than one day.
        return not any(one.text in _STATES for one in theirs.pieces)
    if kind not in ("word", "name") or lost[0].ahead != "at" or found[0].ahead != "at":
        return False
    if gone[0] == 0 or any(one.text in _FIXED for one in theirs.pieces) or not _is_thing(theirs):
        return False
    return not any(one.text in _FLOOR for one in (*lost, *found))


def _is_thing(clause: _Clause) -> bool:
    """Whether it is about a thing and not somebody: its first word is no name, or has an article."""
    return clause.pieces[0].kind == "word" or clause.pieces[0].ahead == "article"


def _is_agent(clause: _Clause, span: Sequence[int]) -> bool:
    """Whether a span is who does it: first of all, behind "is", or "by" somebody."""
    relations = _places_of_relations(clause)
    if not relations or span[-1] < relations[0]:
        return True
    before = clause.pieces[span[0] - 1]
    return clause.pieces[span[0]].ahead in ("by", "at") or before.kind == "is"


def _is_last(clause: _Clause, span: Sequence[int]) -> bool:
    """Whether who does it comes last: "Um das Kind kümmert sich Falk"."""
    words = [
        n for n, one in enumerate(clause.pieces) if one.kind in ("word", "name") and n not in span
    ]
    return bool(words) and max(words) < _places_of_relations(clause)[-1] < span[0]


def _places_of_relations(clause: _Clause) -> list[int]:
    return [n for n, one in enumerate(clause.pieces) if one.kind in ("relation", "is")]


def _behind_lead(clause: _Clause, come: Sequence[int], ended: Collection[str]) -> list[int]:
    """What is new without who brought it about: "the caretaker set", "the bank cut"."""
    new = frozenset(come)
    verb = -1
    for n, one in enumerate(clause.pieces):
        if one.kind in ("relation", "is") or one.text in ended:
            verb = n
        elif n not in new:
            break
    return [n for n in come if n > verb]


def _missing(clause: _Clause, words: Collection[str]) -> list[int]:
    """The places of what a clause says and others do not."""
    return [
        n
        for n, one in enumerate(clause.pieces)
        if one.kind not in ("relation", "is") and not _is_in(one.text, words)
    ]


def _is_in(word: str, words: Collection[str]) -> bool:
    if word in words or is_among(word, words):
        return True
    # "Leons Lehrerin", "Leon hat".
    return f"{word}s" in words or (word.endswith("s") and len(word) > 3 and word[:-1] in words)


def _is_span(places: Sequence[int]) -> bool:
    return 0 < len(places) <= _MOST_SPAN and places[-1] - places[0] == len(places) - 1


def _kind(span: Sequence[_Piece]) -> Kind:
    kinds = {one.kind for one in span}
    if len(kinds) == 1:
        return next(iter(kinds))
    return "name" if kinds <= {"name", "word", "code", "number"} and "name" in kinds else "relation"


@functools.lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[_Clause, ...]:
    """A text as a whole, and if it has several clauses, each of them."""
    parts = [part for part in _BREAK.split(text) if part.strip()]
    found = [_clause(one) for one in ([text, *parts] if len(parts) > 1 else [text])]
    joined = _AND.split(text)
    if len(joined) == _PAIR:
        first, second = map(_clause, joined)
        if first.pieces and second.pieces and second.pieces[0].kind == "relation":
            # "He sold it and drives another": who does it is only named before.
            found += [first, replace(second, pieces=(first.pieces[0], *second.pieces))]
    return tuple(one for one in found if len(one.pieces) <= _MOST_PIECES)


@functools.lru_cache(maxsize=8192)
def _starts(text: str) -> frozenset[str]:
    """How the words of a text begin: most pairs of texts have none in common, and need no closer look."""
    return frozenset(one.text[:_START] for clause in _clauses(text) for one in clause.pieces)


def _clause(text: str) -> _Clause:
    tokens = [match.rstrip(".,:/-'’") or match for match in _TOKEN.findall(text)]
    folded = [fold(one) for one in tokens]
    pieces: list[_Piece] = []
    relations: set[str] = set()
    denied: list[str] = []
    placed = -2
    ahead, skipping, titled, there, instead = "", 0, False, False, False
    for n, (token, word) in enumerate(zip(tokens, folded, strict=True)):
        word = word.removesuffix("'s").removesuffix("’s")
        if word.startswith(("l'", "d'", "l’", "d’", "n'", "s'", "c'", "qu'")):
            word, token = (
                word.split(word[1] if word[1] in "'’" else "'", 1)[1],
                token.split(token[1], 1)[-1],
            )
        following = folded[n + 1] if n + 1 < len(folded) else ""
        if f"{word}-{following}" in _LEXICON:
            folded[n + 1] = f"{word}-{following}"
            continue
        if word in _INSTEAD or (word in _LIEU and following in _LIEU):
            instead = True
            continue
        if word in _ASIDE or (word in _ASIDE_FOR and pieces and pieces[-1].kind in _WHEN):
            skipping = _MOST_ASIDE
            continue
        kind, value = _value(word, following, pieces)
        if skipping and word not in _COPULAS and word not in _LEXICON and kind != "clock":
            skipping = _still_aside(word, kind, skipping)
            if skipping or word not in _PREPOSITIONS:
                continue
        skipping = 0
        if kind is not None:
            if value:
                pieces.append(_Piece(value, kind, ahead))
            ahead = ""
            continue
        if word in _THERE and n and not following:
            there = True
        if word in _PREPOSITIONS:
            ahead = _PREPOSITIONS[word]
            continue
        if word in _COPULAS:
            pieces.append(_Piece(word, "is"))
            relations.add("is")
            ahead = ""
            continue
        if names := _relations_of(word, following):
            pieces.append(_Piece(_stem(word), "relation", ahead))
            relations |= names
            ahead = ""
            continue
        if word in _DOES:
            pieces.append(_Piece(_stem(word), "relation", ahead))
            ahead = ""
            continue
        relations |= _NOUNS.get(word, frozenset())
        if word in _TITLES:
            titled = True
            continue
        if word in _LIGHT or is_stop(word):
            continue
        if instead:
            denied.append(_stem(word))
            continue
        vague = n > 0 and folded[n - 1] in _INDEFINITE
        if pieces and placed == n - 1 and not ahead:
            # "In via Roma" is one phrase.
            ahead = pieces[-1].ahead
        placed = n
        name = titled or (token[:1].isupper() and (n > 0 or not is_stop(word)))
        pieces.append(_Piece(_stem(word), "name" if name else "word", ahead, vague))
        ahead, titled = "", False
    words = {one.text for one in pieces}
    if "is" in relations and words & _MONEY:
        relations.add("price")
    if words & _WEIGHT:
        relations.add("weigh")
    cleft = bool(_CLEFT.search(fold(text)))
    return _Clause(tuple(pieces), frozenset(relations), there, cleft, tuple(denied))


def _still_aside(word: str, kind: Kind | None, left: int) -> int:
    """How many words more belong to "since the rebuild": up to a day, the next article or preposition."""
    if kind is not None:
        return 0
    if word in _PREPOSITIONS or word in _ARTICLES:
        return left if left == _MOST_ASIDE else 0
    return left if word in _LIGHT else left - 1


def _relations_of(word: str, following: str) -> frozenset[str]:
    """What a word tells of, with the word behind it: whoever works on something may work on more."""
    names = _LEXICON.get(word, frozenset())
    return names - {"work"} if following in _ON else names


def _value(word: str, following: str, pieces: list[_Piece]) -> tuple[Kind | None, str]:
    """The kind of a value and how it is compared; an empty one belongs to the value before."""
    last = pieces[-1] if pieces else None
    if word in MONTHS or word in WEEKDAYS or word.removesuffix("s") in WEEKDAYS:
        if word in MONTHS and last is not None and last.kind == "number":
            pieces[-1] = _Piece(f"{last.text} {word}", "day", last.ahead)
            return "day", ""
        return "day", word.removesuffix("s")
    if _CLOCK_TOKEN.fullmatch(word) or (word.isdigit() and following in _OCLOCK):
        return "clock", word
    if word in _OCLOCK and last is not None and last.kind == "clock":
        return "clock", ""
    if word in _OFTEN:
        return "often", word
    if word in _NUMBER_WORDS and following:
        return "number", word
    if measure := _MEASURE.fullmatch(word):
        if measure[2] in _UNITS:
            pieces.append(_Piece(measure[1], "number"))
            return "number", ""
        return "code", word
    if _NUMBER.fullmatch(word):
        if last is not None and last.kind in ("number", "day") and last.text[-1:].isalnum():
            pieces[-1] = last._replace(text=f"{last.text} {word}")
            return last.kind, ""
        return "number", word
    if any(map(str.isdigit, word)):
        return "code", word
    return None, ""


@functools.lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    terms = index_terms(word)
    return terms[0] if terms else word


# Without spaces between words a relation is found by its signs: the thing, then the value, or the other way round.
_NOW_SIGNS: Final = pattern(
    r"现在|目前|已经|最近|如今|现|今は|今では|現在|最近は|แล้ว|ตอนนี้|[。.!！?？、,，\s]|了$|了(?=[。,，])"
)
_NOW_FIRST: Final = frozenset("现目已今")
_DIGITS: Final = r"[\d.:：一二三四五六七八九十百千万两零〇半]"
_VALUE_SIGNS: Final = pattern(
    rf"{_DIGITS}+|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?"
)
# "Is", "rose to", "was put off to": all say which value it is.
_IS_SIGNS: Final = pattern(
    r"是|为|改成|改为|改到|改在|变成|换成|换到|调到|涨到|升到|降到|推迟到|延期到|提前到|定在|定为|到"
    r"|に(?:なりました|なった|変わりました|変更(?:になり|し|され)ました|延期(?:になり|し|され)ました|決まりました)|です|だ$|でした$"
    r"|ขึ้นเป็น|เพิ่มเป็น|ลดเหลือ|เลื่อนเป็น|เปลี่ยนเป็น|เป็น|คือ|号码|番号"
)
# What happened on a day, or is planned for one, may happen on another, too.
_EVENT_SIGNS: Final = pattern(
    rf"了{_DIGITS}|过{_DIGITS}|去|来|買|走り|行き|行った|食べ|ซื้อ|ไป(?!อยู่|ทำงาน)"
)
_FRAMES: Final = tuple(
    pattern(frame)
    for frame in (
        r"(?P<of>.+?)(?P<home>住在?|搬(?:到|去|进)|定居在?)(?P<value>.+?)住?$",
        r"(?P<of>.+?)(?P<home>は)(?P<value>.+?)に(?:住|引っ越)",
        r"(?P<of>.+?)(?P<home>อาศัยอยู่ที่|อยู่ที่|ย้ายไปอยู่ที่|ย้ายไปอยู่)(?P<value>.+)$",
        r"(?P<of>.+?)(?:在|去|到|跳槽(?:到|去)?|入职)(?P<value>.+?)(?P<work>上班|工作|任职)$",
        r"(?P<of>.+?)(?P<work>跳槽到|跳槽去|入职|加入)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<work>で働|に勤め|に転職|に就職)",
        r"(?P<of>.+?)(?:ย้ายไป)?(?P<work>ทำงานที่)(?P<value>.+)$",
        r"(?P<of>.+?)(?P<kept>[停放存挂摆收藏装]在)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<kept>にあり|に置い|に止め)",
        r"(?P<of>.+?)(?:改?由|归|交给)(?P<value>.+?)(?P<lead>负责|管|主持|带|照顾|接送|教)$",
        r"(?P<value>.+?)(?P<lead>负责|主持|照顾|接送)(?P<of>.+?)$",
        r"(?P<of>.*?(?:老师|主任|经理|医生|大夫|教练|负责人|校长|房东|电话|地址|邮箱|名字|品牌|系统|语言|数据库|框架"
        r"|版本|银行|座位|房间|教室|酒店|司机|保姆|组长|队长|班长|老板|律师|会计|供应商|密码|口令|生日|颜色))"
        r"(?P<is>是|叫|为|换成|改成|变成|换)了?(?P<value>.+?)$",
        r"(?P<of>.*?(?:担当者?|先生|医者|医師|コーチ|店長|部長|課長|社長|大家さん?|電話|番号|住所|名前|場所|会議室|部屋"
        r"|席|教室|主治医|リーダー|監督|責任者|ホテル|言語|締め切り|パスワード))(?P<is>は)"
        r"(?P<value>.+?)(?:さん|先生)?(?:です|に(?:なり|交代|変わ|変更|決ま).*)$",
    )
)


# What stands behind a thing's name, and what makes another thing of it: "the warehouse is", "of the warehouse".
_PARTICLES: Final = frozenset("はがをにの的是在有")
_OF_SIGNS: Final = frozenset("的の")


def _is_part(old: str, new: str) -> bool:
    """Whether one is about a part of what the other is about, or about another of the same name: room A, the room."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if not common or common in (len(old), len(new)):
        return False
    for one, other in ((old[common], new[common]), (new[common], old[common])):
        if one in _OF_SIGNS and other not in _OF_SIGNS and other in _PARTICLES | _NOW_FIRST:
            return True
        if one.isascii() and one.isalnum() and other in _PARTICLES:
            return True
    return False


class _Slot(NamedTuple):
    relation: str
    of: str
    value: str


@functools.lru_cache(maxsize=8192)
def _slots(text: str) -> tuple[str, tuple[str, ...], tuple[_Slot, ...]]:
    """A text with its values left open, these values, and what it says of what."""
    plain = _NOW_SIGNS.sub("", text)
    template = _IS_SIGNS.sub("", _VALUE_SIGNS.sub("#", plain))
    found = []
    for frame in _FRAMES:
        if match := frame.match(plain):
            relation = next(
                name
                for name in ("home", "work", "kept", "lead", "is")
                if match.groupdict().get(name)
            )
            found.append(_Slot(relation, match["of"].rstrip("的の"), match["value"]))
    return template, tuple(_VALUE_SIGNS.findall(plain)), tuple(found)


def _restated_unspaced(old: str, new: str) -> bool:
    """The same for languages that write no spaces."""
    (template, values, slots), (other, ours, fresh) = _slots(old), _slots(new)
    if template == other and len(values) == len(ours) == 1 and values != ours:
        return not _EVENT_SIGNS.search(old)
    return any(
        one.relation == two.relation and one.of == two.of and one.value != two.value
        for one in slots
        for two in fresh
    )
