"""The pairwise test: its definition, its laws, other packages' figures, and what it cannot see."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from ibmap import BayesianTest, PairwiseTest, encode, simulate
from ibmap.blankets.gsmn import gsmn
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, UnknownVariableError
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import Triplet
from ibmap.kernels.compiling import IS_COMPILED
from ibmap.score import flip_gain, flip_gains, local_score
from ibmap.score.pairwise import PairwiseScore
from ibmap.score.row_score import changed_blankets
from ibmap.search.hill_climbing import hill_climb
from oracles import naive_pairwise as naive
from strategies import queries, tables

FEW = settings(max_examples=25)


@st.composite
def cases(draw, **sizes):
    """A table with options of the test."""
    table = draw(tables(**{"max_variables": 4, "max_rows": 25, "max_states": 3, **sizes}))
    ordered = [v for v in range(table.n_variables) if draw(st.booleans())]
    options = {
        "penalty": draw(st.sampled_from([0.0, 1.5])),
        "ridge": draw(st.sampled_from([0.2, 1.0])),
        "ordered": ordered,
        "prior": draw(st.sampled_from([0.5, 0.2])),
    }
    return table, options


def rows_of(array):
    """Rows and weights as the definition takes them."""
    return array.tolist(), [1] * len(array)


def subsets(draw, others):
    return tuple(sorted(y for y in others if draw(st.booleans())))


@FEW
@given(st.data())
def test_the_test_matches_its_definition(data):
    table, options = data.draw(cases())
    x, y, z = data.draw(queries(table))
    found = PairwiseTest(table, **options).log_probabilities(x, y, z)
    expected = naive.log_probabilities(table.codes.tolist(), table.weights.tolist(), x, y, z, **options)
    assert found == pytest.approx(expected, abs=1e-8)


@FEW
@given(st.data())
def test_the_local_score_matches_its_definition(data):
    table, options = data.draw(cases())
    x = data.draw(st.integers(0, table.n_variables - 1))
    blanket = subsets(data.draw, [y for y in range(table.n_variables) if y != x])
    score = local_score(PairwiseTest(table, **options))
    assert isinstance(score, PairwiseScore)
    expected = naive.local_term(table.codes.tolist(), table.weights.tolist(), x, blanket, **options)
    assert score.term(x, blanket) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("n", "penalty"), [(7, 1.0), (8, 1.0), (12, 0.5), (12, 0.0), (40, 2.0)])
def test_the_more_variables_the_higher_the_price(n, penalty):
    rows = np.random.default_rng(n).integers(0, 2, (30, n))
    options = {"penalty": penalty, "ridge": 1.0, "prior": 0.4}
    test = PairwiseTest(rows, **options)
    expected = naive.log_probabilities(*rows_of(rows), 0, 1, (2,), **options)
    assert test.log_probabilities(0, 1, (2,)) == pytest.approx(expected, abs=1e-8)
    expected = naive.local_term(*rows_of(rows), 0, (1, 2), **options)
    assert local_score(test).term(0, (1, 2)) == pytest.approx(expected, abs=1e-8)


@given(st.data())
def test_changes_are_the_terms_of_the_changed_blankets(data):
    table, options = data.draw(cases(max_variables=6, max_rows=60, max_states=4))
    x = data.draw(st.integers(0, table.n_variables - 1))
    blanket = subsets(data.draw, [y for y in range(table.n_variables) if y != x])
    score = local_score(PairwiseTest(table, **options))
    terms = [score.term(x, each) for each in changed_blankets(x, blanket, table.n_variables)]
    upper, is_exact = score.bounds(x, blanket)
    assert score.changes(x, blanket) == pytest.approx(terms, abs=1e-9)
    assert upper.tolist() == score.changes(x, blanket).tolist()
    assert is_exact.all()


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("weight", [10, 10_000, 1_000_000])
def test_changes_are_the_terms_where_a_strong_member_is_dropped(weight, ordered):
    cells = [(i, i, i % 2) for i in range(5)]
    table = EncodedTable.from_codes(cells, weights=[weight] * 5)
    for ridge in (1e-4, 1.0):
        score = local_score(PairwiseTest(table, ordered=ordered, ridge=ridge))
        for x, blanket in ((0, (1,)), (0, (1, 2)), (2, (0, 1))):
            terms = [score.term(x, each) for each in changed_blankets(x, blanket, 3)]
            assert score.changes(x, blanket) == pytest.approx(terms, rel=1e-6)


@given(st.data())
def test_the_test_is_symmetric_and_its_probabilities_add_up(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60))
    x, y, z = data.draw(queries(table))
    test = PairwiseTest(table, **options)
    one, other = test.log_probabilities(x, y, z), test.log_probabilities(y, x, z)
    assert one == other == PairwiseTest(table, **options).log_probabilities(y, x, z)
    assert all(math.isfinite(value) and value < 0 for value in one)
    assert math.exp(one.independent) + math.exp(one.dependent) == pytest.approx(1, abs=1e-12)
    assert test.is_independent(x, y, z) == (one.independent >= math.log(0.5) - 1e-9)


@given(st.data())
def test_states_may_be_renamed_and_unused_ones_added(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60, max_states=4))
    x, y, z = data.draw(queries(table))
    options["ordered"] = []
    permuted = [data.draw(st.permutations(range(int(c) + 1))) for c in table.cardinalities]
    codes = np.stack([np.array(p)[column] for p, column in zip(permuted, table.codes.T, strict=True)], 1)
    renamed = EncodedTable.from_codes(codes, [c + 1 for c in table.cardinalities], weights=table.weights)
    one, other = (PairwiseTest(t, **options) for t in (table, renamed))
    assert one.log_probabilities(x, y, z) == pytest.approx(other.log_probabilities(x, y, z), abs=1e-8)
    terms = [local_score(test).changes(x, z) for test in (one, other)]
    assert terms[0] == pytest.approx(terms[1], abs=1e-8)


@given(st.data())
def test_ordered_states_may_be_turned_round(data):
    table, options = data.draw(cases(max_rows=60, max_states=4))
    x, y, z = data.draw(queries(table))
    options["ordered"] = True
    codes = table.codes.astype(int)
    turned = EncodedTable.from_codes(codes.max(axis=0) - codes, table.cardinalities, weights=table.weights)
    one, other = (PairwiseTest(t, **options).log_probabilities(x, y, z) for t in (table, turned))
    assert one == pytest.approx(other, abs=1e-8)


@given(st.data())
def test_weights_are_repetition_and_row_order_does_not_matter(data):
    table, options = data.draw(cases(max_variables=5, weighted=True))
    x, y, z = data.draw(queries(table))
    order = data.draw(st.permutations(range(table.n_samples)))
    codes = np.repeat(table.codes, table.weights, axis=0)[order]
    repeated = EncodedTable.from_codes(codes, table.cardinalities)
    one, other = (PairwiseTest(t, **options) for t in (table, repeated))
    assert one.log_probabilities(x, y, z) == pytest.approx(other.log_probabilities(x, y, z), abs=1e-9)
    terms = [local_score(test).changes(x, z) for test in (one, other)]
    assert terms[0] == pytest.approx(terms[1], abs=1e-9)


@given(st.data())
def test_what_was_asked_before_does_not_matter(data):
    table, options = data.draw(cases(max_variables=5))
    asked = PairwiseTest(table, **options)
    for _ in range(6):
        x, y, z = data.draw(queries(table))
        fresh = PairwiseTest(table, **options).log_probabilities(x, y, z)
        assert asked.log_probabilities(x, y, z) == fresh


@given(st.data())
def test_threads_change_nothing(data):
    table, options = data.draw(cases(max_variables=6, max_rows=60))
    score = local_score(PairwiseTest(table, **options))
    one, two = (
        hill_climb(score, MarkovGraph.empty(table.n_variables, table.names), n_threads=k) for k in (1, 2)
    )
    assert (one.graph, one.score, one.trace) == (two.graph, two.score, two.trace)
    assert np.array_equal(one.gains, two.gains)


def test_a_flip_changes_two_terms_alone():
    table = encode(np.random.default_rng(1).integers(0, 3, (80, 5)))
    score = local_score(PairwiseTest(table))
    graph = MarkovGraph.from_edges(5, [(0, 1), (1, 2)], table.names)
    gains = flip_gains(score, graph)
    for x in range(5):
        for y in range(x):
            assert gains[x, y] == pytest.approx(flip_gain(score, graph, x, y), abs=1e-9)


# --- other packages


def logit_rows(seed, n_rows, slope):
    """Three binary columns: the first follows the second and the third."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 2, (n_rows, 2))
    p = 1 / (1 + np.exp(0.3 - slope * z[:, 0] - 0.8 * z[:, 1]))
    return np.column_stack([rng.random(n_rows) < p, z]).astype(int)


