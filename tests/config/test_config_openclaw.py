"""Files made for OpenClaw work unchanged. The examples are those its documents describe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from config.config_case import load
from memdown.config import load_settings
from memdown.config.keys import as_json
from memdown.errors import ConfigError
from memdown.opening import embedder_setup

EXAMPLES = {
    "flush": """{
      agents: { defaults: { compaction: {
        reserveTokensFloor: 15000,
        memoryFlush: {
          enabled: true,
          softThresholdTokens: 3000,
          systemPrompt: "Compaction is near. Keep what lasts.",
          prompt: "Write to memory/YYYY-MM-DD.md, else NO_REPLY.",
        },
      } } },
    }""",
    "extra paths": """{ agents: { defaults: { memorySearch: {
      extraPaths: ["../team-docs", "/srv/shared-notes/overview.md"]
    } } } }""",
    "gemini": """{ agents: { defaults: { memorySearch: {
      provider: "gemini",
      model: "gemini-embedding-001",
      remote: { apiKey: "YOUR_GEMINI_API_KEY" }
    } } } }""",
    "compatible endpoint": """{ agents: { defaults: { memorySearch: {
      provider: "openai",
      model: "text-embedding-3-small",
      remote: {
        baseUrl: "https://api.example.com/v1/",
        apiKey: "YOUR_REMOTE_API_KEY",
        headers: { "X-Organization": "org-id", "X-Project": "project-id" }
      }
    } } } }""",
    "batch": """{ agents: { defaults: { memorySearch: {
      provider: "openai",
      model: "text-embedding-3-small",
      fallback: "openai",
      remote: { batch: { enabled: true, concurrency: 2 } },
      sync: { watch: true }
    } } } }""",
    "hybrid": """{ agents: { defaults: { memorySearch: { query: { hybrid: {
      enabled: true,
      vectorWeight: 0.7,
      textWeight: 0.3,
      candidateMultiplier: 4,
      mmr: { enabled: true, lambda: 0.7 },
      temporalDecay: { enabled: true, halfLifeDays: 30 }
    } } } } } }""",
    "cache": """{ agents: { defaults: { memorySearch: {
      cache: { enabled: true, maxEntries: 50000 }
    } } } }""",
    "sessions": """{ agents: { defaults: { memorySearch: {
      experimental: { sessionMemory: true },
      sources: ["memory", "sessions"],
      sync: { sessions: {
        deltaBytes: 100000,   // ~100 KB
        deltaMessages: 50     // JSONL lines
      } }
    } } } }""",
    "vector extension": """{ agents: { defaults: { memorySearch: {
      store: { vector: { enabled: true, extensionPath: "/path/to/sqlite-vec" } }
    } } } }""",
    "local": """{ agents: { defaults: { memorySearch: {
      provider: "local",
      fallback: "none",
      local: { modelPath: "hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf" },
      store: { driver: "sqlite", path: "~/.openclaw/memory/{agentId}.sqlite" },
    } } } }""",
    "qmd": """{ memory: {
      backend: "qmd",
      citations: "auto",
      qmd: {
        includeDefaultMemory: true,
        update: { interval: "5m", debounceMs: 15000 },
        limits: { maxResults: 6, timeoutMs: 4000 },
        scope: {
          default: "deny",
          rules: [{ action: "allow", match: { chatType: "direct" } }]
        },
        paths: [ { name: "docs", path: "~/notes", pattern: "**/*.md" } ]
      }
    } }""",
    "no plugin": """{ plugins: { slots: { memory: "none" } } }""",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_taken_as_written(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, EXAMPLES[name]).notes == ()


def test_values_of_the_examples(tmp_path: Path) -> None:
    flush = load(tmp_path, EXAMPLES["flush"]).compaction
    assert (flush.reserve_tokens_floor, flush.memory_flush.soft_threshold_tokens) == (15000, 3000)
    assert flush.memory_flush.prompt.endswith("else NO_REPLY.")
    paths = load(tmp_path, EXAMPLES["extra paths"]).extra_paths
    assert paths == ("../team-docs", "/srv/shared-notes/overview.md")
    endpoint = load(tmp_path, EXAMPLES["compatible endpoint"])
    assert endpoint.remote.base_url == "https://api.example.com/v1/"
    assert endpoint.remote.headers["X-Project"].reveal() == "project-id"
    hybrid = load(tmp_path, EXAMPLES["hybrid"]).query.hybrid
    assert (hybrid.vector_weight, hybrid.text_weight) == pytest.approx((0.7, 0.3))
    assert hybrid.mmr.enabled
    assert load(tmp_path, EXAMPLES["sessions"]).sources == ("memory", "sessions")
    store = load(tmp_path, EXAMPLES["local"], agent="work").store
    assert store.path == tmp_path / "home/.openclaw/memory/work.sqlite"
    qmd = load(tmp_path, EXAMPLES["qmd"])
    assert qmd.backend == "qmd"
    assert qmd.qmd.paths[0].name == "docs"
    assert load(tmp_path, EXAMPLES["no plugin"]).memory_slot == "none"


WHOLE = """
// A file with everything a user of OpenClaw may have around our sections.
{
  $schema: "https://example.com/schema.json",
  meta: { lastTouchedVersion: "2026.2.9" },
  env: { vars: { A: "b" } },
  auth: { profiles: { "openai:default": { provider: "openai", mode: "api_key" } } },
  agents: {
    defaults: {
      model: { primary: "anthropic/claude", fallbacks: ["openai/gpt"] },
      models: { "anthropic/claude": { alias: "c" } },
      workspace: "~/.openclaw/workspace",
      contextPruning: { mode: "cache-ttl", ttl: "1h" },
      compaction: {
        mode: "safeguard",
        reserveTokens: 5000,
        reserveTokensFloor: 24000,
        maxHistoryShare: 0.5,
        memoryFlush: { enabled: false, model: "openai/mini", forceFlushTranscriptBytes: "2mb" },
      },
      heartbeat: { every: "30m" },
      sandbox: { mode: "off", workspaceAccess: "rw" },
      memorySearch: {
        provider: "openai",
        outputDimensionality: 512,
        multimodal: { enabled: false },
        remote: { apiKey: "${OPENAI_API_KEY}", nonBatchConcurrency: 2, batch: { wait: false } },
        store: { fts: { tokenizer: "trigram" }, vector: { enabled: false } },
        sync: { sessions: { postCompactionForce: true, deltaMessages: 10 } },
        query: { maxResults: 8 },
      },
    },
    list: [
      { id: "main", default: true, name: "Main", identity: { emoji: "x" }, tools: {} },
      { id: "home", workspace: "~/home-agent", memorySearch: { enabled: false } },
    ],
  },
  bindings: [{ agentId: "home", match: { channel: "telegram" } }],
  channels: { telegram: { enabled: true, botToken: "${TELEGRAM}" } },
  gateway: { port: 18789, auth: { token: "${GATEWAY}" } },
  tools: { allow: ["memory_search"] },
  session: { dmScope: "main" },
  memory: { citations: "off", isolation: { enabled: false }, qmd: { mcporter: { enabled: false } } },
  models: {
    mode: "merge",
    providers: {
      openai: {
        apiKey: "${OPENAI_API_KEY}", baseUrl: "https://api.openai.com/v1",
        api: "openai-responses", models: [{ id: "gpt" }],
      },
      anthropic: { apiKey: "${ANTHROPIC_API_KEY}" },
    },
  },
  plugins: { entries: { "memory-core": { enabled: true } }, slots: { memory: "memory-core" } },
}
"""


def test_a_whole_file_works_unchanged(tmp_path: Path) -> None:
    settings = load(tmp_path, WHOLE, OPENAI_API_KEY="k")
    assert settings.workspace == tmp_path / "home/.openclaw/workspace"
    assert settings.compaction.reserve_tokens_floor == 24_000
    assert settings.compaction.memory_flush.enabled is False
    assert settings.store.vector.enabled is False
    assert settings.sync.sessions.delta_messages == 10
    assert settings.remote.batch.wait is False
    assert settings.query.max_results == 8
    assert settings.citations == "off"
    assert settings.providers.keys() == {"openai"}
    assert settings.providers["openai"].base_url == "https://api.openai.com/v1"
    ignored = [note for note in settings.notes if note.endswith("that Memdown does not use.")]
    assert len(ignored) == len(settings.notes) == 8


def test_another_agent_of_the_same_file(tmp_path: Path) -> None:
    settings = load(tmp_path, WHOLE, agent="home", OPENAI_API_KEY="k")
    assert settings.enabled is False
    assert settings.query.max_results == 8
    assert settings.workspace == tmp_path / "home/home-agent"


def test_its_default_workspace_is_found(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    (home / "workspace").mkdir(parents=True)
    (home / "workspace-work").mkdir()
    file = home / "openclaw.json"
    file.write_text("{}")
    environ = {"HOME": str(tmp_path)}

    def workspace(agent: str) -> Path:
        return load_settings(config=file, agent=agent, cwd=tmp_path, environ=environ).workspace

    assert workspace("main") == home / "workspace"
    assert workspace("work") == home / "workspace-work"
    assert workspace("other") == home / "workspace"


def profiles(folder: Path, content: object, agent: str = "main") -> None:
    file = folder / "agents" / agent / "agent" / "auth-profiles.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def test_keys_in_auth_profiles_are_used_after_remote_and_before_all_others(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    kept = {
        "openai:default": {"type": "api_key", "provider": "openai", "key": "from-profile"},
        "openai:other": {"type": "api_key", "provider": "openai", "key": "other"},
        "google:default": {
            "type": "api_key",
            "provider": "google",
            "keyRef": {"source": "env", "provider": "default", "id": "OWN_GEMINI"},
        },
        "voyage:default": {"type": "oauth", "provider": "voyage", "access": "no-key"},
    }
    profiles(home, {"version": 1, "profiles": kept})
    file = home / "openclaw.json"
    file.write_text('{models: {providers: {openai: {apiKey: "from-section"}}}}')
    environ = {"HOME": str(tmp_path), "OWN_GEMINI": "by-variable", "OPENAI_API_KEY": "variable"}

    def key(provider: str) -> str | None:
        settings = load_settings(config=file, cwd=tmp_path, environ=environ)
        return embedder_setup(settings, environ).endpoint(provider).api_key

    assert (key("openai"), key("gemini"), key("voyage")) == ("from-profile", "by-variable", None)
    profiles(home, {"profiles": kept, "order": {"openai": ["openai:other"]}})
    assert key("openai") == "other"
    settings = load_settings(config=file, cwd=tmp_path, environ=environ)
    assert "from-profile" not in repr(settings) + json.dumps(as_json(settings))
    file.write_text('{agents: {defaults: {memorySearch: {remote: {apiKey: "mine"}}}}}')
    assert key("openai") == "mine"


def test_a_key_in_a_profile_goes_to_no_other_host(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    profiles(home, {"profiles": {"openai:default": {"type": "api_key", "key": "secret"}}})
    file = home / "openclaw.json"
    file.write_text(
        '{agents: {defaults: {memorySearch: {remote: {baseUrl: "https://example.org/v1"}}}}}'
    )
    settings = load_settings(config=file, cwd=tmp_path, environ={"HOME": str(tmp_path)})
    endpoint = embedder_setup(settings, {}).endpoint("openai")
    assert (endpoint.api_key, endpoint.withheld) == (None, "the auth profile of openai")


def test_damaged_profiles_are_named(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    profiles(home, ["nothing"])
    (home / "openclaw.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"auth-profiles\.json: the auth profiles are no JSON"):
        load_settings(config=home / "openclaw.json", cwd=tmp_path, environ={"HOME": str(tmp_path)})
