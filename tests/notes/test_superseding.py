"""Which facts a newer one replaces: what both hold must never be taken for replaced."""

from __future__ import annotations

import datetime

import pytest

from memdown.notes.details import content_words
from memdown.notes.statements import Fact, facts_of
from memdown.notes.superseding import Replaced, contradicts, replaced
from memdown.search.currency import Times, order_by_currency
from memdown.types import Hit

REPLACED = (
    ("Ole takes 5 mg of zinc twice a day.", "The doctor raised Ole's zinc to 10 mg twice a day."),
    ("The rent is 940 euros a month.", "Rent is 985 euros a month."),
    ("Piet coaches the under-tens.", "Sofie has taken over the under-tens from Piet."),
    (
        "The head of the choir is Roland.",
        "After Roland's farewell, Beatrix is the head of the choir.",
    ),
    ("The dishwasher is broken.", "The dishwasher has been repaired."),
    ("Ravi is dating Tilda.", "Ravi and Tilda broke up."),
    ("Hana's favourite colour is teal.", "Hana's favourite colour is mustard."),
    ("Lena studiert Jura.", "Lena hat Jura abgebrochen und studiert Biologie."),
    ("Die Wohnung wird mit Gas geheizt.", "Die Wohnung wird mit einer Wärmepumpe geheizt."),
    ("Zwemles is op dinsdag.", "Zwemles is verzet naar woensdag."),
    ("Hugo joue au foot.", "Hugo a arrêté le foot pour le judo."),
    ("Nuestro veterinario es el doctor Sanz.", "Nuestra veterinaria es la doctora Lago."),
    ("Marta lavora in banca.", "Marta ha lasciato la banca e lavora in una scuola."),
    ("O gato dorme no sofá.", "O gato já não dorme no sofá, dorme na cesta."),
    ("班主任是刘老师。", "班主任换成了黄老师。"),
    ("ゴミの日は火曜日です。", "ゴミの日は金曜日に変わりました。"),
)
BOTH_HOLD = (
    ("The shed is red.", "The shed is small."),
    ("The meeting is on Monday.", "The meeting is in room 5."),
    ("The flight is on Friday.", "The flight is at 9:20."),
    ("The boiler was repaired in May.", "The boiler was repaired in October."),
    ("My son is 12 years old.", "My son is 150 cm tall."),
    ("Ran 5 km in 28 minutes.", "Ran 10 km in 61 minutes."),
    ("Changed the password of the router.", "Changed the password of the mail account."),
    ("Ines moved to Graz.", "Ines moved the meeting to Friday."),
    ("Pia moved to Bonn.", "Pia's brother moved to Kiel."),
    ("Mum is ill.", "Mum's sister has recovered."),
    ("Tom knows Ana.", "Tom and Ana sold the boat."),
    ("Our neighbour is Mr. Bell.", "Our neighbour is Ms. Ortiz."),
    ("The head of sales is Piotr.", "The head of sales is ill."),
    ("The server runs Nginx.", "The server runs Postgres."),
    ("Our office is in Berlin.", "Our office is on the second floor."),
    ("The school is closed on Friday.", "The school is closed on Monday."),
    ("Theo is allergic to penicillin.", "Theo is allergic to wasp stings."),
    ("Karin wohnt in Celle.", "Karins Bruder ist nach Hameln umgezogen."),
    ("Das Büro ist in Kiel.", "Das Büro ist im zweiten Stock."),
    ("Jette mag Grün.", "Jette mag Orange."),
    ("La oficina está en Lugo.", "La oficina está en obras."),
    ("Elena vive en Soria.", "La hermana de Elena se mudó a Vigo."),
    ("Luc joue du piano.", "Luc a arrêté de fumer."),
    ("2026-07-30: asked the co-operative.", "2026-09-29: asked the co-operative, postponed."),
    ("小李会弹钢琴。", "小李换了手机。"),
    ("田中さんは犬を飼っています。", "田中さんは車を売りました。"),
)

