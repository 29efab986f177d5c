"""Large blankets of binary variables: shares of slices, slices that are alike, and whole looks."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import scaled
from ibmap import BayesianTest, binary_score, large_looks
from ibmap.binary_score import BinaryScore
from ibmap.independence.posterior import Prior
from ibmap.independence.slice_tables import (
    cell_ratios,
    change_table,
    log_tables,
    scaled_tables,
    share_table,
    small_tables,
)
from ibmap.kernels import binary_grid, binary_sparse
from ibmap.kernels.compiling import IS_COMPILED, kernel
from ibmap.kernels.deviations import deviate, hashed_edges
from ibmap.kernels.near_pairs import ALIKE, list_edges, near_pairs, pairs_by_parts
from ibmap.score import TestScore
from ibmap.table import EncodedTable
from ibmap.table_score import TableScore
from strategies import graphs, linked_tables


def pairs_that_differ(keys, n_members, how_many):
    """List the pairs of keys that differ in so many bits, by comparing all: (z, y, *bits)."""
    found = []
    for z, y in itertools.combinations(range(len(keys)), 2):
        bits = [b for b in range(n_members) if (keys[z] ^ keys[y]) >> b & 1]
        if len(bits) == how_many:
            found.append((z, y, *bits))
    return sorted(found)


@given(st.sets(st.integers(0, 2**12 - 1), min_size=1, max_size=80), st.integers(12, 30))
def test_near_pairs_are_all_pairs_that_differ_in_one_or_two_members(keys, n_members):
    spread = [
        sum(1 << (b * (n_members - 1) // 11) for b in range(12) if key >> b & 1) for key in sorted(keys)
    ]
    edges, diagonals = near_pairs(np.array(spread, np.uint64), n_members)
    assert sorted(map(tuple, edges.tolist())) == pairs_that_differ(spread, n_members, 1)
    assert sorted(map(tuple, diagonals.tolist())) == pairs_that_differ(spread, n_members, 2)


@given(st.sets(st.integers(0, 2**12 - 1), min_size=1, max_size=80), st.sampled_from([12, 30, 63]))
def test_edges_are_found_by_a_hash(keys, n_members):
    spread = [sum(1 << (b * (n_members - 1) // 11) for b in range(12) if key >> b & 1) for key in keys]
    edges = hashed_edges(np.array(spread, np.uint64), n_members)
    assert sorted(map(tuple, edges.tolist())) == pairs_that_differ(spread, n_members, 1)


@given(st.integers(2, 12), st.data(), st.randoms(use_true_random=False))
def test_near_pairs_are_found_on_a_map_of_all_keys(n_members, data, random):
    n = data.draw(st.integers(max(1 << n_members >> 9, 1), min(1 << n_members, 300)))
    keys = random.sample(range(1 << n_members), n)  # many or few for their members, in any order
    edges, diagonals = near_pairs(np.array(keys, np.uint64), n_members)
    assert sorted(map(tuple, edges.tolist())) == pairs_that_differ(keys, n_members, 1)
    assert sorted(map(tuple, diagonals.tolist())) == pairs_that_differ(keys, n_members, 2)
    assert list_edges(np.array(keys, np.uint64), n_members).tolist() == edges.tolist()


@pytest.mark.parametrize("n_members", [2, 6, 7, 11])
def test_all_pairs_of_a_whole_map_are_found(n_members):
    keys = np.random.default_rng(n_members).permutation(1 << n_members).astype(np.uint64)
    slices = np.argsort(keys)
    found = {1: set(), 2: set()}
    for i, j in itertools.combinations_with_replacement(range(n_members), 2):
        opposite = slices[keys.astype(np.int64) ^ (1 << i | 1 << j)]
        members = {i, j}
        found[len(members)] |= {(z, y, *sorted(members)) for z, y in enumerate(opposite.tolist()) if z < y}
    edges, diagonals = near_pairs(keys, n_members)
    assert sorted(map(tuple, edges.tolist())) == sorted(found[1])
    assert sorted(map(tuple, diagonals.tolist())) == sorted(found[2])
    assert list_edges(keys, n_members).tolist() == edges.tolist()


@kernel
def agreeing_pairs(keys, n_members):
    return pairs_by_parts(keys, n_members)


@given(st.integers(2, 63), st.integers(1, 7), st.randoms(use_true_random=False))
def test_near_pairs_are_found_by_what_they_agree_on(n_members, n_free, random):
    free = random.sample(range(n_members), min(n_free, n_members))  # few: slices agree on all else
    keys = {sum(1 << b for b in free if random.random() < 0.5) for _ in range(80)}
    keys |= {random.getrandbits(n_members) for _ in range(random.choice([0, 20]))}
    keys = random.sample(sorted(keys), len(keys))
    edges, diagonals = agreeing_pairs(np.array(keys, np.uint64), n_members)
    assert sorted(map(tuple, edges.tolist())) == pairs_that_differ(keys, n_members, 1)
    assert sorted(map(tuple, diagonals.tolist())) == pairs_that_differ(keys, n_members, 2)


@given(
    st.integers(20, 63),
    st.lists(
        st.tuples(st.booleans(), st.sets(st.integers(0, 19), max_size=4)),
        min_size=1,
        max_size=60,
        unique_by=str,
    ),
    st.integers(0, 2**63 - 1),
)
def test_near_pairs_are_found_among_slices_like_one_or_its_opposite(n_members, slices, centre):
    full = (1 << n_members) - 1
    keys = []
    for is_opposite, members in [(False, ()), *slices]:
        key = centre & full ^ (full if is_opposite else 0) ^ sum(1 << b for b in members)
        keys += [key] if key not in keys else []
    tags = np.empty(len(keys), np.uint64)
    assert deviate_from_first(np.array(keys, np.uint64), n_members, tags) <= ALIKE * len(keys)
    edges, diagonals = near_pairs(np.array(keys, np.uint64), n_members)
    assert sorted(map(tuple, edges.tolist())) == pairs_that_differ(keys, n_members, 1)
    assert sorted(map(tuple, diagonals.tolist())) == pairs_that_differ(keys, n_members, 2)


@kernel
def deviate_from_first(keys, n_members, tags):
    return deviate(keys, n_members, tags)


@pytest.mark.parametrize(("keys", "expected"), [([0, 1, 0b111], 7), ([0, 0b111, 0b11111000, 255], -1)])
def test_pairs_of_deviations_are_counted_unless_the_sides_come_near(keys, expected):
    tags = np.empty(len(keys), np.uint64)
    assert deviate_from_first(np.array(keys, np.uint64), 8, tags) == expected


def slice_prior(n_given, probability):
    """Give what kernels take of a prior: log-odds and odds in a slice, -log p / K, -log p."""
    log_odds = Prior(probability).log_slice_odds(1 << n_given)
    minus_log_p = -math.log(probability)
    return np.array([log_odds, math.exp(log_odds), minus_log_p / (1 << n_given), minus_log_p])


@cache
def tables_of(probability):
    """Give the tables of Bayes factors of up to 50000 data points, and of small slices."""
    prior = Prior(probability)
    return log_tables(50_000, prior), small_tables(prior)


def log_ratio(a0, a1, b0, b1):
    """Write out the Bayes factor of a slice: dependent over independent, by the definition."""

    def log_beta(counts, hyperparameters):
        rising = sum(
            math.lgamma(h + c) - math.lgamma(h) for c, h in zip(counts, hyperparameters, strict=True)
        )
        whole = sum(hyperparameters)
        return rising + math.lgamma(whole) - math.lgamma(whole + sum(counts))

    cells = log_beta([a0, a1, b0, b1], [1, 1, 1, 1])
    return log_beta([a0 + b0, a1 + b1], [2, 2]) + log_beta([a0 + a1, b0 + b1], [2, 2]) - cells


@given(st.tuples(*[st.integers(0, 15)] * 4), st.integers(0, 40), st.sampled_from([0.5, 0.1]))
def test_the_share_of_a_slice_is_what_it_adds_beyond_one_without_data(cells, n_given, probability):
    prior = slice_prior(n_given, probability)
    table = share_table(cell_ratios(*tables_of(probability)[1]), prior)
    a0, a1, b0, b1 = cells
    found = table[a0 | a1 << 4 | b0 << 8 | b1 << 12]
    expected = 0.0
    if sum(cells) >= 2:
        expected = math.log1p(prior[1] * math.exp(-log_ratio(*cells))) - prior[2]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-13)


COUNTS = [[0, 1], [0, 1, 2, 9], [1, 15, 16, 70], [0, 1, 2, 9, 15, 16, 70, 400, 1100, 5000]]


@pytest.mark.parametrize("probability", [0.5, 0.1, 1e-99])
@pytest.mark.parametrize("counts", COUNTS)
@settings(max_examples=50)
@given(n_members=st.integers(2, 7), random=st.randoms(use_true_random=False))
def test_tests_without_two_members_are_the_same_on_a_grid_and_by_pairs(
    probability, counts, n_members, random
):
    keys = np.array(random.sample(range(1 << n_members), random.randint(1, 1 << n_members)), np.uint64)
    sizes = np.array([[random.choice(counts) for _ in range(2)] for _ in keys] + [[0, 0]], np.int32)
    prior, (logs, smalls) = slice_prior(n_members - 2, probability), tables_of(probability)
    table, scaled = share_table(cell_ratios(*smalls), prior), scaled_tables(*logs)
    on_grid, by_pairs = np.zeros(n_members), np.zeros(n_members)
    binary_grid.grid_terms(keys, sizes, prior, table, logs, scaled, on_grid)
    tables = prior, table, change_table(table), logs, smalls, scaled
    binary_sparse.pair_terms(sizes, *near_pairs(keys, n_members), *tables, by_pairs)
    assert on_grid == pytest.approx(without_two(keys, sizes, n_members, prior), rel=1e-8, abs=1e-12)
    assert by_pairs == pytest.approx(on_grid, rel=1e-9, abs=1e-12)


def without_two(keys, sizes, n_members, prior):
    """Sum log Pr(not I(X, b | B - b - b')) over b for each b', slice by slice."""
    terms = [0.0] * n_members
    for i, j in itertools.permutations(range(n_members), 2):
        slices = {}
        for key, size in zip(keys.tolist(), sizes.tolist(), strict=False):
            cells = slices.setdefault(key & ~(1 << i | 1 << j), [0, 0, 0, 0])
            cells[2 * (key >> i & 1)] += size[0]
            cells[2 * (key >> i & 1) + 1] += size[1]
        n_unseen = (1 << (n_members - 2)) - len(slices)
        logs = [np.logaddexp(0.0, prior[0] - log_ratio(*cells)) for cells in slices.values()]
        log_p = -sum(logs) - n_unseen * prior[2]
        terms[j] += math.log(-math.expm1(log_p)) if log_p > -0.5 else math.log1p(-math.exp(log_p))
    return terms


def test_what_merging_changes_is_nothing_next_to_a_slice_without_data():
    changes = change_table(share_table(cell_ratios(*tables_of(0.5)[1]), slice_prior(3, 0.5))).reshape(
        256, 256
    )
    assert not changes[0].any()
    assert not changes[:, 0].any()
    assert changes == pytest.approx(changes.T, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("large", "grid"), [(2, 0), (2, 1 << 20), (64, 0)])
@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=30)
@given(data=st.data())
def test_one_pass_gives_every_change_of_a_blanket(data, hyperparameters, large, grid):
    table = data.draw(linked_tables())
    graph = data.draw(graphs(table.n_variables))
    x = data.draw(st.integers(0, table.n_variables - 1))
    test = BayesianTest(table, hyperparameters=hyperparameters, prior=data.draw(st.sampled_from([0.5, 0.2])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_score, "LARGE", large)
        patch.setattr(large_looks, "GRID", grid)
        patch.setattr(large_looks, "FEW_SLICES", data.draw(st.sampled_from([0, 64])))
        found = BinaryScore(test).changes(x, graph.blanket(x))
    assert found == pytest.approx(TestScore(test).changes(x, graph.blanket(x)), rel=1e-9, abs=1e-8)
    assert found == pytest.approx(TableScore(test).changes(x, graph.blanket(x)), rel=1e-9, abs=1e-8)


@st.composite
def weighted_tables(draw):
    """Draw tables of six columns whose slices have from one to thousands of data points."""
    rows = draw(st.lists(st.tuples(*[st.booleans()] * 6), min_size=2, max_size=40, unique=True))
    sizes = st.sampled_from([1, 1, 1, 1, 2, 7, 14, 15, 16, 40, 64, 70, 500, 1000, 3000])
    weights = [draw(sizes) for _ in rows]
    return EncodedTable.from_codes(np.array(rows, int), [2] * 6, weights=np.array(weights))


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=100)
@given(
    table=weighted_tables(),
    prior=st.sampled_from([0.5, 0.2, 0.999, 1e-9, 1.1e-100]),
    n_members=st.integers(2, 4),
)
def test_slices_of_any_size_come_together_as_the_test_says(table, prior, n_members, hyperparameters):
    test = BayesianTest(table, hyperparameters=hyperparameters, prior=prior)
    blanket = tuple(range(1, 1 + n_members))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binary_score, "LARGE", 2)
        found = BinaryScore(test).changes(0, blanket)
    assert found == pytest.approx(TestScore(test).changes(0, blanket), rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("n_members", [13, 18, 25, 63, 64, 66] if IS_COMPILED else [13, 18])
def test_large_blankets_are_scored_as_small_ones_are(n_members):
    rng = np.random.default_rng(n_members)
    n_rows = 400 if n_members <= 63 else 100
    base = rng.integers(0, 2, (n_rows, 1))
    codes = np.where(rng.random((n_rows, 70)) < 0.06, 1 - base, base)
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 70))
    blanket = tuple(range(2, 2 + n_members))
    found = BinaryScore(test).changes(0, blanket)
    slow = TestScore(test)
    assert found[0] == pytest.approx(slow.term(0, blanket), abs=1e-8)
    for y in (1, 2, 1 + n_members, 69):
        changed = tuple(sorted(set(blanket) ^ {y}))
        assert found[y] == pytest.approx(slow.term(0, changed), abs=1e-8)


@pytest.mark.parametrize("n_different", [0, 1, 2, 3])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_where_no_two_data_points_come_together_the_prior_decides(n_different, prior):
    codes = np.random.default_rng(5).integers(0, 2, (scaled(60, 40), 36))
    codes[1, 2:33] = codes[0, 2:33]
    codes[1, 3 : 3 + n_different] ^= 1  # two slices that are one without so many members
    codes[:, 35] = 0
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 35 + [1]), prior=prior)
    blanket = tuple(range(2, 33))
    score = BinaryScore(test)
    assert score.changes(1, blanket) == pytest.approx(TestScore(test).changes(1, blanket), rel=1e-9, abs=1e-9)
    assert score._large.lay_out(1, np.array(blanket)).is_silent == (n_different == 3)
