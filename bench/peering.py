"""The peers' side of the comparison: installed from PyPI once, then run with our chunks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.index import chunk_texts
from bench.measure import questions, timed
from memdown.embedders import create

ROOT = Path(__file__).parent.parent
_HOME = Path(__file__).parent / ".peers"
_HOURS = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """A script, the packages it needs, and up to how many chunks it ends in reasonable time."""

    script: str
    packages: Sequence[str]
    most_chunks: int


PEERS = {
    "FTS5 + sqlite-vec": Peer("fts5", ("apsw", "sqlite-vec", "numpy"), 200_000),
    "LanceDB": Peer("lance", ("lancedb", "numpy"), 200_000),
    "txtai": Peer("txt", ("txtai",), 50_000),
    "memsearch": Peer("memsearch_lite", ("memsearch", "wordllama", "numpy"), 10_000),
}


def prepare(folder: Path) -> None:
    """Write our chunks and vectors, and those of the questions with what each took, for the peers to take."""
    embedder = create("bundled")
    texts = chunk_texts(folder / "notes")
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    rows = [embedder.embed_batch(texts[at : at + 256]) for at in range(0, len(texts), 256)]
    np.save(folder / "vectors.npy", np.concatenate(rows))
    for kind, asked in questions(folder).items():
        each = [timed(partial(embedder.embed_query, text)) for text in asked]
        np.save(folder / f"{kind}.npy", np.stack([vector for vector, _ in each]))
        np.save(folder / f"{kind}-taken.npy", np.array([(one.wall, one.cpu) for _, one in each]))


def measure(name: str, folder: Path, chunks: int) -> dict[str, Any]:
    """What one peer needs for the workload, or why that is not known."""
    peer = PEERS[name]
    if chunks > peer.most_chunks:
        return _skipped(name, f"not run with more than {peer.most_chunks:,} chunks: too slow")
    home = _HOME / peer.packages[0]
    problem = _install(home, peer.packages)
    if problem:
        return _skipped(name, f"cannot be installed: {problem}")
    place = folder / f"peer-{peer.script}"
    place.mkdir()
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
        # A peer that wants to load a model fails instead of going online.
        "HF_HUB_OFFLINE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [str(home / "bin" / "python"), "-m", f"bench.peers.{peer.script}"]
    try:
        done = subprocess.run(
            [*command, str(folder), str(place)],
            env=environ,
            capture_output=True,
            text=True,
            timeout=_HOURS * 3600,
        )
    except subprocess.TimeoutExpired:
        return _skipped(name, f"not done after {_HOURS} hours")
    finally:
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        shutil.rmtree(place)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return _skipped(name, f"ended with exit code {done.returncode}: {last}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    version = _version(home, peer.packages[0])
    # Some engines write the last of their data when they end.
    return {**figures, "disk": max(size, figures["disk"]), "version": version}


def _install(home: Path, packages: Sequence[str]) -> str | None:
    """Make the environment, once; the reason if that cannot be done."""
    done = home / "installed"
    if done.exists():
        return None
    print(f"installing {packages[0]} into {home.relative_to(ROOT)}", flush=True)
    for command in (
        [sys.executable, "-m", "venv", str(home)],
        [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages],
    ):
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            return (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
    done.touch()
    return None


def _version(home: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    command = [str(home / "bin" / "python"), "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _skipped(name: str, reason: str) -> dict[str, Any]:
    print(f"{name}: {reason}", flush=True)
    return {"skipped": reason}
