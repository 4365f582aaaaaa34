"""Hundreds of secrets in conversations, and a thousand in the long run: none gets into index, cache, log, request or answer."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memdown import Memory
from memdown.testing import HashEmbedder
from text.redaction.planted import planted
from transcripts.talking import CONFIG, said, talk


def telling_parts(secret: str) -> list[str]:
    """Pieces of a secret that would be enough to recognise it by."""
    runs = re.findall(r"[A-Za-z0-9]{12,}", secret)
    return [run.lower()[-12:] for run in runs if "PRIVATE" not in run] or [secret.lower()]


@pytest.mark.parametrize("count", [250, pytest.param(1000, marks=pytest.mark.long)])
def test_no_planted_secret_is_stored_logged_or_sent(
    count: int,
    write_notes: Callable[[dict[str, str]], Path],
    open_memory: Callable[..., Memory],
    own_state: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither when the conversations are read first nor by a rebuild."""
    caplog.set_level(logging.DEBUG)
    (own_state / "memdown.json5").write_text(CONFIG)
    secrets = planted(count, seed=66)
    # Chunks are cut every 1,600 characters, so secrets of all kinds come to lie at their ends.
    rng = random.Random(1)
    lines = []
    for _, _, text in secrets:
        filler = "word " * rng.randrange(0, 330)
        lines.append(said("user", f"{filler}{text} {filler}"))
    for number in range(10):
        talk(own_state, f"s{number}", *lines[number::10])
    folder = write_notes({"MEMORY.md": "- nothing secret\n"})
    for rebuild in (False, True):
        embedder = HashEmbedder()
        memory = open_memory(folder, embedder)
        memory.sync(force=rebuild)
        answers = [memory.search(secret[:200], min_score=0.0) for _, secret, _ in secrets[:60]]
        shown = " ".join(hit.snippet for answer in answers for hit in answer.hits).lower()
        sent = "\n".join(embedder.embedded).lower()
        # A rebuild takes from the cache what was embedded before.
        assert rebuild or "[redacted: " in sent
        assert "[redacted: " in shown
        assert memory.status().store.chunks["sessions"] > 0.3 * count
        memory.close()
        stored = b"".join(
            path.read_bytes()
            for path in own_state.rglob("*")
            if path.is_file() and "agents" not in path.parts
        ).lower()
        logged = caplog.text.lower()
        for kind, secret, _ in secrets:
            for part in telling_parts(secret):
                assert part not in sent, kind
                assert part.encode() not in stored, kind
                assert part not in logged, kind
                assert part not in shown, kind
