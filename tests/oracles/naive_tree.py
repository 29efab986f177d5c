"""Every run of an algorithm, one by one, and the plain uniform cost search over them.

An algorithm is a function of `ask`, which takes a run's name and a triplet. A triplet that a run has
asked before keeps its answer, at no cost; runs of different names do not share answers.
"""

import heapq
import math

from oracles import naive

TOLERANCE = 1e-9


class UnansweredError(Exception):
    """A question whose answer is not on the list."""


def play(algorithm, answers):
    """Run an algorithm with a list of answers: what it found, or the question it is left with."""
    known, left = {}, list(answers)

    def ask(run, x, y, given):
        key = (run, naive.triplet(x, y, given))
        if key not in known:
            if not left:
                raise UnansweredError(key)
            known[key] = left.pop(0)
        return known[key]

    try:
        return True, algorithm(ask)
    except UnansweredError as error:
        return False, error.args[0][1]


def every_run(algorithm, log_probabilities, answers=(), cost=0.0):
    """List what every run costs, its answers and what it finds."""
    is_over, found = play(algorithm, answers)
    if is_over:
        return [(cost, answers, found)]
    runs = []
    for answer, log_probability in zip((True, False), log_probabilities(*found), strict=True):
        if log_probability > -math.inf:
            runs += every_run(algorithm, log_probabilities, (*answers, answer), cost - log_probability)
    return runs


def cheapest(runs, rank):
    """Choose the cheapest run; of those within the tolerance, the one whose finding ranks lowest."""
    least = min(cost for cost, _, _ in runs)
    equal = [run for run in runs if run[0] <= least + TOLERANCE]
    return min(equal, key=lambda run: rank(run[2]))


def uniform_cost(algorithm, log_probabilities):
    """Expand the cheapest node until a leaf is the cheapest: cost, what it finds, nodes expanded."""
    heap, n_expanded = [(0.0, ())], 0
    while True:
        cost, answers = heapq.heappop(heap)
        is_over, found = play(algorithm, answers)
        if is_over:
            return cost, found, n_expanded
        n_expanded += 1
        for answer, log_probability in zip((True, False), log_probabilities(*found), strict=True):
            if log_probability > -math.inf:
                heapq.heappush(heap, (cost - log_probability, (*answers, answer)))


def blanket_rank(members):
    """Few members first, then the lowest."""
    return len(members), sorted(members)


def edges_rank(edges):
    """Few edges first, then the lowest."""
    return len(edges), sorted(sorted(edge) for edge in edges)


def orders_of(test, n, order):
    """The order in which each variable tries the others."""
    others = {x: [y for y in range(n) if y != x] for x in range(n)}
    if order == "columns":
        return others
    return {x: naive.order_by_association({y: test.log_support(x, y, ()) for y in others[x]}) for x in others}


def grow_shrink(x, order, grow):
    """GS of one variable as a function of `ask`."""
    return lambda ask: naive.grow_shrink(lambda a, b, given: ask(x, a, b, given), x, order, grow)


def gsmn(orders, grow, rule):
    """GSMN as a function of `ask`: GS of each variable, joined."""

    def algorithm(ask):
        blankets = [set(grow_shrink(x, order, grow)(ask)) for x, order in orders.items()]
        needed = 1 if rule == "or" else 2
        return {
            frozenset((i, j))
            for i, j in naive.pairs(len(orders))
            if (j in blankets[i]) + (i in blankets[j]) >= needed
        }

    return algorithm
