"""Plots as SVG: lines over logarithmic axes, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 190, 44, 52
_COLOURS = ("#2f6fdf", "#d9622b", "#2a9d63", "#a64ac9", "#c9a227", "#d23f6a", "#3aa6b9", "#7a7f87")
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#6b7280}.title{font-size:15px;font-weight:600}"
    ".grid{stroke:#8885;stroke-width:1}.line{fill:none;stroke-width:2.2}"
    "@media(prefers-color-scheme:dark){text{fill:#a8b0bd}}"
)


def lines(
    title: str,
    series: Mapping[str, Points],
    *,
    across: Callable[[float], str],
    up: Callable[[float], str],
    below: str,
    dashed: Mapping[str, Points] | None = None,
) -> str:
    """One line per name; `across` and `up` say how the figures of the axes are written."""
    every = [point for points in (*series.values(), *(dashed or {}).values()) for point in points]
    xs = _Axis([x for x, _ in every], _LEFT, _WIDTH - _RIGHT)
    ys = _Axis([y for _, y in every], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<text class="title" x="{_LEFT}" y="24">{escape(title)}</text>',
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">'
        f"{escape(below)}</text>",
    ]
    for value in ys.marks():
        y = ys.place(value)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>'
        )
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(up(value))}</text>'
        )
    for value in sorted({x for x, _ in every}):
        x = xs.place(value)
        parts.append(
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">'
            f"{escape(across(value))}</text>"
        )
    ends = _apart([(name, ys.place(points[-1][1])) for name, points in series.items()])
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{xs.place(x):.1f},{ys.place(y):.1f}" for x, y in points)
        parts.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
        parts += [
            f'<circle cx="{xs.place(x):.1f}" cy="{ys.place(y):.1f}" r="3.2" fill="{colour}"/>'
            for x, y in points
        ]
        label = f'<tspan fill="{colour}">●</tspan> {escape(name)}'
        parts.append(f'<text x="{_WIDTH - _RIGHT + 10}" y="{ends[name] + 4:.1f}">{label}</text>')
    for points in (dashed or {}).values():
        path = " ".join(f"{xs.place(x):.1f},{ys.place(y):.1f}" for x, y in points)
        parts.append(f'<polyline class="line grid" stroke-dasharray="5 5" points="{path}"/>')
    return "\n".join([*parts, "</svg>\n"])


class _Axis:
    """Logarithmic, over all the values there are."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.log10(min(values))
        self._high = max(math.log10(max(values)), self._low + 0.3)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def marks(self) -> list[float]:
        return [10.0**power for power in range(math.ceil(self._low), math.floor(self._high) + 1)]


def _apart(places: Sequence[tuple[str, float]], gap: float = 17) -> dict[str, float]:
    """Labels moved down until none covers another."""
    found: dict[str, float] = {}
    last = -math.inf
    for name, place in sorted(places, key=lambda one: one[1]):
        last = max(place, last + gap)
        found[name] = last
    return found
