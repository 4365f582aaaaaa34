"""Which file is read, which folders are used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memdown.config import Settings, load_settings
from memdown.config.values import chat_of
from memdown.config.workspaces import add_own, read_own, set_extra
from memdown.errors import ConfigError


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A home folder and an empty current folder."""
    (tmp_path / "home").mkdir()
    (tmp_path / "here").mkdir()
    return tmp_path


def load(
    world: Path,
    config: Path | None = None,
    workspace: Path | None = None,
    agent: str = "main",
    here: bool = True,
    cwd: Path | None = None,
    **variables: str,
) -> Settings:
    return load_settings(
        config=config,
        workspace=workspace,
        agent=agent,
        here=here,
        cwd=cwd or world / "here",
        environ={"HOME": str(world / "home"), **variables},
    )


def test_without_a_file_everything_has_its_default(world: Path) -> None:
    settings = load(world)
    state = world / "home/.memdown"
    assert settings.config_path is None
    assert settings.state_dir == state
    assert settings.workspace == state / "workspace"
    assert settings.store.path == state / "memory/main.sqlite"
    assert settings.notes == ()


def test_defaults_are_those_of_the_specification(world: Path) -> None:
    settings = load(world)
    assert (settings.enabled, settings.sources, settings.extra_paths) == (True, ("memory",), ())
    assert (settings.provider, settings.fallback, settings.model) == ("auto", "none", None)
    batch = settings.remote.batch
    assert (batch.enabled, batch.wait, batch.concurrency) == (True, True, 2)
    assert (batch.poll_interval_ms, batch.timeout_minutes) == (2000, 60)
    assert (settings.chunking.tokens, settings.chunking.overlap) == (400, 80)
    sync = settings.sync
    assert (sync.on_session_start, sync.on_search, sync.watch) == (True, True, True)
    assert (sync.watch_debounce_ms, sync.interval_minutes) == (1500, 0)
    assert (sync.sessions.delta_bytes, sync.sessions.delta_messages) == (100_000, 50)
    query = settings.query
    assert (query.max_results, query.min_score) == (6, None)
    assert (query.hybrid.vector_weight, query.hybrid.text_weight) == (None, None)
    assert (query.hybrid.enabled, query.hybrid.candidate_multiplier) == (True, 4)
    assert (query.hybrid.mmr.enabled, query.hybrid.mmr.lambda_) == (False, 0.7)
    decay = query.hybrid.temporal_decay
    assert (decay.enabled, decay.half_life_days) == (True, None)
    assert (settings.cache.enabled, settings.cache.max_entries) == (True, 50_000)
    assert (settings.backend, settings.citations) == ("builtin", "auto")
    assert settings.memory_slot == "memory-core"
    assert settings.compaction.reserve_tokens_floor == 20_000
    assert settings.compaction.memory_flush.soft_threshold_tokens == 4000
    update, limits = settings.qmd.update, settings.qmd.limits
    assert (update.interval.seconds, update.debounce_ms) == (300, 15_000)
    assert (limits.max_results, limits.max_snippet_chars) == (6, 700)
    assert (limits.max_injected_chars, limits.timeout_ms) == (4000, 4000)
    assert settings.qmd.search_mode == "search"
    assert settings.qmd.scope.default == "deny"
    assert settings.qmd.scope.rules[0].match.chat_type == "direct"


def test_flush_prompts_can_stay_silent_and_name_the_daily_note(world: Path) -> None:
    flush = load(world).compaction.memory_flush
    assert "NO_REPLY" in flush.prompt
    assert "NO_REPLY" in flush.system_prompt
    assert "memory/YYYY-MM-DD.md" in flush.prompt


def test_state_folder_from_the_environment(world: Path) -> None:
    settings = load(world, MEMDOWN_STATE_DIR="~/other")
    assert settings.state_dir == world / "home/other"
    assert load(world, MEMDOWN_STATE_DIR="rel").state_dir == world / "here/rel"
    assert load(world, MEMDOWN_STATE_DIR=" ").state_dir == world / "home/.memdown"


