"""Take times: the best of several, contestants in turns, so that noise hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SHORT_ROUND = 0.6  # seconds; where rounds are shorter there are more of them: a disturbance matters more


@dataclass(frozen=True)
class Setting:
    """What a case needs to know: how thorough to be, and where temporary files go."""

    quick: bool
    folder: Path

    @property
    def repeats(self) -> int:
        return 2 if self.quick else 5


@dataclass(frozen=True)
class Timed:
    """The best time of a contestant, what it returned, and how many cores it kept busy."""

    seconds: float
    value: Any
    cores: float


def in_turns(contestants: Sequence[Callable[[], Any]], repeats: int, budget: float = 60.0) -> list[Timed]:
    """Run all contestants one after the other, again and again; keep the best of each.

    Stops after `repeats` rounds and as many times `SHORT_ROUND` seconds, or after the round in which
    `budget` seconds are used up.
    """
    best: list[Timed | None] = [None] * len(contestants)
    n_rounds, begun = 0, time.perf_counter()
    while True:
        for k, contestant in enumerate(contestants):
            fresh = once(contestant)
            known = best[k]
            if known is None or fresh.seconds < known.seconds:
                best[k] = fresh
        n_rounds += 1
        used = time.perf_counter() - begun
        if used > budget or (n_rounds >= repeats and used > repeats * SHORT_ROUND):
            break
    return [each for each in best if each is not None]


def once(contestant: Callable[[], Any]) -> Timed:
    begun, cpu_begun = time.perf_counter(), time.process_time()
    value = contestant()
    seconds = time.perf_counter() - begun
    return Timed(seconds, value, (time.process_time() - cpu_begun) / seconds)


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit values = c * sizes**slope on logarithmic axes; nan with fewer than two points."""
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def is_same_fit(a: Any, b: Any) -> bool:
    """Tell whether two fitted learners found bit for bit the same."""
    return bool(
        (a.adjacency_ == b.adjacency_).all()
        and a.score_ == b.score_
        and a.result_.trace == b.result_.trace
        and a.n_tests_ == b.n_tests_
    )
