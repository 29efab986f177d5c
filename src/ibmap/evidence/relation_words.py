"""How two variables are related, and how well one is known, in words."""

from __future__ import annotations

import math

import numpy as np

from ibmap.data.text import printable
from ibmap.evidence.relation import Predictability, Relation
from ibmap.evidence.words import share, times

ALIKE = "other neighbours being equal"
DEPENDS = "averaged over the others; it depends on other neighbours"
RARE = 0.05  # states of the other variable below this share are not compared, if there are others
SAME = math.log(1.05)  # "as often", however many digits there are
LONGEST = 30  # letters of a label
STRENGTHS = ((0.1, "very weak"), (0.2, "weak"), (0.4, "moderate"), (1.1, "strong"))


def in_a_word(relation: Relation) -> str:
    """Name strength and direction, such as ``moderate, positive``."""
    word = next(word for limit, word in STRENGTHS if abs(relation.strength) < limit)
    return f"{word}, {direction(relation)}" if direction(relation) else word


def direction(relation: Relation) -> str:
    """Name the sign; nothing where there is none."""
    return "depends on others" if relation.depends else {1: "positive", -1: "negative", 0: ""}[relation.sign]


def strength_text(relation: Relation) -> str:
    """Write the strength with two decimals, signed where it has a sign."""
    return f"{relation.strength:+.2f}" if relation.sign else f"{relation.strength:.2f}"


def related(relation: Relation, x: str, y: str) -> str:
    """Say in a sentence what goes with what: of y, for two states of x."""
    rows = np.array(relation.y_given_x)
    x, y = printable(x), printable(y)
    weights = np.array(relation.x_given_y).mean(axis=0)
    common = np.flatnonzero(weights >= RARE)
    rows = rows[common] if len(common) > 1 else rows
    labels = [relation.x_states[k] for k in common] if len(common) > 1 else list(relation.x_states)
    if min(rows.shape) < 2:
        return f"{y} goes with {x} in no way that shows."
    spread = np.ptp(rows, axis=0)
    if relation.sign:  # in order: the ends tell it best, unless it bends
        ends = np.abs(rows[-1] - rows[0]) * np.isin(np.arange(len(spread)), [0, len(spread) - 1])
        if ends.max() > spread.max() / 2:
            rows, labels, spread = rows[[0, -1]], [labels[0], labels[-1]], ends
    state = int(np.flatnonzero(spread > spread.max() - 1e-9)[-1])  # of two alike the later one, often "yes"
    high, low = int(rows[:, state].argmax()), int(rows[:, state].argmin())
    p, q = float(rows[high, state]), float(rows[low, state])
    ratio = math.log(max(p, 1e-300)) - math.log(max(q, 1e-300))
    often = f"{times(ratio)} as often" if ratio > SAME else "about as often"
    one, other = (f"{x} = {_label(labels[k])}" for k in (high, low))
    return (
        f"{y} = {_label(relation.y_states[state])} occurs {often} where {one} as where {other} "
        f"({share(p)} against {share(q)}), {DEPENDS if relation.depends else ALIKE}."
    )


def strength_sentence(relation: Relation) -> str:
    """Say how strong it is, and by what measure."""
    return f"Strength {strength_text(relation)}, {in_a_word(relation)}. {measures(relation)}"


def measures(relation: Relation) -> str:
    """Say what the strength is made of."""
    odds = "" if relation.odds_ratio is None else f"; odds ratio {_ratio(relation.odds_ratio)}"
    return (
        f"The two tell {share(relation.share)} of their entropy about each other "
        f"({relation.information:.3f} nats){odds}."
    )


def known_by_neighbours(own: Predictability) -> str:
    """Say how well a variable is known if its neighbours are."""
    return (
        f"Its neighbours explain {share(own.explained)} of its entropy; by them its state is named right in "
        f"{share(own.accuracy)} of the rows, the most frequent state alone in {share(own.baseline)}."
    )


def _ratio(value: float) -> str:
    """Write an odds ratio with two or three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def _label(text: str) -> str:
    shown = printable(text.removesuffix(".0") if text[:-2].lstrip("-").isdecimal() else text)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
