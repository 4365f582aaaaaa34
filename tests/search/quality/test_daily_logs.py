"""A hundred daily logs beside notes that name months and days: the time asked for comes first."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator

import pytest

from memdown import Memory
from memdown.config import load_settings
from search.quality.quality_case import write

TODAY = datetime.date(2026, 11, 16)
DAYS = """2026-03-03 2026-03-17 2026-03-26 2026-06-12 2026-06-20 2026-10-05 2026-10-14 2026-10-28 2026-11-09
2026-11-13 2026-11-15 2025-12-31 2026-01-08 2026-02-11 2026-07-04 2026-08-02 2024-10-28 2024-11-09 2024-06-12""".split()
DONE = """Met Ana about the roadmap.|Fixed the login bug in the shop.|Bought seeds for the balcony.|Ran 8 km.
Called the dentist, appointment moved.|Paired with Bob on the importer.|Reviewed the budget with Carla.
Dinner at the Greek place.|Read two chapters of the novel.|Deployed the billing service.|The heating broke.
Planning meeting for the release.|Wrote the quarterly summary.|Standup was short.|Cleaned the bikes.
Visited mum in Dresden.|Migrated the database to the new host.""".replace("\n", "|").split("|")
TOPICS = {
    "MEMORY.md": "# Memory\n\n- Never deploy on Friday after 14:00.\n- Bob was born on 3 May.\n",
    "memory/projects/garden.md": "# Garden\n\nCompost goes on the beds in March.\nIt is turned in June.\n"
    "Tomatoes are planted in May, the harvest is in October.\n",
    "memory/deutsch/versicherungen.md": "# Versicherungen\n\nDie Hausrat wird im März fällig, die "
    "Haftpflicht im November.\nKündigung bis 9. November.\n",
    "memory/finance/subscriptions.md": "# Subscriptions\n\n| what | due |\n|---|---|\n| Music | March 12 |\n"
    "| Cloud | June 12 |\n| Paper | October 28 |\n",
    "memory/português.md": "# Português\n\nEm março temos férias em Lisboa. Porto em 12 de junho.\n",
    "memory/travel/lisbon.md": "# Lisbon 2024\n\nFlight on October 28, back on November 9. Christmas "
    "market in December.\n",
    "memory/projects/sql.md": "# SQL\n\n```sql\nSELECT * FROM eve WHERE last_year = 1;\n```\n",
    "memory/2025-12-24.md": "# 2025-12-24\n\n- Raclette with the whole family.\n",
    "memory/adr/0009.md": "---\ntitle: Split the monorepo\ndate: 2026-02-12\ntags: [adr]\n---\n"
    "\n## Decision\n\nOne repository for each service.\n",
    "memory/projects/incident-2026-05-18.md": "---\ntitle: Outage of the shop\n---\nIt cost us 61,000 €.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    draw = random.Random(5)
    days = {datetime.date.fromisoformat(day) for day in DAYS}
    while len(days) < 100:
        days.add(datetime.date(2024, 10, 1) + datetime.timedelta(draw.randrange(770)))
    days.discard(datetime.date(2025, 12, 24))
    logs = {
        f"memory/{day}.md": f"# {day}\n\n" + "".join(f"- {one}\n" for one in draw.sample(DONE, 4))
        for day in sorted(days)
    }
    folder = write(tmp_path_factory.mktemp("logs"), {**logs, **TOPICS})
    environ = {"MEMDOWN_STATE_DIR": str(tmp_path_factory.mktemp("state"))}
    settings = load_settings(workspace=folder, environ=environ)
    with Memory.from_settings(settings, environ=environ, today=TODAY) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what did I do in March", "2026-03-01", "2026-03-31"),
        ("March 2026", "2026-03-01", "2026-03-31"),
        ("what happened in June", "2026-06-01", "2026-06-30"),
        ("was war im März", "2026-03-01", "2026-03-31"),
        ("qu'est-ce que j'ai fait en mars", "2026-03-01", "2026-03-31"),
        ("¿qué pasó en marzo?", "2026-03-01", "2026-03-31"),
        ("o que aconteceu em março", "2026-03-01", "2026-03-31"),
        ("cosa è successo in marzo", "2026-03-01", "2026-03-31"),
        ("wat gebeurde in maart", "2026-03-01", "2026-03-31"),
        ("3月做了什么", "2026-03-01", "2026-03-31"),
        ("3月に何をした", "2026-03-01", "2026-03-31"),
        ("เกิดอะไรขึ้นในเดือนมีนาคม", "2026-03-01", "2026-03-31"),
        ("daily log from June 12", "2026-06-12", "2026-06-12"),
        ("what did I write on 9 November", "2026-11-09", "2026-11-09"),
        ("Was habe ich am 9. November geschrieben?", "2026-11-09", "2026-11-09"),
        ("notes from October 28", "2026-10-28", "2026-10-28"),
        ("meetings in October", "2026-10-01", "2026-10-31"),
        ("since October", "2026-10-01", "2026-11-16"),
        ("Q1 2026", "2026-01-01", "2026-03-31"),
        ("week 46", "2026-11-09", "2026-11-15"),
        ("summer of 2026", "2026-06-01", "2026-08-31"),
        ("Christmas 2025", "2025-12-24", "2025-12-26"),
        ("what happened on Christmas Eve last year", "2025-12-24", "2025-12-24"),
        ("what did I do on Friday", "2026-11-13", "2026-11-13"),
        ("what was decided about the monorepo in February", "2026-02-12", "2026-02-12"),
        ("what did the outage in May cost", "2026-05-18", "2026-05-18"),
    ],
)
def test_notes_of_the_time_come_first(memory: Memory, question: str, first: str, last: str) -> None:
    """All of them, as far as they are shown: no other stands between them."""
    hits = memory.search(question).hits
    assert hits
    timely = [hit.date is not None and first <= str(hit.date) <= last for hit in hits]
    assert timely[0]
    assert timely == sorted(timely, reverse=True)


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("what not to do on Friday", "MEMORY.md"),
        ("when does the compost go on the beds in March", "memory/projects/garden.md"),
        ("what do I plant in May", "memory/projects/garden.md"),
        ("who was born in May", "MEMORY.md"),
        ("wann wird die Hausrat im März fällig", "memory/deutsch/versicherungen.md"),
    ],
)
def test_a_note_that_alone_answers_stays_first(memory: Memory, question: str, path: str) -> None:
    """The time is a preference among answers, not a wall."""
    assert memory.search(question).hits[0].path == path


def test_where_nothing_was_written_the_words_count(memory: Memory) -> None:
    """No log is of the flight's year; the words of the date are all there is."""
    answer = memory.search("flight on October 28 2023")
    assert answer.explanation is not None
    assert answer.explanation.period is None
    assert answer.hits[0].path == "memory/travel/lisbon.md"
