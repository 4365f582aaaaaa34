"""The external `qmd` command as a search engine, with an index of its own per agent."""

from memdown.backends.qmd.searcher import QmdSearcher
from memdown.backends.qmd.sidecar import Sidecar

__all__ = ["QmdSearcher", "Sidecar"]
