"""Variables said to be in order: one slope and effects of every state, averaged."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
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
    found = regressions(replace(table, ordered=ordered), None, share).fits.log_bayes_factors(x, blanket)[0]
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
    assert isinstance(regressions(table, None).fits.links, NumpyLinks)
    said = replace(table, ordered=np.array([True, False, False]))
    assert isinstance(regressions(said, None).fits.links, OrderLinks)
    assert isinstance(regressions(said, False).fits.links, NumpyLinks)
    assert isinstance(regressions(said, ["x0"]).fits.links, NumpyLinks)


def test_two_states_are_in_order_anyway():
    codes = np.random.default_rng(1).integers(0, 2, (50, 3))
    said = replace(EncodedTable.from_codes(codes), ordered=np.ones(3, bool))
    assert isinstance(regressions(said, None).fits.links, NumpyLinks)


def test_the_average_follows_the_better_model():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, 300)
    steady = np.clip(y + rng.integers(-2, 3, 300), 0, 4)
    bent = np.where(rng.random(300) < 0.5, np.abs(y - 2), rng.integers(0, 3, 300))
    table = replace(EncodedTable.from_codes(np.array([y, steady, bent]).T), ordered=np.ones(3, bool))
    averaged, slopes, states = (regressions(table, each) for each in (None, True, False))
    for x, better in ((1, slopes), (2, states)):
        found = averaged.fits.log_bayes_factors(x, ())[0, 0]
        assert found == pytest.approx(better.fits.log_bayes_factors(x, ())[0, 0] - math.log(2), abs=1.0)
        assert found > 5


def test_the_test_of_the_recommended_learner_believes_the_table():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 4, (60, 2))
    table = replace(EncodedTable.from_codes(codes), ordered=np.ones(2, bool))
    assert isinstance(AveragedTest(table).regressions.fits.links, OrderLinks)
    assert not isinstance(AveragedTest(table, ordered=True).regressions.fits.links, OrderLinks)


@pytest.mark.compiled_only("it is about the bytes that states are kept in")
@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
@pytest.mark.parametrize("n_states", [255, 256, 257, 900])
def test_as_many_ordered_states_as_there_may_be_are_told_apart(n_states):
    rng = np.random.default_rng(0)
    number = np.r_[np.arange(n_states), rng.integers(0, n_states, 1000)]
    follows = (number + rng.normal(0, n_states / 10, len(number)) > n_states / 2).astype(int)
    rows = np.column_stack([number, follows, rng.integers(0, 2, len(number))])
    learner = ibmap.IBMAP(bins=None, ordered=["x0"]).fit(rows)
    assert list(learner.graph_.edges) == [("x0", "x1")]


@pytest.mark.compiled_only("it is about what is told of such columns")
@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
@pytest.mark.parametrize(
    "learner",
    [
        ibmap.IBMAP(bins=None, ordered=False),
        ibmap.IBMAP(bins=None),  # whole numbers are in order: one of the two models has a single state
        ibmap.IBMAPHC(test="pairwise", start="empty"),
    ],
)
@pytest.mark.parametrize("label", [int, str])
def test_a_column_of_as_many_states_as_rows_is_joined_with_nothing(learner, label):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 3000)
    rows = [
        [label(k), a, b] for k, a, b in zip(range(3000), first, first ^ (rng.random(3000) < 0.2), strict=True)
    ]
    assert list(learner.fit(rows).graph_.edges) == [("x1", "x2")]


def test_strong_slopes_leave_no_residue_that_looks_like_a_link():
    rng = np.random.default_rng(0)
    n_false = 0
    for _ in range(4):
        columns = [rng.integers(0, 5, 600)]
        for _ in range(3):  # a chain: each depends on the one before alone
            log_odds = -((np.arange(5) - 0.9 * columns[-1][:, None] - 0.2) ** 2) / 2.4
            columns.append((log_odds + rng.gumbel(size=log_odds.shape)).argmax(axis=1))
        table = replace(EncodedTable.from_codes(np.array(columns).T), ordered=np.ones(4, bool))
        edges = {*ibmap.IBMAP().fit(table).result_.graph.edges}
        assert {(0, 1), (1, 2), (2, 3)} <= edges
        n_false += len(edges) - 3
    assert n_false <= 1
