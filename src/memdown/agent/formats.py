"""The tools in the shapes that model providers and MCP ask for, all from one definition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memdown.agent.tools import ToolDefinition


def openai_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of OpenAI's chat completions, and of everything compatible with them."""
    return [{"type": "function", "function": _function(tool)} for tool in tools]


def openai_responses_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of OpenAI's responses API."""
    return [{"type": "function", **_function(tool), "strict": False} for tool in tools]


def anthropic_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For `tools` of Anthropic's messages API."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": dict(tool.parameters),
        }
        for tool in tools
    ]


def mcp_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    """For the result of MCP's `tools/list`, with hints on what a call may do."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": dict(tool.parameters),
            "annotations": {
                "readOnlyHint": not tool.writes,
                "destructiveHint": tool.deletes,
                "idempotentHint": not tool.writes,
                "openWorldHint": False,
            },
        }
        for tool in tools
    ]


def _function(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
