"""The screen of pairs by their association."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_runner import run_fixture  # noqa: F401
from ibmap import IBMAP, MarkovGraph
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.graph.candidates import Candidates
from ibmap.independence import screen as screening
from ibmap.independence.screen import most_associated, screen, usual_screen
from ibmap.learners import LEARNERS
from ibmap.pools.threads import ThreadPool
from oracles import naive_screen as naive
from strategies import tables


def random_codes(seed, n_rows=80, n=12, states=3):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, states, (n_rows, n))
    for k in range(1, n):
        follows = rng.random(n_rows) < rng.uniform(0, 0.9)
        codes[follows, k] = codes[follows, rng.integers(k)]
    return codes


def learn(table, **options):
    entry = LEARNERS["ibmap"]
    return entry.learn(table, entry.options(**options))


@given(st.data())
def test_statistics_are_those_of_the_definition(data):
    table = data.draw(tables(max_variables=5, max_rows=30, max_states=4))
    rows, weights = table.codes.tolist(), table.weights.tolist()
    counts = screening._Counts(table)
    found = np.full((table.n_variables,) * 2, -np.inf)
    for block in counts.blocks():
        for other in counts.blocks():
            found[np.ix_(block, other)] = counts.deviates(block, other)
    for x in range(table.n_variables):
        for y in range(table.n_variables):
            expected = naive.deviate(rows, weights, x, y)
            assert math.isinf(expected) == math.isinf(found[x, y])
            assert found[x, y] == expected or found[x, y] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 11])
def test_the_most_associated_are_kept(monkeypatch, seed, k):
    monkeypatch.setattr(screening, "BLOCK", 5)
    table = EncodedTable.from_codes(random_codes(seed, states=2 + seed % 2), [2 + seed % 2] * 12)
    rows = table.codes.tolist()
    x, y = most_associated(table, k, ThreadPool(2))
    for v in range(12):
        others = [w for w in range(12) if w != v]
        by_loops = sorted(others, key=lambda w: -naive.deviate(rows, [1] * len(rows), v, w))[:k]
        assert y[x == v].tolist() == sorted(by_loops)


def test_of_equal_ones_the_lower_column_is_kept():
    column = np.random.default_rng(0).integers(0, 2, 50)
    table = EncodedTable.from_codes(np.column_stack([column] * 6), [2] * 6)
    x, y = most_associated(table, 2, ThreadPool())
    assert y[x == 0].tolist() == [1, 2]
    assert y[x == 5].tolist() == [0, 1]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_candidates_are_mutual_and_sorted(pairs):
    x, y = np.array(pairs, np.int64).reshape(-1, 2).T
    rows = Candidates.from_pairs(7, x, y)
    expected = {frozenset(pair) for pair in pairs if len({*pair}) == 2}
    assert {frozenset((v, int(w))) for v in range(7) for w in rows.row(v) if w != v} == expected
    assert rows.n_pairs == len(expected)
    for v in range(7):
        assert rows.row(v).tolist() == sorted({*rows.row(v).tolist(), v})
        for w in rows.row(v).tolist():
            assert rows.mirrored[rows.entry(v, w)] == rows.entry(w, v)


@pytest.mark.parametrize("ascent", ["steepest", "rounds"])
@pytest.mark.parametrize("options", [{}, {"require": [("x0", "x1")], "forbid": [("x2", "x3")]}])
def test_a_screen_that_leaves_all_pairs_changes_nothing(ascent, options):
    for seed in range(3):
        table = EncodedTable.from_codes(random_codes(seed), [3] * 12)
        plain = learn(table, ascent=ascent, **options)
        for k in (11, 500):
            found = learn(table, ascent=ascent, screen=k, **options)
            for part in ("graph", "score", "trace", "evidence", "disputed", "n_tests", "descriptions"):
                assert getattr(found, part) == getattr(plain, part)
        assert "screen" not in plain.provenance.options


def test_edges_are_candidates_required_or_begun_with():
    table = EncodedTable.from_codes(random_codes(4, n=30), [3] * 30)
    start = MarkovGraph.from_edges(30, [(0, 29), (3, 17)], table.names)
    result = learn(table, screen=2, require=[("x5", "x28")], start=start)
    allowed = screen(table, 2, [(0, 29), (3, 17), (5, 28)]).candidates
    assert result.graph.has_edge(5, 28)
    assert all(allowed.place(x, y) >= 0 for x, y in result.graph.edges)
    assert result.provenance.options["screen"] == 2
    assert result.provenance.notes[-1].startswith("screened: ")


def test_pairs_drawn_at_random_stand_for_all_that_were_left_out():
    table = EncodedTable.from_codes(random_codes(5, n=40), [3] * 40)
    found = screen(table, 3, [])
    assert found.weights.sum() / 2 - 20 == pytest.approx(40 * 39 / 2)  # each variable itself counts one
    assert (found.weights >= 1).all()


def test_missing_cells_are_left_out_of_the_counts():
    codes = random_codes(6, n=4)
    table = EncodedTable.from_codes(codes, [3] * 4)
    missing = np.zeros(codes.shape, bool)
    missing[:20, 0] = True
    holed = replace(table, missing=missing)
    found = screening._Counts(holed).deviates(np.array([0]), np.array([1]))[0, 0]
    assert found == pytest.approx(naive.deviate(codes[20:].tolist(), [1] * 60, 0, 1), abs=1e-6)


def test_few_variables_are_not_screened_unless_asked_for():
    assert usual_screen(None, 1_000) is None
    assert usual_screen(None, 1_001) == 64
    assert usual_screen(7, 10) == 7


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", True])
def test_numbers_of_candidates_are_whole_and_positive(value):
    with pytest.raises(InvalidOptionError, match="screen"):
        IBMAP(screen=value).fit(random_codes(0))


@pytest.mark.parametrize("value", ["0", "-3", "2.5", "many"])
def test_the_command_line_refuses_them_too(run, tmp_path, value):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n0,1\n1,0\n")
    found = run("learn", path, "--screen", value)
    assert found.code == 2
    assert "screen" in found.err
    assert "Traceback" not in found.err
