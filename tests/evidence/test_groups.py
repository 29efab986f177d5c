"""Which relations differ between groups: against the definition, and as simulated groups demand."""

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from cli_runner import run_fixture  # noqa: F401
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.evidence.groups import PRECISION, STRONG, Difference, log_bayes_factors
from ibmap.graph import MarkovGraph
from ibmap.plotting import plot_groups
from ibmap.plotting.canvas import new_figure
from oracles.naive_groups import log_bayes_factor
from strategies import graphs


@given(st.data())
def test_bayes_factors_match_the_definition(data):
    cards = data.draw(st.lists(st.integers(2, 3), min_size=3, max_size=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    sizes = data.draw(st.lists(st.integers(6, 15), min_size=2, max_size=3))
    graph = data.draw(graphs(3))
    all_states = np.array([[k % c for c in cards] for k in range(max(cards))])
    parts = [np.vstack([all_states, rng.integers(0, cards, (n, 3))]) for n in sizes]
    group = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    table = EncodedTable.from_codes(np.vstack(parts))
    found = log_bayes_factors(table, [group == k for k in range(len(parts))], graph)
    neighbours = [graph.blanket(v) for v in range(3)]
    for (x, y), value in found.items():
        naive = log_bayes_factor([part.tolist() for part in parts], x, y, neighbours, PRECISION)
        assert math.isclose(value, naive, rel_tol=1e-6, abs_tol=1e-7)


def _table(flip, n_rows=800, n_groups=2, seed=0):
    """Group, a, b, c: b follows a, in the last group the other way round if asked; c follows b."""
    rng = np.random.default_rng(seed)
    group, a = rng.integers(0, n_groups, n_rows), rng.integers(0, 2, n_rows)
    turned = (group == n_groups - 1) & flip
    b = a ^ turned ^ (rng.random(n_rows) < 0.25)
    c = b ^ (rng.random(n_rows) < np.where(group == 0, 0.2, 0.2))
    return np.column_stack([group, a, b, c]).astype(int)


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("flip", [False, True])
def test_an_effect_that_turns_is_found_and_nothing_else(flip, n_groups):
    found = ibmap.compare_groups(_table(flip, n_groups=n_groups), by="x0")
    verdicts = {(each.x, each.y): each.verdict for each in found.differences}
    assert verdicts["x1", "x2"] == ("different" if flip else verdicts["x1", "x2"])
    assert [pair for pair, word in verdicts.items() if word == "different"] == [("x1", "x2")] * flip
    assert list(found.groups) == [str(k) for k in range(n_groups)]
    first = found.differences[0]
    assert isinstance(first, Difference)
    assert len(first.strengths) == n_groups
    if flip:
        assert {first.signs[0], first.signs[-1]} == {1, -1}


def test_false_alarms_are_rare_and_the_order_of_groups_does_not_matter():
    alarms = 0
    for seed in range(40):
        table = EncodedTable.from_codes(_table(False, n_rows=400, seed=seed))
        rows = [table.codes[:, 0] == k for k in (0, 1)]
        graph = MarkovGraph.from_edges(4, [(1, 2), (2, 3)])
        found = log_bayes_factors(table, rows, graph)
        again = log_bayes_factors(table, rows[::-1], graph)
        assert found == pytest.approx(again)
        alarms += sum(value >= STRONG for value in found.values())
    assert alarms <= 2


def test_weights_are_repetitions():
    codes = _table(True, n_rows=200)
    once, counts = np.unique(codes, axis=0, return_counts=True)
    graph = MarkovGraph.from_edges(4, [(1, 2), (2, 3)])
    whole, merged = EncodedTable.from_codes(codes), EncodedTable.from_codes(once, weights=counts)
    rows = [[table.codes[:, 0] == k for k in (0, 1)] for table in (whole, merged)]
    found, other = (log_bayes_factors(t, r, graph) for t, r in zip((whole, merged), rows, strict=True))
    assert found == pytest.approx(other)


def test_a_state_that_a_group_lacks_is_no_trouble():
    codes = _table(False, n_rows=400)
    codes[:, 3] = np.where((codes[:, 0] == 1) & (codes[:, 3] == 1) & (codes[:, 1] == 1), 2, codes[:, 3])
    codes[codes[:, 0] == 0, 3] = codes[codes[:, 0] == 0, 2]
    found = ibmap.compare_groups(codes, by=0)
    assert all(math.isfinite(each.log_bayes_factor) for each in found.differences)


def test_groups_are_drawn_side_by_side_at_the_same_places():
    found = ibmap.compare_groups(_table(True, n_groups=3), by=0)
    figure = new_figure((15, 5))
    axes = plot_groups(found, [figure.add_subplot(1, 3, k + 1) for k in range(3)])
    places = [[text.get_position() for text in ax.texts] for ax in axes]
    assert places[0] == places[1] == places[2]
    assert [ax.get_title("left") for ax in axes] == ["x0: 0", "x0: 1", "x0: 2"]


def test_groups_that_cannot_be_compared_are_refused():
    codes = _table(False, n_rows=60)
    one = EncodedTable.from_codes(codes[codes[:, 0] == 0])
    with pytest.raises(InvalidOptionError, match="'x0' tells 1 groups; 2 to 10"):
        ibmap.compare_groups(one, by="x0")
    few = np.vstack([codes[codes[:, 0] == 0], codes[codes[:, 0] == 1][:3]])
    with pytest.raises(InvalidTableError, match="group '1' of column 'x0' has fewer than 10 rows"):
        ibmap.compare_groups(few, by="x0")


def test_the_command_compares_groups_and_two_tables(run, tmp_path):
    frame = pl.DataFrame(_table(True), schema=["site", "a", "b", "c"], orient="row")
    path = tmp_path / "t.csv"
    frame.write_csv(path)
    told = run("compare", path, "--by", "site", "--picture", tmp_path / "groups.png").out
    assert "different" in told
    assert (tmp_path / "groups.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(run("compare", path, "--by", "site", "--json").out)
    assert found["pairs"][0]["verdict"] == "different"
    assert [group["name"] for group in found["groups"]] == ["0", "1"]
    parts = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for k, part in enumerate(parts):
        frame.filter(pl.col("site") == k).drop("site").write_csv(part)
    other = json.loads(run("compare", *parts, "--json").out)
    factors = [[pair["log_bayes_factor"] for pair in each["pairs"]] for each in (found, other)]
    assert factors[0] == pytest.approx(factors[1])
    assert other["by"] == "table"


def test_groups_of_a_table_with_counts_are_those_of_the_expanded_one(run, tmp_path):
    frame = pl.DataFrame(_table(True), schema=["site", "a", "b", "c"], orient="row")
    frame.write_csv(tmp_path / "long.csv")
    frame.group_by(frame.columns).len("n").write_csv(tmp_path / "short.csv")
    long = run("compare", tmp_path / "long.csv", "--by", "site", "--json")
    short = run("compare", tmp_path / "short.csv", "--by", "site", "--weights", "n", "--json")
    found = [json.loads(each.out) for each in (long, short)]
    assert found[0]["pairs"] == found[1]["pairs"]
    assert [each["name"] for each in found[1]["groups"]] == ["0", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t.csv"], "one table with --by COLUMN"),
        (["t.csv", "u.csv", "--by", "a"], "one table with --by COLUMN"),
        (["t.csv", "--by", "z"], "--by: there is no variable 'z'"),
        (["t.csv", "--by", "a", "--weights", "z"], "--weights names the column 'z'"),
        (["t.csv", "--by", "a", "--bins", "z=3"], "--bins names the column 'z'"),
        (["t.csv", "u.csv"], "rename or drop 'b', 'c'"),
    ],
)
def test_bad_questions_about_groups_are_refused(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}).write_csv("t.csv")
    pl.DataFrame({"a": ["x", "y"] * 20, "c": ["u", "v"] * 20}).write_csv("u.csv")
    told = run("compare", *arguments)
    assert told.code == 2
    assert message in told.err
