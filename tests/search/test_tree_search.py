"""IBMAP-TS finds the most probable of all runs."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap import BayesianTest, MarkovGraph, SeparationTest, closure_score
from ibmap.blankets.grow_shrink import grow_shrink, gsmn_operator
from ibmap.blankets.gsmn import gsmn
from ibmap.blankets.operator import InTurn, Replayed, run
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.independence.protocol import Triplet
from ibmap.search.best_first import Allowance, BestFirst, DictTree
from ibmap.search.budget import Budget, as_bytes, make_budget
from ibmap.search.operator_tree import RunSearch
from ibmap.search.tree_search import tree_search
from oracles import naive, naive_tree
from strategies import edge_set, graphs, plain, tables

GROW = st.sampled_from(["once", "repeat"])
ORDER = st.sampled_from(["association", "columns"])
RULE = st.sampled_from(["or", "and"])


def oracle(table):
    rows, cards, weights = plain(table)
    return naive.CountingTest(rows, cards, weights=weights)


def as_one(operator):
    """Hide that an operator has parts, so that its whole tree is searched."""

    class Whole:
        begin, question, after, outcome = operator.begin, operator.question, operator.after, operator.outcome

    return Whole()


def noisy(n, n_rows, seed=0, noise=0.3):
    """A table of binary variables that follow each other in a chain, loosely."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_rows, n), int)
    codes[:, 0] = rng.integers(0, 2, n_rows)
    for k in range(1, n):
        codes[:, k] = np.where(rng.random(n_rows) < noise, 1 - codes[:, k - 1], codes[:, k - 1])
    return EncodedTable.from_codes(codes)


@given(tables(max_variables=5, max_rows=25), GROW, ORDER)
def test_each_blanket_is_that_of_the_cheapest_of_all_runs(table, grow, order):
    expected, n = oracle(table), table.n_variables
    orders = naive_tree.orders_of(expected, n, order)
    test = BayesianTest(table)
    for x in range(n):
        runs = naive_tree.every_run(naive_tree.grow_shrink(x, orders[x], grow), expected.log_probabilities)
        cost, _, blanket = naive_tree.cheapest(runs, naive_tree.blanket_rank)
        found = tree_search(grow_shrink(test, x, grow, order), test)
        assert found.score == pytest.approx(-cost, abs=1e-8)
        assert sorted(found.found) == sorted(blanket)
        assert found.bound == pytest.approx(found.score, abs=2e-9)
        assert found.stopped == "optimum"


@settings(max_examples=25)
@given(tables(max_variables=3, max_rows=25), GROW, ORDER, RULE)
def test_the_structure_is_that_of_the_cheapest_path_of_the_whole_tree(table, grow, order, rule):
    expected, n = oracle(table), table.n_variables
    algorithm = naive_tree.gsmn(naive_tree.orders_of(expected, n, order), grow, rule)
    runs = naive_tree.every_run(algorithm, expected.log_probabilities)
    cost, _, edges = naive_tree.cheapest(runs, naive_tree.edges_rank)
    test = BayesianTest(table)
    operator = gsmn_operator(test, rule=rule, grow=grow, order=order)
    decomposed, whole = tree_search(operator, test), tree_search(as_one(operator), test)
    assert decomposed.score == pytest.approx(-cost, abs=1e-8)
    assert whole.score == pytest.approx(-cost, abs=1e-8)
    assert edge_set(whole.found) == edges
    assert naive_tree.uniform_cost(algorithm, expected.log_probabilities)[0] == pytest.approx(cost, abs=1e-8)
    winners = [found for other, _, found in runs if other <= cost + 1e-6]
    if all(found == edges for found in winners):
        assert edge_set(decomposed.found) == edges


@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from([4, 5]), ORDER)
def test_the_whole_tree_and_its_parts_agree_for_more_variables(seed, n, order):
    table = noisy(n, 60, seed)
    test = BayesianTest(table)
    operator = gsmn_operator(test, order=order)
    decomposed, whole = tree_search(operator, test), tree_search(as_one(operator), test)
    assert decomposed.score == pytest.approx(whole.score, abs=1e-8)
    assert decomposed.found == whole.found
    assert decomposed.n_nodes < whole.n_nodes


def test_the_naive_uniform_cost_search_agrees_on_four_variables():
    table = noisy(4, 80, 3)
    expected, test = oracle(table), BayesianTest(table)
    algorithm = naive_tree.gsmn(naive_tree.orders_of(expected, 4, "association"), "once", "or")
    cost, edges, _ = naive_tree.uniform_cost(algorithm, expected.log_probabilities)
    found = tree_search(gsmn_operator(test), test)
    assert found.score == pytest.approx(-cost, abs=1e-8)
    assert edge_set(found.found) == edges


