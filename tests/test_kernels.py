"""The fast kernels against plain loops, NumPy and each other."""

import itertools
import math
import os
import time
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from ibmap import BayesianTest
from ibmap.binary_score import BinaryScore
from ibmap.independence.binary_rows import BinaryColumns, BitRow, GroupRow
from ibmap.independence.posterior import Prior
from ibmap.independence.rows import CellRow, SlicedRow
from ibmap.independence.table_numbers import TableNumbers, log_gamma_table
from ibmap.kernels import (
    binary_packing,
    cached_kernels,
    context,
    contingency,
    drop_stale_cache,
)
from ibmap.kernels.bits import popcount
from ibmap.kernels.counting import hash_keys
from ibmap.kernels.exponential import fast_exp
from ibmap.row_score import RowScore
from ibmap.score import TestScore
from ibmap.table import EncodedTable
from ibmap.table_score import FEW, TableScore
from strategies import graphs, linked_tables, queries, tables

WORDS = st.integers(0, 2**64 - 1)


@njit
def bits_of(word):
    """Call a kernel that Python cannot."""
    return popcount(word)


@njit
def exp_of(t):
    """Call a kernel that Python cannot."""
    return fast_exp(t)


@njit
def sort_up(values):
    """Call a kernel that Python cannot."""
    contingency.sort_up(values)


@given(st.lists(st.integers(0, 30)))
def test_margins_are_sorted(values):
    found = np.array(values, float)
    sort_up(found)
    assert found.tolist() == sorted(values)


@given(WORDS)
def test_popcount_counts_bits(word):
    assert bits_of(np.uint64(word)) == word.bit_count()


@given(st.floats(-699, 699))
def test_the_exponential_is_exact_to_the_last_digit(t):
    assert exp_of(t) == pytest.approx(math.exp(t), rel=4e-16)


def test_the_exponential_of_nothing_is_next_to_nothing():
    assert 0 <= exp_of(-math.inf) < 1e-300


@given(st.lists(WORDS, min_size=64, max_size=64))
def test_transposing_swaps_rows_and_columns_of_bits(rows):
    block = np.array(rows, np.uint64)
    binary_packing.transpose(block, np.empty(64, np.uint64))
    for i in range(64):
        for j in range(64):
            assert (int(block[i]) >> j & 1) == (rows[j] >> i & 1)


def test_more_than_sixty_four_variables_need_more_than_one_word_a_row():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (300, 130))
    codes[:, 129] = codes[:, 3]
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 130))
    slow = TestScore(test)
    found = BinaryScore(test).changes(129, (70, 128))
    for y in (3, 64, 70, 127):
        changed = tuple(sorted({70, 128} ^ {y}))
        assert found[y] == pytest.approx(slow.term(129, changed), abs=1e-8)


@settings(max_examples=40)
@given(st.data())
def test_all_ways_to_slice_the_data_agree(data):
    table = data.draw(tables(max_states=3) if data.draw(st.booleans()) else linked_tables(max_rows=200))
    order = data.draw(st.permutations(range(table.n_variables)))
    x, given_set = order[0], tuple(sorted(order[1 : data.draw(st.integers(1, table.n_variables - 1))]))
    candidates = [y for y in range(table.n_variables) if y != x and y not in given_set]
    prior, log_gamma = Prior(), log_gamma_table(table)
    expected = CellRow(table, prior, log_gamma, x, given_set).log_posteriors(candidates)
    rows = [SlicedRow(TableNumbers(table, prior), x, given_set)]
    if (table.cardinalities == 2).all():
        columns = BinaryColumns(table, prior)
        rows.append(GroupRow(columns, x, given_set))
        if not table.is_weighted:
            rows.append(BitRow(columns, x, given_set))
    for row in rows:
        for found, right in zip(row.log_posteriors(candidates), expected, strict=True):
            assert found == pytest.approx(right, rel=1e-9, abs=1e-9)


def test_repeated_rows_are_merged_without_a_trace():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (8000, 5))
    repeated = BayesianTest(EncodedTable.from_codes(codes))
    assert repeated.table.n_rows <= 32
    assert repeated.table.n_samples == 8000
    plain = CellRow(EncodedTable.from_codes(codes), Prior(), log_gamma_table(repeated.table), 0, (2, 3))
    assert repeated.log_probabilities(0, 1, (2, 3)) == pytest.approx(
        [values[0] for values in plain.log_posteriors([1])], abs=1e-9
    )


