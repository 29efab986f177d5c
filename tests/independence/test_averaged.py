"""The averaged test and the learner built on it: their definitions, their laws and their limits."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap import PairwiseTest
from ibmap.data.table import EncodedTable
from ibmap.errors import DataWarning, InvalidTableError
from ibmap.graph import MarkovGraph
from ibmap.independence import regression
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.density import learned_prior
from ibmap.independence.regression import most_states
from ibmap.learners import LEARNERS, RecommendedOptions, learn_recommended
from ibmap.pools.threads import ThreadPool
from ibmap.score import flip_gain, flip_gains, local_score, total_score
from ibmap.score.row_score import changed_blankets
from ibmap.search.lazy_climb import lazy_climb
from oracles import naive_averaged as naive
from strategies import graphs, queries, tables

FEW = settings(max_examples=25)
SHARES = (0.25, 0.0, 1.0)
PROMISE = -3.0  # flips that promise less are not worked out by the climb


@st.composite
def cases(draw, **sizes):
    """A table with options of the test."""
    table = draw(tables(**{"max_variables": 4, "max_rows": 25, "max_states": 3, **sizes}))
    options = {
        "ordered": [v for v in range(table.n_variables) if draw(st.booleans())],
        "table_share": draw(st.sampled_from(SHARES)),
        "prior": draw(st.sampled_from([None, 0.5, 0.2])),
    }
    return table, options


def blankets(draw, table):
    """A variable and some others."""
    x = draw(st.integers(0, table.n_variables - 1))
    return x, tuple(y for y in range(table.n_variables) if y != x and draw(st.booleans()))


def others(log_odds, x):
    """Evidence without the entry that means nothing."""
    return np.delete(np.asarray(log_odds), x)


def rows_of(table):
    return table.codes.tolist(), table.weights.tolist()


def gate_table(seed, n, n_rows, states=2):
    """Variables that copy, or are the parity or the maximum of, two others in some of the rows."""
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.integers(0, states, (n_rows, n)), rng.integers(0, states, (n_rows, n)))
    for k in range(2, n):
        i, j = codes[:, rng.choice(k, 2, replace=False)].T
        follows = rng.random(n_rows) < rng.uniform(0, 1)
        made = ((i + j) % states, np.maximum(i, j), i)[int(rng.integers(3))]
        codes[follows, k] = made[follows]
    return EncodedTable.from_codes(codes, [states] * n)


def learn(table, n_threads=1, **options):
    entry = LEARNERS["ibmap"]
    return entry.learn(table, entry.options(**options), n_threads=n_threads)


def climb_from_nothing(score, n_threads=1):
    with ThreadPool(n_threads) as pool:
        return lazy_climb(score, MarkovGraph.empty(len(score.names), score.names), pool=pool)


# --- the definition


@FEW
@given(st.data())
def test_the_test_matches_its_definition(data):
    table, options = data.draw(cases())
    x, y, z = data.draw(queries(table))
    found = AveragedTest(table, **options).log_probabilities(x, y, z)
    assert found == pytest.approx(naive.log_probabilities(*rows_of(table), x, y, z, **options), abs=1e-7)


@settings(max_examples=50)
@given(st.data())
def test_evidence_and_local_term_match_their_definitions(data):
    table, options = data.draw(cases())
    x, blanket = blankets(data.draw, table)
    score = local_score(AveragedTest(table, **options))
    expected = naive.evidence(*rows_of(table), x, blanket, **options)
    assert others(score.evidence(x, blanket), x) == pytest.approx(others(expected, x), abs=1e-7)
    assert score.term(x, blanket) == pytest.approx(naive.term(expected, x, blanket), abs=1e-7)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("ordered", [(), tuple(range(7))])
def test_evidence_matches_its_definition_beside_many_members(share, ordered):
    table = gate_table(5, 7, 60, 3)
    score = local_score(AveragedTest(table, ordered=list(ordered), table_share=share))
    for x, blanket in ((0, (1, 2, 3, 4, 5, 6)), (6, (0, 2, 3, 4))):
        expected = naive.evidence(*rows_of(table), x, blanket, ordered=ordered, table_share=share)
        assert others(score.evidence(x, blanket), x) == pytest.approx(others(expected, x), abs=1e-7)


def test_evidence_matches_its_definition_where_cells_outgrow_whole_numbers():
    table = gate_table(6, 45, 20, 3)
    blanket = tuple(range(1, 44))  # 3**43 joint states
    found = local_score(AveragedTest(table, prior=0.5)).evidence(0, blanket)
    oracle = naive.Averaged(*rows_of(table))
    assert [found[y] for y in (1, 44)] == pytest.approx([oracle.factor(0, y, blanket) for y in (1, 44)])


@pytest.mark.parametrize("n_rows", [0, 1, 159, 160, 180, 319, 320, 10**6])
def test_short_tables_keep_fewer_states_apart(n_rows):
    assert most_states(n_rows) == naive.most_states(n_rows)


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("share", SHARES)
def test_rare_states_of_variables_with_many_are_taken_as_one(share, times):
    many = np.repeat(
        np.arange(20), np.array([9] * 10 + [5] * 2 + [3] * 5 + [1] * 3) * times
    )  # of those that occur equally often the first are kept
    few = np.random.default_rng(0).integers(0, 2, len(many))
    table = EncodedTable.from_codes(np.column_stack([many, (many + few) % 3, few, np.arange(len(many)) % 59]))
    distinct = [len({row[v] for row in naive.lumped(*rows_of(table))}) for v in range(4)]
    most = most_states(len(many))
    assert distinct == [most, 3, 2, most]
    score = local_score(AveragedTest(table, table_share=share))
    for x, blanket in ((0, ()), (1, (0,)), (2, (0, 1))):
        expected = naive.evidence(*rows_of(table), x, blanket, table_share=share)
        assert others(score.evidence(x, blanket), x) == pytest.approx(others(expected, x), abs=1e-7)


def test_a_column_of_many_equally_frequent_states_keeps_its_links():
    many = np.repeat(np.arange(20), 30)
    follows = (many % 2) ^ (np.random.default_rng(0).random(600) < 0.1)
    noise = np.random.default_rng(1).integers(0, 2, 600)
    table = EncodedTable.from_codes(np.column_stack([many, follows, noise]))
    with pytest.warns(DataWarning, match="15 most frequent"):
        result = learn_recommended(table, RecommendedOptions())
    assert result.graph.edges == ((0, 1),)
    assert any("15 most frequent states are kept apart" in note for note in result.provenance.notes)


def test_as_many_states_as_are_kept_stay_as_they_are():
    many = np.arange(80) % most_states(80)
    table = EncodedTable.from_codes(np.column_stack([many, (many % 3 + np.arange(80) % 7) % 2]))
    expected = naive.log_probabilities(*rows_of(table), 0, 1, ())
    assert naive.lumped(*rows_of(table)) == table.codes.tolist()
    assert AveragedTest(table).log_probabilities(0, 1) == pytest.approx(expected, abs=1e-7)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 3.0, 100.0]))
def test_the_learned_prior_matches_its_definition(n, seed, spread):
    factors = np.random.default_rng(seed).normal(-1, spread, (n, n))
    for n_rows in (3, 1000):
        both = ((factors + factors.T) / 2)[np.triu_indices(len(factors), 1)]
        found = learned_prior(both, len(factors), n_rows)
        assert found == pytest.approx(naive.learned_prior(factors, n_rows), abs=1e-12)


# --- laws of the test and of the score


@given(st.data())
def test_the_test_is_symmetric_and_its_probabilities_add_up(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60))
    x, y, z = data.draw(queries(table))
    test = AveragedTest(table, **options)
    one, other = test.log_probabilities(x, y, z), test.log_probabilities(y, x, z)
    assert one == other
    assert all(math.isfinite(value) and value <= 0 for value in one)
    assert math.exp(one.independent) + math.exp(one.dependent) == pytest.approx(1, abs=1e-12)
    assert test.is_independent(x, y, z) == (one.independent >= math.log(0.5) - 1e-9)


@given(st.data())
def test_states_may_be_renamed_and_unused_ones_added(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60, max_states=4))
    x, y, z = data.draw(queries(table))
    options["ordered"] = False
    permuted = [data.draw(st.permutations(range(int(c) + 1))) for c in table.cardinalities]
    codes = np.stack([np.array(p)[column] for p, column in zip(permuted, table.codes.T, strict=True)], 1)
    renamed = EncodedTable.from_codes(codes, [c + 1 for c in table.cardinalities], weights=table.weights)
    one, other = (AveragedTest(t, **options) for t in (table, renamed))
    assert one.log_probabilities(x, y, z) == pytest.approx(other.log_probabilities(x, y, z), abs=1e-8)
    terms = [local_score(test).changes(x, z) for test in (one, other)]
    assert terms[0] == pytest.approx(terms[1], abs=1e-8)


@given(st.data())
def test_weights_are_repetition_and_row_order_does_not_matter(data):
    table, options = data.draw(cases(max_variables=5, weighted=True))
    x, y, z = data.draw(queries(table))
    order = data.draw(st.permutations(range(table.n_samples)))
    repeated = np.repeat(table.codes, table.weights, axis=0)[order]
    both = table, EncodedTable.from_codes(repeated, table.cardinalities)
    one, other = (AveragedTest(t, **options) for t in both)
    assert one.log_probabilities(x, y, z) == pytest.approx(other.log_probabilities(x, y, z), abs=1e-9)
    terms = [local_score(test).changes(x, z) for test in (one, other)]
    assert terms[0] == pytest.approx(terms[1], abs=1e-8)


@given(st.data())
def test_columns_may_be_in_any_order(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60))
    x, blanket = blankets(data.draw, table)
    order = data.draw(st.permutations(range(table.n_variables)))  # new column i is the old order[i]
    moved = EncodedTable.from_codes(table.codes[:, order], table.cardinalities[order], weights=table.weights)
    place = {old: new for new, old in enumerate(order)}
    here = local_score(AveragedTest(table, **options))
    there = local_score(AveragedTest(moved, **{**options, "ordered": [place[v] for v in options["ordered"]]}))
    turned = place[x], tuple(sorted(place[b] for b in blanket))
    assert there.term(*turned) == pytest.approx(here.term(x, blanket), abs=1e-8)
    assert there.changes(*turned) == pytest.approx(here.changes(x, blanket)[order], abs=1e-8)


@given(st.data())
def test_changes_are_the_terms_of_the_changed_blankets(data):
    table, options = data.draw(cases(max_variables=6, max_rows=60, max_states=4))
    x, blanket = blankets(data.draw, table)
    score = local_score(AveragedTest(table, **options))
    terms = [score.term(x, each) for each in changed_blankets(x, blanket, table.n_variables)]
    assert score.changes(x, blanket) == pytest.approx(terms, abs=1e-8)


@given(st.data())
def test_another_prior_moves_all_evidence_alike(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60))
    x, blanket = blankets(data.draw, table)
    score = local_score(AveragedTest(table, **options))
    moved = score.with_prior(0.9).evidence(x, blanket) - score.evidence(x, blanket)
    expected = math.log(0.1 / 0.9) - naive.log_prior_odds(table.n_variables, options["prior"])
    assert others(moved, x) == pytest.approx([expected] * (table.n_variables - 1), abs=1e-9)


@given(st.data())
def test_a_flip_changes_two_terms_alone(data):
    table, options = data.draw(cases(max_variables=5, max_rows=60))
    graph = data.draw(graphs(table.n_variables))
    score = local_score(AveragedTest(table, **options))
    gains, whole = flip_gains(score, graph), total_score(score, graph)
    for x, y in itertools.combinations(range(table.n_variables), 2):
        assert gains[x, y] == pytest.approx(flip_gain(score, graph, x, y), abs=1e-8)
        assert gains[x, y] == pytest.approx(total_score(score, graph.flip(x, y)) - whole, abs=1e-8)


# --- edges and limits


def test_constant_columns_say_nothing():
    rows = np.column_stack([np.tile([0, 1], 20), np.zeros(40, int), np.repeat([0, 1], 20)])
    test = AveragedTest(EncodedTable.from_codes(rows), prior=0.5)
    assert test.log_probabilities(0, 1) == pytest.approx((math.log(0.5), math.log(0.5)), abs=1e-12)
    assert test.log_probabilities(0, 2, (1,)) == pytest.approx(test.log_probabilities(0, 2), abs=1e-12)
    assert others(local_score(test).evidence(1, (0,)), 1) == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_rows", [1, 2, 40, 5000])
def test_copies_are_dependent_and_finite(n_rows, share):
    x = np.arange(n_rows) % 2
    table = EncodedTable.from_codes(np.column_stack([x, x, 1 - x, np.zeros(n_rows, int)]))
    test = AveragedTest(table, table_share=share)
    assert all(map(math.isfinite, test.log_probabilities(0, 1)))
    assert test.is_independent(0, 1) == (n_rows <= 2)
    score = local_score(test)
    for blanket in ((), (1,), (1, 2), (1, 2, 3)):
        assert np.isfinite(score.changes(0, blanket)).all()
    assert bool(learn(table, table_share=share).graph.edges) == (n_rows > 2)


def test_a_table_needs_a_row_and_two_columns():
    for rows in (np.zeros((0, 3), int), np.zeros((3, 1), int)):
        for ask in (AveragedTest, PairwiseTest, learn):
            with pytest.raises(InvalidTableError, match=r"no rows|one column"):
                ask(EncodedTable.from_codes(rows, [2] * rows.shape[1]))


def table_of(rates):
    """Three binary columns by how often each of their states is seen."""
    return EncodedTable.from_codes(list(itertools.product((0, 1), repeat=3)), [2] * 3, weights=rates)


BIASED_PARITY = table_of([270, 30, 10, 90, 30, 270, 90, 10])  # the second is 1 in a quarter
OR_GATE = table_of([190, 10, 10, 190, 10, 190, 10, 190])
ADMISSIONS = table_of([320, 480, 20, 80, 90, 10, 320, 80])  # department, woman, admitted


@pytest.mark.parametrize("table", [BIASED_PARITY, OR_GATE, ADMISSIONS], ids=["parity", "or", "reversal"])
def test_what_takes_three_variables_to_see_is_learned(table):
    assert set(learn(table).graph.edges) == {(0, 1), (0, 2), (1, 2)}


def test_departments_reverse_the_admission_rate():
    counts = ADMISSIONS.weights.reshape(2, 2, 2)
    within, overall = (c[..., 1] / c.sum(axis=-1) for c in (counts, counts.sum(axis=0)))
    assert (within[:, 1] > within[:, 0]).all() > (overall[1] > overall[0])


# --- the climb


@given(st.data())
def test_the_climb_ends_where_no_promising_flip_gains(data):
    table, options = data.draw(cases(max_variables=6, max_rows=60))
    score = local_score(AveragedTest(table, **options))
    found = climb_from_nothing(score)
    blankets = [found.graph.blanket(x) for x in range(table.n_variables)]
    assert found.score == pytest.approx(math.fsum(map(score.term, itertools.count(), blankets)), abs=1e-9)
    gains = flip_gains(score, found.graph)
    evidence = np.array([score.evidence(x, blanket) for x, blanket in enumerate(blankets)])
    promises = np.where(found.graph.adjacency, -1, 1) * (evidence + evidence.T)
    np.fill_diagonal(promises, -np.inf)
    assert gains[promises >= PROMISE].max(initial=0) <= 1e-9
    known = {pair: gain for pair, gain in found.gains.items() if np.isfinite(promises[pair])}
    assert [*known.values()] == pytest.approx([gains[pair] for pair in known], abs=1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_the_climb_ends_where_no_flip_at_all_gains_with_few_variables(seed):
    table = gate_table(seed, 3 + seed % 4, 10 + 11 * seed, 2 + seed % 2)
    score = local_score(AveragedTest(table))
    assert flip_gains(score, climb_from_nothing(score).graph).max() <= 1e-9


def test_the_climb_mostly_finds_the_best_of_all_graphs():
    n_best = 0
    for seed in range(30):
        n = 2 + seed % 3
        score = local_score(AveragedTest(gate_table(seed, n, 5 + 9 * seed, 2 + seed % 2)))
        pairs = list(itertools.combinations(range(n), 2))
        best = max(
            total_score(score, MarkovGraph.from_edges(n, edges, score.names))
            for size in range(len(pairs) + 1)
            for edges in itertools.combinations(pairs, size)
        )
        found = climb_from_nothing(score).score
        assert found <= best + 1e-9
        n_best += found >= best - 1e-9
    assert n_best >= 24


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(("n", "n_rows", "states"), [(5, 40, 3), (20, 300, 2)])
def test_threads_change_nothing(monkeypatch, n, n_rows, states, is_compiled):
    monkeypatch.setattr(regression, "is_small", lambda _: not is_compiled)
    table = gate_table(1, n, n_rows, states)
    score = local_score(AveragedTest(table))
    results = [learn(table, n_threads=k) for k in (1, 2, 3)]
    climbs = [climb_from_nothing(score, n_threads=k) for k in (1, 2, 3)]
    for found, parts in ((results, ("trace", "evidence", "disputed")), (climbs, ("flips", "stopped"))):
        for part in ("graph", "score", *parts):
            assert all(getattr(each, part) == getattr(found[0], part) for each in found)
    assert all(each.gains == climbs[0].gains for each in climbs)


# --- the learner


@pytest.mark.parametrize("seed", range(6))
def test_what_is_learned_does_not_depend_on_the_order_of_rows_and_columns_or_on_weights(seed):
    table = gate_table(seed, 8, 150, 2 + seed % 2)
    rng = np.random.default_rng(seed)
    rows, order = rng.permutation(150), rng.permutation(8)
    weights = rng.integers(1, 4, 150)
    repeated = np.repeat(table.codes, weights, axis=0)

    def variant(codes, columns=slice(None), weights=None):
        names, cards = np.array(table.names)[columns], table.cardinalities[columns]
        return learn(EncodedTable.from_codes(codes[:, columns], cards, names=names.tolist(), weights=weights))

    plain, weighted = learn(table), variant(table.codes, weights=weights)
    for one, other in (
        (plain, variant(table.codes[rows])),
        (plain, variant(table.codes, order)),
        (weighted, variant(repeated)),
        (weighted, variant(rng.permutation(repeated), order)),
    ):
        edges = [{frozenset((g.names[i], g.names[j])) for i, j in g.edges} for g in (one.graph, other.graph)]
        assert edges[0] == edges[1]
        assert one.score == pytest.approx(other.score, abs=1e-6)
        priors = [each.provenance.options["prior"] for each in (one, other)]
        assert priors[0] == pytest.approx(priors[1], abs=1e-9)


@pytest.mark.parametrize(("seed", "ordered"), [(0, False), (1, False), (2, True)])
def test_the_score_is_the_sum_of_the_posteriors_of_all_statements(seed, ordered):
    table = gate_table(seed, 5, 120, 3)
    result = learn(table, ordered=ordered)
    prior = result.provenance.options["prior"]
    by_share = {s: local_score(AveragedTest(table, prior, ordered, s)) for s in SHARES}
    assert result.score == pytest.approx(total_score(by_share[0.25], result.graph), abs=1e-8)

    def check(statement, x, y):
        blanket = result.graph.blanket(x)
        assert set(statement.given) == {table.names[z] for z in blanket if z != y}
        assert statement.independent == (y not in blanket)
        names = dict(zip(SHARES, ("averaged", "main effects", "full tables"), strict=True))
        found = {v.test: v.log_dependent - v.log_independent for v in statement.verdicts}
        expected = {names[s]: score.evidence(x, blanket)[y] for s, score in by_share.items()}
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-8)

    total, pairs = 0.0, list(itertools.combinations(range(5), 2))
    for x, y in pairs:
        explained = result.explain(x, y, data=table)
        total += sum(each.log_posterior for each in explained.statements)
        assert explained.loss == pytest.approx(-flip_gain(by_share[0.25], result.graph, x, y), abs=1e-8)
        check(explained.statements[0], x, y)
        check(explained.statements[1], y, x)
    assert total == pytest.approx(result.score, abs=1e-8)
    assert {(e.x, e.y) for e in result.evidence if e.is_edge} == set(result.graph.edges)
    for each in result.explanations:
        again = result.explain(each.x, each.y, data=table)
        assert each.loss == pytest.approx(again.loss, abs=1e-8)
        posteriors = [[one.log_posterior for one in pair.statements] for pair in (each, again)]
        assert posteriors[0] == pytest.approx(posteriors[1], abs=1e-8)
