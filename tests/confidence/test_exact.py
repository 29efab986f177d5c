import numpy as np
import pytest

from ibmap.confidence import contraction
from ibmap.confidence.exact import exact_posterior, open_parts, width_of
from ibmap.errors import TooLargeError
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.bayesian import BayesianTest
from ibmap.score import local_score, total_score
from ibmap.simulate import random_network
from oracles.enumeration import posterior
from oracles.random_score import RandomScore


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("spread", [1.0, 30.0, 2000.0])
@pytest.mark.parametrize("temperature", [1.0, 1.7])
def test_contraction_is_enumeration(n, spread, temperature):
    score = RandomScore(n, spread, seed=n)
    found = exact_posterior(score, temperature=temperature)
    log_sum, probabilities, (top, edges) = posterior(n, score.term, temperature)
    assert found.log_total == pytest.approx(log_sum, rel=1e-12, abs=1e-12)
    assert found.score == pytest.approx(top, rel=1e-12)
    assert set(found.graph.edges) == set(edges)
    for pair, probability in probabilities.items():
        assert found.edge_probabilities[pair] == pytest.approx(probability, abs=1e-12)


@pytest.mark.parametrize("make", [AveragedTest, BayesianTest])
def test_scores_of_tables_are_summed_exactly(make):
    rows = random_network(5, 2, signs="random", random_state=3).sample(60, random_state=4)
    score = local_score(make(rows))
    found = exact_posterior(score)
    log_sum, probabilities, (top, edges) = posterior(5, score.term)
    assert found.log_total == pytest.approx(log_sum, abs=1e-10)
    assert found.score == pytest.approx(top, abs=1e-10)
    assert set(found.graph.edges) == set(edges)
    assert max(abs(found.edge_probabilities[pair] - p) for pair, p in probabilities.items()) < 1e-12


def test_the_best_structure_scores_what_is_said_and_no_flip_improves_it():
    score = RandomScore(8, 3.0, seed=5)
    found = exact_posterior(score)
    assert total_score(score, found.graph) == pytest.approx(found.score, abs=1e-9)
    flips = [total_score(score, found.graph.flip(x, y)) for x in range(8) for y in range(x)]
    assert max(flips) < found.score


def test_wide_cuts_are_summed_slice_by_slice(monkeypatch):
    score = RandomScore(6, 2.0, seed=6)
    whole = exact_posterior(score)
    monkeypatch.setattr(contraction, "MAX_WIDTH", 6)
    sliced = exact_posterior(score)
    assert sliced.log_total == pytest.approx(whole.log_total, abs=1e-12)
    assert sliced.graph.edges == whole.graph.edges
    np.testing.assert_allclose(sliced.edge_probabilities, whole.edge_probabilities, atol=1e-12)


def test_open_pairs_are_summed_with_all_others_as_they_are():
    score = RandomScore(6, 2.0, seed=7)
    base = MarkovGraph.from_edges(6, [(0, 1), (2, 3), (4, 5)])
    opened = [(1, 2), (0, 2), (5, 3)]
    found = exact_posterior(score, graph=base, open_pairs=opened)
    weights = {}
    for mask in range(8):
        edges = {*base.edges} | {tuple(sorted(p)) for k, p in enumerate(opened) if mask >> k & 1}
        weights[mask] = np.exp(total_score(score, MarkovGraph.from_edges(6, edges)))
    for k, pair in enumerate(opened):
        share = sum(w for mask, w in weights.items() if mask >> k & 1) / sum(weights.values())
        assert found.edge_probabilities[pair] == pytest.approx(share, abs=1e-12)
    assert found.edge_probabilities[0, 1] == 1 and found.edge_probabilities[0, 5] == 0
    assert found.log_total == pytest.approx(np.log(sum(weights.values())), abs=1e-12)


def test_open_pairs_that_do_not_touch_are_parts_of_their_own():
    parts = open_parts(6, [(0, 1), (1, 2), (4, 5)])
    assert sorted(sorted(x for x, _ in part) for part in parts) == [[0, 1, 2], [3], [4, 5]]
    assert width_of(6, [(0, 1), (1, 2), (4, 5)]) == (1, 2)
    assert width_of(10, [(x, y) for y in range(10) for x in range(y)]) == (25, 9)


def test_eleven_variables_are_refused_with_the_remedy():
    with pytest.raises(TooLargeError, match="Sample instead"):
        exact_posterior(RandomScore(11))


def test_changes_answer_for_several_blankets_at_once():
    score = RandomScore(8, 1.0, seed=1)
    asked = []
    changes = score.changes
    score.changes = lambda x, blanket: (asked.append(x), changes(x, blanket))[1]
    exact_posterior(score)
    assert len(asked) == 8 * 16  # 128 blankets a variable, 8 to a question: a perfect code
