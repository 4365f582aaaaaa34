"""What tells that an answer is over is found, though it shares no word with the question."""

from __future__ import annotations

from pathlib import Path

from memdown import Hit, Memory

QUESTION = "which database do we use?"
OLDER, NEWER = "memory/2026-03-02.md", "memory/2026-03-20.md"


def _ask(folder: Path, notes: dict[str, str], question: str = QUESTION) -> list[Hit]:
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    with Memory.open(folder, state_dir=folder / "state") as memory:
        return list(memory.search(question).hits)


def test_a_fact_that_was_given_up_comes_after_what_gave_it_up(tmp_path: Path) -> None:
    hits = _ask(
        tmp_path,
        {
            OLDER: "- The database is MySQL\n- Watered the plants\n",
            NEWER: "- Cleaned the oven\n- Migrated from MySQL to Postgres\n",
        },
    )

    told = [(hit.snippet, hit.was) for hit in hits[:2]]
    assert told == [
        ("- Migrated from MySQL to Postgres", False),
        ("- The database is MySQL", True),
    ]
    assert hits[0].score >= hits[1].score


def test_it_is_found_among_many_notes(tmp_path: Path) -> None:
    others = {
        f"memory/2026-01-{day:02}.md": "".join(
            f"- The plan of team {day * 40 + number} was moved, its database is not\n"
            for number in range(40)
        )
        for day in range(1, 29)
    }
    notes = {OLDER: "- The database is MySQL\n", NEWER: "- Migrated from MySQL to Postgres\n"}

    hits = _ask(tmp_path, others | notes)

    found = {hit.snippet: hit.was for hit in hits}
    assert found["- Migrated from MySQL to Postgres"] is False
    assert found["- The database is MySQL"] is True


def test_what_is_older_gives_nothing_up(tmp_path: Path) -> None:
    hits = _ask(
        tmp_path,
        {OLDER: "- Migrated from MySQL to Postgres\n", NEWER: "- The database is MySQL\n"},
    )

    assert (hits[0].snippet, hits[0].was) == ("- The database is MySQL", False)


def test_what_happened_to_another_thing_does_not_count(tmp_path: Path) -> None:
    hits = _ask(
        tmp_path,
        {OLDER: "- The database is MySQL\n", NEWER: "- Replaced the broken MySQL disk\n"},
    )

    assert (hits[0].snippet, hits[0].was) == ("- The database is MySQL", False)


def test_results_do_not_depend_on_how_many_are_asked_for(tmp_path: Path) -> None:
    notes = {
        OLDER: "- The database is MySQL\n- The database of the shop is slow\n",
        NEWER: "- Migrated from MySQL to Postgres\n- The database has a backup\n",
    }
    many = _ask(tmp_path, notes)
    with Memory.open(tmp_path, state_dir=tmp_path / "state") as memory:
        for count in range(1, len(many)):
            hits = memory.search(QUESTION, max_results=count).hits
            assert [hit.snippet for hit in hits] == [hit.snippet for hit in many[:count]]


def test_what_comes_first_is_no_weaker_than_what_it_stands_above(tmp_path: Path) -> None:
    hits = _ask(
        tmp_path,
        {
            "memory/queue.md": "# NATS instead of RabbitMQ\n\nDate: 2026-09-14\n\nWe replace RabbitMQ by NATS JetStream. "
            "Reasons: one binary, less memory, and the client is maintained by the same team. RabbitMQ stays until the "
            "mailer has been moved.\n",
            "memory/2026-11-11.md": "- Round per line, not per invoice.\n"
            "- Wen moved the mailer to NATS, RabbitMQ is switched off.\n- The mobile app is postponed.\n",
        },
        "why did we choose nats",
    )

    assert hits[0].snippet.startswith("- Wen moved the mailer")
    assert [hit.strength for hit in hits[:2]] == ["strong", "strong"]
