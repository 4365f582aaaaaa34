"""What Memdown needs for one workload. Each step is a process of its own: `python -m bench.ours`.

A fresh process per step makes its memory its own, and its caches cold when they should be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from bench.freshness import bare_scan
from bench.measure import (
    Timing,
    children_peak_mb,
    middle,
    peak_mb,
    questions,
    resident_mb,
    run_command,
    spread,
    timed,
)

PHASES = ("scan", "read", "chunk", "embed", "write")
KINDS = ("natural", "identifier", "script")
_REPEATS = 9
_WARM_UP = 30
_THREADS, _PROCESSES = 8, 4
_COLD = 7
_STOCK_TEXTS = 2_000


def measure(folder: Path) -> dict[str, Any]:
    """Every step in turn, for the notes in `folder/notes`."""
    return {step: _in_a_process(step, folder) for step in _STEPS} | {"cold": _cold(folder)}


def _in_a_process(step: str, folder: Path) -> Any:
    command = [sys.executable, "-m", "bench.ours", step, str(folder)]
    done = subprocess.run(command, env=_environ(folder), stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _environ(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "MEMDOWN_STATE_DIR": str(folder / "state"), "OPENBLAS_NUM_THREADS": "1"}


def _index(folder: Path) -> dict[str, Any]:
    """A full index, then nothing changed, then one note changed."""
    from memdown import Memory

    notes = folder / "notes"
    with Memory.open(notes) as memory:
        # A sync looks at every file before it begins to count its own phases.
        scan = timed(memory.notes)[1].wall
        report, full = timed(memory.sync)
        # Both processes, if there were two.
        peak = peak_mb() + children_peak_mb()
        rounds = [
            (timed(lambda: bare_scan(str(notes)))[1], timed(memory.sync)[1])
            for _ in range(_REPEATS)
        ]
        bare, nothing = (middle(side) for side in zip(*rounds, strict=True))
        note = _middling(notes)
        one = middle(timed(lambda: _add_a_line(note, memory.sync))[1] for _ in range(_REPEATS))
        memory.search("the index is complete and closed properly")
    index = folder / "state" / "memory"
    return {
        "chunks": report.chunks,
        "full": asdict(full),
        "phases": {phase: report.seconds.get(phase, 0.0) for phase in PHASES} | {"scan": scan},
        "peak_mb": peak,
        "bare_scan": asdict(bare),
        "nothing_changed": asdict(nothing),
        "one_changed": asdict(one),
        "disk": sum(file.stat().st_size for file in index.iterdir()),
    }


def _middling(notes: Path) -> Path:
    files = sorted(notes.rglob("*.md"), key=lambda file: (file.stat().st_size, file))
    return files[len(files) // 2]


def _add_a_line(note: Path, sync: Callable[[], object]) -> None:
    with note.open("a", encoding="utf-8") as file:
        file.write("- One more line, so that this note is not what it was.\n")
    sync()


def _embed(folder: Path) -> dict[str, Any]:
    """Embedding alone, by our code, and by the package that the vectors come from."""
    from bench.index import chunk_texts
    from memdown.embedders import create

    texts = chunk_texts(folder / "notes")
    ours = timed(lambda: _in_batches(create("bundled").embed_batch, texts))[1]
    few = texts[:: max(1, len(texts) // _STOCK_TEXTS)]
    embed = _stock_embedder()
    stock = timed(lambda: _in_batches(embed, few))[1].cpu * len(texts) / len(few)
    return {**asdict(ours), "stock_cpu": stock}


def _in_batches(embed: Callable[[list[str]], object], texts: list[str]) -> None:
    for start in range(0, len(texts), 256):
        embed(texts[start : start + 256])


def _stock_embedder() -> Callable[[list[str]], object]:
    """`wordllama` as it comes, loaded; its loader looks for the tokenizer in a folder of another name."""
    import wordllama

    files = Path(wordllama.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tokenizers").symlink_to(files / "tokenizers")
        model = wordllama.WordLlama.load(cache_dir=Path(folder), disable_download=True)
    model.embed(["ready"])
    return partial(model.embed, norm=True)


def _search(folder: Path) -> dict[str, Any]:
    """Warm searches by kind of question, and the memory they need."""
    from memdown import Memory

    asked = questions(folder)
    with Memory.open(folder / "notes") as memory:
        first = timed(lambda: memory.search("what is new?"))[1]
        for text in _mixed(asked)[:_WARM_UP]:
            memory.search(text)
        kinds = {
            kind: spread([timed(partial(memory.search, text))[1] for text in texts])
            for kind, texts in asked.items()
        }
        return {"first": asdict(first), "kinds": kinds, "resident_mb": resident_mb()}


def _threads(folder: Path) -> dict[str, Any]:
    """Searches a second by one thread and by several on one `Memory`."""
    from memdown import Memory

    texts = _mixed(questions(folder))
    # Each question is asked once: asked again, it would be answered from what is kept.
    warm, first, second = texts[:_WARM_UP], texts[_WARM_UP::2], texts[_WARM_UP + 1 :: 2]
    with Memory.open(folder / "notes") as memory:
        for text in warm:
            memory.search(text)

        def ask(share: Sequence[str]) -> None:
            for text in share:
                memory.search(text)

        def together() -> None:
            work = [
                threading.Thread(target=ask, args=(second[number::_THREADS],))
                for number in range(_THREADS)
            ]
            for one in work:
                one.start()
            for one in work:
                one.join()

        alone, all_at_once = timed(lambda: ask(first))[1], timed(together)[1]
    return {
        "threads": _THREADS,
        "alone_per_second": len(first) / alone.wall,
        "per_second": len(second) / all_at_once.wall,
        "cores": all_at_once.cpu / all_at_once.wall,
        "cpu_of_one": all_at_once.cpu / len(second),
    }


def _processes(folder: Path) -> dict[str, Any]:
    """Searches a second by one process and by several on one index."""
    alone = _asking(folder, 1)
    together = _asking(folder, _PROCESSES)
    return {
        "processes": _PROCESSES,
        "alone_per_second": sum(one["asked"] / one["wall"] for one in alone),
        "per_second": sum(one["asked"] / one["wall"] for one in together),
        "cpu_of_one": sum(one["cpu"] for one in together) / sum(one["asked"] for one in together),
    }


def _asking(folder: Path, count: int) -> list[dict[str, Any]]:
    """Several processes that have warmed up and then begin at once."""
    command = [sys.executable, "-m", "bench.ours", "ask", str(folder)]
    running = [
        subprocess.Popen(
            command, env=_environ(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    for one in running:
        assert one.stdout
        one.stdout.readline()
    for one in running:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    return [json.loads(one.communicate()[0].splitlines()[-1]) for one in running]


def _ask(folder: Path) -> dict[str, Any]:
    from memdown import Memory

    texts = _mixed(questions(folder))
    with Memory.open(folder / "notes") as memory:
        for text in texts[:_WARM_UP]:
            memory.search(text)
        print("warm", flush=True)
        sys.stdin.readline()
        timing = timed(lambda: [memory.search(text) for text in texts])[1]
    return {"asked": len(texts), **asdict(timing)}


def _rebuild(folder: Path) -> dict[str, Any]:
    """Searches alone, and while another process makes the index anew."""
    from memdown import Memory

    texts = _mixed(questions(folder))
    with Memory.open(folder / "notes") as memory:
        for text in texts[:_WARM_UP]:
            memory.search(text)
        alone = [timed(partial(memory.search, text))[1] for text in texts]
        command = [sys.executable, "-m", "bench.ours", "force", str(folder)]
        builder = subprocess.Popen(command, env=_environ(folder), stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        meanwhile: list[Timing] = []
        while builder.poll() is None:
            text = texts[len(meanwhile) % len(texts)]
            meanwhile.append(timed(partial(memory.search, text))[1])
        if builder.returncode:
            raise SystemExit(f"The rebuild ended with exit code {builder.returncode}.")
    return {"alone": spread(alone), "meanwhile": spread(meanwhile)}


def _force(folder: Path) -> dict[str, Any]:
    from memdown import Memory

    with Memory.open(folder / "notes") as memory:
        return asdict(timed(lambda: memory.sync(force=True))[1])


def _cold(folder: Path) -> dict[str, Any]:
    memdown = str(Path(sys.executable).with_name("memdown"))
    text = questions(folder)["natural"][0]
    search = [memdown, "search", text, "--min-score", "0", "--workspace", str(folder / "notes")]
    commands = {
        "import numpy": [sys.executable, "-c", "import numpy"],
        "help": [memdown, "--help"],
        "search": search,
    }
    environ = _environ(folder)
    taken: dict[str, list[Timing]] = {name: [] for name in commands}
    for _ in range(_COLD):
        for name, command in commands.items():
            taken[name].append(run_command(command, environ))
    return {name: asdict(middle(timings[1:])) for name, timings in taken.items()}


def _mixed(asked: Mapping[str, list[str]]) -> list[str]:
    return [text for texts in zip(*asked.values(), strict=False) for text in texts]


_STEPS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "index": _index,
    "embed": _embed,
    "search": _search,
    "threads": _threads,
    "processes": _processes,
    "rebuild": _rebuild,
}

if __name__ == "__main__":
    print(json.dumps((_STEPS | {"ask": _ask, "force": _force})[sys.argv[1]](Path(sys.argv[2]))))
