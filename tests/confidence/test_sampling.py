import math

import numpy as np
import pytest

from ibmap.confidence.chain import Batch, Chain, Rows
from ibmap.confidence.exact import exact_posterior
from ibmap.confidence.posterior import open_posterior, posterior_confidence
from ibmap.confidence.sampling import SamplingPlan, _Sampler, dispersed_starts, judge, sample_posterior
from ibmap.errors import StopSearch
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.pairwise import PairwiseTest
from ibmap.progress import Monitor
from ibmap.score import local_score, total_score
from ibmap.simulate import random_network
from oracles.random_score import RandomScore

LONG = SamplingPlan(precision=0.005, max_steps=60_000)


def rows_of(n, n_rows, seed):
    return random_network(n, 3, signs="random", random_state=seed).sample(n_rows, random_state=seed)


@pytest.mark.parametrize(("make", "n_rows"), [(AveragedTest, 100), (PairwiseTest, 100), (BayesianTest, 1000)])
def test_chains_find_the_exact_probabilities_with_any_test(make, n_rows):
    score = local_score(make(rows_of(8, n_rows, seed=3)))
    exact = exact_posterior(score)
    sampled = sample_posterior(score, MarkovGraph.empty(8), seed=1, plan=LONG)
    assert abs(sampled.edge_probabilities - exact.edge_probabilities).max() < 0.02
    assert sampled.is_mixed.all() and sampled.r_hat.max() < 1.05


def test_standard_errors_tell_how_far_off_probabilities_are():
    score = local_score(AveragedTest(rows_of(6, 60, seed=2)))
    exact = exact_posterior(score).edge_probabilities
    upper = np.triu_indices(6, 1)
    plan = SamplingPlan(max_steps=3072, precision=0.0)
    runs = [sample_posterior(score, MarkovGraph.empty(6), seed=k, plan=plan) for k in range(12)]
    z = [(run.edge_probabilities - exact)[upper] / (run.standard_errors[upper] + 1e-4) for run in runs]
    assert 0.4 < np.sqrt(np.mean(np.square(z))) < 1.6


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_seed_gives_the_same_bytes_for_any_number_of_threads(n_threads):
    score = local_score(AveragedTest(rows_of(12, 100, seed=4)))
    plan = SamplingPlan(max_steps=1600, n_threads=n_threads)
    found = sample_posterior(score, MarkovGraph.empty(12), seed=5, plan=plan)
    again = sample_posterior(score, MarkovGraph.empty(12), seed=5, plan=SamplingPlan(max_steps=1600))
    other = sample_posterior(score, MarkovGraph.empty(12), seed=6, plan=SamplingPlan(max_steps=1600))
    assert found.edge_probabilities.tobytes() == again.edge_probabilities.tobytes()
    assert found.edge_probabilities.tobytes() != other.edge_probabilities.tobytes()


@pytest.mark.compiled_only("kernels and NumPy are compared")
def test_kernels_give_the_chains_of_numpy_and_the_same_bytes_for_any_number_of_threads():
    table = rows_of(12, 100, seed=4)
    compiled = AveragedTest(table)
    compiled.regressions.compile()
    assert not compiled.regressions.is_small

    def run(test, n_threads):
        plan = SamplingPlan(max_steps=800, n_threads=n_threads)
        return sample_posterior(
            local_score(test), MarkovGraph.empty(12), seed=5, plan=plan
        ).edge_probabilities

    found = run(compiled, 1)
    assert found.tobytes() == run(compiled, 3).tobytes()
    np.testing.assert_allclose(found, run(AveragedTest(table), 1), atol=1e-6)


def test_no_time_gives_what_is_there_and_claims_nothing():
    score = local_score(AveragedTest(rows_of(12, 100, seed=4)))
    found = sample_posterior(score, MarkovGraph.empty(12), plan=SamplingPlan(max_seconds=0))
    assert found.stopped == "max_seconds"
    assert not found.is_mixed[np.triu_indices(12, 1)].any()


def test_who_is_told_may_stop_it():
    def impatient(progress):
        if progress.done == 2:
            raise StopSearch

    score = local_score(AveragedTest(rows_of(12, 100, seed=4)))
    found = sample_posterior(score, MarkovGraph.empty(12), monitor=Monitor(impatient))
    assert found.stopped == "interrupted" and found.n_steps > 0


