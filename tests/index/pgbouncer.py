"""Where PgBouncer is, through which PostgreSQL is tried as well."""

from __future__ import annotations

import os
import shutil

MISSING = (
    "PostgreSQL was not tried through a pooler: there is no PgBouncer. Install it (apt install "
    "pgbouncer)."
)


def find_pgbouncer() -> str | None:
    """The program; Debian puts it where only root looks."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
