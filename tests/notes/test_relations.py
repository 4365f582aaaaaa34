"""Relations that have one value at a time: another one replaces it, whatever the words are."""

from __future__ import annotations

import pytest

from memdown.notes.relations import restated, tells_of_another

RESTATED = (
    ("Greta lives in Turku.", "Greta bought a house in Oulu and lives there."),
    ("The gate code sheet is in the drawer.", "The gate code sheet is in the tin box."),
    ("The ferry leaves at 8:15.", "Because of the storm the ferry leaves at 9:40."),
    ("The piano lesson costs 30 euros.", "We pay 36 euros for the piano lesson."),
    ("Boris drives a Lada.", "Boris drives a Volvo."),
    ("Nils walks the dog in the morning.", "It's Britta who walks the dog in the morning."),
    ("Nils picks up the parcels.", "Nils hurt his back, so Britta picks up the parcels."),
    ("We build from the branch main.", "Builds run from release, not main."),
    ("The coach of the rowers is Emmerich.", "Ludmila coaches the rowers."),
    ("Die Katze wiegt 4 Kilo.", "Die Katze hat 5 Kilo erreicht."),
    ("Rosa betreut die Gäste.", "Um die Gäste kümmert sich Lutz."),
    ("Das Lager schließt um 18 Uhr.", "Wegen Inventur schließt das Lager um 16 Uhr."),
    ("Le bus part à 7h10.", "Le bus part à 7h40 cette semaine."),
    ("Paul garde le chien le samedi.", "C'est Inès qui garde le chien le samedi."),
    ("El tren sale a las 6:20.", "El tren sale a las 6:50 por las obras."),
    ("Bruno dirige la revista.", "Desde mayo Carla dirige la revista."),
    ("O barco custa 90 euros por dia.", "Pelo barco pagamos 110 euros por dia."),
    ("Carlo abita a Lecce.", "Carlo si è trasferito a Bari."),
    ("De zeilles kost 20 euro.", "Voor de zeilles betalen we 25 euro."),
    ("老王住在大连。", "老王搬到厦门了。"),
    ("早会九点开始。", "早会现在十点开始。"),
    ("小顾负责采购。", "采购由小温负责。"),
    ("大会は5日です。", "大会は12日に延期されました。"),
    ("姉は奈良に住んでいます。", "姉は神戸に引っ越しました。"),
    ("ค่าน้ำ 300 บาท", "ค่าน้ำขึ้นเป็น 350 บาท"),
)
BESIDE = (
    ("Greta lives in Turku.", "Anton lives in Oulu."),
    ("Her sister Greta lives in Turku.", "Her sister Alma lives in Oulu."),
    ("The red boat costs 90 euros.", "The blue boat costs 70 euros."),
    ("The boat costs 90 euros.", "The family boat costs 120 euros."),
    ("Boris leads the choir.", "Boris leads the orchestra."),
    ("Boris works on Saturn.", "Boris works on Jupiter."),
    ("The server runs Caddy.", "The server runs Redis."),
    ("The shop is closed on Monday.", "The shop is closed on Sunday."),
    ("The cottage is in the woods.", "The cottage is by the lake."),
    ("The desk is 80 cm wide.", "The desk is 120 cm long."),
    ("Nils has 2 cats.", "Nils has 3 ducks."),
    ("The vet checked Rex.", "Tilly's vet is Dr. Amsel."),
    ("Frieda besucht einen Malkurs.", "Frieda besucht einen Tanzkurs."),
    ("Im Flur steht ein Schrank.", "Im Flur steht eine Bank."),
    ("Lutz kommt am 3. Juli.", "Rosa kommt am 9. Juli."),
    ("Paul fait du judo le lundi.", "Paul fait du chant le jeudi."),
    ("La reunión con Ana es el lunes.", "La reunión con Blas es el jueves."),
    ("Carlo prende lo sciroppo la sera.", "Carlo prende le gocce la mattina."),
    ("De trein kost 60 euro.", "Het hotel kost 210 euro."),
    ("大儿子八岁。", "小儿子五岁。"),
    ("五月去杭州。", "十月去杭州。"),
    ("部屋Aは三階です。", "部屋Bは四階です。"),
    ("นิดชอบกาแฟ", "นิดชอบชา"),
)


@pytest.mark.parametrize(("old", "new"), RESTATED)
def test_another_value_of_the_same_relation_takes_its_place(old: str, new: str) -> None:
    assert restated(old, new)


@pytest.mark.parametrize(("old", "new"), BESIDE)
def test_other_things_and_other_relations_hold_beside(old: str, new: str) -> None:
    assert not restated(old, new)
    assert not restated(new, old)


def test_what_is_in_the_same_place_or_a_part_of_it_is_something_else() -> None:
    assert tells_of_another(
        "Der Chat läuft auf dem Server Wal.", "Das Wiki läuft auf dem Server Wal."
    )
    assert tells_of_another("仓库在五楼。", "仓库的钥匙在老李那里。")
    assert tells_of_another("The band plays on 3 May in Ulm.", "The band plays on 9 June in Trier.")
    assert not tells_of_another("The band plays on 3 May.", "The band plays on 9 June.")


def test_a_word_of_change_names_the_relation() -> None:
    old, new = "Mina works at the zoo in Graz.", "Mina transferred to the zoo in Linz."
    assert restated(old, new, {"transfer"})
    assert not restated(
        "Ida's teacher is Mr Voss.", "Ida plays cello instead of violin.", {"instead"}
    )
