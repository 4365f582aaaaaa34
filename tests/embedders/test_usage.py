"""The log of what left the machine adds up, whoever writes it."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from memdown.embedders import usage
from memdown.types import ProviderUsage


def test_counts_add_up_by_day_provider_and_host(tmp_path: Path) -> None:
    log = tmp_path / "state" / "usage.jsonl"
    for day, provider in (
        ("2026-03-01", "openai"),
        ("2026-03-01", "openai"),
        ("2026-03-02", "gemini"),
    ):
        usage.note(
            log, ProviderUsage(day, provider, "host", requests=1, texts=3, characters=30, tokens=8)
        )
    usage.note(log, ProviderUsage("2026-03-02", "gemini", looked_up=10, found=9))
    assert usage.read(log) == (
        ProviderUsage(
            "2026-03-01", "openai", "host", requests=2, texts=6, characters=60, tokens=16
        ),
        ProviderUsage("2026-03-02", "gemini", looked_up=10, found=9),
        ProviderUsage("2026-03-02", "gemini", "host", requests=1, texts=3, characters=30, tokens=8),
    )


def test_no_log_is_no_usage(tmp_path: Path) -> None:
    assert usage.read(tmp_path / "none.jsonl") == ()


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    log = tmp_path / "usage.jsonl"
    usage.note(log, ProviderUsage("2026-03-01", "openai", "host", requests=1))
    with log.open("a") as file:
        file.write('{"day": "2026-03-0\n[]\n\x00\n')
    usage.note(log, ProviderUsage("2026-03-01", "openai", "host", requests=1))
    assert usage.read(log) == (ProviderUsage("2026-03-01", "openai", "host", requests=2),)


def write_many(log: str, count: int) -> None:
    for _ in range(count):
        usage.note(Path(log), ProviderUsage("2026-03-01", "openai", "h" * 60, requests=1, texts=2))


def test_it_stays_small_and_loses_nothing_while_several_processes_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "_COMPACT_BYTES", 4000)
    log = tmp_path / "usage.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(str(log), 150)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    (total,) = usage.read(log)
    assert (total.requests, total.texts) == (600, 1200)
    assert log.stat().st_size < 10_000


def test_a_log_that_cannot_be_written_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    usage.note(tmp_path / "file" / "usage.jsonl", ProviderUsage("2026-03-01", "openai", requests=1))
    assert "cannot be written" in caplog.text
