"""Progress tells the truth: what was done, and how long it takes only where that can be known."""

import math

import numpy as np
import pytest

from ibmap import StopSearch
from ibmap.blankets.grow_shrink import gsmn_operator
from ibmap.cli.progress import Waiting, duration
from ibmap.data.table import EncodedTable
from ibmap.independence.bayesian import BayesianTest
from ibmap.learners import HillClimbingOptions, learn_hc
from ibmap.progress import Monitor, Progress
from ibmap.search.tree_search import tree_search


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture(name="clock")
def clock_fixture(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("ibmap.progress.time.monotonic", clock)
    return clock


def test_time_left_is_told_from_the_rate_of_the_phase_alone(clock):
    heard = []
    monitor = Monitor(heard.append)
    monitor.tell("blankets", 0, 100)
    clock.now += 50
    monitor.tell("scoring", 20, 100)  # a resumed phase: twenty steps are not its own
    clock.now += 0.5
    monitor.tell("scoring", 30, 100)
    clock.now += 9.5
    monitor.tell("scoring", 40, 100)
    monitor.tell("scoring", 100, 100)
    assert [p.seconds_left for p in heard] == [None, None, None, pytest.approx(10 / 20 * 60), 0.0]
    assert [p.seconds for p in heard] == [0.0, 50.0, 50.5, 60.0, 60.0]


def test_nothing_is_promised_where_nobody_knows(clock):
    heard = []
    monitor = Monitor(heard.append)
    for k in range(1, 20):
        clock.now += 3
        monitor.tell("ascending", k, n_ascents=k, score=-1.0)
    assert {p.seconds_left for p in heard} == {None}


def test_a_monitor_stops_once_and_for_all():
    heard = []

    def callback(progress):
        heard.append(progress)
        raise StopSearch

    monitor = Monitor(callback)
    assert not monitor.is_stopped
    monitor.tell("ascending", 1)
    monitor.tell("ascending", 2)
    assert monitor.is_stopped
    assert len(heard) == 1
    assert Monitor.of(monitor) is monitor
    Monitor().tell("ascending", 1)


@pytest.mark.compiled_only("what a climb tells of is not told by kernels")
def test_a_climb_tells_of_every_phase():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 3, 300)
    codes = [np.where(rng.random(300) < 0.7, base, rng.integers(0, 3, 300)) for _ in range(10)]
    heard = []
    result = learn_hc(
        EncodedTable.from_codes(np.stack(codes, axis=1)), HillClimbingOptions(), callback=heard.append
    )
    phases = [p.phase for p in heard]
    assert list(dict.fromkeys(phases))[:2] == ["blankets", "scoring"]
    assert [(p.done, p.total) for p in heard if p.phase == "blankets"] == [(k, 10) for k in range(10)]
    scored = [p.done for p in heard if p.phase == "scoring"]  # in parts that take half a second at most
    assert (scored[0], scored[-1]) == (0, 10) and scored == sorted(scored)
    assert all(p.total == 10 for p in heard if p.phase == "scoring")
    assert [p.n_ascents for p in heard if p.phase == "ascending"] == list(range(1, result.n_ascents + 1))
    assert [p.score for p in heard if p.phase == "ascending"] == [flip.score for flip in result.trace]
    assert all(p.total == 0 for p in heard if p.phase in ("ascending", "weighing", "settling"))
    tests = [p.n_tests for p in heard if p.phase != "blankets"]
    assert tests == sorted(tests)
    assert 0 < tests[-1] <= result.n_tests
    assert [p.seconds for p in heard] == sorted(p.seconds for p in heard)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_tree_search_stops_when_its_callback_says_so(monkeypatch, n_threads):
    monkeypatch.setattr("ibmap.search.tree_search.TELL_SECONDS", -1.0)
    rng = np.random.default_rng(0)
    test = BayesianTest(EncodedTable.from_codes(rng.integers(0, 2, (60, 8))))
    heard = []

    def callback(progress):
        heard.append(progress)
        raise StopSearch

    search = tree_search(gsmn_operator(test), test, n_threads=n_threads, callback=callback)
    assert search.stopped == "interrupted"
    assert len(heard) == 1
    assert search.found.n_variables == 8


def test_details_say_what_is_known():
    assert Progress("scoring", 1, 2).details() == ""
    assert Progress("blankets", 1, 2, n_tests=5).details() == "5 tests"
    assert Progress("weighing", 0, n_ascents=2).details() == "ascent 2"
    assert math.isnan(Progress("weighing", 0).score)


def test_the_bar_says_how_long_or_how_fast(monkeypatch):
    shown = []

    class Bar:
        task_ids = (0,)

        def update(self, _task, **what):
            shown.append(what)

        def stop(self):
            pass

    waiting = Waiting("learning")
    waiting._bar = Bar()
    waiting(Progress("scoring", 8, 16, seconds=3.0, seconds_left=130.0))
    waiting(Progress("ascending", 1, n_ascents=1, score=-5.0, seconds=4.0))
    waiting(Progress("ascending", 11, n_ascents=11, score=-4.0, seconds=9.0))
    assert [each["description"] for each in shown] == [
        "scoring every change of one edge, about 2 min left",
        "climbing, ascent 1, score -5.0",
        "climbing, ascent 11, score -4.0, 2.0 a second",
    ]
    assert [each["total"] for each in shown] == [16, None, None]
    assert [duration(s) for s in (3, 99, 101, 5399, 5400)] == ["3 s", "99 s", "2 min", "90 min", "1.5 h"]
