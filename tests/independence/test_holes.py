"""Missing cells in the recommended learner: what links are worth, how holes are filled in, and the laws."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.confidence.calibration import recommended_temperature
from ibmap.confidence.learned import default_temperature
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.compiled_links import CompiledLinks
from ibmap.independence.filling import Rows, fill_in
from ibmap.independence.numpy_links import NumpyLinks
from ibmap.learners import LEARNERS
from ibmap.score.pairwise import PairwiseScore
from ibmap.simulate import random_network
from oracles.naive_holes import Holes

FEW = settings(max_examples=20)
N_FACTORIALS = 4096


def links_of(kind, rows, n_states, ordered=(), share=0.25):
    is_ordered = np.isin(np.arange(len(n_states)), list(ordered)) & (n_states > 2)
    factorials = np.cumsum(np.log(np.maximum(np.arange(N_FACTORIALS), 1)))
    model = np.array([1.0, 8.0, 1.0, share])
    return kind(rows.codes, rows.weights, (n_states, is_ordered, factorials), model, rows.seen)


@st.composite
def holed_rows(draw, max_variables=4, max_rows=30):
    """Rows of codes, all states seen somewhere, with holes that something stands in."""
    n, n_rows = draw(st.integers(2, max_variables)), draw(st.integers(4, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_states = rng.integers(1, 4, n)
    codes = rng.integers(0, n_states[:, None], (n, n_rows))
    follows = rng.random(n_rows) < 0.8
    codes[1, follows] = codes[0, follows] % n_states[1]
    seen = rng.random((n, n_rows)) >= draw(st.sampled_from([0.0, 0.2, 0.5]))
    for v in range(n):  # states are those seen
        seen[v, :2] = True
        states, numbers = np.unique(codes[v, seen[v]], return_inverse=True)
        codes[v, seen[v]] = numbers
        n_states[v] = len(states)
        codes[v, ~seen[v]] = rng.integers(0, n_states[v], (~seen[v]).sum())
    weights = rng.integers(1, 3, n_rows).astype(float)
    return Rows(np.ascontiguousarray(codes, np.uint8), seen, weights), n_states.astype(np.int64)


def holed(codes, missing, weights=None, cardinalities=None):
    """A table with holes."""
    table = EncodedTable.from_codes(np.where(missing, 0, codes), cardinalities, weights=weights)
    return replace(table, missing=np.asfortranarray(missing)) if missing.any() else table


def sample(seed=1, n=6, n_rows=300, share=0.2, n_states=2):
    network = random_network(n, 2, random_state=seed, log_odds=1.5, cardinalities=n_states)
    codes = np.asarray(network.sample(n_rows, random_state=seed)).astype(np.int64)
    return codes, np.random.default_rng(seed).random(codes.shape) < share, network


def learn(table, n_threads=1, **options):
    entry = LEARNERS["ibmap"]
    return entry.learn(table, entry.options(**options), n_threads=n_threads)


def same(first, second):
    """Two results that agree in everything the data decide."""
    assert first.graph.edges == second.graph.edges
    assert first.score == pytest.approx(second.score, abs=1e-8)
    assert [(p.x, p.y) for p in first.evidence] == [(p.x, p.y) for p in second.evidence]
    assert [p.loss for p in first.evidence] == pytest.approx([p.loss for p in second.evidence], abs=1e-7)


# --- what links are worth


@FEW
@given(holed_rows(), st.data())
def test_links_with_holes_match_the_definition(drawn, data):
    rows, n_states = drawn
    n = len(n_states)
    x = data.draw(st.integers(0, n - 1))
    members = tuple(y for y in range(n) if y != x and data.draw(st.booleans()))
    ordered = [v for v in range(n) if data.draw(st.booleans())]
    share = data.draw(st.sampled_from([0.25, 0.0, 1.0]))
    if n_states[x] < 2:
        return
    oracle = Holes(rows.codes.T.tolist(), rows.seen.T.tolist(), rows.weights.astype(int), ordered, share)
    expected = [0.0 if y == x else oracle.factor(x, y, members) for y in range(n)]
    others = np.array([y for y in range(n) if y != x and y not in members], np.int64)
    for kind in (NumpyLinks, CompiledLinks):
        found = links_of(kind, rows, n_states, ordered, share).weigh(x, np.array(members, np.int64), others)
        assert found.factors[0] == pytest.approx(expected, abs=1e-6)


@FEW
@given(holed_rows(), st.data())
def test_a_table_that_shows_everything_has_the_plain_numbers(drawn, data):
    rows, n_states = drawn
    x = data.draw(st.integers(0, len(n_states) - 1))
    if len(np.unique(rows.codes[x])) < 2:
        return
    n_states = rows.codes.max(axis=1).astype(np.int64) + 1
    members = np.array([y for y in range(len(n_states)) if y != x and data.draw(st.booleans())], np.int64)
    others = np.setdiff1d(np.arange(len(n_states)), [x, *members])
    everything = rows._replace(seen=np.ones_like(rows.seen))
    if len(np.unique(rows.codes[x])) < n_states[x]:
        return
    plain = links_of(NumpyLinks, rows._replace(seen=None), n_states).weigh(x, members, others).factors
    shown = links_of(NumpyLinks, everything, n_states).weigh(x, members, others).factors
    assert shown == pytest.approx(plain, abs=1e-8)


def test_an_edge_between_two_half_missing_columns_has_a_quarter_of_the_rows_behind_it():
    rng = np.random.default_rng(0)
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [130, 70, 70, 130], axis=0)
    missing = np.zeros(codes.shape, bool)
    missing[rng.permutation(400)[:200], 0] = True
    missing[rng.permutation(400)[:200], 1] = True
    whole = AveragedTest(EncodedTable.from_codes(codes)).regressions.log_bayes_factor(0, 1, ())
    quarter = AveragedTest(holed(codes, missing)).regressions.log_bayes_factor(0, 1, ())
    both = ~missing.any(axis=1)
    alone = AveragedTest(EncodedTable.from_codes(codes[both])).regressions.log_bayes_factor(0, 1, ())
    assert quarter == pytest.approx(alone, abs=1.5)
    assert quarter < whole / 2


# --- how holes are filled in


def test_filling_in_keeps_what_is_shown_and_only_draws_states_that_are_seen():
    codes, missing, _ = sample(n_states=3)
    rows = Rows(
        np.ascontiguousarray(np.where(missing, 0, codes).T, np.uint8), ~missing.T, np.ones(len(codes))
    )
    n_states = np.full(codes.shape[1], 3)
    found = fill_in(rows, n_states, lambda each: links_of(NumpyLinks, each, n_states))
    assert found.weights.sum() == len(codes)
    assert (found.codes < 3).all()
    told = np.where(found.seen, found.codes, 9).T.tolist()
    original = np.where(missing, 9, codes).tolist()
    repeated = [row for row, w in zip(told, found.weights, strict=True) for _ in range(int(w))]
    assert sorted(repeated) == sorted(original)


def test_holes_are_filled_in_from_what_else_the_row_shows():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 600)
    codes = np.column_stack(
        [first, np.where(rng.random(600) < 0.95, first, 1 - first), rng.integers(0, 2, 600)]
    )
    missing = np.zeros(codes.shape, bool)
    missing[:, 1] = rng.random(600) < 0.4
    rows = Rows(np.ascontiguousarray(np.where(missing, 0, codes).T, np.uint8), ~missing.T, np.ones(600))
    n_states = np.full(3, 2)
    found = fill_in(rows, n_states, lambda each: links_of(NumpyLinks, each, n_states))
    holes = ~found.seen[1]
    agree = np.average(found.codes[0, holes] == found.codes[1, holes], weights=found.weights[holes])
    assert 0.88 < agree < 0.99  # a draw, not the most probable state


# --- laws


@pytest.mark.parametrize("n_states", [2, 3])
def test_rows_that_show_nothing_change_nothing(n_states):
    codes, missing, _ = sample(n_states=n_states)
    more = np.vstack([codes, codes[:50]]), np.vstack([missing, np.ones((50, codes.shape[1]), bool)])
    first, second = learn(holed(codes, missing)), learn(holed(*more))
    same(first, second)
    assert first.score == second.score
    assert first.descriptions == second.descriptions


def test_a_table_without_holes_takes_the_plain_path():
    codes, _, _ = sample()
    table = EncodedTable.from_codes(codes)
    assert AveragedTest(table).regressions.fits.links.seen is None
    assert learn(table).score == learn(table, missing="error").score


@FEW
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_nothing(seed):
    codes, missing, _ = sample(seed % 7)
    order = np.random.default_rng(seed).permutation(len(codes))
    same(learn(holed(codes, missing)), learn(holed(codes[order], missing[order])))


@FEW
@given(st.integers(0, 2**32 - 1))
def test_a_row_with_a_weight_is_that_row_repeated(seed):
    codes, missing, _ = sample(seed % 7, n_rows=120)
    weights = np.random.default_rng(seed).integers(1, 5, len(codes))
    repeated = np.repeat(codes, weights, axis=0), np.repeat(missing, weights, axis=0)
    same(learn(holed(codes, missing, weights)), learn(holed(*repeated)))


@FEW
@given(st.integers(0, 2**32 - 1))
def test_names_of_states_change_nothing(seed):
    codes, missing, _ = sample(seed % 7, n_states=3)
    rng = np.random.default_rng(seed)
    for v in range(codes.shape[1]):  # states as frequent as each other would be told apart by their names
        counts = np.bincount(codes[~missing[:, v], v], minlength=3)
        if len(set(counts.tolist())) < 3:
            missing[np.flatnonzero((codes[:, v] == 0) & ~missing[:, v])[:1], v] = True
        counts = np.bincount(codes[~missing[:, v], v], minlength=3)
        if len(set(counts.tolist())) < 3:
            return
    renamed = np.column_stack([rng.permutation(3)[column] for column in codes.T])
    same(learn(holed(codes, missing)), learn(holed(renamed, missing)))


@pytest.mark.compiled_only("the same kernels many times")
def test_one_thread_and_many_give_the_same():
    codes, missing, _ = sample(n=25, n_rows=3000)
    table = holed(codes, missing)
    assert not AveragedTest(table).regressions.is_small
    one, many = learn(table, 1), learn(table, 4)
    assert one.score == many.score
    assert one.evidence == many.evidence


def test_small_and_large_tables_are_weighed_alike(monkeypatch):
    codes, missing, _ = sample(n_rows=400)
    table = holed(codes, missing)
    small = PairwiseScore(AveragedTest(table)).log_factors(0, (1, 2))
    monkeypatch.setattr("ibmap.independence.regression.is_small", lambda _: False)
    large = PairwiseScore(AveragedTest(table)).log_factors(0, (1, 2))
    assert large == pytest.approx(small, abs=1e-6)


def test_fractional_counts_have_the_factorials_of_fractions():
    rng = np.random.default_rng(0)
    counts = rng.choice([0.0, 0.5, 1.0, 2.25, 7.0, 5000.0, 6000.5], (4, 3, 2, 3))
    expected = [
        sum(
            sum(math.lgamma(count + 1) for count in cell) - math.lgamma(sum(cell) + 2)
            for cell in each.transpose(0, 2, 1).reshape(-1, 2).tolist()
        )
        for each in counts
    ]
    rows = Rows(np.zeros((2, 1), np.uint8), None, np.ones(1))
    for kind in (NumpyLinks, CompiledLinks):
        assert links_of(kind, rows, np.array([2, 3]))._log_tables(counts) == pytest.approx(expected)


def test_fractional_weights_count_as_they_are():
    codes, missing, _ = sample()
    table = holed(codes, missing)
    halves = replace(table, weights=np.full(len(codes), 0.5))
    whole, half = (AveragedTest(each).regressions.fits.log_bayes_factors(0, (1,)) for each in (table, halves))
    assert np.isfinite(half).all()
    assert np.abs(half[0]).max() < np.abs(whole[0]).max()


def test_probabilities_are_as_cautious_as_the_rows_of_a_pair_allow():
    codes, missing, _ = sample(n_rows=400, share=0.5)
    names = [f"x{k}" for k in range(codes.shape[1])]
    frame = pd.DataFrame(codes, columns=names).astype("Int64").mask(missing)
    whole, holed_one = (learn(encode(each, missing="use")) for each in (frame.fillna(0), frame))
    assert default_temperature(whole) == recommended_temperature(400)
    assert default_temperature(holed_one) == pytest.approx(recommended_temperature(100), abs=0.05)
    assert default_temperature(holed_one) > default_temperature(whole)


def test_holes_cost_few_edges_where_dropping_rows_costs_many():
    wrong = {"all": 0, "holes": 0, "dropped": 0}
    for seed in range(3):
        codes, missing, network = sample(seed, n=8, n_rows=600, share=0.2)
        complete = ~missing.any(axis=1)
        tables = {
            "all": EncodedTable.from_codes(codes),
            "holes": holed(codes, missing),
            "dropped": EncodedTable.from_codes(codes[complete]),
        }
        for name, table in tables.items():
            wrong[name] += len({*learn(table).graph.edges} ^ {*network.graph.edges})
    assert wrong["all"] <= wrong["holes"] < wrong["dropped"] / 2
