import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from ibmap import ChiSquareTest, GTest
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.independence.classical import log_tail
from oracles import naive
from strategies import plain, queries, tables

BOTH = [(ChiSquareTest, naive.chi_square, "pearson"), (GTest, naive.g_test, "log-likelihood")]


@pytest.mark.parametrize(("test_class", "oracle", "_name"), BOTH)
@given(data=st.data())
def test_outcomes_match_the_definition(data, test_class, oracle, _name):
    table = data.draw(tables())
    x, y, z = data.draw(queries(table))
    rows, cards, weights = plain(table)
    statistic, degrees, p_value = oracle(rows, cards, x, y, z, weights)
    found = test_class(table).outcome(x, y, z)
    assert found.statistic == pytest.approx(statistic, abs=1e-9)
    assert found.degrees_of_freedom == degrees
    assert found.p_value == pytest.approx(p_value, abs=1e-9)
    assert found.reliable == naive.cochran(rows, cards, x, y, z, weights)
    assert found == test_class(table).outcome(y, x, z[::-1])


@pytest.mark.parametrize(("test_class", "_oracle", "name"), BOTH)
def test_unconditional_outcomes_agree_with_scipy_without_yates_correction(test_class, _oracle, name):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (200, 2))
    counts = np.zeros((2, 2))
    np.add.at(counts, tuple(codes.T), 1)
    expected = chi2_contingency(counts, correction=False, lambda_=name)
    found = test_class(EncodedTable.from_codes(codes)).outcome(0, 1)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_no_information_is_independence():
    table = EncodedTable.from_codes([[0, 1, 0], [0, 0, 1]], [1, 2, 2])
    found = GTest(table).outcome(0, 1, [2])
    assert found == (0.0, 0, 1.0, False)
    assert GTest(table).is_independent(0, 1)


def test_many_levels_need_neither_time_nor_memory():
    rng = np.random.default_rng(0)
    table = EncodedTable.from_codes(rng.integers(0, 20, (2000, 7)), [60000] * 7)
    found = GTest(table).outcome(0, 1, [2, 3, 4, 5, 6])
    assert found.p_value == 1.0
    assert not found.reliable


def test_strong_dependence_keeps_its_order_when_p_values_underflow():
    same = EncodedTable.from_codes(np.repeat(np.arange(2), 5000)[:, None].repeat(2, axis=1))
    answer = ChiSquareTest(same).ask(0, 1)
    assert not answer.independent
    assert answer.log_support == pytest.approx(
        float(mpmath.log(mpmath.gammainc(0.5, 5000, regularized=True)))
    )
    for a, x in ((0.5, 800), (3, 700), (40, 1500), (200.5, 2500)):
        exact = mpmath.log(mpmath.gammainc(a, x, regularized=True))
        assert log_tail(2 * x, round(2 * a)) == pytest.approx(float(exact), rel=1e-12)


def test_the_level_must_be_a_probability():
    with pytest.raises(InvalidOptionError, match="significance"):
        GTest([[0, 1], [1, 0]], significance=5)
