"""Whether a text says that the answer of another one is gone."""

from __future__ import annotations

import pytest

from memdown.notes.details import content_words
from memdown.notes.exchanges import gives_up

GIVEN_UP = [
    ("which database do we use", "The database is MySQL", "Migrated from MySQL to Postgres"),
    ("what do we use for chat", "We use Slack for chat", "We replaced Slack with Mattermost"),
    (
        "what coffee do I like",
        "My favourite coffee is a flat white",
        "Oat, no flat whites any more",
    ),
    ("which instrument does Max play", "Max plays the violin", "Max gave up the violin"),
    ("what does the frontend use", "The frontend uses React", "React is no longer used"),
    ("dónde trabajo", "Trabajo en Indra", "Dejé Indra, trabajo en Telefónica"),
    ("qué utilizamos", "Utilizamos Jira", "Ya no usamos Jira"),
    ("welches Auto fahren wir", "Wir fahren einen Golf", "Den Golf verkauft, jetzt Fahrrad"),
    ("womit läuft das Backup", "Das Backup läuft mit Bacula", "Bacula durch Restic ersetzt"),
    (
        "quel outil pour les tâches",
        "On utilise Trello pour les tâches",
        "Trello remplacé par Linear",
    ),
    ("worauf läuft CI", "CI läuft auf Travis", "Von Travis zu GitHub Actions gewechselt"),
    ("what car do we drive", "We drive a Golf", "The Golf was sold last week"),
    ("数据库是什么", "数据库是MySQL", "把MySQL换成了Postgres"),
]
KEPT = [
    ("which database do we use", "The database is MySQL", "Replaced the broken MySQL disk"),
    ("what do we use for chat", "We use Slack for chat", "Moved the Slack bot to the new server"),
    ("what do we use for chat", "We use Slack for chat", "Ordered more Slack seats"),
    ("which instrument does Max play", "Max plays the violin", "Lena gave up the violin"),
    ("where does Anna work", "Anna works at Siemens", "Bruno left Siemens"),
    ("what does Falcon run on", "Falcon runs on MySQL", "Kestrel moved from MySQL to Postgres"),
    ("what car do we drive", "We drive a Golf", "Sold the winter tyres of the Golf"),
    ("who has the key", "The key is with Ada Byron", "Ada Byron has moved to Leeds"),
    ("which board is it", "The board is the Duo H6", "The Duo H6 replaced the Vector A1"),
    ("who looks after the dog", "Jonas looks after the dog", "Jonas hat verkauft"),
    ("what do we use for chat", "We use Slack for chat", "Changed the settings of Slack to dark"),
    ("what do we drink", "We drink coffee", "Ordered more coffee"),
]


@pytest.mark.parametrize(("question", "old", "new"), GIVEN_UP)
def test_what_is_said_to_be_gone_is_given_up(question: str, old: str, new: str) -> None:
    assert gives_up(new, old, content_words(question))


@pytest.mark.parametrize(("question", "old", "new"), KEPT)
def test_what_happens_to_something_else_gives_nothing_up(question: str, old: str, new: str) -> None:
    assert not gives_up(new, old, content_words(question))
