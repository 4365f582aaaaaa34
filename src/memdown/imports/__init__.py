"""Bringing in what people have: Claude Code, Codex, ChatGPT, OpenClaw, mem0, any Markdown.

`find` lists what a source holds, `plan` compares it with what is there, `apply` copies it.
"""

from memdown.imports.finding import SOURCES, find
from memdown.imports.items import ImportItem, SourceContents
from memdown.imports.openclaw import MovingIn
from memdown.imports.writing import Destination, ImportPlan, Step, apply, plan

__all__ = [
    "SOURCES",
    "Destination",
    "ImportItem",
    "ImportPlan",
    "MovingIn",
    "SourceContents",
    "Step",
    "apply",
    "find",
    "plan",
]
