"""Memory for a model behind any OpenAI-compatible endpoint, with nothing but HTTP.

Set OPENAI_BASE_URL, OPENAI_API_KEY and MODEL, then: python plain_http.py "Which router do we use?"
"""

import os
import sys

import httpx

from memdown import Memory
from memdown.agent import openai_tools, prompt_section, run_tool, session_context, tools_for

base_url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
question = sys.argv[1]

with Memory.open(os.environ.get("WORKSPACE")) as memory:
    tools = tools_for(memory)
    system = prompt_section([tool.name for tool in tools]) + "\n\n" + session_context(memory)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    while True:
        body = {
            "model": os.environ.get("MODEL", "gpt-5-mini"),
            "messages": messages,
            "tools": openai_tools(tools),
        }
        answer = httpx.post(f"{base_url}/chat/completions", headers=headers, json=body, timeout=60)
        message = answer.raise_for_status().json()["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            result = run_tool(memory, call["function"]["name"], call["function"]["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result.text})

print(message["content"])
