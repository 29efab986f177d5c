"""Closures: sets of independence assertions that determine a structure.

The IB-score of a structure is the posterior probability of such a set. The
paper names two that can be read off a graph: the pairwise closure (its first
example) and the Markov-blanket closure (its theorem), the one IBMAP-HC uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from ibmap.errors import TooLargeError
from ibmap.graph import MarkovGraph

MAX_PAIRWISE_ASSERTIONS = 1_000_000


class Assertion(NamedTuple):
    """A statement that `x` and `y` are independent, or dependent, given a set."""

    x: int
    y: int
    given: tuple[int, ...]
    independent: bool


def blanket_closure(graph: MarkovGraph) -> tuple[Assertion, ...]:
    """List the Markov-blanket closure of a structure.

    For every ordered pair (X, Y): X and Y are dependent given the rest of X's
    blanket if they are joined, independent given X's blanket if not.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.

    Returns
    -------
    tuple of Assertion
        One for each of the n(n-1) ordered pairs.

    Examples
    --------
    >>> for assertion in blanket_closure(MarkovGraph.from_edges(3, [(0, 1)]))[:2]:
    ...     print(assertion)
    Assertion(x=0, y=1, given=(), independent=False)
    Assertion(x=0, y=2, given=(1,), independent=True)
    """
    n = graph.n_variables
    return tuple(a for x in range(n) for a in blanket_assertions(x, graph.blanket(x), n))


def blanket_assertions(x: int, blanket: tuple[int, ...], n_variables: int) -> list[Assertion]:
    """List one variable's part of the blanket closure."""
    members = set(blanket)
    return [
        Assertion(x, y, tuple(b for b in blanket if b != y), y not in members)
        for y in range(n_variables)
        if y != x
    ]


def pairwise_closure(graph: MarkovGraph) -> tuple[Assertion, ...]:
    """List the pairwise closure: the paper's first example.

    Two variables without an edge are independent given all others; two with
    an edge are dependent given every set of others.

    Parameters
    ----------
    graph : MarkovGraph
        The structure. Its closure grows as the number of edges times
        2**(n-2); beyond a million assertions it is refused.

    Returns
    -------
    tuple of Assertion
        For each pair ``x < y``.

    Examples
    --------
    >>> len(pairwise_closure(MarkovGraph.from_edges(4, [(0, 1)])))
    9
    """
    n = graph.n_variables
    size = graph.n_edges << max(n - 2, 0)
    if size > MAX_PAIRWISE_ASSERTIONS:
        msg = (
            f"the pairwise closure of {graph.n_edges} edges over {n} variables has over {size} assertions; "
            f"at most {MAX_PAIRWISE_ASSERTIONS} are listed: use blanket_closure"
        )
        raise TooLargeError(msg)
    return tuple(a for x, y in combinations(range(n), 2) for a in _pair_assertions(graph, x, y))


def _pair_assertions(graph: MarkovGraph, x: int, y: int) -> Iterator[Assertion]:
    """List what the pairwise closure says of one pair."""
    others = tuple(z for z in range(graph.n_variables) if z not in (x, y))
    if not graph.has_edge(x, y):
        yield Assertion(x, y, others, True)
        return
    for size in range(len(others) + 1):
        for given in combinations(others, size):
            yield Assertion(x, y, given, False)


def as_assertion(value: Any) -> Assertion:
    """Read an assertion given as any tuple (x, y, given, independent)."""
    x, y, given, independent = value
    return Assertion(x, y, tuple(sorted(given)), bool(independent))


def changed_blankets(x: int, blanket: tuple[int, ...], n_variables: int) -> Iterator[tuple[int, ...]]:
    """List a blanket with each variable flipped in turn; in the place of X, the blanket itself."""
    members = set(blanket)
    for y in range(n_variables):
        yield tuple(sorted(members ^ {y})) if y != x else blanket