def test_an_interrupt_gives_what_is_there(monkeypatch):
    ran = []

    def run(self, n_steps, is_over):
        ran.append(n_steps)
        if len(ran) == 20:
            raise KeyboardInterrupt
        return Batch(1.0, np.full(66, 0.5), {bytes(9): (1.0, 0.0)})

    monkeypatch.setattr(Chain, "run", run)
    score = local_score(AveragedTest(rows_of(12, 100, seed=4)))
    assert sample_posterior(score, MarkovGraph.empty(12)).stopped == "interrupted"


def test_chains_that_disagree_are_not_mixed():
    def chain(p):
        return [Batch(1.0, np.array([p, 0.3 + 0.01 * (k % 2)]), {}) for k in range(16)]

    found = judge([chain(0.0), chain(0.0), chain(1.0), chain(0.0)])
    assert found.is_mixed.tolist() == [False, True]
    assert found.r_hat[0] > 100 and found.r_hat[1] < 1.01
    assert found.probabilities == pytest.approx([0.25, 0.305], abs=1e-3)


def test_a_chain_keeps_its_books():
    """Terms, gains and weights are those of the structure it is at, after flips and swaps."""
    score = RandomScore(7, 1.0, seed=2)
    chain = Chain(Rows(score), np.zeros((7, 7), bool), 1.3, seed=1)
    chain.run(300, lambda: False)
    fresh = Chain(Rows(score), chain.adjacency, 1.3, seed=1)
    assert chain.score == pytest.approx(total_score(score, MarkovGraph(chain.adjacency)), abs=1e-12)
    np.testing.assert_array_equal(chain.adjacency, chain.adjacency.T)
    np.testing.assert_allclose(chain.gains, fresh.gains)
    np.testing.assert_allclose(chain.weights, fresh.weights)
    assert chain.n_accepted > 100
    whole = chain.weights.sum() / 2
    assert chain.log_density() == pytest.approx(chain.score / 1.3 + math.log(whole), abs=1e-9)


def test_batches_are_of_equally_many_rounds_however_long_it_takes():
    score = RandomScore(5, 1.0, seed=2)
    plan = SamplingPlan(steps_a_variable=1, max_steps=2000, precision=0.0)
    sampler = _Sampler(score, MarkovGraph.empty(5), 1.0, 0, plan, Monitor(None))
    sampler.run()
    assert sampler.n_rounds == 100 and sampler.rounds_a_batch == 4
    assert [len(own) for own in sampler.batches] == [25] * 4


def test_starts_are_the_optimum_the_empty_graph_and_others():
    optimum = MarkovGraph.from_edges(9, [(k, k + 1) for k in range(8)])
    starts = dispersed_starts(optimum, 4, np.random.default_rng(1))
    assert (starts[0] == optimum.adjacency).all() and not starts[1].any()
    assert len({each.tobytes() for each in starts}) == 4
    assert all((each == each.T).all() and not each.diagonal().any() for each in starts)


def test_pairs_left_open_are_summed_exactly():
    score = local_score(AveragedTest(rows_of(8, 400, seed=5)))
    exact = exact_posterior(score, temperature=1.2)
    short = SamplingPlan(max_steps=2048, precision=0.0)
    sampled = sample_posterior(score, exact.graph, temperature=1.2, seed=2, plan=short)
    refined = open_posterior(score, sampled, 1.2)
    assert refined is not None
    before, after = (abs(p - exact.edge_probabilities).max() for p in (sampled.edge_probabilities, refined))
    assert after < 0.01 and after < before


def test_small_tables_are_exact_and_larger_ones_sampled():
    small = posterior_confidence(RandomScore(5), MarkovGraph.empty(5))
    assert small.method == "exact"
    np.testing.assert_allclose(
        small.edge_probabilities, exact_posterior(RandomScore(5)).edge_probabilities, atol=1e-12
    )
    score = local_score(AveragedTest(rows_of(12, 500, seed=4)))
    large = posterior_confidence(score, MarkovGraph.empty(12), plan=SamplingPlan(max_steps=1600))
    assert large.method in ("sampled", "open pairs") and large.diagnostics["n_steps"] == 1600
