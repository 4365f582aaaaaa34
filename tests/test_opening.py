"""Settings reach the embedders as plain values."""

from __future__ import annotations

import json
from pathlib import Path

from memdown.config import load_settings
from memdown.opening import embedder_setup


def test_keys_addresses_and_headers_come_from_the_file(tmp_path: Path) -> None:
    config = tmp_path / "openclaw.json"
    section = {
        "apiKey": "g-key",
        "baseUrl": "https://proxy.example/v1beta",
        "headers": {"x-a": "1"},
    }
    search = {
        "provider": "gemini",
        "fallback": "bundled",
        "model": "gemini-embedding-001",
        "remote": {"headers": {"X-A": "2"}, "batch": {"wait": False, "timeoutMinutes": 5}},
        "local": {"modelPath": "~/model.gguf"},
    }
    config.write_text(
        json.dumps(
            {
                "models": {"providers": {"google": section}},
                "agents": {"defaults": {"memorySearch": search}},
            }
        )
    )
    environ = {"MEMDOWN_STATE_DIR": str(tmp_path), "HOME": "/home/someone"}
    settings = load_settings(config=config, workspace=tmp_path, environ=environ)
    setup = embedder_setup(settings, environ)
    endpoint = setup.endpoint("gemini")
    assert (endpoint.base_url, endpoint.api_key) == ("https://proxy.example/v1beta", "g-key")
    assert list(endpoint.headers.values()) == ["2"]
    assert (setup.provider, setup.fallback) == ("gemini", "bundled")
    assert setup.model_path == "/home/someone/model.gguf"
    jobs = setup.options.jobs
    assert (jobs.wait, jobs.timeout_seconds, jobs.folder) == (
        False,
        300,
        tmp_path / "jobs" / "main",
    )
    assert "g-key" not in repr(setup)


def test_jobs_need_the_cache(tmp_path: Path) -> None:
    config = tmp_path / "memdown.json5"
    search = {"cache": {"enabled": False}}
    config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": search}}}))
    settings = load_settings(config=config, environ={"MEMDOWN_STATE_DIR": str(tmp_path)})
    assert not embedder_setup(settings, {}).options.jobs.enabled
