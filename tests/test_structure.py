"""The shape of the package: public names, one direction of imports, nothing heavy at start-up."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import memdown

PACKAGE = Path(memdown.__file__).parent

PUBLIC = """
Answer BadAnswer Citation ConfigError DiskFull EmbedderError Excerpt Failure Hit IndexBusy
ImportFailed IndexCorrupt IndexTooNew MemdownError Memory MissingExtra MissingKey NoteNotFound PathRefused
Progress ProviderTimeout QueryError QuotaExhausted RateLimited RefusedKey SecretFound SessionError SessionNotFound
Status StoreError SyncReport Unreachable WorkspaceError
""".split()

# Each step may import those above it in this list, never its neighbour on the same step.
STEPS = (
    {"types", "errors", "http_server"},
    {"files"},
    {"text", "config"},
    {"notes", "transcripts", "embedders"},
    {"index"},
    {"search"},
    {"backends"},
    {"opening"},
    {"memory"},
    {"facts"},
    {"agent", "imports", "evaluation", "doctor", "shapes", "testing"},
    {"mcp", "web"},
    {"cli"},
)


def level(module: str) -> int:
    return next(number for number, names in enumerate(STEPS) if module in names)


def imports(file: Path) -> set[str]:
    """The top-level parts of memdown that a file imports at run time."""
    tree = ast.parse(file.read_text())
    typing_only = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "memdown":
            found |= {alias.name for alias in node.names if not alias.name.startswith("_")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("memdown.")}
    return found


def test_the_public_names_are_these() -> None:
    assert sorted(memdown.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(memdown, name) is not None


def test_imports_point_one_way() -> None:
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {other}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if (part := file.relative_to(PACKAGE).parts[0].removesuffix(".py"))
        not in ("__init__", "__main__")
        for other in imports(file)
        if other != part and level(other) >= level(part)
    ]
    assert wrong == []


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    return set(output.splitlines()[-1].split())


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom memdown.cli import run\n"
        "assert run(['--help']) == 0\nassert run(['search', '--help']) == 0"
    )
    assert not loaded_by(code) & {"numpy", "apsw", "tokenizers", "pydantic", "pyjson5", "httpx"}


def test_a_search_without_a_configuration_file_loads_no_validation() -> None:
    assert not loaded_by("import memdown.memory") & {"pydantic", "pyjson5", "httpx", "watchfiles"}
