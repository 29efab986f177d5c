"""Rows cut into blocks, in any way, count and weigh the same as all rows together."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.independence.compiled_links import CompiledRows
from ibmap.independence.numpy_links import NumpyRows
from ibmap.independence.order_links import OrderLinks
from ibmap.independence.regression import LinkModel, Regressions
from ibmap.independence.row_blocks import SpreadFits, count_in_blocks, distinct_rows, models_of
from ibmap.learners.spreading import n_bytes, usual_spread
from ibmap.pools.threads import ThreadPool
from strategies import tables

MODEL = LinkModel(1.0, 8.0, is_moment=True, table_share=0.25)


class Cut:
    """Rows cut at some places, held by two."""

    def __init__(self, rows, ends):
        self.blocks = [tuple(each.part(a, b) for each in rows) for a, b in pairwise(ends)]

    def ask(self, call, asked):
        return [call(own, asked) for own in (self.blocks[1::2], self.blocks[::2]) if own]


def naive(codes, weights, x, members, y):
    """What the definition says: X's counts by cell, and Y's too."""
    own, both = Counter(), Counter()
    for row, weight in zip(codes.T.tolist(), weights.tolist(), strict=True):
        cell = tuple(row[b] for b in members)
        own[cell, row[x]] += weight
        both[cell, row[x], row[y]] += weight
    return own, both


@given(st.data(), tables(min_variables=3), st.sampled_from([NumpyRows, CompiledRows]))
def test_blocks_add_up_to_what_all_rows_give(data, table, kind):
    codes, n_states = np.ascontiguousarray(table.codes.T.astype(np.uint8)), table.cardinalities
    rows = kind(codes, table.weights.astype(float), n_states)
    order = data.draw(st.permutations(range(table.n_variables)))
    x, y, members = order[0], order[1], tuple(sorted(order[2 : 2 + data.draw(st.integers(0, 3))]))
    places = data.draw(st.lists(st.integers(0, rows.n_rows), max_size=4))
    cut = Cut((rows,), sorted({0, rows.n_rows, *places}))
    found = count_in_blocks(cut.blocks, [(x, members, np.array([y]))])[0]
    whole = rows.cells(x, np.array(members, np.int64))
    assert found.states.tolist() == whole.states.tolist()
    assert found.counts.tobytes() == whole.counts.tobytes()
    cells = [tuple(each) for each in found.states.T.tolist()]
    assert cells == sorted({*cells}) and len(cells) == len(found.counts)
    own, both = naive(codes, table.weights, x, members, y)
    assert {
        (c, s): n for c, line in zip(cells, found.counts, strict=True) for s, n in enumerate(line) if n
    } == own
    if n_states[y] > 1:
        others = found.count_others(np.array([y]), int(n_states[y]))[0]
        assert others.tobytes() == whole.count_others(np.array([y]), int(n_states[y])).tobytes()
        assert all(others[cells.index(c), s, t] == n for (c, s, t), n in both.items())


def table_of(kind):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (400, 6))
    codes[:, 1] = np.where(rng.random(400) < 0.6, codes[:, 0], codes[:, 1])
    if kind == "ordered":  # of so many states that the two models number them differently
        codes[:, 5] = rng.integers(0, 40, 400)
    table = EncodedTable.from_codes(codes, [3] * 5 + [3 if kind != "ordered" else 40])
    return replace(table, ordered=np.full(6, kind != "categories"))


@pytest.mark.parametrize("kind", ["categories", "said", "ordered"])
@pytest.mark.parametrize("by_kernels", [False, True])
def test_fits_of_spread_rows_are_the_same_bytes(kind, by_kernels):
    regressions = Regressions(table_of(kind), None, MODEL)
    if by_kernels:
        regressions.compile()
    fits, models = regressions.fits, models_of(regressions.fits)
    assert isinstance(fits.links, OrderLinks) is (kind != "categories")
    rows = distinct_rows(models)
    assert len(rows) == (2 if kind == "ordered" else 1)
    spread = SpreadFits(fits, models, Cut(rows, [0, 7, 100, 101, rows[0].n_rows]))
    some = np.array([0, 2, 5])
    questions = [(0, (), None), (1, (0, 5), None), (3, (2,), some), (5, (0, 1, 4), None)]
    found = spread.factors(questions, ThreadPool())
    assert [each.tobytes() for each in found] == [fits.log_bayes_factors(*q).tobytes() for q in questions]


def test_answers_are_cut_where_they_would_take_much_memory(monkeypatch):
    monkeypatch.setattr("ibmap.independence.row_blocks.MOST_BYTES", 1)
    regressions = Regressions(table_of("categories"), None, MODEL)
    models, asked = models_of(regressions.fits), []

    class Counted(Cut):
        def ask(self, call, questions):
            asked.append(len(questions))
            return super().ask(call, questions)

    spread = SpreadFits(regressions.fits, models, Counted(distinct_rows(models), [0, 50, 400]))
    assert len(spread.factors([(x, (), None) for x in range(4)], ThreadPool())) == 4
    assert asked == [1, 1, 1, 1]


def fits_of(rows, **how):
    return Regressions(encode(rows, missing="use", **how), None, MODEL).fits


def test_rows_that_do_not_add_up_exactly_are_refused_and_variables_are_spread():
    codes = np.random.default_rng(0).integers(0, 2, (60, 3))
    holes = codes.astype(float)
    holes[3, 1] = np.nan
    for fits, reason in (
        (fits_of(holes), "cells are missing"),
        (fits_of(codes, weights=np.linspace(0.5, 1.5, 60)), "weights that are not whole numbers"),
    ):
        with pytest.raises(
            InvalidOptionError, match=rf"rows cannot be spread .*{reason}.*spread='variables'"
        ):
            models_of(fits)
        assert usual_spread(fits, 1) == "variables"


def test_rows_are_spread_where_a_worker_would_give_over_a_quarter_of_its_memory():
    fits = fits_of(np.random.default_rng(0).integers(0, 2, (60, 9)))
    size = n_bytes(distinct_rows(models_of(fits)))
    found = [usual_spread(fits, memory) for memory in (None, 4 * size, 4 * size - 1)]
    assert found == ["variables", "variables", "rows"]
