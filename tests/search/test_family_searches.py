"""Searches for any local score: IBMAP-HHC, beam search, random restarts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.errors import StopSearch
from ibmap.graph import MarkovGraph
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.separation import SeparationTest
from ibmap.score import TestScore, flip_gains, local_score, total_score
from ibmap.score.likelihood import MarginalScore, PenalisedScore
from ibmap.score.pairwise import PairwiseScore
from ibmap.search.beam import Beam, beam_search
from ibmap.search.cost import DistinctTests
from ibmap.search.heuristic_climb import heuristic_climb, link_odds
from ibmap.search.hill_climbing import hill_climb
from ibmap.search.limits import Limits
from ibmap.search.restarts import Restarts, climb_with_restarts
from oracles import naive_family as naive
from score.test_family_scores import both_of, sampled
from strategies import edge_set, graphs, tables


def scores_of(table):
    test = BayesianTest(table)
    return {
        "ib": TestScore(test), "fast": local_score(test), "pairwise": PairwiseScore(PairwiseTest(table)),
        "mpl": MarginalScore(table), "pic": PenalisedScore(table),
    }  # fmt: skip


def pairs_of(trace):
    return [(flip.x, flip.y) for flip in trace]


@given(st.data())
def test_hhc_takes_the_flips_of_its_definition(data):
    table = data.draw(tables())
    start = data.draw(graphs(table.n_variables))
    test = BayesianTest(table)
    found = heuristic_climb(TestScore(test), start)
    edges, score, trace = naive.heuristic_climb(both_of(test), table.n_variables, edge_set(start))
    assert (edge_set(found.graph), pairs_of(found.trace)) == (edges, trace)
    assert found.score == pytest.approx(score, abs=1e-8)
    assert found.n_iterations == len(trace) + 1


@given(st.data())
def test_terms_of_scores_made_of_assertions_are_sums_of_what_their_odds_say(data):
    table = data.draw(tables(max_rows=30))
    graph = data.draw(graphs(table.n_variables))
    scores = scores_of(table)
    for score in (scores["ib"], scores["pairwise"]):
        for x in range(table.n_variables):
            odds = link_odds(score)(x, graph.blanket(x))
            signs = np.where(graph.adjacency[x], -1, 1)
            logs = np.delete(-np.logaddexp(0, signs * odds), x)
            assert score.term(x, graph.blanket(x)) == pytest.approx(logs.sum(), abs=1e-8)


def test_odds_of_a_likelihood_score_are_its_bayes_factors():
    table = sampled(4, 100, 0)
    score = MarginalScore(table)
    odds = link_odds(score)(0, (1, 2))
    assert odds[1] == pytest.approx(score.term(0, (1, 2)) - score.term(0, (2,)))
    assert odds[3] == pytest.approx(score.term(0, (1, 2, 3)) - score.term(0, (1, 2)))


@settings(max_examples=15)
@given(st.data())
def test_searches_never_end_below_their_start_nor_above_brute_force(data):
    table = data.draw(tables(max_variables=4))
    n = table.n_variables
    start = data.draw(graphs(n))
    every = [MarkovGraph.from_edges(n, [tuple(edge) for edge in edges]) for edges in naive.all_graphs(n)]
    for score in scores_of(table).values():
        best = max(total_score(score, graph) for graph in every)
        for found in (
            heuristic_climb(score, start),
            beam_search(score, start, Beam(3, 1)),
            climb_with_restarts(score, start, np.random.default_rng(0), Restarts(2, "random")),
        ):
            assert total_score(score, start) - 1e-9 <= found.score <= best + 1e-7
            assert found.score == pytest.approx(total_score(score, found.graph))
            moved = start
            for flip in () if found.stopped == "optimum" else found.trace:
                moved = moved.flip(flip.x, flip.y)
            assert found.stopped == "optimum" or moved == found.graph


@settings(max_examples=20)
@given(st.data())
def test_a_beam_of_one_without_patience_is_a_hill_climb(data):
    table = data.draw(tables())
    start = data.draw(graphs(table.n_variables))
    for score in scores_of(table).values():
        found, climb = beam_search(score, start, Beam(1, 0)), hill_climb(score, start)
        assert pairs_of(found.trace) == pairs_of(climb.trace)
        assert found.score == pytest.approx(climb.score)


@settings(max_examples=20)
@given(st.data())
def test_a_beam_and_restarts_end_in_local_optima_and_a_full_beam_in_the_best_graph(data):
    table = data.draw(tables(max_variables=4))
    n, start = table.n_variables, MarkovGraph.empty(table.n_variables)
    score = local_score(BayesianTest(table))
    every = [MarkovGraph.from_edges(n, [tuple(edge) for edge in edges]) for edges in naive.all_graphs(n)]
    best = max(total_score(score, graph) for graph in every)
    full = beam_search(score, start, Beam(len(every), 7))
    assert full.score == pytest.approx(best, abs=1e-8)
    shaken = climb_with_restarts(score, start, np.random.default_rng(1), Restarts(3, "shaken", 2))
    for found in (full, shaken, beam_search(score, start)):
        assert flip_gains(score, found.graph).max(initial=0.0) < 1e-7


def test_a_wider_beam_and_restarts_find_no_less_than_a_climb():
    better = {"beam": 0, "restarts": 0}
    for seed in range(10):
        score = local_score(BayesianTest(sampled(7, 60, seed)))
        start = MarkovGraph.empty(7)
        climb = hill_climb(score, start).score
        found = {
            "beam": beam_search(score, start, Beam(10, 2)).score,
            "restarts": climb_with_restarts(score, start, np.random.default_rng(seed)).score,
        }
        for name, value in found.items():
            assert value >= climb - 1e-9
            better[name] += value > climb + 1e-6
    assert min(better.values()) > 0


def test_restarts_depend_on_the_seed_alone():
    score, start = local_score(BayesianTest(sampled(7, 60, 0))), MarkovGraph.empty(7)
    runs = [
        climb_with_restarts(score, start, np.random.default_rng(5), n_threads=threads)
        for threads in (1, 1, 3)
    ]
    assert len({(run.graph.edges, run.score, run.trace) for run in runs}) == 1


def test_hhc_finds_a_matching_with_right_tests_and_few_of_them():
    truth = MarkovGraph.from_edges(8, [(0, 1), (2, 3), (4, 5)])
    table = sampled(8, 50, 0)

    class Nearly(SeparationTest):
        def log_posteriors(self, triplet):
            certain = super().log_posteriors(triplet)
            return type(certain)(*(-0.01 if each == 0 else -4.61 for each in certain))

    test = Nearly(truth)
    assert heuristic_climb(TestScore(test), MarkovGraph.empty(8)).graph == truth
    counted = DistinctTests(8)
    hill_climb(TestScore(BayesianTest(table)), MarkovGraph.empty(8), tests=counted)
    score = TestScore(BayesianTest(table))
    heuristic_climb(score, MarkovGraph.empty(8))
    assert score.test.n_tests < counted.n_tests


def test_limits_and_callbacks_end_every_search_with_the_best_so_far():
    table = sampled(6, 400, 1)
    start = MarkovGraph.empty(6)

    def impatient(progress):
        if progress.n_ascents >= 1:
            raise StopSearch

    searches = (
        lambda **how: heuristic_climb(TestScore(BayesianTest(table)), start, **how),
        lambda **how: beam_search(MarginalScore(table), start, **how),
        lambda **how: climb_with_restarts(MarginalScore(table), start, np.random.default_rng(0), **how),
    )
    for search in searches:
        assert search(callback=impatient).stopped == "interrupted"
        assert search(limits=Limits(max_seconds=0.0)).stopped == "max_seconds"
        cut = search(limits=Limits(max_ascents=1))
        assert (cut.stopped, len(cut.trace)) == ("max_ascents", 1)
