"""A model that follows a script: each call takes the next step and records what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from memdown.agent import Message, Reply, ToolCall, ToolDefinition
from memdown.agent.turns import OnText

Step = Reply | Exception | Callable[[Sequence[Message]], Reply]


class ScriptedModel:
    """Plays the steps one after the other; the last one again when there are no more."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.asked: list[list[Message]] = []
        self.tools: list[list[str]] = []

    def __call__(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        on_text: OnText | None = None,
    ) -> Reply:
        self.asked.append(list(messages))
        self.tools.append([tool.name for tool in tools])
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, Exception):
            raise step
        reply = step if isinstance(step, Reply) else step(messages)
        if on_text:
            for character in reply.text:
                on_text(character)
        return reply


def saving(*texts: str, durable: bool = False) -> Reply:
    """A reply that saves notes."""
    return Reply(
        "",
        tuple(
            ToolCall(
                f"call-{number}",
                "memory_remember",
                json.dumps({"text": text, "durable": durable}, ensure_ascii=False),
            )
            for number, text in enumerate(texts)
        ),
    )