def test_compiled_kernels_older_than_a_source_they_depend_on_are_thrown_away(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    cache, now = tmp_path / "__pycache__", time.time()
    cache.mkdir()
    sources = {
        "caller": "from ibmap.kernels.between import step\n",
        "between": "def step():\n    from ibmap.kernels import changed\n",
        "changed": "import numpy\n",
        "other": "from ibmap.kernels.another import far\n",  # not there
    }
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
        os.utime(tmp_path / f"{name}.py", (now - 5, now - 5) if name == "changed" else (now - 30, now - 30))
    ages = {"caller.look-1.py311": 10, "caller.late-9.py311": 1, "other.pack-2.py311": 10, "gone.f-3": 10}
    for name, age in ages.items():
        (cache / f"{name}.nbi").write_text("")
        os.utime(cache / f"{name}.nbi", (now - age, now - age))
    assert drop_stale_cache(tmp_path) == 2
    assert {path.name for path in cache.iterdir()} == {"caller.late-9.py311.nbi", "other.pack-2.py311.nbi"}
    assert drop_stale_cache(tmp_path) == 0
    assert (cache / "other.pack-2.py311.nbi").stat().st_mtime > now - 5  # not asked again
    assert drop_stale_cache(tmp_path / "nowhere") == 0


def test_compiled_kernels_are_found_wherever_numba_keeps_them(tmp_path, monkeypatch):
    sources = tmp_path / "kernels"
    sources.mkdir()
    place = tmp_path / "cache" / "kernels_0123"
    place.mkdir(parents=True)
    (place / "a.nbi").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (sources / "__pycache__").mkdir()
    (sources / "__pycache__" / "b.nbi").write_text("")
    assert cached_kernels(sources) == [place / "a.nbi"]  # Numba looks nowhere else then
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert sources / "__pycache__" / "b.nbi" in cached_kernels(sources)


@pytest.mark.parametrize("first", [0, 48])
def test_slices_by_any_columns_of_a_word_are_told_apart(first):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (3000, 64))
    keys = (codes[:, first : first + 16] << np.arange(first, first + 16)).sum(axis=1).astype(np.uint64)
    labels = np.empty(3000, np.int64)
    distinct = hash_keys(keys, labels)
    assert np.array_equal(distinct[labels], keys)
    assert len(distinct) == len(np.unique(keys))


def test_a_blanket_beyond_one_word_is_bounded_by_sweeps():
    codes = np.random.default_rng(1).integers(0, 2, (60, 80))
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 80))
    score, blanket = BinaryScore(test), tuple(range(1, 71))
    upper, is_exact = score.bounds(0, blanket)
    assert upper[0] == pytest.approx(score.term(0, blanket), abs=1e-8)
    assert not is_exact[75]
    for y in (5, 75):
        changed = tuple(sorted(set(blanket) ^ {y}))
        assert upper[y] >= score.term(0, changed) - 1e-9


@settings(max_examples=40)
@given(st.data())
def test_bounds_are_never_below_the_terms(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    for slices in ("all", "seen"):
        score = RowScore(BayesianTest(table, slices=slices))
        for x in range(table.n_variables):
            upper, is_exact = score.bounds(x, graph.blanket(x))
            changes = score.changes(x, graph.blanket(x))
            assert (upper >= changes - 1e-9).all()
            assert upper[is_exact] == pytest.approx(changes[is_exact], abs=1e-8)
            assert is_exact[x]


@given(st.data())
def test_a_partition_has_the_slices_of_two_data_points_each_sorted_by_x(data):
    table = data.draw(tables(max_rows=120))
    x, _, given_set = data.draw(queries(table))
    numbers = TableNumbers(table, Prior())
    found = context.all_given(numbers.data, x, np.array(given_set, np.int64))
    slices = defaultdict(list)
    for i, row in enumerate(table.codes.tolist()):
        slices[tuple(row[z] for z in given_set)].append(i)
    weight = {key: sum(int(table.weights[i]) for i in rows) for key, rows in slices.items()}
    live = {key: rows for key, rows in slices.items() if weight[key] >= 2}
    parts = [found.rows[a:b].tolist() for a, b in itertools.pairwise(found.starts.tolist())]
    assert sorted(sorted(part) for part in parts) == sorted(live.values())
    assert all(table.codes[part, x].tolist() == sorted(table.codes[part, x]) for part in parts)
    assert found.n_single == len(slices) - len(live)
    assert found.size == math.prod(int(table.cardinalities[z]) for z in given_set)


@settings(max_examples=40)
@given(st.data())
def test_one_walk_gives_the_terms_of_every_change_of_a_blanket(data):
    table = data.draw(tables(max_variables=6, max_rows=150, max_states=6))
    graph = data.draw(graphs(table.n_variables))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "slices": data.draw(st.sampled_from(["all", "seen"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9, 0.999])),
    }
    test = BayesianTest(table, **options)
    score, slow = TableScore(test), TestScore(test)
    for x in range(table.n_variables):
        expected = slow.changes(x, graph.blanket(x))
        assert score.changes(x, graph.blanket(x)) == pytest.approx(expected, rel=1e-9, abs=1e-8)
        assert score.term(x, graph.blanket(x)) == pytest.approx(expected[x], rel=1e-9, abs=1e-8)


def test_bounds_hold_where_many_variables_are_outside():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, (80, FEW + 5))
    codes[:, 1] = codes[:, 0]
    score = TableScore(BayesianTest(EncodedTable.from_codes(codes)))
    for blanket in ((), (1,), (1, 4)):
        upper, is_exact = score.bounds(0, blanket)
        assert is_exact.tolist() == [True] + [False] * (FEW + 4)
        assert (upper >= score.changes(0, blanket) - 1e-9).all()
        assert upper[0] == pytest.approx(score.term(0, blanket), abs=1e-9)


@pytest.mark.parametrize("slices", ["all", "seen"])
def test_large_blankets_of_few_rows_have_the_terms_of_the_definition(slices):
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, (60, 16))
    codes[30:] = np.where(rng.random((30, 16)) < 0.9, codes[0], codes[30:])
    for rows in (codes, codes[:30]):  # some rows come together whatever third is given; hardly any do
        test = BayesianTest(EncodedTable.from_codes(rows, [3] * 16), slices=slices)
        for blanket in (tuple(range(1, 13)), tuple(range(3, 9)), (2, 5)):
            found, slow = TableScore(test).changes(0, blanket), TestScore(test).changes(0, blanket)
            assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)
