"""A small drawing for notebooks: SVG and HTML in which every name is only text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from ibmap.data.text import printable
from ibmap.graph.layout.groups import MANY, find_groups, group_colour
from ibmap.graph.layout.places import place

UNIT = 84  # pixels, about the length of an edge
MARGIN = 70  # pixels at the sides, for names
MAX_NAMED = 80  # variables up to which names are written
MAX_DRAWN = MANY  # variables up to which there is a drawing
LONGEST = 22  # letters of a name


def network_svg(
    names: Sequence[str], adjacency: NDArray[np.bool_], weights: Mapping[tuple[int, int], float] | None = None
) -> str:
    """Draw a network as SVG in the colours of the page around it."""
    n = len(names)
    if not 0 < n <= MAX_DRAWN:
        return ""
    points = (place(adjacency) * [UNIT, -UNIT]).round(1) + 0.0
    left, top = (points.min(axis=0) - [MARGIN, 26]).tolist()
    width, height = (np.array([2 * MARGIN, 60]) + np.ptp(points, axis=0)).tolist()
    shown = min(900.0, width)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Network of {n} variables" '
        f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" width="{shown:.0f}" '
        'style="max-width:100%;height:auto" font-family="system-ui,sans-serif" font-size="12">',
        *_lines(points, adjacency, weights or {}),
        *_circles(points, names, adjacency),
        "</svg>",
    ]
    return "".join(parts)


def network_html(drawing: str, facts: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]] = ()) -> str:
    """Put a drawing above facts and a small table."""
    line = " &#183; ".join(f"<b>{_text(name)}</b> {_text(value)}" for name, value in facts)
    table = ""
    if rows:
        head = "".join(f"<th>{_text(cell)}</th>" for cell in rows[0])
        cells = ("".join(f"<td>{_text(cell)}</td>" for cell in row) for row in rows[1:])
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{drawing}<p>{line}</p>{table}</div>"


def _lines(
    points: NDArray[np.float64], adjacency: NDArray[np.bool_], weights: Mapping[tuple[int, int], float]
) -> list[str]:
    """Draw the edges."""
    top = max(weights.values(), default=0.0)
    lines = []
    for i, j in np.argwhere(np.triu(adjacency)).tolist():
        share = (max(weights.get((i, j), 0.0), 0.0) / top) ** 0.5 if top > 0 else 0.2
        (x0, y0), (x1, y1) = points[i], points[j]
        lines.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke-width="{1 + 4 * share:.1f}"/>')
    return ['<g stroke="currentColor" stroke-opacity="0.45" stroke-linecap="round">', *lines, "</g>"]


def _circles(points: NDArray[np.float64], names: Sequence[str], adjacency: NDArray[np.bool_]) -> list[str]:
    """Draw the variables, each with its whole name as a tooltip."""
    parts = []
    for name, (x, y), group in zip(names, points, find_groups(adjacency).tolist(), strict=True):
        colour = group_colour(group)
        parts.append(f'<circle cx="{x}" cy="{y}" r="7" fill="{colour}"><title>{_text(name)}</title></circle>')
        if len(names) <= MAX_NAMED:
            short = printable(name)
            short = short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"
            place_at = f'x="{x}" y="{y + 20:.1f}" text-anchor="middle" fill="currentColor"'
            parts.append(f"<text {place_at}>{escape(short)}</text>")
    return parts


def _text(text: str) -> str:
    """Write text so that it is only text."""
    return escape(printable(text))
