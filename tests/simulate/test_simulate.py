"""The simulator: structures, potentials, and samples against the enumerated distribution."""

import itertools
import math
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2

from ibmap.errors import InvalidGraphError, SamplingWarning
from ibmap.graph import MarkovGraph
from ibmap.kernels.gibbs import next_uniform
from ibmap.simulate import PairwiseNetwork, network_on, random_network, sampling
from ibmap.simulate.diagnosis import split_r_hat, worst_r_hat

pytestmark = pytest.mark.compiled_only("samples are drawn by compiled code alone")

MIXED = (2, 3, 4, 2, 3)


def enumerated(network):
    """Probability of every configuration, by the definition."""
    weights = {}
    for states in itertools.product(*(range(len(field)) for field in network.fields)):
        weight = 1.0
        for (i, j), table in network.potentials.items():
            weight *= table[states[i], states[j]]
        for x, field in enumerate(network.fields):
            weight *= math.exp(field[states[x]])
        weights[states] = weight
    total = sum(weights.values())
    return {states: weight / total for states, weight in weights.items()}


def fit_p_value(codes, probabilities):
    """Chi-square test that rows come from a distribution; rare configurations are pooled."""
    counts = dict.fromkeys(probabilities, 0)
    for row in codes.tolist():
        counts[tuple(row)] += 1
    statistic, n_cells, rare_expected, rare_count = 0.0, 0, 0.0, 0
    for states, probability in probabilities.items():
        expected = probability * len(codes)
        if expected < 5:
            rare_expected += expected
            rare_count += counts[states]
        else:
            statistic += (counts[states] - expected) ** 2 / expected
            n_cells += 1
    if rare_expected > 0:
        statistic += (rare_count - rare_expected) ** 2 / rare_expected
        n_cells += 1
    return chi2.sf(statistic, n_cells - 1)


def binary_network(seed=3):
    return random_network(6, 3, random_state=seed, log_odds=1.5, signs="random", fields=0.5)


def mixed_network(seed=4):
    return random_network(5, 2, random_state=seed, signs="drawn", fields=0.3, cardinalities=MIXED)


def log_odds_ratio(table, a, b):
    logs = np.log(table)
    return logs[a, a] + logs[b, b] - logs[a, b] - logs[b, a]


@pytest.mark.parametrize("make", [binary_network, mixed_network])
def test_probabilities_match_the_definition(make):
    network = make()
    for states, probability in enumerated(network).items():
        assert network.probabilities()[states] == pytest.approx(probability, rel=1e-12)


@pytest.mark.parametrize("make", [binary_network, mixed_network])
def test_log_unnormalised_differs_from_the_log_probability_by_a_constant(make):
    network = make()
    exact = enumerated(network)
    logs = network.log_unnormalised(list(exact))
    assert np.ptp(logs - np.log(list(exact.values()))) < 1e-12


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("method", ["exact", "gibbs"])
@pytest.mark.parametrize("make", [binary_network, mixed_network])
def test_samples_follow_the_exact_distribution(make, method, seed):
    network = make()
    codes = network.sample(20000, method=method, thinning=20, random_state=seed)
    assert fit_p_value(codes, enumerated(network)) > 1e-3


def test_binary_variables_follow_their_distribution_among_others_with_more_states():
    edges = [(0, 1), (1, 2), (0, 2)]
    network = network_on(MarkovGraph.from_edges(4, edges), log_odds=2.0, cardinalities=[2, 2, 2, 3])
    codes = network.sample(20000, method="gibbs", thinning=20, random_state=0)
    assert fit_p_value(codes, enumerated(network)) > 1e-3


def test_the_chi_square_test_notices_another_network():
    network = binary_network()
    other = network_on(network.graph, log_odds=1.2)
    assert fit_p_value(network.sample(20000, random_state=0), enumerated(other)) < 1e-6


def test_gibbs_agrees_with_enumeration_on_edges_of_a_larger_network():
    network = random_network(14, 3, random_state=5, fields=0.3)
    exact = network.probabilities()
    codes = network.sample(40000, method="gibbs", random_state=6).astype(float)
    for i, j in itertools.combinations(range(14), 2):
        others = tuple(x for x in range(14) if x not in (i, j))
        both = exact.sum(axis=others)[1, 1]
        assert (codes[:, i] * codes[:, j]).mean() == pytest.approx(both, abs=0.02)


