"""Memory for Pydantic AI (pip install 'pydantic-ai-slim[openai]')."""

import os
import sys
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel

from memdown import Memory
from memdown.agent import ToolDefinition, prompt_section, run_tool, tools_for


def pydantic_tool(memory: Memory, tool: ToolDefinition) -> Tool:
    """One of Memdown's tools as Pydantic AI wants it."""

    def call(**arguments: Any) -> str:
        return run_tool(memory, tool.name, arguments).text

    return Tool.from_schema(
        call,
        name=tool.name,
        description=tool.description,
        json_schema=dict(tool.parameters),
    )


with Memory.open(os.environ.get("WORKSPACE")) as memory:
    tools = tools_for(memory)
    agent = Agent(
        OpenAIChatModel(os.environ.get("MODEL", "gpt-5-mini")),
        instructions=prompt_section([tool.name for tool in tools]),
        tools=[pydantic_tool(memory, tool) for tool in tools],
    )
    print(agent.run_sync(sys.argv[1]).output)
