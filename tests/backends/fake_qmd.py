"""A stand-in for `qmd` that does what a file tells it: answer, fail, hang, babble.

It keeps its collections and counts its calls in its configuration folder, and prints what the real
one prints, as recorded from version 2.8.3.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main(arguments: list[str]) -> int:
    home = Path(os.environ["QMD_CONFIG_DIR"])
    mood = Path(os.environ["FAKE_QMD_MOOD"])
    with (home / "calls").open("a") as calls:
        calls.write(json.dumps(arguments) + "\n")
    moods = dict(line.split("=", 1) for line in mood.read_text().split("\n") if "=" in line)
    how = moods.get(arguments[0], "")
    if how == "slow":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        (home / "child").write_text(str(child.pid))
        time.sleep(600)
    if how == "slowish":
        time.sleep(1.5)
    if how == "crash":
        os.kill(os.getpid(), 9)
    if how == "exit":
        print("SqliteError: database is locked", file=sys.stderr)
        return 1
    if how == "damaged" and (Path(os.environ["INDEX_PATH"])).exists():
        print("SqliteError: file is not a database\n    at Database.exec", file=sys.stderr)
        return 1
    if how == "garbage":
        print("Expanding query... \x1b[?25l not JSON")
        return 0
    if how == "half":
        print('[{"docid": "#1b7694", "score": 0.7, "file": "qmd://memory-dir/ho')
        return 0
    if how == "shape":
        print('[{"score": "high"}]')
        return 0
    if how == "flood":
        block = "x" * 1_000_000
        while True:
            print(block)
    return answer(arguments, home)


def answer(arguments: list[str], home: Path) -> int:
    made = home / "made.json"
    collections = json.loads(made.read_text()) if made.exists() else {}
    if arguments[:2] == ["collection", "list"]:
        print(f"Collections ({len(collections)}):\n")
        for name in collections:
            print(f"{name} (qmd://{name}/)\n  Pattern:  {collections[name][1]}\n")
    elif arguments[:2] == ["collection", "remove"]:
        del collections[arguments[2]]
    elif arguments[:2] == ["collection", "add"]:
        folder, name, mask = arguments[2], arguments[4], arguments[6]
        if name in collections:
            print(f"Collection '{name}' already exists.", file=sys.stderr)
            return 1
        collections[name] = [folder, mask]
        Path(os.environ["INDEX_PATH"]).write_text("index")
    elif arguments[0] in ("search", "vsearch", "query"):
        print(json.dumps(found(arguments[arguments.index("--") + 1], collections)))
    made.write_text(json.dumps(collections))
    return 0


def found(query: str, collections: dict[str, list[str]]) -> list[dict[str, object]]:
    """Every file that holds all words, with the lines around the first."""
    hits: list[dict[str, object]] = []
    for name, (folder, mask) in collections.items():
        for file in sorted(Path(folder).glob(mask)):
            text = file.read_text()
            words = query.lower().split()
            if all(word in text.lower() for word in words):
                lines = text.split("\n")
                at = next(i for i, line in enumerate(lines) if words[0] in line.lower())
                shown = lines[max(0, at - 1) : at + 2]
                head = f"@@ -{max(0, at - 1) + 1},{len(shown)} @@ (0 before, 0 after)"
                place = file.relative_to(folder).as_posix()
                hits.append(
                    {
                        "docid": "#1b7694",
                        "score": 0,
                        "file": f"qmd://{name}/{place}",
                        "line": at + 1,
                        "title": file.stem,
                        "snippet": "\n".join([head, *shown]),
                    }
                )
    return hits


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
