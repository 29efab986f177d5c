"""GSMN*, GSIMN, IAMB and HITON."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from ibmap import BayesianTest, SeparationTest, closure_score
from ibmap.blankets.gsmn import gsmn
from ibmap.blankets.gsmn_star import association_orders, gsimn, gsmn_star, star_operator
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.blankets.implications import Implications
from ibmap.blankets.operator import run
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, SearchWarning, StopSearch
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import Triplet
from ibmap.learners import LEARNERS, TestOptions, learn_gsimn
from ibmap.search.tree_search import tree_search
from oracles import naive, naive_blankets, naive_tree
from strategies import edge_set, graphs, plain, tables

NAMES = ("gsmn-star", "gsimn", "iamb", "hiton")
ESTIMATORS = (ibmap.GSMNStar, ibmap.GSIMN, ibmap.IAMB, ibmap.HITON)


def oracle(table):
    rows, cards, weights = plain(table)
    return naive.CountingTest(rows, cards, weights=weights)


@given(tables(max_variables=5))
def test_gsmn_star_matches_the_definition_and_asks_the_same_tests(table):
    expected, test = oracle(table), BayesianTest(table)
    edges = naive_blankets.gsmn_star(expected.ask, expected.log_support, table.n_variables)
    assert edge_set(gsmn_star(test)) == edges
    assert test.asked == expected.asked


@settings(max_examples=25)
@given(tables(max_variables=4))
def test_gsimn_matches_the_definition_and_asks_the_same_tests(table):
    expected, test = oracle(table), BayesianTest(table)
    edges = naive_blankets.gsimn(expected.ask, expected.log_support, table.n_variables)
    assert edge_set(gsimn(test)) == edges
    assert test.asked == expected.asked


@given(tables(max_variables=5), st.sampled_from(["or", "and"]))
def test_iamb_matches_the_definition_and_asks_the_same_tests(table, rule):
    expected, test = oracle(table), BayesianTest(table)
    edges = naive_blankets.iamb(expected.ask, expected.log_support, table.n_variables, rule)
    assert edge_set(iamb(test, rule=rule)) == edges
    assert test.asked == expected.asked


@given(tables(max_variables=5), st.sampled_from(["or", "and"]), st.sampled_from([None, 0, 1, 2, 3]))
def test_hiton_matches_the_definition_and_asks_no_other_tests(table, rule, max_given):
    expected, test = oracle(table), BayesianTest(table)
    edges = naive_blankets.hiton(expected.ask, expected.log_support, table.n_variables, rule, max_given)
    assert edge_set(hiton(test, rule=rule, max_given=max_given)) == edges
    assert test.asked <= expected.asked


@given(st.data())
def test_all_recover_any_graph_from_the_perfect_test(data):
    true = data.draw(graphs(data.draw(st.integers(2, 7))))
    assert gsmn_star(SeparationTest(true)) == true
    assert gsimn(SeparationTest(true)) == true
    for rule in ("or", "and"):
        assert iamb(SeparationTest(true), rule=rule) == true
        assert hiton(SeparationTest(true), rule=rule, max_given=None) == true


@given(st.data())
def test_what_is_inferred_from_true_assertions_is_true_and_all_that_the_rules_give(data):
    n = data.draw(st.integers(2, 4))
    true = data.draw(graphs(n))
    every = list(naive_blankets.all_triplets(n))
    chosen = data.draw(st.lists(st.sampled_from(every), max_size=8, unique=True))
    facts = {each: true.separated(*each) for each in chosen}
    knowledge = Implications(n)
    for each, independent in facts.items():
        knowledge.add(Triplet(*each), independent)
    expected = naive_blankets.implied(facts, n)
    for each in every:
        inferred = knowledge.infer(Triplet(*each))
        assert inferred == expected.get(each)
        assert inferred is None or inferred == true.separated(*each)


@given(st.data())
def test_inference_never_takes_more_tests_of_a_known_graph(data):
    true = data.draw(graphs(data.draw(st.integers(2, 8))))
    tests = [SeparationTest(true) for _ in range(3)]
    for learn, test in zip((gsmn, gsmn_star, gsimn), tests, strict=True):
        learn(test)
    plain_one, star, inferring = (test.n_tests for test in tests)
    assert inferring <= min(star, plain_one)


@pytest.mark.parametrize(("n", "counts"), [(4, [13, 14, 13]), (5, [22, 25, 22])])
def test_asking_all_in_turn_may_take_more_tests_of_a_star_than_gsmn(n, counts):
    true = MarkovGraph.from_edges(n, [(0, y) for y in range(1, n)])
    tests = [SeparationTest(true) for _ in range(3)]
    for learn, test in zip((gsmn, gsmn_star, gsimn), tests, strict=True):
        assert learn(test) == true
    assert [test.n_tests for test in tests] == counts


@pytest.mark.compiled_only("how many questions an algorithm asks is not up to kernels")
@pytest.mark.parametrize("tau", [1, 2, 4])
def test_gsmn_star_and_gsimn_take_fewer_tests_than_gsmn(tau):
    counts = np.zeros(3)
    for seed in range(5):
        network = ibmap.simulate.random_network(12, tau, random_state=seed)
        table = network.sample(800, random_state=seed)
        for k, learn in enumerate((gsmn, gsmn_star, gsimn)):
            test = BayesianTest(table)
            learn(test)
            counts[k] += test.n_tests
    assert max(counts[1:]) < 0.75 * counts[0]
    assert counts[2] < 1.02 * counts[1]  # an answer that is wrong may lead to more questions


@settings(max_examples=20)
@given(tables(max_variables=3, max_rows=25), st.booleans())
def test_the_tree_of_runs_of_a_relative_is_searched_to_its_cheapest_leaf(table, infers):
    expected, n = oracle(table), table.n_variables
    learn = naive_blankets.gsimn if infers else naive_blankets.gsmn_star

    def algorithm(ask):
        return learn(lambda x, y, given_set: ask(0, x, y, given_set), expected.log_support, n)

    runs = naive_tree.every_run(algorithm, expected.log_probabilities)
    cost, _, edges = naive_tree.cheapest(runs, naive_tree.edges_rank)
    test = BayesianTest(table)
    found = tree_search(star_operator(test, infers=infers), test)
    assert found.score == pytest.approx(-cost, abs=1e-8)
    assert edge_set(found.found) == edges
    assert found.score == pytest.approx(closure_score(test, found.closure), abs=1e-8)


def test_an_operator_of_a_relative_run_with_a_test_is_the_relative():
    table = ibmap.simulate.random_network(8, 2, random_state=1).sample(300, random_state=1)
    for infers, learn in ((False, gsmn_star), (True, gsimn)):
        test, other = BayesianTest(table), BayesianTest(table)
        assert run(star_operator(test, infers=infers), test) == learn(other)
        assert test.asked == other.asked


def test_equal_supports_go_to_the_lower_column():
    rows = [[0, 0, 0, 0], [1, 1, 1, 1]] * 10
    orders = association_orders(BayesianTest(rows))
    assert orders.visits == (0, 1, 2, 3)
    assert orders.candidates[2] == (0, 1, 3)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_start_of_the_climb_and_a_learner_by_name(name):
    table = ibmap.encode(ibmap.simulate.random_network(6, 2, random_state=0).sample(200, random_state=0))
    climbed = ibmap.IBMAPHC(start=name).fit(table)
    assert climbed.result_.start == name
    assert climbed.n_tests_ > 0
    learned = LEARNERS[name].learn(table, LEARNERS[name].options())
    assert learned.provenance.algorithm == name
    assert learned.score is None


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators_pass_on_their_options(estimator):
    rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    fitted = estimator(test="g", significance=0.01).fit(rows)
    assert sorted(fitted.graph_.edges) == [("x0", "x1")]
    assert fitted.result_.provenance.options["significance"] == 0.01
    with pytest.raises(InvalidOptionError, match="test"):
        estimator(test="fisher").fit(rows)


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        (ibmap.IAMB(rule="xor"), "rule"),
        (ibmap.HITON(rule="xor"), "rule"),
        (ibmap.HITON(max_given=-1), "max_given"),
        (ibmap.IBMAPTS(closure="pc"), "closure"),
        (ibmap.IBMAPTS(closure="gsimn", grow="repeat"), "grow"),
        (ibmap.IBMAPTS(max_memory="much"), "max_memory"),
        (ibmap.IBMAPTS(max_nodes=-1), "max_nodes"),
        (ibmap.IBMAPTS(test="g"), "test"),
    ],
    ids=str,
)
def test_bad_options_are_refused_by_name(learner, option):
    with pytest.raises(InvalidOptionError, match=option):
        learner.fit([[0, 0], [1, 1]] * 5)


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_learner_gives_what_it_has(name):
    table = EncodedTable.from_codes(np.random.default_rng(0).integers(0, 2, (50, 8)))

    def stop(progress):
        raise StopSearch

    with pytest.warns(SearchWarning, match="interrupted"):
        found = LEARNERS[name].learn(table, LEARNERS[name].options(), callback=stop)
    assert found.stopped == "interrupted"


def test_a_deadline_that_has_passed_leaves_no_edges():
    full = SeparationTest([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert all(learn(full, deadline=0.0).n_edges == 0 for learn in (gsmn_star, gsimn, iamb, hiton))


def test_tree_search_over_gsimn_with_a_limit_has_a_bound():
    table = ibmap.encode(ibmap.simulate.random_network(6, 2, random_state=0).sample(60, random_state=0))
    with pytest.warns(SearchWarning, match="max_nodes"):
        cut = ibmap.IBMAPTS(closure="gsimn", max_nodes=50).fit(table)
    assert cut.score_ < cut.bound_
    assert cut.n_nodes_ == 50
    assert learn_gsimn(table, TestOptions()).graph.n_variables == 6
