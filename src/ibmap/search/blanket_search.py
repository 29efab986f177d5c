"""The search for the most probable run of GS for one variable of a binary table, compiled.

The same search as `RunSearch`, over the same states, in `ibmap.kernels.run_search`.
Candidates tested given the same members are taken together, so a node here is a set of
members in the grow phase, and a question in the shrink phase.
"""

from __future__ import annotations

import math
import time
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.binary_score import small_tables
from ibmap.blankets.grow_shrink import GrowShrink, Phase
from ibmap.closure import Assertion
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import BinaryColumns
from ibmap.independence.protocol import ProbabilisticTest, Triplet
from ibmap.kernels import run_search as kernels
from ibmap.kernels.two_by_two import log_dependent
from ibmap.search.asked import AskedTests
from ibmap.search.best_first import Allowance
from ibmap.search.operator_tree import rank_of
from ibmap.ties import TOLERANCE

MAX_VARIABLES = 64  # a set of variables is a word
FIRST_NODES, FIRST_ROWS = 256, 64  # room to begin with
GROWTHS = (2.0, 1.5, 1.2, 1.1)  # by which tables grow; less is not worth moving everything
NODE_BYTES = 64  # cost, members, form and parent of a node, and two places on the heap
CHUNK_SECONDS = 0.05  # between two looks at the clock


def can_search(operator: Any, test: ProbabilisticTest) -> bool:
    """Tell whether the runs of an operator can be searched by the compiled search.

    Parameters
    ----------
    operator : Operator
        The algorithm.
    test : ProbabilisticTest
        Gives the posteriors.

    Returns
    -------
    bool
        True for GS with one grow pass and the Bayesian test on at most 64 binary columns.
    """
    return (
        type(operator) is GrowShrink
        and operator.grow == "once"
        and type(test) is BayesianTest
        and test.columns is not None
        and test.n_variables <= MAX_VARIABLES
        and len(operator.candidates) == test.n_variables - 1
    )


