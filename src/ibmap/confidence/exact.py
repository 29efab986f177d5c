"""Exact edge probabilities and the exact best structure, without enumerating structures.

Pr(G | D) is the product over variables of exp s_X(B(X)), up to a constant: one tensor for each variable, one
binary leg for each pair. The sum over all 2^(n(n - 1)/2) structures takes tables of 2^(n²/4) entries at
most (`contraction`). Pairs that are not open stay as they are in a given structure; the open
ones then fall into parts that do not touch each other, and each is contracted by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.confidence.contraction import Factor, best, cut_widths, in_good_order, total
from ibmap.errors import TooLargeError
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.score import LocalScore, knowledge_of

Floats = NDArray[np.float64]
Pair = tuple[int, int]

MAX_VARIABLES = 10  # of which all pairs are open
WIDEST = 25  # legs of a cut at most: 10 variables
MOST_LEGS = 12  # open pairs of one variable at most: 4096 terms


class ExactPosterior(NamedTuple):
    """Edge probabilities, the log of the sum over structures, and the best structure with its log score."""

    edge_probabilities: Floats
    log_total: float
    graph: MarkovGraph
    score: float


def exact_posterior(
    score: LocalScore,
    *,
    temperature: float = 1.0,
    graph: MarkovGraph | None = None,
    open_pairs: Iterable[Pair] | None = None,
    n_threads: int = 1,
) -> ExactPosterior:
    """Sum over all structures that agree with a graph on the pairs that are not open.

    By default those pairs are open of which nothing settled is known.
    """
    n, known = len(score.names), knowledge_of(score) or Knowledge(score.names)
    base = known.agreeing(MarkovGraph.empty(n, score.names) if graph is None else graph)
    wanted = known.pairs if open_pairs is None else open_pairs
    pairs = sorted({(min(p), max(p)) for p in wanted})
    parts = open_parts(n, pairs)
    refuse_too_large(n, pairs)
    adjacency, probabilities = base.adjacency.copy(), base.adjacency.astype(np.float64)
    log_totals, scores = [], []
    with ThreadPoolExecutor(n_threads) as threads:
        tell = threads.map if n_threads > 1 and hasattr(score, "evidence") else map
        for part in parts:
            factors = [
                Factor(legs, _terms(score, x, base, [pairs[leg] for leg in legs], tell) / temperature)
                for x, legs in part
            ]
            summed, highest = total(factors), best(factors)
            log_totals.append(summed.log_sum)
            scores.append(highest.log_value)
            for leg, share in summed.shares.items():
                probabilities[pairs[leg]] = probabilities[pairs[leg][::-1]] = share
                adjacency[pairs[leg]] = adjacency[pairs[leg][::-1]] = highest.setting[leg]
    found = MarkovGraph(adjacency, score.names)
    return ExactPosterior(probabilities, math.fsum(log_totals), found, math.fsum(scores) * temperature)


def open_parts(n: int, pairs: Sequence[Pair]) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Divide the variables into parts joined by open pairs: each with its legs, in an order to contract."""
    parts = []
    for component in _components(n, pairs):
        legs = [tuple(k for k, pair in enumerate(pairs) if x in pair) for x in component]
        parts.append([(component[k], legs[k]) for k in in_good_order(legs)])
    return parts


def _components(n: int, pairs: Sequence[Pair]) -> list[list[int]]:
    """Find the variables that open pairs join to each other, the lowest first."""
    part = list(range(n))
    for x, y in pairs:
        if part[x] != part[y]:
            lower, higher = sorted((part[x], part[y]))
            part = [lower if each == higher else each for each in part]
    return [[x for x in range(n) if part[x] == k] for k in sorted({*part})]


def width_of(n: int, pairs: Sequence[Pair]) -> tuple[int, int]:
    """Tell the legs of the widest cut of a contraction, and those of a variable."""
    parts = [[Factor(legs, np.empty(0)) for _, legs in part] for part in open_parts(n, pairs)]
    widest = max((width for part in parts for width in cut_widths(part)), default=0)
    return widest, max((len(each.legs) for part in parts for each in part), default=0)


def refuse_too_large(n: int, pairs: Sequence[Pair]) -> None:
    """Refuse what does not fit into memory."""
    width, most = width_of(n, pairs)
    if width > WIDEST or most > MOST_LEGS:
        msg = (
            f"{len(pairs)} open pairs of {n} variables need tables over {width} pairs and terms over {most}; "
            f"at most {WIDEST} and {MOST_LEGS} are summed exactly (all pairs of {MAX_VARIABLES} variables). "
            "Sample instead, or leave fewer pairs open"
        )
        raise TooLargeError(msg)


def _terms(
    score: LocalScore, x: int, base: MarkovGraph, pairs: Sequence[Pair], tell: Callable[..., Iterable[float]]
) -> Floats:
    """Give a variable's terms for all settings of its open pairs, one axis each."""
    others = [sum(pair) - x for pair in pairs]
    fixed = set(base.blanket(x)) - {*others}
    settings = product((0, 1), repeat=len(others))
    chosen = [[y for y, bit in zip(others, bits, strict=True) if bit] for bits in settings]
    blankets = [tuple(sorted({*fixed, *each})) for each in chosen]
    if hasattr(score, "evidence") or 2 * len(others) < len(score.names):
        terms = list(tell(score.term, [x] * len(blankets), blankets))
    else:
        terms = _terms_by_changes(score, x, blankets)
    return np.array(terms).reshape((2,) * len(others))


def _terms_by_changes(score: LocalScore, x: int, blankets: Sequence[tuple[int, ...]]) -> list[float]:
    """Find terms by asking for all changes of as few blankets as lie next to all others."""
    wanted = {*blankets}
    known: dict[tuple[int, ...], float] = {}

    def ask(blanket: tuple[int, ...]) -> None:
        for y, term in enumerate(score.changes(x, blanket).tolist()):
            changed = tuple(sorted({*blanket} ^ ({y} if y != x else set())))
            if changed in wanted:
                known.setdefault(changed, term)

    n = len(score.names)
    for blanket in blankets:  # first those of which no neighbour is known
        nearby = (tuple(sorted({*blanket} ^ {y})) for y in range(n) if y != x)
        if blanket not in known and not any(each in known for each in nearby):
            ask(blanket)
    for blanket in blankets:
        if blanket not in known:
            ask(blanket)
    return [known[blanket] for blanket in blankets]
