import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.confidence import Confidence
from ibmap.confidence.learned import Effort
from ibmap.confidence.posterior import posterior_confidence
from ibmap.confidence.sampling import SamplingPlan, sample_posterior
from ibmap.confidence.simulated import learned_reliability, simulated_table
from ibmap.confidence.structures import Visited, joined, visits_left_out
from ibmap.data.encoding import encode
from ibmap.errors import FileFormatError, InvalidOptionError, StopSearch
from ibmap.graph import MarkovGraph
from ibmap.progress import Monitor
from ibmap.result.reliability import Reliability
from ibmap.score import total_score
from ibmap.simulate import random_network
from oracles.random_score import RandomScore


def enumerated(score, temperature):
    """Give every structure with its probability, by listing them all."""
    n = len(score.names)
    pairs = [*combinations(range(n), 2)]
    found = {}
    for bits in product((0, 1), repeat=len(pairs)):
        edges = tuple(pair for pair, bit in zip(pairs, bits, strict=True) if bit)
        found[edges] = math.exp(total_score(score, MarkovGraph.from_edges(n, edges)) / temperature)
    whole = math.fsum(found.values())
    return {edges: weight / whole for edges, weight in found.items()}


def test_small_tables_tell_the_probabilities_of_whole_structures_exactly():
    score = RandomScore(4, 1.0, seed=3)
    truth, sure = enumerated(score, 1.3), posterior_confidence(score, MarkovGraph.empty(4), temperature=1.3)
    best = sorted(truth.values(), reverse=True)[:10]
    assert [each.probability for each in sure.structures] == pytest.approx(best)
    for each in sure.structures:
        assert truth[each.edges] == pytest.approx(each.probability)


def test_sampled_structures_and_sizes_are_near_the_enumerated_ones():
    score = RandomScore(4, 1.0, seed=5)
    truth = enumerated(score, 1.0)
    walk = sample_posterior(score, MarkovGraph.empty(4), plan=SamplingPlan(max_steps=8000, precision=0.0))
    sizes = dict(walk.visited.sizes())
    for size in range(7):
        exact = math.fsum(p for edges, p in truth.items() if len(edges) == size)
        assert sizes.get(size, 0.0) == pytest.approx(exact, abs=0.03)
    for each in walk.visited.most_probable(1.0):
        assert each.probability == pytest.approx(truth[each.edges], abs=0.03)
    assert math.fsum(sizes.values()) == pytest.approx(1)


def test_structures_are_drawn_as_often_as_chains_stay_there():
    pairs = np.array([[True, False, False], [True, True, False]])
    visited = Visited(3, pairs, np.array([0.25, 0.75]), np.array([-1.0, -0.5]))
    drawn = visited.draw(4000, np.random.default_rng(1))
    assert all((each == each.T).all() for each in drawn)
    assert np.mean([each[0, 2] for each in drawn]) == pytest.approx(0.75, abs=0.03)
    assert visited.sizes() == ((1, 0.25), (2, 0.75))


def test_what_is_known_of_every_pair_leaves_one_structure():
    rows = [[0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]] * 5
    learner = ibmap.IBMAP(require=[("x0", "x1")], forbid=[("x0", "x2"), ("x1", "x2")]).fit(rows)
    sure = learner.confidence()
    assert sure.sizes == ((1, 1.0),) and sure.structures == ((pytest.approx(1.0), ((0, 1),)),)


def test_visits_of_parts_add_up():
    assert joined({b"a": (1.0, -3.0)}, {b"a": (2.0, -3.0), b"b": (1.0, -4.0)}) == {
        b"a": (3.0, -3.0),
        b"b": (1.0, -4.0),
    }
    both = Visited.by_chains(2, [{b"\x80": (1.0, 0.0)}, {b"\x00": (9.0, -1.0)}])
    assert both.shares.tolist() == [0.5, 0.5]  # each chain counts alike


