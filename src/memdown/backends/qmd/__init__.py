"""The external `qmd` command as a search engine, with an index of its own per agent."""

from memdown.backends.qmd.sidecar import QmdSearcher, Sidecar

__all__ = ["QmdSearcher", "Sidecar"]