def test_order_of_files(world: Path) -> None:
    """Argument, then MEMDOWN_CONFIG, then memdown.json5, then memdown.json."""
    state = world / "home/.memdown"
    state.mkdir()
    named, variable = world / "named.json5", world / "here/variable.json5"
    for file in (state / "memdown.json", state / "memdown.json5", variable, named):
        file.write_text("{}")
    assert load(world, config=named, MEMDOWN_CONFIG="variable.json5").config_path == named
    assert load(world, MEMDOWN_CONFIG="variable.json5").config_path == variable
    assert load(world).config_path == state / "memdown.json5"
    (state / "memdown.json5").unlink()
    assert load(world).config_path == state / "memdown.json"


def test_tilde_in_the_name_of_the_file(world: Path) -> None:
    (world / "home/my.json5").write_text("{}")
    assert load(world, config=Path("~/my.json5")).config_path == world / "home/my.json5"


def test_a_named_file_that_is_missing_is_an_error(world: Path) -> None:
    missing = world / "nowhere.json5"
    message = r"nowhere\.json5: there is no such configuration file"
    with pytest.raises(ConfigError, match=message):
        load(world, config=missing)
    with pytest.raises(ConfigError, match=message):
        load(world, MEMDOWN_CONFIG=str(missing))


def test_a_dangling_link_in_the_state_folder_is_an_error(world: Path) -> None:
    """Somebody meant to configure something: defaults would hide that."""
    state = world / "home/.memdown"
    state.mkdir()
    (state / "memdown.json5").symlink_to(world / "gone.json5")
    with pytest.raises(ConfigError, match="no such configuration file"):
        load(world)


def test_a_state_folder_that_is_a_file_is_no_reason_to_fail_here(world: Path) -> None:
    (world / "home/.memdown").write_text("")
    assert load(world).config_path is None


def test_order_of_workspaces(world: Path) -> None:
    state = world / "home/.memdown"
    state.mkdir()
    (state / "memdown.json5").write_text(
        "{agents: {defaults: {workspace: '~/notes'}, list: [{id: 'work', workspace: 'w'}]}}"
    )
    assert load(world, workspace=Path("given")).workspace == world / "here/given"
    assert load(world, workspace=Path("~/given")).workspace == world / "home/given"
    assert load(world, agent="work").workspace == state / "w"
    assert load(world).workspace == world / "home/notes"
    (world / "here/MEMORY.md").write_text("x")
    assert load(world).workspace == world / "here"
    assert load(world, agent="work").workspace == world / "here"


@pytest.mark.parametrize("name", ["MEMORY.md", "memory.md"])
def test_a_current_folder_with_a_memory_file_is_the_workspace(world: Path, name: str) -> None:
    (world / "here" / name).write_text("x")
    assert load(world).workspace == world / "here"


def test_a_folder_called_memory_makes_no_workspace(world: Path) -> None:
    """Many source trees have one."""
    (world / "here/memory").mkdir()
    (world / "here/memory/__init__.py").write_text("")
    assert load(world).workspace == world / "home/.memdown/workspace"


@pytest.mark.parametrize("name", ["MEMORY.md", ".memdown.json5"])
def test_a_command_below_a_workspace_finds_it(world: Path, name: str) -> None:
    (world / "here" / name).write_text("{}")
    deep = world / "here/a/b"
    deep.mkdir(parents=True)
    assert load(world, cwd=deep).workspace == world / "here"
    (world / "here/a/MEMORY.md").write_text("nearer")
    assert load(world, cwd=deep).workspace == world / "here/a"


def test_the_way_up_ends_at_home(world: Path) -> None:
    (world / "MEMORY.md").write_text("x")
    project = world / "home/code/project"
    project.mkdir(parents=True)
    assert load(world, cwd=project).workspace == world / "home/.memdown/workspace"
    (world / "home/MEMORY.md").write_text("x")
    assert load(world, cwd=project).workspace == world / "home"


