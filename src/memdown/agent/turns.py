"""One turn of an agent: the model answers, calls tools, and answers again until it is done.

`NO_REPLY` is what a model says when the user should hear nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memdown.agent.answers import ToolResult, failed
from memdown.agent.definitions import ToolDefinition

Role = Literal["system", "user", "assistant", "tool"]
OnText = Callable[[str], None]
RunTool = Callable[[str, Mapping[str, object] | str], ToolResult]

MAX_ROUNDS = 12
NO_REPLY = "NO_REPLY"
_SAME_CALL_LIMIT = 2


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be run; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost; `input_tokens` is everything the model read, cached or not."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, in no provider's format.

    `name` is the tool whose result it is. `usage` and `thinking` tell how an answer came about: they are
    kept, and no model gets them again.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    name: str = ""
    usage: Usage | None = None
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model call returns; `thinking` is what it thought before, if the endpoint tells."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    thinking: str = ""


class ModelCall(Protocol):
    """Asks a model once; text goes to `on_text` as it arrives."""

    def __call__(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        on_text: OnText | None = None,
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn added to the conversation, its last text, and the usage of its last call."""

    messages: tuple[Message, ...]
    text: str
    usage: Usage | None


class _Apart:
    """Passes streamed text on; what comes after a tool was called begins a new paragraph."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._spoke = self._due = False

    def next_round(self) -> OnText:
        self._due = self._spoke
        return self._pass_on

    def _pass_on(self, text: str) -> None:
        if self._on_text is None:
            return
        if self._due and text:
            self._on_text("\n\n")
            self._due = False
        self._spoke = self._spoke or bool(text)
        self._on_text(text)


def run_turn(
    model: ModelCall,
    messages: Sequence[Message],
    tools: Sequence[ToolDefinition],
    run_tool: RunTool,
    *,
    on_text: OnText | None = None,
    on_message: Callable[[Message], None] | None = None,
    max_rounds: int = MAX_ROUNDS,
) -> Turn:
    """Let the model answer, running the tools it calls, for at most `max_rounds` rounds.

    A model that goes in circles is told so; when the rounds are used up it is asked once more,
    without tools, so that there is always an answer. `on_message` sees every new message at once.
    """
    added: list[Message] = []
    seen: dict[tuple[str, str], int] = {}
    apart = _Apart(on_text)

    def add(message: Message) -> None:
        added.append(message)
        if on_message:
            on_message(message)

    for number in range(max_rounds + 1):
        last = number == max_rounds
        reply = model([*messages, *added], () if last else tools, on_text and apart.next_round())
        calls = () if last else reply.calls
        add(Message("assistant", reply.text, calls, usage=reply.usage, thinking=reply.thinking))
        if not calls:
            break
        for call in calls:
            again = seen[call.name, call.arguments] = seen.get((call.name, call.arguments), 0) + 1
            result = (
                failed("You made this same call before and have its result; go on with that.")
                if again > _SAME_CALL_LIMIT
                else run_tool(call.name, call.arguments)
            )
            add(Message("tool", result.text, call_id=call.id, name=call.name))
    return Turn(tuple(added), added[-1].text, reply.usage)


def spoken(text: str) -> str:
    """The text to deliver: nothing if it starts with NO_REPLY."""
    return "".join(spoken_deltas([text]))


def spoken_deltas(deltas: Iterable[str]) -> Iterator[str]:
    """Pass streamed text on, unless it turns out to start with NO_REPLY.

    Text is held back only as long as it may still become NO_REPLY, however it is cut up.
    """
    gate = ReplyGate()
    for delta in deltas:
        if ready := gate.push(delta):
            yield ready
    if rest := gate.finish():
        yield rest


class ReplyGate:
    """Holds the beginning of a streamed reply until it is clear whether it may be heard."""

    __slots__ = ("_held", "_open", "silent")

    def __init__(self) -> None:
        self.silent = False
        self._open = False
        self._held = ""

    def push(self, delta: str) -> str:
        """Take some more text; what may be delivered now."""
        if self._open:
            return delta
        if self.silent:
            return ""
        self._held += delta
        beginning = self._held.lstrip().upper()
        if beginning.startswith(NO_REPLY):
            self.silent = True
            return ""
        if NO_REPLY.startswith(beginning):
            return ""
        self._open = True
        return self._held

    def finish(self) -> str:
        """The reply is over; what was held back and may be delivered after all."""
        if self._open or self.silent:
            return ""
        return self._held if self._held.strip() else ""
