"""A thorough look at an index: everything that damage could change without an error."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import apsw

from memdown.errors import IndexCorrupt
from memdown.index import merging, packing
from memdown.index.sqlite import filing, schema, tables, vectors
from memdown.index.sqlite.connection import one, run, transaction
from memdown.types import FILE_SPAN

_BOOT = "boot"
_MOST_TOLD = 10
_TEXTS = "SELECT key, hash, text FROM chunks"


def problems(db: apsw.Connection) -> list[str]:
    """What is wrong with the index, as far as it can be told from the index alone."""
    names = schema.table_names(db)
    found = [str(row[0]) for row in run(db, f"PRAGMA quick_check({_MOST_TOLD})") if row[0] != "ok"]
    if found:
        return found
    return [
        *_wrong_texts(db),
        *_wrong_rows(db, names),
        *_wrong_segments(db),
        *_wrong_keywords(db, names),
        *_wrong_vectors(db),
    ]


def _wrong_texts(db: apsw.Connection) -> list[str]:
    wrong = [
        f"chunk {key} does not hold the text it was made from"
        for key, digest, text in db.execute(_TEXTS)
        if not packing.is_stored_text(packing.as_bytes(text), digest)
    ]
    return wrong[:_MOST_TOLD]


def _wrong_rows(db: apsw.Connection, names: set[str]) -> list[str]:
    lost = one(
        db,
        f"SELECT count(*) FROM chunks WHERE key / {FILE_SPAN} NOT IN (SELECT id FROM files)",
    )
    found = [f"{lost} chunks belong to no file"] if lost else []
    if "chunks_fts_docsize" in names:
        chunks = one(db, "SELECT count(*) FROM chunks")
        indexed = one(db, "SELECT count(*) FROM chunks_fts_docsize")
        if chunks != indexed:
            found.append(f"{indexed} of {chunks} chunks are in chunks_fts")
    return found


def _wrong_segments(db: apsw.Connection) -> list[str]:
    """Whether every chunk stands in a segment, and every posting list can be unpacked."""

    def read(segment: int, part: str, number: int) -> bytes:
        return filing.read_block(db, schema.LIVE, segment, part, number)

    manifest, _ = filing.read_manifest(db, schema.LIVE)
    try:
        indexed = merging.check(manifest, read)
    except (IndexCorrupt, ValueError) as error:
        return [f"the posting lists cannot be read ({error})"]
    stored = [key for (key,) in db.execute("SELECT key FROM chunks ORDER BY key")]
    return [] if stored == indexed else ["the posting lists are not those of the chunks"]


def _wrong_keywords(db: apsw.Connection, names: set[str]) -> list[str]:
    if "chunks_fts" not in names or schema.fts5_error(db) is not None:
        return []
    try:
        with transaction(db):
            run(db, "INSERT INTO chunks_fts(chunks_fts) VALUES ('integrity-check')")
    except (apsw.CorruptError, apsw.SQLError) as error:
        return [f"the keyword index is damaged ({error})"]
    except apsw.ReadOnlyError:
        return []
    return []


def _wrong_vectors(db: apsw.Connection) -> list[str]:
    """Vectors are stored with length one; whatever overwrites a part of one changes that."""
    fingerprint = tables.read_fingerprint(db)
    if fingerprint is None or fingerprint.dims is None:
        return []
    try:
        keys, rows = vectors.read_all(db, fingerprint.dims)
    except ValueError as error:
        return [f"the vectors cannot be read ({error})"]
    chunks = one(db, "SELECT count(*) FROM chunks WHERE embedding IS NOT NULL")
    found = []
    if len(keys) != chunks:
        found.append(f"there are {len(keys)} vectors for {chunks} chunks")
    wrong = len(keys) - int(vectors.is_sound(rows).sum())
    return [*found, f"{wrong} vectors are damaged"] if wrong else found


def note_boot(db: apsw.Connection) -> None:
    """Write down in which run of the machine the index is written."""
    boot = boot_id()
    if tables.read_meta(db, _BOOT) != boot:
        with transaction(db):
            tables.write_meta(db, _BOOT, boot)


def machine_died(db: apsw.Connection, path: Path) -> bool:
    """Whether the machine went down while the index was being written.

    A killed process leaves a log behind, but whole pages; a power failure can leave anything.
    """
    log = path.with_name(path.name + "-wal")
    with contextlib.suppress(OSError):
        if log.stat().st_size:
            written = tables.read_meta(db, _BOOT)
            return written is not None and written != boot_id()
    return False


def boot_id() -> str:
    """Names this run of the machine; empty where it cannot be told."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    if sys.platform == "darwin":
        import subprocess

        with contextlib.suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(
                ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"],
                capture_output=True,
                text=True,
                check=True,
                timeout=2,
            ).stdout.strip()
    return ""
