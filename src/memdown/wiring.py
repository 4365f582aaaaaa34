"""Settings → the plain values that embedders are made from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from typing import TYPE_CHECKING

from memdown import usage, workspace
from memdown.config import ProviderSettings, RemoteSettings, Settings
from memdown.conversations import sessions_folder
from memdown.embedders import Given, JobOptions, Options, Sent, Setup

if TYPE_CHECKING:
    from memdown.backends.qmd import Sidecar


def embedder_setup(settings: Settings, environ: Mapping[str, str] | None = None) -> Setup:
    """What the settings and the environment say about embedders."""
    batch = settings.remote.batch
    log = usage_log(settings)

    def note(sent: Sent) -> None:
        counts = usage.noted_today(
            sent.provider,
            sent.host,
            requests=1,
            texts=sent.texts,
            characters=sent.characters,
            tokens=sent.tokens,
        )
        usage.note(log, counts)

    jobs = JobOptions(
        # Results are handed over in the cache: without one there is no way to collect them.
        enabled=batch.enabled and settings.cache.enabled,
        wait=batch.wait,
        concurrency=batch.concurrency,
        poll_seconds=batch.poll_interval_ms / 1000,
        timeout_seconds=batch.timeout_minutes * 60,
        folder=settings.state_dir / "jobs" / settings.agent,
    )
    return Setup(
        provider=settings.provider,
        fallback=settings.fallback,
        model=settings.model,
        remote=_given(settings.remote),
        sections={name: _given(section) for name, section in settings.providers.items()},
        environ=os.environ if environ is None else environ,
        model_path=settings.local.model_path,
        model_cache_dir=settings.local.model_cache_dir or str(settings.state_dir / "models"),
        options=Options(jobs=jobs, on_sent=note),
    )


def open_sidecar(settings: Settings, notes: workspace.Workspace) -> Sidecar | None:
    """The `qmd` command that answers in place of the index, if the settings ask for it."""
    if settings.backend != "qmd":
        return None
    from memdown.backends.qmd import Sidecar

    def facts() -> str:
        files = workspace.scan(notes).files.values()
        talks = sessions_folder(settings.state_dir, settings.agent)
        changed = talks.stat().st_mtime_ns if settings.qmd.sessions.enabled and talks.is_dir() else 0
        told = sorted((file.path, file.size, file.mtime_ns) for file in files)
        return hashlib.sha256(repr((changed, told)).encode()).hexdigest()

    home = settings.state_dir / "agents" / settings.agent / "qmd"
    talks = sessions_folder(settings.state_dir, settings.agent)
    return Sidecar(settings.qmd, home, notes.folder, talks, facts)


def usage_log(settings: Settings) -> Path:
    """Where it is written down what was sent to providers."""
    return settings.state_dir / "usage.jsonl"


def _given(settings: RemoteSettings | ProviderSettings) -> Given:
    return Given(
        base_url=settings.base_url,
        api_key=settings.api_key.reveal() if settings.api_key else None,
        headers={name: value.reveal() for name, value in settings.headers.items()},
    )
