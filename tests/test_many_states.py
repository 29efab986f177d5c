"""Terms of tables of many states by groups of slices, against the definition."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numba import njit

import naive_terms
from effort import scaled
from ibmap import IBMAPHC, BayesianTest, table_score
from ibmap.graph import MarkovGraph
from ibmap.independence.table_numbers import TableNumbers
from ibmap.kernels import lanes
from ibmap.kernels.blanket_slices import list_slices, merged_groups, slice_table
from ibmap.kernels.class_pairs import Cells, number_cells
from ibmap.kernels.compiling import IS_COMPILED
from ibmap.kernels.context import all_given
from ibmap.kernels.negligible import points_needed
from ibmap.kernels.slice_groups import as_partition, new_marks
from ibmap.kernels.sparse_members import new_groups_of_two, without_each
from ibmap.score import TestScore
from ibmap.search.hill_climbing import hill_climb
from ibmap.sharing import Team
from ibmap.table import EncodedTable
from ibmap.table_score import TableScore
from strategies import plain, tables


@pytest.fixture(autouse=True, scope="module")
def _any_number_of_rows():
    """Let small tables take the way of large ones."""
    rows, columns = table_score.WORTHWHILE, lanes.LEAST
    table_score.WORTHWHILE = lanes.LEAST = 0
    yield
    table_score.WORTHWHILE, lanes.LEAST = rows, columns


@njit
def groups_without_each(context, data, x, members, least):
    """Call kernels that Python cannot: the groups once each member is dropped."""
    slices = list_slices(context, data.codes[:, x], data.weights)
    table = slice_table(slices, data, members, least)
    groups, _ = without_each(table, new_marks(table))
    codes = table.codes
    found = [merged_groups(slices, as_partition(groups[p]), codes[:, p]) for p in range(len(members))]
    return slices, found


def rows_of_slices(slices, parts):
    """List the rows of some slices."""
    return [row for s in parts for row in slices.rows[slices.starts[s] : slices.starts[s + 1]].tolist()]


@njit
def groups_without_two(context, data, x, members, n_marks, least):
    """Call kernels that Python cannot: the slices, and groups in which two members vary."""
    slices = list_slices(context, data.codes[:, x], data.weights)
    table = slice_table(slices, data, members, least)
    marks = np.zeros(n_marks, np.int64)
    _, pairs = without_each(table, marks)
    found = new_groups_of_two(pairs, table, marks)
    return slices, [(ranges, as_partition(groups)) for ranges, groups in found]


@njit
def numbered_cells(ids, others, n_states):
    """Call a kernel that Python cannot: the cell of each row, and the states of each cell."""
    n = ids.shape[0]
    cells = Cells(
        np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32),
        np.empty(n_states[0] + 1, np.int32), np.empty(n, np.int32), np.empty(n_states[1], np.int32),
    )  # fmt: skip
    number_cells(ids, others, n_states, cells)
    return cells.numbers, cells.first, cells.second


@njit
def needed(n_x, n_y, has_sums, log_wanted):
    """Call a kernel that Python cannot: the data points a Bayes factor needs."""
    return points_needed(n_x, n_y, has_sums, log_wanted, np.int64(1000))


@st.composite
def wide_tables(draw):
    """More states than occur, so that most configurations of a few columns have no data."""
    table = draw(tables(min_variables=5, max_variables=7, max_rows=30, max_states=3))
    extra = draw(st.lists(st.integers(0, 9), min_size=table.n_variables, max_size=table.n_variables))
    return EncodedTable.from_codes(table.codes, table.cardinalities + extra, weights=table.weights)


@st.composite
def questions(draw, table):
    """A variable and a blanket."""
    order = draw(st.permutations(range(table.n_variables)))
    size = draw(st.integers(2, table.n_variables - 1))
    return order[0], tuple(sorted(order[1 : 1 + size]))


@given(st.data())
def test_terms_where_most_configurations_have_no_data_match_the_definition(data):
    table = data.draw(wide_tables())
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9, 0.999])),
    }
    score = TableScore(BayesianTest(table, **options))
    assume(score._is_sparse(blanket, 1))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket, **options)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@st.composite
def long_tables(draw):
    """A few rows over and over, with others in between: groups of many rows and of few."""
    n_variables = draw(st.integers(4, 10))
    common = draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = generator.integers(0, 3, (common, n_variables))
    codes = kinds[generator.integers(0, common, draw(st.sampled_from([1, 60, 150])))]
    is_other = generator.random(codes.shape) < draw(st.sampled_from([0.02, 0.2, 0.6]))
    codes = np.where(is_other, generator.integers(0, 4, codes.shape), codes)
    codes[:, 0] = 0
    cards = draw(st.lists(st.sampled_from([4, 5, 9, 30, 200]), min_size=n_variables, max_size=n_variables))
    weights = np.ones(len(codes), np.int64)
    weights[:3] = draw(st.sampled_from([1, 5]))
    return EncodedTable.from_codes(codes, cards, weights=weights)


@given(st.data())
def test_groups_of_many_rows_and_of_few_match_the_definition(data):
    table = data.draw(long_tables())
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9])),
    }
    score = TableScore(BayesianTest(table, **options))
    assume(score._is_sparse(blanket, 1))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket, **options)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.data())
def test_terms_of_large_slices_with_rare_states_match_the_definition(data):
    table = data.draw(long_tables())
    order = data.draw(st.permutations(range(table.n_variables)))
    x, blanket = order[0], tuple(sorted(order[1 : 1 + data.draw(st.integers(0, 2))]))
    score = TableScore(BayesianTest(table))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("has_blocks", [True, False])
def test_variables_of_several_blocks_have_the_terms_of_the_definition(has_blocks, monkeypatch):
    monkeypatch.setattr(lanes, "LEAST", 0 if has_blocks else 10**6)
    rng = np.random.default_rng(6)
    n_rows, n_variables = scaled((400, 70), (60, 35))
    codes = rng.integers(0, 5, (n_rows, n_variables))
    for k in range(1, n_variables):
        codes[:, k] = np.where(rng.random(n_rows) < 0.5, codes[:, k - 1], codes[:, k])
    test = BayesianTest(EncodedTable.from_codes(codes, rng.choice([5, 6, 9], n_variables)))
    for blanket in ((), (30, 33), (1, 2, 33), (1, 2, 3, 31, 32, 33)):
        found = TableScore(test).changes(0, blanket)
        assert found == pytest.approx(TestScore(test).changes(0, blanket), rel=1e-9, abs=1e-9)


@given(st.data())
def test_threads_that_share_a_look_find_the_same_bits(data):
    table = data.draw(long_tables())
    x, blanket = data.draw(questions(table))
    score = TableScore(BayesianTest(table))
    upper, is_exact = score.bounds(x, blanket)
    with Team(2) as team:
        for shared in team.run([score.shared_bounds(x, blanket) for _ in range(2)]):
            assert shared[0].tobytes() == upper.tobytes()
            assert shared[1].tolist() == is_exact.tolist()


@given(st.data())
def test_groups_are_the_slices_that_dropping_a_member_merges(data):
    table = data.draw(wide_tables())
    x, blanket = data.draw(questions(table))
    test = BayesianTest(table)
    numbers = TableNumbers(test.table, test.prior).data
    context = all_given(numbers, x, np.array(blanket))
    unweighted = numbers._replace(weights=numbers.weights[:0])
    least = data.draw(st.sampled_from([2, 3, 5]))
    slices, found = groups_without_each(context, unweighted, x, np.array(blanket), least)
    rows = table.codes.tolist()
    for b, groups in zip(blanket, found, strict=True):
        parts = [groups.parts[i:j] for i, j in itertools.pairwise(groups.part_starts)]
        listed = [sorted(rows_of_slices(slices, each)) for each in parts]
        merged = [each for each in listed if len({tuple(rows[i][c] for c in blanket) for i in each}) > 1]
        wanted = [each for each in naive_terms.groups(rows, blanket, [b]) if len(each) >= least]
        assert sorted(merged) == wanted
        assert len(merged) == len(listed) or least > 2  # a large slice may be a group of its own
        for each, (i, j) in zip(listed, itertools.pairwise(groups.cell_starts), strict=True):
            states = zip(groups.cell_x[i:j].tolist(), groups.cell_y[i:j].tolist(), strict=True)
            cells = dict(zip(states, groups.cell_counts[i:j].tolist(), strict=True))
            assert cells == Counter((rows[k][x], rows[k][b]) for k in each)


@given(st.data())
def test_a_set_of_many_variables_has_the_slices_of_the_definition(data):
    table = data.draw(wide_tables())
    x, given_set = data.draw(questions(table))
    test = BayesianTest(table)
    found = all_given(TableNumbers(test.table, test.prior).data, x, np.array(given_set))
    slices = naive_terms.configurations(table.codes.tolist(), given_set).values()
    live = [each for each in slices if table.weights[each].sum() > 1]
    listed = [found.rows[i:j] for i, j in itertools.pairwise(found.starts)]
    assert sorted(sorted(each.tolist()) for each in listed) == sorted(live)
    assert all((np.diff(table.codes[each, x].astype(int)) >= 0).all() for each in listed)
    assert found.n_single == len(slices) - len(live)


@given(st.data())
def test_new_groups_of_two_members_are_those_in_which_both_vary(data):
    table = data.draw(wide_tables())
    x, blanket = data.draw(questions(table))
    test = BayesianTest(table)
    numbers = TableNumbers(test.table, test.prior).data
    members = np.array(blanket)
    n_marks = data.draw(st.sampled_from([12, 13, 1000]))  # all groups at once, or a few at a time
    least, context = data.draw(st.sampled_from([2, 3, 5])), all_given(numbers, x, members)
    slices, found = groups_without_two(context, numbers, x, members, n_marks, least)
    rows = table.codes.tolist()
    pairs = {(ranges[0], ranges[2]): groups for ranges, groups in found}
    for p, q in itertools.combinations(range(len(blanket)), 2):
        listed = []
        if (p, q) in pairs:
            groups = pairs[p, q]
            for i, j in itertools.pairwise(groups.starts):
                parts = [slices.rows[slices.starts[s] : slices.starts[s + 1]] for s in groups.rows[i:j]]
                listed.append(sorted(np.concatenate(parts).tolist()))
        expected = naive_terms.groups(rows, blanket, [blanket[p], blanket[q]])
        assert sorted(listed) == [
            each
            for each in expected
            if all(len({rows[i][blanket[m]] for i in each}) > 1 for m in (p, q))
            and (least == 2 or table.weights[each].sum() >= least)
        ]


def test_a_climb_over_many_states_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(5)
    n_rows, n_variables = scaled((400, 9), (100, 6))
    codes = rng.integers(0, 8, (n_rows, n_variables))
    for k in range(1, n_variables):
        codes[:, k] = np.where(rng.random(n_rows) < 0.7, codes[:, k - 1], codes[:, k])
    table = EncodedTable.from_codes(codes)
    one, two = (IBMAPHC(start="empty", n_jobs=n).fit(table) for n in (1, 2))
    assert one.score_ == two.score_
    assert one.result_.trace == two.result_.trace


def test_states_may_outnumber_the_rows():
    rng = np.random.default_rng(0)
    codes = np.hstack([rng.integers(297, 300, (60, 4)), rng.integers(0, 2, (60, 3))])
    test = BayesianTest(EncodedTable.from_codes(codes, [300] * 4 + [2] * 3))
    blanket = (1, 2, 3, 4)
    found, slow = TableScore(test).changes(0, blanket), TestScore(test).changes(0, blanket)
    assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weight", [1, 3])
def test_two_columns_may_have_too_many_states_for_counters(weight):
    rng = np.random.default_rng(1)
    names = rng.integers(0, 250, 400)
    others = np.where(rng.random(400) < 0.5, names, rng.integers(0, 250, 400))
    codes = np.column_stack([rng.integers(0, 3, (400, 3)), names, others])
    codes[:, 1] = np.where(rng.random(400) < 0.6, codes[:, 0], codes[:, 1])
    weights = rng.integers(1, weight + 1, 400)
    test = BayesianTest(EncodedTable.from_codes(codes, [3, 3, 3, 250, 300], weights=weights))
    for x, blanket in ((0, ()), (0, (1,)), (3, (1,)), (0, (3,))):
        found, slow = TableScore(test).changes(x, blanket), TestScore(test).changes(x, blanket)
        assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=30))
def test_rows_have_the_same_cell_if_both_states_are_the_same(states):
    ids, others = np.array(states, np.uint16).T.copy()
    numbers, first, second = numbered_cells(ids, others, (7, 10))
    assert list(zip(first[numbers], second[numbers], strict=True)) == states
    assert sorted(set(numbers.tolist())) == list(range(len(set(states))))


@given(st.data())
def test_slices_of_any_length_give_the_terms_of_the_definition(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows, n_states = data.draw(st.sampled_from([3, 20, 63, 64, 65, 66, 150])), data.draw(st.integers(1, 9))
    table = copied_columns(rng, n_rows, n_states, data.draw(st.booleans()))
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-99, 0.999])),
        "slices": data.draw(st.sampled_from(["all", "seen"])),
    }
    rows, cards, weights = plain(table)
    few = blanket[: data.draw(st.integers(0, 2))]
    found = TableScore(BayesianTest(table, **options)).changes(x, few)
    expected = naive_terms.change_terms(rows, cards, weights, x, few, **options)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("prior", [1e-99, 1 - 1e-15])
def test_hundreds_of_states_stay_finite_with_any_prior(prior):
    n_states = scaled(200, 100)
    states = np.random.default_rng(1).integers(0, n_states, 16)
    codes = np.stack([states, states, states[::-1], 0 * states], axis=1)
    table = EncodedTable.from_codes(codes, np.array([n_states] * 3 + [3]))
    found = TableScore(BayesianTest(table, prior=prior)).changes(0, (1,))
    expected = naive_terms.change_terms(*plain(table), 0, (1,), prior=prior)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def copied_columns(rng, n_rows, n_states, is_weighted):
    """Columns of different numbers of states, each in part a copy of the one before, one of them constant."""
    cards = np.array([n_states, 2, n_states + 3, 1, n_states + 1, 40])
    codes = rng.integers(0, cards, (n_rows, 6))
    for k in range(1, 6):
        copied = np.minimum(codes[:, k - 1], cards[k] - 1)
        codes[:, k] = np.where(rng.random(n_rows) < rng.random(), copied, codes[:, k])
    weights = rng.integers(1, 4, n_rows) if is_weighted else None
    return EncodedTable.from_codes(codes, cards, weights=weights)


@given(st.data())
def test_no_slice_of_fewer_data_points_has_such_a_bayes_factor(data):
    cells = data.draw(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=2, max_size=5))
    if data.draw(st.booleans()):  # a diagonal, or one cell: the largest factors there are
        cells = [[count * (i == j) for j, count in enumerate(row)] for i, row in enumerate(cells)]
    n_x, n_y, has_sums = len(cells), 3, data.draw(st.booleans())
    alpha, beta = (n_y, n_x) if has_sums else (1, 1)
    log_ratio = sum(math.lgamma(1 + count) for row in cells for count in row)
    for counts, parameter in ((map(sum, cells), alpha), (map(sum, zip(*cells, strict=True)), beta)):
        log_ratio -= sum(math.lgamma(parameter + count) - math.lgamma(parameter) for count in counts)
    total = sum(map(sum, cells))
    for all_of, sign in ((alpha * n_x, 1), (beta * n_y, 1), (n_x * n_y, -1)):
        log_ratio += sign * (math.lgamma(all_of + total) - math.lgamma(all_of))
    assume(log_ratio > 1e-6)
    assert needed(n_x, n_y, has_sums, log_ratio - 1e-6) <= total


def test_groups_of_few_rows_are_left_out_where_they_cannot_matter():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (60, 14))
    codes[:40] = np.where(rng.random((40, 14)) < 0.97, 1, codes[:40])
    test = BayesianTest(EncodedTable.from_codes(codes, [200] * 14))
    for blanket in (tuple(range(1, 13)), tuple(range(2, 14))):
        found, slow = TableScore(test).changes(0, blanket), TestScore(test).changes(0, blanket)
        assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)


@pytest.mark.skipif(not IS_COMPILED, reason="compilation is off")
@pytest.mark.parametrize("strength", [0.3, 0.9])
def test_bounds_of_small_blankets_leave_a_climb_as_it_is(strength, monkeypatch):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 9, (600, 14))
    for k in range(1, 14):
        codes[:, k] = np.where(rng.random(600) < strength, codes[:, k - 1], codes[:, k])
    score = TableScore(BayesianTest(EncodedTable.from_codes(codes)))
    asked, look = [], score._shared_changes
    monkeypatch.setattr(score, "_shared_changes", lambda x, blanket: asked.append(x) or look(x, blanket))
    monkeypatch.setattr(table_score, "TELLING", 10**9)
    usual, n_looks = hill_climb(score, MarkovGraph.empty(14)), len(asked)
    monkeypatch.setattr(table_score, "TELLING", 0)
    found, n_fewer = hill_climb(score, MarkovGraph.empty(14)), len(asked) - n_looks
    assert found.graph == usual.graph
    assert [flip[:3] for flip in found.trace] == [flip[:3] for flip in usual.trace]
    assert found.score == pytest.approx(usual.score, rel=1e-12)
    assert found.tests.n_tests == usual.tests.n_tests
    assert 0 < n_fewer < n_looks  # some looks in full where many changes are in doubt
