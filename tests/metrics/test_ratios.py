"""Means with their uncertainty, and ratios of errors, against the definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap import metrics
from ibmap.errors import InvalidOptionError
from oracles import naive_experiments as naive

errors = st.one_of(st.just(0.0), st.integers(0, 50).map(float), st.floats(1e-6, 1))


@pytest.mark.parametrize("n_runs", sorted(naive.QUANTILES))
def test_the_half_width_is_students(n_runs):
    values = [math.sin(k) for k in range(n_runs)]
    found = metrics.mean_interval(values)
    assert found.mean == pytest.approx(naive.mean(values))
    assert found.deviation == pytest.approx(naive.deviation(values))
    assert found.half_width == pytest.approx(naive.half_width(values), rel=1e-3)


@given(st.lists(st.tuples(errors, errors), max_size=12))
def test_ratios_match_the_definition(pairs):
    above, below = [a for a, _ in pairs], [b for _, b in pairs]
    ratios, left_out = naive.ratios(above, below)
    found = metrics.error_ratio(above, below)
    assert (found.n_runs, found.n_infinite) == (len(ratios), left_out)
    if ratios:
        assert found.mean == pytest.approx(naive.mean(ratios))
    else:
        assert math.isnan(found.mean)
    if len(ratios) > 1:
        assert found.deviation == pytest.approx(naive.deviation(ratios), rel=1e-6, abs=1e-9)


def test_a_ratio_is_marked_if_its_interval_leaves_out_one():
    better = metrics.error_ratio([1, 2, 1, 2], [4, 4, 4, 4])
    worse = metrics.error_ratio([4, 4, 4, 4], [1, 2, 1, 2])
    neither = metrics.error_ratio([1, 5], [3, 3])
    single = metrics.error_ratio([1], [3])
    assert [each.mark for each in (better, worse, neither, single)] == ["better", "worse", "", ""]
    assert [each.excludes_one for each in (better, worse, neither, single)] == [True, True, False, False]


def test_bad_errors_are_refused():
    with pytest.raises(InvalidOptionError, match="as many numbers"):
        metrics.error_ratio([1, 2], [1])
    for bad in (-1.0, math.nan):
        with pytest.raises(InvalidOptionError, match="from 0"):
            metrics.error_ratio([bad], [1])
