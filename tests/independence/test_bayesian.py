import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap import BayesianTest
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, UnknownVariableError
from ibmap.independence.posterior import Prior
from ibmap.independence.protocol import Triplet
from oracles import naive
from strategies import plain, queries, tables

A, B, C = [[10, 4], [3, 11]], [[7, 6], [5, 8]], [[10, 6, 6], [4, 3, 10]]
PUBLISHED = [
    ([A], 1, 0.0983783917, 0.0494410107),
    ([B], 1, 0.7051805815, 0.5340617638),
    ([A, B], 2, 0.1777218455, 0.0819470024),
    ([A, B], 4, 0.2396709247, 0.1308662440),
    ([A, B], 8, 0.3131610994, 0.2011187581),
    ([C], 1, 0.5939108133, 0.3040888199),
]
PRIORS = st.builds(
    dict,
    prior=st.sampled_from([0.5, 0.1, 0.9]),
    hyperparameters=st.sampled_from(["sums", "ones", "bdeu"]),
    slices=st.sampled_from(["all", "seen"]),
    equivalent_sample_size=st.sampled_from([1.0, 10.0]),
)


def table_of(slices, n_configurations):
    """A table with these slices over a third column with so many states."""
    rows = [
        [i, j, k]
        for k, counts in enumerate(slices)
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    n_y = len(slices[0][0])
    return EncodedTable.from_codes(rows, [2, n_y, n_configurations])


@pytest.mark.parametrize(("slices", "n_configurations", "sums", "ones"), PUBLISHED)
def test_reference_values_hold(slices, n_configurations, sums, ones):
    table = table_of(slices, n_configurations)
    for name, expected in (("sums", sums), ("ones", ones)):
        found = BayesianTest(table, hyperparameters=name).log_probabilities(0, 1, given=[2])
        assert math.exp(found.independent) == pytest.approx(expected, abs=1e-9)
        assert math.exp(found.dependent) == pytest.approx(1 - expected, abs=1e-9)


@given(st.data(), PRIORS)
def test_posteriors_match_the_definition(data, options):
    table = data.draw(tables())
    x, y, z = data.draw(queries(table))
    rows, cards, weights = plain(table)
    expected = naive.log_probabilities(rows, cards, x, y, z, weights=weights, **options)
    found = BayesianTest(table, **options).log_probabilities(x, y, z)
    assert found == pytest.approx(expected, abs=1e-9, rel=1e-9)


@given(st.data(), PRIORS)
def test_posteriors_are_symmetric_add_to_one_and_ignore_rows_labels_and_the_order_given(data, options):
    table = data.draw(tables(weighted=False))
    x, y, z = data.draw(queries(table))
    test = BayesianTest(table, **options)
    found = test.log_probabilities(x, y, z)
    assert found == test.log_probabilities(y, x, z)  # not approximately
    assert found == test.log_probabilities(x, y, z[::-1])
    assert math.exp(found.independent) + math.exp(found.dependent) == pytest.approx(1, abs=1e-12)
    rng = np.random.default_rng(1)
    relabelled = np.stack(
        [
            rng.permutation(int(c))[column]
            for column, c in zip(table.codes.T, table.cardinalities, strict=True)
        ],
        axis=1,
    )[rng.permutation(table.n_rows)]
    other = BayesianTest(EncodedTable.from_codes(relabelled, table.cardinalities), **options)
    assert other.log_probabilities(x, y, z) == pytest.approx(found, abs=1e-9)


@given(st.data())
def test_weights_mean_repetition(data):
    table = data.draw(tables(weighted=True))
    x, y, z = data.draw(queries(table))
    repeated = EncodedTable.from_codes(np.repeat(table.codes, table.weights, axis=0), table.cardinalities)
    expected = BayesianTest(repeated).log_probabilities(x, y, z)
    assert BayesianTest(table).log_probabilities(x, y, z) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones", "bdeu"])
@pytest.mark.parametrize("slices", ["all", "seen"])
@pytest.mark.parametrize("n_states", [2, 60000])
def test_everything_stays_finite_with_sixty_conditioning_variables(hyperparameters, slices, n_states):
    rng = np.random.default_rng(0)
    table = EncodedTable.from_codes(rng.integers(0, 2, (500, 62)), [2, 2] + [n_states] * 60)
    test = BayesianTest(table, hyperparameters=hyperparameters, slices=slices)
    for size in (0, 1, 5, 20, 60):
        found = test.log_probabilities(0, 1, range(2, 2 + size))
        assert all(math.isfinite(value) and value <= 0 for value in found)


def test_certain_verdicts_keep_both_logarithms():
    grid = [[i, j] for i in range(30) for j in range(30)]
    independent = EncodedTable.from_codes(grid, weights=[60] * 900)
    same = EncodedTable.from_codes([[i, i] for i in range(30)], weights=[300] * 30)
    for table in (independent, same):
        rows, cards, weights = plain(table)
        found = BayesianTest(table).log_probabilities(0, 1)
        assert found == pytest.approx(
            naive.log_probabilities(rows, cards, 0, 1, weights=weights), rel=1e-9, abs=1e-9
        )
        assert min(found) < -745  # the smaller probability is below the smallest float
        assert all(map(math.isfinite, found))


@pytest.mark.parametrize("n_points", [50, 150, 300, 700])
def test_overwhelming_evidence_in_many_slices_does_not_overflow(n_points):
    slices = [[[n_points, 0], [0, n_points]]] * 8
    table = table_of(slices, 8)
    rows, cards, _ = plain(table)
    for options in ({}, {"hyperparameters": "ones"}):
        expected = naive.log_probabilities(rows, cards, 0, 1, (2,), **options)
        assert BayesianTest(table, **options).log_probabilities(0, 1, [2]) == pytest.approx(
            expected, rel=1e-9
        )


def test_many_unused_states_do_not_lose_digits():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (40, 2))
    table = EncodedTable.from_codes(codes, [65535, 65535])
    cells = Counter(map(tuple, codes.tolist()))
    # By Python's exact integers: rising factorials are products.
    rising = lambda start, count: math.prod(range(start, start + count))  # noqa: E731
    states, total = 65535, 65535**2
    h = Fraction(math.prod(rising(1, c) for c in cells.values()), rising(total, 40))
    g = Fraction(1)
    for axis in (0, 1):
        margin = Counter(codes[:, axis].tolist())
        g *= Fraction(math.prod(rising(states, c) for c in margin.values()), rising(total, 40))
    odds = h / g
    found = BayesianTest(table).log_probabilities(0, 1)
    assert found.independent == pytest.approx(math.log(1 / (1 + odds)), rel=1e-9)
    assert found.dependent == pytest.approx(math.log(odds / (1 + odds)), rel=1e-9)


