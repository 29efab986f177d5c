"""Every number of an explanation is what the definition gives, and the words tell no lies."""

import dataclasses
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap import GSMN, IBMAPHC, BayesianTest, MarkovGraph, SearchResult
from ibmap.blankets.gsmn import gsmn
from ibmap.data.counting import contingency
from ibmap.data.table import EncodedTable
from ibmap.errors import FileFormatError, InvalidOptionError, InvalidTableError, NotExplainedError
from ibmap.evidence.counts import count_slices
from ibmap.evidence.explanation import PairExplanation
from ibmap.evidence.pairs import PairEvidence, collect_evidence
from ibmap.evidence.recorded import recorded_table
from ibmap.evidence.statements import Statement, Verdict
from ibmap.evidence.variables import by_thinness, describe_variables
from ibmap.evidence.witness import Witness
from ibmap.evidence.words import listed, probability, share, strength, whole
from ibmap.independence.binary_rows import BinaryColumns, BinaryRow
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.posterior import Prior
from ibmap.independence.protocol import Triplet
from ibmap.learners import GSMNOptions, HillClimbingOptions, learn_gsmn, learn_hc
from ibmap.result.provenance import Provenance
from ibmap.score import TestScore, flip_gains, local_score
from oracles import naive, naive_evidence
from strategies import edge_set, graphs, plain, queries, tables


