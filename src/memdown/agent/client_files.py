"""Small edits in the files of other programs: shown first, everything else kept, a copy beside it."""

from __future__ import annotations

import datetime
import difflib
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memdown.errors import ConfigError
from memdown.files import replace_file
from memdown.text import json5_text

_MAX_BYTES = 64 * 1024 * 1024
_MOST_BACKUPS = 20


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file says and what it would say; None where there is none.

    Of a file that is all `ours` no copy is kept.
    """

    file: Path
    before: str | None
    after: str | None
    ours: bool = False

    @property
    def needed(self) -> bool:
        """Whether the file has to be written at all."""
        return (
            self.before != self.after if self.after is None else (self.before or "") != self.after
        )

    def difference(self) -> str:
        """The change as a unified diff."""
        old = (self.before or "").splitlines(keepends=True)
        new = (self.after or "").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, str(self.file), str(self.file))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def plan_change(file: Path, edit: Callable[[str], str | None]) -> FileChange:
    """What `edit` would make of a file, None to remove it; a missing file counts as empty."""
    before = _read(file)
    try:
        after = edit(before or "")
        return FileChange(file, before, after or None if before is None else after)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def as_it_was(file: Path, text: str, parse: Callable[[str], Any]) -> str | None:
    """The text of the latest kept copy that says the same, layout included; else the text itself.

    None if nothing is left and no copy was ever kept: then there was no file before ours.
    """
    wanted = parse(text)
    backups = sorted(file.parent.glob(f"{file.name}.memdown-*"), reverse=True)
    for backup in backups[:_MOST_BACKUPS]:
        try:
            kept = _read(backup)
            if kept is not None and parse(kept) == wanted:
                return kept
        except ConfigError:
            continue
    return None if not backups and _is_empty(wanted) else text


def _is_empty(data: Any) -> bool:
    return data == {} or (isinstance(data, dict) and all(map(_is_empty, data.values())))


def apply_change(change: FileChange, *, keep: bool = True) -> Path | None:
    """Write the file; where the copy of the old one is, if there was one and it is to be kept.

    The file is replaced as a whole, so no program ever reads half of it. A link, as people keep
    their dotfiles, stays a link. If the file changed since it was shown, nothing is written.
    """
    if not change.needed:
        return None
    target = Path(os.path.realpath(change.file))
    try:
        if _read(change.file) != change.before:
            raise ConfigError(f"{change.file} was changed by another program; run this again.")
        target.parent.mkdir(parents=True, exist_ok=True)
        keep = keep and not change.ours and change.after is not None
        backup = _back_up(target, change.before) if keep and change.before is not None else None
        if change.after is None:
            target.unlink(missing_ok=True)
        else:
            replace_file(target, change.after.encode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{change.file} cannot be written ({error.strerror}); it was left as it is."
        ) from None
    return backup


def _read(file: Path) -> str | None:
    try:
        with file.open("rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); check it.") from None
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{file} is too large to be a configuration file; check it.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not UTF-8 text; check it.") from None


def _back_up(file: Path, text: str) -> Path:
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-%f")  # noqa: DTZ005
    backup = file.with_name(f"{file.name}.memdown-{stamp}")
    mode = file.stat().st_mode & 0o777
    descriptor = os.open(backup, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as handle:
        handle.write(text)
    return backup


def parse_json(text: str) -> Any:
    """The value of JSON text that may have comments and trailing commas; {} for empty text."""
    if json5_text.is_blank(text):
        return {}
    try:
        return json5_text.loads(text)
    except json5_text.BadJson5:
        raise ConfigError("it is not valid JSON; correct it first") from None


def set_member(text: str, path: Sequence[str], value: Any, *, json5: bool = False) -> str:
    """The text with the member at `path` set; objects on the way are made if they are missing.

    Everything else stays as it is, comments included. `json5` is the style of a file without keys.
    """
    wanted = parse_json(text)
    inner = wanted
    for depth, name in enumerate(path):
        if not isinstance(inner, dict):
            raise ConfigError(
                f"{'.'.join(path[:depth]) or 'the file'} is no object; edit it by hand"
            )
        inner = inner.setdefault(name, {}) if depth < len(path) - 1 else inner
    if path[-1] in inner and inner[path[-1]] == value:
        return text
    inner[path[-1]] = value
    return _proven(
        lambda: json5_text.with_value(text, path, value, strict=not json5), parse_json, wanted
    )


def remove_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`; unchanged if there is none."""
    wanted = parse_json(text)
    inner = value_at(wanted, path[:-1])
    if not isinstance(inner, dict) or path[-1] not in inner:
        return text
    del inner[path[-1]]
    return _proven(lambda: json5_text.without_key(text, path), parse_json, wanted)


def value_at(data: Any, path: Sequence[str]) -> Any:
    """The value at a path of keys; None if there is none."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def parse_toml(text: str) -> dict[str, Any]:
    """The data of TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"it is not valid TOML ({error}); correct it first") from None


def set_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """The text with the table `path` holding exactly `values`, in place or at the end."""
    import tomlkit

    wanted = parse_toml(text)
    if value_at(wanted, path) == values:
        return text
    document = tomlkit.parse(text)
    inner, plain = cast("dict[str, Any]", document), wanted
    for depth, name in enumerate(path[:-1]):
        if name not in inner:
            inner[name] = tomlkit.table(is_super_table=True)
        inner, plain = inner[name], plain.setdefault(name, {})
        if not isinstance(plain, dict):
            raise ConfigError(f"{'.'.join(path[: depth + 1])} is no table; edit it by hand")
    inner[path[-1]] = plain[path[-1]] = dict(values)
    return _proven(lambda: tomlkit.dumps(document), parse_toml, wanted)


def remove_table(text: str, path: Sequence[str]) -> str:
    """The text without the table `path`, and without those above it that only existed through it."""
    import tomlkit

    wanted = parse_toml(text)
    if value_at(wanted, path) is None:
        return text
    document = tomlkit.parse(text)
    for depth in range(len(path), 0, -1):
        above = path[: depth - 1]
        inner, plain = cast("Any", value_at(document, above)), value_at(wanted, above)
        if depth < len(path) and plain[path[depth - 1]]:
            break
        del inner[path[depth - 1]], plain[path[depth - 1]]
    return _proven(lambda: tomlkit.dumps(document), parse_toml, wanted)


def set_default(text: str, key: str, value: int, why: str) -> str:
    """The text with a value at the top, and why; one that stands there already stays."""
    import tomlkit

    wanted = parse_toml(text)
    if key in wanted:
        return text
    document = tomlkit.parse(text)
    document[key] = tomlkit.item(value).comment(why)
    return _proven(lambda: tomlkit.dumps(document), parse_toml, {**wanted, key: value})


def remove_default(text: str, key: str, why: str) -> str:
    """The text without what `set_default` added; a value that somebody else set stays."""
    import tomlkit

    document, wanted = tomlkit.parse(text), parse_toml(text)
    found = document.get(key)
    if not isinstance(found, tomlkit.items.Item) or why not in found.trivia.comment:
        return text
    del document[key], wanted[key]
    return _proven(lambda: tomlkit.dumps(document), parse_toml, wanted)


def _proven(edit: Callable[[], str | None], parse: Callable[[str], Any], wanted: Any) -> str:
    """What an edit makes of a text, if that says what is wanted."""
    try:
        text = edit()
        if text is not None and parse(text) == wanted:
            return text
    except (json5_text.BadJson5, ConfigError, ValueError, IndexError):
        pass
    raise ConfigError("it is laid out in a way that cannot be edited safely; edit it by hand")