def test_a_tie_is_independence():
    constant = EncodedTable.from_codes([[0, 0], [0, 1]] * 7, [1, 2])
    assert BayesianTest(constant).is_independent(0, 1)
    single_row = EncodedTable.from_codes([[1, 0, 1]], [2, 2, 2])
    assert BayesianTest(single_row).is_independent(0, 1, [2])
    assert BayesianTest(single_row).log_probabilities(0, 1).independent == pytest.approx(math.log(0.5))


def test_distinct_tests_are_counted_once_however_they_are_asked():
    table = EncodedTable.from_codes([[0, 1, 0, 1], [1, 0, 0, 1]], names=["a", "b", "c", "d"])
    test = BayesianTest(table)
    test.is_independent("a", "b", ["c", "d"])
    test.log_probabilities(1, 0, [3, 2])
    test.is_independent("b", "a", ("d", 2))
    assert test.n_tests == 1
    test.is_independent("a", "b")
    assert test.n_tests == 2


@pytest.mark.parametrize(
    "options",
    [
        {"prior": 0},
        {"prior": 1.0},
        {"prior": 5e-324},
        {"prior": "half"},
        {"hyperparameters": "twos"},
        {"slices": "some"},
        {"equivalent_sample_size": 0},
    ],
)
def test_bad_options_are_refused_by_name(options):
    with pytest.raises(InvalidOptionError, match=next(iter(options))):
        BayesianTest([[0, 1], [1, 0]], **options)