@pytest.mark.parametrize("foreign", ["folder", "file"])
def test_what_somebody_else_put_above_is_not_taken(
    world: Path, foreign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shared folder such as /tmp, anybody may write a MEMORY.md for others to find."""
    deep = world / "here/mine"
    deep.mkdir()
    (world / "here/MEMORY.md").write_text("x")
    assert load(world, cwd=deep).workspace == world / "here"
    other = world / "here" if foreign == "folder" else world / "here/MEMORY.md"
    if os.geteuid() == 0:
        os.chown(other, 65534, -1)
    else:
        me = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert load(world, cwd=deep).workspace == world / "home/.memdown/workspace"


def test_agents_take_only_what_the_user_made_a_workspace(world: Path) -> None:
    """A cloned repository brings MEMORY.md, or the marker, along."""
    state = world / "home/.memdown"
    (world / "here/MEMORY.md").write_text("x")
    (world / "here/.memdown.json5").write_text("{adopt: true}")
    settings = load(world, here=False)
    assert settings.workspace == state / "workspace"
    assert settings.passed_over == world / "here"
    assert not settings.adopted
    add_own(state, world / "here")
    (world / "here/inner").mkdir()
    for cwd in (world / "here", world / "here/inner"):
        settings = load(world, here=False, cwd=cwd)
        assert (settings.workspace, settings.adopted) == (world / "here", True)
        assert settings.passed_over is None


def test_a_listed_folder_is_known_by_its_real_path(world: Path) -> None:
    """A link that is turned to another folder must not make that one a memory."""
    state = world / "home/.memdown"
    (world / "link").symlink_to("here")
    add_own(state, world / "link")
    assert load(world, here=False).workspace == world / "here"
    (world / "other").mkdir()
    (world / "link").unlink()
    (world / "link").symlink_to("other")
    assert load(world, here=False, cwd=world / "link").workspace == state / "workspace"


def test_a_checkout_is_foreign_until_it_is_listed_or_configured(world: Path) -> None:
    (world / "here/MEMORY.md").write_text("x")
    assert not load(world).foreign
    (world / "here/.git").write_text("gitdir: elsewhere")
    assert load(world).foreign
    assert not load(world, workspace=world / "here").foreign
    state = world / "home/.memdown"
    state.mkdir()
    config = state / "memdown.json5"
    config.write_text(f"{{agents: {{defaults: {{workspace: '{world}/here'}}}}}}")
    assert not load(world).foreign
    config.unlink()
    add_own(state, world / "here")
    assert not load(world).foreign


def test_extra_paths_of_one_workspace(world: Path) -> None:
    state = world / "home/.memdown"
    for name in ("here", "other"):
        (world / name).mkdir(exist_ok=True)
        (world / name / "MEMORY.md").write_text("x")
    (world / "here/.memdown.json5").write_text("{extraPaths: ['docs']}")
    set_extra(state, world / "here", ["~/team"])
    (state / "memdown.json5").write_text(
        "{agents: {defaults: {memorySearch: {extraPaths: ['all']}}}}"
    )
    assert load(world).extra_paths == ("all", "docs", "~/team")
    assert load(world, cwd=world / "other").extra_paths == ("all",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{extraPaths: ['../x']}", "is not inside this folder"),
        ("{extraPaths: ['~/x']}", "is not inside this folder"),
        ("{extraPaths: ['/etc']}", "is not inside this folder"),
        ("{extraPaths: ['a/../../b']}", "is not inside this folder"),
        ("{extraPaths: 'x'}", "must be a list of paths"),
        ("{extraPaths: [1]}", "must be a list of paths"),
        ("{adopt: 'yes'}", "must be true or false"),
        ("{adopt: true", "memdown.json5: line 1"),
        ("[]", "must hold an object"),
        ("x" * 100_000, "larger than 64 kB"),
    ],
)
def test_a_marker_that_asks_for_too_much_is_refused(world: Path, text: str, problem: str) -> None:
    """It may come with a checkout: nothing outside of it is read because it says so."""
    (world / "here/.memdown.json5").write_text(text)
    with pytest.raises(ConfigError, match=problem):
        load(world)


def test_a_marker_can_change_nothing_else(world: Path) -> None:
    """No provider, no address, no program: what is not known there is told and left alone."""
    (world / "here/.memdown.json5").write_text(
        "{adopts: true, memory: {backend: 'qmd', qmd: {command: 'evil'}}, agents: {defaults: "
        "{memorySearch: {provider: 'openai', remote: {baseUrl: 'http://evil'}}}}}"
    )
    settings = load(world)
    assert (settings.backend, settings.provider, settings.remote.base_url) == (
        "builtin",
        "auto",
        None,
    )
    assert not settings.adopted
    assert len(settings.notes) == 3
    assert "did you mean adopt?" in settings.notes[0]


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_a_marker_that_is_no_file_makes_no_workspace(world: Path, kind: str) -> None:
    file = world / "here/.memdown.json5"
    if kind == "link":
        (world / "secret.json5").write_text("{adopt: true}")
        file.symlink_to(world / "secret.json5")
    elif kind == "fifo":
        os.mkfifo(file)
    else:
        file.mkdir()
    assert load(world).workspace == world / "home/.memdown/workspace"


def test_a_damaged_list_of_workspaces_is_told(world: Path) -> None:
    state = world / "home/.memdown"
    state.mkdir()
    for text in ("{", "[]", '{"/x": 1}', '{"/x": {"extraPaths": [1]}}'):
        (state / "workspaces.json").write_text(text)
        with pytest.raises(ConfigError, match=r"workspaces\.json: .* is damaged"):
            load(world)


def test_several_processes_list_their_workspaces_at_once(world: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memdown.config.workspaces import add_own\n"
        "for n in range(20): add_own(Path(sys.argv[1]), Path(f'{sys.argv[2]}-{n}'))"
    )
    state = world / "home/.memdown"
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(state), f"/w{number}"])
        for number in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(read_own(state).extra_paths) == 80
    assert (state / "workspaces.json").stat().st_mode & 0o777 == 0o600


def test_the_process_s_own_folder_and_environment_count_by_default(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world / "here/MEMORY.md").write_text("x")
    monkeypatch.chdir(world / "here")
    monkeypatch.setenv("MEMDOWN_STATE_DIR", str(world / "state"))
    monkeypatch.delenv("MEMDOWN_CONFIG", raising=False)
    settings = load_settings(here=True)
    assert settings.workspace == Path.cwd()
    assert settings.state_dir == world / "state"


def test_a_current_folder_that_was_deleted(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = world / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    environ = {"HOME": str(world / "home")}
    assert load_settings(environ=environ).workspace == world / "home/.memdown/workspace"
    with pytest.raises(ConfigError, match="give an absolute path"):
        load_settings(workspace=Path("rel"), environ=environ)


def test_the_home_folder_without_home_variable(world: Path) -> None:
    assert load_settings(cwd=world / "here", environ={}).state_dir == Path.home() / ".memdown"


def test_no_home_folder_at_all(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(ConfigError, match="set HOME, or MEMDOWN_STATE_DIR"):
        load_settings(cwd=world / "here", environ={})


def test_a_tilde_that_names_no_user_is_a_name(world: Path) -> None:
    settings = load(world, MEMDOWN_STATE_DIR="~nobody-has-this-name/x")
    assert settings.state_dir == world / "here/~nobody-has-this-name/x"


@pytest.mark.parametrize("agent", ["main", "a", "work-2", "a.b_c", "_x", "0", "x" * 64])
def test_agent_ids_that_are_fine(world: Path, agent: str) -> None:
    settings = load(world, agent=agent)
    assert settings.agent == agent
    assert settings.store.path == settings.state_dir / f"memory/{agent}.sqlite"


@pytest.mark.parametrize(
    "agent", ["", ".", "..", ".x", "-x", "a/b", "../x", "a\\b", "a b", "ä", "a\n", "\0", "x" * 65]
)
def test_agent_ids_that_could_leave_the_folder_are_refused(world: Path, agent: str) -> None:
    with pytest.raises(ConfigError, match=r"agent id .* cannot be used"):
        load(world, agent=agent)


def test_agent_ids_do_not_tell_case(world: Path) -> None:
    """Two agents that differ in case only would share a file on some disks."""
    assert load(world, agent="Work").agent == "work"


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("agent:main:main", "direct"),
        ("agent:main:discord:dm:1", "direct"),
        ("agent:main:telegram:account:direct:1", "direct"),
        ("agent:main:subagent:1f:2", "direct"),
        ("agent:main:discord:channel:1", "channel"),
        ("agent:main:telegram:group:5", "group"),
        ("agent:main:discord:guild:1", "group"),
        ("agent:main:matrix:room:7", "group"),
    ],
)
def test_a_kind_of_chat_that_is_not_known_is_no_talk_with_one_person(key: str, kind: str) -> None:
    assert chat_of("direct", key).kind == kind
