"""Who is asked to tidy the notes: a command of the user's, or a model at an endpoint."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memdown.errors import ConfigError

if TYPE_CHECKING:
    from memdown.config import Settings

_MOST_TOKENS = 8192


def asker(
    settings: Settings,
    *,
    command: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Callable[[str], str]:
    """A function that gives a model's answer to a prompt; what is named here wins over `memory.tidy`."""
    tidy = settings.tidy
    if command and model:
        raise ConfigError("A command and a model are both named; name one of them.")
    if not command and not model:
        command, model = tidy.command, tidy.model
    seconds = tidy.timeout_ms / 1000
    if command:
        from memdown.facts.tidying import ask_command

        named = command
        return lambda prompt: ask_command(named, prompt, seconds=seconds)
    if not model:
        raise ConfigError(
            "There is no model to tidy with; name a command (--with claude), or set memory.tidy.command, "
            "or memory.tidy.model for an endpoint."
        )
    from memdown.agent.chat.endpoint import ask_once, endpoint_for

    endpoint = endpoint_for(settings, tidy.provider, model, base_url or tidy.base_url, environ)
    endpoint = replace(endpoint, max_output_tokens=_MOST_TOKENS)
    return lambda prompt: ask_once(endpoint, prompt, seconds)


def tidies_after(event: str, settings: Settings) -> bool:
    """Whether the notes are tidied in the background after this event of a session."""
    tidy = settings.tidy
    if event != "session-end" or not tidy.after_session:
        return False
    from memdown.facts.tidying import ASKING

    return (
        bool(tidy.command or tidy.model)
        and settings.access == "rw"
        and settings.memory_slot != "none"
        and not os.environ.get(ASKING)
    )