def test_bad_questions_are_refused():
    test = BayesianTest([[0, 1, 0], [1, 0, 1]])
    with pytest.raises(UnknownVariableError, match="x7"):
        test.is_independent("x7", 0)
    with pytest.raises(UnknownVariableError, match="number 5"):
        test.is_independent(0, 5)
    for odd in (0.9, None, True, math.nan):
        with pytest.raises(UnknownVariableError, match="name or number"):
            test.is_independent(odd, 1)
    assert test.ask(0, 1, 2) == test.ask(0, 1, [2])
    assert test.ask(0, 1, None) == test.ask(0, 1)
    with pytest.raises(InvalidOptionError, match="different"):
        test.is_independent(0, 0)
    with pytest.raises(InvalidOptionError, match="different"):
        test.is_independent(0, 1, [1])


def test_the_share_of_a_slice_is_exact_for_any_number_of_slices():
    prior = Prior()
    for n_slices in (1, 2, 1000, 10**8, 10**9):
        assert prior.log_slice_odds(n_slices) == pytest.approx(
            math.log(math.expm1(math.log(2) / n_slices)), rel=1e-12
        )
    assert prior.log_slice_odds(2**5000) == pytest.approx(math.log(math.log(2)) - 5000 * math.log(2))


@settings(max_examples=60)
@given(st.data())
def test_whole_rows_are_the_tests_they_are_made_of(data):
    table = data.draw(tables(max_variables=8))
    if data.draw(st.booleans()):
        table = EncodedTable.from_codes(table.codes % 2, [2] * table.n_variables)
    test = BayesianTest(table, slices=data.draw(st.sampled_from(["all", "seen"])))
    questions = [data.draw(queries(table)) for _ in range(data.draw(st.integers(0, 20)))]
    asked = [(x, tuple(sorted({*z, y}))[: data.draw(st.integers(0, 7))]) for x, y, z in questions]
    independent, dependent = test.rows(asked, n_threads=2)
    assert np.array_equal((independent, dependent), test.rows(asked, n_threads=1), equal_nan=True)
    assert independent.shape == dependent.shape == (len(asked), table.n_variables)
    for k, (x, z) in enumerate(asked):
        for y in range(table.n_variables):
            if y == x or y in z:
                assert np.isnan(independent[k, y])
                assert np.isnan(dependent[k, y])
            else:
                right = test.log_probabilities(x, y, z)
                assert (independent[k, y], dependent[k, y]) == pytest.approx(right, rel=1e-9, abs=1e-9)


def test_a_row_given_the_variable_itself_is_refused():
    test = BayesianTest([[0, 1], [1, 0]])
    with pytest.raises(InvalidOptionError, match="'x1' is in its own set"):
        test.rows([(1, ("x1",))])


def test_rows_read_sets_as_single_questions_do():
    test = BayesianTest(EncodedTable.from_codes([[0, 1, 0], [1, 0, 1], [1, 1, 0]], names=["a", "bc", "b"]))
    for loose, same in (("bc", ["bc"]), (1, [1]), (None, [])):
        found, expected = test.rows([("a", loose)]), test.rows([("a", same)])
        assert np.array_equal(found, expected, equal_nan=True)
    for question in ((0, 1, 2), "a", 5):
        with pytest.raises(InvalidOptionError, match="a question is a variable and its conditioning set"):
            test.rows([question])


@given(st.data())
def test_candidates_asked_in_turn_are_asked_up_to_the_first_dependent(data):
    table = data.draw(tables())
    x, *others = data.draw(st.permutations(range(table.n_variables)))
    n_given = data.draw(st.integers(0, len(others)))
    given_set, candidates = tuple(sorted(others[:n_given])), others[n_given:]
    test, single = BayesianTest(table), BayesianTest(table)
    for y in data.draw(st.lists(st.sampled_from(candidates))) if candidates else ():
        test.ask_triplet(Triplet(x, y, given_set))  # some are remembered
    answers = [single.ask_triplet(Triplet(x, y, given_set)) for y in candidates]
    n_asked = next((k + 1 for k, answer in enumerate(answers) if not answer.independent), len(answers))
    assert test.ask_each(x, candidates, given_set, until_dependent=True) == answers[:n_asked]
    assert test.ask_each(x, candidates, given_set) == answers
    assert test.asked == single.asked


def test_a_test_apart_remembers_on_its_own():
    test = BayesianTest([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]] * 5)
    test.ask(0, 1)
    apart = test.apart()
    apart.ask(0, 1)
    apart.ask(0, 2)
    assert (test.n_tests, apart.n_tests) == (1, 2)
    test.remember(apart)
    assert test.asked == {Triplet(0, 1, ()), Triplet(0, 2, ())}
