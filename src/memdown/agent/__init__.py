"""What an agent needs: the two memory tools, the prompt section, citations."""

from memdown.agent.citations import show_citations
from memdown.agent.prompt import prompt_section
from memdown.agent.tools import TOOLS, ToolDefinition, memory_get, memory_search, tools_for

__all__ = [
    "TOOLS",
    "ToolDefinition",
    "memory_get",
    "memory_search",
    "prompt_section",
    "show_citations",
    "tools_for",
]
