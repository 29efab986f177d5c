"""The cheapest way from the root of a tree to one of its leaves.

Uniform cost search with a bound on what remains (A*), on any tree given as costs
of branches. States that are equal are merged: only the cheapest way to each is
followed. The first leaf is the one found by always taking the cheapest branch;
whatever costs more is cut. The search can be stopped and taken up again, and tells at any time
the best leaf it knows and what the cheapest one costs at least.

**Why it is exact.** The frontier holds a state of every way to a leaf that is not
ruled out. No way that goes through a state costs less than the cost to the
state plus the bound on what remains, so none costs less than the lowest such sum
on the frontier. When that is above the best leaf, no leaf is better.

**Ties.** Leaves whose costs are within 1e-9 of the cheapest are equal; the one with
the lowest `rank` wins. The search goes on until every such leaf is found, so the
winner does not depend on the order of the search.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ibmap.ties import TOLERANCE

State = TypeVar("State", bound=Hashable)
CLOCK_INTERVAL = 64  # states between two readings of the clock
STATE_BYTES = 700  # of a state of the frontier with its entries in the tables, measured


class CostTree(Protocol[State]):
    """A tree whose branches cost something."""

    def root(self) -> State:
        """Give where all ways begin."""
        ...

    def branches(self, state: State) -> Sequence[tuple[float, State]]:
        """List costs (0 or more; infinite ones are not followed) and states; nothing for a leaf."""
        ...

    def bound(self, state: State) -> float:
        """Give a lower bound on the cost to any leaf; it falls by no more than each branch costs."""
        ...

    def rank(self, leaf: State) -> Any:
        """Give what decides between leaves that cost the same."""
        ...

    @property
    def n_bytes(self) -> int:
        """Memory the tree itself holds."""
        ...


class Allowance(NamedTuple):
    """What a search may use before it returns: states, bytes, time; `watch` is called now and then."""

    n_nodes: int | None = None
    n_bytes: int | None = None
    deadline: float | None = None
    watch: Callable[[], None] | None = None


class _Leaf(NamedTuple, Generic[State]):
    """A leaf, what it costs, and the way to it where the table of ways does not know it."""

    cost: float
    state: State
    path: list[State] | None


class BestFirst(Generic[State]):
    """A search for the cheapest leaf, which can be stopped and taken up again."""

    def __init__(self, tree: CostTree[State]) -> None:
        self._tree = tree
        root = tree.root()
        self._ways: dict[State, tuple[float, State | None]] = {root: (0.0, None)}
        self._heap: list[tuple[float, int, float, State]] = [(tree.bound(root), 0, 0.0, root)]
        self._n_pushed = 1
        self._n_steps = 0
        self._in_hand = math.inf
        self._leaves: list[_Leaf[State]] = []
        self._cheapest = math.inf
        self.n_expanded = 0
        self.stopped = ""
        self._follow(0.0, root)

    @property
    def is_done(self) -> bool:
        """Whether no better leaf can be on the frontier."""
        return not self._heap or self._heap[0][0] > self._cheapest + TOLERANCE

    @property
    def n_frontier(self) -> int:
        """States on the frontier."""
        return len(self._heap)

    @property
    def n_bytes(self) -> int:
        """Memory held, estimated from the number of states."""
        return STATE_BYTES * len(self._ways) + self._tree.n_bytes

    @property
    def lowest(self) -> float:
        """What the cheapest leaf costs at least."""
        return min(self._cheapest, self._in_hand, self._heap[0][0] if self._heap else math.inf)

    @property
    def cost(self) -> float:
        """What the best leaf so far costs; infinite if none is known."""
        return self._winner().cost if self._leaves else math.inf

    @property
    def leaf(self) -> State:
        """The best leaf so far."""
        return self._winner().state

    def advance(self, allowance: Allowance | None = None) -> None:
        """Search until it is done or the allowance is used up."""
        n_nodes, n_bytes, deadline, watch = allowance or Allowance()
        last = math.inf if n_nodes is None else self.n_expanded + n_nodes
        while not self.is_done:
            if self.n_expanded >= last:
                self.stopped = "max_nodes"
                return
            if n_bytes is not None and self.n_bytes >= n_bytes:
                self.stopped = "max_memory"
                return
            if not self._n_steps % CLOCK_INTERVAL:
                if deadline is not None and time.monotonic() > deadline:
                    self.stopped = "max_seconds"
                    return
                if watch is not None:
                    watch()
            self._step()
        self.stopped = "optimum"
        self._release()

    def _release(self) -> None:
        """Keep the leaves and the ways to them, and let go of the rest."""
        self._leaves = [_Leaf(*leaf[:2], leaf.path or self._way_to(leaf.state)) for leaf in self._leaves]
        self._ways, self._heap = {}, []

    def complete(self) -> None:
        """Follow the cheapest branches from the lowest state of the frontier to a leaf."""
        if self._heap:
            self._follow(*self._heap[0][2:])

    def path(self) -> list[State]:
        """Give the states from the root to the best leaf."""
        return self._winner().path or self._way_to(self.leaf)

    def _way_to(self, state: State | None) -> list[State]:
        """Go back from a state to the root."""
        backwards: list[State] = []
        while state is not None:
            backwards.append(state)
            state = self._ways[state][1]
        return backwards[::-1]

    def _step(self) -> None:
        """Expand the lowest state of the frontier."""
        self._n_steps += 1
        self._in_hand = self._heap[0][0]  # so that the bound holds if this is interrupted
        _, _, cost, state = heapq.heappop(self._heap)
        if cost <= self._ways[state][0]:  # not reached at less cost since
            self._expand(cost, state)
        self._in_hand = math.inf

    def _expand(self, cost: float, state: State) -> None:
        """Put what follows a state on the frontier."""
        branches = self._tree.branches(state)
        if not branches:
            self._add_leaf(cost, state)
            return
        self.n_expanded += 1
        for price, child in branches:
            self._push(cost + price, child, state)

    def _push(self, cost: float, child: State, parent: State) -> None:
        """Put a state on the frontier unless it is ruled out or reached at no more cost."""
        total = cost + self._tree.bound(child)
        if not total <= self._cheapest + TOLERANCE:
            return
        known = self._ways.get(child)
        if known is not None and known[0] <= cost:
            return
        self._ways[child] = (cost, parent)
        heapq.heappush(self._heap, (total, self._n_pushed, cost, child))
        self._n_pushed += 1

    def _add_leaf(self, cost: float, state: State, path: list[State] | None = None) -> None:
        """Remember a leaf."""
        self._cheapest = min(self._cheapest, cost)
        self._leaves = [known for known in self._leaves if known.cost <= self._cheapest + TOLERANCE]
        if cost <= self._cheapest + TOLERANCE:
            self._leaves.append(_Leaf(cost, state, path))

    def _winner(self) -> _Leaf[State]:
        """Choose among the leaves that cost the same."""
        return min(self._leaves, key=lambda known: self._tree.rank(known.state))

    def _follow(self, cost: float, state: State) -> None:
        """Go on by the cheapest branch, the first of equals, to a leaf."""
        path = self._way_to(state)
        while branches := self._tree.branches(state):
            cheapest = min(price for price, _ in branches)
            price, state = next(branch for branch in branches if branch[0] <= cheapest + TOLERANCE)
            cost += price
            path.append(state)
        self._add_leaf(cost, state, path)


class DictTree:
    """A tree written down as a dict, with costs as they come."""

    n_bytes = 0

    def __init__(self, root: Any, branches: dict[Any, list[tuple[float, Any]]]) -> None:
        self._root, self._branches = root, branches

    def root(self) -> Any:
        """Give where all ways begin."""
        return self._root

    def branches(self, state: Any) -> list[tuple[float, Any]]:
        """List where one can go from a state."""
        return self._branches.get(state, [])

    def bound(self, state: Any) -> float:
        """Tell nothing about what remains."""
        return 0.0

    def rank(self, leaf: Any) -> Any:
        """Let the lowest name win."""
        return leaf
