"""How long the command line takes from nothing, against what Python and numpy alone take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.calibration import calibrate, describe
from bench.measure import Timing, middle, milliseconds, run_command, save, table

EXAMPLE = Path(__file__).parent.parent / "examples" / "workspace"
QUESTION = "which router do we use at home?"
_NUMPY = "python, import numpy"
_SEARCH = "memdown search (cold)"
_HELP = "memdown --help"


def run(repeats: int = 15) -> None:
    """Time each command `repeats` times in turn, so that noise hits all of them alike."""
    python, memdown = sys.executable, str(Path(sys.executable).with_name("memdown"))
    before = calibrate()
    with tempfile.TemporaryDirectory() as state:
        environ = {**os.environ, "MEMDOWN_STATE_DIR": state}
        # An installed package is compiled already; without this every start would compile all of it.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        commands = {
            "python, nothing": [python, "-c", "pass"],
            _NUMPY: [python, "-c", "import numpy"],
            _HELP: [memdown, "--help"],
            _SEARCH: [memdown, "search", QUESTION, "--workspace", str(EXAMPLE)],
        }
        run_command([memdown, "index", "--workspace", str(EXAMPLE)], environ)
        taken: dict[str, list[Timing]] = {name: [] for name in commands}
        for command in commands.values():
            run_command(command, environ)
        for _ in range(repeats):
            for name, command in commands.items():
                taken[name].append(run_command(command, environ))
        numpy_in_help = _imports_numpy([python, "-X", "importtime", memdown, "--help"], environ)
    medians = {name: middle(timings) for name, timings in taken.items()}
    base = medians[_NUMPY].cpu
    print(
        table(
            f"start-up (medians of {repeats}, ms)",
            ("command", "wall", "CPU", "CPU / import numpy"),
            [
                (name, milliseconds(t.wall), milliseconds(t.cpu), f"{t.cpu / base:.2f}")
                for name, t in medians.items()
            ],
        )
    )
    ratio = medians[_SEARCH].cpu / base
    print(f"cold search below 3 × import numpy: {'yes' if ratio < 3 else 'NO'} ({ratio:.2f})")
    print(f"--help imports no numpy: {'NO, it does' if numpy_in_help else 'yes'}")
    save(
        "startup",
        {
            "repeats": repeats,
            "commands": {name: asdict(timing) for name, timing in medians.items()},
            "search_over_numpy": ratio,
            "help_imports_numpy": numpy_in_help,
            "calibration": describe(before, calibrate()),
        },
    )


def _imports_numpy(command: list[str], environ: dict[str, str]) -> bool:
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return any(line.rpartition("|")[2].strip() == "numpy" for line in done.stderr.splitlines())