def test_without_a_set_it_is_pearsons_statistic():
    rows = np.random.default_rng(0).integers(0, [3, 4], (300, 2))
    table = np.zeros((3, 4))
    np.add.at(table, tuple(rows.T), 1)
    expected = chi2_contingency(table, correction=False).statistic
    assert naive.Regression(*rows_of(rows), 0, (), 1e-5).rao(1)[0] == pytest.approx(expected, rel=1e-6)


def test_statistics_agree_with_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    rows = logit_rows(3, 400, 1.0)
    response = rows[:, 0]
    small = sm.GLM(response, sm.add_constant(rows[:, [2]]), family=sm.families.Binomial()).fit(tol=1e-12)
    full = sm.GLM(response, sm.add_constant(rows[:, [1, 2]]), family=sm.families.Binomial()).fit(tol=1e-12)
    rao = small.score_test(exog_extra=rows[:, [1]])[0].item()
    assert naive.Regression(*rows_of(rows), 0, (2,), 1e-5).rao(1)[0] == pytest.approx(rao, rel=1e-5)
    wald = (full.params[1] / full.bse[1]) ** 2
    assert naive.Regression(*rows_of(rows), 0, (1, 2), 1e-5).wald(1)[0] == pytest.approx(wald, rel=1e-5)


def test_multinomial_fits_agree_with_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    z = rng.integers(0, 3, (600, 2))
    x = (rng.random(600) * 3 + (rng.random(600) < 0.4) * z[:, 0] - 0.2 * z[:, 1]).astype(int).clip(0, 2)
    rows = np.column_stack([x, z])
    indicators = [(z[:, [v]] == [1, 2]).astype(float) for v in (0, 1)]
    full = sm.MNLogit(x, sm.add_constant(np.hstack(indicators))).fit(disp=0, tol=1e-12, method="newton")
    names = [(q, s) for s in range(2) for q in (1, 2)]  # the slopes on the first predictor
    chosen = [s * 5 + q for q, s in names]
    beta = full.params.ravel(order="F")[chosen]
    wald = beta @ np.linalg.solve(np.asarray(full.cov_params())[np.ix_(chosen, chosen)], beta)
    found = naive.Regression(*rows_of(rows), 0, (1, 2), 1e-5).wald(1)[0]
    assert found == pytest.approx(wald, rel=1e-4)


