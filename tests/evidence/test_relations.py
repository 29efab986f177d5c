"""How joined variables are related: against the definition, and what must hold for any table."""

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.data import counting
from ibmap.data.table import EncodedTable, take_rows
from ibmap.errors import FileFormatError
from ibmap.evidence import relations as own_module
from ibmap.evidence.relation import Predictability, Relation
from ibmap.evidence.relation_words import known_by_neighbours, related, strength_text
from ibmap.evidence.relations import relate
from ibmap.graph import MarkovGraph
from ibmap.result import SearchResult
from oracles.naive_relations import Related
from strategies import graphs, plain, tables

CLOSE = {"rtol": 1e-7, "atol": 1e-9}


def close(one, other):
    """Compare relations but for labels."""
    for name in ("strength", "share", "information"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.y_given_x, other.y_given_x, **CLOSE)
    np.testing.assert_allclose(one.x_given_y, other.x_given_y, **CLOSE)


@given(st.data())
def test_relations_match_the_definition(data):
    table = data.draw(tables(max_variables=4, max_rows=20, max_states=3))
    graph = data.draw(graphs(table.n_variables))
    rows, _, weights = plain(table)
    naive = Related(rows, weights, [graph.blanket(v) for v in range(table.n_variables)])
    for found in relate(table, graph)[0]:
        y_given_x, x_given_y, information, share = naive.relation(found.x, found.y)
        np.testing.assert_allclose(found.y_given_x, y_given_x, **CLOSE)
        np.testing.assert_allclose(found.x_given_y, x_given_y, **CLOSE)
        assert math.isclose(found.information, information, rel_tol=1e-6, abs_tol=1e-9)
        assert math.isclose(found.share, share, rel_tol=1e-6, abs_tol=1e-9)
        assert math.isclose(abs(found.strength), math.sqrt(max(share, 0)), rel_tol=1e-5, abs_tol=1e-4)