# From home, health, work, software, money, travel, pets and hobbies.
MORE_REPLACED = (
    ("Our plumber is Mr Dunne.", "We hired a different plumber, Ms Achebe."),
    ("Zoe's shoe size is 34.", "Zoe wears size 36 shoes."),
    ("The boiler pressure is 1.2 bar.", "The boiler pressure dropped to 0.8 bar."),
    (
        "The API rate limit is 100 requests per minute.",
        "The API rate limit was doubled to 200 requests per minute.",
    ),
    ("The staging server is stg-01.", "Staging moved to stg-04."),
    ("Our CI runs on Jenkins.", "Our CI runs on GitHub Actions."),
    ("The repo's default branch is master.", "The default branch of the repo was renamed to main."),
    ("Node version is 18.", "We are on Node version 20."),
    (
        "Carla is the product owner of Atlas.",
        "Since Carla left, Dmitri is the product owner of Atlas.",
    ),
    ("Stand-up is at 9.", "Stand-up is at 9:30."),
    ("The retro takes place on Fridays.", "We hold the retro on Mondays."),
    ("My salary is 4200 euros.", "I got a raise: my salary is 4500 euros."),
    ("The Netflix subscription costs 12.99 a month.", "Netflix went up to 14.99 a month."),
    ("Our mortgage is with ING.", "We refinanced the mortgage with Rabobank."),
    ("The car insurance is with Allianz.", "The car is insured with AXA."),
    ("The flight to Rome is on 4 May.", "The flight to Rome was rebooked to 6 May."),
    ("We are flying from Gatwick.", "We are flying from Heathrow instead."),
    ("The train leaves from platform 4.", "The train leaves from platform 9."),
    ("Rex eats dry food.", "Rex only eats wet food these days."),
    ("Whiskers sleeps in the kitchen.", "Whiskers sleeps on the balcony."),
    ("The guinea pig weighs 900 g.", "The guinea pig weighs 1100 g."),
    ("Yoga is on Mondays at 18:00.", "Yoga is on Thursdays at 19:00."),
    ("Lea is learning Spanish.", "Lea gave up Spanish and is learning Korean."),
    ("I take 20 mg of omeprazole.", "The doctor lowered my omeprazole to 10 mg."),
    ("Mum's blood pressure is 150/95.", "Mum's blood pressure is 130/85."),
    ("My therapist is Ms Wolf.", "My new therapist is Mr Adler."),
    (
        "The dentist appointment is on 12 June.",
        "The dentist appointment has been moved to 19 June.",
    ),
    ("Nina is pregnant.", "Nina had her baby."),
    ("Tom is single.", "Tom is engaged to Priya."),
    ("The washing machine is a Bosch.", "The Bosch broke; the washing machine is a Miele."),
    ("The wifi router is in the hallway.", "We put the wifi router in the attic."),
    ("The cleaning lady comes on Tuesdays.", "The cleaning lady comes on Thursdays."),
    ("Anna studies physics.", "Anna switched to chemistry."),
    ("Anna's favourite band is Muse.", "Anna's favourite band is Radiohead."),
    ("Bin Day is Monday.", "Bin day is Tuesday."),
    (
        "The deadline for the grant is 1 March.",
        "The deadline for the grant was extended to 15 March.",
    ),
    (
        "Peter is the chairman of the club.",
        "Peter stepped down and Sonja is the chairwoman of the club.",
    ),
    ("Kim works at Siemens.", "Kim quit Siemens and works at Tesla."),
    ("Kim works as a nurse.", "Kim retrained and works as a teacher."),
    ("The office is on Baker Street.", "The office moved to Elm Street."),
    ("The password manager is 1Password.", "We switched the password manager to Bitwarden."),
    ("Die Müllabfuhr kommt dienstags.", "Die Müllabfuhr kommt jetzt donnerstags."),
    ("Opa wohnt in der Lindenstraße.", "Opa ist ins Pflegeheim gezogen."),
    ("Mein Physiotherapeut heißt Herr Lang.", "Mein neuer Physiotherapeut heißt Herr Vogt."),
    ("Ben trainiert beim TSV.", "Ben trainiert seit August beim FC."),
    ("Die Miete beträgt 800 Euro.", "Die Miete wurde auf 850 Euro erhöht."),
    ("Das Passwort liegt im Safe.", "Das Passwort liegt im Schrank."),
    ("Der Server steht in Frankfurt.", "Der Server ist nach Helsinki umgezogen."),
    ("Der Kurs beginnt um 18 Uhr.", "Der Kurs beginnt erst um 19 Uhr."),
    ("Lina hat Klavierunterricht bei Frau Sommer.", "Lina hat Klavierunterricht bei Herrn Winter."),
    ("Wir nutzen Jira für Tickets.", "Für Tickets nutzen wir Linear."),
    ("Papa nimmt 5 mg Bisoprolol.", "Papa nimmt nur noch 2,5 mg Bisoprolol."),
    (
        "Die Projektleiterin ist Frau Aydin.",
        "Frau Aydin hat die Projektleitung an Herrn Roth abgegeben.",
    ),
    ("Notre médecin est le docteur Petit.", "Notre nouveau médecin est le docteur Grand."),
    ("Léa travaille à la mairie.", "Léa a quitté la mairie pour une banque."),
    ("Le loyer est de 700 euros.", "Le loyer passe à 740 euros."),
    ("Le train part à 8h12.", "Le train part finalement à 8h40."),
    ("Hugo joue de la flûte.", "Hugo a laissé la flûte et joue du violon."),
    ("Camille est en CM1.", "Camille est passée en CM2."),
    ("La voiture est garée rue Victor Hugo.", "La voiture est garée rue Pasteur."),
    ("L'entraînement a lieu le mardi.", "L'entraînement a lieu le jeudi."),
    ("Le chef de projet est Karim.", "Karim est parti, le chef de projet est Nadia."),
    ("Mi jefe se llama Andrés.", "Mi nueva jefa se llama Beatriz."),
    ("La reunión es el martes a las 10.", "La reunión pasa al miércoles a las 11."),
    ("El coche está en el taller.", "El coche ya está en casa."),
    ("Marta estudia derecho.", "Marta dejó derecho y estudia medicina."),
    ("Vivimos en la calle Mayor.", "Nos hemos mudado a la calle Alcalá."),
    ("El gimnasio cierra a las 22:00.", "El gimnasio cierra a las 23:00 en verano."),
    ("La gata pesa 3 kilos.", "La gata pesa 4 kilos."),
    ("O meu chefe é o Paulo.", "A minha chefe é agora a Carla."),
    ("A Rita trabalha na Galp.", "A Rita saiu da Galp e trabalha na EDP."),
    ("O voo é às 14h.", "O voo foi alterado para as 17h."),
    ("O carro está na oficina.", "O carro já saiu da oficina."),
    ("Pagamos 600 euros de renda.", "A renda subiu para 650 euros."),
    ("Il mio capo si chiama Enzo.", "Il mio nuovo capo si chiama Dario."),
    ("La riunione è lunedì.", "La riunione è stata spostata a martedì."),
    ("Sara gioca a tennis.", "Sara ha smesso con il tennis e gioca a padel."),
    ("L'affitto è di 600 euro.", "L'affitto è aumentato a 640 euro."),
    ("Il gatto dorme sul divano.", "Il gatto adesso dorme sul letto."),
    ("Mijn baas heet Kees.", "Mijn nieuwe baas heet Marloes."),
    ("Tim zit in groep 5.", "Tim zit nu in groep 6."),
    ("De auto staat in de garage.", "De auto staat op straat."),
    ("De huur is 900 euro.", "De huur is verhoogd naar 950 euro."),
    ("We vliegen vanaf Schiphol.", "We vliegen vanaf Eindhoven."),
    ("妹妹在北京上大学。", "妹妹转到上海上大学了。"),
    ("医生让爸爸每天吃两片药。", "医生让爸爸每天吃一片药。"),
    ("健身房每月200元。", "健身房涨到每月250元。"),
    ("周会在星期一。", "周会改到星期三。"),
    ("部門の責任者は山田さんです。", "部門の責任者は高橋さんになりました。"),
    ("電車は8時に出ます。", "電車は9時に出ます。"),
    ("サーバーのバージョンは1.2です。", "サーバーのバージョンは1.3になりました。"),
    ("แม่กินยาวันละ 2 เม็ด", "แม่กินยาวันละ 1 เม็ด"),
    ("ร้านเปิด 9 โมง", "ร้านเปิด 10 โมง"),
)
MORE_BOTH_HOLD = (
    ("Mia's left shoe is size 36.", "Mia's locker is number 36."),
    ("The front door key is with Ana.", "The garage key is with Otto."),
    ("I work from home on Mondays.", "I work from home on Fridays."),
    ("Dr. Klein is Rex's vet.", "Dr. Moreau is Tim's orthodontist."),
    ("The blue car needs oil.", "The blue car needs new wipers."),
    ("Our team uses Slack.", "Our team uses Zoom."),
    ("Anna speaks French.", "Anna speaks a little Dutch."),
    ("We have a meeting with Acme on Tuesday.", "We have a meeting with Globex on Thursday."),
    ("Peter likes jazz.", "Peter likes opera."),
    ("The invoice 1041 is 300 euros.", "The invoice 1042 is 420 euros."),
    ("Ticket 88 is about the login.", "Ticket 91 is about the export."),
    ("Kim visited Oslo in 2019.", "Kim visited Lima in 2022."),
    ("The kitchen has two windows.", "The kitchen has one door."),
    ("Lea plays the flute.", "Lea plays volleyball."),
    ("Jan is my cousin.", "Jan is a carpenter."),
    ("Jan lives with his parents.", "Jan lives near the river."),
    ("Mum takes vitamin D.", "Mum takes iron tablets."),
    ("The pool costs 5 euros for adults.", "The pool costs 3 euros for children."),
    ("Breakfast is at 7:30.", "Lunch is at 12:15."),
    ("The library opens at 9.", "The library closes at 18."),
    ("The train to Ulm leaves at 8.", "The train to Bonn leaves at 9."),
    ("Sam is in class 3b.", "Sam is in the chess club."),
    ("Alma heads the design team.", "Alma heads the hiring committee."),
    ("Alma heads the design team.", "Ole heads the sales team."),
    ("Call the bank on Monday.", "Call the bank about the card."),
    ("The test took 40 minutes on Monday.", "The test took 35 minutes on Tuesday."),
    ("Ran 5 km on Monday.", "Ran 8 km on Thursday."),
    ("Weighed 71 kg in May.", "Weighed 69 kg in June."),
    ("The backup runs on nas1 at night.", "The backup runs on nas2 at noon."),
    ("Port 80 goes to nginx.", "Port 5432 goes to postgres."),
    ("The dev database is on port 5432.", "The test database is on port 5433."),
    ("Version 2.1 fixed the login.", "Version 2.2 fixed the export."),
    ("Tim geht mittwochs zum Judo.", "Tim geht freitags zum Chor."),
    ("Tante Erna wohnt in Jena.", "Onkel Otto wohnt in Gera."),
    ("Die Oma hat zwei Katzen.", "Die Oma hat einen Garten."),
    ("Das Sofa ist grau.", "Das Sofa ist von Ikea."),
    ("Das Fest ist am Samstag.", "Das Fest ist im Garten."),
    ("Der Flug geht um 9 Uhr.", "Der Rückflug geht um 17 Uhr."),
    ("Ben mag Pizza.", "Ben mag Sushi."),
    ("Frau Aydin leitet das Projekt Nord.", "Herr Roth leitet das Projekt Süd."),
    ("Léa parle italien.", "Léa parle russe."),
    ("Le médecin de Hugo est le docteur Petit.", "Le médecin de Léa est le docteur Grand."),
    ("Le marché est le samedi à Lyon.", "Le marché est le dimanche à Vienne."),
    ("Marta tiene un perro.", "Marta tiene dos gatos."),
    (
        "La abuela toma la pastilla roja por la mañana.",
        "La abuela toma la pastilla azul por la noche.",
    ),
    ("El vuelo de ida es el lunes.", "El vuelo de vuelta es el domingo."),
    ("A Rita gosta de praia.", "A Rita gosta de cinema."),
    ("Sara gioca a tennis.", "Sara suona il piano."),
    ("Il treno per Roma parte alle 8.", "Il treno per Bari parte alle 9."),
    ("Tim houdt van drop.", "Tim houdt van kaas."),
    ("妹妹喜欢画画。", "妹妹喜欢跳舞。"),
    ("我们周一开会。", "我们周四聚餐。"),
    ("大门的钥匙在妈妈那里。", "车库的钥匙在爸爸那里。"),
    ("数学作业周一交。", "英语作业周三交。"),
    ("父は釣りが好きです。", "父は将棋が好きです。"),
    ("月曜日は数学があります。", "火曜日は国語があります。"),
    ("แม่ชอบดอกไม้", "แม่ชอบทำอาหาร"),
)