def test_the_random_words_are_those_of_the_published_generator():
    # xoshiro256++ from the state 1, 2, 3, 4: test vector of rand_xoshiro 0.6 (prng.di.unimi.it's C code)
    published = (41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205)
    words = np.array([1, 2, 3, 4], np.uint64)
    assert [next_uniform(words) for _ in published] == [(word >> 11) * 2.0**-53 for word in published]


@pytest.mark.parametrize("cardinalities", [2, 3])
def test_any_number_of_threads_gives_the_same_bytes(cardinalities):
    network = random_network(30, 2, random_state=1, cardinalities=cardinalities)
    alone = network.sample(500, random_state=2, n_threads=1)
    for n_threads in (2, 3, 8, None):
        assert network.sample(500, random_state=2, n_threads=n_threads).tobytes() == alone.tobytes()


@pytest.mark.parametrize("method", ["exact", "gibbs"])
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(method):
    network = random_network(8, 2, random_state=1)
    large = network.sample(203, method=method, random_state=2)
    for n_samples in (0, 1, 5, 50):
        small = network.sample(n_samples, method=method, random_state=2)
        assert np.array_equal(small, large[:n_samples])


def test_a_seed_and_a_generator_made_from_it_give_the_same_network_and_rows():
    by_seed = random_network(25, 2, random_state=7, signs="drawn", fields=1.0)
    by_generator = random_network(25, 2, random_state=np.random.default_rng(7), signs="drawn", fields=1.0)
    assert by_seed.graph == by_generator.graph
    assert np.array_equal(by_seed.log_potentials, by_generator.log_potentials)
    assert np.array_equal(by_seed.fields, by_generator.fields)
    rows = by_seed.sample(50, random_state=np.int64(9))
    assert np.array_equal(rows, by_generator.sample(50, random_state=np.random.default_rng(9)))


def test_without_a_seed_rows_differ_and_a_generator_is_advanced():
    network = random_network(12, 2, random_state=1)
    rng = np.random.default_rng(0)
    assert not np.array_equal(network.sample(50), network.sample(50))
    assert not np.array_equal(network.sample(50, random_state=rng), network.sample(50, random_state=rng))


def test_codes_are_small_integers_below_the_cardinalities():
    for method in ("exact", "gibbs"):
        codes = mixed_network().sample(300, method=method, random_state=0)
        assert codes.dtype == np.uint16
        assert codes.shape == (300, 5)
        assert np.array_equal(codes.max(axis=0) + 1, MIXED)


def test_the_structure_depends_on_the_seed_alone():
    plain = random_network(20, 3, random_state=5)
    rich = random_network(20, 3, random_state=5, signs="drawn", fields=1.0, cardinalities=3, log_odds=2.0)
    assert plain.graph == rich.graph
    assert plain.graph != random_network(20, 3, random_state=6).graph


@pytest.mark.parametrize("signs", ["positive", "random", "drawn"])
@pytest.mark.parametrize("log_odds", [1.0, -0.7, 3.0])
def test_every_potential_has_the_log_odds_ratio_asked_for(signs, log_odds):
    network = random_network(12, 4, random_state=2, signs=signs, log_odds=log_odds)
    ratios = [log_odds_ratio(table, 0, 1) for table in network.potentials.values()]
    assert len(ratios) == 24
    if signs == "random":
        assert {round(ratio, 9) for ratio in ratios} == {log_odds, -log_odds}
    else:
        assert np.allclose(ratios, log_odds, atol=1e-9)


@pytest.mark.parametrize("signs", ["positive", "drawn"])
def test_any_two_states_of_both_variables_have_the_log_odds_ratio_asked_for(signs):
    network = random_network(5, 4, random_state=2, signs=signs, log_odds=1.5, cardinalities=MIXED)
    for table in network.potentials.values():
        for a, b in itertools.combinations(range(min(table.shape)), 2):
            assert log_odds_ratio(table, a, b) == pytest.approx(1.5)


