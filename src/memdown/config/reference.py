"""The reference of all keys, docs/configuration.md, written from the settings themselves.

Run `python -m memdown.config.reference > docs/configuration.md` after a change.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator

from memdown.config.keys import Key, plain, walk
from memdown.config.load import IGNORED
from memdown.config.places import CONFIG_NAMES
from memdown.config.search_settings import MemorySearch
from memdown.config.settings import (
    CompactionSettings,
    MemorySection,
    PluginSlots,
    ProviderSettings,
    SandboxSettings,
)
from memdown.config.workspaces import LIST_NAME, MARKER

SECTIONS: tuple[tuple[str, type], ...] = (
    ("agents.defaults.memorySearch", MemorySearch),
    ("agents.defaults.compaction", CompactionSettings),
    ("agents.defaults.sandbox", SandboxSettings),
    ("memory", MemorySection),
    ("models.providers.<provider>", ProviderSettings),
    ("plugins.slots", PluginSlots),
)

_INTRODUCTION = f"""\
# Configuration

<!-- Written by `python -m memdown.config.reference`; change the settings, not this page. -->

Memdown needs no configuration. What you want otherwise goes into a JSON5 file (comments, trailing
commas and unquoted keys are fine), for example:

```json5
{{
  agents: {{
    defaults: {{
      workspace: "~/notes",
      memorySearch: {{
        provider: "openai",
        remote: {{ apiKey: "${{OPENAI_API_KEY}}" }},
        query: {{ maxResults: 10 }},
      }},
    }},
    list: [{{ id: "work", memorySearch: {{ query: {{ maxResults: 20 }} }} }}],
  }},
}}
```

`memdown config show` prints what is in effect, with secrets masked. One key at a time:

```bash
memdown config set workspace ~/notes        # your default workspace
memdown config set query.maxResults 10      # the end of a name is enough where it is the only one
memdown config get query.maxResults
memdown config unset query.maxResults
memdown config path                         # the file
```

The file is checked before it is written, and its comments stay. A mistake is told, and nothing is
written.

## Which file

The first of: `--config FILE`; the environment variable `MEMDOWN_CONFIG`; `{CONFIG_NAMES[0]}`, then
`{CONFIG_NAMES[1]}`, in the state folder. A file that is named must exist. The file of OpenClaw can be
used as it is: `--config ~/.openclaw/openclaw.json`. Its default workspace (`workspace` beside it, or
`workspace-<agent>`) and the API keys in its auth profiles (`agents/<agent>/agent/auth-profiles.json`)
are then found, too; see [differences.md](differences.md).

The state folder is `MEMDOWN_STATE_DIR`, or `~/.memdown`.

The workspace is the first of: `--workspace FOLDER`; the current folder or the nearest one above it
that is a workspace; `workspace` of the agent's entry in `agents.list`; `agents.defaults.workspace`;
`workspace` in the state folder. A relative workspace in the file is taken from the folder of the
file. `~` is the home folder.

- A folder is a workspace if you ran `memdown init` in it, which puts it on the list `{LIST_NAME}` in
  the state folder; for commands that you type also if it has `MEMORY.md`, `memory.md` or
  `{MARKER}`. A folder called `memory` alone is no sign: many source trees have one.
- Hooks, MCP servers, `memdown chat` and Python take only a folder that you named or ran `memdown init`
  in, never one for its files: those come with a cloned repository, too. See [agents.md](agents.md).
- The way up ends at the home folder. A folder above that belongs to somebody else is not taken.

## One workspace

`memdown init` in a folder that has Markdown, such as an Obsidian vault or a docs folder, adopts it:
all its `.md` files count where they stand. It adds one file, `{MARKER}`, which is safe to commit:

```json5
{{
  adopt: true,              // all Markdown of this folder counts, not only MEMORY.md and memory/
  extraPaths: ["docs/x"],   // more files and folders, inside this folder only
}}
```

Nothing else is read from it, since it may come with somebody else's repository: it can start no
program, name no server and no place outside of its folder. A running server reads it when it starts.

`memdown config set --here extraPaths '["docs", "~/team"]'` sets the extra paths of one workspace. Those
outside of it are kept in `{LIST_NAME}` in the state folder.

What is left out: hidden files and folders, `node_modules`, and what `.gitignore` and `.memdownignore`
say, in each folder, in the syntax of the former.

- `.memdownignore` wins: `!private/` in it brings back what `.gitignore` leaves out.
- `.gitignore` never leaves out `MEMORY.md` and `memory/`: many people keep just these out of a
  repository. In extra paths those in the named folder and below it count.
- `memdown index` says how many notes and folders were left out.

## Rules

- `agents.defaults.memorySearch` is for every agent. The entry of `agents.list` with the agent's `id`
  wins over it, key by key. Ids are not case-sensitive.
- `${{NAME}}` in a text is replaced by the environment variable; one that is not set is an error;
  `$${{NAME}}` stays `${{NAME}}`. Under `models.providers` a missing variable matters only when the
  provider is named by `provider` or `fallback`.
- An unknown key inside `memorySearch`, `memoryFlush` or `qmd`, or a value of the wrong type, is an
  error that names the file, the key and the nearest valid key. Other keys of the file are left alone.
- A number outside its limits counts as the nearest limit; a negative one is an error, and so is 0
  where the limit is "above 0".
- `vectorWeight` and `textWeight` are scaled to a sum of 1. With one given, the other is the rest.
- A blank text counts as not set. When a key stands twice in an object, the last one counts.
- `MEMDOWN_CHAT` (`direct`, `group`, `channel`) and `MEMDOWN_SESSION_KEY` tell in which chat Memdown is
  used, for `memory.citations` and `memory.qmd.scope`; see [qmd.md](qmd.md).
- API keys, headers and store addresses never appear in errors, logs or `memdown config show`.

## Keys

The workspace: `agents.defaults.workspace` and `agents.list[].workspace`.
"""


def render() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_tables(), *_unused()])


def _tables() -> Iterator[str]:
    for title, section in SECTIONS:
        yield f"### `{title}`\n"
        yield "| key | default | limits | meaning |"
        yield "|---|---|---|---|"
        for key in walk(section):
            if not key.branch:
                yield f"| `{key.path}` | {_default(key)} | {_limits(key)} | {_meaning(key)} |"
        yield ""


def _unused() -> Iterator[str]:
    yield "## Keys of OpenClaw that Memdown ignores\n"
    yield "They may stand in the file and change nothing:\n"
    titles = {section: title for title, section in SECTIONS}
    for section, keys in IGNORED.items():
        yield f"- `{titles[section]}`: " + ", ".join(f"`{key}`" for key in keys)
    yield ""


def _default(key: Key) -> str:
    default = key.field.default
    if key.field.default_factory is not dataclasses.MISSING:
        default = key.field.default_factory()
    if default is dataclasses.MISSING:
        return "required"
    if default is None:
        return "unset"
    return f"`{json.dumps(_short(plain(default)), ensure_ascii=False)}`"


def _short(value: object) -> object:
    """The value without what is unset in it, and whole numbers without a fraction."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _limits(key: Key) -> str:
    facts = key.field.metadata
    low, high, above = facts.get("low"), facts.get("high"), facts.get("gt")
    start = f"above {above:g}" if above is not None else f"{low:,}" if low is not None else ""
    if high is None:
        return f"from {start}" if start else ""
    return f"{start}, up to {high:,}" if above is not None else f"{start} – {high:,}"


def _meaning(key: Key) -> str:
    zero = " 0: the default." if key.field.metadata["zero_is_default"] else ""
    return f"{key.field.metadata['description']}{zero}".replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render())
