"""GSMN* and GSIMN: blankets that learn from each other (Bromberg, Margaritis and Honavar).

GSMN* visits the variables one after the other and does not ask again what the
blanket of a variable visited before has settled: no two blankets can disagree.
GSIMN also infers what follows from the answers so far (`Implications`). Both are
written as generators and become operators by `Replayed`.

The reading is that of the authors' paper of 2009 as recalled: variables are
visited by increasing average log support of their unconditional independences,
candidates tried by increasing support; only those dependent unconditionally are
tested. When Y joins the members of X, the earlier members and X move to the
front of Y's candidates; the member added last that is still to be visited is
visited next; shrinking goes backwards.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from ibmap.blankets.implications import Implications
from ibmap.blankets.joining import join_blankets
from ibmap.blankets.operator import Questions, Replayed
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import IndependenceTest, Triplet
from ibmap.progress import Monitor
from ibmap.ties import order_with_ties

TELL_QUESTIONS = 100  # between two reports


@dataclass(frozen=True)
class Orders:
    """In which order variables are visited, and candidates tried; fixed from the data."""

    names: tuple[str, ...]  # names of the variables
    visits: tuple[int, ...]  # variables in the order they are visited at first
    candidates: tuple[tuple[int, ...], ...]


def association_orders(test: IndependenceTest) -> Orders:
    """Order variables and candidates by their unconditional tests."""
    n = test.n_variables
    supports = np.zeros((n, n))
    for x in range(n):
        for y in range(x + 1, n):
            supports[x, y] = supports[y, x] = test.ask_triplet(Triplet(x, y, ())).log_support
    others = [[y for y in range(n) if y != x] for x in range(n)]
    candidates = tuple(tuple(others[x][k] for k in order_with_ties(supports[x, others[x]])) for x in range(n))
    averages = supports.sum(axis=1) / max(n - 1, 1)
    return Orders(test.names, tuple(order_with_ties(averages)), candidates)


def star_questions(
    orders: Orders, infers: bool = False, knowledge: Knowledge | None = None
) -> Questions[MarkovGraph]:
    """Ask for a structure as GSMN* does, or as GSIMN does."""
    visits = list(orders.visits)
    candidates = [list(order) for order in orders.candidates]
    blankets: dict[int, tuple[int, ...]] = {}
    implied = Implications(len(visits), knowledge) if infers else None
    while visits:
        x = visits.pop(0)
        members = yield from _grow(x, candidates, blankets, implied)
        waiting = [y for y in members if y in visits]
        if waiting:
            visits.remove(waiting[-1])
            visits.insert(0, waiting[-1])
        blankets[x] = yield from _shrink(x, members, blankets, implied)
    return join_blankets([blankets[x] for x in range(len(orders.names))], orders.names, "or")


Subquestions = Generator[Triplet, bool, tuple[int, ...]]


def _grow(
    x: int,
    candidates: Sequence[list[int]],
    blankets: dict[int, tuple[int, ...]],
    implied: Implications | None,
) -> Subquestions:
    """Add every candidate dependent given the members so far; those settled already come last."""
    settled = [y for y in candidates[x] if y in blankets]
    known = [y for y in settled if x in blankets[y]]
    members: list[int] = []
    for y in [y for y in candidates[x] if y not in blankets] + known:
        if y not in known:
            if (yield from _ask(Triplet(x, y, ()), None, implied)):
                continue
            if (yield from _ask(Triplet(x, y, tuple(sorted(members))), implied, implied)):
                continue
            front = [*members, x]
            candidates[y][:] = front + [z for z in candidates[y] if z not in front]
        members.append(y)
    return tuple(members)


def _shrink(
    x: int, grown: tuple[int, ...], blankets: dict[int, tuple[int, ...]], implied: Implications | None
) -> Subquestions:
    """Drop every member independent given the others, the last added first."""
    members = list(grown)
    for y in reversed(grown):
        if y not in blankets:
            others = tuple(sorted(z for z in members if z != y))
            if (yield from _ask(Triplet(x, y, others), implied, implied)):
                members.remove(y)
    return tuple(members)


def _ask(
    triplet: Triplet, source: Implications | None, record: Implications | None
) -> Generator[Triplet, bool, bool]:
    """Infer the answer if the source can tell; else ask, and take note."""
    if record is not None and record.knowledge is not None:
        is_joined = record.knowledge.settled(triplet.x, triplet.y)
        if is_joined is not None:
            return not is_joined
    known = None if source is None else source.infer(triplet)
    if known is not None:
        return known
    independent = yield triplet
    if record is not None:
        record.add(triplet, independent)
    return independent


def star_operator(test: IndependenceTest, *, infers: bool = False) -> Replayed[MarkovGraph]:
    """Make the operator that finds a structure as GSMN* or GSIMN does."""
    known: Knowledge | None = getattr(test, "knowledge", None)
    return Replayed(partial(star_questions, association_orders(test), infers, known))


def gsmn_star(
    test: IndependenceTest, *, deadline: float | None = None, monitor: Monitor | None = None
) -> MarkovGraph:
    """Learn a structure with GSMN*."""
    return _learn(test, False, deadline, monitor or Monitor())


def gsimn(
    test: IndependenceTest, *, deadline: float | None = None, monitor: Monitor | None = None
) -> MarkovGraph:
    """Learn a structure with GSIMN."""
    return _learn(test, True, deadline, monitor or Monitor())


def _learn(test: IndependenceTest, infers: bool, deadline: float | None, monitor: Monitor) -> MarkovGraph:
    """Answer with the test as long as there is time, then with independence."""
    questions = count()

    def answer(triplet: Triplet) -> bool:
        if next(questions) % TELL_QUESTIONS == 0:
            monitor.tell("blankets", 0, n_tests=test.n_tests)
        is_late = monitor.is_stopped or (deadline is not None and time.monotonic() > deadline)
        return is_late or test.ask_triplet(triplet).independent

    return star_operator(test, infers=infers).play(answer)