def some_table(n_rows=1500, n_variables=5, seed=3):
    """A chain of noisy copies, and a column on its own."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 3, n_rows)]
    for _ in range(n_variables - 2):
        codes.append(np.where(rng.random(n_rows) < 0.8, codes[-1], rng.integers(0, 3, n_rows)))
    codes.append(rng.integers(0, 2, n_rows))
    names = [f"v{k}" for k in range(n_variables)]
    return EncodedTable.from_codes(np.stack(codes, axis=1), names=names)


def by_first_test(statements):
    """The statements with the verdict of the first test alone, as results keep them."""
    return tuple(dataclasses.replace(each, verdicts=each.verdicts[:1]) for each in statements)


@given(st.data())
def test_counts_are_those_of_the_definition(data):
    table = data.draw(tables())
    x, y, z = data.draw(queries(table))
    rows, cards, weights = plain(table)
    found = dataclasses.asdict(count_slices(table, Triplet(x, y, z)))
    wanted = naive_evidence.slice_counts(rows, cards, x, y, z, weights)
    for key, value in wanted.items():
        assert found[key] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), key


@given(st.data())
def test_counts_do_not_depend_on_the_order_of_pair_rows_or_states(data):
    table = data.draw(tables(weighted=False))
    x, y, z = data.draw(queries(table))
    found = count_slices(table, Triplet(x, y, z))
    assert count_slices(table, Triplet(y, x, z)) == found
    shuffled = table.codes[data.draw(st.permutations(range(table.n_rows)))]
    turned = table.cardinalities[None, :] - 1 - shuffled
    other = EncodedTable.from_codes(turned.astype(np.int64), table.cardinalities.tolist())
    assert count_slices(other, Triplet(x, y, z)) == found
    assert count_slices(table.compressed(), Triplet(x, y, z)) == found


@given(tables(max_variables=6), st.sampled_from(["bayesian", "pairwise"]))
def test_any_number_of_threads_finds_the_same_evidence(table, name):
    test = {"bayesian": BayesianTest, "pairwise": PairwiseTest}[name](table)
    graph = gsmn(BayesianTest(table))
    gains = np.random.default_rng(1).normal(size=(table.n_variables, table.n_variables))
    witness = Witness(table, {name: test})
    one, *more = (collect_evidence(graph, gains, witness=witness, n_threads=k) for k in (1, 2, 3, 4))
    assert all(found == one for found in more)
    one, *more = (describe_variables(witness.table, graph, k, witness.columns) for k in (1, 2, 3, 4))
    assert all(found == one for found in more)
    assert one == describe_variables(witness.table, graph)


@given(st.data())
def test_slices_of_bits_are_counted_alike(data):
    table = data.draw(tables(max_variables=7))
    binary = EncodedTable.from_codes(table.codes % 2, [2] * table.n_variables)
    triplet = Triplet(*data.draw(queries(binary))).canonical()
    columns = BinaryColumns(binary, Prior())
    row = BinaryRow(columns, triplet.x, triplet.given)
    assert count_slices(binary, triplet, row) == count_slices(binary, triplet)
    assert sorted(row.slice_sizes()) == sorted(contingency(binary, *triplet).sum(axis=(1, 2)))
    graph = MarkovGraph.from_edges(binary.n_variables, [(triplet.x, z) for z in triplet.given])
    assert describe_variables(binary, graph, 1, columns) == describe_variables(binary, graph)


@given(st.data())
def test_a_pair_rests_on_the_two_statements_of_the_closure(data):
    table = data.draw(tables(max_variables=4, max_rows=25))
    graph = data.draw(graphs(table.n_variables))
    x, y, _ = data.draw(queries(table))
    rows, cards, weights = plain(table)
    edges = edge_set(graph)
    witness = Witness(table, {"bayesian": BayesianTest(table)})
    assert witness.loss(graph, x, y) == pytest.approx(
        naive_evidence.loss(rows, cards, weights, edges, x, y), abs=1e-8
    )
    for (a, b), found in zip(((x, y), (y, x)), witness.statements(graph, x, y), strict=True):
        z, independent = naive_evidence.statement(rows, cards, weights, edges, a, b)
        assert (found.x, found.y, found.given, found.independent) == (a, b, z, independent)
        both = naive.log_probabilities(rows, cards, a, b, z, weights=weights)
        verdict = found.verdicts[0]
        assert (verdict.log_independent, verdict.log_dependent) == pytest.approx(both, abs=1e-9)
        assert found.log_posterior == (verdict.log_independent if independent else verdict.log_dependent)
        assert found.counts == count_slices(table, Triplet(a, b, z))
        assert found.is_contradicted == (naive.is_independent(both[0]) != independent)


@given(st.data())
def test_the_posteriors_of_all_statements_add_up_to_the_score(data):
    table = data.draw(tables(max_variables=4))
    graph = data.draw(graphs(table.n_variables))
    witness = Witness(table, {"bayesian": BayesianTest(table)})
    pairs = [(x, y) for x in range(table.n_variables) for y in range(x)]
    total = math.fsum(s.log_posterior for x, y in pairs for s in witness.statements(graph, x, y))
    assert total == pytest.approx(ibmap.ib_score(table, graph), abs=1e-8)


@given(st.data())
def test_descriptions_are_those_of_the_definition(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    for x, found in enumerate(describe_variables(table, graph)):
        wanted = naive_evidence.description(*plain(table), edge_set(graph), x)
        assert found.n_missing == 0
        for key, value in wanted.items():
            assert getattr(found, key) == pytest.approx(value, rel=1e-12, abs=1e-12), key
        assert found == describe_variables(table.compressed(), graph)[x]


@given(st.data())
def test_gains_of_one_variable_are_those_of_all(data):
    table = data.draw(tables(max_variables=4, max_rows=20))
    graph = data.draw(graphs(table.n_variables))
    x = data.draw(st.integers(0, table.n_variables - 1))
    witness = Witness(table, {"bayesian": BayesianTest(table)})
    every, own = flip_gains(TestScore(BayesianTest(table)), graph), witness.gains_of(graph, x)
    others = [y for y in range(table.n_variables) if y != x]
    assert own[x, others] == pytest.approx(every[x, others], abs=1e-8)
    assert (own == own.T).all()
    assert np.isfinite(own).sum() == 2 * len(others)


def test_learning_keeps_the_evidence_that_the_table_gives():
    table = some_table()
    result = learn_hc(table, HillClimbingOptions(prior=0.4))
    assert len(result.evidence) == 10
    for pair in result.evidence:
        kept, asked = result.explain(pair.x, pair.y), result.explain(pair.x, pair.y, data=table)
        assert kept.loss == pytest.approx(asked.loss, abs=1e-8)
        assert kept.statements == by_first_test(asked.statements)
        assert kept.is_edge == result.graph.has_edge(pair.x, pair.y)
    assert result.descriptions == describe_variables(table, result.graph)


def test_a_pair_may_be_asked_for_in_either_order():
    result = learn_hc(some_table(), HillClimbingOptions())
    one, other = result.explain("v0", "v1"), result.explain("v1", "v0")
    assert (one.x, one.y, one.loss) == (other.y, other.x, other.loss)
    assert one.statements == other.statements[::-1]
    assert one.statements[0].x == "v0"
    assert str(one) != str(other)
    asked = result.explain("v1", "v0", data=some_table())
    assert by_first_test(asked.statements) == other.statements


def test_only_the_nearest_missing_edges_are_kept_and_the_table_explains_the_others():
    table = some_table()
    result = learn_hc(table, HillClimbingOptions())
    cut = dataclasses.replace(result, evidence=result.evidence[:4])
    hidden = result.evidence[-1]
    with pytest.raises(NotExplainedError, match=r"data=X.*--data TABLE"):
        cut.explain(hidden.x, hidden.y)
    assert cut.explain(hidden.x, hidden.y, data=table).loss == pytest.approx(hidden.loss, abs=1e-8)


def test_another_table_is_refused_by_its_fingerprint():
    table = some_table()
    result = learn_hc(table, HillClimbingOptions())
    with pytest.raises(InvalidTableError, match=result.provenance.fingerprint):
        result.explain(0, 1, data=some_table(seed=4))
    turned = EncodedTable.from_codes(table.codes[::-1].astype(int), table.cardinalities.tolist(), table.names)
    with pytest.raises(InvalidTableError, match="another order"):
        result.explain(0, 1, data=turned)
    with pytest.raises(InvalidTableError, match=r"does not fit the network.*'v0'"):
        result.explain(0, 1, data=table.codes.astype(int))


def test_a_table_is_read_back_as_it_was_learned():
    rows = [["a", None, 0.5], ["b", "x", 1.5], ["a", "y", 2.5]] * 20
    learner = IBMAPHC(missing="state", bins=3).fit(rows)
    result = SearchResult.from_json(learner.result_.to_json())
    assert by_first_test(result.explain(0, 1, data=rows).statements) == result.explain(0, 1).statements
    assert result.descriptions[1].n_missing == 20
    table = ibmap.encode(rows, missing="state", bins=3)
    turned = recorded_table(table, ("x2", "x0", "x1"), {}, "")
    assert turned.names == ("x2", "x0", "x1")
    assert turned.codes.tolist() == table.codes[:, [2, 0, 1]].tolist()
    assert turned.labels == (table.labels[2], table.labels[0], table.labels[1])


def test_a_structure_without_score_is_explained_all_the_same():
    table = some_table()
    for test in ("bayesian", "g"):
        result = learn_gsmn(table, GSMNOptions(test=test))
        assert result.score is None
        with pytest.raises(NotExplainedError):
            result.explain(0, 1)
        asked = result.explain(0, 1, data=table)
        full = result.with_evidence(table)
        assert full.explain(0, 1).statements == asked.statements
        assert full.explain(0, 1).loss == pytest.approx(asked.loss, abs=1e-8)
        assert len(full.evidence) == 10
        assert GSMN(test=test).fit(table).result_.descriptions == result.descriptions


def test_with_many_variables_only_edges_are_weighed():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (60, 101))
    codes[:, 1] = codes[:, 0]
    table = EncodedTable.from_codes(codes)
    graph = MarkovGraph.from_edges(101, [(0, 1), (5, 9)], table.names)
    witness = Witness(table, {"bayesian": BayesianTest(table)})
    gains = witness.gains(graph)
    assert np.argwhere(np.isfinite(gains)).tolist() == [[0, 1], [1, 0], [5, 9], [9, 5]]
    assert -gains[5, 9] == pytest.approx(witness.loss(graph, 5, 9), abs=1e-9)


def test_one_variable_is_explained_by_its_own_pairs():
    table = some_table()
    result = learn_hc(table, HillClimbingOptions())
    own = result.explain_variable("v1")
    assert {"v0", "v2"} <= set(own.blanket)
    assert {name for pair in own.neighbours for name in (pair.x, pair.y)} == {"v1", *own.blanket}
    assert all(not pair.is_edge for pair in own.nearest)
    assert [p.loss for p in own.neighbours] == sorted((p.loss for p in own.neighbours), reverse=True)
    assert [p.loss for p in own.nearest] == sorted(p.loss for p in own.nearest)
    assert f"joined to {', '.join(own.blanket)}. Its data are" in str(own)
    bare = dataclasses.replace(result, evidence=(), descriptions=())
    assert "does not tell" in str(bare.explain_variable("v1"))
    again = bare.explain_variable("v1", data=table)
    assert [by_first_test(p.statements) for p in again.neighbours] == [p.statements for p in own.neighbours]
    assert again.description == own.description


def test_several_tests_are_told_side_by_side():
    table = some_table()
    tests = {"bayesian": BayesianTest(table), "sceptical": BayesianTest(table, prior=0.99)}
    graph = MarkovGraph.from_edges(5, [(0, 1)], table.names)
    witness = Witness(table, tests)
    found = witness.statements(graph, 0, 4)[0].named(table.names)
    assert [verdict.test for verdict in found.verdicts] == ["bayesian", "sceptical"]
    assert found.verdicts[0] != found.verdicts[1]
    pair = PairExplanation("v0", "v4", False, 1.0, (found, found))
    assert "(bayesian), " in str(pair)
    assert "(sceptical)" in str(pair)


@pytest.mark.parametrize("test", ["bayesian", "pairwise"])
def test_the_table_shows_both_tests_the_one_used_first(test):
    table = some_table()
    result = learn_hc(table, HillClimbingOptions(test=test, prior=0.4))
    found = result.explain(0, 1, data=table)
    other = {"bayesian": "pairwise", "pairwise": "bayesian"}[test]
    assert [verdict.test for verdict in found.statements[0].verdicts] == [test, other]
    assert result.explain(0, 1).statements == by_first_test(found.statements)
    priors = {test: 0.4, other: 0.5}  # the option belongs to the test used
    tables = BayesianTest(table, priors["bayesian"])
    pairwise = local_score(PairwiseTest(table, prior=priors["pairwise"]))
    for statement in found.statements:
        x, y = map(table.index, (statement.x, statement.y))
        log_odds = pairwise.evidence(x, result.graph.blanket(x))[y]  # as the score asks it
        expected = {
            "bayesian": tuple(tables.log_probabilities(x, y, statement.given)),
            "pairwise": (-np.logaddexp(0, log_odds), -np.logaddexp(0, -log_odds)),
        }
        for verdict in statement.verdicts:
            both = (verdict.log_independent, verdict.log_dependent)
            assert both == pytest.approx(expected[verdict.test], abs=1e-9)


def test_tests_that_disagree_are_told():
    counts = count_slices(some_table(), Triplet(0, 1, ()))
    thin = dataclasses.replace(counts, meets_cochran=False, n_single=counts.n_seen)
    tests = (Verdict("pairwise", -0.1, -2.35), Verdict("bayesian", -3.0, -0.05))
    found = Statement("a", "b", (), True, tests, thin)
    text = str(PairExplanation("a", "b", False, 1.0, (found, found)))
    assert "the tests disagree: independent by the pairwise test, dependent by the bayesian test." in text
    assert "are thin" not in text  # the pairwise test does not rest on slices
    table = str(
        PairExplanation("a", "b", False, 1.0, (dataclasses.replace(found, verdicts=tests[::-1]),) * 2)
    )
    assert "the prior decides" in table


def test_evidence_survives_the_file_and_older_files_are_read():
    result = learn_hc(some_table(), HillClimbingOptions())
    again = SearchResult.from_json(result.to_json())
    assert again.evidence == result.evidence
    assert again.descriptions == result.descriptions
    content = json.loads(result.to_json())
    assert content["edge_names"] == [[f"v{i}", f"v{j}"] for i, j in result.graph.edges]
    del content["edge_names"]
    for pair in content["evidence"]:
        del pair["statements"]
    for variable in content["variables"]:
        del variable["description"]
    old = SearchResult.from_dict(content)
    assert [pair.loss for pair in old.evidence] == [pair.loss for pair in result.evidence]
    assert old.descriptions == ()
    with pytest.raises(NotExplainedError):
        old.explain(0, 1)
    assert old.explain(0, 1, data=some_table()).is_edge
    assert len(old.explanations) == len(result.explanations)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("evidence", 0, "statements", 0, "given"), [99]),
        (("evidence", 0, "statements", 0, "x"), -1),
        (("evidence", 0, "statements", 0, "counts"), {}),
        (("evidence", 0, "statements", 0, "verdicts"), [{"test": "a"}]),
        (("evidence", 0, "statements"), 3),
        (("evidence", 0, "statements"), [{}]),
        (("evidence", 0, "loss"), "much"),
        (("evidence", 0, "is_edge"), 1),
        (("evidence", 0, "statements", 0, "verdicts"), []),
        (("evidence", 0, "statements", 0, "verdicts", 0, "log_independent"), "low"),
        (("evidence", 0, "statements", 0, "verdicts", 0, "log_dependent"), float("-inf")),
        (("evidence", 0, "statements", 0, "counts", "n_seen"), 1.5),
        (("evidence", 0, "statements", 0, "counts", "meets_cochran"), "yes"),
        (("evidence", 0, "statements", 0, "given"), ["v0"]),
        (("variables", 0, "description", "entropy"), None),
        (("variables", 0, "description"), {"n_states": 2}),
        (("variables", 0, "description"), ...),
    ],
    ids=str,
)
def test_damaged_evidence_is_refused(place, value):
    content = json.loads(learn_hc(some_table(), HillClimbingOptions()).to_json())
    *path, last = place
    part = content
    for key in path:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    with pytest.raises(FileFormatError, match="damaged"):
        SearchResult.from_dict(content)


def test_bad_questions_are_refused():
    result = learn_hc(some_table(), HillClimbingOptions())
    with pytest.raises(InvalidOptionError, match="two different"):
        result.explain("v0", 0)
    with pytest.raises(KeyError, match="nobody"):
        result.explain("v0", "nobody")
    with pytest.raises(KeyError, match="nobody"):
        result.explain_variable("nobody")


def test_collecting_can_do_without_a_witness():
    graph = MarkovGraph.from_edges(3, [(0, 2)])
    found = collect_evidence(graph, -np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]]))
    assert found == (
        PairEvidence(0, 2, True, 2.0),
        PairEvidence(0, 1, False, 1.0),
        PairEvidence(1, 2, False, 3.0),
    )


def test_thin_data_are_called_thin():
    table = EncodedTable.from_codes([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 3)
    alone, full = (describe_variables(table, MarkovGraph.from_edges(3, e)) for e in ([], [(0, 1), (0, 2)]))
    assert alone[0].thinness == "enough"
    assert full[0].thinness == "thin"
    assert (full[0].n_seen, full[0].rows_per_slice, full[0].share_in_small_slices) == (4, 6.0, 1.0)
    assert by_thinness(full)[0] == 0
    graph = MarkovGraph.from_edges(3, [(0, 1), (0, 2)])
    result = SearchResult(graph, ((),) * 3, Provenance("", "given", {}, "", 0, 0, 0.0), 0)
    found = result.explain(0, 1, data=table)
    assert found.is_thin
    assert "the data are thin: Cochran's rule is not met" in str(found)
    lonely = EncodedTable.from_codes([[0, 0, 0], [1, 1, 1]])
    assert "the data say nothing, the prior decides" in str(result.explain(0, 1, data=lonely))
    assert "the test by itself finds the two independent" in str(result.explain(0, 1, data=table))


@given(st.floats(-2000, -1e-300))
def test_a_probability_never_reads_as_certain(log_p):
    rest = math.log(-math.expm1(log_p)) if log_p > -0.5 else math.log1p(-math.exp(log_p))
    for text in (probability(log_p, rest), probability(rest, log_p)):
        assert text not in ("0", "1", "0.000", "1.000", "0.0", "1.0")
    parts = probability(log_p, rest).split(" - ")
    value = float(parts[0]) if len(parts) == 1 else 1 - float(parts[1])
    shown = 0.00051 if math.exp(log_p) > 0.0009 else 1e-300  # three decimals, or two digits
    assert value == pytest.approx(math.exp(log_p), rel=0.06, abs=shown)


def test_words_for_numbers():
    assert probability(math.log(1 - 3e-12), math.log(3e-12)) == "1 - 3.0e-12"
    assert probability(-1000.0, 0.0) == "5.1e-435"
    assert probability(0.0, -math.inf) == "1 - 0"
    assert probability(math.log(9.99e-4), -1e-3) == "1.0e-3"
    assert [share(v) for v in (0, 0.004, 0.5, 0.995, 1)] == ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]
    assert whole(2**70) == "10^21"
    assert listed([f"v{k}" for k in range(10)]) == "v0, v1, v2, v3, v4, v5, v6, v7 and 2 more"
    assert strength(math.log(149)) == "strong"
    assert strength(math.log(151)) == "very strong"


def test_names_are_shown_and_never_obeyed():
    rows = [["a", "b"], ["c", "d"]] * 20
    table = ibmap.encode(rows, names=["\x1b[31mred", "line\nbreak"])
    result = IBMAPHC().fit(table).result_
    text = str(result.explain(0, 1)) + str(result.explain_variable(0))
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text
    assert "line\\nbreak" in text


def test_a_pair_on_which_two_searches_disagree_is_called_open():
    table = some_table()
    result = replace(learn_hc(table, HillClimbingOptions()), disputed=((0, 1),))
    assert "A second search ended" in str(result.explain(1, 0))
    assert "A second search ended" not in str(result.explain(0, 2, data=table))