@given(tables(max_variables=5), GROW, ORDER)
def test_the_score_is_that_of_the_assertions_of_the_run(table, grow, order):
    test = BayesianTest(table)
    operator = gsmn_operator(test, grow=grow, order=order)
    found = tree_search(operator, test)
    assert found.score == pytest.approx(closure_score(test, found.closure), abs=1e-8)
    for x, part in enumerate(operator.parts):
        own = [a for a in found.closure if a.x == x]
        state = part.begin()
        for assertion in own:
            assert part.question(state) == Triplet(*assertion[:3])
            state = part.after(state, assertion.independent)
        assert part.question(state) is None
        asked = [Triplet(*a[:3]).canonical() for a in own]
        assert len(set(asked)) == len(asked)
        assert set(asked) <= found.tests.triplets()


@given(tables(max_variables=5))
def test_no_run_is_better_than_the_cheapest_and_gsmns_own_is_no_better(table):
    test = BayesianTest(table)
    operator = gsmn_operator(test)
    best = tree_search(operator, test)
    state, cost = operator.begin(), 0.0
    while (triplet := operator.question(state)) is not None:
        answer = test.ask_triplet(triplet).independent
        cost -= test.log_posteriors(triplet)[0 if answer else 1]
        state = operator.after(state, answer)
    assert operator.outcome(state) == gsmn(test)
    assert best.score >= -cost - 1e-8


@given(st.data())
def test_the_perfect_test_leaves_one_run_and_it_finds_the_truth(data):
    true = data.draw(graphs(data.draw(st.integers(2, 6))))
    test = SeparationTest(true)
    for rule in ("or", "and"):
        found = tree_search(gsmn_operator(test, rule=rule), test)
        assert (found.found, found.score, found.bound) == (true, 0.0, 0.0)


@given(tables(max_variables=4), GROW, ORDER, st.lists(st.booleans(), max_size=60))
def test_a_state_asks_the_same_as_the_assertions_it_condenses(table, grow, order, answers):
    """The operator asks what the plain algorithm asks, whatever the answers, and never twice."""
    expected, n = oracle(table), table.n_variables
    orders = naive_tree.orders_of(expected, n, order)
    test = BayesianTest(table)
    for x in range(n):
        operator, algorithm = grow_shrink(test, x, grow, order), naive_tree.grow_shrink(x, orders[x], grow)
        state, given_so_far = operator.begin(), []
        for answer in answers:
            is_over, found = naive_tree.play(algorithm, given_so_far)
            triplet = operator.question(state)
            assert (triplet is None) == is_over
            if triplet is None:
                assert operator.outcome(state) == tuple(found)
                break
            assert tuple(triplet.canonical()) == tuple(found)
            state = operator.after(state, answer)
            given_so_far.append(answer)


@settings(max_examples=20)
@given(st.integers(3, 5), GROW, st.integers(0, 10**6))
def test_merged_states_have_the_same_future(n, grow, seed):
    """Walk at random from two paths that meet in one state, with the same answers: nothing differs."""
    random = Random(seed)
    test = SeparationTest(MarkovGraph.empty(n))
    operator = grow_shrink(test, 0, grow, "columns")
    algorithm = naive_tree.grow_shrink(0, list(range(1, n)), grow)
    seen = {}
    for _ in range(60):
        state, answers = operator.begin(), []
        while operator.question(state) is not None:
            answers.append(random.random() < 0.5)
            state = operator.after(state, answers[-1])
            other = seen.setdefault(state, tuple(answers))
            tail = [random.random() < 0.5 for _ in range(40)]
            for k in range(len(tail)):
                one, two = (naive_tree.play(algorithm, (*path, *tail[:k])) for path in (other, answers))
                assert one == two
                if one[0]:
                    break


def test_the_example_tree_of_the_paper_gives_its_marked_path():
    costs = {p: -math.log(p) for p in (0.4, 0.6, 0.5, 0.7, 0.75, 0.85)}
    tree = DictTree(
        "0",
        {
            "0": [(costs[0.4], "2I"), (costs[0.7], "2D")],
            "2I": [(costs[0.6], "2I 1I"), (costs[0.5], "2I 1D")],
            "2D": [(costs[0.75], "2D 1I"), (costs[0.85], "2D 1D")],
        },
    )
    search = BestFirst(tree)
    search.advance()
    assert search.path() == ["0", "2D", "2D 1D"]
    assert search.cost == pytest.approx(0.52, abs=5e-3)
    assert math.exp(-search.cost) == pytest.approx(0.60, abs=6e-3)
    assert search.n_expanded == 2


