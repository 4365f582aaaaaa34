"""What agents wait for: a search over MCP beside the same search in process, a session's start."""

from __future__ import annotations

import datetime
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from bench.calibration import calibrate, describe
from bench.generate import generate
from bench.measure import milliseconds, percentile, save, table, timed
from memdown import Memory
from memdown.agent import session_context

if TYPE_CHECKING:
    from mcp import Client

_SEARCHES = 200
_WARM_UP = 20
_START_FILES = 1000
_STARTS = 50


def run(chunks: int = 10_000) -> None:
    """Measure both and print them."""
    before = calibrate()
    with tempfile.TemporaryDirectory() as folder:
        figures = _search(Path(folder), chunks)
    with tempfile.TemporaryDirectory() as folder:
        figures |= _session_start(Path(folder))
    rows = [(name, milliseconds(value)) for name, value in figures.items()]
    print(table(f"agents: {chunks:,} chunks, {_START_FILES:,} files (ms)", ("what", "p50"), rows))
    save("agents", {**figures, "calibration": describe(before, calibrate())})


def _search(folder: Path, chunks: int) -> dict[str, float]:
    load = generate(folder / "notes", chunks)
    state = folder / "state"
    questions = [question.text for question in load.questions[: _SEARCHES + _WARM_UP]]
    with Memory.open(load.folder, state_dir=state) as memory:
        memory.sync()
        taken = anyio.run(_ask_both, memory, load.folder, state, questions)
    library, over_stdio, empty = (times[_WARM_UP:] for times in taken)
    added = [outside - inside for inside, outside in zip(library, over_stdio, strict=True)]
    return {
        "search, library": percentile(library, 0.5),
        "search, MCP over stdio": percentile(over_stdio, 0.5),
        "MCP adds, question by question": percentile(added, 0.5),
        "MCP call that does nothing": percentile(empty, 0.5),
    }


async def _ask_both(
    memory: Memory, folder: Path, state: Path, questions: list[str]
) -> tuple[list[float], list[float], list[float]]:
    """Ask library and server in turns, so that whatever else the machine does hits both."""
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memdown.cli", "mcp", "--workspace", str(folder)],
        env={"MEMDOWN_STATE_DIR": str(state)},
    )
    library, over_stdio, empty = [], [], []
    async with Client(server) as client:
        for text in questions:
            library.append(timed(partial(memory.search, text))[1].wall)
            over_stdio.append(await _called(client, "memory_search", {"query": text}))
            empty.append(await _called(client, "memory_search", {}))
    return library, over_stdio, empty


async def _called(client: Client, tool: str, arguments: dict[str, str]) -> float:
    start = time.perf_counter()
    await client.call_tool(tool, arguments)
    return time.perf_counter() - start


def _session_start(folder: Path) -> dict[str, float]:
    from memdown.agent.hooks.events import HookInput, session_start
    from memdown.config import load_settings

    today = datetime.date.today()  # noqa: DTZ011
    (folder / "memory").mkdir()
    for number in range(_START_FILES - 1):
        day = today - datetime.timedelta(days=number)
        text = f"# {day}\n\n" + "- Something happened, and it was written down.\n" * 40
        (folder / f"memory/{day.isoformat()}.md").write_text(text, encoding="utf-8")
    (folder / "MEMORY.md").write_text("# Memory\n\n" + "- A fact.\n" * 300, encoding="utf-8")
    # Files changed this very moment are waited for; these should look like yesterday's.
    time.sleep(0.05)
    settings = load_settings(workspace=folder, environ={"MEMDOWN_STATE_DIR": str(folder / "state")})
    given = HookInput("s", None, folder, "")
    hook = [timed(lambda: session_start(given, settings))[1].wall for _ in range(_STARTS)]
    with Memory.from_settings(settings) as memory:
        library = [timed(lambda: session_context(memory))[1].wall for _ in range(_STARTS)]
    return {
        "session start, hook": percentile(hook, 0.5),
        "session start, library": percentile(library, 0.5),
    }
