"""Rounds of the lazy climb: all flips at once that are the best of both their ends."""

import math

import numpy as np
import pytest

from ibmap.data.encoding import encode
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import make_knowledge
from ibmap.independence.averaged import AveragedTest
from ibmap.learners import LEARNERS
from ibmap.score import flip_gain, total_score
from ibmap.score.pairwise import PairwiseScore
from ibmap.search.lazy_climb import lazy_climb
from ibmap.search.limits import Limits
from ibmap.simulate import random_network

pytestmark = pytest.mark.compiled_only("searches say nothing new about kernels")


class Recorder:
    """A monitor that notes how many flips each step takes."""

    is_stopped = False

    def __init__(self):
        self.ends = []

    def tell(self, phase, done, total=0, **reached):
        if phase == "ascending":
            self.ends.append((done, reached["score"]))


def score_of(n, n_rows, seed, degree=2):
    net = random_network(n, degree, signs="random", random_state=seed)
    return PairwiseScore(AveragedTest(net.sample(n_rows, random_state=seed)))


def all_gains(score, graph):
    n = graph.n_variables
    return {(x, y): flip_gain(score, graph, x, y) for x in range(n) for y in range(x + 1, n)}


@pytest.mark.parametrize("seed", range(4))
def test_a_round_rises_by_the_sum_of_its_gains_and_holds_the_best_flip(seed):
    score, monitor = score_of(12, 300, seed), Recorder()
    start = MarkovGraph.empty(12, score.names)
    climb = lazy_climb(score, start, monitor=monitor, in_rounds=True)
    graph, begin, reached = start, 0, total_score(score, start)
    for end, value in monitor.ends:
        flips, gains = climb.flips[begin:end], all_gains(score, graph)
        ends = [v for flip in flips for v in flip]
        if len(ends) == len({*ends}):  # a round; a chain has ends in common
            assert value == pytest.approx(reached + math.fsum(gains[flip] for flip in flips), abs=1e-9)
            if all(gains[flip] > 0 for flip in flips):
                assert gains[flips[0]] == max(gains[flip] for flip in flips)
        assert value > reached
        for x, y in flips:
            graph = graph.flip(x, y)
        begin, reached = end, value
    assert graph == climb.graph and climb.score == pytest.approx(total_score(score, graph))
    assert max(all_gains(score, graph).values()) <= 1e-9
    assert len(monitor.ends) < len(climb.flips)


def test_flips_of_a_round_gain_more_than_any_other_worked_out_for_their_ends():
    score, monitor = score_of(10, 1000, 3), Recorder()
    lazy_climb(score, MarkovGraph.empty(10, score.names), monitor=monitor, in_rounds=True)
    first = lazy_climb(
        score, MarkovGraph.empty(10, score.names), limits=Limits(monitor.ends[0][0]), in_rounds=True
    )
    gains = all_gains(score, MarkovGraph.empty(10, score.names))
    for flip in first.flips:
        near = [gain for pair, gain in gains.items() if {*pair} & {*flip}]
        assert gains[flip] == max(near)


def test_rounds_are_the_same_for_any_number_of_threads_and_end_at_limits():
    entry = LEARNERS["ibmap"]
    table = encode(random_network(30, 3, random_state=1).sample(600, random_state=1))
    options = entry.options(ascent="rounds")
    one, three = (entry.learn(table, options, n_threads=k) for k in (1, 3))
    assert (one.graph, one.score, one.n_tests, one.trace) == (
        three.graph,
        three.score,
        three.n_tests,
        three.trace,
    )
    score = score_of(10, 500, 0)
    for limit in range(4):
        start = MarkovGraph.empty(10, score.names)
        assert len(lazy_climb(score, start, limits=Limits(limit), in_rounds=True).flips) == limit


def test_rounds_keep_to_what_is_known():
    net = random_network(10, 3, random_state=2)
    test = AveragedTest(net.sample(300, random_state=2))
    missing = next((0, y) for y in range(1, 10) if not net.graph.has_edge(0, y))
    known = make_knowledge(test.names, require=[missing], forbid=net.graph.edges[:2])
    score = PairwiseScore(test, known)
    start = known.agreeing(MarkovGraph.empty(10, test.names))
    found = lazy_climb(score, start, in_rounds=True).graph
    assert known.agreeing(found) is found and np.isfinite(total_score(score, found))
