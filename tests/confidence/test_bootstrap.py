import math

import numpy as np
import pytest

from ibmap.confidence.bootstrap import (
    Effort,
    Resampled,
    expected_false_edges,
    inclusion_threshold,
    resample,
    stability,
)
from ibmap.data.encoding import encode
from ibmap.errors import StopSearch
from ibmap.graph import MarkovGraph
from ibmap.learners import LEARNERS
from ibmap.progress import Monitor
from ibmap.simulate import random_network
from oracles import bootstrap as oracle


def learner(name):
    entry = LEARNERS[name]
    return lambda table: entry.learn(table, entry.options()).graph


def table_of(n, n_rows, seed=1):
    return encode(random_network(n, 2, signs="random", random_state=seed).sample(n_rows, random_state=seed))


class Recorder:
    """A learner that keeps the tables it is given."""

    def __init__(self):
        self.tables = []

    def __call__(self, table):
        self.tables.append(table)
        return MarkovGraph.empty(table.n_variables, table.names)


def test_resampled_tables_have_as_many_rows_of_the_same_kind():
    table, learn = table_of(5, 100), Recorder()
    resample(learn, table, n_fits=7)
    known = {tuple(row) for row in table.codes.tolist()}
    assert len(learn.tables) == 7
    for each in learn.tables:
        assert each.n_samples == 100 and each.weights.min() > 0
        assert {tuple(row) for row in each.codes.tolist()} <= known
        assert each.cardinalities.tolist() == table.cardinalities.tolist()
    assert len({each.weights.tobytes() for each in learn.tables}) == 7


@pytest.mark.parametrize("n_rows", [100, 101])
def test_halves_are_complementary(n_rows):
    table, learn = table_of(4, n_rows), Recorder()
    resample(learn, table, n_fits=6, resampling="halves")
    whole = table.compressed()
    have = {tuple(row): w for row, w in zip(whole.codes.tolist(), whole.weights.tolist(), strict=True)}
    for first, second in zip(learn.tables[::2], learn.tables[1::2], strict=True):
        assert first.n_samples == second.n_samples == 50
        both = {}
        for each in (first, second):
            for row, weight in zip(each.codes.tolist(), each.weights.tolist(), strict=True):
                both[tuple(row)] = both.get(tuple(row), 0) + weight
        assert all(weight <= have[row] for row, weight in both.items())


@pytest.mark.parametrize("name", ["ibmap", "gsmn"])
def test_frequencies_are_the_same_for_any_number_of_threads(name):
    table = table_of(6, 150)
    one = resample(learner(name), table, n_fits=10, effort=Effort(seed=3))
    three = resample(learner(name), table, n_fits=10, effort=Effort(seed=3, n_threads=3))
    other = resample(learner(name), table, n_fits=10, effort=Effort(seed=4))
    assert one.frequencies.tobytes() == three.frequencies.tobytes() != other.frequencies.tobytes()
    assert one.n_fits == 10 and one.stopped == "finished"
    assert one.mean_edges == pytest.approx(one.frequencies.sum() / 2)


def test_no_time_and_no_patience_give_what_is_there():
    table = table_of(5, 100)
    assert resample(Recorder(), table, effort=Effort(max_seconds=0.0)).stopped == "max_seconds"

    def impatient(progress):
        raise StopSearch

    found = resample(Recorder(), table, n_fits=50, effort=Effort(monitor=Monitor(impatient)))
    assert found.stopped == "interrupted" and 0 < found.n_fits < 50


def test_an_interrupt_keeps_the_fits_made():
    calls = []

    def learn(table):
        calls.append(table)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return MarkovGraph.empty(5)

    found = resample(learn, table_of(5, 100), n_fits=50)
    assert found.stopped == "interrupted" and found.n_fits == 8


@pytest.mark.parametrize("seed", range(6))
def test_the_threshold_is_that_of_the_nearest_law_of_sure_edges(seed):
    rng = np.random.default_rng(seed)
    frequencies = np.round(rng.beta(0.3, 0.5, (9, 9)), 2)
    frequencies = np.triu(frequencies, 1) + np.triu(frequencies, 1).T
    assert inclusion_threshold(frequencies) == pytest.approx(oracle.inclusion_threshold(frequencies))


def test_sure_edges_are_above_the_threshold():
    frequencies = np.zeros((4, 4))
    frequencies[0, 1] = frequencies[1, 0] = 1.0
    assert inclusion_threshold(frequencies) == 0.0


def test_the_bound_on_false_edges_falls_with_the_threshold():
    found = Resampled(np.zeros((20, 20)), 100, 20.0, "halves", "finished")
    bounds = [expected_false_edges(found, t) for t in (0.4, 0.6, 0.75, 0.76, 0.9, 1.0)]
    assert bounds[0] == math.inf
    assert bounds == sorted(bounds, reverse=True)
    # at 0.9: 4 (0.1 + 1/100) / (1 + 1/50) of q² / pairs
    assert bounds[4] == pytest.approx(4 * 0.11 / 1.02 * 20 / 190 * 20)
    assert expected_false_edges(found._replace(resampling="rows"), 0.9) == math.inf


def test_a_structure_of_plenty_of_rows_is_stable_and_one_of_few_is_not():
    many, few = table_of(6, 3000), table_of(6, 40)
    learn = learner("ibmap")
    stable = stability(learn, many, learn(many), n_fits=8, dropped=(0.25, 0.5))
    shaky = stability(learn, few, learn(few), n_fits=8, dropped=(0.25, 0.75))
    assert stable.coefficient == 0.5 and min(stable.mean_correlation) > 0.95
    assert shaky.coefficient < 0.75
    assert shaky.mean_correlation[1] < stable.mean_correlation[1]


@pytest.mark.parametrize("name", ["ibmap", "hc", "gsmn"])
def test_a_structure_found_again_is_the_one_learned_where_the_data_are_clear(name):
    table, entry = table_of(6, 2000), LEARNERS[name]
    assert entry.find(table, entry.options()) == entry.learn(table, entry.options()).graph
