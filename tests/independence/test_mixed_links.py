"""Links in tables that have numbers: their definition and their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from ibmap.data.table import EncodedTable
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.mixed_links import normal_scores
from ibmap.independence.regression import LinkModel, Regressions
from ibmap.score import local_score
from oracles import naive_mixed as naive

FEW = settings(max_examples=25)
SHARES = (0.25, 0.0, 1.0)


def mixed_table(seed, share_of_numbers=0.5, n_rows=None, n=None):
    """Numbers and categories that follow each other; some columns are constant or have ties."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(2, 6))
    n_rows = n_rows or int(rng.integers(4, 25))
    hidden = rng.normal(size=(n_rows, n)) + rng.normal(size=(n_rows, 1)) * rng.uniform(0, 1.5)
    is_number = rng.random(n) < share_of_numbers
    is_number[int(rng.integers(n))] = True
    cards = [1 if seed % 7 == 3 and k == 0 else int(rng.integers(2, 4)) for k in range(n)]
    codes = np.array(
        [
            np.searchsorted(np.linspace(-0.7, 0.7, max(c - 1, 0)), h)
            for h, c in zip(hidden.T, cards, strict=True)
        ]
    ).T
    if seed % 2:
        hidden = np.round(hidden, 1)
    numbers = {k: hidden[:, k].copy() for k in np.flatnonzero(is_number).tolist()}
    weights = rng.integers(1, 4, n_rows) if seed % 3 == 0 else np.ones(n_rows, np.int64)
    return with_numbers(EncodedTable.from_codes(codes, cards, weights=weights), numbers)


def with_numbers(table, numbers):
    return EncodedTable(
        table.codes, table.cardinalities, table.names, table.labels, table.weights, table.preparation,
        numbers=numbers,
    )  # fmt: skip


def regressions(table, share=0.25, ordered=()):
    return Regressions(table, list(ordered), LinkModel(1.0, 8.0, is_moment=True, table_share=share))


def question(data, table):
    x, *rest = data.draw(st.permutations(range(table.n_variables)))
    return x, tuple(sorted(rest[: data.draw(st.integers(0, len(rest)))]))


@FEW
@given(st.data())
def test_factors_match_the_definition(data):
    table, share = mixed_table(data.draw(st.integers(0, 10_000))), data.draw(st.sampled_from(SHARES))
    ordered = data.draw(st.lists(st.sampled_from(range(table.n_variables)), unique=True))
    x, blanket = question(data, table)
    found = regressions(table, share, ordered).fits.log_bayes_factors(x, blanket)[0]
    columns = [table.numbers.get(v, table.codes[:, v]).tolist() for v in range(table.n_variables)]
    oracle = naive.Mixed(columns, table.numbers, table.weights.tolist(), ordered, share)
    for y in range(table.n_variables):
        if y != x and {x, y, *blanket} & {*table.numbers}:
            is_discrete = not ({x, *blanket} & {*table.numbers})
            if not (is_discrete and y not in table.numbers):
                assert found[y] == pytest.approx(oracle.factor(x, y, blanket), abs=1e-5)


@FEW
@given(st.data())
def test_affine_maps_of_numbers_change_nothing(data):
    table = mixed_table(data.draw(st.integers(0, 10_000)))
    scale = data.draw(st.sampled_from([-3.0, 0.001, 1e6]))
    mapped = with_numbers(table, {k: scale * values + 17 for k, values in table.numbers.items()})
    x, blanket = question(data, table)
    same(regressions(mapped), regressions(table), x, blanket)


@FEW
@given(st.data())
def test_weights_are_repetitions_and_rows_have_no_order(data):
    table = mixed_table(3 * data.draw(st.integers(0, 3000)))
    rows = np.repeat(np.arange(table.n_rows), table.weights)
    rows = np.random.default_rng(1).permutation(rows)
    flat = with_numbers(
        EncodedTable.from_codes(table.codes[rows], table.cardinalities, table.names),
        {k: values[rows] for k, values in table.numbers.items()},
    )
    x, blanket = question(data, table)
    same(regressions(flat), regressions(table), x, blanket)


@FEW
@given(st.data())
def test_columns_have_no_order(data):
    table = mixed_table(data.draw(st.integers(0, 10_000)))
    order = data.draw(st.permutations(range(table.n_variables)))
    place = {old: new for new, old in enumerate(order)}
    moved = with_numbers(
        EncodedTable.from_codes(table.codes[:, order], table.cardinalities[order], weights=table.weights),
        {place[k]: values for k, values in table.numbers.items()},
    )
    x, blanket = question(data, table)
    found = regressions(moved).fits.log_bayes_factors(place[x], tuple(sorted(place[b] for b in blanket)))
    assert found[:, [place[v] for v in range(table.n_variables)]] == pytest.approx(
        regressions(table).fits.log_bayes_factors(x, blanket), abs=1e-8, nan_ok=True
    )


