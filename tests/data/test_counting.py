import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.data import counting
from ibmap.data.counting import contingency, count_cells, number_slices
from ibmap.data.table import EncodedTable
from oracles import naive
from strategies import plain, queries, tables


@given(st.data())
def test_contingency_matches_the_definition(data):
    table = data.draw(tables())
    x, y, z = data.draw(queries(table))
    rows, cards, weights = plain(table)
    assert contingency(table, x, y, z).tolist() == naive.contingency(rows, cards, x, y, z, weights)


@given(st.data())
def test_counts_are_symmetric_and_ignore_the_order_of_rows_and_of_the_given_set(data):
    table = data.draw(tables(weighted=False))
    x, y, z = data.draw(queries(table))
    counts = contingency(table, x, y, z)
    assert np.array_equal(contingency(table, y, x, z), counts.transpose(0, 2, 1))
    shuffled = EncodedTable.from_codes(
        table.codes[np.random.default_rng(0).permutation(table.n_rows)], table.cardinalities
    )
    assert np.array_equal(contingency(shuffled, x, y, z), counts)
    other = contingency(table, x, y, z[::-1])
    assert sorted(other.reshape(len(other), -1).tolist()) == sorted(counts.reshape(len(counts), -1).tolist())


@given(st.data())
def test_counts_of_chunks_add_up(data):
    table = data.draw(tables())
    x, y, _ = data.draw(queries(table))
    cut = table.n_rows // 2
    parts = [
        EncodedTable.from_codes(table.codes[rows], table.cardinalities, weights=table.weights[rows])
        for rows in (slice(0, cut), slice(cut, None))
    ]
    total = contingency(table, x, y)
    assert np.array_equal(sum(contingency(part, x, y).sum(axis=0) for part in parts), total.sum(axis=0))


@given(st.data())
def test_dense_and_sorted_counting_agree(data):
    table = data.draw(tables())
    x, y, z = data.draw(queries(table))

    def counted():
        live, n_single = counting.count_live_cells(table, x, y, z)
        sizes = sorted(counting.slice_sizes(table, z).tolist())
        totals = counting.state_totals(table, x).tolist()
        return count_cells(table, x, y, z).values.tolist(), live.values.tolist(), n_single, sizes, totals

    found = [counted()]
    for name, value in (("n_dense", lambda n_rows: 0), ("BLOCK", 1)):  # sorted, and in many small parts
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, name, value)
            found.append(counted())
    assert found[0] == found[1] == found[2]


def test_slices_are_numbered_by_rows_not_by_configurations():
    rng = np.random.default_rng(3)
    table = EncodedTable.from_codes(rng.integers(0, 20, (300, 60)), [65535] * 60)
    labels, n_slices = number_slices(table, tuple(range(58)))
    assert n_slices == 300
    assert sorted(labels.tolist()) == list(range(300))
    cells = count_cells(table, 58, 59, tuple(range(58)))
    assert cells.values[:, 3].sum() == 300
    assert len(cells.values) == 300


@given(st.data())
def test_live_slices_are_the_slices_with_two_data_points(data):
    table = data.draw(tables())
    _, _, z = data.draw(queries(table))
    labels, n_slices = number_slices(table, z)
    totals = np.bincount(labels, table.weights, minlength=n_slices)
    rows, live, n_live, n_single = counting.number_live_slices(table, z)
    assert rows.tolist() == np.flatnonzero(totals[labels] >= 2).tolist()
    assert (n_live, n_single) == ((totals >= 2).sum(), (totals == 1).sum())
    assert len(set(zip(labels[rows].tolist(), live.tolist(), strict=True))) == n_live


def test_renumbering_by_hashing_equals_renumbering_by_table():
    rng = np.random.default_rng(5)
    small = EncodedTable.from_codes(rng.integers(0, 7, (500, 3)))
    spread = EncodedTable.from_codes(small.codes.astype(int) * 9000)  # the same values far apart
    for given_set in ((0,), (0, 1), (0, 1, 2)):
        a, b = number_slices(small, given_set)[0], number_slices(spread, given_set)[0]
        pairs = set(zip(a.tolist(), b.tolist(), strict=True))  # the same slices, by other numbers
        assert len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


@given(tables())
def test_compressing_keeps_every_count(table):
    compressed = table.compressed()
    assert compressed.n_samples == table.n_samples
    assert len(np.unique(compressed.codes, axis=0)) == compressed.n_rows
    assert np.array_equal(counting.contingency(compressed, 0, 1), counting.contingency(table, 0, 1))


@pytest.mark.parametrize(("n_states", "is_merged"), [(2, True), (5, True), (40, False)])
def test_rows_are_merged_where_few_are_distinct(n_states, is_merged):
    codes = np.random.default_rng(n_states).integers(0, n_states, (2000, 3))
    table = EncodedTable.from_codes(codes, [n_states] * 3)
    distinct, compressed = table.distinct, table.compressed()
    assert (distinct is not None) == is_merged == (4 * compressed.n_rows <= table.n_rows)
    if distinct is not None:
        assert np.array_equal(distinct.codes, compressed.codes)
        assert np.array_equal(distinct.weights, compressed.weights)


def test_short_tables_are_left_as_they_are():
    assert EncodedTable.from_codes([[0, 1]] * 999).distinct is None
    assert EncodedTable.from_codes([[0, 1]] * 1000).distinct is not None


def test_the_fingerprint_is_that_of_the_columns_one_after_the_other():
    table = EncodedTable.from_codes([[0, 1], [2, 0], [0, 1]])
    content = repr((table.names, table.labels, (3, 2))).encode()
    content += table.codes.T.tobytes() + table.weights.tobytes()
    assert table.fingerprint == hashlib.sha256(content).hexdigest()[:16]


@given(st.data())
def test_expected_counts_are_products_of_margins(data):
    table = data.draw(tables(max_states=data.draw(st.sampled_from([2, 4, 30]))))
    x, y, z = data.draw(queries(table))
    expected, degrees = [], 0
    for counts in contingency(table, x, y, z).tolist():
        rows = [sum(row) for row in counts if sum(row)]
        columns = [sum(column) for column in zip(*counts, strict=True) if sum(column)]
        expected += [a * b / sum(rows) for a in rows for b in columns]
        degrees += (len(rows) - 1) * (len(columns) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST_ROWS", data.draw(st.sampled_from([1, 3, 1000])))
        margins = counting.Margins(count_cells(table, x, y, z))
        *numbers, smallest = margins.expected()
    assert numbers == [len(expected), *(sum(each < limit for each in expected) for limit in (1, 5))]
    assert smallest == pytest.approx(min(expected, default=np.inf))
    assert margins.degrees_of_freedom == degrees


@given(st.data())
def test_equal_rows_are_merged_in_order_and_keep_their_weights(data):
    table = data.draw(tables(max_variables=8, max_rows=80, max_states=data.draw(st.sampled_from([2, 60000]))))
    merged = table.compressed()
    totals = Counter()
    for row, weight in zip(table.codes.tolist(), table.weights.tolist(), strict=True):
        totals[tuple(row)] += weight
    found = [tuple(row) for row in merged.codes.tolist()]
    assert found == sorted(totals)
    assert merged.weights.tolist() == [totals[row] for row in found]
