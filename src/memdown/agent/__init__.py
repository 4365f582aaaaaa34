"""What an agent needs: memory tools, prompt section, session start, recall, memory flush."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdown.agent.answers import ToolResult, show_citations
    from memdown.agent.definitions import (
        TOOLS,
        ToolDefinition,
        anthropic_tools,
        mcp_tools,
        openai_responses_tools,
        openai_tools,
    )
    from memdown.agent.flush import (
        Decision,
        FlushResult,
        FlushState,
        run_flush,
        should_flush,
        workspace_access,
    )
    from memdown.agent.prompt import prompt_section, recall, recall_text
    from memdown.agent.session_start import session_context
    from memdown.agent.toolset import (
        memory_get,
        memory_remember,
        memory_search,
        run_tool,
        tools_for,
    )
    from memdown.agent.turns import (
        NO_REPLY,
        Message,
        ModelCall,
        Reply,
        ReplyGate,
        ToolCall,
        Turn,
        Usage,
        run_turn,
        spoken,
        spoken_deltas,
    )

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
    "show_citations": "answers",
    "Decision": "flush",
    "FlushState": "flush",
    "should_flush": "flush",
    "workspace_access": "flush",
    "FlushResult": "flush",
    "run_flush": "flush",
    "anthropic_tools": "definitions",
    "mcp_tools": "definitions",
    "openai_responses_tools": "definitions",
    "openai_tools": "definitions",
    "prompt_section": "prompt",
    "recall": "prompt",
    "recall_text": "prompt",
    "ToolResult": "answers",
    "run_tool": "toolset",
    "session_context": "session_start",
    "NO_REPLY": "turns",
    "ReplyGate": "turns",
    "spoken": "turns",
    "spoken_deltas": "turns",
    "TOOLS": "definitions",
    "ToolDefinition": "definitions",
    "memory_get": "toolset",
    "memory_remember": "toolset",
    "memory_search": "toolset",
    "tools_for": "toolset",
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