@given(st.data())
def test_cells_that_are_sorted_tell_what_cells_counted_in_parts_tell(data):
    table = data.draw(tables(max_variables=4, weighted=True))
    graph = data.draw(graphs(table.n_variables))
    found = [relate(table, graph)]
    for name, value in (("n_dense", lambda n_rows: 0), ("BLOCK", 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, name, value)
            found.append(relate(table, graph))
    assert found[0] == found[1] == found[2]


@given(st.data())
def test_whole_weights_are_repetitions_and_the_order_of_rows_does_not_matter(data):
    table = data.draw(tables(max_variables=4, weighted=True))
    graph = data.draw(graphs(table.n_variables))
    rows = np.repeat(np.arange(table.n_rows), table.weights)
    order = np.random.default_rng(0).permutation(rows)
    repeated = EncodedTable.from_codes(table.codes[order].astype(int), table.cardinalities)
    (one, known), (other, also) = relate(table, graph), relate(repeated, graph)
    for a, b in zip(one, other, strict=True):
        close(a, b)
    np.testing.assert_allclose(
        [[*asdict(a).values()] for a in known], [[*asdict(a).values()] for a in also], rtol=1e-6, atol=1e-6
    )


@given(st.data())
def test_the_order_of_variables_and_of_states_only_moves_the_answer(data):
    table = data.draw(tables(max_variables=4))
    graph = data.draw(graphs(table.n_variables))
    n = table.n_variables
    order = np.array(data.draw(st.permutations(range(n))))
    turned = [np.array(data.draw(st.permutations(range(c)))) for c in table.cardinalities.tolist()]
    codes = np.column_stack([turned[v][table.codes[:, v]] for v in order])
    moved = EncodedTable.from_codes(codes, table.cardinalities[order], weights=table.weights)
    place = {int(v): k for k, v in enumerate(order)}
    edges = [tuple(sorted((place[x], place[y]))) for x, y in graph.edges]
    found = {(each.x, each.y): each for each in relate(moved, MarkovGraph.from_edges(n, edges))[0]}
    for each in relate(table, graph)[0]:
        i, j = place[each.x], place[each.y]
        other = found[i, j] if i < j else found[j, i].reversed()
        assert math.isclose(each.information, other.information, rel_tol=1e-6, abs_tol=1e-8)
        for labels, rows, columns in (
            ("x_states", "y_given_x", "y_states"),
            ("y_states", "x_given_y", "x_states"),
        ):
            v = each.x if labels == "x_states" else each.y
            w = each.y if labels == "x_states" else each.x
            a = [getattr(other, labels).index(str(turned[v][int(s)])) for s in getattr(each, labels)]
            b = [getattr(other, columns).index(str(turned[w][int(s)])) for s in getattr(each, columns)]
            np.testing.assert_allclose(
                np.array(getattr(other, rows))[np.ix_(a, b)], getattr(each, rows), rtol=1e-6, atol=1e-8
            )


def _linked(n_rows=2000, effect=1.5, seed=0):
    """A depends on B, B on C: a chain of binary variables."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n_rows)
    b = (rng.random(n_rows) < 1 / (1 + np.exp(-effect * (2 * a - 1)))).astype(int)
    c = (rng.random(n_rows) < 1 / (1 + np.exp(effect * (2 * b - 1)))).astype(int)
    return EncodedTable.from_codes(np.column_stack([a, b, c]))


def test_an_odds_ratio_is_found_again_the_rest_alike_and_a_needless_edge_has_no_strength():
    table = _linked(n_rows=20_000)
    first, needless, last = relate(table, MarkovGraph.from_edges(3, [(0, 1), (0, 2), (1, 2)]))[0]
    assert first.odds_ratio == pytest.approx(math.exp(3), rel=0.15)
    assert last.odds_ratio == pytest.approx(math.exp(-3), rel=0.15)
    assert (first.sign, last.sign) == (1, -1)
    assert abs(needless.strength) < 0.03
    assert needless.odds_ratio == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(
    ("labels", "sign", "states"),
    [(("high", "Low"), 1, ("Low", "high")), (("blue", "green"), -1, ("blue", "green"))],
)
def test_two_states_are_less_and_more_by_what_they_say(labels, sign, states):
    codes = np.repeat([[0, 1], [1, 0], [0, 0], [1, 1]], [40, 40, 10, 10], axis=0)
    rows = [[labels[x], ("no", "yes")[y]] for x, y in codes]
    (found,), _ = relate(ibmap.encode(rows), MarkovGraph.from_edges(2, [(0, 1)]))
    assert (found.sign, found.x_states, found.y_states) == (sign, states, ("no", "yes"))
    assert (found.odds_ratio > 1) == (sign > 0)
    assert found.y_given_x[found.x_states.index(labels[0])][1] == pytest.approx(0.8, abs=0.05)


def test_independent_variables_have_next_to_no_strength():
    rng = np.random.default_rng(1)
    table = EncodedTable.from_codes(rng.integers(0, 3, (5000, 4)))
    found, known = relate(table, MarkovGraph.from_edges(4, [(0, 1), (1, 2), (2, 3)]))
    assert max(abs(each.strength) for each in found) < 0.05
    assert max(each.explained for each in known) < 0.005


def test_variables_that_act_together_are_seen_without_a_sign():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 1000))
    table = EncodedTable.from_codes(np.column_stack([a, b, a ^ b ^ (rng.random(1000) < 0.1)]))
    found, known = relate(table, MarkovGraph.from_edges(3, [(0, 1), (0, 2), (1, 2)]))
    assert all(each.depends and each.sign == 0 and each.strength > 0.5 for each in found)
    assert all(0.85 < each.accuracy < 0.95 for each in known)
    assert "depends on other neighbours" in related(found[0], "a", "b")


def test_cells_without_a_value_are_left_out_of_each_fit():
    table = _linked(500)
    missing = np.zeros((500, 3), bool)
    missing[::5, :2] = True
    wild = np.where(missing, 1 - table.codes, table.codes)
    holes = replace(EncodedTable.from_codes(wild.astype(int)), missing=missing)
    graph = MarkovGraph.from_edges(3, [(0, 1)])
    close(relate(holes, graph)[0][0], relate(take_rows(table, ~missing[:, 0]), graph)[0][0])


def test_fractions_as_weights_are_taken_as_they_are(monkeypatch):
    table = _linked(300)
    graph = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    monkeypatch.setattr(EncodedTable, "distinct", None)
    half = replace(table, weights=np.full(300, 0.5))
    both = replace(table, codes=np.vstack([table.codes] * 2), weights=np.full(600, 0.25))
    for a, b in zip(relate(half, graph)[0], relate(both, graph)[0], strict=True):
        close(a, b)


def test_many_states_and_many_cells_are_told_in_short(monkeypatch):
    rng = np.random.default_rng(3)
    many = rng.integers(0, 40, 3000)
    codes = np.column_stack([many, many // 10, rng.integers(0, 2, (3000, 2))])
    graph = MarkovGraph.from_edges(4, [(0, 1), (1, 2), (1, 3)])
    whole = relate(EncodedTable.from_codes(codes), graph)[0]
    assert len(whole[0].x_states) == own_module.MAX_STATES
    assert whole[0].x_states[-1] == "(others)"
    monkeypatch.setattr(own_module, "MOST_CELLS", 60)
    monkeypatch.setattr(own_module, "LEAST_CELLS", 60)
    fewer = relate(EncodedTable.from_codes(codes), graph)[0]
    assert abs(fewer[0].strength - whole[0].strength) < 0.1


def test_words_name_states_and_how_often():
    found = relate(_linked(), MarkovGraph.from_edges(3, [(0, 1), (1, 2)]))[0]
    told = related(found[0], "smoke", "cough")
    ratio = found[0].y_given_x[1][1] / found[0].y_given_x[0][1]
    assert told.startswith(
        f"cough = 1 occurs {ratio:.1f} times as often where smoke = 1 as where smoke = 0 ("
    )
    assert strength_text(found[0]).startswith("+")
    assert strength_text(found[1]).startswith("-")
    assert "named right in 82 %" in known_by_neighbours(Predictability(0.1, 0.82, 0.5))


def test_results_keep_relations_in_files_and_graphs():
    learner = ibmap.IBMAP().fit(_linked())
    result = learner.result_
    again = SearchResult.from_json(result.to_json())
    assert again.relations == result.relations
    assert again.predictability == result.predictability
    attributes = learner.graph_.edges["x0", "x1"]
    assert attributes["strength"] == result.relations[0].strength
    assert attributes["odds_ratio"] > 10
    assert learner.graph_.nodes["x1"]["explained"] == result.predictability[1].explained
    pair = result.explain("x1", "x0")
    assert pair.relation == result.relations[0].reversed()
    assert json.loads(json.dumps(pair.to_dict()))["relation"]["x"] == "x1"
    assert "odds ratio" in str(pair)


@pytest.mark.parametrize(
    "learner", [ibmap.IBMAPHC(), ibmap.GSMN(), ibmap.IBMAPTS()], ids=lambda each: type(each).__name__
)
def test_the_papers_learners_tell_as_much(learner):
    result = learner.fit(_linked(500)).result_
    assert len(result.relations) == result.graph.n_edges > 0
    assert len(result.predictability) == 3


@pytest.mark.parametrize("change", ["drop", "shape", "type"])
def test_a_damaged_relation_is_refused(change):
    content = ibmap.IBMAP().fit(_linked(300)).result_.to_dict()
    first = content["relations"][0]
    if change == "drop":
        content["relations"] = content["relations"][:1]
    elif change == "shape":
        first["y_given_x"] = [[1.0]]
    else:
        first["strength"] = "strong"
    with pytest.raises(FileFormatError, match="damaged"):
        SearchResult.from_dict(content)


def test_a_relation_reversed_twice_is_itself():
    found = relate(_linked(), MarkovGraph.from_edges(3, [(0, 1)]))[0][0]
    assert isinstance(found, Relation)
    assert found.reversed().reversed() == found


def test_of_states_in_order_the_ends_are_compared_unless_they_are_alike():
    rising = np.array([[5, 3, 1, 1, 0], [3, 6, 1, 0, 0], [1, 1, 5, 2, 1], [0, 1, 2, 5, 2], [0, 0, 1, 2, 7.0]])
    rows = tuple(map(tuple, (rising / 10).tolist()))
    states = ("1", "2", "3", "4", "5")
    relation = Relation(0, 1, 0.5, 1, 0.25, 0.4, None, False, states, states, rows, rows)
    told = related(relation, "age", "income")
    assert told.startswith("income = 5 occurs") and "where age = 5 as where age = 1 (70 %" in told
    bent = ((0.5, 0.5), (0.1, 0.9), (0.45, 0.55))
    back = ((0.4, 0.2, 0.4), (0.3, 0.4, 0.3))
    relation = Relation(0, 1, 0.3, 1, 0.1, 0.1, None, False, states[:3], ("no", "yes"), bent, back)
    assert "where age = 2 as where age = 1" in related(relation, "age", "ill")
