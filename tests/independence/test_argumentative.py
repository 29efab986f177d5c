"""The argumentative test beside all arguments there are."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.blankets.gsmn import gsmn
from ibmap.blankets.gsmn_star import gsimn, gsmn_star
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.independence.argumentative import Argument, ArgumentativeTest, Proposition
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet
from ibmap.independence.separation import SeparationTest
from ibmap.ties import is_at_least_half
from oracles import naive_argumentation as naive
from strategies import graphs, tables

EVERY = {(n, sets): naive.arguments(n, sets) for n in (3, 4) for sets in (False, True)}


def logs_of(odds):
    return LogProbabilities(float(-np.logaddexp(0, -odds)), float(-np.logaddexp(0, odds)))


class Noisy(ProbabilisticTest):
    """A structure seen through noise: right on average, with a probability for every answer."""

    def __init__(self, graph, seed, noise=1.5):
        super().__init__(graph.names)
        self.graph, self.seed, self.noise = graph, seed, noise

    def log_posteriors(self, triplet):
        x, y, given = triplet.canonical()
        rng = np.random.default_rng([self.seed, x, y, *given])
        odds = (1 if self.graph.separated(x, y, given) else -1) + self.noise * rng.normal()
        return logs_of(odds)

    def _answer(self, triplet):
        support = self.log_posteriors(triplet).independent
        return Answer(is_at_least_half(support), support)


def as_ours(proposition):
    x, y, given, independent = proposition
    return Proposition(Triplet(x, y, tuple(sorted(given))), independent)


def preference(test, argument):
    """The order of the package: strength, then the shorter, then independence, then lower variables."""
    support = tuple(sorted(map(as_ours, argument[0])))
    return test.preference(Argument(support, as_ours(argument[1])))


def believed(test, n, sets=False):
    """What is believed of every triplet, by the grounded extension of all arguments."""
    every = EVERY[n, sets]
    order = {each: preference(test, each) for each in every}
    assert len(set(order.values())) == len(every)  # strict
    inside = naive.accepted(every, order.__getitem__)
    return {each: (frozenset({each}), each) in inside for each in naive.propositions(n)}


@pytest.mark.parametrize("union", ["single", "sets"])
@settings(max_examples=25)
@given(data=st.data())
def test_without_a_budget_it_believes_what_all_arguments_together_leave_accepted(union, data):
    n = data.draw(st.integers(3, 4))
    base = Noisy(data.draw(graphs(n)), data.draw(st.integers(0, 10**6)))
    test = ArgumentativeTest(base, None, union)
    expected = believed(test, n, union == "sets")
    for x, y, given_set, independent in naive.propositions(n):
        assert expected[x, y, given_set, independent] != expected[x, y, given_set, not independent]
        assert test.is_independent(x, y, given_set) == expected[x, y, given_set, True]


@settings(max_examples=25)
@given(st.data())
def test_it_does_so_for_tables_full_of_ties(data):
    table = data.draw(tables(min_variables=3, max_variables=4, max_states=2))
    test = ArgumentativeTest(BayesianTest(table), None)
    expected = believed(test, table.n_variables)
    for x, y, given_set, _ in naive.propositions(table.n_variables):
        assert test.is_independent(x, y, given_set) == expected[x, y, given_set, True]


@given(st.data())
def test_a_large_budget_is_exact_and_a_small_one_trusts_the_test(data):
    base = Noisy(data.draw(graphs(4)), data.draw(st.integers(0, 10**6)))
    exact, large, small = (ArgumentativeTest(base, budget) for budget in (None, 10**6, 1))
    for x, y, given_set, _ in naive.propositions(4):
        assert large.is_independent(x, y, given_set) == exact.is_independent(x, y, given_set)
        assert small.is_independent(x, y, given_set) == base.is_independent(x, y, given_set)


@given(st.data())
def test_tests_that_obey_the_rules_are_believed(data):
    graph = data.draw(graphs(data.draw(st.integers(3, 5))))
    for budget in (None, 50):
        test = ArgumentativeTest(SeparationTest(graph), budget)
        for x, y, given_set, _ in naive.propositions(graph.n_variables):
            assert test.is_independent(x, y, given_set) == graph.separated(x, y, given_set)
        assert test.n_corrected == 0


def test_a_weak_test_is_corrected_by_two_strong_ones():
    known = {Triplet(0, 1, ()): -4.0, Triplet(1, 2, ()): -3.0, Triplet(0, 2, ()): 0.5}

    class Chain(ProbabilisticTest):
        def log_posteriors(self, triplet):
            return logs_of(known.get(triplet.canonical(), -1e-3))

        def _answer(self, triplet):
            support = self.log_posteriors(triplet).independent
            return Answer(is_at_least_half(support), support)

    base = Chain(("a", "b", "c"))
    test = ArgumentativeTest(base)
    assert base.is_independent("a", "c") and not test.is_independent("a", "c")  # a - b - c is a path
    assert test.n_corrected == 1
    answer = test.ask("a", "c")
    assert math.exp(answer.log_support) == pytest.approx(1 / (1 + math.exp(0.5)))
    assert test.n_tests == base.n_tests and test.asked == base.asked


@pytest.mark.parametrize("learn", [gsmn, gsmn_star, gsimn, iamb, hiton])
def test_algorithms_of_blankets_find_the_structure_with_it(learn):
    truth = MarkovGraph.from_edges(5, [(0, 1), (1, 2), (2, 3)])
    assert learn(ArgumentativeTest(SeparationTest(truth), 200)) == truth


def test_it_is_right_more_often_than_the_test_it_asks():
    wrong = np.zeros(2)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        pairs = [(x, y) for x in range(5) for y in range(x) if rng.random() < 0.4]
        graph = MarkovGraph.from_edges(5, pairs)
        base = Noisy(graph, seed)
        test = ArgumentativeTest(base, 500)
        for x, y, given_set, _ in naive.propositions(5):
            truth = graph.separated(x, y, given_set)
            wrong += [
                base.is_independent(x, y, given_set) != truth,
                test.is_independent(x, y, given_set) != truth,
            ]
    assert wrong[1] < 0.8 * wrong[0]


def test_wrong_options_are_refused():
    base = SeparationTest([[0, 1], [1, 0]])
    for options in ({"max_arguments": 0}, {"union": "pairs"}):
        with pytest.raises(InvalidOptionError):
            ArgumentativeTest(base, **options)
