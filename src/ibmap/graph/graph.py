"""The structure of a Markov network: an undirected graph over named variables.

A variable is independent of every other given its neighbours, its *blanket*.
Graphs are values: `flip` returns a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.data.table import variable_index
from ibmap.errors import InvalidGraphError

if TYPE_CHECKING:
    import networkx as nx


class MarkovGraph:
    """An immutable undirected graph whose nodes are the variables of a table.

    Parameters
    ----------
    adjacency : array_like of bool, shape (n_variables, n_variables)
        Symmetric, with an empty diagonal.
    names : sequence of str, optional
        Names of the variables; ``x0, x1, ...`` by default.

    Examples
    --------
    >>> graph = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    >>> graph.blanket(1)
    (0, 2)
    >>> graph.separated(0, 2, given=(1,))
    True
    >>> graph.flip(0, 2).n_edges
    3
    """

    # Kept are the matrix or the edges, whichever a graph is made of; the other is made when it is needed.
    __slots__ = ("__dict__", "names")

    names: tuple[str, ...]

    def __init__(self, adjacency: ArrayLike, names: Sequence[str] | None = None) -> None:
        matrix = _checked_adjacency(adjacency)
        matrix.setflags(write=False)
        self.__dict__["adjacency"] = matrix
        self.names = _checked_names(names, len(matrix))

    @classmethod
    def empty(cls, n_variables: int, names: Sequence[str] | None = None) -> MarkovGraph:
        """Make a graph without edges.

        Parameters
        ----------
        n_variables : int
            Number of variables.
        names : sequence of str, optional
            Names of the variables.

        Returns
        -------
        MarkovGraph
            The graph.
        """
        return cls.from_edges(n_variables, (), names)

    @classmethod
    def from_edges(
        cls, n_variables: int, edges: Iterable[tuple[int, int]], names: Sequence[str] | None = None
    ) -> MarkovGraph:
        """Make a graph from pairs of variable numbers.

        Parameters
        ----------
        n_variables : int
            Number of variables.
        edges : iterable of pairs of int
            The edges, in any order and direction.
        names : sequence of str, optional
            Names of the variables.

        Returns
        -------
        MarkovGraph
            The graph.
        """
        found: set[tuple[int, int]] = set()
        for i, j in edges:
            if i == j or not (0 <= i < n_variables and 0 <= j < n_variables):
                msg = f"({i}, {j}) is not an edge between two of {n_variables} variables"
                raise InvalidGraphError(msg)
            found.add((int(min(i, j)), int(max(i, j))))
        graph = cls.__new__(cls)
        graph.names = _checked_names(names, n_variables)
        graph.__dict__["edges"] = tuple(sorted(found))
        return graph

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @cached_property
    def adjacency(self) -> NDArray[np.bool_]:
        """Which pairs are joined, as a matrix that cannot be written."""
        matrix = np.zeros((self.n_variables, self.n_variables), bool)
        ends = np.array(self.edges, np.int64).reshape(-1, 2)
        matrix[ends, ends[:, ::-1]] = True
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The edges as pairs of numbers ``i < j``, sorted."""
        return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(self.adjacency)))

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    def blanket(self, x: int | str) -> tuple[int, ...]:
        """List the neighbours of a variable, its Markov blanket.

        Parameters
        ----------
        x : int or str
            A variable, by number or name.

        Returns
        -------
        tuple of int
            Sorted numbers.
        """
        return self._blankets[self.index(x)]

    @cached_property
    def _blankets(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.names]
        for i, j in self.edges:
            found[i].append(j)
            found[j].append(i)
        return tuple(map(tuple, found))

    def has_edge(self, x: int | str, y: int | str) -> bool:
        """Tell whether two variables are joined.

        Parameters
        ----------
        x, y : int or str
            Two variables, by number or name.

        Returns
        -------
        bool
            True if there is an edge.
        """
        return self.index(y) in self.blanket(x)

    def flip(self, x: int | str, y: int | str) -> MarkovGraph:
        """Remove the edge between two variables if there is one, else add it.

        Parameters
        ----------
        x, y : int or str
            Two different variables.

        Returns
        -------
        MarkovGraph
            A new graph, one edge away.
        """
        i, j = self.index(x), self.index(y)
        if i == j:
            msg = f"a variable has no edge to itself: {self.names[i]!r}"
            raise InvalidGraphError(msg)
        return MarkovGraph.from_edges(self.n_variables, {*self.edges} ^ {(min(i, j), max(i, j))}, self.names)

    def separated(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Tell whether every path between two variables meets a third set.

        Parameters
        ----------
        x, y : int or str
            Two different variables.
        given : iterable of int or str
            The separating set, without `x` and `y`.

        Returns
        -------
        bool
            True if the graph asserts that they are independent given the set.
        """
        start, goal = self.index(x), self.index(y)
        closed = {self.index(z) for z in given}
        _check_triplet(start, goal, closed, self.names)
        return not self._reaches(start, goal, closed)

    def index(self, variable: int | str) -> int:
        """Find a variable by its name or number.

        Parameters
        ----------
        variable : int or str
            What to look for.

        Returns
        -------
        int
            Its number.
        """
        return variable_index(self.names, variable)

    def to_networkx(self) -> nx.Graph:
        """Give the graph as a networkx graph over the names.

        Returns
        -------
        networkx.Graph
            Nodes in column order.
        """
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[i], self.names[j]) for i, j in self.edges)
        return graph

    def _repr_html_(self) -> str:
        from ibmap.graph.layout import network_html, network_svg

        facts = [("Variables", f"{self.n_variables:,}"), ("Edges", f"{self.n_edges:,}")]
        return network_html(network_svg(self.names, self.adjacency), facts)

    def _reaches(self, start: int, goal: int, closed: set[int]) -> bool:
        """Walk outwards from `start`, never through `closed`."""
        reached, frontier = {start, *closed}, {start}
        while frontier:
            frontier = {y for x in frontier for y in self._blankets[x]} - reached
            if goal in frontier:
                return True
            reached |= frontier
        return False

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MarkovGraph):
            return NotImplemented
        return self.names == other.names and self.edges == other.edges

    def __hash__(self) -> int:
        return hash((self.names, self.edges))

    def __repr__(self) -> str:
        return f"MarkovGraph({self.n_variables} variables, {self.n_edges} edges)"


def as_graph(graph: Any, names: Sequence[str]) -> MarkovGraph:
    """Read a MarkovGraph, a networkx graph or a matrix as a graph over exactly these names."""
    names = tuple(names)
    if isinstance(graph, MarkovGraph):
        return _reordered(graph, names)
    if hasattr(graph, "edges") and hasattr(graph, "nodes"):
        return _from_networkx(graph, names)
    matrix = _checked_adjacency(graph)
    if len(matrix) != len(names):
        msg = f"the adjacency matrix is over {len(matrix)} variables, the table has {len(names)}"
        raise InvalidGraphError(msg)
    return MarkovGraph(matrix, names)


def named_graph(graph: Any) -> MarkovGraph:
    """Read a graph of any kind with the names it brings; ``x0, x1, ...`` if it brings none."""
    if isinstance(graph, MarkovGraph):
        return graph
    if not hasattr(graph, "nodes"):
        return MarkovGraph(graph)
    nodes = list(graph.nodes())
    is_numbered = set(nodes) == set(range(len(nodes)))
    return as_graph(graph, [f"x{k}" if is_numbered else str(node) for k, node in enumerate(nodes)])


def _reordered(graph: MarkovGraph, names: tuple[str, ...]) -> MarkovGraph:
    """Put a graph's variables in the order of `names`."""
    if graph.names == names:
        return graph
    if set(graph.names) == set(names):
        order = [graph.names.index(name) for name in names]
        return MarkovGraph(graph.adjacency[np.ix_(order, order)], names)
    if graph.names == tuple(f"x{k}" for k in range(len(names))):
        return MarkovGraph(graph.adjacency, names)
    odd = sorted(set(graph.names) ^ set(names))[:5]
    msg = f"the graph and the table are over different variables, for example {odd}"
    raise InvalidGraphError(msg)


def _from_networkx(graph: Any, names: tuple[str, ...]) -> MarkovGraph:
    """Read a networkx graph over names or numbers."""
    if graph.is_directed():
        msg = "a Markov network is undirected: pass graph.to_undirected()"
        raise InvalidGraphError(msg)
    edges = [(_node_index(names, u), _node_index(names, v)) for u, v in graph.edges()]
    for node in graph.nodes():
        _node_index(names, node)
    return MarkovGraph.from_edges(len(names), edges, names)


def _node_index(names: tuple[str, ...], node: Any) -> int:
    """Find a networkx node among the names, as a name first, then as a number."""
    if isinstance(node, str) or not isinstance(node, (int, np.integer)):
        return variable_index(names, str(node))
    return names.index(str(node)) if str(node) in names else variable_index(names, int(node))


def _checked_adjacency(adjacency: ArrayLike) -> NDArray[np.bool_]:
    """Copy a matrix as bool, refusing what is not an undirected graph."""
    values = np.asarray(adjacency)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        msg = f"an adjacency matrix is square; this has shape {values.shape}"
        raise InvalidGraphError(msg)
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        msg = "an adjacency matrix holds 0 and 1 (or False and True) only"
        raise InvalidGraphError(msg)
    matrix = values.astype(bool)
    if not np.array_equal(matrix, matrix.T):
        i, j = np.argwhere(matrix != matrix.T)[0]
        msg = f"the adjacency matrix is not symmetric at ({i}, {j}): a Markov network is undirected"
        raise InvalidGraphError(msg)
    if matrix.diagonal().any():
        msg = f"variable {int(np.flatnonzero(matrix.diagonal())[0])} is joined to itself"
        raise InvalidGraphError(msg)
    return matrix


def _checked_names(given: Sequence[str] | None, n_variables: int) -> tuple[str, ...]:
    """Give the names, ``x0, x1, ...`` if there are none; refuse those that do not fit or repeat."""
    names = tuple(f"x{k}" for k in range(n_variables)) if given is None else tuple(given)
    if len(names) != n_variables or len(set(names)) != n_variables:
        msg = f"{n_variables} variables need {n_variables} different names"
        raise InvalidGraphError(msg)
    return names


def _check_triplet(x: int, y: int, given: set[int], names: tuple[str, ...]) -> None:
    """Refuse a question about a variable and itself, or with it among the given."""
    if x == y or x in given or y in given:
        msg = f"{names[x]!r}, {names[y]!r} and the given variables must be different"
        raise InvalidGraphError(msg)