def test_a_balanced_binary_column_says_the_same_as_a_number():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 40)
    y = np.repeat([0, 1], 20)
    z = rng.integers(0, 3, 40)
    codes = np.array([np.where(rng.random(40) < 0.7, y, x), y, z]).T
    table = EncodedTable.from_codes(codes)
    kept = with_numbers(table, {1: codes[:, 1] * 5.0})
    for x, blanket in ((0, ()), (0, (1,)), (0, (2,)), (0, (1, 2)), (2, (0,)), (2, (0, 1))):
        found = regressions(kept, 0.0).fits.log_bayes_factors(x, blanket)
        assert found[0] == pytest.approx(
            regressions(table, 0.0).fits.log_bayes_factors(x, blanket)[0], abs=1e-9
        )


def test_a_copy_of_a_number_is_linked_and_a_constant_is_not():
    rng = np.random.default_rng(2)
    values = rng.normal(size=200)
    codes = np.zeros((200, 3), np.int64)
    codes[:, 0] = codes[:, 1] = values > 0
    table = with_numbers(EncodedTable.from_codes(codes), {0: values, 1: -2 * values, 2: np.full(200, 3.0)})
    found = regressions(table).fits.log_bayes_factors(0, ())[0]
    assert found[1] > 100
    assert found[2] == 0
    assert np.isfinite(regressions(table).fits.log_bayes_factors(0, (1, 2))[:2]).all()
    assert not regressions(table).fits.log_bayes_factors(2, ()).any()


def test_normal_scores_are_standardised_and_keep_the_order():
    rng = np.random.default_rng(3)
    values, weights = np.exp(3 * rng.normal(size=50)), rng.integers(1, 5, 50).astype(float)
    found = normal_scores(values, weights)
    assert weights @ found == pytest.approx(0, abs=1e-9)
    assert weights @ found**2 == pytest.approx(weights.sum())
    assert (np.argsort(found) == np.argsort(values)).all()


def test_the_test_by_itself_is_symmetric_and_asks_both_regressions():
    table = mixed_table(12, n_rows=60, n=4)
    test = AveragedTest(table, prior=0.5)
    for x, y in ((0, 1), (1, 2), (0, 3)):
        given_ = tuple(v for v in range(4) if v not in (x, y))
        assert test.log_probabilities(x, y, given_) == test.log_probabilities(y, x, given_)


def same(first, second, x, blanket):
    assert first.fits.log_bayes_factors(x, blanket) == pytest.approx(
        second.fits.log_bayes_factors(x, blanket), rel=1e-8, abs=1e-8, nan_ok=True
    )


def test_full_tables_are_weighed_where_the_blanket_is_made_of_categories():
    table = mixed_table(12, n_rows=60, n=4)
    number, *_ = table.numbers
    category = next(v for v in range(4) if v not in table.numbers)
    score = local_score(AveragedTest(table))
    assert score.opinions(category, (), number).keys() == {"main effects", "full tables"}
    assert score.opinions(number, (), category) == {}
    assert score.opinions(category, (number,), number) == {}


def evidence_of(links, x, members):
    return links.weigh(x, np.array(members, np.int64), np.array([], np.int64)).log_evidence


@FEW
@given(st.data())
def test_evidence_of_a_number_is_that_of_its_members_one_after_the_other(data):
    # With the prior of a blanket for links, and no moment prior, factors are ratios of evidence.
    table = mixed_table(data.draw(st.integers(0, 10_000)), share_of_numbers=0.7)
    model = LinkModel(1.0, 1.0)
    found = Regressions(table, False, model).fits.links
    x = next(iter(table.numbers))
    members = [v for v in range(table.n_variables) if v != x]
    for k, y in enumerate(members):
        before, after = members[:k], members[: k + 1]
        factor = found.weigh(x, np.array(before, np.int64), np.array([y])).factors[0, y]
        assert evidence_of(found, x, after) - evidence_of(found, x, before) == pytest.approx(factor, abs=1e-7)
        again = found.weigh(x, np.array(after, np.int64), np.array([], np.int64)).factors[0, y]
        assert again == pytest.approx(factor, abs=1e-7)


@FEW
@given(st.data())
def test_numbers_of_which_nothing_is_said_are_averaged_with_their_bins(data):
    table, share = mixed_table(data.draw(st.integers(0, 10_000))), data.draw(st.sampled_from(SHARES))
    x, blanket = question(data, table)
    model = LinkModel(1.0, 8.0, is_moment=True, table_share=share)
    found = Regressions(table, None, model).fits.log_bayes_factors(x, blanket)[0]
    fits = regressions(table, share).fits, regressions(with_numbers(table, {}), share).fits
    factors = [each.log_bayes_factors(x, blanket)[0] for each in fits]
    evidence = [evidence_of(each.links, x, blanket) for each in fits]
    for y in set(range(table.n_variables)) - {x}:
        sign = -1 if y in blanket else 1  # evidence without it, or with it
        other = np.logaddexp(evidence[0] + sign * factors[0][y], evidence[1] + sign * factors[1][y])
        assert found[y] == pytest.approx(sign * (other - np.logaddexp(*evidence)), abs=1e-9)


def test_relations_that_rise_and_that_bend_are_found_in_one_table():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    table = np.column_stack([a, 0.3 * a + rng.normal(size=400), b, b**2 + rng.normal(size=400)])
    rising, bent = ("x0", "x1"), ("x2", "x3")
    assert {*ibmap.IBMAP().fit(table).graph_.edges} == {rising, bent}
    assert {*ibmap.IBMAP(ordered=True).fit(table).graph_.edges} == {rising}
