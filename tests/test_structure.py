"""The shape of the package: public names, one direction of imports, nothing heavy at start-up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import memdown
from memdown import errors

PACKAGE = Path(memdown.__file__).parent
TESTS = Path(__file__).parent

# Besides every error.
PUBLIC = (
    "Answer",
    "Citation",
    "Excerpt",
    "Failure",
    "Hit",
    "Memory",
    "Progress",
    "Status",
    "SyncReport",
)

# This number may only fall (docs/design.md says why it is not 180).
MOST_MODULES = 283

# What stands in tests/ beside the mirror of the rooms.
ACROSS_ROOMS = {"browser", "contracts", "faults", "plugins"}

# Each step may import those above it in this list, never its neighbour on the same step.
STEPS = (
    {"values"},
    {"types", "errors", "http_server", "validation"},
    {"files", "tuning"},
    {"text", "config"},
    {"notes", "transcripts", "embedders"},
    {"index"},
    {"search"},
    {"backends"},
    {"opening"},
    {"memory"},
    {"facts", "shapes"},
    {"agent", "imports", "evaluation", "doctor", "testing"},
    {"mcp", "web"},
    {"cli"},
)


def level(module: str) -> int:
    return next(number for number, names in enumerate(STEPS) if module in names)


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def imports(file: Path) -> set[str]:
    """The top-level parts of memdown that a file imports at run time."""
    tree = parsed(file)
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
    assert sorted(memdown.__all__) == sorted((*PUBLIC, *error_names()))
    for name in memdown.__all__:
        assert getattr(memdown, name) is not None


def error_names() -> list[str]:
    return [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.MemdownError)
    ]


def classes() -> list[tuple[str, ast.ClassDef]]:
    """Every class of a module, with the module."""
    return [
        (str(file.relative_to(PACKAGE)), node)
        for file in sorted(PACKAGE.rglob("*.py"))
        for node in parsed(file).body
        if isinstance(node, ast.ClassDef)
    ]


def test_every_error_stands_in_the_tree() -> None:
    """What can be caught is in one file; its tree names every class and no other."""
    known = set(error_names())
    elsewhere = [
        f"{module}: {node.name}"
        for module, node in classes()
        if module != "errors.py"
        and any(isinstance(base, ast.Name) and base.id in known for base in node.bases)
    ]
    assert elsewhere == []
    drawn = re.findall(
        r"^[│├└─ ]*(\w+)(?: {2,}|$)", (errors.__doc__ or "").split("\n\n")[1], re.MULTILINE
    )
    assert sorted(drawn) == sorted(known)


def test_the_facade_stays_small() -> None:
    lines = (PACKAGE / "memory.py").read_text().count("\n")
    public = [name for name in vars(memdown.Memory) if not name.startswith("_")]
    assert lines <= 200
    assert len(public) <= 15, public


def test_the_rooms_are_those_of_the_design() -> None:
    here = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    rooms = set().union(*STEPS)
    assert here - {"__init__", "__main__", "__pycache__"} == rooms
    mirrored = {path.name for path in TESTS.iterdir() if path.is_dir()} - ACROSS_ROOMS
    assert mirrored - {"__pycache__"} <= rooms


def test_no_name_is_a_verb_of_perception() -> None:
    """Mechanics are not told, noticed or seen; what such a name stands for can be said."""
    verbs = re.compile(r"(^|_)(told|telling|noticed|noticing|heard|held|seen)(_|$)")
    modules = [str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py")]
    wrong = [module for module in modules if verbs.search(Path(module).stem)]
    wrong += [
        f"{file.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and verbs.search(node.name)
    ]
    assert wrong == []


def test_numbers_that_tune_ranking_stand_in_one_value() -> None:
    """In `tuning.py`, with what chose them; how much is read or kept may be said where it is done."""
    elsewhere = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}"
        for file in sorted((PACKAGE / "search").glob("*.py"))
        for node in parsed(file).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for value in ast.walk(node)
        if isinstance(value, ast.Constant) and isinstance(value.value, float)
    ]
    assert elsewhere == []


def test_there_are_not_ever_more_modules_and_names() -> None:
    assert len(list(PACKAGE.rglob("*.py"))) <= MOST_MODULES
    names = Counter(node.name for _, node in classes() if not node.name.startswith("_"))
    assert [name for name, count in names.items() if count > 1] == []


def test_every_function_and_class_is_used() -> None:
    """By the package itself, a benchmark or a plugin; tests alone keep nothing alive."""
    used_by = (PACKAGE, TESTS.parent / "bench", TESTS / "plugins")
    files = [
        file for folder in used_by for file in folder.rglob("*") if file.suffix in {".py", ".j2"}
    ]
    words = Counter(word for file in files for word in re.findall(r"\w+", file.read_text()))
    unused = [
        f"{file.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for file in PACKAGE.rglob("*.py")
        for node in parsed(file).body
        if file.parent.name != "testing"
        and isinstance(node, ast.FunctionDef | ast.ClassDef)
        and words[node.name] == 1
        and not node.decorator_list
        and not node.name.startswith("__")
    ]
    assert unused == []


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


def test_no_room_below_opening_sees_the_settings() -> None:
    """They get plain values; what stands above reads `memory.settings`."""
    own_section = {
        "backends/qmd/commands.py",
        "backends/qmd/sidecar.py",
        "backends/qmd/collections.py",
    }
    seen = [
        f"{place}: {alias.name}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if (place := str(file.relative_to(PACKAGE)))
        and (part := file.relative_to(PACKAGE).parts[0].removesuffix(".py")) != "config"
        and part not in ("__init__", "__main__")
        and level(part) < level("opening")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown.config")
        for alias in node.names
        if alias.name.endswith("Settings") and place not in own_section
    ]
    assert seen == []


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


def test_a_search_loads_nothing_that_only_writing_needs(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- The router is an ER605.\n")
    ask = ["search", "router", "--workspace", str(tmp_path)]
    environ = f"import os\nos.environ['MEMDOWN_STATE_DIR'] = {str(tmp_path / 'state')!r}"
    code = f"{environ}\nfrom memdown.cli import run\nassert run({ask}) == 0"
    # The first search makes the index; the second only reads it.
    loaded_by(code)
    writing = {"notes.editing", "notes.remembering", "text.redaction", "index.pipeline", "facts"}
    assert not loaded_by(code) & {f"memdown.{module}" for module in writing}


def test_the_map_names_places_that_exist() -> None:
    text = (TESTS.parent / "docs/architecture.md").read_text()
    places = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+(?:\.py|/))`", text))
    missing = [
        place
        for place in places
        if not (PACKAGE / place).exists() and not (TESTS.parent / place).exists()
    ]
    assert missing == []


def test_the_map_names_functions_and_classes_that_exist() -> None:
    """`Index.freshen` is a method of `Index`, and `compare` a function or a class."""
    methods: dict[str, set[str]] = {}
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.ClassDef):
                inside = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
                methods.setdefault(node.name, set()).update(inside)
            elif isinstance(node, ast.FunctionDef):
                methods.setdefault(node.name, set())
    text = (TESTS.parent / "docs/architecture.md").read_text()
    tables = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    named = re.findall(r"`([A-Za-z_]\w*(?:\.[a-z_]\w*)?)`", tables)
    wrong = [
        name
        for name in named
        if not name.endswith(".py") and name != "qmd"
        if (owner := name.partition(".")[0]) not in methods
        or ("." in name and name.partition(".")[2] not in methods[owner])
    ]
    assert wrong == []
