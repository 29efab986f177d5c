"""Draw all runs of GS for one of three variables, with the costs of a real table, to docs/images/tree.png."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import ibmap
from ibmap.blankets.grow_shrink import GrowShrink
from ibmap.search.operator_tree import RunSearch

TARGET = Path(__file__).parent.parent / "docs" / "images" / "tree.png"
GREEN, GREY = "#1b7837", "#888888"


class Drawing:
    """The tree on a page: branches with posteriors, leaves with costs, the best run in green."""

    def __init__(self) -> None:
        network = ibmap.simulate.random_network(3, 1, random_state=2)
        self.test = ibmap.BayesianTest(network.sample(60, random_state=2))
        self.operator = GrowShrink(0, [2, 1])
        search = RunSearch(self.operator, self.test)
        search.advance()
        self.best = search.path()
        _, self.axes = plt.subplots(figsize=(11, 6))
        self.n_leaves = 0

    def draw(self, state: Any, cost: float, depth: int, is_best: bool) -> float:
        """Draw a state and all that follows; return where it stands."""
        triplet = self.operator.question(state)
        if triplet is None:
            across = float(self.n_leaves)
            self.n_leaves += 1
            blanket = "{" + ", ".join(map(str, sorted(state.members))) + "}"
            self._write(across, -depth - 0.12, f"blanket {blanket}\ncost {cost:.3f}", is_best)
            return across
        ends = []
        for answer, log_posterior in zip((True, False), self.test.log_posteriors(triplet), strict=True):
            following = self.operator.after(state, answer)
            on_path = is_best and self.best[depth + 1 : depth + 2] == [following]
            across = self.draw(following, cost - log_posterior, depth + 1, on_path)
            ends.append((across, answer, log_posterior, on_path))
        middle = sum(end[0] for end in ends) / 2
        given = "{" + ", ".join(map(str, triplet.given)) + "}"
        for across, answer, log_posterior, on_path in ends:
            color = GREEN if on_path else GREY
            self.axes.plot(
                [middle, across], [-depth, -depth - 1], color=color, lw=2.5 if on_path else 1, zorder=1
            )
            words = f"{'I' if answer else 'D'}  {math.exp(log_posterior):.2f}"
            self.axes.text(
                (middle + across) / 2, -depth - 0.5, words, color=color, ha="center", fontsize=9,
                bbox={"fc": "white", "ec": "none", "pad": 1}, zorder=2,
            )  # fmt: skip
        self._write(middle, -depth, f"{triplet.x}, {triplet.y} | {given}", is_best)
        return middle

    def _write(self, across: float, height: float, words: str, is_best: bool) -> None:
        """Write a label in a box."""
        color = GREEN if is_best else GREY
        self.axes.text(
            across, height, words, ha="center", va="center", fontsize=9,
            color="black", bbox={"fc": "white", "ec": color, "lw": 2 if is_best else 1, "pad": 4}, zorder=3,
        )  # fmt: skip


def main() -> None:
    """Draw and save."""
    drawing = Drawing()
    drawing.draw(drawing.operator.begin(), 0.0, 0, True)
    drawing.axes.axis("off")
    drawing.axes.set_title("All runs of GS for variable 0: tests, and both answers with their posteriors")
    plt.savefig(TARGET, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
