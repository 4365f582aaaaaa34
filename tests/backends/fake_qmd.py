"""A stand-in for `qmd` that does what a file tells it: answer, fail, hang, babble.

It keeps its collections and counts its calls in its configuration folder, and prints what the real
one prints, as recorded from version 2.8.3.
It is started hundreds of times, so what takes long to load is loaded where it is needed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from contextlib import closing


def main(arguments: list[str]) -> int:
    home = os.environ["QMD_CONFIG_DIR"]
    with open(f"{home}/calls", "a") as calls:
        calls.write(json.dumps(arguments) + "\n")
    mood = read(os.environ["FAKE_QMD_MOOD"])
    moods = dict(line.split("=", 1) for line in mood.split("\n") if "=" in line)
    how = moods.get(arguments[0], "")
    if how == "slow":
        import subprocess

        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open(f"{home}/child", "w") as file:
            file.write(str(child.pid))
        time.sleep(600)
    if how == "slowish":
        time.sleep(1.5)
    if how == "crash":
        os.kill(os.getpid(), 9)
    if how == "exit":
        print("SqliteError: database is locked", file=sys.stderr)
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
    try:
        with closing(opened()) as db, db:
            return answer(arguments, home, db)
    except sqlite3.DatabaseError as error:
        print(f"SqliteError: {error}\n    at Database.exec (native)", file=sys.stderr)
        return 1


def opened() -> sqlite3.Connection:
    """Its index, a file of SQLite as that of the real one: whoever damages it sees the same."""
    db = sqlite3.connect(os.environ["INDEX_PATH"])
    db.execute("CREATE TABLE IF NOT EXISTS documents (collection, folder, path, body)")
    return db


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def answer(arguments: list[str], home: str, db: sqlite3.Connection) -> int:
    made = f"{home}/made.json"
    collections = json.loads(read(made)) if os.path.exists(made) else {}
    if arguments[:2] == ["collection", "list"]:
        print(f"Collections ({len(collections)}):\n")
        for name in collections:
            print(f"{name} (qmd://{name}/)\n  Pattern:  {collections[name][1]}\n")
    elif arguments[:2] == ["collection", "remove"]:
        del collections[arguments[2]]
        db.execute("DELETE FROM documents WHERE collection = ?", (arguments[2],))
    elif arguments[:2] == ["collection", "add"]:
        folder, name, mask = arguments[2], arguments[4], arguments[6]
        if name in collections:
            print(f"Collection '{name}' already exists.", file=sys.stderr)
            return 1
        collections[name] = [folder, mask]
        index(db, collections)
    elif arguments[0] == "update":
        index(db, collections)
    elif arguments[0] in ("search", "vsearch", "query"):
        print(json.dumps(found(arguments[arguments.index("--") + 1], db)))
    with open(made, "w") as file:
        file.write(json.dumps(collections))
    return 0


def index(db: sqlite3.Connection, collections: dict[str, list[str]]) -> None:
    from pathlib import Path

    db.execute("DELETE FROM documents")
    for name, (folder, mask) in collections.items():
        for file in sorted(Path(folder).glob(mask)):
            place = file.relative_to(folder).as_posix()
            row = (name, folder, place, file.read_text())
            db.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", row)


def found(query: str, db: sqlite3.Connection) -> list[dict[str, object]]:
    """Every indexed file that holds all words, with the lines around the first."""
    hits: list[dict[str, object]] = []
    words = query.lower().split()
    for name, place, text in db.execute("SELECT collection, path, body FROM documents"):
        if all(word in text.lower() for word in words):
            lines = text.split("\n")
            at = next(i for i, line in enumerate(lines) if words[0] in line.lower())
            shown = lines[max(0, at - 1) : at + 2]
            head = f"@@ -{max(0, at - 1) + 1},{len(shown)} @@ (0 before, 0 after)"
            hits.append(
                {
                    "docid": "#1b7694",
                    "score": 0,
                    "file": f"qmd://{name}/{place}",
                    "line": at + 1,
                    "title": place.rpartition("/")[2].removesuffix(".md"),
                    "snippet": "\n".join([head, *shown]),
                }
            )
    return hits


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
