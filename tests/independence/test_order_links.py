"""Variables said to be in order: one slope and effects of every state, averaged."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.data.table import EncodedTable
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.numpy_links import NumpyLinks
from ibmap.independence.order_links import OrderLinks
from ibmap.independence.regression import LinkModel, Regressions
from oracles import naive_averaged as naive
from strategies import tables

FEW = settings(max_examples=25)
SHARES = (0.25, 0.0, 1.0)


def regressions(table, ordered, share=0.25):
    return Regressions(table, ordered, LinkModel(1.0, 8.0, is_moment=True, table_share=share))


def whole_evidence(model, x, members, share):
    """Main effects and full tables of a set, averaged."""
    main, table = model.main_evidence(x, members), model.table_evidence(x, members)
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(1 - share) + main, np.log(share) + table)


@FEW
@given(st.data())
def test_factors_average_two_models_by_their_evidence(data):
    table = data.draw(tables(max_variables=4, max_rows=25, max_states=4))
    ordered = np.array([data.draw(st.booleans()) for _ in range(table.n_variables)])
    share = data.draw(st.sampled_from(SHARES))
    x, *rest = data.draw(st.permutations(range(table.n_variables)))
    blanket = tuple(sorted(rest[: data.draw(st.integers(0, len(rest)))]))
    found = regressions(replace(table, ordered=ordered), None, share).log_bayes_factors(x, blanket)[0]
    rows = table.codes.tolist(), table.weights.tolist()
    if not sum(table.weights) or len({row[x] for row in rows[0]}) < 2:
        assert not found.any()
        return
    models = [naive.Averaged(*rows, each, share) for each in (np.flatnonzero(ordered).tolist(), [])]
    evidence = [whole_evidence(model, x, blanket, share) for model in models]
    for y in rest:
        if len({row[y] for row in rows[0]}) < 2:
            continue
        factors = [model.factor(x, y, blanket) for model in models]
        if y in blanket:
            without = np.logaddexp(*np.subtract(evidence, factors))
            expected = np.logaddexp(*evidence) - without
        else:
            expected = np.logaddexp(*np.add(evidence, factors)) - np.logaddexp(*evidence)
        assert found[y] == pytest.approx(expected, abs=1e-6)


def test_tables_without_an_order_take_the_plain_path():
    codes = np.random.default_rng(1).integers(0, 3, (50, 3))
    table = EncodedTable.from_codes(codes)
    assert isinstance(regressions(table, None)._links, NumpyLinks)
    said = replace(table, ordered=np.array([True, False, False]))
    assert isinstance(regressions(said, None)._links, OrderLinks)
    assert isinstance(regressions(said, False)._links, NumpyLinks)
    assert isinstance(regressions(said, ["x0"])._links, NumpyLinks)


def test_two_states_are_in_order_anyway():
    codes = np.random.default_rng(1).integers(0, 2, (50, 3))
    said = replace(EncodedTable.from_codes(codes), ordered=np.ones(3, bool))
    assert isinstance(regressions(said, None)._links, NumpyLinks)


def test_the_average_follows_the_better_model():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, 300)
    steady = np.clip(y + rng.integers(-2, 3, 300), 0, 4)
    bent = np.where(rng.random(300) < 0.5, np.abs(y - 2), rng.integers(0, 3, 300))
    table = replace(EncodedTable.from_codes(np.array([y, steady, bent]).T), ordered=np.ones(3, bool))
    averaged, slopes, states = (regressions(table, each) for each in (None, True, False))
    for x, better in ((1, slopes), (2, states)):
        found = averaged.log_bayes_factors(x, ())[0, 0]
        assert found == pytest.approx(better.log_bayes_factors(x, ())[0, 0] - math.log(2), abs=1.0)
        assert found > 5


def test_the_test_of_the_recommended_learner_believes_the_table():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 4, (60, 2))
    table = replace(EncodedTable.from_codes(codes), ordered=np.ones(2, bool))
    assert isinstance(AveragedTest(table).regressions._links, OrderLinks)
    assert not isinstance(AveragedTest(table, ordered=True).regressions._links, OrderLinks)
