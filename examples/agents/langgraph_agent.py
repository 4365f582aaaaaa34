"""Memory for LangGraph and LangChain (pip install langgraph langchain-openai)."""

import os
import sys

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import tools_condition

from memdown import Memory
from memdown.agent import openai_tools, prompt_section, run_tool, tools_for

with Memory.open(os.environ.get("WORKSPACE")) as memory:
    definitions = tools_for(memory)
    # LangChain takes tools in OpenAI's format as they are.
    model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-5-mini")).bind_tools(
        openai_tools(definitions)
    )

    def answer(state: MessagesState) -> dict:
        return {"messages": [model.invoke(state["messages"])]}

    def use_memory(state: MessagesState) -> dict:
        calls = state["messages"][-1].tool_calls
        results = [(call, run_tool(memory, call["name"], call["args"])) for call in calls]
        return {
            "messages": [
                ToolMessage(result.text, tool_call_id=call["id"]) for call, result in results
            ]
        }

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_node("tools", use_memory)
    graph.add_edge(START, "answer")
    graph.add_conditional_edges("answer", tools_condition)
    graph.add_edge("tools", "answer")

    system = SystemMessage(prompt_section([tool.name for tool in definitions]))
    result = graph.compile().invoke({"messages": [system, HumanMessage(sys.argv[1])]})
    print(result["messages"][-1].content)
