"""Links weighed by NumPy and by compiled kernels are the same, and so are the networks learned."""

import math
import pickle
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from ibmap.data.counting import label_cells
from ibmap.data.table import SMALL, EncodedTable, is_small
from ibmap.independence import regression
from ibmap.independence.compiled_links import CompiledLinks
from ibmap.independence.numpy_fit import cholesky
from ibmap.independence.numpy_links import NumpyLinks
from ibmap.independence.one_thread import ONE_THREAD
from ibmap.independence.regression import LinkModel, Regressions
from ibmap.learners import LEARNERS
from strategies import tables

SAME = {"rel": 1e-9, "abs": 1e-9}
MODELS = (
    LinkModel(1.0, 8.0, is_moment=True, table_share=0.25),
    LinkModel(1.0, 8.0, is_moment=True, table_share=1.0),
    LinkModel(1.0, 1.0),
    LinkModel(0.01, 100.0, is_moment=True),
)


def both_ways(monkeypatch, table, ordered, model):
    """The regressions of a table by NumPy, and compiled."""
    made = []
    for small, kind in ((True, NumpyLinks), (False, CompiledLinks)):
        monkeypatch.setattr(regression, "is_small", lambda _, small=small: small)
        made.append(Regressions(table, ordered, model))
        assert isinstance(made[-1].fits.links, kind)
    return made


def learned_both_ways(monkeypatch, table, **options):
    entry, found = LEARNERS["ibmap"], []
    for small in (True, False):
        monkeypatch.setattr(regression, "is_small", lambda _, small=small: small)
        found.append(entry.learn(table, entry.options(**options)))
    return found


def mixed_table(seed):
    """Columns of up to six states that follow others in some of the rows; some are constant."""
    rng = np.random.default_rng(seed)
    n, n_rows, most = int(rng.integers(2, 9)), int(rng.integers(5, 400)), int(rng.integers(2, 7))
    cards = rng.integers(1 if seed % 3 == 0 else 2, most + 1, n)
    codes = rng.integers(0, cards, (n_rows, n))
    for k in range(1, n):
        source, follows = int(rng.integers(k)), rng.random(n_rows) < rng.uniform(0, 0.9)
        codes[follows, k] = codes[follows, source] % cards[k]
    weights = rng.integers(1, 4, n_rows) if seed % 2 else None
    return EncodedTable.from_codes(codes, cards + seed % 2, weights=weights)


@settings(max_examples=150)
@given(st.data())
def test_factors_are_the_same_by_numpy_and_compiled(data):
    table = data.draw(
        tables(max_variables=7, max_rows=120, max_states=data.draw(st.sampled_from([2, 3, 16])))
    )
    ordered = data.draw(st.lists(st.sampled_from(range(table.n_variables)), unique=True))
    model = data.draw(st.sampled_from(MODELS))
    x, *rest = data.draw(st.permutations(range(table.n_variables)))
    blanket = tuple(sorted(rest[: data.draw(st.integers(0, len(rest)))]))
    with pytest.MonkeyPatch.context() as monkeypatch:
        by_numpy, compiled = both_ways(monkeypatch, table, ordered, model)
    found = by_numpy.fits.log_bayes_factors(x, blanket)
    assert found == pytest.approx(compiled.fits.log_bayes_factors(x, blanket), **SAME)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ordered", [False, True])
def test_factors_are_the_same_beside_blankets_whose_joint_states_outgrow_whole_numbers(
    monkeypatch, model, ordered
):
    codes = np.random.default_rng(3).integers(0, 3, (60, 46))
    both = both_ways(monkeypatch, EncodedTable.from_codes(codes), ordered, model)
    blanket = tuple(range(1, 44))  # 3**43 joint states
    found, expected = (each.fits.log_bayes_factors(0, blanket) for each in both)
    assert found == pytest.approx(expected, **SAME)


