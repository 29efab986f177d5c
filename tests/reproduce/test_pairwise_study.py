"""The studies of the pairwise test: their families, baselines and reports."""

from dataclasses import replace

import numpy as np
import pytest

from ibmap import simulate
from ibmap.data.table import EncodedTable
from ibmap.independence.pairwise import PENALTY
from ibmap.reproduce.families import Family, parity_rows
from ibmap.reproduce.neighbourhoods import best_subset, l1_ebic
from ibmap.reproduce.pairwise import PENALTIES, name_of, no_worse, pairwise_hc, pairwise_studies
from ibmap.reproduce.reports import sum_up, write_figures, write_tables
from ibmap.reproduce.runner import run_study
from ibmap.reproduce.study import Learner

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


@pytest.mark.parametrize("family", ["positive", "signed", "mixed", "three-state", "interaction", "parity"])
def test_a_family_draws_what_it_says(family):
    problem = Family(family, 6, 2, 300)
    one, again = (problem.draw(np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(one.table.codes, again.table.codes)
    assert one.table.codes.shape == (300, 6)
    assert set(one.table.cardinalities) == {3 if family == "three-state" else 2}
    assert one.reference.n_edges == 6
    fewer = Family(family, 6, 2, 100).draw(np.random.default_rng(4))
    assert np.array_equal(fewer.table.codes, one.table.codes[:100])


def test_strengths_of_the_mixed_family_are_drawn():
    network = Family("mixed", 12, 4, 40)._network(np.random.default_rng(0))
    ratios = np.array(
        [table[0, 0] + table[1, 1] - table[0, 1] - table[1, 0] for table in network.log_potentials]
    )
    assert (abs(ratios) >= 0.8).all()
    assert (abs(ratios) <= 2).all()
    assert len(set(np.sign(ratios))) == 2
    assert len(set(ratios.round(6))) == network.graph.n_edges


def test_parity_shows_in_triples_only():
    rows, graph = parity_rows(7, 4000, np.random.default_rng(0))
    assert graph.n_edges == 6
    assert abs(np.corrcoef(rows.T.astype(float)) - np.eye(7)).max() < 0.06
    assert ((rows[:, 0] + rows[:, 1] + rows[:, 2]) % 2 == 0).mean() == pytest.approx(0.9, abs=0.02)


def test_an_interaction_shows_in_one_pair_of_three():
    rows, _ = parity_rows(3, 20_000, np.random.default_rng(0), 0.25)
    correlations = np.corrcoef(rows.T.astype(float))
    assert rows[:, 1].mean() == pytest.approx(0.25, abs=0.02)
    assert correlations[0, 2] > 0.3
    assert abs(correlations[1, [0, 2]]).max() < 0.03


@pytest.mark.parametrize("learn", [l1_ebic, best_subset])
def test_the_baselines_find_a_chain(learn):
    if learn is best_subset:
        pytest.importorskip("abess")
    network = simulate.random_network(6, structure="chain", log_odds=2.0, random_state=0)
    rows = np.column_stack([network.sample(1500, random_state=1), np.zeros(1500, int)])
    found = learn(EncodedTable.from_codes(rows, [2] * 7, [*network.graph.names, "idle"])).graph
    assert len(set(found.edges) ^ set(network.graph.edges)) <= 1


def test_the_default_penalty_is_one_that_was_studied():
    assert PENALTY in PENALTIES


def test_a_study_is_run_and_reported(tmp_path):
    pytest.importorskip("matplotlib")
    study = pairwise_studies()["pairwise"]
    kept = tuple(each for each in study.learners if each.name in ("gsmn", "hc", name_of(PENALTY), "l1"))
    problems = tuple(Family("signed", 5, 2, rows) for rows in (40, 200))
    study = replace(study, problems=problems, learners=kept, repetitions=2)
    rows = run_study(study, tmp_path, n_jobs=1)
    assert rows.height == 2 * 2 * 4
    finding = sum_up(study, rows)[0]
    told = {text: holds for text, holds, _ in finding.claims}
    assert told["signed, tau up to 8: no more wrong edges than L1 EBIC, N from 200 on"] in (True, False)
    written = write_tables([finding], tmp_path) + write_figures(study, rows, tmp_path)
    assert {"pairwise.md", "pairwise.csv", "pairwise.png"} <= set(written)
    assert no_worse("gsmn", "mixed", 8)(finding.comparisons) == (None, "nothing measured")


def test_penalties_and_starts_reach_the_learner():
    table = Family("positive", 8, 4, 60).draw(np.random.default_rng(1)).table
    assert pairwise_hc(table, 0.0).graph.n_edges > pairwise_hc(table, 3.0).graph.n_edges
    assert isinstance(pairwise_studies()["pairwise-50"].learners[0], Learner)


def test_a_baseline_gives_the_same_for_the_same_table():
    table = Family("signed", 50, 4, 500).draw(np.random.default_rng(1)).table
    assert len({l1_ebic(table).graph for _ in range(3)}) == 1
