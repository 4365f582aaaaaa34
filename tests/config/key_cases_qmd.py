"""Cases: everything under `memory.qmd`, with the stand-in that the tests of qmd use."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from backends.conftest import Scene
from config.key_world import World, shows
from memdown import Memory
from waiting import eventually

QMD = "memory.qmd."


def scene_of(world: World) -> Scene:
    world.write("MEMORY.md", "# Memory\n\n- Ana prefers tea over coffee.\n")
    world.write("memory/harbour.md", "# Harbour\n\nMaria runs the harbour office.\n")
    base = world.folder.parent
    scene = Scene(world.folder, world.state, base / "qmd", base / "mood")
    world.monkeypatch.setenv("FAKE_QMD_MOOD", str(scene.mood))
    scene.install()
    scene.behave()
    return scene


def paths(memory: Memory, query: str, **options: str) -> list[str]:
    answer = memory.search(query, **options)  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits] if answer.provider == "qmd" else ["not by qmd"]


def reason(memory: Memory, query: str = "Maria") -> str:
    return " ".join(memory.search(query).reasons)


@shows("memory.backend", QMD + "command", QMD + "searchMode", QMD + "includeDefaultMemory")
def the_program(world: World) -> None:
    scene = scene_of(world)
    with world.memory() as memory:
        assert memory.status().backend == "builtin"
    with scene.open() as memory:
        assert paths(memory, "Maria") == ["memory/harbour.md"]
        assert memory.status().backend == "qmd"
    with scene.open(searchMode="vsearch") as memory:
        memory.search("Maria")
    assert scene.calls()[-1][0] == "vsearch"
    with scene.open(includeDefaultMemory=False) as memory:
        memory.sync()
        assert paths(memory, "Maria") == []
    with scene.open(command="no-such-qmd") as memory:
        assert "no-such-qmd is not installed" in reason(memory)


@shows(QMD + "paths", QMD + "paths[].path", QMD + "paths[].pattern", QMD + "paths[].name")
def more_collections(world: World) -> None:
    scene = scene_of(world)
    wiki = world.folder.parent / "wiki"
    (wiki / "deep").mkdir(parents=True)
    (wiki / "boats.md").write_text("The ferry leaves at nine.\n")
    (wiki / "deep" / "crane.md").write_text("The ferry is below the crane.\n")
    with scene.open() as memory:
        assert paths(memory, "ferry") == []
    with scene.open(paths=[{"path": str(wiki)}]) as memory:
        memory.sync()
        assert paths(memory, "ferry") == ["qmd/wiki/boats.md", "qmd/wiki/deep/crane.md"]
    with scene.open(paths=[{"path": str(wiki), "name": "sea", "pattern": "*.md"}]) as memory:
        memory.sync()
        assert paths(memory, "ferry") == ["qmd/sea/boats.md"]


@shows(QMD + "sessions.enabled", QMD + "sessions.retentionDays", QMD + "sessions.exportDir")
def conversations(world: World) -> None:
    scene = scene_of(world)
    world.say("one", "The lighthouse is red.")
    with scene.open() as memory:
        memory.sync()
        assert paths(memory, "lighthouse") == []
    with scene.open(sessions={"enabled": True, "exportDir": "exports"}) as memory:
        memory.sync()
        assert paths(memory, "lighthouse") == ["qmd/sessions/one.md"]
    assert (world.state / "exports" / "one.md").exists()
    old = time.time() - 3 * 86_400
    os.utime(world.state / "agents" / "main" / "sessions" / "one.jsonl", (old, old))
    with scene.open(sessions={"enabled": True, "retentionDays": 2}) as memory:
        memory.sync()
        assert paths(memory, "lighthouse") == []


def _ago(scene: Scene, **seconds: float) -> None:
    file = scene.home / "state.json"
    book = json.loads(file.read_text())
    file.write_text(json.dumps(book | {name: time.time() - ago for name, ago in seconds.items()}))


def _updates(scene: Scene) -> int:
    return scene.calls().count(["update"])


@shows(
    QMD + "update.interval",
    QMD + "update.debounceMs",
    QMD + "update.onBoot",
    QMD + "update.waitForBootSync",
    QMD + "update.embedInterval",
)
def when_it_is_updated(world: World) -> None:
    scene = scene_of(world)
    with scene.open(searchMode="vsearch") as memory:
        memory.sync()
    before = _updates(scene)
    _ago(scene, updated=600, embedded=7200)
    never = {"interval": "1h", "embedInterval": "1d", "debounceMs": 0, "onBoot": False}
    with scene.open(searchMode="vsearch", update=never) as memory:
        memory.start_session()
        assert paths(memory, "Maria")
        memory.sync()
    assert (_updates(scene), scene.calls().count(["embed"])) == (before + 1, 1)
    _ago(scene, updated=600, embedded=7200)
    with scene.open(searchMode="vsearch") as memory:
        assert paths(memory, "Maria")
        eventually(lambda: _updates(scene) == before + 2)
        eventually(lambda: scene.calls().count(["embed"]) == 2)
    with scene.open(searchMode="vsearch") as memory:
        memory.start_session()
        eventually(lambda: _updates(scene) == before + 3)
    scene.behave(update="slowish")
    world.write("memory/new.md", "The lighthouse is red.\n")
    with scene.open(update={"debounceMs": 600_000}) as memory:
        assert "debounceMs" in reason(memory, "lighthouse")
    with scene.open(update={"debounceMs": 0, "waitForBootSync": True}) as memory:
        memory.start_session()
        assert paths(memory, "lighthouse") == ["memory/new.md"]


@shows(
    QMD + "update.commandTimeoutMs",
    QMD + "update.updateTimeoutMs",
    QMD + "update.embedTimeoutMs",
    QMD + "limits.timeoutMs",
)
def how_long_it_may_take(world: World) -> None:
    scene = scene_of(world)

    (world.folder.parent / "wiki").mkdir()

    def failed(command: str, update: Mapping[str, object], **limits: object) -> str:
        scene.behave()
        with scene.open(searchMode="vsearch") as memory:
            memory.sync()
        # Another set of collections must be listed and made.
        wiki = [{"path": str(world.folder.parent / "wiki")}]
        more = wiki if command == "collection" else []
        given: dict[str, Any] = {
            "paths": more,
            "update": {"debounceMs": 0, **update},
            "searchMode": "vsearch",
        }
        scene.behave(**{command: "slow"})
        _ago(scene, embedded=7200)
        with scene.open(**given, limits={"timeoutMs": 20_000, **limits}) as memory:
            report = memory.sync()
            told = " ".join(one.reason for one in report.failed)
            scene.rested()
            return told if command != "vsearch" else reason(memory)

    for command, update in (
        ("collection", {"commandTimeoutMs": 200}),
        ("update", {"updateTimeoutMs": 200}),
        ("embed", {"embedTimeoutMs": 200}),
    ):
        assert f"`qmd {command}`" in (told := failed(command, update)), told
    assert "`qmd vsearch`" in failed("vsearch", {}, timeoutMs=200)


@shows(QMD + "limits.maxResults", QMD + "limits.maxSnippetChars", QMD + "limits.maxInjectedChars")
def how_much(world: World) -> None:
    scene = scene_of(world)
    for name in "abcdefgh":
        world.write(f"memory/{name}.md", f"apple {'x' * 200}\n")

    def sizes(**limits: int) -> list[int]:
        with scene.open(limits={"timeoutMs": 20_000, **limits}) as memory:
            memory.sync()
            return [len(hit.snippet) for hit in memory.search("apple").hits]

    assert len(sizes()) == 6
    assert len(sizes(maxResults=2)) == 2
    assert max(sizes(maxSnippetChars=30)) == 30
    assert sum(sizes(maxInjectedChars=100)) == 100


@shows(
    QMD + "scope.default",
    QMD + "scope.rules",
    QMD + "scope.rules[].action",
    QMD + "scope.rules[].match.chatType",
    QMD + "scope.rules[].match.channel",
    QMD + "scope.rules[].match.keyPrefix",
    QMD + "scope.rules[].match.rawKeyPrefix",
)
def who_may_see_results(world: World) -> None:
    scene = scene_of(world)
    key = "agent:main:slack:channel:c024"

    def sees(default: str, rules: list[object], **who: str) -> bool:
        with scene.open(scope={"default": default, "rules": rules}) as memory:
            return bool(paths(memory, "Maria", **who))

    def only(**match: str) -> list[object]:
        return [{"action": "allow", "match": match}]

    assert not sees("deny", [])
    assert sees("allow", [])
    assert not sees("allow", [{"action": "deny"}])
    assert sees("deny", only(chatType="group"), chat="group")
    assert not sees("deny", only(chatType="group"))
    for match in ({"channel": "slack"}, {"keyPrefix": "slack:"}, {"rawKeyPrefix": "agent:main:s"}):
        assert sees("deny", only(**match), session_key=key)
        assert not sees("deny", only(**match), session_key="agent:main:telegram:1")