def test_factors_are_the_same_where_counts_are_too_large_to_look_up(monkeypatch):
    weights = [50_000, 3, 70_001, 9_000, 12, 4_095, 4_096]
    codes = [[0, 0, 1], [0, 1, 0], [1, 1, 2], [1, 0, 0], [0, 1, 2], [1, 1, 1], [0, 0, 0]]
    table = EncodedTable.from_codes(codes, weights=weights)
    found, expected = both_ways(monkeypatch, table, False, MODELS[0])
    for x, blanket in ((0, ()), (1, (0,)), (2, (0, 1))):
        wanted = pytest.approx(expected.fits.log_bayes_factors(x, blanket), **SAME)
        assert found.fits.log_bayes_factors(x, blanket) == wanted


def test_rows_that_stand_for_no_data_change_nothing():
    codes = np.array([[0, 0], [1, 1], [1, 0], [2, 1], [0, 1]])
    rest = [5, 2, 4, 0, 0]
    kept = Regressions(EncodedTable.from_codes(codes[:3], [3, 2], weights=rest[:3]), False, MODELS[0])
    all_rows = Regressions(EncodedTable.from_codes(codes, [3, 2], weights=rest), False, MODELS[0])
    assert all_rows.fits.log_bayes_factors(0, (1,)).tolist() == kept.fits.log_bayes_factors(0, (1,)).tolist()


@pytest.mark.compiled_only("a climb says nothing new about kernels")
@pytest.mark.parametrize("seed", range(40))
def test_the_learned_network_is_the_same_by_numpy_and_compiled(monkeypatch, seed):
    by_numpy, compiled = learned_both_ways(monkeypatch, mixed_table(seed))
    assert by_numpy.graph.edges == compiled.graph.edges
    assert by_numpy.score == pytest.approx(compiled.score, abs=1e-8)
    assert by_numpy.n_tests == compiled.n_tests


def test_the_size_of_a_table_alone_decides():
    n_rows = SMALL // (10 * 4)
    codes = np.random.default_rng(0).integers(0, 2, (n_rows + 1, 10))
    small, large = (EncodedTable.from_codes(codes[:n], [2] * 10) for n in (n_rows, n_rows + 1))
    assert small.distinct is not None  # equal rows are one row
    assert is_small(small) and is_small(large)
    codes = np.random.default_rng(0).integers(0, 2, (n_rows // 2 + 1, 20))
    small, large = (EncodedTable.from_codes(codes[:n], [2] * 20) for n in (n_rows // 2, n_rows // 2 + 1))
    assert (small.distinct, large.distinct) == (None, None)
    assert is_small(small) and not is_small(large)


@given(st.integers(0, 6), st.integers(1, 50), st.integers(1, 2**31), st.integers(0, 2**32 - 1))
def test_cells_are_the_joint_states_that_occur(n_columns, n_rows, n_states, seed):
    columns = np.random.default_rng(seed).integers(0, min(n_states, 3), (n_columns, n_rows))
    labels, n_cells = label_cells(columns, np.full(n_columns, n_states))
    rows = [tuple(row) for row in columns.T.tolist()]
    assert len({*labels.tolist()}) == n_cells == len({*rows})
    assert len({*zip(rows, labels.tolist(), strict=True)}) == n_cells


def test_a_pivot_that_rounding_made_zero_becomes_a_tiny_one():
    lower = cholesky(np.array([[[4.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]]))
    assert lower[0] == pytest.approx(np.array([[2, 0], [1, math.sqrt(1e-14)]]))
    assert lower[1].tolist() == [[2, 0], [0, 3]]


def test_linear_algebra_has_its_threads_back_when_the_last_caller_is_out():
    def n_threads():
        return [each["num_threads"] for each in threadpool_info() if "numpy" in each["filepath"]]

    before = n_threads()
    first, second = ExitStack(), ExitStack()
    first.enter_context(ONE_THREAD)
    second.enter_context(ONE_THREAD)
    assert {*n_threads()} <= {1}
    first.close()
    assert {*n_threads()} <= {1}
    second.close()
    assert n_threads() == before


def test_regressions_travel_to_other_processes():
    made = Regressions(mixed_table(1), False, MODELS[0])
    copied = pickle.loads(pickle.dumps(made))
    assert copied.fits.log_bayes_factors(0, (1,)).tolist() == made.fits.log_bayes_factors(0, (1,)).tolist()