def log_marginal(rows, predictors, ridge):
    """The log marginal likelihood of the first column by the trapezoid rule; flat intercept."""
    grids = np.meshgrid(*[np.linspace(-4, 4, 161)] * (1 + len(predictors)), indexing="ij")
    total = -sum(ridge / 8 * slope**2 for slope in grids[1:])
    for row, count in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
        logit = grids[0] + sum(slope * row[v] for slope, v in zip(grids[1:], predictors, strict=True))
        total = total - count * np.logaddexp(0, logit if row[0] == 0 else -logit)
    norm = len(predictors) * math.log(ridge / 4 / (2 * math.pi)) / 2 + len(grids) * math.log(8 / 160)
    return float(np.log(np.exp(total - total.max()).sum()) + total.max() + norm)


def directed_factors(rows, ridge):
    """Log Bayes factors of the second column for the first given the third: outside, and as member."""
    regressions = PairwiseTest(rows, ridge=ridge).regressions
    return regressions.log_bayes_factor(0, 1, (2,)), regressions.fits.log_bayes_factors(0, (1, 2))[0, 1]


@pytest.mark.parametrize(("n_rows", "slope", "off"), [(60, 0.5, 0.15), (400, 0.3, 0.1), (4000, 0.15, 0.02)])
def test_bayes_factors_are_ratios_of_marginal_likelihoods(n_rows, slope, off):
    rows = logit_rows(5, n_rows, slope)
    exact = log_marginal(rows, (1, 2), 1.0) - log_marginal(rows, (2,), 1.0)
    assert directed_factors(rows, 1.0) == pytest.approx((exact, exact), abs=off)


def test_score_wald_and_likelihood_ratio_agree_with_many_rows():
    sm = pytest.importorskip("statsmodels.api")
    rows = logit_rows(5, 40_000, 0.08)
    response, family = rows[:, 0], sm.families.Binomial()
    small = sm.GLM(response, sm.add_constant(rows[:, [2]]), family=family).fit()
    full = sm.GLM(response, sm.add_constant(rows[:, [1, 2]]), family=family).fit()
    ratio = 2 * (full.llf - small.llf)
    occam = math.log(0.25 * full.bse[1] ** 2)  # prior precision 1/4 by that of the slope
    assert ratio > 5
    for factor in directed_factors(rows, 1.0):
        assert 2 * factor - occam == pytest.approx(ratio, rel=0.01)