def test_of_very_many_visits_some_are_left_out():
    assert visits_left_out(20, 60_000) == 1
    assert visits_left_out(2000, 60_000) > 50


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_reliability_is_counted_by_bin(claims):
    p, truths = np.array([c for c, _ in claims]), np.array([t for _, t in claims])
    found = Reliability.of(p, truths)
    bins = [min(int(c * 20), 19) for c in p]
    excess = [sum(c - t for c, t, b in zip(p, truths, bins, strict=True) if b == k) for k in range(20)]
    assert found.error == pytest.approx(sum(map(abs, excess)) / len(p))
    assert sum(found.pairs) == len(p) and sum(found.true) == truths.sum()
    twice = found + found
    assert twice.n_tables == 2 and twice.error == pytest.approx(found.error)


def test_damaged_files_are_refused():
    sure = posterior_confidence(RandomScore(3), MarkovGraph.empty(3))
    sure = replace(sure, reliability=Reliability.of([0.5], [True]))
    content = sure.to_dict()
    assert Confidence.from_dict(content).to_json() == sure.to_json()
    bins = {**content["reliability"], "pairs": [1]}
    for damage in (
        {"reliability": bins},
        {"structures": [{"probability": 0.1, "edges": [[0, 3]]}]},
        {"structures": [{"probability": "a", "edges": []}]},
        {"sizes": [[1]]},
    ):
        with pytest.raises(FileFormatError):
            Confidence.from_dict({**content, **damage})


def test_claims_that_are_right_are_off_by_what_chance_makes_of_them():
    rng = np.random.default_rng(2)
    p = rng.beta(0.3, 1.0, 400)
    draws = [Reliability.of(p, rng.random(400) < p) for _ in range(40)]
    assert np.mean([each.error for each in draws]) == pytest.approx(draws[0].error_by_chance, rel=0.15)
    assert math.isnan(Reliability.of([0.5], [True]).true_share)


def test_simulated_tables_are_like_the_table():
    network = random_network(6, 2, signs="random", random_state=1)
    table = encode(network.sample(3000, random_state=1))
    graph = MarkovGraph(network.graph.adjacency, table.names)
    rows = simulated_table(table, graph, 3000, np.random.default_rng(3))
    assert rows.names == table.names and rows.cardinalities.tolist() == table.cardinalities.tolist()
    ours, theirs = (np.corrcoef(each.codes.T.astype(float)) for each in (rows, table))
    assert abs(ours - theirs).max() < 0.12


@pytest.fixture(name="learner", scope="module")
def learner_fixture():
    rows = random_network(6, 2, signs="random", random_state=1).sample(150, random_state=1)
    return ibmap.IBMAP().fit(rows)


def test_a_table_tells_whether_its_probabilities_come_true(learner):
    sure = learner.confidence(calibrate=True, n_fits=3)
    again = learner.confidence(calibrate=True, n_fits=3, n_threads=2)
    told = sure.reliability
    assert told.n_tables == 3 and sum(told.pairs) == 45 and told.stopped == "finished"
    assert told.claimed == again.reliability.claimed and told.true == again.reliability.true
    assert Confidence.from_json(sure.to_json()).to_json() == sure.to_json()
    assert told.claimed != learner.confidence(calibrate=True, n_fits=3, random_state=1).reliability.claimed
    assert learner.confidence().reliability is None


def test_calibration_ends_when_time_is_up_and_counts_finished_tables_alone(learner):
    assert learner.confidence(calibrate=True, max_seconds=0).reliability.stopped == "max_seconds"
    sure = learner.confidence()

    def impatient(progress):
        if progress.phase == "simulated tables" and progress.done == 2:
            raise StopSearch

    effort = Effort(n_fits=5, monitor=Monitor(impatient))
    told = learned_reliability(learner.result_, learner._own_table(), learner._options_given(), sure, effort)
    assert told.stopped == "interrupted" and told.n_tables == 2


def test_frequencies_are_not_calibrated(learner):
    with pytest.raises(InvalidOptionError, match="method='posterior'"):
        learner.confidence("bootstrap", calibrate=True)
    with pytest.raises(InvalidOptionError, match="n_fits"):
        learner.confidence(calibrate=True, n_fits=0)
