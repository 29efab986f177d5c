"""The partial correlation test: its correlation, its Bayes factor, its laws and what it refuses."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from ibmap import IBMAPHC, IBMAPTS, PartialCorrelationTest
from ibmap.errors import DataWarning, InvalidTableError
from ibmap.independence.partial_correlation import log_bayes_factor
from ibmap.learners import LEARNERS
from ibmap.score import TestScore, local_score, total_score
from oracles import naive_mixed as naive

FEW = settings(max_examples=25)
NAMES = ["a", "b", "c", "d"]


def rows(seed, n_rows=40, n=4):
    """Numbers that follow a chain."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n))
    for k in range(1, n):
        values[:, k] += rng.choice([-0.8, 0.8]) * values[:, k - 1]
    return values * rng.uniform(0.1, 100, n) + rng.normal(size=n)


def questions():
    return st.permutations(range(4)).flatmap(
        lambda order: st.integers(0, 2).map(lambda k: (order[0], order[1], sorted(order[2 : 2 + k])))
    )


@FEW
@given(st.integers(0, 1000), questions())
def test_the_correlation_is_that_of_what_regressions_leave(seed, question):
    values = rows(seed)
    x, y, given_ = question
    found = PartialCorrelationTest(values).partial_correlation(x, y, given_)
    assert found == pytest.approx(naive.partial_correlation(values.T.tolist(), x, y, given_), abs=1e-10)


def test_the_correlation_agrees_with_scipy_and_statsmodels():
    from scipy.stats import pearsonr
    from statsmodels.api import OLS, add_constant

    values = rows(3)
    test = PartialCorrelationTest(values)
    assert test.partial_correlation(0, 1) == pytest.approx(pearsonr(values[:, 0], values[:, 1]).statistic)
    fit = OLS(values[:, 0], add_constant(values[:, [2, 1, 3]])).fit()
    t = fit.tvalues[2]
    assert test.partial_correlation(0, 1, [2, 3]) == pytest.approx(t / math.sqrt(t * t + fit.df_resid))


@pytest.mark.parametrize("n_rows", [3, 4, 8, 30, 120])
@pytest.mark.parametrize("r", [0.0, 0.1, -0.4, 0.8, 0.95])
def test_the_bayes_factor_is_the_integral_over_correlations(r, n_rows):
    assert log_bayes_factor(r, n_rows) == pytest.approx(naive.log_bayes_factor(r, n_rows), abs=1e-8)


@pytest.mark.parametrize("n_rows", [97.0, 98.0, 98.5, 1e6])
def test_the_bayes_factor_is_finite_and_rises_with_the_correlation(n_rows):
    found = [log_bayes_factor(r, n_rows) for r in np.linspace(0, 1, 50)]
    assert np.isfinite(found).all()
    assert (np.diff(found) > 0).all()


@FEW
@given(st.integers(0, 1000), questions())
def test_probabilities_follow_from_the_bayes_factor(seed, question):
    values, (x, y, given_) = rows(seed, n_rows=12), question
    test = PartialCorrelationTest(values, prior=0.3)
    both = test.log_probabilities(x, y, given_)
    r = naive.partial_correlation(values.T.tolist(), x, y, given_)
    log_odds = math.log(0.7 / 0.3) + naive.log_bayes_factor(r, 12 - len(given_))
    assert both.dependent - both.independent == pytest.approx(log_odds, abs=1e-8)
    assert math.exp(both.independent) + math.exp(both.dependent) == pytest.approx(1)
    assert both == test.log_probabilities(y, x, given_[::-1])


@FEW
@given(st.integers(0, 1000))
def test_affine_maps_and_the_order_of_rows_change_nothing(seed):
    values = rows(seed)
    test = PartialCorrelationTest(values)
    mapped = PartialCorrelationTest((values * [-2, 1e5, 3e-4, 1] + [1, 100, -1, 0])[::-1])
    found = [each.log_probabilities(0, 1, [2, 3]) for each in (test, mapped)]
    assert found[0] == pytest.approx(found[1], abs=1e-7)


def test_weights_are_repetitions():
    values = rows(5)
    times = np.random.default_rng(1).integers(1, 4, len(values))
    weighted = PartialCorrelationTest(ibmap.encode(values, bins="keep", weights=times))
    repeated = PartialCorrelationTest(np.repeat(values, times, axis=0))
    assert weighted.log_probabilities(0, 1, [2]) == pytest.approx(repeated.log_probabilities(0, 1, [2]))


def test_copies_constants_and_too_few_rows_have_answers():
    values = rows(1)
    values[:, 1] = 3 * values[:, 0]
    values[:, 3] = 7.0
    with pytest.warns(DataWarning, match="constant columns"):
        test = PartialCorrelationTest(values)
    assert test.partial_correlation(0, 1) == pytest.approx(1)
    assert test.log_probabilities(0, 1).independent < -100
    assert test.partial_correlation(0, 2, [1]) == 0  # the given determines one
    assert test.partial_correlation(0, 3) == 0
    assert log_bayes_factor(0.9, 2) == 0
    few = PartialCorrelationTest(rows(1, n_rows=3))
    assert few.log_probabilities(0, 1, [2, 3]) == pytest.approx((math.log(0.5),) * 2)


def test_all_scores_and_searches_work_with_it():
    values = rows(2, n_rows=300)
    frame = pl.DataFrame(values, schema=NAMES)
    chain = {("a", "b"), ("b", "c"), ("c", "d")}
    for learner in (IBMAPHC, IBMAPTS, ibmap.GSMN, ibmap.IAMB, ibmap.HITON, ibmap.GSMNStar, ibmap.GSIMN):
        fitted = learner(test="partial-correlation", bins="keep").fit(frame)
        assert {tuple(sorted(edge)) for edge in fitted.graph_.edges} == chain, learner
    test = PartialCorrelationTest(frame)
    score = local_score(test)
    assert isinstance(score, TestScore)
    hc = IBMAPHC(test="partial-correlation", bins="keep").fit(frame)
    assert hc.score_ == pytest.approx(total_score(score, hc.result_.graph))
    for name in ("hhc", "beam", "restarts", "bjp", "pfmn"):
        entry = LEARNERS[name]
        options = entry.options(test="partial-correlation", bins="keep")
        assert entry.learn(test.table, options).graph.n_edges == 3, name


def test_columns_without_numbers_are_refused_by_name():
    frame = pl.DataFrame({"a": ["x", "y"] * 10, "b": np.arange(20) * 0.1})
    with pytest.raises(InvalidTableError, match=r"'a'.*drop"):
        PartialCorrelationTest(frame)
    with pytest.raises(InvalidTableError, match=r"'b'.*bins=\"keep\""):
        PartialCorrelationTest(ibmap.encode(frame.select("b", c=-pl.col("b")), bins="width"))


def test_holes_are_refused_by_name():
    values = rows(1)
    values[3, 2] = np.nan
    with pytest.raises(InvalidTableError, match=r"'x2'.*drop"):
        PartialCorrelationTest(ibmap.encode(values, bins="keep", missing="use"))
