"""Looks at blankets of at most seven binary members: the layout, the terms, and threads that share them."""

from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import scaled
from ibmap import BayesianTest, small_looks
from ibmap.binary_score import BinaryScore
from ibmap.kernels import atomics, small_look
from ibmap.kernels.binary_layout import LARGE, TINY, WORD
from ibmap.kernels.compiling import IS_COMPILED, kernel
from ibmap.kernels.small_layout import FEW, HUGE_END, LARGE_END, LIVE_END, N_OUTSIDE, N_SLICES, SMALL_END
from ibmap.score import TestScore
from ibmap.small_looks import MOST_MEMBERS, Crew, Desk, Request
from ibmap.table import EncodedTable

compiled = pytest.mark.skipif(not IS_COMPILED, reason="compilation is off")


def random_codes(seed, n_rows, n_variables, skew=0.0):
    """Draw a chain of variables; with `skew` most rows are alike, so that slices differ much in size."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_rows, n_variables))
    for v in range(1, n_variables):
        codes[:, v] = np.where(rng.random(n_rows) < 0.4, codes[:, v - 1], codes[:, v])
    codes[rng.random(n_rows) < skew] = 0
    codes[: min(2, n_rows)] = np.arange(min(2, n_rows))[:, None]  # no column is constant
    return codes


def score_of(codes, weights=None):
    table = EncodedTable.from_codes(codes, [2] * codes.shape[1], weights=weights)
    return BinaryScore(BayesianTest(table))


def naive_slices(codes, weights, x, members):
    """Count data points by slice and X, and those with ones, by loops over the rows."""
    sizes, ones = {}, {}
    for row, weight in zip(codes.tolist(), weights.tolist(), strict=True):
        key = sum(row[m] << k for k, m in enumerate(members))
        sizes.setdefault(key, [0, 0])[row[x]] += weight
        for v, state in enumerate(row):
            ones.setdefault((v, key), [0, 0])[row[x]] += weight * state
    return sizes, ones


@st.composite
def looks(draw):
    """Draw a table with weights, a variable and a blanket."""
    n_variables = draw(st.integers(2, 9))
    seed, n_rows, skew = draw(st.integers(0, 999)), draw(st.integers(2, 400)), draw(st.sampled_from([0, 0.9]))
    codes = random_codes(seed, n_rows, n_variables, skew)
    most = draw(st.sampled_from([1, 3, 1500]))
    weights = np.random.default_rng(draw(st.integers(0, 99))).integers(1, most + 1, len(codes))
    order = draw(st.permutations(range(n_variables)))
    members = sorted(order[1 : 1 + draw(st.integers(0, min(MOST_MEMBERS, n_variables - 1)))])
    return codes, weights, order[0], members


@given(looks())
def test_the_layout_counts_what_loops_over_rows_count(look):
    codes, weights, x, members = look
    desk = Desk(score_of(codes, weights)._small._data, 1)
    desk.look([Request(x, members)])
    rooms, ends = desk._rooms, desk._rooms.ends[0]
    sizes, ones = naive_slices(codes, weights, x, members)
    n, m = ends[N_SLICES], ends[N_OUTSIDE]
    keys = rooms.keys[0, :n].tolist()
    assert {key: size.tolist() for key, size in zip(keys, rooms.sizes[0, :n], strict=True)} == sizes
    assert rooms.sizes[0, n].tolist() == [0, 0]
    outside = rooms.outside[0, :m].tolist()
    assert outside == [v for v in range(codes.shape[1]) if v != x and v not in members]
    counted = rooms.ones[0, : 2 * m * (n + 1)].reshape(m, n + 1, 2)
    for v, column in zip(outside, counted, strict=True):
        assert column.tolist() == [*(ones[v, key] for key in keys), [0, 0]]


@given(looks())
def test_slices_come_from_large_to_small_and_their_kinds_end_where_they_should(look):
    codes, weights, x, members = look
    desk = Desk(score_of(codes, weights)._small._data, 1)
    desk.look([Request(x, members)])
    ends = desk._rooms.ends[0]
    sizes = desk._rooms.sizes[0, : ends[N_SLICES]].sum(axis=1)
    kinds = [(size <= LARGE, size <= WORD, size if size <= WORD else 0) for size in sizes.tolist()]
    assert kinds == sorted(kinds, key=lambda kind: (kind[0], kind[1], -kind[2]))
    assert ends[HUGE_END] == (sizes > LARGE).sum()
    assert ends[LARGE_END] == (sizes > WORD).sum()
    assert ends[LIVE_END] == (sizes > 1).sum()
    n_tiny = ((sizes > 1) & (sizes <= TINY)).sum()
    assert ends[SMALL_END] == (ends[LIVE_END] if n_tiny < FEW else (sizes > TINY).sum())


WIDE = [(300, k) for k in range(MOST_MEMBERS + 1)]
WIDE += [(3000, k) for k in scaled(range(MOST_MEMBERS + 1), (0, 2))]  # slices of over 1000 data points


@given(looks())
def test_terms_are_those_of_the_definition(look):
    codes, weights, x, members = look
    score = score_of(codes, weights)
    expected = TestScore(BayesianTest(EncodedTable.from_codes(codes, [2] * codes.shape[1], weights=weights)))
    assert score.changes(x, tuple(members)) == pytest.approx(expected.changes(x, tuple(members)), abs=1e-8)


@pytest.mark.parametrize(("n_rows", "n_members"), WIDE)
def test_terms_of_wide_tables_are_those_of_single_blankets(n_rows, n_members):
    score = score_of(random_codes(n_rows, n_rows, 70))  # more columns than bits of a word
    blanket = tuple(range(3, 3 + 9 * n_members, 9))
    changes = score.changes(1, blanket)
    for y in (0, 1, 2, 3, 12, 64, 69):
        changed = {*blanket} if y == 1 else {*blanket} ^ {y}
        assert changes[y] == pytest.approx(score.term(1, tuple(sorted(changed))), rel=1e-9, abs=1e-8)


def requests_for(n_variables, n_requests):
    """Ask for looks at blankets of all sizes."""
    rng = np.random.default_rng(2)
    found = []
    for k in range(n_requests):
        x, *others = rng.permutation(n_variables).tolist()
        found.append(Request(x, sorted(others[: k % (MOST_MEMBERS + 1)])))
    return found


@pytest.mark.parametrize("n_threads", [1, 2, 3, 5] if IS_COMPILED else [1])
def test_any_number_of_threads_finds_the_same_bits(n_threads):
    score = score_of(random_codes(4, scaled(2000, 500), 14))
    requests = requests_for(14, 19)
    expected = [score._small.look(*request) for request in requests]
    with score._small.crew(n_threads) as crew:
        for _ in range(10 if IS_COMPILED else 1):
            found = crew.look(requests)
            assert all(np.array_equal(f, e) for f, e in zip(found, expected, strict=True))


@pytest.mark.parametrize("n_threads", [1, 2] if IS_COMPILED else [1])
@pytest.mark.parametrize("n_requests", [0, 1, 5])
def test_a_call_is_made_once_beside_looks(n_requests, n_threads):
    score = score_of(random_codes(11, 500, 9))
    requests, calls = requests_for(9, n_requests), []
    expected = [score._small.look(*request) for request in requests]
    with score._small.crew(n_threads) as crew:
        found = crew.look(requests, lambda: calls.append(1))
    assert calls == [1]
    assert all(np.array_equal(f, e) for f, e in zip(found, expected, strict=True))


@compiled
def test_looks_whose_call_fails_are_left_and_the_helpers_end():
    score = score_of(random_codes(12, 500, 9))
    requests = requests_for(9, 2)
    with score._small.crew(3) as crew:
        with pytest.raises(ZeroDivisionError):
            crew.look(requests, lambda: 1 // 0)
        assert not any(thread.is_alive() for thread in crew._threads)
        with pytest.raises(RuntimeError, match="have ended"):
            crew.look(requests)


@pytest.mark.parametrize("weights", [[1, 2, 1, 3] * 20, [1, 1] * 40])
def test_weights_of_any_kind_of_array_are_taken(weights):
    codes = random_codes(13, 80, 6)
    table = EncodedTable.from_codes(codes, [2] * 6, weights=weights)
    expected = BinaryScore(BayesianTest(table)).changes(0, (1, 2))
    read_only, strided = table.weights.copy(), np.repeat(table.weights, 2)[::2]
    read_only.setflags(write=False)
    for other in (read_only, strided, table.weights.astype(np.int32)):
        score = BinaryScore(BayesianTest(replace(table, weights=other)))
        assert np.array_equal(score.changes(0, (1, 2)), expected)


@compiled
def test_helpers_that_fell_asleep_are_woken_and_end_with_the_crew(monkeypatch):
    monkeypatch.setattr(small_looks, "PATIENCE", 0)
    score = score_of(random_codes(5, 500, 10))
    requests = requests_for(10, 8)
    with score._small.crew(3) as crew:
        for thread in crew._threads:
            thread.join(0.05)
        assert crew._n_asleep == 2
        found = [crew.look(requests) for _ in range(20)]
    assert not any(thread.is_alive() for thread in crew._threads)
    assert all(np.array_equal(f, e) for each in found for f, e in zip(each, found[0], strict=True))


@compiled
def test_what_a_helper_fails_at_is_raised_where_the_looks_were_asked_for(monkeypatch):
    def fail(self):
        raise MemoryError

    monkeypatch.setattr(Desk, "help", fail)
    score = score_of(random_codes(6, 500, 10))
    with score._small.crew(2) as crew:
        crew._threads[0].join()
        with pytest.raises(MemoryError):
            crew.look(requests_for(10, 2))


def test_several_threads_may_look_for_themselves():
    score = score_of(random_codes(7, scaled(1000, 200), 12))
    requests = requests_for(12, scaled(16, 8))
    expected = [score.changes(x, tuple(members)) for x, members in requests]
    found = [None] * 4

    def look_at_all(k):
        found[k] = [score.changes(x, tuple(members)) for x, members in requests]

    threads = [Thread(target=look_at_all, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(f, e) for each in found for f, e in zip(each, expected, strict=True))


@kernel
def count_up(board, n_times):
    for _ in range(n_times):
        atomics.fetch_add(board, 1, 2)


@compiled
def test_threads_that_add_to_a_number_at_once_lose_nothing():
    board = np.zeros(3, np.int64)
    threads = [Thread(target=count_up, args=(board, 100_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert board.tolist() == [0, 800_000, 0]


@kernel
def use_all(board):
    atomics.store(board, 0, 5)
    before = atomics.fetch_add(board, 0, 3)
    atomics.rest()
    return before, atomics.load(board, 0)


def test_numbers_on_a_board_are_stored_added_to_and_loaded():
    assert use_all(np.zeros(1, np.int64)) == (5, 8)


def test_a_crew_without_requests_finds_nothing():
    with score_of(random_codes(8, 50, 4))._small.crew(2) as crew:
        assert isinstance(crew, Crew)
        assert crew.look([]) == []


@kernel
def offer(board, n_looks):
    small_look.offer(n_looks, board)


@kernel
def take_look(board):
    return small_look.take_look(board)


@kernel
def take_any_part(board, first, n_rooms):
    return small_look.take_any_part(board, first, n_rooms)


@kernel
def add_late(board, place):
    """Do what is left to do for a thread that saw something, and was held up until others had taken all."""
    return atomics.fetch_add(board, place, 1)


@pytest.mark.parametrize("sizes", [(1, 3), (3, 1), (2, 2)])
def test_each_look_of_a_batch_is_given_out_once_whoever_comes_late(sizes):
    board = np.zeros(small_look.PART, np.int64)
    for n_looks in sizes:
        offer(board, n_looks)
        assert [take_look(board) for _ in range(n_looks)] == list(range(n_looks))
        assert take_look(board) == -1
        late = add_late(board, small_look.NEXT)  # what it gets tells that there is none
        assert late & small_look.TAKEN == n_looks
        assert late >> small_look.COUNT == n_looks


def test_each_part_is_given_out_once_and_those_of_a_threads_own_look_first():
    n_parts, line = small_look.N_PARTS, small_look.LINE
    board = np.zeros(small_look.PART + 3 * line, np.int64)
    board[small_look.PART :: line] = n_parts
    for _ in range(2):
        assert take_any_part(board, 1, 3)[0] == -1
        board[small_look.PART + line], board[small_look.PART] = 0, 0
        found = [take_any_part(board, 1, 3) for _ in range(2 * n_parts)]
        assert found == [(part, k) for k in (1, 0) for part in range(n_parts)]
        assert add_late(board, small_look.PART) == n_parts


@compiled
def test_helpers_give_up_a_look_whose_layout_never_comes():
    desk = Desk(score_of(random_codes(9, 200, 6))._small._data, 1)
    desk._board[small_look.NEXT] = (1 << small_look.COUNT) + 1  # one look, whose layout someone has taken
    helper = Thread(target=desk.help, daemon=True)
    helper.start()
    helper.join(0.05)
    desk.close()
    helper.join(10)
    assert not helper.is_alive()


def test_members_may_come_in_any_order():
    score = score_of(random_codes(10, 300, 7))
    assert np.array_equal(score.changes(0, (5, 2, 4)), score.changes(0, (2, 4, 5)))


@compiled
def test_a_crew_that_cannot_start_leaves_no_thread_behind(monkeypatch):
    started = []

    def start(thread):
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        real_start(thread)

    real_start = Thread.start
    monkeypatch.setattr(Thread, "start", start)
    crew = score_of(random_codes(11, 50, 4))._small.crew(5)
    with pytest.raises(RuntimeError), crew:
        pass
    assert [thread.is_alive() for thread in started] == [False, False]
