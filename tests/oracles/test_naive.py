"""The oracle against the notes' table, exact rational arithmetic, hand-made cases and SciPy."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import chi2_contingency

from oracles import naive

A = [[10, 4], [3, 11]]
B = [[7, 6], [5, 8]]
C = [[10, 6, 6], [4, 3, 10]]


def edge_set(*pairs):
    """A graph from its pairs."""
    return {frozenset(pair) for pair in pairs}


def table_of(slices, n_slices):
    """Rows, cards and weights of columns x, y, z whose contingency given z are the slices."""
    rows, weights = [], []
    for z, cells in enumerate(slices):
        for a, row in enumerate(cells):
            for b, count in enumerate(row):
                rows.append([a, b, z])
                weights.append(count)
    return rows, [len(slices[0]), len(slices[0][0]), n_slices], weights


def random_table(rng, n_rows, cards):
    """Independent uniform codes."""
    return [[rng.randrange(card) for card in cards] for _ in range(n_rows)]


def chain_table(rng, n_rows, n, copy):
    """Binary rows in which each column copies the one before with probability `copy`."""
    rows = []
    for _ in range(n_rows):
        row = [rng.randrange(2)]
        while len(row) < n:
            row.append(row[-1] if rng.random() < copy else rng.randrange(2))
        rows.append(row)
    return rows


# The Bayesian test


@pytest.mark.parametrize(
    ("slices", "k", "sums", "ones"),
    [
        ([A], 1, 0.0983783917, 0.0494410107),
        ([B], 1, 0.7051805815, 0.5340617638),
        ([A, B], 2, 0.1777218455, 0.0819470024),
        ([A, B], 4, 0.2396709247, 0.1308662440),
        ([A, B], 8, 0.3131610994, 0.2011187581),
        ([C], 1, 0.5939108133, 0.3040888199),
    ],
)
def test_probabilities_match_the_table_of_the_notes(slices, k, sums, ones):
    rows, cards, weights = table_of(slices, k)
    for kind, expected in (("sums", sums), ("ones", ones)):
        log_p, log_not = naive.log_probabilities(
            rows, cards, 0, 1, [2], hyperparameters=kind, weights=weights
        )
        assert math.exp(log_p) == pytest.approx(expected, abs=1e-9)
        assert math.exp(log_p) + math.exp(log_not) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("sums", Fraction(4, 9)), ("ones", Fraction(5, 14)), ("bdeu", Fraction(1, 3))],
)
def test_two_equal_rows_by_hand(kind, expected):
    # sums: g = (1/5)^2, h = 1/20; ones: g = (1/6)^2, h = 1/20; bdeu: g = (1/8)^2, h = 1/32
    log_p, log_not = naive.log_probabilities([[0, 0], [1, 1]], [2, 2], 0, 1, hyperparameters=kind)
    assert log_p == pytest.approx(math.log(expected), abs=1e-15)
    assert log_not == pytest.approx(math.log(1 - expected), abs=1e-15)


def test_bdeu_with_a_sample_size_and_an_unseen_slice_by_hand():
    # s = 4, K = 2: gamma = 1/2, alpha = beta = 1, A = 2: two equal rows have the ratio (1/24) / (1/6)^2 = 3/2
    rows, cards = [[0, 0, 0], [1, 1, 0]], [2, 2, 2]
    log_p, _ = naive.log_probabilities(
        rows, cards, 0, 1, [2], prior=0.25, hyperparameters="bdeu", equivalent_sample_size=4
    )
    assert math.exp(log_p) == pytest.approx(2 / 5 * 1 / 2, abs=1e-15)
    # seen: K = 1, gamma = 1, alpha = beta = 2: the ratio is 5/4, and the prior odds are 3
    log_p, _ = naive.log_probabilities(
        rows, cards, 0, 1, [2], prior=0.25, hyperparameters="bdeu", equivalent_sample_size=4, slices="seen"
    )
    assert math.exp(log_p) == pytest.approx(1 / (1 + 15 / 4), abs=1e-15)


def rational_likelihood(counts, a):
    """Y(c; a) as a fraction, by the chain of predictive probabilities of the samples one by one."""
    likelihood, seen = Fraction(1), 0
    for count in counts:
        for already in range(count):
            likelihood *= (a + already) / (a * len(counts) + seen)
            seen += 1
    return likelihood


def rational_probability(slices, k, kind, size):
    """Pr(I | D) as a fraction, with the prior 2^-K that gives every slice the prior 1/2."""
    i, j = len(slices[0]), len(slices[0][0])
    alpha, beta, gamma = {
        "sums": (Fraction(j), Fraction(i), Fraction(1)),
        "ones": (Fraction(1), Fraction(1), Fraction(1)),
        "bdeu": (Fraction(size) / (i * k), Fraction(size) / (j * k), Fraction(size) / (i * j * k)),
    }[kind]
    probability = Fraction(1, 2) ** (k - len(slices))
    for cells in slices:
        by_row = [sum(row) for row in cells]
        by_column = [sum(row[b] for row in cells) for b in range(j)]
        g = rational_likelihood(by_row, alpha) * rational_likelihood(by_column, beta)
        h = rational_likelihood([count for row in cells for count in row], gamma)
        probability *= 1 / (1 + h / g)
    return probability


def log_fraction(value):
    """The logarithm of a fraction, rounded once."""
    with localcontext() as context:
        context.prec = 400  # leaves 90 digits of the logarithm where the value is within 1e-310 of 1
        return float((Decimal(value.numerator) / Decimal(value.denominator)).ln())


@pytest.mark.parametrize("kind", ["sums", "ones", "bdeu"])
@pytest.mark.parametrize("choice", ["all", "seen"])
@pytest.mark.parametrize("seed", range(5))
def test_probabilities_match_exact_rational_arithmetic(kind, choice, seed):
    rng = random.Random(seed)
    cards = [rng.randint(1, 4), rng.randint(1, 4), 3, 2]
    rows = random_table(rng, rng.randint(1, 12), cards)
    seen = naive.contingency(rows, cards, 0, 1, [2, 3])
    k = 6 if choice == "all" else len(seen)
    expected = rational_probability(seen, k, kind, 2.5)
    found = naive.log_probabilities(
        rows, cards, 0, 1, [3, 2], 0.5**k, hyperparameters=kind, slices=choice, equivalent_sample_size=2.5
    )
    assert found == pytest.approx((log_fraction(expected), log_fraction(1 - expected)), rel=1e-15)


@pytest.mark.parametrize(
    "cells",
    [
        [[511, 0], [0, 511]],  # Pr(I) is about 1e-303
        [[40] * 20 for _ in range(20)],  # Pr(not I) is about 1e-305
    ],
)
def test_extreme_probabilities_keep_both_logarithms(cells):
    rows, cards, weights = table_of([cells], 1)
    expected = rational_probability([cells], 1, "sums", 1)
    assert Fraction(1, 10**307) < min(expected, 1 - expected) < Fraction(1, 10**300)
    log_p, log_not = naive.log_probabilities(rows, cards, 0, 1, weights=weights)
    assert log_p == pytest.approx(log_fraction(expected), rel=1e-15, abs=0)
    assert log_not == pytest.approx(log_fraction(1 - expected), rel=1e-15, abs=0)
    assert log_p < 0
    assert log_not < 0


def test_logarithms_stay_finite_beyond_the_range_of_doubles():
    rows, cards, weights = table_of([[[20000, 0], [0, 20000]]], 1)
    log_p, log_not = naive.log_probabilities(rows, cards, 0, 1, weights=weights)
    assert -28000 < log_p < -27000
    assert log_not == 0


@pytest.mark.parametrize("prior", [1e-300, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("kind", ["sums", "ones", "bdeu"])
@pytest.mark.parametrize("choice", ["all", "seen"])
def test_no_rows_leave_the_prior(prior, kind, choice):
    cards = [2, 3] + [4] * 60
    for given in ((), range(2, 62)):
        log_p, log_not = naive.log_probabilities([], cards, 0, 1, given, prior, kind, choice)
        assert log_p == pytest.approx(math.log(prior), rel=1e-15)
        assert log_not == pytest.approx(math.log1p(-prior), rel=1e-15)


@pytest.mark.parametrize("kind", ["sums", "ones", "bdeu"])
@pytest.mark.parametrize("choice", ["all", "seen"])
def test_slices_of_one_row_leave_the_prior(kind, choice):
    rng = random.Random(1)
    cards = [2, 3] + [4] * 50
    rows = random_table(rng, 30, cards)
    log_p, _ = naive.log_probabilities(rows, cards, 0, 1, range(2, 52), 0.5, kind, choice)
    assert log_p == pytest.approx(math.log(0.5), rel=1e-15)
    assert naive.is_independent(log_p)


@pytest.mark.parametrize("kind", ["sums", "ones", "bdeu"])
def test_a_constant_column_leaves_the_prior(kind):
    rows, cards = [[0, b, b % 2] for b in (0, 1, 2, 2, 2, 1)], [1, 3, 2]
    for given in ((), (2,)):
        log_p, _ = naive.log_probabilities(rows, cards, 0, 1, given, hyperparameters=kind)
        assert log_p == pytest.approx(math.log(0.5), rel=1e-15)


def test_independence_is_at_least_one_half_up_to_the_tolerance():
    assert naive.is_independent(math.log(0.5))
    assert naive.is_independent(math.log(0.5) - 0.49e-9)  # log p and log(1 - p) are 0.98e-9 apart
    assert not naive.is_independent(math.log(0.5) - 0.51e-9)
    assert naive.is_independent(0.0)
    assert not naive.is_independent(-1000.0)


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="uniform"):
        naive.log_probabilities([], [2, 2], 0, 1, hyperparameters="uniform")
    with pytest.raises(ValueError, match="some"):
        naive.log_probabilities([], [2, 2], 0, 1, slices="some")


# Counts and classical tests


def test_contingency_by_hand():
    rows = [[0, 1, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert naive.contingency(rows, [2, 3, 2], 0, 1) == [[[1, 2, 0], [0, 1, 0]]]
    assert naive.contingency(rows, [2, 3, 4], 0, 1, [2]) == [[[0, 0, 0], [0, 1, 0]], [[1, 2, 0], [0, 0, 0]]]
    assert naive.contingency([], [2, 3, 2], 0, 1, [2]) == []


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_repetitions_and_everything_is_symmetric(seed):
    rng = random.Random(seed)
    cards = [2, 3, 2, 2]
    rows = random_table(rng, 12, cards)
    weights = [rng.randrange(4) for _ in rows]
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    rng.shuffle(repeated)
    functions = [naive.log_probabilities, naive.chi_square, naive.g_test, naive.cochran]
    for given in ((), (2,), (3, 2)):
        weighted = naive.contingency(rows, cards, 0, 1, given, weights=weights)
        assert weighted == naive.contingency(repeated, cards, 0, 1, given)
        swapped = naive.contingency(repeated, cards, 1, 0, given[::-1])
        assert swapped == [[list(column) for column in zip(*cells, strict=True)] for cells in weighted]
        for function in functions:
            value = function(rows, cards, 0, 1, given, weights=weights)
            assert value == function(repeated, cards, 0, 1, given)
            assert value == pytest.approx(function(repeated, cards, 1, 0, given[::-1]), rel=1e-13, abs=1e-13)


def test_classical_statistics_by_hand():
    rows, cards, weights = table_of([[[6, 2], [2, 6]], [[3, 1], [0, 0]]], 2)
    # first slice: all expected 4, chi-square = 4 * 2^2 / 4; the second has one row left: df 0
    statistic, df, p_value = naive.chi_square(rows, cards, 0, 1, [2], weights=weights)
    assert (statistic, df) == (4.0, 1)
    assert p_value == pytest.approx(math.erfc(math.sqrt(2)))
    statistic, df, p_value = naive.g_test(rows, cards, 0, 1, [2], weights=weights)
    assert statistic == pytest.approx(2 * (12 * math.log(1.5) + 4 * math.log(0.5)))
    assert (df, p_value) == (1, pytest.approx(math.erfc(math.sqrt(statistic / 2))))


def test_no_degrees_of_freedom_give_p_value_one():
    for rows in ([], [[0, 0]], [[0, 0], [0, 1]]):
        assert naive.chi_square(rows, [2, 2], 0, 1) == (0.0, 0, 1.0)
        assert naive.g_test(rows, [2, 2], 0, 1) == (0.0, 0, 1.0)


@pytest.mark.parametrize("cells", [A, B, C])
def test_one_slice_agrees_with_scipy_without_correction(cells):
    rows, cards, weights = table_of([cells], 1)
    for function, name in ((naive.chi_square, "pearson"), (naive.g_test, "log-likelihood")):
        expected = chi2_contingency(cells, correction=False, lambda_=name)
        found = function(rows, cards, 0, 1, weights=weights)
        assert found == pytest.approx((expected.statistic, expected.dof, expected.pvalue), rel=1e-12)


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        ([[[5, 5], [5, 5]]], True),  # all expected are 5
        ([[[4, 4], [4, 4]]], False),  # all are under 5
        ([[[5, 5, 0], [5, 5, 0]]], True),  # an empty column does not count
        ([[[20, 20, 20, 20, 2], [20, 20, 20, 20, 2]]], True),  # 2 of 10 are under 5
        ([[[20, 20, 20, 2], [20, 20, 20, 2]]], False),  # 2 of 8 are under 5
        ([[[40, 40, 40, 40, 1], [40, 40, 40, 40, 0]]], False),  # two are 1/2
        ([[[40, 40, 40, 40, 1], [40, 40, 40, 40, 1]]], True),  # 1 is not under 1
        ([[[5, 5], [5, 5]], [[1, 0], [0, 0]]], True),  # 1 cell of 5 is under 5
        ([[[0, 0], [0, 0]]], False),  # no cells
    ],
)
def test_cochran_by_hand(slices, expected):
    rows, cards, weights = table_of(slices, len(slices))
    assert naive.cochran(rows, cards, 0, 1, [2], weights=weights) is expected


# Graphs and closures


def test_separation_in_the_example_of_the_paper():
    # the figure is lost; this graph of 7 nodes has what the text says of 0 and 5
    edges = edge_set((0, 1), (0, 2), (0, 3), (2, 5), (3, 4), (4, 5), (5, 6))
    assert not naive.separated(edges, 7, 0, 5, [2])
    assert naive.separated(edges, 7, 0, 5, [2, 3])
    assert not naive.separated(edges, 7, 1, 6)
    assert naive.separated(edges, 7, 1, 6, [0])
    assert naive.separated(edges - edge_set((5, 6)), 7, 1, 6)


@pytest.mark.parametrize("seed", range(5))
def test_separation_means_that_every_path_meets_the_set(seed):
    rng = random.Random(seed)
    edges = {frozenset(pair) for pair in naive.pairs(5) if rng.random() < 0.4}

    def has_path(path, y, closed):
        if path[-1] == y:
            return True
        onward = [z for z in range(5) if z not in path and z not in closed]
        return any(has_path([*path, z], y, closed) for z in onward if frozenset((path[-1], z)) in edges)

    for x, y in naive.pairs(5):
        for flags in product([False, True], repeat=5):
            given = [z for z in range(5) if flags[z] and z not in (x, y)]
            assert naive.separated(edges, 5, x, y, given) != has_path([x], y, given)
            assert naive.separated(edges, 5, y, x, given) == naive.separated(edges, 5, x, y, given)


def test_closures_by_hand():
    edges = edge_set((0, 1), (1, 2))
    assert naive.blanket(edges, 3, 1) == (0, 2)
    assert naive.blanket_closure(edges, 3) == [
        (0, 1, (), False),
        (0, 2, (1,), True),
        (1, 0, (2,), False),
        (1, 2, (0,), False),
        (2, 0, (1,), True),
        (2, 1, (), False),
    ]
    assert naive.pairwise_closure(edges, 3) == [
        (0, 1, (), False),
        (0, 1, (2,), False),
        (0, 2, (1,), True),
        (1, 2, (), False),
        (1, 2, (0,), False),
    ]


def test_both_closures_hold_in_every_graph_of_four_variables():
    for edges in naive.all_graphs(4):
        assert len(naive.blanket_closure(edges, 4)) == 12
        for closure in (naive.blanket_closure(edges, 4), naive.pairwise_closure(edges, 4)):
            for x, y, given, independent in closure:
                assert naive.separated(edges, 4, x, y, given) is independent


def test_score_by_hand():
    # Pr(I) = 4/9 for two equal rows: both assertions of two variables are the same triplet and both count
    rows, cards = [[0, 0], [1, 1]], [2, 2]
    assert naive.ib_score(rows, cards, set()) == pytest.approx(2 * math.log(4 / 9))
    assert naive.ib_score(rows, cards, edge_set((0, 1))) == pytest.approx(2 * math.log(5 / 9))
    test = naive.CountingTest(rows, cards, prior=0.5)
    assertions = [(0, 1, (), True), (1, 0, (), False)]
    assert naive.closure_score(assertions, test.log_probabilities) == pytest.approx(math.log(20 / 81))


def test_ib_score_takes_the_options_of_the_test():
    rows, cards = [[0, 0, 0], [1, 1, 0]], [2, 2, 2]
    options = {"hyperparameters": "ones", "slices": "seen", "weights": [3, 2]}
    test = naive.CountingTest(rows, cards, **options)
    edges = edge_set((0, 1), (1, 2))
    closure = naive.blanket_closure(edges, 3)
    found = naive.ib_score(rows, cards, edges, **options)
    assert found == naive.closure_score(closure, test.log_probabilities)
    assert found != naive.ib_score(rows, cards, edges)


def test_the_test_remembers_canonical_triplets():
    test = naive.CountingTest([[0, 0, 1], [1, 1, 0]], [2, 2, 2])
    test.ask(1, 0, [2])
    test.log_support(0, 1, (2,))
    test.log_probabilities(2, 1)
    assert test.asked == {(0, 1, (2,)), (1, 2, ())}
    assert test.log_support(1, 0) == pytest.approx(math.log(4 / 9))
    assert not test.ask(0, 1)


# GSMN


def test_order_of_association_by_hand():
    assert naive.order_by_association({0: -1.0, 1: -3.0, 2: -2.0}) == [1, 2, 0]
    assert naive.order_by_association({2: -1.0, 0: -1.0, 1: -1.0}) == [0, 1, 2]
    # 3, 2 and 1 are each within the tolerance of the next; the run of 3 ends after 2
    assert naive.order_by_association({1: 1.6e-9, 2: 0.8e-9, 3: 0.0}) == [2, 3, 1]
    assert naive.order_by_association({}) == []


def test_a_second_grow_pass_finds_what_the_first_met_too_early():
    def ask(_x, y, given):
        return y == 1 and 2 not in given  # 1 depends on 0 only given 2

    assert naive.grow_shrink(ask, 0, [1, 2]) == [2]
    assert naive.grow_shrink(ask, 0, [1, 2], "repeat") == [2, 1]


def test_shrinking_goes_on_until_a_pass_drops_nothing():
    asked = []

    def ask(_x, y, given):
        asked.append((y, tuple(given)))
        # all depend while growing; 3 goes given 1, 2; then 1 goes given 2, which only a second pass can see
        return (y, tuple(given)) in {(3, (1, 2)), (1, (2,))} and len(asked) > 3

    assert naive.grow_shrink(ask, 0, [1, 2, 3]) == [2]
    assert asked == [
        (1, ()),
        (2, (1,)),
        (3, (1, 2)),
        (1, (2, 3)),
        (2, (1, 3)),
        (3, (1, 2)),
        (1, (2,)),
        (2, ()),
        (2, ()),
    ]


def test_rules_join_one_sided_blankets():
    def ask(x, y, _given):
        return (x, y) not in {(0, 1), (1, 0), (1, 2)}

    def log_support(_x, _y, _given=()):
        return -1.0

    assert naive.gsmn(ask, log_support, 3) == edge_set((0, 1), (1, 2))
    assert naive.gsmn(ask, log_support, 3, rule="and") == edge_set((0, 1))


def test_gsmn_asks_in_the_order_of_association():
    asked = []

    def ask(x, y, _given):
        asked.append((x, y))
        return True

    def log_support(x, y, _given=()):
        return -float(x + y)

    assert naive.gsmn(ask, log_support, 3) == set()
    assert asked == [(0, 2), (0, 1), (1, 2), (1, 0), (2, 1), (2, 0)]
    asked.clear()
    naive.gsmn(ask, log_support, 3, order="columns")
    assert asked == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


@pytest.mark.parametrize("rule", ["or", "and"])
@pytest.mark.parametrize("grow", ["once", "repeat"])
@pytest.mark.parametrize("order", ["association", "columns"])
def test_gsmn_with_true_answers_finds_every_graph_of_four_variables(rule, grow, order):
    for edges in naive.all_graphs(4):

        def ask(x, y, given, edges=edges):
            return naive.separated(edges, 4, x, y, given)

        def log_support(x, y, given=(), edges=edges):
            return 0.0 if naive.separated(edges, 4, x, y, given) else -1.0

        assert naive.gsmn(ask, log_support, 4, rule, grow, order) == edges


# Searches and error measures


@pytest.mark.parametrize("seed", range(4))
def test_the_climb_ends_where_no_flip_gains(seed):
    rows = chain_table(random.Random(seed), 60, 4, 0.6)
    test = naive.CountingTest(rows, [2] * 4)
    start = naive.gsmn(test.ask, test.log_support, 4)
    before = naive.ib_score(rows, [2] * 4, start)
    result = naive.hill_climb(test, 4, start)
    assert result["iterations"] == result["ascents"] + 1
    assert max(naive.gains_of_flips(test, 4, result["edges"]).values()) <= 1e-9
    assert all(gain > 0 for _, _, gain in result["trace"])
    assert result["score"] - before == pytest.approx(math.fsum(g for _, _, g in result["trace"]), abs=1e-9)
    assert result["score"] == naive.ib_score(rows, [2] * 4, result["edges"])
    best, edges = naive.best_of_all_graphs(test, 4)
    assert result["score"] <= best + 1e-9
    assert best == pytest.approx(naive.ib_score(rows, [2] * 4, edges), abs=1e-9)


def test_the_climb_finds_a_strong_chain_and_stops_when_told():
    rows = chain_table(random.Random(7), 500, 4, 0.7)
    chain = edge_set((0, 1), (1, 2), (2, 3))
    test = naive.CountingTest(rows, [2] * 4)
    result = naive.hill_climb(test, 4, set())
    assert result["edges"] == chain == naive.best_of_all_graphs(test, 4)[1]
    assert result["asked"] <= test.asked
    first = naive.hill_climb(test, 4, set(), max_ascents=1)
    assert (first["ascents"], first["iterations"]) == (1, 1)
    assert first["trace"] == result["trace"][:1]
    assert naive.hill_climb(test, 4, set(), max_ascents=0)["edges"] == set()


def test_equal_gains_take_the_lowest_pair():
    rows = [[a, a, b, b] for a in (0, 1) for b in (0, 1)] * 5
    result = naive.hill_climb(naive.CountingTest(rows, [2] * 4), 4, set())
    assert [(i, j) for i, j, _ in result["trace"]] == [(0, 1), (2, 3)]
    assert result["trace"][0][2] == pytest.approx(result["trace"][1][2], abs=1e-9)


def test_one_variable_has_nothing_to_climb():
    result = naive.hill_climb(naive.CountingTest([[0], [1]], [2]), 1, set())
    assert (result["edges"], result["score"], result["ascents"], result["iterations"]) == (set(), 0.0, 0, 1)


def test_error_measures_by_hand():
    full, chain = edge_set((0, 1), (0, 2), (1, 2)), edge_set((0, 1), (1, 2))
    assert naive.edge_hamming(full, chain) == 1
    assert naive.edge_hamming(set(), full) == 3
    triplets = [(0, 1, ()), (0, 2, ()), (0, 2, (1,)), (1, 2, (0,))]
    assert naive.independence_hamming_graphs(full, chain, 3, triplets) == 0.25
    assert naive.independence_hamming_graphs(chain, set(), 3, triplets) == 0.75
    assert naive.independence_hamming_graphs(chain, set(), 3, []) == 0.0
