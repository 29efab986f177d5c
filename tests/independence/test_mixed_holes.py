"""Links in tables that have numbers and holes: their definition and their laws."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap.data.encoding import encode
from ibmap.data.table import take_rows
from ibmap.independence.filling import Rows, fill_in
from ibmap.independence.mixed_links import MixedLinks
from ibmap.independence.numpy_links import NumpyLinks
from ibmap.learners import LEARNERS
from ibmap.simulate.mixed import mixed_network
from oracles.naive_mixed_holes import MixedHoles

FEW = settings(max_examples=25)


def kinds_of(n_states, ordered=()):
    is_ordered = np.isin(np.arange(len(n_states)), list(ordered)) & (n_states > 2)
    return n_states, is_ordered, np.cumsum(np.log(np.maximum(np.arange(4096), 1)))


def links_of(rows, n_states, ordered=(), share=0.25):
    kinds, model = kinds_of(n_states, ordered), np.array([1.0, 8.0, 1.0, share])
    return MixedLinks(rows, kinds, model, NumpyLinks(rows.codes, rows.weights, kinds, model, rows.seen))


@st.composite
def holed_rows(draw):
    """Numbers and categories that follow each other; what stands in holes is seen in other rows."""
    n, n_rows = draw(st.integers(2, 5)), draw(st.integers(6, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = rng.normal(size=(n, n_rows)) + rng.normal(size=n_rows) * rng.uniform(0, 1.5)
    seen = rng.random((n, n_rows)) >= draw(st.sampled_from([0.0, 0.2, 0.5]))
    seen[:, :3] = True
    codes, numbers = np.zeros((n, n_rows), np.uint8), {}
    for v in range(n):
        if v == 0 or rng.random() < 0.4:
            values = np.round(hidden[v], int(rng.integers(0, 3)))
            values[~seen[v]] = rng.choice(values[seen[v]], (~seen[v]).sum())
            numbers[v] = values
        states = np.searchsorted([-0.6, 0.6][: int(rng.integers(0, 3))], hidden[v])
        distinct, codes[v, seen[v]] = np.unique(states[seen[v]], return_inverse=True)
        codes[v, ~seen[v]] = rng.integers(0, len(distinct), (~seen[v]).sum())
    weights = rng.integers(1, 3, n_rows).astype(float)
    return Rows(codes, seen, weights, numbers), codes.max(axis=1).astype(np.int64) + 1


def question(data, n):
    x, *rest = data.draw(st.permutations(range(n)))
    members = sorted(rest[: data.draw(st.integers(0, len(rest)))])
    return x, np.array(members, np.int64), np.setdiff1d(np.arange(n), [x, *members])


@FEW
@given(holed_rows(), st.data())
def test_links_match_the_definition(drawn, data):
    rows, n_states = drawn
    x, members, others = question(data, len(n_states))
    ordered = [v for v in range(len(n_states)) if v not in rows.numbers and data.draw(st.booleans())]
    share = data.draw(st.sampled_from([0.25, 0.0, 1.0]))
    if x not in rows.numbers and n_states[x] < 2:
        return
    found = links_of(rows, n_states, ordered, share).weigh(x, members, others).factors[0]
    columns = [rows.numbers.get(v, rows.codes[v]).tolist() for v in range(len(n_states))]
    weights = rows.weights.astype(int).tolist()
    oracle = MixedHoles(columns, rows.seen.tolist(), {*rows.numbers}, weights, ordered, share)
    for y in [*members.tolist(), *others.tolist()]:
        if {x, *members.tolist(), y} & {*rows.numbers}:
            is_discrete = not {x, *members.tolist()} & {*rows.numbers}
            if not is_discrete or y in rows.numbers:
                assert found[y] == pytest.approx(oracle.factor(x, y, members.tolist()), abs=1e-5)


@FEW
@given(holed_rows(), st.data())
def test_rows_that_show_everything_have_the_plain_numbers(drawn, data):
    rows, n_states = drawn
    x, members, others = question(data, len(n_states))
    plain, shown = rows._replace(seen=None), rows._replace(seen=np.ones_like(rows.seen))
    found = [links_of(each, n_states).weigh(x, members, others) for each in (plain, shown)]
    assert found[1].factors == pytest.approx(found[0].factors, abs=1e-8, nan_ok=True)
    assert found[1].log_evidence == pytest.approx(found[0].log_evidence, abs=1e-8)


def sample(seed=1, n_rows=200, share=0.2, n=6):
    """A frame of numbers and categories with holes, and its network."""
    network = mixed_network([0, 0, 2] * (n // 3), 2, random_state=seed)
    rows = network.sample(n_rows, random_state=seed)
    columns = {f"v{v}": rows[:, v] if v % 3 < 2 else rows[:, v].astype(int) for v in range(n)}
    gaps = np.random.default_rng(seed).random(rows.shape) < share
    return pd.DataFrame(columns), pd.DataFrame(columns).mask(gaps), network.graph


def holed_table(seed=1, **options):
    return encode(sample(seed, **options)[1], missing="use", bins="both")


def learn(table):
    entry = LEARNERS["ibmap"]
    return entry.learn(table, entry.options())


def same(first, second):
    assert first.graph.edges == second.graph.edges
    assert first.score == pytest.approx(second.score, abs=1e-8)
    assert [p.loss for p in first.evidence] == pytest.approx([p.loss for p in second.evidence], abs=1e-7)


def test_numbers_are_kept_where_cells_are_missing():
    table = holed_table()
    assert table.has_holes and {*table.numbers} == {0, 1, 3, 4}
    assert any("Numbers are kept as they are" in note for note in table.preparation.notes)


def test_filled_in_numbers_are_those_seen_in_their_bin():
    table = holed_table()
    n_states = table.cardinalities
    codes, weights = np.ascontiguousarray(table.codes.T, np.uint8), table.weights.astype(float)
    rows = Rows(codes, ~table.missing.T, weights, table.numbers)
    model = np.array([1.0, 8.0, 1.0, 0.25])

    def plain(each):
        return NumpyLinks(each.codes, each.weights, kinds_of(n_states), model, each.seen)

    found = fill_in(rows, n_states, plain)
    for v, values in found.numbers.items():
        bins = {(code, value) for code, value in zip(found.codes[v], values, strict=True)}
        shown = ~table.missing[:, v]
        assert bins == {(c, x) for c, x in zip(table.codes[shown, v], table.numbers[v][shown], strict=True)}
        assert sorted(values[found.seen[v]]) == sorted(table.numbers[v][shown])


def test_a_number_of_which_nothing_is_seen_depends_on_nothing():
    frame = sample()[1]
    frame["v1"] = np.nan
    assert not learn(encode(frame, missing="use", bins="both")).graph.blanket(1)
    table = holed_table()
    table = take_rows(table, table.missing[:, 1])  # as resampled rows may be
    assert not learn(table).graph.blanket(1)


def test_the_order_of_rows_changes_nothing():
    table = holed_table()
    order = np.random.default_rng(2).permutation(table.n_rows)
    same(learn(take_rows(table, order)), learn(table))


def test_a_row_with_a_weight_is_that_row_repeated():
    table = holed_table(n_rows=120)
    counts = np.random.default_rng(3).integers(1, 4, table.n_rows)
    same(learn(replace(table, weights=counts)), learn(take_rows(table, np.repeat(np.arange(120), counts))))


def test_rows_that_show_nothing_change_nothing():
    frame = sample()[1]
    empty = pd.DataFrame([[None] * frame.shape[1]] * 30, columns=frame.columns).astype(frame.dtypes)
    first, second = (encode(each, missing="use", bins="both") for each in (frame, pd.concat([frame, empty])))
    same(learn(first), learn(second))


def test_scale_and_shift_of_numbers_change_nothing():
    table = holed_table()
    same(learn(replace(table, numbers={v: 17 + 3 * x for v, x in table.numbers.items()})), learn(table))


def test_a_number_of_which_nothing_is_seen_with_another_has_no_link_with_it():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(3, 60))
    values[1] = values[0]
    seen = np.ones((3, 60), bool)
    seen[0, :30] = seen[1, 30:] = False
    for v in (0, 1):
        values[v, ~seen[v]] = values[v, seen[v]]
    rows = Rows((values > 0).astype(np.uint8), seen, np.ones(60), dict(enumerate(values)))
    found = links_of(rows, np.full(3, 2)).weigh(0, np.array([], np.int64), np.array([1, 2]))
    assert found.factors[0, 1] == pytest.approx(0.0)


@pytest.mark.compiled_only("numbers are weighed by NumPy")
def test_holes_cost_fewer_edges_than_bins_alone_or_rows_dropped():
    wrong = {"used": 0, "bins": 0, "dropped": 0}
    for seed in range(4):
        _, holed, graph = sample(seed, n_rows=400, share=0.15, n=9)
        tables = {
            "used": encode(holed, missing="use", bins="both"),
            "bins": replace(encode(holed, missing="use", bins="both"), numbers={}),
            "dropped": encode(holed, missing="drop", bins="both"),
        }
        for name, table in tables.items():
            wrong[name] += len({*learn(table).graph.edges} ^ {*graph.edges})
    assert wrong["used"] <= wrong["bins"] < wrong["dropped"]
