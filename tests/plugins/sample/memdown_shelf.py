"""A sample store: an index for every agent, on a shelf that its config names.

It keeps its rows in SQLite, so that the sample is short; a store may keep them anywhere.
"""

from pathlib import Path

from memdown.index.sqlite import create as open_sqlite


def create(*, agent, config, cache_entries, **_):
    shelf = Path(config["shelf"])
    return open_sqlite(shelf / f"{agent}.sqlite", cache_entries=cache_entries)
