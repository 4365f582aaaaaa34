"""Files made for OpenClaw work unchanged. The examples are those its documents describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.config_case import load

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