class BlanketSearch:
    """The search for the most probable run of GS for one binary variable.

    Parameters
    ----------
    operator : GrowShrink
        The algorithm, for one variable.
    test : BayesianTest
        Gives the posteriors; `can_search` must agree.

    Attributes
    ----------
    stopped : str
        Why the search came back.

    Examples
    --------
    >>> test = BayesianTest([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10)
    >>> search = BlanketSearch(GrowShrink(0, [1, 2]), test)
    >>> search.advance()
    >>> search.found, search.n_expanded
    ((1,), 2)
    """

    def __init__(self, operator: GrowShrink, test: BayesianTest) -> None:
        assert test.columns is not None, "the table must be binary"
        self._operator = operator
        self._order = np.array(operator.candidates, np.int64)
        self._place = {y: k for k, y in enumerate(operator.candidates)}
        self._data = _data(test.columns, operator.x, self._order)
        self._prior = _prior(test.columns, len(self._order))
        self._counts, self._costs = np.zeros(5, np.int64), np.full(2, math.inf)
        self._counts[kernels.WINNER] = -1
        self._make_tables()
        self._best: tuple[float, tuple[int, ...], tuple[bool, ...]] = (math.inf, (), ())
        self._chunk = 64
        self.stopped = ""
        self._add_node_at_root()
        self._follow(())

    def _make_tables(self) -> None:
        """Begin with little room."""
        self._nodes = _empty_nodes(FIRST_NODES)
        self._heap = (np.empty(2 * FIRST_NODES), np.empty(2 * FIRST_NODES, np.int64))
        self._slots = _empty_slots(FIRST_NODES)
        self._rows = _empty_rows(FIRST_ROWS, len(self._order))
        self._row_slots = _empty_slots(FIRST_ROWS)

    def _add_node_at_root(self) -> None:
        """Put the empty set on the frontier."""
        kernels.add_node(
            self._nodes, self._heap, self._slots, self._counts, 0.0, np.uint64(0), kernels.GROWING, -1
        )

    @property
    def n_expanded(self) -> int:
        """Nodes whose branches were looked at."""
        return int(self._counts[kernels.N_EXPANDED])

    @property
    def n_frontier(self) -> int:
        """Nodes on the frontier."""
        return int(self._counts[kernels.N_HEAP])

    @property
    def is_done(self) -> bool:
        """Whether no better run can be on the frontier."""
        return not self.n_frontier or self._heap[0][0] > self._costs[kernels.CHEAPEST] + TOLERANCE

    @property
    def n_bytes(self) -> int:
        """Memory of all tables."""
        arrays = (*self._nodes, *self._heap, self._slots, *self._rows, self._row_slots)
        return sum(array.nbytes for array in arrays)

    @property
    def lowest(self) -> float:
        """What the cheapest run costs at least."""
        cheapest = float(self._costs[kernels.CHEAPEST])
        return min(cheapest, float(self._heap[0][0])) if self.n_frontier else cheapest

    @property
    def cost(self) -> float:
        """What the best run so far costs."""
        return self._best[0]

    @property
    def found(self) -> tuple[int, ...]:
        """The blanket of the best run so far, in order of inclusion."""
        return self._best[1]

    @property
    def closure(self) -> tuple[Assertion, ...]:
        """The assertions of the best run so far, in the order asked."""
        made = []
        state = self._operator.begin()
        for independent in self._best[2]:
            triplet = self._operator.question(state)
            assert triplet is not None, "more answers than questions"
            made.append(Assertion(*triplet, independent))
            state = self._operator.after(state, independent)
        return tuple(made)

    @property
    def asked(self) -> AskedTests:
        """The distinct tests made."""
        n = self._counts[kernels.N_ROWS]
        return AskedTests.from_words(self._operator.x, self._order, self._rows[0][:n], self._rows[2][:n])

    def advance(self, allowance: Allowance | None = None) -> None:
        """Search until it is done or the allowance is used up.

        Parameters
        ----------
        allowance : Allowance, optional
            What may be used; as much as it takes by default.
        """
        n_nodes, n_bytes, deadline, watch = allowance or Allowance()
        last = math.inf if n_nodes is None else self.n_expanded + n_nodes
        while True:
            if watch is not None:
                watch()
            begun = time.monotonic()
            reason = self._advance_some(int(min(self._chunk, last - self.n_expanded)))
            seconds = time.monotonic() - begun
            self._chunk = max(16, int(self._chunk * (2 if seconds < CHUNK_SECONDS else 0.5)))
            if reason == kernels.DONE:
                self._stop("optimum")
                return
            if reason in (kernels.MORE_NODES, kernels.MORE_ROWS) and not self._make_room(reason, n_bytes):
                self._stop("max_memory")
                return
            if self.n_expanded >= last:
                self._stop("max_nodes")
                return
            if deadline is not None and time.monotonic() > deadline:
                self._stop("max_seconds")
                return

    def complete(self) -> None:
        """Complete the run at the lowest node of the frontier, by the likelier answers."""
        if not self.is_done:
            self._take_winner()
            self._follow(self._answers(int(self._heap[1][0])))

    def _advance_some(self, n_nodes: int) -> int:
        """Run the kernel for so many nodes."""
        return int(
            kernels.advance(
                self._data,
                self._prior,
                self._order,
                (self._nodes, self._heap, self._slots, self._rows),
                self._row_slots,
                self._counts,
                self._costs,
                TOLERANCE,
                n_nodes,
            )
        )

    def _stop(self, reason: str) -> None:
        """Take the best run from the kernel; let go of what a finished search does not need."""
        self.stopped = reason
        self._take_winner()
        if reason == "optimum":
            n = self._counts[kernels.N_ROWS]
            self._rows = (self._rows[0][:n].copy(), np.empty((0, 0)), self._rows[2][:n].copy())
            self._nodes, self._slots = _empty_nodes(0), np.empty(0, np.int64)
            self._heap, self._row_slots = (np.empty(0), np.empty(0, np.int64)), np.empty(0, np.int64)
            self._counts[kernels.N_HEAP] = 0
            self._counts[kernels.WINNER] = -1

    def _take_winner(self) -> None:
        """Take the best run that the kernel has found, if any."""
        winner = int(self._counts[kernels.WINNER])
        if winner >= 0:
            self._add_run(float(self._costs[kernels.WINNING]), self._answers(winner))

    def _make_room(self, reason: int, limit: int | None) -> bool:
        """Give the kernel larger tables; tell whether the limit leaves room for them."""
        is_nodes = reason == kernels.MORE_NODES
        size = len(self._nodes[0] if is_nodes else self._rows[0])
        entry = NODE_BYTES if is_nodes else 16 + 8 * len(self._order)
        slots = self._slots if is_nodes else self._row_slots
        for growth in GROWTHS:
            larger = int(size * growth)
            more = entry * (larger - size) + 8 * n_slots(larger) - slots.nbytes
            if limit is None or self.n_bytes + more <= limit:
                self._enlarge(is_nodes, larger)
                return True
        return False

    def _enlarge(self, is_nodes: bool, size: int) -> None:
        """Move the nodes, or the rows, to larger tables."""
        if is_nodes:
            self._nodes = tuple(_resized(array, size) for array in self._nodes)
            self._heap = (_resized(self._heap[0], 2 * size), _resized(self._heap[1], 2 * size))
            self._slots = _empty_slots(size)
            kernels.fill_slots(self._nodes[1], self._nodes[2], self._counts[kernels.N_NODES], self._slots)
        else:
            self._rows = tuple(_resized(array, size) for array in self._rows)
            self._row_slots = _empty_slots(size)
            n = self._counts[kernels.N_ROWS]
            kernels.fill_slots(self._rows[0], np.zeros(n, np.int64), n, self._row_slots)

    def _answers(self, node: int) -> tuple[bool, ...]:
        """Give the answers that lead to a node."""
        _, members, forms, parents = self._nodes
        path = []
        while node >= 0:
            path.append(node)
            node = int(parents[node])
        path.reverse()
        grown = [k for k in path if forms[k] == kernels.GROWING]
        shrunk = path[len(grown) :]
        last = int(members[grown[-1]])
        n_asked = len(self._order) if shrunk else last.bit_length()
        growing = [not last >> k & 1 for k in range(n_asked)]
        sets = [int(members[k]) for k in shrunk]
        return tuple(growing + [a != b for a, b in pairwise(sets)])

    def _follow(self, answers: tuple[bool, ...]) -> None:
        """Complete a run by the likelier answers, independence where they are equal."""
        cost, made = 0.0, list(answers)
        state: Phase = self._operator.begin()
        for step in count():
            triplet = self._operator.question(state)
            if triplet is None:
                break
            independent = self._price(state, triplet)
            dependent = -float(log_dependent(independent))
            if step == len(made):
                made.append(independent <= dependent + TOLERANCE)
            cost += independent if made[step] else dependent
            state = self._operator.after(state, made[step])
        self._costs[kernels.CHEAPEST] = min(self._costs[kernels.CHEAPEST], cost)
        self._add_run(cost, tuple(made))

    def _price(self, state: Phase, triplet: Triplet) -> float:
        """Look up what it costs to answer that a triplet is independent."""
        if self._counts[kernels.N_ROWS] == len(self._rows[0]):
            self._make_room(kernels.MORE_ROWS, None)
        given = self._as_word(triplet.given)
        wanted = self._as_word(self._operator.ahead(state))
        row = kernels.find_row(
            self._data, self._prior, self._rows, self._row_slots, self._counts, given, wanted
        )
        return float(self._rows[1][row, self._place[triplet.y]])

    def _as_word(self, variables: tuple[int, ...]) -> np.uint64:
        """Write a set of candidates as the kernel does."""
        return np.uint64(sum(1 << self._place[z] for z in variables))

    def _add_run(self, cost: float, answers: tuple[bool, ...]) -> None:
        """Keep a run if it is the best so far, or as good and its blanket ranks lower."""
        state: Phase = self._operator.begin()
        for independent in answers:
            state = self._operator.after(state, independent)
        blanket = self._operator.outcome(state)
        is_equal = abs(cost - self._best[0]) <= TOLERANCE
        if cost < self._best[0] - TOLERANCE or (is_equal and rank_of(blanket) < rank_of(self._best[1])):
            self._best = (cost, blanket, answers)


