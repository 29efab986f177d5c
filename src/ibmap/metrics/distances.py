"""How far a structure is from another one, or from what a table says.

The edge Hamming distance counts pairs; the independence Hamming distance is the
share of questions "is x independent of y given Z?" that are answered
differently. The questions are those of the paper: conditioning sets of every
size from 0 to n - 2 alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidGraphError, InvalidOptionError
from ibmap.graph import MarkovGraph, as_graph, named_graph
from ibmap.independence.protocol import Triplet
from ibmap.options import RandomState, as_count, as_generator
from ibmap.result import SearchResult

__all__ = [
    "EdgeComparison",
    "compare_edges",
    "draw_triplets",
    "edge_hamming",
    "independence_hamming",
]

N_TRIPLETS = 2000  # the paper's number of questions

NamedEdge = tuple[str, str]


@dataclass(frozen=True)
class EdgeComparison:
    """The edges of a learned structure compared with those of a reference.

    Parameters
    ----------
    shared : tuple of pairs of str
        Edges of both.
    missing : tuple of pairs of str
        Edges of the reference that were not learned.
    extra : tuple of pairs of str
        Edges learned that the reference does not have.

    Notes
    -----
    What is 0 of 0 counts as 1: a structure without edges claims nothing false
    (precision), and misses nothing of a reference without edges (recall).
    """

    shared: tuple[NamedEdge, ...]
    missing: tuple[NamedEdge, ...]
    extra: tuple[NamedEdge, ...]

    @property
    def precision(self) -> float:
        """Share of the learned edges that the reference has; 1 if none was learned."""
        return _share(len(self.shared), len(self.shared) + len(self.extra))

    @property
    def recall(self) -> float:
        """Share of the reference's edges that were learned; 1 if it has none."""
        return _share(len(self.shared), len(self.shared) + len(self.missing))

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 if neither structure has edges."""
        return _share(2 * len(self.shared), 2 * len(self.shared) + self.hamming)

    @property
    def hamming(self) -> int:
        """Number of pairs joined in one structure alone."""
        return len(self.missing) + len(self.extra)


def edge_hamming(a: Any, b: Any) -> int:
    """Count the pairs that are joined in one structure and not in the other.

    Parameters
    ----------
    a, b : MarkovGraph, SearchResult, networkx.Graph or array_like
        Two structures over the same variables: matched by name if both have
        names, by position if one of them is a matrix or named ``x0, x1, ...``.

    Returns
    -------
    int
        From 0 to n (n - 1) / 2.

    Examples
    --------
    >>> edge_hamming([[0, 1], [1, 0]], [[0, 0], [0, 0]])
    1
    """
    first, second = aligned(a, b)
    return int(np.count_nonzero(np.triu(first.adjacency ^ second.adjacency)))


def compare_edges(learned: Any, reference: Any) -> EdgeComparison:
    """List the edges that a learned structure shares with a reference, lacks, and has in excess.

    Parameters
    ----------
    learned, reference : MarkovGraph, SearchResult, networkx.Graph or array_like
        Two structures over the same variables, matched as in `edge_hamming`.

    Returns
    -------
    EdgeComparison
        Edges by name, with precision, recall, F1 and Hamming distance.

    Examples
    --------
    >>> learned = MarkovGraph.from_edges(3, [(0, 1), (1, 2)], ["rain", "wet", "sprinkler"])
    >>> truth = MarkovGraph.from_edges(3, [(0, 1), (0, 2)], ["rain", "wet", "sprinkler"])
    >>> found = compare_edges(learned, truth)
    >>> found.missing, found.extra, found.precision
    ((('rain', 'sprinkler'),), (('wet', 'sprinkler'),), 0.5)
    """
    first, second = aligned(learned, reference)
    ours, theirs = set(first.edges), set(second.edges)
    return EdgeComparison(
        shared=_named(second.names, ours & theirs),
        missing=_named(second.names, theirs - ours),
        extra=_named(second.names, ours - theirs),
    )


def independence_hamming(
    a: Any, reference: Any, n_triplets: int = N_TRIPLETS, random_state: RandomState = None
) -> float:
    """Give the share of independences that a structure and a reference disagree on.

    Parameters
    ----------
    a : MarkovGraph, SearchResult, networkx.Graph or array_like
        A structure; it holds x and y independent given Z if Z separates them.
    reference : structure or table
        Another structure over the same variables, or data: anything
        `ibmap.encode` takes, which answers by the Bayesian test at 1/2. An array
        that is a possible adjacency matrix over the variables of `a` is read as one;
        encode it first if it is a table.
    n_triplets : int
        Number of questions; see `draw_triplets`.
    random_state : int, numpy.random.Generator or None
        Seed of the questions.

    Returns
    -------
    float
        From 0 (they agree on every question drawn) to 1.

    Examples
    --------
    >>> chain = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    >>> independence_hamming(chain, chain, random_state=1)
    0.0
    >>> 0 < independence_hamming(chain, MarkovGraph.empty(3), random_state=1) < 1
    True
    """
    graph = _as_structure(a)
    as_count(n_triplets, "n_triplets", low=1)
    if _is_structure(reference, graph.n_variables):
        first, second = aligned(graph, reference)
        orders, sizes = _draw_questions(first.n_variables, n_triplets, random_state)
        theirs = _separations(second, orders, sizes)
    else:
        table = encode(reference)
        first = _over(graph, table.names, "the table")
        orders, sizes = _draw_questions(first.n_variables, n_triplets, random_state)
        theirs = _verdicts(table, orders, sizes)
    return float(np.mean(_separations(first, orders, sizes) != theirs))


def draw_triplets(n_variables: int, n_triplets: int, random_state: RandomState = None) -> list[Triplet]:
    """Draw questions with conditioning sets of every size alike, as the paper does.

    The sizes m = 0, ..., n - 2 get equal numbers of questions, the smallest sizes one
    more if they do not come out even. A question is the first m + 2 variables of a
    random permutation: x, y, and the m that are given.

    Parameters
    ----------
    n_variables : int
        Number of variables n, at least 2.
    n_triplets : int
        Number of questions.
    random_state : int, numpy.random.Generator or None
        Seed.

    Returns
    -------
    list of Triplet
        In order of size; `given` is sorted.

    Examples
    --------
    >>> [len(given) for x, y, given in draw_triplets(4, 7, random_state=1)]
    [0, 0, 0, 1, 1, 2, 2]
    """
    orders, sizes = _draw_questions(n_variables, n_triplets, random_state)
    return _as_triplets(orders, sizes)


def aligned(a: Any, b: Any) -> tuple[MarkovGraph, MarkovGraph]:
    """Put two structures over the same variables: by name if both have names, else by position."""
    first, second = _as_structure(a), _as_structure(b)
    if _is_numbered(second.names) and not _is_numbered(first.names):
        return first, _over(second, first.names, "the other one")
    return _over(first, second.names, "the other one"), second


def _over(graph: MarkovGraph, names: Sequence[str], other: str) -> MarkovGraph:
    """Put a structure over names, refusing what is over other variables."""
    if _is_numbered(graph.names) and graph.n_variables == len(names):
        return (
            as_graph(graph, names) if set(graph.names) == set(names) else MarkovGraph(graph.adjacency, names)
        )
    ours, theirs = set(graph.names), set(names)
    if ours == theirs:
        return as_graph(graph, names)
    parts = [f"the structure has {graph.n_variables} variables, {other} has {len(names)}"]
    if ours - theirs:
        parts.append(f"only the structure has {_some(graph.names, ours - theirs)}")
    if theirs - ours:
        parts.append(f"only {other} has {_some(names, theirs - ours)}")
    raise InvalidGraphError("; ".join(parts) + ". Compare structures over the same variables")


def _some(names: Sequence[str], chosen: set[str]) -> str:
    """List a few names in their order."""
    listed = [repr(name) for name in names if name in chosen]
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")


def _as_structure(graph: Any) -> MarkovGraph:
    """Read a structure with the names it brings."""
    return graph.graph if isinstance(graph, SearchResult) else named_graph(graph)


def _is_numbered(names: Sequence[str]) -> bool:
    """Tell whether names are those given where there were none."""
    return tuple(names) == tuple(f"x{k}" for k in range(len(names)))


def _is_structure(reference: Any, n_variables: int) -> bool:
    """Tell a structure from a table."""
    if isinstance(reference, MarkovGraph | SearchResult) or hasattr(reference, "nodes"):
        return True
    if not isinstance(reference, np.ndarray | list | tuple) or len(reference) != n_variables:
        return False
    try:
        MarkovGraph(reference)
    except (InvalidGraphError, ValueError, TypeError):
        return False
    return True


def _draw_questions(
    n_variables: int, n_triplets: int, random_state: RandomState
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw permutations, and the number of given variables in each."""
    as_count(n_triplets, "n_triplets")
    if n_variables < 2:
        msg = f"questions of independence need at least 2 variables; there are {n_variables}"
        raise InvalidOptionError(msg)
    n_sizes = n_variables - 1
    counts = np.full(n_sizes, n_triplets // n_sizes)
    counts[: n_triplets % n_sizes] += 1
    orders = np.tile(np.arange(n_variables), (n_triplets, 1))
    return as_generator(random_state).permuted(orders, axis=1), np.repeat(np.arange(n_sizes), counts)


def _as_triplets(orders: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[Triplet]:
    """Cut each permutation into a question."""
    rows = zip(orders.tolist(), sizes.tolist(), strict=True)
    return [Triplet(row[0], row[1], tuple(sorted(row[2 : 2 + size]))) for row, size in rows]


def _separations(
    graph: MarkovGraph, orders: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Let a structure answer every question."""
    from ibmap.kernels.separation import separations

    words = _packed(graph.adjacency)
    answers = np.empty(len(orders), bool)
    scratch = np.empty((2, words.shape[1]), np.uint64)
    separations(words, orders, sizes, scratch, answers)
    return answers


def _packed(adjacency: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the rows of a matrix into 64-bit words."""
    n_words = max(-(-len(adjacency) // 64), 1)
    octets = np.zeros((len(adjacency), 8 * n_words), np.uint8)
    packed = np.packbits(adjacency, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return octets.view("<u8").astype(np.uint64)


def _verdicts(table: EncodedTable, orders: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Let the Bayesian test answer every question."""
    from ibmap.independence.bayesian import BayesianTest

    test = BayesianTest(table)
    return np.array([test.ask_triplet(each).independent for each in _as_triplets(orders, sizes)], bool)


def _named(names: Sequence[str], edges: set[tuple[int, int]]) -> tuple[NamedEdge, ...]:
    """Give edges by name, sorted by number."""
    return tuple((names[i], names[j]) for i, j in sorted(edges))


def _share(part: int, whole: int) -> float:
    """Give a ratio; 0 of 0 is all."""
    return part / whole if whole else 1.0
