"""`memdown chat`: a terminal chat with a model that remembers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memdown.cli.options import Target, target_options
from memdown.errors import MemdownError

if TYPE_CHECKING:
    from memdown.agent.chat.agent import ChatAgent
    from memdown.agent.chat.wires import Kind
    from memdown.memory import Memory

_HELP = """\
/new            begin a new session
/status         tokens, compactions, the session's id
/memory         what is indexed
/memory QUERY   search the notes yourself
/quit           leave (so does Ctrl-D)"""


@click.command("chat")
@click.argument("message", required=False)
@click.option(
    "--provider",
    type=click.Choice(["openai", "anthropic"]),
    default="openai",
    show_default=True,
    help="How the endpoint speaks; most others speak like openai.",
)
@click.option("--base-url", help="Where the model is, such as http://localhost:11434/v1.")
@click.option("--model", required=True, envvar="MEMDOWN_CHAT_MODEL", help="The model's name.")
@click.option(
    "--window",
    type=click.IntRange(1000),
    default=128_000,
    show_default=True,
    help="The model's context window in tokens.",
)
@click.option("--resume", is_flag=True, help="Go on with the last session.")
@click.option("--session", "session_id", help="Go on with this session.")
@target_options
def chat_command(
    target: Target,
    message: str | None,
    provider: Kind,
    base_url: str | None,
    model: str,
    window: int,
    resume: bool,
    session_id: str | None,
) -> int:
    """Chat with a model that uses your notes, and adds to them.

    With MESSAGE, one answer is printed; otherwise a conversation begins. The key is read from
    OPENAI_API_KEY or ANTHROPIC_API_KEY, or from models.providers in the configuration.

    \b
    Examples:
      memdown chat --model gpt-5.2
      memdown chat --provider anthropic --model claude-sonnet-4-5
      memdown chat --base-url http://localhost:11434/v1 --model qwen3 "Which router do we use?"
    """
    from memdown.agent.chat.agent import ChatAgent
    from memdown.agent.chat.endpoint import connect, endpoint_for
    from memdown.agent.chat.saved import latest_session

    settings = target.settings(here=False)
    endpoint = endpoint_for(settings, provider, model, base_url)
    chosen = session_id or (latest_session(settings) if resume else None)
    with target.open(here=False) as memory:
        agent = ChatAgent(
            memory,
            connect(endpoint),
            context_window=window,
            session_id=chosen,
            notify=_notice,
            flush_model=connect(endpoint, attempts=1),
        )
        if message is not None:
            return 0 if _say(agent, message) else 1
        agent.follow_notes()
        try:
            _converse(agent, memory, model)
        finally:
            agent.close()
    return 0


def _converse(agent: ChatAgent, memory: Memory, model: str) -> None:
    click.echo(f"Chat with {model}; /help shows the commands.", err=True)
    for line in _lines():
        text = line.strip()
        if not text:
            continue
        if text in ("/quit", "/exit"):
            return
        try:
            if text.startswith("/"):
                _command(agent, memory, text)
            else:
                _say(agent, text)
        except MemdownError as error:
            _notice(str(error))


def _lines() -> Iterator[str]:
    """What the user types, until the end of input."""
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line


def _say(agent: ChatAgent, text: str) -> bool:
    try:
        agent.send(text, lambda delta: click.echo(delta, nl=False))
    except MemdownError as error:
        click.echo()
        _notice(str(error))
        return False
    except KeyboardInterrupt:
        click.echo()
        _notice("stopped; go on, or leave with /quit.")
        return False
    click.echo()
    return True


def _command(agent: ChatAgent, memory: Memory, text: str) -> None:
    name, _, rest = text.partition(" ")
    if name == "/new":
        click.echo(f"New session {agent.new()}.")
    elif name == "/status":
        for label, value in _status_rows(agent):
            click.echo(f"{label + ':':<13}{value}")
    elif name == "/memory" and rest.strip():
        from memdown.agent.answers import show_citations
        from memdown.cli.hits import print_answer

        settings = memory.settings
        citations = show_citations(settings.citations, settings.chat.kind)
        print_answer(memory.search(rest.strip()), citations=citations)
    elif name == "/memory":
        from memdown.cli.index import print_status

        print_status(memory.status())
    else:
        click.echo(_HELP)


def _status_rows(agent: ChatAgent) -> list[tuple[str, Any]]:
    import datetime

    status = agent.status()
    flushed = "not yet"
    if status.flushed_at:
        moment = datetime.datetime.fromtimestamp(status.flushed_at / 1000)  # noqa: DTZ006
        flushed = moment.strftime("%Y-%m-%d %H:%M")
    return [
        ("Session", status.session_id),
        ("Context", f"about {status.context_tokens} of {status.context_window} tokens"),
        ("Used", f"{status.input_tokens} tokens read, {status.output_tokens} written"),
        ("Compacted", f"{status.compactions} times"),
        ("Memories", f"last saved before compaction: {flushed}"),
    ]


def _notice(text: str) -> None:
    click.echo(f"memdown: {text}", err=True)
