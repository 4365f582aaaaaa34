"""Templates: what every page knows, and a few ways to write values."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from memdown.web.rendering import note_url
from memdown.web.site import Site

HERE = Path(__file__).parent
STATIC = HERE / "static"
_MARK = re.compile(r"^\s*(?:[-*+]|#{1,6})\s+")
_THEMES = frozenset({"light", "dark"})


def static_version(folder: Path) -> str:
    """A digest of all static files, so that browsers may keep them until they change."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def count(number: float, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 note", "2 notes"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(date: datetime.date, today: datetime.date) -> str:
    """A day as people say it."""
    days = (today - date).days
    if days == 0:
        return "today"
    if days == 1:
        return "yesterday"
    if 1 < days < 14:
        return f"{days} days ago"
    if 14 <= days < 60:
        return f"{days // 7} weeks ago"
    if 60 <= days < 730:
        return f"{round(days / 30.4)} months ago"
    return f"{days // 365} years ago" if days > 0 else f"in {count(-days, 'day')}"


def size(number: float) -> str:
    """Bytes as people read them."""
    for unit in ("bytes", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def moment(seconds: float) -> str:
    """A time in the zone of whoever looks at it."""
    local = datetime.datetime.fromtimestamp(seconds, datetime.UTC).astimezone()
    return local.strftime("%-d %B %Y, %H:%M")


def unbulleted(text: str) -> str:
    """A line of a note without the mark that begins it."""
    return _MARK.sub("", text)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {"version": static_version(STATIC), "note_url": note_url}
    environment.filters |= {
        "count": count,
        "ago": ago,
        "size": size,
        "unbulleted": unbulleted,
        "moment": moment,
    }
    return environment


_templates = _environment()


def render(name: str, values: Mapping[str, Any]) -> str:
    """One template as text."""
    return _templates.get_template(name).render(values)


def page(
    site: Site, request: Request, name: str, values: Mapping[str, Any], *, status: int = 200
) -> Response:
    """A whole page or a part of one, with what every template may use."""
    theme = request.cookies.get("memdown_theme", "")
    shared = {
        "csrf": site.access.csrf,
        "read_only": site.read_only,
        "revision": site.revision,
        "theme": theme if theme in _THEMES else "",
        "today": site.today(),
        "folder": site.folder.name or str(site.folder),
        "query": "",
        "section": "",
    }
    return HTMLResponse(render(name, {**shared, **values}), status)
