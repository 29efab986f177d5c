"""Works shared by threads: the same results for any number, in order, whatever fails."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.sharing import Team, alone, behind, whole

# a work to be tried: how many calls it makes at a time, stage after stage
stages = st.lists(st.integers(0, 4), max_size=4)


def adder(name, sizes, delay=0.0):
    """Make calls stage by stage; find the list of all they returned."""
    found = [name]
    for stage, size in enumerate(sizes):

        def call(k, stage=stage):
            time.sleep(delay * (k % 2))
            return (name, stage, k)

        found += yield tuple(lambda k=k, call=call: call(k) for k in range(size))
    return found


@given(st.lists(stages, max_size=6), st.integers(1, 4))
def test_a_team_of_any_size_finds_what_one_thread_finds(plans, n_threads):
    expected = [alone(adder(k, sizes)) for k, sizes in enumerate(plans)]
    with Team(n_threads) as team:
        for _ in range(2):  # a team can be used again
            assert team.run([adder(k, sizes) for k, sizes in enumerate(plans)]) == expected


def test_results_come_in_order_however_long_each_takes():
    with Team(3) as team:
        assert team.run([adder(k, [3, 2], delay=0.001 * (5 - k)) for k in range(5)]) == [
            alone(adder(k, [3, 2])) for k in range(5)
        ]
        assert team.map(lambda k: time.sleep(0.001 * (4 - k)) or k, range(4)) == [0, 1, 2, 3]


def test_calls_that_do_not_depend_on_each_other_run_at_once():
    meeting = threading.Barrier(3, timeout=30)

    def meet():
        yield (meeting.wait, meeting.wait)
        return "met"

    with Team(3) as team:
        assert team.run([meet(), whole(meeting.wait)])[0] == "met"


def test_a_team_begins_a_work_only_when_nothing_begun_is_left_to_take():
    order = []

    def noted(name):
        order.append(name)
        yield (lambda: order.append(name), lambda: order.append(name))

    def held():  # keeps one of the two threads busy until the other is done
        deadline = time.monotonic() + 10
        while len(order) < 6 and time.monotonic() < deadline:
            time.sleep(0.001)
        yield ()

    with Team(2) as team:
        team.run([held(), noted("a"), noted("b")])
    assert order == ["a", "a", "a", "b", "b", "b"]


@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("where", ["first", "call", "last"])
def test_an_error_is_raised_where_the_works_were_asked_for_and_the_team_goes_on(n_threads, where):
    def fails(at):
        if where == at:
            raise ZeroDivisionError(at)

    def broken():
        fails("first")
        yield (lambda: fails("call"), lambda: None)
        fails("last")

    before = threading.active_count()
    with Team(n_threads) as team:
        with pytest.raises(ZeroDivisionError, match=where):
            team.run([adder(0, [2]), broken(), *(adder(k, [2, 2]) for k in range(6))])
        assert team.map(abs, [-1, 2]) == [1, 2]
    assert threading.active_count() == before


def test_no_helper_outlives_its_team():
    before = threading.active_count()
    with Team(4) as team:
        team.map(abs, range(3))
        assert threading.active_count() == before + 3
    assert threading.active_count() == before
    with pytest.raises(KeyboardInterrupt), Team(2) as team:
        team.map(interrupted, range(2))
    assert threading.active_count() == before


def interrupted(_):
    """Be stopped by the user."""
    raise KeyboardInterrupt


def interrupted_in_a_kernel():
    """Raise what compiled code makes of an interrupt: errors of the interpreter, one around another."""
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("unpickling returned a result with an exception set") from error
    except SystemError as error:
        raise SystemError("a kernel returned a result with an exception set") from error


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interrupt_that_a_kernel_hides_is_raised_as_one(n_threads):
    with Team(n_threads) as team, pytest.raises(KeyboardInterrupt):
        team.map(lambda _: interrupted_in_a_kernel(), [0, 1])


def test_other_errors_of_the_interpreter_stay_what_they_are():
    with pytest.raises(SystemError):
        alone(whole(lambda: (_ for _ in ()).throw(SystemError("broken"))))
    assert isinstance(behind(SystemError("broken")), SystemError)
