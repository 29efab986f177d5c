"""Which test and which start a climb takes."""

import numpy as np
import pytest
from hypothesis import given

from ibmap import GSMN, IBMAPHC, BayesianTest, ChiSquareTest, encode
from ibmap.errors import InvalidOptionError, SearchWarning
from ibmap.learners import HillClimbingOptions, learn_hc
from ibmap.learners.options import TestOptions
from ibmap.search.cost import DistinctTests
from strategies import tables


def climbs(table):
    """The results of the two starts and of both."""
    return [learn_hc(table, HillClimbingOptions(start=start)) for start in ("gsmn", "empty", "best")]


@pytest.mark.filterwarnings("ignore::ibmap.errors.SearchWarning")
@given(tables(min_variables=2))
def test_the_best_start_is_the_better_of_the_two(table):
    gsmn, empty, best = climbs(table)
    winner = empty if empty.score > gsmn.score + 1e-9 else gsmn
    assert (best.score, best.graph, best.trace) == (winner.score, winner.graph, winner.trace)
    assert best.start == winner.start
    assert best.evidence == winner.evidence
    assert max(gsmn.n_tests, empty.n_tests) <= best.n_tests <= gsmn.n_tests + empty.n_tests


def walked(trace, edges):
    """Every graph a climb passes, as sets of edges."""
    yield edges
    for flip in trace:
        edges = edges ^ {(flip.x, flip.y)}
        yield edges


def test_tests_of_both_starts_are_counted_once():
    rng = np.random.default_rng(3)
    table = encode(rng.integers(0, 2, (30, 5)) | rng.integers(0, 2, (30, 1)))
    gsmn, empty, best = climbs(table)
    test = BayesianTest(table)
    from ibmap.blankets.gsmn import gsmn as run_gsmn

    start = run_gsmn(test)
    counted = DistinctTests(5)
    for trace, edges in ((gsmn.trace, set(start.edges)), (empty.trace, set())):
        for graph in walked(trace, edges):
            for x in range(5):
                counted.count(x, sorted({*[j for i, j in graph if i == x], *[i for i, j in graph if j == x]}))
    assert best.n_tests == counted.n_tests + counted.count_other(test.asked)


def test_the_seconds_are_shared_and_every_stop_is_told():
    table = encode(np.random.default_rng(0).integers(0, 2, (50, 6)))
    with pytest.warns(SearchWarning) as told:
        result = learn_hc(table, HillClimbingOptions(start="best", max_seconds=1e-9))
    assert result.stopped == "max_seconds"
    said = [str(w.message) for w in told if w.category is SearchWarning]
    assert sorted(each.split("start=")[1].split(";")[0] for each in said) == ["'empty'", "'gsmn'"]


def test_an_unknown_start_is_refused():
    with pytest.raises(InvalidOptionError, match=r"'gsmn'.*'empty', 'best'"):
        IBMAPHC(start="beste").fit([[0, 1], [1, 0]])


def bayesian_with_a_low_prior(table):
    return BayesianTest(table, prior=0.01)


def test_a_callable_makes_the_test_of_the_score():
    X = np.random.default_rng(5).integers(0, 2, (60, 4))
    made, named = IBMAPHC(test=bayesian_with_a_low_prior).fit(X), IBMAPHC(prior=0.01).fit(X)
    assert made.score_ == named.score_
    assert made.score(X) == pytest.approx(made.score_, abs=1e-9)
    assert np.array_equal(made.adjacency_, named.adjacency_)
    assert made.score_ != IBMAPHC().fit(X).score_
    assert made.result_.provenance.options["test"] == "bayesian_with_a_low_prior"
    assert "prior" not in made.result_.provenance.options


@pytest.mark.parametrize("test", ["g", "chi-square", ChiSquareTest])
def test_a_test_without_probabilities_is_refused(test):
    with pytest.raises(InvalidOptionError, match=r"gives no probabilities.*GSMN"):
        IBMAPHC(test=test).fit([[0, 1], [1, 0]])
    GSMN(test=test).fit([[0, 1], [1, 0]])


def test_results_record_the_options_of_their_own_test_alone():
    assert "significance" not in TestOptions().recorded()
    assert TestOptions(test="g", significance=0.1).recorded() == {
        "test": "g",
        "significance": 0.1,
        "missing": "error",
        "bins": None,
        "max_seconds": None,
        "max_memory": None,
    }


def test_every_named_test_can_be_made():
    table = encode([[0, 1], [1, 0]])
    for name in TestOptions.tests:
        assert TestOptions(test=name).make_test(table).names == table.names


def test_every_learner_has_the_same_default_penalty():
    from ibmap.independence.pairwise import PENALTY
    from ibmap.learners import estimators

    found = [getattr(estimators, name) for name in estimators.__all__ if name != "n_threads_of"]
    defaults = {learner.__name__: learner().penalty for learner in found if learner.__name__ != "IBMAP"}
    assert len(defaults) >= 3
    assert set(defaults.values()) == {PENALTY}, defaults
