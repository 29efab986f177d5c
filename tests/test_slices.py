"""Slices of a blanket: their order and words, and what small ones add to the tests of pairs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_slices
from ibmap import BayesianTest, large_looks
from ibmap.binary_score import BinaryScore
from ibmap.independence.posterior import Prior
from ibmap.independence.slice_tables import log_tables, scaled_tables, small_tables
from ibmap.kernels import binary_layout, binary_packing, binary_pairs, slice_patterns, slice_products
from ibmap.kernels.binary_layout import LARGE
from ibmap.slice_logs import SliceLogs, pattern_starts
from ibmap.table import EncodedTable

MARGINS = {"sums": 2, "ones": 1}


@st.composite
def weighted_rows(draw, max_variables=9, max_rows=300):
    """Binary rows with weights, often alike, so that slices of all kinds turn up."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_rows = draw(st.integers(2, max_variables)), draw(st.integers(1, max_rows))
    shares = rng.choice([0.02, 0.1, 0.5], n)
    rows = (rng.random((n_rows, n)) < shares).astype(np.uint8)
    return rows, rng.integers(1, draw(st.sampled_from([2, 4, 200])), n_rows)


@st.composite
def slices_of_sizes(draw, smallest, largest, most=20):
    """Slices: the states of X, sorted, and of each variable; some variables follow X."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, slices = draw(st.integers(1, 6)), []
    for _ in range(draw(st.integers(1, most))):
        size = int(rng.integers(smallest, largest + 1))
        x = np.sort(rng.integers(0, 2, size))
        states = (rng.random((n, size)) < rng.random((n, 1))).astype(int)
        states = np.where(rng.random((n, size)) < rng.choice([0.0, 0.5, 1.0], (n, 1)), x, states)
        slices.append((x.tolist(), states.tolist()))
    return slices


def word_of(bits):
    """Pack bits into a word, the first lowest."""
    return sum(bit << k for k, bit in enumerate(bits))


def words_of(slices):
    """Pack slices of at most 64 data points, one to a word, and count their data points by X."""
    words = [[word_of(of_v) for of_v in states] for _, states in slices]
    sizes = [[x.count(0), x.count(1)] for x, _ in slices]
    return np.array(words, np.uint64), np.array(sizes, np.int32)


def large_words_of(slices):
    """Pack slices of any size as large ones: words, runs of words of each group, sizes and ones."""
    words, runs, sizes, ones = [], [], [], []
    for x, states in slices:
        groups = [[[b for a, b in zip(x, of_v, strict=True) if a == k] for of_v in states] for k in range(2)]
        sizes.append([len(group[0]) for group in groups])
        ones.append([[sum(of_v) for of_v in group] for group in groups])
        for group in groups:
            runs.append([len(words)])
            starts = range(0, len(group[0]), 64)
            words.extend([word_of(of_v[k : k + 64]) for of_v in group] for k in starts)
            runs[-1].append(len(words))
    ones_by_variable = np.ascontiguousarray(np.array(ones, np.int32).transpose(2, 0, 1))
    all_runs = np.array(runs, np.int64).reshape(-1, 2, 2)
    return np.array(words, np.uint64), all_runs, np.array(sizes, np.int32), ones_by_variable


def packed(rows, weights, x, members, has_bytes):
    """Slice rows as the score does, and give all that the kernels give."""
    columns = np.ascontiguousarray(rows.T)
    row_bits = np.zeros((columns.shape[0] // 64 + 1, columns.shape[1]), np.uint64)
    binary_packing.pack_rows(columns, row_bits)
    labels = np.empty(len(rows), np.int64)
    keys, sizes, ends = binary_layout.slice_rows(
        columns, row_bits, weights, x, np.array(members, np.int64), labels
    )
    _, n_large, n_small, n_live = map(int, ends)
    ends_placed = (n_large, n_small if has_bytes else n_live, n_live)
    outside = np.array([v for v in range(rows.shape[1]) if v != x and v not in members], np.int64)
    n_planes = int(weights.max()).bit_length()
    slots, run_words = binary_layout.place_large(labels, columns[x], weights, sizes, n_large, n_planes)
    words_large = binary_packing.pack(row_bits, slots, outside)
    slots, lone_rows = binary_layout.place_small(labels, columns[x], weights, sizes, ends_placed)
    assert labels[lone_rows].tolist() == list(range(n_live, len(keys)))
    words = binary_packing.pack(row_bits, slots, outside)
    ones = np.full((len(outside), n_live, 2), -1, np.int32)
    binary_packing.count_ones(words_large, run_words, words, sizes, ends_placed, ones)
    return keys, labels, sizes, ends[1:], outside, words, ones, ends[0]


@settings(max_examples=60)
@given(weighted_rows(), st.booleans(), st.data())
def test_slices_are_in_order_of_their_sizes_with_all_their_ones_counted(drawn, has_bytes, data):
    rows, weights = drawn
    n = rows.shape[1]
    members = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=n - 1)))
    keys, labels, sizes, ends, outside, words, ones, n_huge = packed(rows, weights, 0, members, has_bytes)
    expected = naive_slices.slices_of(rows.tolist(), weights.tolist(), 0, members)
    states = [tuple(int(key) >> k & 1 for k in range(len(members))) for key in keys]
    assert sorted(states) == sorted(expected)
    assert [states[z] for z in labels] == [tuple(row[members].tolist()) for row in rows]
    totals = [len(expected[key]) for key in states]
    small = [(-total, points) for total, points in zip(totals, sizes[:-1, 0].tolist(), strict=True)]
    assert small[ends[0] :] == sorted(small[ends[0] :])
    assert ends.tolist() == [sum(total > most for total in totals) for most in (64, 7, 1)]
    assert n_huge == sum(total > 1000 for total in totals)
    assert min(totals[:n_huge], default=1001) > 1000
    for z, key in enumerate(states):
        for k in range(2):
            points = [row for row in expected[key] if row[0] == k]
            assert sizes[z, k] == len(points)
            if z < ends[2]:
                assert ones[:, z, k].tolist() == [sum(row[v] for row in points) for v in outside]
    assert sizes[-1].tolist() == [0, 0]
    n_words = ends[1] if has_bytes else ends[2]
    for z in range(ends[0], ends[2]):
        word, shift = z - ends[0], 0
        if z >= n_words:
            word, shift = n_words - ends[0] + (z - n_words) // 8, (z - n_words) % 8 * 8
        for v, column in enumerate(outside):
            bits = int(words[word, v]) >> shift & (255 if z >= n_words else 2**64 - 1)
            of_x = [(bits >> k & 1, row[0]) for k, row in enumerate(expected[states[z]])]
            right = [(row[column], row[0]) for row in expected[states[z]]]
            assert sorted(of_x) == sorted(right)


def test_variables_of_any_word_are_packed():
    rng = np.random.default_rng(3)
    rows, weights = rng.integers(0, 2, (500, 140)).astype(np.uint8), np.ones(500, np.int64)
    _, labels, _, _, outside, _, ones, _ = packed(rows, weights, 70, [1, 64, 100, 130, 139], has_bytes=True)
    for v in (0, 62, 63, 126, 133):
        for z in range(ones.shape[1]):
            for k in range(2):
                expected = rows[(labels == z) & (rows[:, 70] == k), outside[v]].sum()
                assert ones[v, z, k] == expected


def tables(hyperparameters):
    """The factors of small slices, and the tables made of them."""
    smalls = small_tables(Prior(hyperparameters=hyperparameters))
    return smalls, SliceLogs(*smalls)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=40)
@given(slices=slices_of_sizes(2, 64), odds=st.sampled_from([1.0, 0.01, 1e-8]))
def test_slices_multiplied_out_add_what_they_add_by_definition(slices, odds, hyperparameters):
    words, sizes = words_of(slices)
    smalls, _ = tables(hyperparameters)
    sums = np.full(words.shape[1], 0.25)
    slice_products.product_sums(words, sizes, odds, math.log1p(odds), smalls, sums)
    expected = naive_slices.added_to_sums(slices, odds, MARGINS[hyperparameters])
    assert sums - 0.25 == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=40)
@given(slices=slices_of_sizes(2, 7), odds=st.sampled_from([1.0, 0.01, 1e-8]))
def test_patterns_of_tiny_slices_add_what_they_add_by_definition(slices, odds, hyperparameters):
    words, sizes = words_of(slices)
    lanes = np.zeros((2 + (len(slices) + 7) // 8, words.shape[1]), np.uint64)
    for s in range(len(slices)):
        lanes[2 + s // 8] |= words[s] << np.uint64(s % 8 * 8)
    table = tables(hyperparameters)[1].given(odds, math.log1p(odds))
    sums = np.full(words.shape[1], 0.25)
    slice_patterns.pattern_sums(lanes, 2, sizes, table, pattern_starts(), sums)
    expected = naive_slices.added_to_sums(slices, odds, MARGINS[hyperparameters])
    assert sums - 0.25 == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=40)
@given(slices=slices_of_sizes(2, 1500, most=3), odds=st.sampled_from([1.0, 0.01, 1e-8]))
def test_large_slices_add_what_they_add_by_definition(slices, odds, hyperparameters):
    words, runs, sizes, ones = large_words_of(slices)
    logs = log_tables(1500, Prior(hyperparameters=hyperparameters))
    prior = np.array([math.log(odds), odds, math.log1p(odds), math.nan])
    sums = np.full(words.shape[1], 0.25)
    binary_pairs.huge_sums(words, runs, 0, ones, sizes, prior, logs, sums)
    expected = naive_slices.added_to_sums(slices, odds, MARGINS[hyperparameters])
    assert sums - 0.25 == pytest.approx(expected, rel=1e-9, abs=1e-10)
    if max(len(x) for x, _ in slices) <= LARGE:
        sums[:] = 0.25
        binary_pairs.large_sums(words, runs, 0, ones, sizes, prior, logs, scaled_tables(*logs), sums)
        assert sums - 0.25 == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
def test_the_largest_factors_of_a_large_slice_are_finite(hyperparameters):
    x = [0] * (LARGE // 2) + [1] * (LARGE // 2)
    slices = [(x, [x, [0] * LARGE, [1 - a for a in x], [1] * (LARGE // 4) + [0] * (3 * LARGE // 4)])] * 3
    words, runs, sizes, ones = large_words_of(slices)
    logs = log_tables(LARGE, Prior(hyperparameters=hyperparameters))
    sums = np.zeros(4)
    prior = np.array([0.0, 1.0, math.log(2), math.nan])
    binary_pairs.large_sums(words, runs, 0, ones, sizes, prior, logs, scaled_tables(*logs), sums)
    assert sums == pytest.approx(naive_slices.added_to_sums(slices, 1.0, MARGINS[hyperparameters]), rel=1e-9)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
def test_scaled_factors_are_finite_and_give_the_shares_of_columns_and_rows(hyperparameters):
    cell, side, total = log_tables(2000, Prior(hyperparameters=hyperparameters))
    cells, sides, totals = scaled_tables(cell, side, total)
    for factors in (cells, sides, totals):
        assert len(factors) == LARGE + 1
        assert np.isfinite(factors).all()
        assert (factors > 0).all()
    for a, b in ((0, 0), (1, 0), (LARGE, 0), (LARGE // 2, LARGE // 2), (3, 200)):
        share = cells[a] * cells[b] * sides[a + b]
        assert math.log(share) == pytest.approx(cell[a] + cell[b] - side[a + b], rel=1e-11, abs=1e-11)
        share = sides[a] * totals[a + b] * sides[b]
        assert math.log(share) == pytest.approx(total[a + b] - side[a] - side[b], rel=1e-11, abs=1e-11)


def test_tables_of_slices_are_made_once():
    logs = tables("sums")[1]
    assert logs.given(0.5, math.log1p(0.5)) is logs.given(0.5, math.log1p(0.5))
    assert logs.given(0.5, math.log1p(0.5)) is not logs.given(0.25, math.log1p(0.25))


@pytest.mark.parametrize("n_members", [3, 6, 9, 14])
def test_few_slices_and_many_are_scored_alike(n_members, monkeypatch):
    rng = np.random.default_rng(n_members)
    codes = (rng.random((4000, 30)) < rng.choice([0.1, 0.3, 0.5], 30)).astype(int)
    codes[:, 29] = codes[:, 0] ^ codes[:, 3]
    score, blanket = (
        BinaryScore(BayesianTest(EncodedTable.from_codes(codes, [2] * 30))),
        tuple(range(2, 2 + n_members)),
    )
    found = []
    for few in (0, 10**9):
        monkeypatch.setattr(large_looks, "FEW_SLICES", few)
        found.append(score.changes(0, blanket))
    assert found[0] == pytest.approx(found[1], rel=1e-11)