@pytest.mark.parametrize(("old", "new"), [*REPLACED, *MORE_REPLACED])
def test_what_ends_or_can_be_one_thing_only_is_replaced(old: str, new: str) -> None:
    assert replaced(old, new, content_words(old)) is Replaced.SURELY


@pytest.mark.parametrize(("old", "new"), [*BOTH_HOLD, *MORE_BOTH_HOLD])
def test_what_may_hold_beside_the_newer_is_not(old: str, new: str) -> None:
    asked = content_words(old)
    assert replaced(old, new) is not Replaced.SURELY
    assert replaced(old, new, asked) is not Replaced.SURELY


def test_what_says_also_replaces_nothing() -> None:
    assert replaced("The shop is on Mill Street.", "The shop is also on Park Lane.") is Replaced.NO


def test_below_the_headings_of_two_people_two_people_are_meant() -> None:
    note = "# Memory\n\n## Nora\n\n- Lives in Porto.\n\n## Teo\n\n- Lives in Braga now.\n"
    nora, teo = facts_of(note, "MEMORY.md")
    assert not contradicts(nora, teo)
    same = facts_of(note.replace("\n## Teo\n\n", ""), "MEMORY.md")
    assert contradicts(*same)


def test_a_name_tells_whom_both_are_about() -> None:
    note = "# Memory\n\n## Family\n\n- Aunt Nora lives in Porto.\n\n## News\n\n- Aunt Nora moved to Braga.\n"
    old, new = facts_of(note, "MEMORY.md")
    assert isinstance(old, Fact)
    assert contradicts(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Hallberg is a customer since 2021.", "Nordlys is a new customer."),
        ("Felix has a hamster.", "Felix now has an aquarium in his room."),
        ("一号服务器跑网站。", "二号服务器跑新的数据库。"),
    ],
)
def test_one_more_takes_nothing_away(old: str, new: str) -> None:
    (first,) = facts_of(f"- {old}\n", "memory/2026-03-01.md")
    (second,) = facts_of(f"- {new}\n", "memory/2026-03-09.md")
    assert not contradicts(first, second)
    hits = [
        Hit(fact.path, "memory", 1, 1, 0.9, f"- {fact.text}", date=fact.day)
        for fact in (first, second)
    ]
    found = order_by_currency(hits, Times(datetime.date(2026, 4, 1)), f"{old} {new}")
    assert not any(hit.was for hit in found)
