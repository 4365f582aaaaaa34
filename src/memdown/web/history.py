"""What a note was before, where the workspace is a git repository.

Anyone who can write into the workspace can write its git settings, and those can name programs to
run. So git is only asked to read, with every setting that starts a program turned off.
"""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from memdown.errors import NoteNotFound

MOST_CHANGES = 200
_SECONDS = 10
_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "protocol.allow=never",
    "diff.external=",
)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Change:
    """One commit that changed a note."""

    commit: str
    date: datetime.datetime
    author: str
    subject: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a difference: `kind` is "+", "-", " " or "@"."""

    kind: str
    text: str


def is_versioned(workspace: Path) -> bool:
    """Whether the workspace lies in a git work tree."""
    return (_git(workspace, "rev-parse", "--is-inside-work-tree") or "").strip() == "true"


def changes(workspace: Path, path: str) -> list[Change]:
    """The commits that changed a note, newest first; renames are followed."""
    if path.startswith("/"):
        return []
    output = _git(
        workspace,
        "log",
        "--follow",
        f"--max-count={MOST_CHANGES}",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--numstat",
        "--format=%x1e%H%x1f%at%x1f%an%x1f%s",
        "--",
        path,
    )
    return [_change(record) for record in (output or "").split("\x1e") if record.strip()]


def difference(workspace: Path, path: str, commit: str) -> list[Line]:
    """What a commit changed in a note."""
    if not _COMMIT.fullmatch(commit) or path.startswith("/"):
        raise NoteNotFound(
            f"There is no version {commit[:40]!r} of {path}; choose one of the list."
        )
    output = _git(
        workspace,
        "log",
        "--follow",
        "--max-count=1",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--patch",
        "--format=",
        commit,
        "--",
        path,
    )
    if output is None:
        raise NoteNotFound(f"There is no version {commit[:12]} of {path}; choose one of the list.")
    lines: list[Line] = []
    inside = False
    for text in output.split("\n"):
        if text.startswith("@@"):
            inside = True
            lines.append(Line("@", text.split("@@")[1].strip()))
        elif inside and text[:1] in ("+", "-", " "):
            lines.append(Line(text[0], text[1:]))
    return lines


def _change(record: str) -> Change:
    head, _, numbers = record.strip().partition("\n")
    commit, when, author, subject = (*head.split("\x1f"), "", "", "")[:4]
    added, removed = (*numbers.strip().split("\t"), "0", "0")[:2]
    return Change(
        commit=commit,
        date=datetime.datetime.fromtimestamp(int(when), datetime.UTC),
        author=author,
        subject=subject,
        added=int(added) if added.isdecimal() else 0,
        removed=int(removed) if removed.isdecimal() else 0,
    )


def _git(workspace: Path, *arguments: str) -> str | None:
    """What git prints, or None where there is no git, no repository or no answer."""
    settings = [part for setting in _OFF for part in ("-c", setting)]
    environ = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        # A setting of the repository would win over the one above; nothing wins over this.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            ["git", "--no-pager", "--literal-pathspecs", *settings, *arguments],
            cwd=workspace,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
