"""The circles of the overview that a page of many variables begins with, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ibmap.data.text import printable
from ibmap.graph.layout import MANY, group_colour
from ibmap.graph.layout.overview import Overview


@dataclass(frozen=True)
class CircleView:
    """A circle; the script numbers circles after the variables."""

    name: str  # of its best connected variable, or how many it holds
    more: str  # how many more, or what they are
    kind: str  # group, parts or alone
    members: tuple[int, ...]  # the best connected one first
    drawn: int  # how many of them are drawn when it is opened
    edges: int  # within
    blanket: tuple[int, ...]  # circles with edges to this one
    colour: str
    x: float
    y: float  # downwards
    radius: float


def view_circles(many: Overview, names: tuple[str, ...]) -> tuple[CircleView, ...]:
    """Show every circle, as large as fits the variables of a drawing."""
    unit = 2 * float(many.radii.mean())
    return tuple(_view(many, k, names, unit) for k in range(len(many.circles)))


def _view(many: Overview, k: int, names: tuple[str, ...], unit: float) -> CircleView:
    members, kind = many.circles[k], many.kinds[k]
    name, more = many.label(k, names)
    others = np.flatnonzero(many.between[k])
    x, y = (many.centres[k] / unit).round(3).tolist()
    return CircleView(
        name=printable(name),
        more=more,
        kind=kind,
        members=tuple(members.tolist()),
        drawn=min(len(members), MANY),
        edges=int(many.between[k, k]),
        blanket=tuple((len(names) + others[others != k]).tolist()),
        colour=group_colour(-1 if kind == "alone" else k),
        x=x,
        y=-y + 0.0,
        radius=round(float(many.radii[k]) / unit, 3),
    )


def bridges(many: Overview) -> tuple[dict[str, Any], ...]:
    """Count the edges between any two circles."""
    n = len(many.inside)
    x, y = np.nonzero(np.triu(many.between, 1))
    counts = many.between[x, y].tolist()
    pairs = zip((n + x).tolist(), (n + y).tolist(), counts, strict=True)
    return tuple({"x": i, "y": j, "count": count} for i, j, count in pairs)


def what_circles_are(many: Overview) -> str:
    """Say what the overview shows."""
    n_groups = many.kinds.count("group")
    return (
        f" The overview shows a circle for each of {n_groups:,} groups of variables that belong "
        "together, the larger the more variables, with the name of its best connected one; lines "
        "between circles are the wider the more edges there are. A group is a help for the eye, "
        "not a result of learning."
    )