def test_default_potentials_are_those_of_the_notes_and_fields_are_zero():
    network = random_network(12, 4, random_state=0)
    expected = np.exp(np.array([[1, -1], [-1, 1]]) / 4)
    assert all(np.allclose(table, expected) for table in network.potentials.values())
    assert not np.any(network.fields)


def test_drawn_entries_are_uniform_on_the_unit_interval():
    network = random_network(60, 20, random_state=3, signs="drawn")
    tables = list(network.potentials.values())
    drawn = np.array([[table[0, 0], table[0, 1], table[1, 0]] for table in tables])
    assert ((drawn > 0) & (drawn <= 1)).all()
    assert np.allclose(drawn.mean(axis=0), 0.5, atol=0.05)
    assert np.allclose(drawn.var(axis=0), 1 / 12, atol=0.02)


def test_fields_have_the_spread_asked_for_and_none_for_the_first_state():
    network = random_network(500, 1, random_state=3, fields=0.8, cardinalities=3)
    fields = np.array(network.fields)
    assert not fields[:, 0].any()
    assert fields[:, 1:].std() == pytest.approx(0.8, rel=0.1)


@pytest.mark.parametrize(("n_variables", "tau"), [(12, 1), (12, 8), (50, 4), (10, 2.5), (7, 6), (5, 0)])
def test_mean_degree_networks_have_half_n_tau_edges(n_variables, tau):
    graph = random_network(n_variables, tau, random_state=1).graph
    assert graph.n_edges == round(n_variables * tau / 2)


@pytest.mark.parametrize("tau", [1, 2, 4, 8])
def test_the_papers_recipe_gives_each_variable_at_least_tau_neighbours(tau):
    graph = random_network(20, tau, random_state=1, structure="paper").graph
    assert graph.adjacency.sum(axis=0).min() >= tau
    assert 20 * tau / 2 <= graph.n_edges <= 20 * tau


@pytest.mark.parametrize("tau", [0, 1, 4, 9])
def test_regular_networks_give_each_variable_tau_neighbours(tau):
    graph = random_network(10, tau, random_state=1, structure="regular").graph
    assert (graph.adjacency.sum(axis=0) == tau).all()


def test_erdos_renyi_networks_have_mean_degree_tau_on_average():
    rng = np.random.default_rng(0)
    counts = [
        random_network(20, 4, random_state=rng, structure="erdos-renyi").graph.n_edges for _ in range(200)
    ]
    assert np.mean(counts) == pytest.approx(40, abs=1.5)
    assert np.std(counts) == pytest.approx(math.sqrt(190 * (4 / 19) * (15 / 19)), rel=0.2)


def test_scale_free_networks_have_hubs_and_the_edges_of_their_newcomers():
    graph = random_network(200, 4, random_state=1, structure="scale-free").graph
    assert graph.n_edges == 2 * (200 - 2)
    assert graph.adjacency.sum(axis=0).max() > 20


@pytest.mark.parametrize("n_variables", [1, 2, 7, 9, 12, 16])
def test_grid_chain_and_star_are_what_their_names_say(n_variables):
    star = random_network(n_variables, structure="star").graph
    chain = random_network(n_variables, structure="chain").graph
    grid = random_network(n_variables, structure="grid").graph
    assert star.edges == tuple((0, x) for x in range(1, n_variables))
    assert chain.edges == tuple((x, x + 1) for x in range(n_variables - 1))
    width = math.ceil(math.sqrt(n_variables))
    places = [divmod(x, width) for x in range(n_variables)]
    near = {
        (x, y)
        for x, y in itertools.combinations(range(n_variables), 2)
        if abs(places[x][0] - places[y][0]) + abs(places[x][1] - places[y][1]) == 1
    }
    assert set(grid.edges) == near


