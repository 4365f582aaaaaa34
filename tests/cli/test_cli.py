"""The command line as people use it: real exit codes, one sentence an error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from commands import memdown, memdown_process
from memdown.cli import cli, run
from memdown.index.sqlite import SqliteStore
from waiting import eventually

EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- Ana prefers tea.\n")
    (folder / "memory/home.md").write_text("# Home\n\nThe router is a TP-Link ER605.\n")
    return folder


def test_the_example_from_the_readme() -> None:
    result = memdown_process(
        "search", "which router do we use at home?", "--workspace", str(EXAMPLE)
    )
    assert result.returncode == 0
    first, line = result.stdout.splitlines()[:2]
    assert "memory/home-network.md:7" in first
    assert "ER605" in line
    assert len(result.stdout.splitlines()) <= 20


def test_words_need_no_quotes(workspace: Path) -> None:
    """`rg`, `gh` and `qmd` take a sentence as it is typed; options may stand anywhere in it."""
    place = ("-w", str(workspace))
    asked = memdown("search", "which", "router", "-n", "1", "is", "it", *place)
    assert "ER605" in asked.stdout
    wrote = memdown("remember", "the", "freezer", "is", "set", "to", "-18", "--durable", *place)
    assert wrote.stdout == "Remembered in MEMORY.md:4\n"
    assert "the freezer is set to -18" in (workspace / "MEMORY.md").read_text()


@pytest.mark.parametrize("query", [["-18"], ["--", "-18"], ["freezer", "-18", "-n", "1"]])
def test_a_number_below_zero_is_a_word(workspace: Path, query: list[str]) -> None:
    (workspace / "memory/kitchen.md").write_text("# Kitchen\n\nThe freezer runs at -18 °C.\n")
    found = memdown("search", *query, cwd=workspace)
    assert "memory/kitchen.md" in found.stdout, found.stderr


def test_a_wrong_value_of_an_option_is_still_one(workspace: Path) -> None:
    wrong = memdown("search", "x", "-n", "-3", cwd=workspace)
    assert "-3 is not in the range" in wrong.stderr
    assert "No such option '--jsn'" in memdown("search", "x", "--jsn", cwd=workspace).stderr
    shortened = memdown("search", "x", "--max", "3", cwd=workspace).stderr
    assert "No such option '--max'. Did you mean --max-results?" in shortened


def test_only_paths_or_nothing_but_the_exit_code(workspace: Path) -> None:
    paths = memdown("search", "-l", "router", cwd=workspace)
    assert (paths.stdout, paths.returncode) == ("memory/home.md\n", 0)
    quiet = memdown("search", "-q", "router", cwd=workspace)
    assert (quiet.stdout, quiet.stderr, quiet.returncode) == ("", "", 0)
    none = memdown("search", "-q", "xqzt wqxv", cwd=workspace)
    assert (none.stdout, none.stderr, none.returncode) == ("", "", 1)


@pytest.mark.parametrize(
    ("wrong", "answer"),
    [
        ("serch", "did you mean search?"),
        ("add", "did you mean remember?"),
        ("zzz", "`memdown --help` lists them."),
        ("config chek", "did you mean check?"),
        ("sessions zzz", "`memdown sessions --help` lists them."),
    ],
)
def test_a_wrong_command_gets_the_nearest_one(wrong: str, answer: str) -> None:
    result = memdown(*wrong.split())
    assert result.returncode == 2
    assert f"No such command {wrong.split()[-1]!r}; {answer}" in result.stderr


@pytest.mark.parametrize(
    "group", ["sessions", "config", "providers", "mcp", "hooks", "store", "ltm", "eval"]
)
def test_summaries_of_commands_are_whole(group: str) -> None:
    listed = memdown(group, "--help").stdout.partition("Commands:")[2]
    assert listed
    assert "..." not in listed


def test_without_a_command_the_help_is_what_was_wanted() -> None:
    result = memdown_process()
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: memdown")
    assert "..." not in result.stdout.partition("Commands:")[2]


@pytest.mark.parametrize(("typed", "meant"), [("serach", "search"), ("rember", "remember")])
def test_a_mistyped_command_is_answered_with_the_nearest(typed: str, meant: str) -> None:
    result = memdown_process(typed, "foo")
    assert result.returncode == 2
    assert f"did you mean {meant}?" in result.stderr


def test_a_folder_with_notes_needs_no_option(workspace: Path) -> None:
    result = memdown_process("search", "router", cwd=workspace)
    assert "memory/home.md" in result.stdout
    assert result.returncode == 0


def test_search_as_json(workspace: Path) -> None:
    result = memdown("search", "router", "--json", "-n", "1", "--workspace", str(workspace))
    data = json.loads(result.stdout)
    (hit,) = data["results"]
    assert hit["path"] == "memory/home.md"
    assert (hit["startLine"], hit["endLine"]) == (3, 3)
    assert hit["citation"] == "memory/home.md#L3-L3"
    assert hit["source"] == "memory"
    assert hit["snippet"] == "The router is a TP-Link ER605."
    assert (hit["strength"], data["strength"]) == ("strong", "strong")
    assert (hit["heading"], hit["date"], hit["matched"]) == ("Home", None, ["router"])
    assert data["provider"] == "bundled"


def test_a_search_among_some_notes(workspace: Path) -> None:
    """Filters and front matter from the command line on."""
    (workspace / "memory/work").mkdir()
    (workspace / "memory/work/lab.md").write_text(
        "---\ntitle: Laboratory\ndate: 2026-03-05\ntags: [network]\n---\nThe router hums.\n"
    )
    (workspace / "memory/trip-2025-01-02.md").write_text("A router for the trip.\n")

    def found(*options: str) -> list[str]:
        result = memdown("search", "router", "--json", *options, cwd=workspace)
        return [hit["path"] for hit in json.loads(result.stdout)["results"]]

    assert len(found()) == 3
    assert found("--since", "2026-01-01") == ["memory/work/lab.md"]
    assert found("--until", "2025") == ["memory/trip-2025-01-02.md"]
    assert found("--in", "work") == ["memory/work/lab.md"]
    assert found("--tag", "network") == ["memory/work/lab.md"]
    assert len(found("--source", "notes")) == 3
    result = memdown("search", "router", "--in", "wrok", cwd=workspace)
    assert result.returncode == 1
    assert "there is no note in wrok" in result.stdout + result.stderr
    assert "Laboratory" in memdown("search", "router", "--in", "work", cwd=workspace).stdout


def test_nothing_found_is_exit_code_1(workspace: Path) -> None:
    result = memdown_process("search", "xqzt wqxv", "--workspace", str(workspace))
    assert result.returncode == 1
    assert result.stdout == ""
    assert "Nothing found" in result.stderr


def test_remember_get_and_search_again(workspace: Path) -> None:
    wrote = memdown("remember", "The spare key is at Tom's.", "--json", "-w", str(workspace))
    citation = json.loads(wrote.stdout)["citation"]
    assert "spare key" in memdown("get", citation, "-w", str(workspace)).stdout
    assert "spare key" in memdown("search", "spare key", "-w", str(workspace)).stdout
    piped = memdown_process("remember", "--durable", "-w", str(workspace), input="From a pipe.\n")
    assert "MEMORY.md" in piped.stdout
    assert "From a pipe." in (workspace / "MEMORY.md").read_text()


def test_index_and_status(workspace: Path) -> None:
    place = ("--workspace", str(workspace))
    before = json.loads(memdown("status", "--json", *place).stdout)
    assert (before["files"], before["dirty"]) == (0, True)
    assert "2 indexed" in memdown("index", *place).stdout
    report = json.loads(memdown("index", "--force", "--json", *place).stdout)
    assert report["rebuilt"]
    after = json.loads(memdown("status", "--deep", "--json", *place).stdout)
    assert (after["files"], after["dirty"], after["probe"]["embedder"]) == (2, False, True)
    assert after["vector"] == {
        "enabled": True,
        "available": True,
        "extensionPath": None,
        "loadError": None,
        "dims": 256,
    }
    text = memdown("status", *place).stdout
    assert "up to date" in text
    assert "bundled" in text


def test_config_commands(tmp_path: Path) -> None:
    file = tmp_path / "memdown.json5"
    file.write_text("{agents: {defaults: {memorySearch: {query: {maxResults: 3}}}}}")
    shown = json.loads(memdown("config", "show", "--config", str(file)).stdout)
    assert shown["agents"]["defaults"]["memorySearch"]["query"]["maxResults"] == 3
    assert "fine" in memdown("config", "check", "--config", str(file)).stdout
    assert memdown("config", "path", "--config", str(file)).stdout.strip() == str(file)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["search", ""], "The query is empty"),
        (["get", "../secret.md"], "'..' in it"),
        (["get", "memory/none.md"], "memory/none.md"),
        (["get", "MEMORY.md", "--from", "0"], "1"),
        (["remember", "  "], "empty"),
        (["search", "x", "--workspace", "nowhere"], "does not exist"),
        (["search", "x", "--workspace", "MEMORY.md"], "not a folder"),
        (["search", "x", "--config", "missing.json5"], "missing.json5"),
        (["search", "x", "--config", "broken.json5"], "broken.json5"),
        (["search", "x", "--config", "typo.json5"], "maxResults"),
        (["search", "x", "--agent", "../evil"], "agent"),
        (["search", "x", "--max-results", "0"], "range"),
        (["search", "x", "--min-score", "2"], "range"),
        (["get", "MEMORY.md:9-3"], "ends before it begins"),
        (["get", "MEMORY.md:1-3", "--lines", "2"], "names the lines already"),
        (["search", "x", "--workspace", "/usr"], "holds no notes"),
        (["search", "x", "--since", "whenever"], "is no time that is understood"),
        (["search", "x", "--in", "../elsewhere"], "above the workspace"),
        (["search", "x", "--tag", "#"], "is empty"),
        (["search", "x", "--source", "emails"], "emails"),
        (["frobnicate"], "No such command"),
        (["-w", ".", "search", "x"], "options come after the command: `memdown COMMAND … -w …`"),
        (["--json", "status"], "options come after the command"),
        (["-V"], "did you mean --version?"),
        (["help"], "did you mean --help?"),
        (["providers", "--frob"], "No such option '--frob'."),
        (["search"], "Missing argument"),
    ],
)
def test_bad_input_gets_one_clear_sentence(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    (workspace / "broken.json5").write_text("{agents: {")
    (workspace / "typo.json5").write_text(
        "{agents: {defaults: {memorySearch: {query: {maxResult: 3}}}}}"
    )
    result = memdown(*arguments, cwd=workspace)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) <= 4


def test_ctrl_c_leaves_everything_sound(tmp_path: Path, own_state: Path) -> None:
    """It is stopped after the first notes were written, long before the last."""
    folder = tmp_path / "big"
    (folder / "memory").mkdir(parents=True)
    for number in range(1500):
        text = "\n".join(f"Note {number}, line {line}: some words to index." for line in range(180))
        (folder / f"memory/n{number}.md").write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-m", "memdown.cli", "index", "--workspace", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
    )
    index = own_state / "memory/main.sqlite"

    def has_begun() -> bool:
        assert process.poll() is None
        return index.exists() and bool(SqliteStore(index).files())

    eventually(has_begun)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    done = memdown_process("index", "--json", "--workspace", str(folder))
    report = json.loads(done.stdout)
    assert report["indexed"] + report["unchanged"] == 1500
    found = memdown("search", "note 1234 line 7", "--workspace", str(folder))
    assert found.returncode == 0


def test_a_reader_that_leaves_early_is_no_error(workspace: Path) -> None:
    """Exit code 1 would say that nothing was found."""
    memory = workspace / "memory"
    for number in range(40):
        (memory / f"{number}.md").write_text(f"# Router {number}\n\n" + "router talk\n" * 60)
    command = f"{sys.executable} -m memdown.cli search router -n 40 --full -w {workspace} | true"
    result = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_a_full_output_is_one_sentence(workspace: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "memdown.cli", "search", "router", "-w", workspace],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr == "memdown: the disk is full; make room and run the command again.\n"


def test_ctrl_c_while_the_program_is_still_loading(tmp_path: Path) -> None:
    """The first tenths of a second are spent on loading modules, and that too can be stopped."""
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", "from memdown.__main__ import main\nmain()"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert result.returncode == 130
    assert result.stderr.startswith("memdown: stopped")
    assert len(result.stderr.splitlines()) == 1


def test_ctrl_c_while_a_command_loads_what_it_needs(tmp_path: Path, workspace: Path) -> None:
    """Some modules turn the stop into an ImportError of their own; a stop it is all the same."""
    (tmp_path / "apsw.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    [0 for _ in range(1000)]\n"
        "except KeyboardInterrupt:\n    raise ImportError('apsw cannot be loaded')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = memdown_process("search", "router", cwd=workspace, env=environment)
    assert result.returncode == 130
    assert "stopped; nothing is lost" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert "_MEMDOWN_COMPLETE" in capsys.readouterr().out


def test_completion_completes(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "_MEMDOWN_COMPLETE": "bash_complete",
        "COMP_WORDS": "memdown se",
        "COMP_CWORD": "1",
    }
    result = memdown_process(env=environment)
    assert "search" in result.stdout


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli.list_commands(click.Context(cli)):
        assert run([name, "--help"]) == 0
        assert "Usage: memdown" in capsys.readouterr().out


def test_status_says_that_nothing_is_indexed_yet(workspace: Path) -> None:
    before = memdown("status", cwd=workspace).stdout
    assert "nothing is indexed yet; the first search indexes 2 files" in before
    assert "dimensions" not in before
    memdown("index", cwd=workspace)
    after = memdown("status", cwd=workspace).stdout
    assert "up to date" in after
    assert "256 dimensions" in after


def test_status_names_the_engine_that_searches_without_vectors(
    workspace: Path, tmp_path: Path
) -> None:
    """What an engine does without its vectors is its own: no label of SQLite stands for all."""
    config = tmp_path / "memdown.json5"
    store = "store: {driver: 'lancedb', vector: {enabled: false}}"
    config.write_text(f"{{agents: {{defaults: {{memorySearch: {{{store}}}}}}}}}")
    assert memdown("index", "--config", str(config), cwd=workspace).returncode == 0
    shown = memdown("status", "--config", str(config), cwd=workspace).stdout
    assert "LanceDB (turned off in the settings)" in shown
    checks = memdown("doctor", "--json", "--config", str(config), cwd=workspace).stdout
    assert not {"FTS5", "Vectors"} & {check["name"] for check in json.loads(checks)["checks"]}


def test_an_index_that_cannot_be_made_is_no_lack_of_notes(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state folder below a file, as after a slip in a variable: what to set is said, once."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MEMDOWN_STATE_DIR", str(tmp_path / "file"))
    result = memdown("search", "router", "-w", str(workspace))
    assert result.returncode == 1
    said = result.stdout + result.stderr
    assert "set MEMDOWN_STATE_DIR" in said
    assert "there are no notes" not in said
