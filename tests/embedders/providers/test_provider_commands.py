"""The command line with providers: what it shows, and what it never shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from embedders.providers.loopback import KEY, Loopback
from embedders.providers.scene import Scene
from embedders.tiny_gguf import write_tiny_bert
from memdown.cli import run


@pytest.fixture
def scene(tmp_path: Path, server: Loopback, own_state: Path) -> Scene:
    scene = Scene(tmp_path, server, own_state)
    scene.write(MEMORY="The router ER-605 stands in the hall.\n", memory__cat="The cat sleeps.\n")
    return scene


def command(scene: Scene, *arguments: str) -> int:
    where = ["--config", str(scene.folder / "config.json5"), "-w", str(scene.workspace)]
    return run([*arguments, *where])


def test_a_variable_named_in_the_file_is_the_key(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    remote = {"baseUrl": scene.server.base("openai"), "apiKey": "${OPENAI_API_KEY}"}
    scene.config(provider="auto", remote=remote)
    assert command(scene, "search", "where does the router stand", "--json") == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert answer["provider"] == "openai"
    assert answer["results"][0]["path"] == "MEMORY.md"
    assert "Embedding 2 texts, about" in shown.err
    assert command(scene, "status") == 0
    status = capsys.readouterr().out
    host = scene.server.origin.removeprefix("http://")
    assert f"openai ({host}): 2 requests, 3 texts" in status
    assert command(scene, "status", "--json", "--deep") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["sent"][0]["provider"] == "openai"
    assert data["cache"]["entries"] == 2
    assert data["probe"]["embedder"] is True
    assert KEY not in shown.out + shown.err + status + json.dumps(data)


def test_a_key_for_openai_is_not_sent_to_another_server(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    scene.config(remote={"baseUrl": scene.server.base("openai")})
    command(scene, "search", "router")
    shown = capsys.readouterr().err
    assert "no key was sent, because the one in OPENAI_API_KEY is for another host" in shown
    assert all(KEY not in str(seen.headers) for seen in scene.server.seen)
    scene.server.key = None
    assert command(scene, "search", "router") == 0


def test_providers_shows_where_keys_are_and_never_the_keys(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-s3cret")
    scene.config()
    assert command(scene, "providers") == 0
    shown = capsys.readouterr().out
    lines = {line.lstrip("* ").split()[0]: line for line in shown.splitlines()}
    assert lines["openai"].startswith("*")
    assert "key in memorySearch.remote.apiKey, at 127.0.0.1:" in lines["openai"]
    assert lines["openai"].endswith("yes")
    assert "key in VOYAGE_API_KEY" in lines["voyage"]
    assert "no key" in lines["gemini"]
    assert "comes with the install" in lines["bundled"]
    assert "s3cret" not in shown
    assert KEY not in shown
    assert scene.server.seen == []
    assert command(scene, "providers", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["openai"]["chosen"]
    assert rows["openai"]["reachable"] is True


def test_providers_test_embeds_one_sentence(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.config()
    assert command(scene, "providers", "test") == 0
    shown = capsys.readouterr().out
    assert "openai works: text-embedding-3-small, 16 dimensions" in shown
    assert command(scene, "providers", "test", "bundled", "--json") == 0
    assert json.loads(capsys.readouterr().out)["dims"] == 256
    scene.server.misbehave("401")
    assert command(scene, "providers", "test") == 2
    assert "check the key in memorySearch.remote.apiKey" in capsys.readouterr().err
    assert command(scene, "providers", "test", "gemini") == 2
    assert "set GEMINI_API_KEY" in capsys.readouterr().err
    assert command(scene, "providers", "test", "gemni") == 2
    assert "did you mean 'gemini'" in capsys.readouterr().err


def test_switching_shows_what_it_will_cost(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.config()
    command(scene, "index")
    assert "Embedding 2 texts" in capsys.readouterr().err
    command(scene, "index")
    assert capsys.readouterr().err == ""
    scene.config(model="text-embedding-3-large")
    command(scene, "index")
    shown = capsys.readouterr()
    assert "Embedding 2 texts" in shown.err
    assert "openai (text-embedding-3-large); 0 of 2 are in the cache" in shown.err
    assert shown.out.startswith("Rebuilt: 2 indexed")


def test_a_local_model_answers_a_search(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    model = write_tiny_bert(scene.folder / "tiny.gguf")
    scene.config(provider="auto", remote={}, local={"modelPath": str(model)})
    assert command(scene, "search", "router in the hall", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["provider"], answer["model"]) == ("local", "tiny")
    assert command(scene, "providers") == 0
    assert "*  local" in capsys.readouterr().out


def test_the_automatic_choice_loads_nothing_for_the_network(scene: Scene) -> None:
    """Most users have no key, and every search starts a new process."""
    code = (
        "import sys\nfrom memdown.cli import run\n"
        f"assert run(['search', 'router', '-w', {str(scene.workspace)!r}]) == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"httpx", "ssl", "xllamacpp", "huggingface_hub"}
    assert "memdown.embedders.http" not in loaded
