"""Generated tables, questions and graphs: what the laws are tried on."""

import numpy as np
from hypothesis import strategies as st

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph


@st.composite
def tables(draw, min_variables=2, max_variables=5, max_rows=40, max_states=4, weighted=None):
    """Mixed cardinalities, unused states, constant columns, repeated rows, N = 1."""
    n = draw(st.integers(min_variables, max_variables))
    cards = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    n_rows = draw(st.integers(1, max_rows))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    used = [int(rng.integers(1, c + 1)) for c in cards]
    codes = np.stack([rng.integers(0, u, n_rows) for u in used], axis=1)
    if draw(st.booleans()):  # tie a column to another one, so that there is something to find
        source, target = rng.permutation(n)[:2]
        follows = rng.random(n_rows) < 0.9
        codes[follows, target] = codes[follows, source] % used[target]
    if draw(st.booleans()):
        codes = codes[rng.integers(0, n_rows, n_rows)]
    if weighted is None:
        weighted = draw(st.booleans())
    weights = rng.integers(1, 6, n_rows) if weighted else None
    return EncodedTable.from_codes(codes, cards, weights=weights)


@st.composite
def binary_tables(draw, max_variables=6, max_rows=200):
    """Binary tables of a size that has dense and sparse slices both."""
    return draw(tables(max_variables=max_variables, max_rows=max_rows, max_states=2))


@st.composite
def queries(draw, table):
    """Two variables and a conditioning set."""
    order = draw(st.permutations(range(table.n_variables)))
    size = draw(st.integers(0, table.n_variables - 2))
    return order[0], order[1], tuple(sorted(order[2 : 2 + size]))


@st.composite
def graphs(draw, n_variables):
    """Any graph over some variables."""
    pairs = [(i, j) for i in range(n_variables) for j in range(i + 1, n_variables)]
    chosen = [pair for pair in pairs if draw(st.booleans())]
    return MarkovGraph.from_edges(n_variables, chosen)


def plain(table):
    """The arguments the oracles take: rows, cardinalities, weights."""
    return table.codes.tolist(), table.cardinalities.tolist(), table.weights.tolist()


def edge_set(graph):
    """A graph as the oracles have it."""
    return {frozenset(edge) for edge in graph.edges}


@st.composite
def linked_tables(draw, max_variables=7, max_rows=900):
    """Binary tables with chains of dependence: large, small and single-row slices."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_rows = draw(st.integers(2, max_variables)), draw(st.integers(1, max_rows))
    codes = rng.integers(0, 2, (n_rows, n))
    for k in range(1, n):
        follows = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))
        codes[follows, k] = codes[follows, k - 1]
    cards = np.full(n, 2)
    if draw(st.booleans()):
        constant = int(rng.integers(n))
        codes[:, constant], cards[constant] = 0, 1
    weights = rng.integers(1, draw(st.sampled_from([2, 3, 100])), n_rows)
    return EncodedTable.from_codes(codes, cards, weights=weights)