# --- edges and limits


def test_constant_columns_say_nothing():
    rows = np.column_stack([np.tile([0, 1], 20), np.zeros(40, int), np.repeat([0, 1], 20)])
    test = PairwiseTest(EncodedTable.from_codes(rows))
    assert test.log_probabilities(0, 1) == (math.log(0.5), math.log(0.5))
    assert test.log_probabilities(0, 2, (1,)) == test.log_probabilities(0, 2)
    assert test.is_independent(0, 1)


@pytest.mark.parametrize("n_rows", [1, 2, 40, 5000])
def test_copies_are_dependent_and_finite(n_rows):
    x = np.arange(n_rows) % 2
    rows = np.column_stack([x, x, 1 - x, np.zeros(n_rows, int)])
    test = PairwiseTest(EncodedTable.from_codes(rows))
    both = test.log_probabilities(0, 1)
    assert all(map(math.isfinite, both))
    assert test.is_independent(0, 1) == (n_rows == 1)
    terms = local_score(test).changes(0, (1, 2))
    assert np.isfinite(terms).all()


def parity_rows(n_rows=400):
    """Three fair coins, the third the parity of the others in nine of ten rows."""
    rng = np.random.default_rng(8)
    x, y = rng.integers(0, 2, (2, n_rows))
    return np.column_stack([x, y, (x + y + (rng.random(n_rows) < 0.1)) % 2])


def test_parity_is_seen_by_the_table_test_and_not_by_the_pairwise_one():
    rows = parity_rows()
    for x, y, z in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        assert not BayesianTest(rows).is_independent(x, y, (z,))
        assert PairwiseTest(rows).is_independent(x, y, (z,))


def test_what_only_three_variables_show_is_learned_from_tables_and_not_from_pairs():
    cells = [(x, y, (x + y + noise) % 2) for x in (0, 1) for y in (0, 1) for noise in (0, 1)]
    table = EncodedTable.from_codes(
        cells, weights=[270, 30, 90, 10] * 2
    )  # y is 1 in a quarter, noise in a tenth
    tests = (BayesianTest(table), PairwiseTest(table))
    learned = [set(hill_climb(local_score(test), gsmn(test)).graph.edges) for test in tests]
    assert learned == [{(0, 1), (0, 2), (1, 2)}, {(0, 2)}]


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation, and climbs no other way")
def test_a_dense_pairwise_network_is_seen_by_the_pairwise_test_and_not_by_the_table_test():
    network = simulate.random_network(12, 8, signs="random", random_state=2)
    table = encode(network.sample(800, random_state=3))
    wrong = []
    for test in (PairwiseTest(table), BayesianTest(table)):
        climb = hill_climb(local_score(test), gsmn(test))
        wrong.append(len(set(climb.graph.edges) ^ set(network.graph.edges)))
    assert wrong[0] <= 3
    assert wrong[1] >= 8


def test_bad_options_are_refused():
    rows = [[0, 1], [1, 0]]
    for options, words in (
        ({"penalty": -1}, "penalty"),
        ({"ridge": 0}, "ridge"),
        ({"prior": 1}, "prior"),
        ({"ordered": "x0"}, "ordered must be True, False or a list of columns"),
    ):
        with pytest.raises(InvalidOptionError, match=words):
            PairwiseTest(rows, **options)
    with pytest.raises(UnknownVariableError, match="x7"):
        PairwiseTest(rows, ordered=["x7"])


def test_numbers_do_not_depend_on_who_asks():
    table = encode(np.random.default_rng(4).integers(0, 2, (50, 4)))
    test = PairwiseTest(table)
    assert test.log_posteriors(Triplet(3, 1, (0,))) == test.log_probabilities("x1", "x3", ["x0"])
    assert test.n_tests == 1


def test_weights_of_any_size_are_repetition():
    rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
    few = PairwiseTest(EncodedTable.from_codes(rows, weights=[10, 4, 3, 11])).log_probabilities(0, 1)
    repeated = np.repeat(rows, [10, 4, 3, 11], axis=0)
    assert few == PairwiseTest(repeated).log_probabilities(0, 1)
    huge = [10 << 30, 4 << 30, 3 << 30, 11 << 30]
    both = PairwiseTest(EncodedTable.from_codes(rows, weights=huge)).log_probabilities(0, 1)
    assert both.dependent == 0
    assert both.independent < -1e9