def _data(columns: BinaryColumns, x: int, order: NDArray[np.int64]) -> tuple[Any, ...]:
    """Arrange the data by the order of the candidates, as the kernel takes it."""
    states = np.ascontiguousarray(columns.states[order])
    keys = np.zeros(states.shape[1], np.uint64)
    for k, column in enumerate(states):
        keys |= column.astype(np.uint64) << np.uint64(k)
    return states, keys, np.ascontiguousarray(columns.states[x]), columns.weights, columns.is_weighted


def _prior(columns: BinaryColumns, n_candidates: int) -> tuple[Any, ...]:
    """Tabulate the prior by the size of the conditioning set, as the kernel takes it."""
    log_odds = np.array([columns.prior.log_slice_odds(1 << k) for k in range(n_candidates + 1)])
    odds = np.stack([log_odds, np.exp(log_odds)], axis=1)
    return odds, -math.log(columns.prior.probability), (columns.tables, small_tables(columns.prior))


def _resized(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Copy an array into one with more rows."""
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _empty_nodes(size: int) -> tuple[NDArray[Any], ...]:
    """Make room for nodes: cost, members, form, parent."""
    return np.empty(size), np.empty(size, np.uint64), np.empty(size, np.int64), np.empty(size, np.int64)


def _empty_rows(size: int, n_candidates: int) -> tuple[NDArray[Any], ...]:
    """Make room for rows: set, costs, candidates tested."""
    return np.empty(size, np.uint64), np.empty((size, n_candidates)), np.empty(size, np.uint64)


def _empty_slots(n_entries: int) -> NDArray[np.int64]:
    """Make a table that finds so many entries."""
    return np.full(n_slots(n_entries), -1, np.int64)


def n_slots(n_entries: int) -> int:
    """Give the size of a table that finds so many entries.

    Parameters
    ----------
    n_entries : int
        At least 1.

    Returns
    -------
    int
        A power of two, at least twice as many.

    Examples
    --------
    >>> n_slots(5), n_slots(8)
    (16, 16)
    """
    return 1 << (2 * n_entries - 1).bit_length()
