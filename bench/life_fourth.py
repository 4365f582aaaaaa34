"""A fourth life: a family with bees and an orchard software, and friends, clinics, schools and kitchens elsewhere.

It was written before its first run, by someone who had read none of the rules by which an older fact counts as
replaced, and who did not run it. It is told as notes are really written: log lines, fragments without a verb, two
facts in a sentence, changes that no word announces, and things that end without a successor. Whoever changes rules
by looking at it writes a new one.

Where two statements of a thread have the same telling word, the later one says the same in other words, or goes
back to what was before.
"""

from __future__ import annotations

from bench.life_words import Thread, thread

ENGLISH = (
    thread(
        "Who is the vet for Crumpet?",
        "Vet for Crumpet: *Dr. Amsel*, Canal Row 9.",
        "Vet for Crumpet: *Dr. Pettibone*, Orchard Lane 2.",
    ),
    thread(
        "How much does Crumpet weigh?",
        "Crumpet weighs *23.4 kg*.",
        "Crumpet on the vet's scales: *21.9 kg*. The diet works.",
    ),
    thread(
        "What does the cat Pickle eat?",
        "Pickle the cat eats *Whiskas* pouches, one in the morning and one at night.",
        "Pickle turns up her nose at pouches. The cat eats *sardines* and is unbearable about it.",
    ),
    thread(
        "Which school does Peregrine go to?",
        "Peregrine goes to *Hollybank* Primary.",
        "Peregrine's first day at *St Columba's*, she came out of school grinning.",
    ),
    thread(
        "Who teaches Caspian's class?",
        "Caspian's class teacher is *Mr Okonjo*.",
        "*Ms Adeyinka* has Caspian's class for the rest of the year.",
    ),
    thread(
        "When does the choir rehearse?",
        "Choir: Mondays, *19:15*, St Jude's hall.",
        "Choir: please be there at *18:45*, the caretaker wants to lock up early.",
    ),
    thread(
        "Which car do we drive?",
        "We drive a *Daihatsu Sirion*, 2014, grey, with the dent.",
        "Picked up the *Kia Niro* this morning, our old car went in part exchange.",
    ),
    thread(
        "What does the car insurance cost?",
        "Car insurance: *£412* a year, renews in March.",
        "Car insurance came down to *£388* a year after an hour of haggling.",
    ),
    thread(
        "What is our mortgage fixed at?",
        "Mortgage: fixed at *4.89 %*.",
        "Remortgaged with the building society, fixed at *4.15 %* for five years.",
    ),
    thread(
        "Where is the boiler manual?",
        "Boiler manual is in the *blue binder*.",
        "Scanned the boiler manual and binned the paper; look in the *Paperless archive*.",
    ),
    thread(
        "What is the heating set to at night?",
        "Heating at night: *16.5 °C*",
        "Heating at night: *17.5 °C*",
    ),
    thread(
        "Who supplies our electricity?",
        "Electricity is with *Octopus*.",
        "Electricity is with *Ecotricity*.",
    ),
    thread(
        "When does the recycling go out?",
        "Recycling goes out on *Tuesday mornings*.",
        "Leaflet from the council: recycling goes out on *Friday mornings*.",
    ),
    thread(
        "How many hives do we keep?",
        "We keep *four hives* at the allotment.",
        "Wasps finished off the weak colony, which leaves us with *three hives*.",
        "Drove home with two nucs from Enoch on the back seat, so that's *five hives* to keep.",
    ),
    thread(
        "What do we treat varroa with?",
        "Varroa: *Apiguard*, two trays in August.",
        "Varroa: *oxalic acid*. The thymol made them beard all night.",
    ),
    thread(
        "Which firmware is on the hive scale?",
        "Hive scale, firmware *1.8.2*",
        "Hive scale, firmware *1.9.0*",
        "hive scale kept rebooting in the cold -> firmware *1.9.3*, stable for two nights",
    ),
    thread(
        "What do we charge for a jar of honey?",
        "A jar of honey sells at *£6.50*.",
        "Lids and labels went up, so a jar of honey sells at *£7.25*.",
    ),
    thread(
        "Which plot is our allotment?",
        "Our allotment is *plot 31*, by the water butt.",
        "Swapped with the Dhillons. Our allotment is *plot 27*.",
    ),
    thread(
        "Who is the allotment secretary?",
        "Allotment secretary: *Enid Marsh*",
        "Allotment secretary: *Leopold Thrale*, elected 14 to 9",
    ),
    thread(
        "Which port does the orchardbook API listen on?",
        "orchardbook: API listens on *:8087*",
        "orchardbook: with the proxy in front, API listens on *:9300*",
    ),
    thread(
        "Which Go does orchardbook build with?",
        "orchardbook builds with *Go 1.21*.",
        "Bumped the toolchain. orchardbook builds with *Go 1.23*, generics cleanup comes later.",
    ),
    thread(
        "What do the jobs of orchardbook go through?",
        "orchardbook: jobs go through *RabbitMQ*.",
        "ADR 14, accepted: jobs of orchardbook go through *NATS*, one stream per tenant.",
    ),
    thread(
        "What is the retry limit for webhooks?",
        "webhooks: retry limit = *5 attempts*",
        "webhooks: retry limit = *8 attempts*",
    ),
    thread(
        "Which branch is orchardbook released from?",
        "orchardbook is released from the branch *rel-stable*.",
        "Trunk-based development it is: orchardbook is released from *main-line*, other branches die young.",
    ),
    thread(
        "Where do the logs of orchardbook go?",
        "Logs of orchardbook go to *Loki*.",
        "Third outage this month, I'm done. Logs of orchardbook go to *ClickHouse*.",
    ),
    thread(
        "What is the staging host?",
        "staging host: *pippin-01*",
        "staging host: *bramley-02*",
    ),
    thread(
        "When may we deploy?",
        "We may deploy *Tuesdays 10 to 12*, nothing else.",
        "Ops loosened up: we may deploy *any weekday before 15:00*.",
    ),
    thread(
        "Who heads the on-call rota?",
        "*Saoirse* heads the on-call rota.",
        "Parental leave started today, so *Dmitri* heads the on-call rota.",
    ),
    thread(
        "What is the feature flag of the pruning planner called?",
        "The feature flag of the pruning planner is called *pruning_v2*.",
        "refactor: feature flag of the pruning planner renamed to *planner_beta*",
    ),
    thread(
        "What is the mobile app called?",
        "Our mobile app is called *Fieldmouse*.",
        "Marketing won. Our mobile app is *Harvestly* everywhere, in the stores and in the code.",
    ),
    thread(
        "How large may an upload be?",
        "An upload may be *25 MB* at most.",
        "Customers with drone pictures complained, an upload may be *120 MB* at most.",
    ),
    thread(
        "Below which coverage does CI fail?",
        "CI fails below *72 % coverage*.",
        "CI fails below *80 % coverage*.",
    ),
    thread(
        "Which temperature does the summariser use?",
        "Summariser runs with temperature *0.35*.",
        "Summariser invented two meetings. It runs with temperature *0.05*.",
    ),
    thread(
        "How should commit messages be written?",
        "User wants commit messages in the *imperative mood*.",
        "User: ignore my earlier wish, write commit messages in the *past tense* like the changelog.",
    ),
    thread(
        "Which editor does Rufus write code in?",
        "Rufus writes his code in *Sublime Text*.",
        "Rufus has been writing code in *Helix* for a week and won't shut up about this editor.",
    ),
    thread(
        "What does Rufus do for a living?",
        "Rufus is a *paramedic* with the county ambulance service.",
        "Rufus handed in his green uniform and *teaches first aid* at the college for a living.",
    ),
    thread(
        "Where does Marguerite live?",
        "Marguerite, the mother of Rufus, lives in *Whitby*.",
        "Marguerite got the keys to her flat in *Saltburn*. Boxes up to the ceiling.",
    ),
    thread(
        "What does Marguerite take for her blood pressure?",
        "Marguerite takes *amlodipine* for her blood pressure.",
        "Swollen ankles, so the GP put Marguerite on *losartan* for the blood pressure.",
    ),
    thread(
        "How much levothyroxine do I take?",
        "Levothyroxine: *75 mcg*, before breakfast.",
        "Bloods are back. Levothyroxine: *100 mcg*, before breakfast.",
    ),
    thread(
        "When is Peregrine at the orthodontist?",
        "Peregrine is at the orthodontist on *14 October*, 16:10.",
        "Orthodontist rang, half the practice is ill. Peregrine's slot is *4 November*, same hour.",
    ),
    thread(
        "What is Peregrine allergic to?",
        "Peregrine is allergic to *hazelnuts*.",
        "Allergy clinic: nuts were never the problem, Peregrine is allergic to *sesame*.",
    ),
    thread(
        "Which instrument does Caspian play?",
        "Caspian plays the *cornet*.",
        "Gave the brass back to the music service; the instrument Caspian plays is the *viola*.",
    ),
    thread(
        "When does Caspian swim?",
        "Caspian swims on Thursdays at *16:40*, lane 2.",
        "Caspian went up a group and swims at *17:20*.",
    ),
    thread(
        "Who does the Wednesday pick-up?",
        "*Grandma Peg* does the Wednesday pick-up.",
        "That hip again. Wednesday pick-up: *Auntie Araminta*.",
    ),
    thread(
        "How much pocket money does Peregrine get?",
        "Peregrine gets *£3.50* pocket money a week.",
        "After negotiations with charts and a closing statement, Peregrine gets *£4.20* pocket money.",
    ),
    thread(
        "Who has our spare key?",
        "Spare key: *the Abernathys* at number 12",
        "Spare key: *Tobiah*, on the hook in his workshop",
    ),
    thread(
        "Which gym am I a member of?",
        "I'm a member of *Peak Gym* on Gloucester Road.",
        "Handed in the card. I am a member of *no gym at all* and walk to work.",
    ),
    thread(
        "Who cleans the house?",
        "*Danuta* cleans the house every other Monday.",
        "Our cleaner went back to Gdynia for good. *We clean* the house between us, badly.",
    ),
    thread(
        "Does the newspaper still come?",
        "The newspaper comes *every Saturday*.",
        "The newspaper *was cancelled*, it went straight into the stove anyway.",
    ),
    thread(
        "Where is our joint account?",
        "Joint account: *Nationwide*",
        "Joint account: *Starling*, both cards arrived",
    ),
    thread(
        "How much goes into savings each month?",
        "*£250* goes into savings each month.",
        "Till the roof is paid off only *£175* goes into savings each month.",
    ),
    thread(
        "Who does our roof?",
        "Roof is being done by *Blackwood & Sons*.",
        "Nobody turned up for the third time. Roof is being done by *Kestrel Roofing*.",
    ),
    thread(
        "What will the roof cost?",
        "The roof will cost us *£6,400*.",
        "Rotten battens underneath, surprise surprise: the roof will cost us *£7,950*.",
    ),
    thread(
        "Where are we going at half-term?",
        "Half-term: we're going to *Anglesey*, the cottage with the red door.",
        "Burst pipe in the cottage. Half-term: *Pembroke*, a caravan, bring wellies.",
    ),
    thread(
        "Which train do we take to Edinburgh?",
        "Train to Edinburgh: the *08:52* from platform 4.",
        "Engineering works, we take the *10:03* to Edinburgh.",
    ),
    thread(
        "Where do we stay in Edinburgh?",
        "Edinburgh: we stay at the *Thistle Inn*.",
        "Edinburgh: we stay with *Elspeth*, she would hear of nothing else.",
    ),
    thread(
        "How many guests come to the fortieth of Rufus?",
        "Fortieth of Rufus: *35 guests*.",
        "Fortieth of Rufus: *42 guests*, the cousins said yes.",
    ),
    thread(
        "Where is the fortieth of Rufus celebrated?",
        "The fortieth of Rufus is celebrated in the *cricket pavilion*.",
        "Double-booked! The fortieth of Rufus is celebrated in the *Scout hut*.",
    ),
    thread(
        "What does the book club read?",
        "Book club reads *Piranesi*.",
        "Hardly anyone got past the tides, so the book club reads *Stoner*.",
    ),
    thread(
        "Which nozzle is on the 3D printer?",
        "3D printer: nozzle *0.4 mm*, brass",
        "3D printer: nozzle *0.6 mm*, hardened steel",
    ),
    thread(
        "What is my project at the climbing wall?",
        "My project at the climbing wall is the *yellow 6b*.",
        "Sent it! Project at the climbing wall: the *purple 6c* in the cave.",
    ),
    thread(
        "What is our Wi-Fi called?",
        "Our Wi-Fi is called *Honeycomb*.",
        "Our Wi-Fi is called *Propolis*.",
    ),
    thread(
        "Which address does the NAS have?",
        "The NAS has the address *192.168.4.20*.",
        "Put in the fibre router and carried the NAS up to the attic; its address is *10.10.0.20*.",
    ),
    thread(
        "When does the backup of the NAS start?",
        "The backup of the NAS starts at *02:30*.",
        "The hive camera uploads until four, therefore the backup of the NAS starts at *04:10*.",
    ),
    thread(
        "What is Theodosia's mobile number?",
        "Theodosia mobile: *07700 900123*",
        "Theodosia mobile: *07700 900456*",
    ),
    thread(
        "How much do the solar panels deliver?",
        "Solar panels: *3.6 kWp* according to the offer.",
        "Solar panels as built: *4.1 kWp*, two more fitted beside the chimney.",
    ),
    thread(
        "Where is our office?",
        "Office: *Unit 5, Tannery Yard*",
        "Office: *Mill House*, second floor, bell without a name",
    ),
    thread(
        "How many people are on the team?",
        "The team is *seven people*.",
        "Priscila and Bo started on Monday, that makes us a team of *nine people*.",
    ),
    thread(
        "When is the retro?",
        "Retro: *alternate Thursdays*.",
        "We were all a bit tired of it. Retro: *first Monday* of the month.",
    ),
    thread(
        "Which plan is Greenacre Farms on?",
        "Greenacre Farms is on the *Starter* plan.",
        "Contract countersigned: Greenacre Farms is on the *Cooperative* plan with 40 seats.",
    ),
    thread(
        "How fast do we answer tickets of Greenacre Farms?",
        "Tickets of Greenacre Farms are answered *within eight hours*.",
        "Tickets of Greenacre Farms are answered *within two hours*.",
    ),
    thread(
        "Where does Lysander live?",
        "Lysander lives in *Leith*.",
        "Lysander took a room in *Dundee* to be near the shipyard.",
        "The shipyard let everyone go, and Lysander lives in *Leith* again.",
    ),
    thread(
        "What do we use for analytics?",
        "Analytics: *DuckDB*",
        "Analytics: *Snowflake*, on the trial credits",
        "The invoice came. Analytics: *DuckDB*, end of discussion.",
    ),
    thread(
        "When is Peg's birthday?",
        "Peg's birthday is the *17th of May*.",
        "I have congratulated on a wrong day for years: Peg's birthday is the *19th of May*.",
    ),
    thread(
        "What is the name of the plumber?",
        "The plumber is called *Szymanski*.",
        "Typo on my side, the plumber is called *Szymborski*.",
    ),
    thread(
        "What is Bo's baby called?",
        "Bo's baby is called *Orlaith*.",
        "Misheard it over the phone: Bo's baby is *Odalys*.",
    ),
    thread(
        "How often is the VAT return due?",
        "VAT return is due *every month*.",
        "Two hours with the accountant, who went through every receipt since spring and found the parking "
        "tickets twice. Outcome: the VAT return is due *each quarter*, and we keep the mileage in a sheet.",
    ),
    thread(
        "How do we pay freelancers?",
        "We pay freelancers through *PayPal*.",
        "Fees ate 3 % of it. We pay freelancers through *Wise*, on the 28th.",
    ),
    thread(
        "What is Peregrine's shoe size?",
        "Peregrine: *shoe size 34*",
        "Peregrine: *shoe size 36*, it never ends",
    ),
    thread(
        "Who mows Peg's lawn?",
        "*Hamish* mows Peg's lawn for a fiver.",
        "*Ishaan* mows Peg's lawn for a tenner, and does the edges.",
    ),
    thread(
        "Which physio exercise is for my shoulder?",
        "Physio for the shoulder: *wall slides*, three sets a day.",
        "Physio crossed out the whole sheet. For the shoulder: *band pulls*, three sets a day.",
    ),
    thread(
        "What does Dora do at the pottery festival?",
        "Dora *sells tickets* at the pottery festival.",
        "Dora got out of the booth and *hosts the tombola* at the pottery festival.",
    ),
    thread(
        "How do the orchardbook tenants log in?",
        "orchardbook tenants log in with a *magic link*.",
        "From release 48 onwards orchardbook tenants log in with *passkeys*.",
    ),
    thread(
        "Who are the emergency contacts of Peregrine?",
        "Emergency contacts of Peregrine: me, Rufus, *Mrs Halloran*",
        "Emergency contacts of Peregrine: me, Rufus, *Mr Oyelaran*",
    ),
    thread(
        "What is the shop site made with?",
        "Shop site: Astro, Tailwind, hosted by *Netlify*",
        "Shop site: Astro, Tailwind, hosted by *Scaleway*",
    ),
    thread(
        "Who plays the keys in the ceilidh band?",
        "Ceilidh band: Ren drums, Ada fiddle, *Lorcan* keys",
        "Ceilidh band: Ren drums, Ada fiddle, *Mireia* keys",
    ),
    thread(
        "Where is the stopcock?",
        "The stopcock is *under the stairs*, left of the meter.",
        "To turn off the water: stopcock, *under the stairs*, left-hand side.",
    ),
    thread(
        "Where does the tortoise hibernate?",
        "The tortoise Methuselah hibernates in *the beer fridge*.",
        "From November to March *the beer fridge* belongs to Methuselah, our tortoise hibernates there.",
    ),
    thread(
        "What is Caspian's blood group?",
        "Caspian's blood group is *B negative*.",
        repeated=True,
    ),
    thread(
        "Where is the pole for the loft hatch?",
        "Pole for the loft hatch: *behind the wardrobe*",
        repeated=True,
    ),
    thread(
        "Which licence does orchardbook have?",
        "orchardbook has the *EUPL* as its licence.",
        repeated=True,
    ),
    thread("What did we plant by the shed?", "Planted a *quince* by the shed, for Peg."),
    thread("What frightens Crumpet?", "Fireworks are fine, *hot-air balloons* frighten Crumpet."),
    thread("Where is the hire van parked?", "Hire van is parked in *Bellamy Street*.", until=4),
    thread("Who covers support?", "*Cordelia* covers support while the others are away.", until=5),
    thread("Which way into the house?", "Scaffolding! Into the house by *the side gate*.", until=7),
    thread("Where do we shower?", "No hot water. We shower at *the leisure centre*.", until=3),
)
GERMAN = (
    thread(
        "Welche Rolle spielt Hedda im Krippenspiel?",
        "Krippenspiel: Hedda spielt ein *Schaf*.",
        "Krippenspiel: Hedda spielt den *Leuchtturm*, auf eigenen Wunsch.",
    ),
    thread(
        "Wie viel Urlaub hat Swenja noch?",
        "Swenja hat noch *elf Tage* Urlaub.",
        "Brückentag abgezogen, Swenja hat noch *zehn Tage* Urlaub.",
        "Personalabteilung hat sich verrechnet: Swenja hat noch *vierzehn Tage* Urlaub.",
    ),
    thread(
        "Auf welchem Rechner läuft die Heizungssteuerung?",
        "Heizungssteuerung läuft auf dem *Raspberry* im Keller.",
        "Heizungssteuerung läuft auf dem *Thin Client* im Flurschrank.",
    ),
    thread(
        "Wer ist unser Hausarzt?",
        "Hausarzt: *Dr. Wernicke*, Lindenallee 8",
        "Hausarzt: *Dr. Yıldız*, Am Markt 3, auch samstags",
    ),
    thread(
        "Wann hat Jonte Handballtraining?",
        "Jonte hat dienstags um *17:15* Handballtraining.",
        "Die Halle ist belegt, Jonte hat dienstags erst um *18:40* Handballtraining.",
    ),
    thread(
        "In welche Kita geht Hedda?",
        "Hedda geht in die Kita *Pusteblume*.",
        "Eingewöhnung geschafft: Hedda geht in die Kita *Rabennest*.",
    ),
    thread(
        "Wie hoch ist der Abschlag fürs Gas?",
        "Abschlag fürs Gas: *138 Euro*",
        "Abschlag fürs Gas: *121 Euro*",
    ),
    thread(
        "Womit heizt Tante Gerlinde?",
        "Tante Gerlinde heizt mit *Öl*.",
        "Der Tank ist raus, Tante Gerlinde heizt mit einer *Wärmepumpe*.",
    ),
    thread(
        "Wie heißt unser Wohnprojekt?",
        "Unser Wohnprojekt heißt *Kastanienhof*.",
        "Den Namen gab es im Register schon. Unser Wohnprojekt heißt *Ulmenhof eG*.",
    ),
    thread(
        "Wer macht die Buchhaltung im Wohnprojekt?",
        "Die Buchhaltung im Wohnprojekt macht *Hartmut*.",
        "Protokoll vom Plenum: *Swantje* macht die Buchhaltung im Wohnprojekt, einstimmig.",
    ),
    thread(
        "Welches Moped fährt Jonte?",
        "Jonte fährt eine *Simson* mit Beiwagen.",
        "Jonte hat sein Moped verkauft und fährt *gar keins mehr*, er nimmt den Bus.",
    ),
    thread(
        "Wo liegt das Ladekabel fürs E-Bike?",
        "Das Ladekabel fürs E-Bike liegt in der *Keksdose*.",
        "Wer das E-Bike laden will: Ladekabel liegt in der *Keksdose*, oben im Regal.",
    ),
    thread("Wer gießt die Tomaten?", "Die Tomaten gießt *Herr Nowotny*.", until=6),
)
FRENCH = (
    thread(
        "Quel jour passe le maraîcher ?",
        "Le maraîcher passe *le mardi*.",
        "Mot dans la boîte aux lettres : le maraîcher passe *le vendredi*, même heure.",
    ),
    thread(
        "Combien de chèvres a Tiphaine ?",
        "Tiphaine a *six chèvres*.",
        "Deux naissances cette nuit, Tiphaine a *huit chèvres*.",
    ),
    thread(
        "Quelle pointure fait Lucile ?",
        "Lucile, pointure *vingt-sept*",
        "Lucile, pointure *vingt-neuf*",
    ),
    thread(
        "Qui est le pédiatre de Lucile ?",
        "Pédiatre de Lucile : *Dr Hamelin*, rue des Lices",
        "Pédiatre de Lucile : *Dr Benaïssa*, place du Marché",
    ),
    thread(
        "À quelle heure commence le cours de poterie ?",
        "Le cours de poterie commence à *18 h 20*.",
        "Le four est pris avant, le cours de poterie commence à *19 h 05*.",
    ),
    thread(
        "Où travaille Achille ?",
        "Achille travaille à la *mairie* d'Angers.",
        "Achille a signé hier, il travaille chez un *géomètre* à Cholet.",
    ),
    thread(
        "Combien coûte la cantine ?",
        "Cantine : *3,80 €* le repas",
        "Cantine : *4,15 €* le repas",
    ),
    thread(
        "Quelle version de PHP tourne sur le serveur ?",
        "Le serveur de l'association tourne en *PHP 7.4*.",
        "Migration finie à minuit : le serveur de l'association tourne en *PHP 8.2*.",
    ),
    thread(
        "Comment s'appelle le voilier de Tiphaine ?",
        "Le voilier de Tiphaine s'appelle *Mistigri*.",
        "Tiphaine a repeint la coque, son voilier s'appelle désormais *Courlis*.",
    ),
    thread(
        "Qui loue la chambre du haut ?",
        "La chambre du haut est louée à *Ignace*.",
        "La chambre du haut est *vide*, on ne la loue plus.",
    ),
    thread(
        "Où est rangée la clé de la cave ?",
        "La clé de la cave est rangée *derrière le miroir*.",
        repeated=True,
    ),
    thread("Qui promène Ficelle ?", "C'est *Maëlle* qui promène Ficelle.", until=5),
)
SPANISH = (
    thread(
        "¿Qué operadora de internet tenemos?",
        "Internet: *Pepephone*, fibra",
        "Internet: *Digi*, fibra, router en el pasillo",
    ),
    thread(
        "¿Dónde se casa Jimena?",
        "Jimena se casa en *Almagro*.",
        "El restaurante quebró con la señal dentro; Jimena se casa en *Chinchón*.",
    ),
    thread(
        "¿Cuántos corredores hay apuntados a la carrera?",
        "Carrera del barrio: *84 apuntados*",
        "Carrera del barrio: *131 apuntados*",
    ),
    thread(
        "¿Quién es la matrona de Candela?",
        "Matrona de Candela: *Begoña Ruiz*",
        "Matrona de Candela: *Visitación Gil*, la otra está de baja",
    ),
    thread(
        "¿A qué hora entra Iker al instituto?",
        "Iker entra al instituto a las *8:10*.",
        "Han cambiado el horario de invierno, Iker entra al instituto a las *8:35*.",
    ),
    thread(
        "¿Cuánto pagamos de alquiler?",
        "Alquiler: *870 euros*, el día 3.",
        "La casera nos lo ha subido. Alquiler: *915 euros*, el día 3.",
    ),
    thread(
        "¿Dónde trabaja Jimena?",
        "Jimena trabaja en una *gestoría* de Albacete.",
        "Jimena se ha sacado la plaza y trabaja en *Correos*.",
    ),
    thread(
        "¿De qué raza es el perro de los vecinos?",
        "El perro de los vecinos es un *podenco*.",
        "Me equivoqué: el perro de los vecinos es un *galgo*.",
    ),
    thread(
        "¿En qué puerto escucha el panel de riego?",
        "panel de riego: puerto *7070*",
        "panel de riego: puerto *7443*",
    ),
    thread(
        "¿Quién entrena al equipo de Iker?",
        "Al equipo de Iker lo entrena *Casimiro*.",
        "Desde la derrota del domingo, al equipo de Iker lo entrena *Maite Larrea*.",
    ),
    thread(
        "¿Qué toma el abuelo Anselmo para dormir?",
        "El abuelo Anselmo toma *melatonina* para dormir.",
        "El abuelo Anselmo ha dejado las pastillas; *no toma nada* para dormir.",
    ),
    thread(
        "¿Dónde está aparcada la furgoneta?",
        "La furgoneta está aparcada en la calle *Zurbarán*.",
        until=4,
    ),
)
PORTUGUESE = (
    thread(
        "Quem leva o Martim ao râguebi?",
        "Ao râguebi, quem leva o Martim é o *padrinho Nuno*.",
        "Ao râguebi, quem leva o Martim é a *mãe do Bernardo*.",
    ),
    thread(
        "Quando se paga a última prestação do forno?",
        "A última prestação do forno paga-se a *25 de outubro*.",
        "Falei com o banco: a última prestação do forno paga-se a *25 de janeiro*.",
    ),
    thread(
        "Que framework usa o site da oficina?",
        "O site da oficina usa *Django*.",
        "Reescrevi tudo em três noites, o site da oficina usa *Phoenix*.",
    ),
    thread(
        "Quem é o contabilista da oficina?",
        "Contabilista da oficina: *Dr. Salgueiro*",
        "Contabilista da oficina: *Dra. Constança Pinho*",
    ),
    thread(
        "Em que turma está o Martim?",
        "O Martim está na turma *5.º B*.",
        "A escola juntou as turmas e o Martim ficou na *5.º D*.",
    ),
    thread(
        "Quanto custa a renda da oficina?",
        "A renda da oficina custa *640 euros*.",
        "O senhorio baixou depois da inundação: a renda da oficina custa *590 euros*.",
    ),
    thread(
        "Onde mora a Graciete?",
        "A Graciete mora em *Viseu*.",
        "A Graciete fartou-se do frio e foi morar para *Tavira*.",
    ),
    thread(
        "Que mota tem o Xavier?",
        "O Xavier tem uma *Vespa* azul.",
        "O Xavier trocou de mota no sábado, tem uma *Famel* restaurada.",
    ),
    thread(
        "A que horas fecha a cantina?",
        "cantina fecha às *14:45*",
        "cantina fecha às *15:20*",
    ),
    thread(
        "Qual é o apelido de casada da Filipa?",
        "O apelido da Filipa é *Valadares*.",
        "A Filipa casou-se; o apelido dela é *Brandão*.",
    ),
    thread(
        "Onde está o estojo de primeiros socorros?",
        "O estojo de primeiros socorros está na *gaveta do pão*.",
        repeated=True,
    ),
)
ITALIAN = (
    thread(
        "Che lavoro fa Ersilia?",
        "Ersilia fa la *costumista* a teatro.",
        "Ersilia si è stancata degli orari e fa la *postina*.",
    ),
    thread(
        "Quando è il saggio di Tommaso?",
        "Il saggio di Tommaso è *il 9 ottobre*.",
        "Sala allagata: il saggio di Tommaso è *il 23 ottobre*.",
    ),
    thread(
        "Dove sono le catene da neve?",
        "Le catene da neve sono *nel fienile*.",
        "Per quando nevica: catene *nel fienile*, sotto il telo.",
    ),
    thread(
        "Chi è il commercialista?",
        "Commercialista: *studio Ferraboschi*",
        "Commercialista: *studio Quaglia*, via Garibaldi 40",
    ),
    thread(
        "A che ora è la lezione di violoncello?",
        "La lezione di violoncello di Tommaso è alle *15:50*.",
        "La maestra ha un altro allievo prima: la lezione di violoncello di Tommaso è alle *16:25*.",
    ),
    thread(
        "Dove abita lo zio Ernesto?",
        "Lo zio Ernesto abita a *Pinerolo*.",
        "Lo zio Ernesto ha venduto tutto e sta a *Cuneo* da sua figlia.",
    ),
    thread(
        "Quanto costa l'abbonamento in piscina?",
        "Abbonamento in piscina: *48 euro*",
        "Abbonamento in piscina: *55 euro*",
    ),
    thread(
        "Che vino serve l'agriturismo?",
        "L'agriturismo serve il *Dolcetto* della cantina sociale.",
        "Finite le bottiglie: l'agriturismo serve il *Grignolino* di Renzo.",
    ),
    thread(
        "Su quale server gira il gestionale?",
        "Il gestionale gira sul server *marmotta*.",
        "Stanotte ho spento la vecchia macchina, il gestionale gira sul server *stambecco*.",
    ),
    thread(
        "Quante galline ha l'agriturismo?",
        "L'agriturismo ha *diciotto galline*.",
        "È passata la volpe. All'agriturismo restano *undici galline*.",
    ),
    thread("Chi apre il cancello?", "Il cancello lo apre *Domitilla*, citofono guasto.", until=5),
)
DUTCH = (
    thread(
        "Welke dag komt de groentekist?",
        "De groentekist komt op *donderdag*.",
        "De groentekist komt op *zaterdag*.",
    ),
    thread(
        "Hoe heet het konijn van Pleun?",
        "Het konijn van Pleun heet *Stamper*.",
        "Het bleek een meisje te zijn. Het konijn van Pleun heet *Saartje*.",
    ),
    thread(
        "Wie is voorzitter van de schaatsclub?",
        "Voorzitter van de schaatsclub is *Rinske*.",
        "Notulen: *Douwe* gekozen tot voorzitter van de schaatsclub, contributie blijft gelijk.",
    ),
    thread(
        "Wie is de huisbaas?",
        "Huisbaas: *meneer Terpstra*",
        "Huisbaas: *Woonborg BV*, alleen per mail te bereiken",
    ),
    thread(
        "Hoe laat is de zwemles van Pleun?",
        "De zwemles van Pleun is om *15:35*.",
        "Ander badje, andere tijd: de zwemles van Pleun is om *16:05*.",
    ),
    thread(
        "Waar werkt Jorrit?",
        "Jorrit werkt bij de *gemeente* Meppel.",
        "Jorrit is voor zichzelf begonnen en werkt als *klokkenmaker*.",
    ),
    thread(
        "Hoeveel kost de opvang?",
        "Opvang: *9,10 euro* per uur",
        "Opvang: *9,65 euro* per uur",
    ),
    thread(
        "Welke fiets heeft oma Trijntje?",
        "Oma Trijntje heeft een fiets van *Gazelle*.",
        "Gestolen bij het station, helaas. Oma Trijntje heeft een fiets van *Sparta*, met accu.",
    ),
    thread(
        "Wie zorgt voor de moestuin van de school?",
        "*Juf Annelies* zorgt voor de moestuin van de school.",
        "De moestuin van de school is in handen van *meester Floris*.",
    ),
    thread(
        "Speelt Jorrit nog in een band?",
        "Jorrit speelt *basgitaar* in een band.",
        "De band is uit elkaar, Jorrit speelt *nergens meer*.",
    ),
    thread(
        "Waar ligt de reservebril van Pleun?",
        "De reservebril van Pleun ligt *op de piano*.",
        repeated=True,
    ),
)
CHINESE = (
    thread(
        "豆豆的钢琴课是星期几?",
        "豆豆的钢琴课在*星期二*晚上。",
        "老师发微信来,豆豆的钢琴课在*星期四*晚上。",
    ),
    thread(
        "项目的前端用什么框架?",
        "项目前端:*Vue*",
        "项目前端:*SolidJS*,打包小了一半",
    ),
    thread(
        "豆豆在哪个幼儿园?",
        "豆豆在*向阳*幼儿园。",
        "豆豆转园了,九月起上*蓝鲸*幼儿园。",
    ),
    thread(
        "装修队的负责人是谁?",
        "装修队负责人:*老梁*",
        "装修队负责人:*孙工*,电话打得通",
    ),
    thread(
        "物业费每月多少钱?",
        "物业费每月*三百二十元*。",
        "物业费每月*三百六十元*。",
    ),
    thread(
        "思远在哪里上班?",
        "思远在*杭州*的一家银行上班。",
        "思远辞了银行的工作,在*厦门*一家游戏公司上班。",
    ),
    thread(
        "奶奶的降压药是什么?",
        "奶奶的降压药是*硝苯地平*。",
        "复查以后医生给奶奶换成了*缬沙坦*降压。",
    ),
    thread(
        "测试服务器用哪个端口?",
        "测试服务器用*6060*端口。",
        "端口冲突,测试服务器用*6480*端口。",
    ),
    thread(
        "家里的乌龟叫什么?",
        "家里的乌龟叫*慢慢*。",
        "写错了,家里的乌龟叫*曼曼*。",
    ),
    thread("思远的血型是什么?", "思远的血型是*AB型*。", repeated=True),
    thread("快递放在哪里?", "这几天快递放在*门卫室*。", until=5),
)
JAPANESE = (
    thread(
        "町内会の会長は誰ですか?",
        "町内会の会長:*大久保*さん",
        "総会の結果、町内会の会長:*小笠原*さん",
    ),
    thread(
        "修学旅行はどこに行きますか?",
        "翔太の修学旅行は*長崎*です。",
        "台風のため行き先変更。翔太の修学旅行は*金沢*です。",
    ),
    thread(
        "翔太のかかりつけ医は誰ですか?",
        "翔太のかかりつけ医:*黒田*先生",
        "翔太のかかりつけ医:*三浦*先生(駅前)",
    ),
    thread(
        "そろばん教室は何時からですか?",
        "そろばん教室は*16時半*からです。",
        "先生の都合で、そろばん教室は*17時45分*からです。",
    ),
    thread(
        "彩花はどこで働いていますか?",
        "彩花は*図書館*で働いています。",
        "彩花は春に転職して、*水族館*で働いています。",
    ),
    thread(
        "駐車場の料金はいくらですか?",
        "駐車場の料金は月*8500円*です。",
        "駐車場の料金は月*9200円*です。",
    ),
    thread(
        "社内の文書は何で管理していますか?",
        "社内の文書は*Confluence*で管理している。",
        "社内の文書は全部*Outline*に引っ越した。",
    ),
    thread(
        "猫の名前は何ですか?",
        "保護した猫の名前は*もなか*です。",
        "娘の反対により、保護した猫の名前は*きなこ*です。",
    ),
    thread(
        "父は何の運動をしていますか?",
        "父は運動のために*ゴルフ*をしています。",
        "父は腰を痛めて、運動は*何もしていません*。",
    ),
    thread("予備の電池はどこですか?", "予備の電池は*下駄箱*の上です。", repeated=True),
    thread("ゴミ当番は誰ですか?", "今週のゴミ当番は*西村*さんです。", until=6),
)
THAI = (
    thread(
        "น้องพลอยเรียนพิเศษวิชาอะไร",
        "น้องพลอยเรียนพิเศษ*วิชาเคมี*",
        "น้องพลอยเลิกเคมีแล้ว เรียนพิเศษ*วิชาดนตรี*",
    ),
    thread(
        "ปลาทับทิมขายกิโลละเท่าไร",
        "ปลาทับทิมขายกิโลละ *95 บาท*",
        "ปลาทับทิมขายกิโลละ *110 บาท*",
    ),
    thread(
        "ลุงชัยอยู่ที่ไหน",
        "ลุงชัยอยู่ที่*เชียงราย*",
        "ลุงชัยไปอยู่กับลูกสาวที่*ระยอง*",
        "ลุงชัยคิดถึงบ้าน กลับมาอยู่ที่*เชียงราย*",
    ),
    thread(
        "ใครเป็นครูประจำชั้นของน้องพลอย",
        "ครูประจำชั้นของน้องพลอย: *ครูสมใจ*",
        "ครูประจำชั้นของน้องพลอย: *ครูวิภา*",
    ),
    thread(
        "พี่ต้นทำงานที่ไหน",
        "พี่ต้นทำงานที่*อู่ซ่อมรถ*ในโคราช",
        "พี่ต้นลาออกแล้ว ทำงานที่*สนามบิน*",
    ),
    thread(
        "ค่าเช่าร้านเดือนละเท่าไร",
        "ค่าเช่าร้านเดือนละ *6,500 บาท*",
        "ค่าเช่าร้านเดือนละ *7,200 บาท*",
    ),
    thread(
        "ร้านก๋วยเตี๋ยวเปิดกี่โมง",
        "ร้านก๋วยเตี๋ยวเปิด *06:45*",
        "เด็กในร้านลาออก ร้านก๋วยเตี๋ยวเปิด *08:15*",
    ),
    thread(
        "คุณยายกินยาอะไรแก้ปวดเข่า",
        "คุณยายกิน*พาราเซตามอล*แก้ปวดเข่า",
        "หมอให้คุณยายเลิกกินยา ใช้*ลูกประคบ*แก้ปวดเข่าแทน",
    ),
    thread(
        "แมวของพลอยชื่ออะไร",
        "แมวของพลอยชื่อ*ข้าวปั้น*",
        "จำผิด แมวของพลอยชื่อ*ข้าวหลาม*",
    ),
    thread("กุญแจโกดังอยู่ที่ไหน", "กุญแจโกดังอยู่ใน*ไหปลาร้า*เปล่าใบเล็ก", repeated=True),
    thread("ใครเฝ้าร้าน", "ช่วงนี้*น้าแดง*เฝ้าร้าน", until=5),
)
FOURTH_LIFE: dict[str, tuple[Thread, ...]] = {
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

FOURTH_ASIDE = (
    "Stung twice through the glove, my own fault.",
    "Burnt the flapjacks; the smoke alarm works.",
    "Long argument on the pull request about a comma.",
    "Fox on the compost heap at dawn, not shy at all.",
    "Read half of the tax leaflet and fell asleep on it.",
    "Peregrine built a cardboard castle that blocks the landing.",
    "Two walkers asked whether the bees were organic.",
    "Flaky test again, passed on the fourth try.",
    "The bin lorry sang Happy Birthday by mistake.",
    "09:40 coffee with Bo, talked about nothing in particular",
    "Stau auf der A7, drei Hörspiele geschafft.",
    "Hedda hat einen Regenwurm ins Bett mitgenommen.",
    "Beim Plenum gab es Linsensuppe.",
    "Lucile a perdu une dent dans la compote.",
    "Coup de vent, la bâche s'est envolée chez les voisins.",
    "Se fue la luz en plena final.",
    "Candela se rió en sueños.",
    "O Martim aprendeu a assobiar na casa de banho.",
    "Apanhámos castanhas o dia inteiro.",
    "Tommaso ha imparato a fischiare il treno.",
    "Nebbia fitta, non si vedeva il pollaio.",
    "Pleun heeft de hele middag kastelen getekend.",
    "Regen, regen, pannenkoeken.",
    "豆豆把酱油当成可乐了。",
    "周末去爬山,腿酸了两天。",
    "朝顔が三つ咲いた。",
    "商店街の福引で外れた。",
    "ฝุ่นเยอะทั้งวัน เจ็บคอ",
    "น้องพลอยวาดรูปช้างสีม่วง",
)
FOURTH_BESIDE: tuple[tuple[str, ...], ...] = (
    (
        "Which schools do the twins go to?",
        "Ottoline goes to Fernhill Academy.",
        "Crispin goes to Castle Street School.",
    ),
    (
        "Where are the offices of Quillwork?",
        "Quillwork has an office in Cardiff, three rooms above the bakery.",
        "Quillwork has an office in Antwerp, one desk and a plant.",
    ),
    (
        "What are Winifred's phone numbers?",
        "Winifred, work phone: 01632 960344",
        "Winifred, private phone: 07700 900871",
    ),
    (
        "When are the open days?",
        "Open day at the apiary on 3 October, for families.",
        "Open day at the apiary on 10 October, for beekeepers.",
    ),
    (
        "Where are the sensors?",
        "Sensor 1 hangs in the larder.",
        "Sensor 2 hangs in the porch.",
        "Sensor 3 hangs in the greenhouse.",
    ),
    (
        "What did we get for the kitchen?",
        "Bought a cast-iron pan for the kitchen, 28 cm.",
        "Bought a cast-iron pan for the kitchen, 20 cm, for eggs.",
    ),
    (
        "Where does everyone go at Christmas?",
        "Plan for Christmas: Philomena flies to Lisbon.",
        "Plan for Christmas: Desmond flies to Riga.",
    ),
    (
        "What has been repaired on the tandem?",
        "Tandem: front brake repaired.",
        "Tandem: rear derailleur repaired.",
    ),
    (
        "Which medicines does Great-aunt Hesper take?",
        "Great-aunt Hesper takes a statin in the evening.",
        "Great-aunt Hesper takes vitamin D on Sundays.",
        "Great-aunt Hesper takes an iron tablet with orange juice.",
    ),
    (
        "Which ports are taken on the little server?",
        "little server: port 3000 is Grafana",
        "little server: port 9090 is Prometheus",
        "little server: port 8384 is Syncthing",
    ),
    (
        "Which versions do we support?",
        "We support version 11 until May.",
        "We support version 12 until the May after.",
    ),
    (
        "What does the shop charge for wax?",
        "Wax, yellow, 200 g: £4.50",
        "Wax, white, 200 g: £5.20",
    ),
    (
        "Who works where at the clinic?",
        "Zuleika works at the clinic's reception.",
        "Mortimer works in the clinic's laboratory.",
    ),
    (
        "Which languages is Philomena learning?",
        "Philomena is learning Welsh with an app.",
        "Philomena has started to learn Georgian as well.",
    ),
    (
        "What are the guinea pigs called?",
        "The brown guinea pig is called Nutmeg.",
        "The white guinea pig is called Semolina.",
    ),
    (
        "Who won the pub quiz?",
        "Pub quiz in September: won by the Wombats.",
        "Pub quiz in October: won by Table Nine.",
    ),
    (
        "What did Desmond run?",
        "Desmond ran 10 km in 52:10 on Saturday.",
        "Desmond ran 5 km in 24:45 on Tuesday.",
    ),
    (
        "Which appointments does Crispin have?",
        "Crispin has the optician on 6 October.",
        "Crispin has the dentist on 8 October.",
    ),
    (
        "What did the electrician do?",
        "Electrician fitted a socket in the hall.",
        "Electrician fitted a socket in the box room.",
    ),
    (
        "What are the rules for the repository?",
        "Rule: no force pushes on shared branches.",
        "Rule: new endpoints need a contract test.",
        "Rule: migrations go in their own commit.",
    ),
    (
        "Which queues are there?",
        "Queue mail-out has 4 workers.",
        "Queue thumbnails has 12 workers.",
    ),
    (
        "What was decided about the mobile client?",
        "Decided: the Android client is written in Kotlin.",
        "Decided: the iOS client is written in Swift.",
    ),
    (
        "What do the environments use?",
        "Production runs PostgreSQL 16.",
        "The demo environment runs PostgreSQL 15.",
    ),
    (
        "What did Zuleika buy for her garden?",
        "Zuleika bought a new apple tree, a Discovery.",
        "Zuleika bought a new apple tree, a Russet.",
    ),
    (
        "When do the clubs of Ottoline meet?",
        "Ottoline has chess on Mondays at 15:30.",
        "Ottoline has judo on Wednesdays at 16:30.",
    ),
    (
        "Who is afraid of what?",
        "Mortimer is afraid of heights.",
        "Winifred is afraid of geese.",
    ),
    (
        "How do we travel to the wedding?",
        "To the wedding: Desmond goes by ferry.",
        "To the wedding: Hesper goes by coach.",
    ),
    (
        "What are the bank accounts for?",
        "The account at Monzo is for groceries.",
        "The account at First Direct is for bills.",
    ),
    (
        "What do the insurances cost?",
        "Home insurance: £214 a year",
        "Travel insurance: £96 a year",
    ),
    (
        "What did the tests of the water show?",
        "Water test, kitchen tap: 0.3 mg nitrate.",
        "Water test, garden well: 14 mg nitrate.",
    ),
    (
        "Which books did Philomena give away?",
        "Philomena gave Middlemarch to Zuleika.",
        "Philomena gave Cranford to Mortimer.",
    ),
    (
        "What were the incidents?",
        "02:14 incident: disk full on node alder",
        "05:37 incident: certificate expired on node rowan",
    ),
    (
        "Where do the cousins work?",
        "Cousin Ambrose works at a quarry.",
        "Cousin Perpetua works at a hat shop.",
    ),
    (
        "What does the chest freezer hold?",
        "Chest freezer, top drawer: peas, stock, two loaves.",
        "Chest freezer, bottom drawer: plums, puff pastry.",
    ),
    (
        "Which courses did Winifred finish?",
        "Winifred finished a course on grafting.",
        "Winifred finished a course on bookbinding.",
    ),
    (
        "What does the tandem need?",
        "The tandem needs 3.5 bar in the front tyre.",
        "The tandem needs 4.5 bar in the rear tyre.",
    ),
    (
        "Which screens does the office have?",
        "Meeting room Dunlin has a 55-inch screen.",
        "Meeting room Plover has a 32-inch screen.",
    ),
    (
        "What are the deadlines?",
        "Deadline for the lottery bid: 30 October.",
        "Deadline for the parish bid: 13 November.",
    ),
    (
        "What happened to the tooth of Mortimer?",
        "Mortimer had a filling on the upper left.",
        "Mortimer had a crown on the lower right.",
    ),
    (
        "How did the kids do in the tests?",
        "Ottoline got 18 of 20 in spelling.",
        "Ottoline got 15 of 20 in fractions.",
    ),
    (
        "Which trains did I book?",
        "Booked: train to Hull, 9 October, seat 41.",
        "Booked: train to Truro, 21 October, seat 12.",
    ),
    (
        "Which hobbies does Ambrose have?",
        "Ambrose restores clocks.",
        "Ambrose now also collects fossils.",
    ),
    (
        "Which furniture moved?",
        "The bookcase moved to the landing.",
        "The sewing table moved to the attic.",
    ),
    (
        "Who likes which coffee?",
        "Perpetua drinks her coffee black.",
        "Hesper drinks her coffee with oat milk.",
    ),
    (
        "Which time limits are set?",
        "Timeout of the search service: 4 s",
        "Timeout of the export service: 90 s",
    ),
    (
        "What do the parking permits cost?",
        "Parking permit, first car: £60.",
        "Parking permit, second car: £140.",
    ),
    (
        "What goes into the lunch boxes?",
        "Lunch box, Crispin: hummus, carrots, pitta",
        "Lunch box, Ottoline: cheese, apple, crackers",
    ),
    (
        "Which repositories were renamed?",
        "Renamed the repository frost-alerts to frostline.",
        "Renamed the repository tree-maps to canopy.",
    ),
    (
        "What are the quotes for the fence?",
        "Quote for the fence from Aldous: £1,150",
        "Quote for the fence from Merriweather: £980",
    ),
    (
        "What was Hesper's blood pressure?",
        "Hesper's blood pressure on 7 September, morning: 138/86",
        "Hesper's blood pressure on 14 September, morning: 131/82",
    ),
    (
        "What does Zuleika no longer eat?",
        "Zuleika no longer eats fish.",
        "Zuleika no longer eats pork.",
    ),
    (
        "Which milestones are reached?",
        "Milestone 3 reached: imports work.",
        "Milestone 4 reached: invoices work.",
    ),
    (
        "What has Quillwork shipped?",
        "Quillwork shipped the calendar view on Thursday.",
        "Quillwork shipped the CSV export on Monday.",
    ),
    (
        "Welche Schulen besuchen die Kinder von Gesche?",
        "Gesches Sohn Lasse besucht die Schule am Deich.",
        "Gesches Tochter Eske besucht das Domgymnasium.",
    ),
    (
        "Welche Nummern hat die Praxis?",
        "Praxis, Anmeldung: 0431 555 201",
        "Praxis, Rezepte: 0431 555 209",
    ),
    (
        "Was hat Burkhard gekauft?",
        "Burkhard hat eine neue Säge gekauft.",
        "Burkhard hat eine neue Leiter gekauft.",
    ),
    (
        "Wann sind die Elternabende?",
        "Elternabend für Lasse am 5. Oktober um 19 Uhr.",
        "Elternabend für Eske am 12. Oktober um 20 Uhr.",
    ),
    (
        "Was kosten die Stellplätze?",
        "Stellplatz im Hof: 35 Euro",
        "Stellplatz in der Tiefgarage: 70 Euro",
    ),
    (
        "Welche Drucker gibt es?",
        "Drucker 1 steht im Flur.",
        "Drucker 2 steht im Archiv.",
    ),
    (
        "Was macht Gesche in ihrer Freizeit?",
        "Gesche singt im Shantychor.",
        "Gesche geht seit Kurzem auch zum Bogenschießen.",
    ),
    (
        "Où vont les enfants de Clotilde ?",
        "Anatole va au collège Jean-Moulin.",
        "Philippine va à l'école maternelle des Tilleuls.",
    ),
    (
        "Quels sont les numéros de Clotilde ?",
        "Clotilde, bureau : 01 99 00 12 34",
        "Clotilde, portable : 06 39 98 45 67",
    ),
    (
        "Quand sont les vide-greniers ?",
        "Vide-grenier à Saumur le 4 octobre.",
        "Vide-grenier à Chinon le 11 octobre.",
    ),
    (
        "Que fait réparer Séverin ?",
        "Séverin fait réparer la gouttière.",
        "Séverin fait réparer la chaudière.",
    ),
    (
        "Combien coûtent les stages ?",
        "Stage de cirque : 110 €",
        "Stage d'équitation : 185 €",
    ),
    (
        "Quels projets ont les voisins ?",
        "Les Carpentier partent en Corse en juillet.",
        "Les Nguyen partent en Norvège en juillet.",
    ),
    (
        "¿Qué oficinas tiene la cooperativa?",
        "La cooperativa tiene una oficina en Teruel.",
        "La cooperativa tiene una oficina en Soria.",
    ),
    (
        "¿Qué vacunas le pusieron a Unai?",
        "A Unai le pusieron la vacuna del tétanos.",
        "A Unai le pusieron la vacuna de la gripe.",
    ),
    (
        "¿Cuándo juegan los equipos?",
        "El equipo de Unai juega el sábado a las 11:00.",
        "El equipo de Olaya juega el domingo a las 12:30.",
    ),
    (
        "¿Qué compró Eulalia?",
        "Eulalia compró dos sillas para la terraza.",
        "Eulalia compró otra silla para el despacho.",
    ),
    (
        "¿Qué cámaras hay en la finca?",
        "La cámara 1 mira al portón.",
        "La cámara 2 mira al pozo.",
    ),
    (
        "¿Qué estudia cada una?",
        "Olaya estudia enfermería.",
        "Eulalia estudia alemán por las tardes.",
    ),
    (
        "Que consultas tem a Avó Deolinda?",
        "A Avó Deolinda tem cardiologia a 6 de outubro.",
        "A Avó Deolinda tem fisioterapia a 9 de outubro.",
    ),
    (
        "Quanto custam os bilhetes do museu?",
        "Bilhete de adulto: 8 euros",
        "Bilhete de criança: 3 euros",
    ),
    (
        "Onde trabalham os irmãos?",
        "O Quim trabalha numa padaria em Évora.",
        "A Salomé trabalha num viveiro em Beja.",
    ),
    (
        "O que comprou o Quim?",
        "O Quim comprou pneus novos para a carrinha.",
        "O Quim comprou pneus novos para o atrelado.",
    ),
    (
        "Che scuole fanno i nipoti?",
        "Violante fa il liceo artistico.",
        "Gualtiero fa la scuola media Pascoli.",
    ),
    (
        "Quali uffici ha il comune?",
        "L'ufficio anagrafe è al primo piano.",
        "L'ufficio tributi è al terzo piano.",
    ),
    (
        "Che gite fa la parrocchia?",
        "Gita a Superga il 3 ottobre.",
        "Gita a Oropa il 17 ottobre.",
    ),
    (
        "Che cosa ha piantato Gualtiero?",
        "Gualtiero ha piantato due ulivi.",
        "Gualtiero ha piantato anche un fico.",
    ),
    (
        "Welke telefoons heeft Gerben?",
        "Gerben, zakelijk: 06 12345670",
        "Gerben, privé: 06 12345681",
    ),
    (
        "Wat kosten de lessen?",
        "Een losse pianoles kost 32 euro.",
        "Een losse tennisles kost 27 euro.",
    ),
    (
        "Naar welke scholen gaan de kinderen van Gerben?",
        "Sietske gaat naar de Bosschool.",
        "Wobbe gaat naar het Vechtdal College.",
    ),
    (
        "Wat is er verbouwd?",
        "De zolder is in maart verbouwd.",
        "De badkamer is in juni verbouwd.",
    ),
    ("两个孩子上什么兴趣班?", "小满周六学画画。", "小宇周日学击剑。"),
    ("公司有哪些办公室?", "公司在苏州有一个办公室。", "公司在西安有一个办公室。"),
    ("舅舅的电话是多少?", "舅舅的单位电话是 6655 0101。", "舅舅的家里电话是 8877 0202。"),
    ("妈妈买了什么?", "妈妈买了一台新的电饭锅。", "妈妈买了一台新的吸尘器。"),
    ("路由器在哪里?", "路由器一号在客厅。", "路由器二号在书房。"),
    (
        "子どもたちの習い事は何ですか?",
        "蓮は水曜に剣道を習っています。",
        "結衣は金曜にピアノを習っています。",
    ),
    ("検診はいつですか?", "歯の検診は10月6日です。", "目の検診は10月13日です。"),
    ("支店はどこにありますか?", "支店は仙台にあります。", "支店は松山にもあります。"),
    ("母は何を育てていますか?", "母はトマトを育てています。", "母は最近バジルも育てています。"),
    ("入場料はいくらですか?", "大人の入場料は1200円です。", "子どもの入場料は600円です。"),
    ("ลูกสองคนเรียนที่ไหน", "น้องมายด์เรียนที่โรงเรียนวัดดอน", "น้องภูมิเรียนที่โรงเรียนเทศบาล"),
    ("เบอร์โทรของพี่หน่อย", "พี่หน่อย เบอร์ที่ทำงาน 02-555-0110", "พี่หน่อย เบอร์บ้าน 02-555-0188"),
    ("ตลาดนัดมีวันไหน", "ตลาดนัดหน้าวัดมีวันพุธ", "ตลาดนัดหลังอำเภอมีวันศุกร์"),
    ("ป้าซื้ออะไร", "ป้าซื้อพัดลมใหม่ไว้ห้องนอน", "ป้าซื้อพัดลมใหม่ไว้ห้องครัว"),
    ("ตู้เย็นในร้านใช้ทำอะไร", "ตู้เย็นเบอร์ 1 แช่น้ำดื่ม", "ตู้เย็นเบอร์ 2 แช่หมู"),
)
