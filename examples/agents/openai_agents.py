"""Memory for the OpenAI Agents SDK (pip install openai-agents)."""

import asyncio
import os
import sys
from typing import Any

from agents import Agent, FunctionTool, Runner, set_default_openai_api, set_tracing_disabled
from memdown import Memory
from memdown.agent import ToolDefinition, prompt_section, run_tool, tools_for

set_tracing_disabled(True)
# Only for endpoints that do not speak OpenAI's responses API.
set_default_openai_api("chat_completions")


def agents_tool(memory: Memory, tool: ToolDefinition) -> FunctionTool:
    """One of Memdown's tools as the SDK wants it."""

    async def call(_context: Any, arguments: str) -> str:
        return (await asyncio.to_thread(run_tool, memory, tool.name, arguments)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.parameters),
        on_invoke_tool=call,
        strict_json_schema=False,
    )


with Memory.open(os.environ.get("WORKSPACE")) as memory:
    tools = tools_for(memory)
    agent = Agent(
        name="Assistant",
        instructions=prompt_section([tool.name for tool in tools]),
        tools=[agents_tool(memory, tool) for tool in tools],
        model=os.environ.get("MODEL", "gpt-5-mini"),
    )
    print(Runner.run_sync(agent, sys.argv[1]).final_output)