@given(st.data())
def test_the_search_over_raw_costs_finds_the_cheapest_leaf_and_settles_ties_by_rank(data):
    """Random graphs without cycles, so that states merge; costs from a few values, so that they tie."""
    n = data.draw(st.integers(1, 9))
    prices = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    branches = {
        k: [(data.draw(prices), child) for child in range(k + 1, n) if data.draw(st.booleans())]
        for k in range(n)
    }
    leaves = []

    def walk(k, cost):
        if not branches[k]:
            leaves.append((cost, k))
        for price, child in branches[k]:
            walk(child, cost + price)

    walk(0, 0.0)
    least = min(cost for cost, _ in leaves)
    search = BestFirst(DictTree(0, branches))
    search.advance()
    assert search.cost == least
    assert search.leaf == min(k for cost, k in leaves if cost == least)
    assert search.lowest == least
    bits = BestFirst(DictTree(0, branches))
    while not bits.is_done:
        bits.advance(Allowance(n_nodes=1))
        assert bits.lowest <= least <= bits.cost
    assert (bits.cost, bits.leaf) == (search.cost, search.leaf)


@pytest.mark.parametrize(
    "limits", [{"max_nodes": 40}, {"max_memory": "30 kB"}, {"max_seconds": 1e-9}], ids=str
)
def test_a_limit_gives_the_best_so_far_and_a_bound_that_holds(limits):
    test = BayesianTest(noisy(8, 30, noise=0.4))
    operator = gsmn_operator(test)
    full = tree_search(operator, test)
    cut = tree_search(operator, test, budget=make_budget(**limits))
    assert cut.stopped == next(iter(limits))
    assert cut.score <= full.score + 1e-9 <= cut.bound + 2e-9
    assert cut.gap > 0
    assert cut.n_nodes < full.n_nodes
    assert cut.score == pytest.approx(closure_score(test, cut.closure), abs=1e-8)


def test_more_nodes_never_give_a_worse_bound_and_enough_give_the_optimum():
    test = BayesianTest(noisy(6, 30, noise=0.4))
    operator = gsmn_operator(test)
    full = tree_search(operator, test)
    bounds = [tree_search(operator, test, budget=Budget(k)).bound for k in range(6, full.n_nodes, 10)]
    assert bounds == sorted(bounds, reverse=True)
    enough = tree_search(operator, test, budget=Budget(6 * full.n_nodes))
    assert (enough.found, enough.score, enough.stopped) == (full.found, full.score, "optimum")


@pytest.mark.parametrize("value", ["", "many", "5 bananas", -3, 0, True, "0 MB", 1.5e400])
def test_an_amount_of_memory_that_makes_no_sense_is_refused(value):
    with pytest.raises(InvalidOptionError, match="max_memory"):
        as_bytes(value)


def test_a_callback_hears_where_the_search_stands():
    test = BayesianTest(noisy(6, 30, noise=0.4))
    heard = []
    found = tree_search(gsmn_operator(test), test, callback=heard.append)
    assert heard[-1].done == heard[-1].total == 6
    assert heard[-1].cost == heard[-1].bound == -found.score
    assert heard[-1].n_nodes == found.n_nodes


def test_an_interrupted_search_returns_the_best_so_far():
    test = BayesianTest(noisy(8, 30, noise=0.4))
    full = tree_search(gsmn_operator(test), test)
    calls = []

    class Interrupting(BayesianTest):
        def row(self, x, given):
            calls.append(x)
            if len(calls) == 60:
                raise KeyboardInterrupt
            return super().row(x, given)

    broken = Interrupting(test.table)
    operator = gsmn_operator(test)
    cut = tree_search(operator, broken)
    assert cut.stopped == "interrupted"
    assert cut.score <= full.score + 1e-9 <= cut.bound + 2e-9
    assert cut.score == pytest.approx(closure_score(test, cut.closure), abs=1e-8)


def test_an_algorithm_written_as_a_generator_is_an_operator():
    def dependent():
        first = not (yield Triplet(0, 1, ()))
        second = not (yield Triplet(0, 2, ()))
        again = not (yield Triplet(1, 0, ()))
        return (1,) * first + (2,) * second + (1,) * again

    test = BayesianTest(noisy(3, 100, noise=0.1))
    operator = Replayed(dependent)
    assert run(operator, test) == (1, 2, 1)
    found = tree_search(operator, test)
    assert found.found == (1, 2, 1)
    assert len(found.closure) == 2


def test_operators_in_turn_with_nothing_to_ask_pass_on():
    def nothing():
        return ()
        yield

    def something():
        return ((yield Triplet(0, 1, ())),)

    operator = InTurn([Replayed(nothing), Replayed(something), Replayed(nothing)], lambda found: found)
    assert operator.question(operator.begin()) == Triplet(0, 1, ())
    assert operator.outcome(operator.after(operator.begin(), True)) == ((), (True,), ())
    empty = InTurn([], lambda found: found)
    assert empty.question(empty.begin()) is None


def test_a_run_search_remembers_only_distinct_tests():
    test = BayesianTest(noisy(5, 40))
    search = RunSearch(grow_shrink(test, 0), test)
    search.advance()
    assert all(triplet == triplet.canonical() and triplet.x == 0 for triplet in search.tests.triplets())
