"""Notes and transcripts in one answer: neither crowds the other out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memdown import Memory
from memdown.search.rank import with_lanes
from memdown.types import Hit, Source
from transcripts.talking import CONFIG, said, talk


def hit(number: int, source: Source, score: float, snippet: str = "") -> Hit:
    return Hit(f"{source}/{number}", source, 1, 1, score, snippet or f"text {number} of {source}")


def test_a_hundred_times_more_transcript_hides_no_note(
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
    own_state: Path,
) -> None:
    (own_state / "memdown.json5").write_text(CONFIG)
    notes = {
        f"memory/note-{n}.md": f"# Note {n}\n\nThe boiler in house {n} is serviced by Petrov.\n"
        for n in range(4)
    }
    for number in range(40):
        talk(
            own_state,
            f"s{number}",
            *(
                said(
                    "user", f"Who services the boiler? The boiler, I ask on day {number}, hour {n}!"
                )
                for n in range(10)
            ),
        )
    memory = open_memory(write_notes(notes))
    hits = memory.search("who services the boiler", min_score=0.0).hits
    assert len(hits) == 6
    sources = [one.source for one in hits]
    assert sources.count("memory") >= 3
    assert "memory" in sources[:2]
    assert sources.count("sessions") >= 2
    only = memory.search("who services the boiler", min_score=0.0, sources=["sessions"]).hits
    assert {one.source for one in only} == {"sessions"}
    fewer = memory.search("who services the boiler", min_score=0.0, max_results=3).hits
    places = [one.citation for one in hits]
    assert [one.citation for one in fewer] == places[:3], "how many are asked for changes nothing"


def test_a_transcript_that_repeats_a_note_is_left_out(
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
    own_state: Path,
) -> None:
    """An answer read aloud from memory would otherwise come back as a memory of its own."""
    (own_state / "memdown.json5").write_text(CONFIG)
    talk(
        own_state,
        "s",
        said("assistant", "The router in the hall is a TP-Link ER605 with firmware 2.1."),
    )
    text = "The router in the hall is a TP-Link ER605 with firmware 2.1.\n"
    memory = open_memory(write_notes({"memory/home.md": text}))
    hits = memory.search("router in the hall", min_score=0.0).hits
    assert [one.source for one in hits] == ["memory"]


hits_of_both = st.lists(
    st.tuples(st.sampled_from(["memory", "sessions"]), st.floats(0, 1)), max_size=30
)


@given(hits_of_both)
def test_every_prefix_is_balanced_and_nothing_is_lost(found: list[tuple[Source, float]]) -> None:
    hits = [hit(n, source, score) for n, (source, score) in enumerate(found)]
    hits.sort(key=lambda one: -one.score)
    ordered = with_lanes(hits)
    assert sorted(one.path for one in ordered) == sorted(one.path for one in hits)
    notes = sum(one.source == "memory" for one in hits)
    seen = talks = 0
    for one in ordered:
        seen += one.source == "memory"
        talks += one.source == "sessions"
        assert talks <= seen + 1 or seen == notes
    for source in ("memory", "sessions"):
        lane = [one for one in ordered if one.source == source]
        assert lane == [one for one in hits if one.source == source]