def test_a_given_structure_is_kept_with_its_names():
    named = MarkovGraph.from_edges(3, [(0, 2)], names=["a", "b", "c"])
    assert network_on(named).graph == named
    assert network_on(named.adjacency).graph.names == ("x0", "x1", "x2")
    assert network_on(named.to_networkx()).graph == named
    numbered = network_on(nx.Graph([(0, 2), (2, 1)])).graph
    assert numbered.names == ("x0", "x1", "x2")
    assert numbered.edges == ((0, 2), (1, 2))
    with pytest.raises(InvalidGraphError):
        network_on([[0, 1], [0, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_a_strong_ferromagnet_is_warned_about(seed):
    network = random_network(40, 6, random_state=seed, log_odds=2.0)
    with pytest.warns(SamplingWarning, match=r"R-hat.*Raise thinning \(now 10\).*burn_in \(now 1000\)"):
        network.sample(400, random_state=seed)


def test_a_chain_that_moves_too_rarely_is_warned_about():
    network = random_network(30, structure="chain", log_odds=12.0, fields=0.1, random_state=0)
    with pytest.warns(SamplingWarning, match="R-hat"):
        network.sample(800, random_state=0, thinning=1, burn_in=10)


@pytest.mark.parametrize("n_samples", [1, 20, 40, 200, 2000])
@pytest.mark.parametrize("signs", ["positive", "random", "drawn"])
def test_an_easy_network_is_not_warned_about(n_samples, signs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(5):
            network = random_network(50, 2, random_state=seed, signs=signs)
            network.sample(n_samples, random_state=seed)


def test_constant_variables_are_not_mistaken_for_disagreement():
    graph = MarkovGraph.from_edges(25, [])
    network = PairwiseNetwork(graph, [], [np.array([0.0, 200.0])] * 25)
    assert (network.sample(100, random_state=0) == 1).all()


def test_split_r_hat_matches_the_textbook():
    draws = np.random.default_rng(0).normal(size=(40, 4)) + np.arange(4) / 2
    halves = [half for chain in draws.T for half in (chain[:20], chain[20:])]
    within = np.mean([np.var(half, ddof=1) for half in halves])
    between = 20 * np.var([np.mean(half) for half in halves], ddof=1)
    expected = math.sqrt((19 / 20 * within + between / 20) / within)
    assert split_r_hat(draws.reshape(-1, 1), n_chains=4)[0] == pytest.approx(expected)


def test_independent_draws_give_no_alarm_however_few():
    rng = np.random.default_rng(0)
    for n_draws in (3, 8, 16, 40, 100) * 40:
        assert worst_r_hat(rng.random((n_draws, 60)), n_chains=4) is None


def test_every_pair_is_joined_equally_often():
    rng = np.random.default_rng(1)
    for structure in ("mean-degree", "erdos-renyi"):
        total = sum(
            random_network(6, 2, random_state=rng, structure=structure).graph.adjacency * 1
            for _ in range(1000)
        )
        joined = total[np.triu_indices(6, 1)]
        assert chi2.sf(((joined - 400) ** 2 / (400 * 0.6)).sum(), 14) > 1e-3


@pytest.mark.parametrize("cardinality", [2, 3])
@pytest.mark.parametrize("n_draws", [1, 200, 1500])
def test_chains_cut_into_parts_draw_the_same_rows(monkeypatch, cardinality, n_draws):
    network = random_network(20, 2, random_state=1, cardinalities=cardinality)
    plan = {"method": "gibbs", "burn_in": 25, "thinning": 3, "n_chains": 3, "random_state": 5}
    whole = network.sample(40, **plan)
    monkeypatch.setattr("ibmap.simulate.sampling.DRAWS_A_CHUNK", n_draws)
    assert (network.sample(40, **plan) == whole).all()


def test_an_interrupt_ends_all_chains(monkeypatch):
    network = random_network(20, 2, random_state=1)
    monkeypatch.setattr("ibmap.simulate.sampling.DRAWS_A_CHUNK", 1)
    n_parts = []
    make = sampling.Blankets.chain

    def chain(self):
        run = make(self)

        def interrupted(*arguments):
            n_parts.append(1)
            if len(n_parts) == 5:
                raise KeyboardInterrupt
            run(*arguments)

        return interrupted

    monkeypatch.setattr(sampling.Blankets, "chain", chain)
    with pytest.raises(KeyboardInterrupt):
        network.sample(1000, method="gibbs", random_state=1, n_threads=1)
    assert len(n_parts) < 5000  # of nine thousand
