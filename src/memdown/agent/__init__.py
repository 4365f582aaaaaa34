"""What an agent needs: memory tools, prompt section, session start, recall, memory flush."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdown.agent.citations import show_citations
    from memdown.agent.flush import Decision, FlushState, should_flush, workspace_access
    from memdown.agent.flushing import FlushResult, run_flush
    from memdown.agent.formats import (
        anthropic_tools,
        mcp_tools,
        openai_responses_tools,
        openai_tools,
    )
    from memdown.agent.prompt import prompt_section
    from memdown.agent.recalling import recall, recall_text
    from memdown.agent.running import ToolResult, run_tool
    from memdown.agent.session_start import session_context
    from memdown.agent.silence import NO_REPLY, ReplyGate, spoken, spoken_deltas
    from memdown.agent.tools import (
        TOOLS,
        ToolDefinition,
        memory_get,
        memory_remember,
        memory_search,
        tools_for,
    )
    from memdown.agent.turns import Message, ModelCall, Reply, ToolCall, Turn, Usage, run_turn

__all__ = [
    "NO_REPLY",
    "TOOLS",
    "Decision",
    "FlushResult",
    "FlushState",
    "Message",
    "ModelCall",
    "Reply",
    "ReplyGate",
    "ToolCall",
    "ToolDefinition",
    "ToolResult",
    "Turn",
    "Usage",
    "anthropic_tools",
    "mcp_tools",
    "memory_get",
    "memory_remember",
    "memory_search",
    "openai_responses_tools",
    "openai_tools",
    "prompt_section",
    "recall",
    "recall_text",
    "run_flush",
    "run_tool",
    "run_turn",
    "session_context",
    "should_flush",
    "show_citations",
    "spoken",
    "spoken_deltas",
    "tools_for",
    "workspace_access",
]

_PLACES = {
    "show_citations": "citations",
    "Decision": "flush",
    "FlushState": "flush",
    "should_flush": "flush",
    "workspace_access": "flush",
    "FlushResult": "flushing",
    "run_flush": "flushing",
    "anthropic_tools": "formats",
    "mcp_tools": "formats",
    "openai_responses_tools": "formats",
    "openai_tools": "formats",
    "prompt_section": "prompt",
    "recall": "recalling",
    "recall_text": "recalling",
    "ToolResult": "running",
    "run_tool": "running",
    "session_context": "session_start",
    "NO_REPLY": "silence",
    "ReplyGate": "silence",
    "spoken": "silence",
    "spoken_deltas": "silence",
    "TOOLS": "tools",
    "ToolDefinition": "tools",
    "memory_get": "tools",
    "memory_remember": "tools",
    "memory_search": "tools",
    "tools_for": "tools",
    "Message": "turns",
    "ModelCall": "turns",
    "Reply": "turns",
    "ToolCall": "turns",
    "Turn": "turns",
    "Usage": "turns",
    "run_turn": "turns",
}


def __getattr__(name: str) -> object:
    """Load a part when it is first used: a search from the command line needs one of them."""
    if name in _PLACES:
        return getattr(import_module(f"memdown.agent.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
