"""The studies of the recommended learner: baselines, families, held-out rows and rows needed."""

import gzip
import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from ibmap import learners, simulate
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.learners import HillClimbingOptions, Learner, learn_hc
from ibmap.reproduce.directed import has_pyagrum, moralised
from ibmap.reproduce.exact_recovery import WEAKEST, IsingSample, RowsNeeded
from ibmap.reproduce.families import Family, triples
from ibmap.reproduce.held_out import RealTable, held_out, l1_ebic_held_out, l1_held_out, l1_states
from ibmap.reproduce.neighbourhoods import l1_ebic
from ibmap.reproduce.recommended import recommended_studies
from ibmap.reproduce.regressions import Regressions, minimise, newton
from ibmap.reproduce.reports import sum_up
from ibmap.reproduce.runner import run_study
from ibmap.reproduce.screening import screened
from ibmap.reproduce.study import Instance

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


def chain_network(n_states):
    options = {"log_odds": 2.0, "signs": "random", "cardinalities": n_states}
    return simulate.random_network(6, structure="chain", random_state=0, **options)


def chain(n_rows, n_states=2):
    network = chain_network(n_states)
    rows = network.sample(n_rows, random_state=1)
    return EncodedTable.from_codes(rows, [n_states] * 6, network.graph.names), network.graph


@pytest.mark.parametrize("logarithm", [False, True])
def test_screening_finds_a_chain_exactly(logarithm):
    table, truth = chain(4000)
    assert screened(table, logarithm=logarithm).graph == truth


def test_a_quadratic_with_a_penalty_is_minimised_as_the_formula_says():
    bends, target = np.array([[1.0], [10.0], [100.0]]), np.array([[3.0, -0.2], [5.0, 2.0], [0.5, -9.0]])
    l1 = np.array([[1.0, 1.0], [0.0, math.inf], [20.0, 90.0]])
    found = minimise(lambda at: bends * (at - target), np.zeros((3, 2)), l1, np.full(2, 100.0))
    assert found == pytest.approx(np.array([[2.0, 0.0], [5.0, 0.0], [0.3, -8.1]]), abs=1e-2)
    assert found[1, 1] == 0


def test_newton_agrees_with_scikit_learn():
    table, _ = chain(400, 3)
    own = Regressions(table)
    ones = own.predictors[:, [0, *range(3, 13)]]
    other = LogisticRegression(C=math.inf, tol=1e-8, max_iter=1000).fit(ones[:, 1:], table.codes[:, 0])
    effects = newton(ones, own.indicators[:, :2], np.full(11, 1e-9), np.zeros((11, 2)))
    odds = other.decision_function(ones[:, 1:])
    assert ones @ effects == pytest.approx(odds[:, 1:] - odds[:, :1], abs=1e-3)


@pytest.mark.parametrize("far", [0.0, 5.0, -30.0])
def test_newton_reaches_the_optimum_from_afar_where_predictors_nearly_determine_the_states(far):
    rng = np.random.default_rng(0)
    predictors = np.column_stack([np.ones(60), rng.normal(size=(60, 8))])
    indicators = np.eye(4)[(predictors[:, 1:5] * 5).argmax(axis=1)][:, 1:]
    ridge = np.full(9, 0.05)
    found = newton(predictors, indicators, ridge, np.full((9, 3), far) * rng.normal(size=(9, 3)))
    odds = np.exp(predictors @ found)
    shares = odds / (1 + odds.sum(axis=1, keepdims=True))
    slope = predictors.T @ (indicators - shares) - ridge[:, np.newaxis] * found
    assert np.abs(slope).max() < 1e-4


def test_l1_effects_are_a_minimum():
    own = Regressions(chain(300, 3)[0])
    size = len(own.owner)
    found = own.fit_l1(0.03, np.zeros((size + 1, size)))
    slopes = own.predictors[:, 1:].T @ (own.indicators - own.logs(found)[1]) / 300
    foreign = own.owner[:, np.newaxis] != own.owner
    assert not found[1:][~foreign].any()
    assert np.abs(slopes[foreign]).max() < 0.03 + 1e-3
    active = foreign & (found[1:] != 0)
    assert slopes[active] == pytest.approx(0.03 * np.sign(found[1:][active]), abs=1e-3)
    assert 0 < active.sum() < foreign.sum()


def test_l1_for_any_states_is_the_binary_baseline_for_two_and_misses_no_strong_edge_of_three():
    table, _ = chain(2000)
    assert l1_states(table).graph == l1_ebic(table).graph
    table, truth = chain(2000, 3)
    assert set(truth.edges) <= set(l1_states(table).graph.edges)


@pytest.mark.skipif(not has_pyagrum(), reason="pyAgrum or pandas is not installed")
@pytest.mark.parametrize("method", ["bdeu", "miic"])
def test_directed_learners_are_moralised(method):
    rows = triples("gates", 3).sample(3000, np.random.default_rng(0))
    assert moralised(rows, method).graph.edges == ((0, 1), (0, 2), (1, 2))
    if method == "miic":  # the greedy climb may turn a link and then need the third
        assert moralised(rows, method, join=False).graph.edges == ((0, 2), (1, 2))


def test_gates_and_reversals_are_what_they_say():
    instance = Family("gates", 7, 2, 8000).draw(np.random.default_rng(0))
    codes = instance.table.codes
    assert instance.reference.edges == ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))
    assert ((codes[:, 0] | codes[:, 1]) == codes[:, 2]).mean() == pytest.approx(0.95, abs=0.01)
    assert ((codes[:, 3] & codes[:, 4]) == codes[:, 5]).mean() == pytest.approx(0.95, abs=0.01)
    first, second, third = Family("simpson", 3, 2, 8000).draw(np.random.default_rng(0)).table.codes.T
    assert np.corrcoef(second, third)[0, 1] > 0.1
    assert all(np.corrcoef(second[first == k], third[first == k])[0, 1] < -0.1 for k in (0, 1))


def split(table, cut):
    parts = (slice(cut), slice(cut, None))
    return Instance(*(replace(table, codes=table.codes[k], weights=table.weights[k]) for k in parts))


def test_true_neighbours_predict_as_well_as_the_network():
    table, truth = chain(6000)
    instance, none = split(table, 4000), MarkovGraph.empty(6, table.names)
    network, known = chain_network(2), 0.0
    for x in range(6):
        flipped = instance.reference.codes.copy()
        flipped[:, x] ^= 1
        gains = network.log_unnormalised(flipped) - network.log_unnormalised(instance.reference.codes)
        known -= np.logaddexp(0, gains).mean()
    assert held_out(truth, instance, 0) == pytest.approx(known, abs=0.01)
    assert held_out(none, instance, 0) == pytest.approx(6 * math.log(0.5), abs=0.01)
    assert l1_held_out(none, instance, 0) == pytest.approx(known, abs=0.02)
    assert l1_ebic_held_out(none, instance, 0) == pytest.approx(known, abs=0.1)


def test_states_that_only_test_rows_have_are_not_impossible():
    codes = np.array([[0, 0], [1, 1]] * 20 + [[2, 1]])
    instance = split(EncodedTable.from_codes(codes, [3, 2]), 40)
    assert -50 < held_out(MarkovGraph.from_edges(2, [(0, 1)]), instance, 0) < -1


def test_real_tables_are_found_in_folders_and_split(tmp_path):
    folder = tmp_path / "density"
    folder.mkdir()
    for part, n_rows in (("train", 30), ("test", 20)):
        with gzip.open(folder / f"nltcs.{part}.data.gz", "wt") as file:
            file.write("0,1,1\n" * n_rows)
    instance = RealTable("nltcs", str(tmp_path)).draw(np.random.default_rng(0))
    assert (instance.table.n_rows, instance.reference.n_rows) == (30, 20)
    assert "kdd.train.data.gz" in RealTable("kdd", str(tmp_path)).missing_data()
    car = RealTable("car").draw(np.random.default_rng(0))
    assert (car.table.n_rows, car.reference.n_rows) == (1296, 432)


def test_couplings_span_what_was_asked():
    problem = IsingSample("regular", 1.2, 100)
    network = problem.network(np.random.default_rng(0))
    couplings = np.array([table[0, 0] for table in network.log_potentials])
    assert (abs(couplings).min(), abs(couplings).max()) == pytest.approx((WEAKEST, 1.2))
    assert len(set(np.sign(couplings))) == 2
    assert network.graph.n_edges == 24
    one, more = (IsingSample("grid", 1.2, n).draw(np.random.default_rng(0)) for n in (100, 200))
    assert np.array_equal(one.table.codes, more.table.codes[:100])
    assert one.reference.n_edges == 24


@pytest.mark.parametrize(
    ("errors", "needed"), [([3, 0, 0], 200), ([0, 1, 0], 400), ([0, 0, 0], 100), ([0, 0, 1], math.nan)]
)
def test_rows_needed_are_enough_from_there_on(errors, needed):
    cells = [(n, r, e * r) for n, e in zip((100, 200, 400), errors, strict=True) for r in (0, 1)]
    rows = pl.DataFrame(
        [
            {
                "structure": "grid",
                "strongest": 0.5,
                "N": n,
                "repetition": r,
                "learner": "hc",
                "edge_errors": e,
            }
            for n, r, e in cells
        ]
    )
    found = RowsNeeded("exact", "", (("HC", "hc"),)).compare(rows)
    assert [each.ours for each in found] == pytest.approx([needed], nan_ok=True)


@dataclass(frozen=True)
class StandIn(HillClimbingOptions):
    test: str = "pairwise"
    start: str = "empty"


@pytest.mark.parametrize("name", ["recommended-short", "recommended-exact"])
def test_a_study_is_run_and_reported(name, tmp_path, monkeypatch):
    if "ibmap" not in learners.LEARNERS:
        monkeypatch.setitem(learners.LEARNERS, "ibmap", Learner(StandIn, learn_hc))
    study = recommended_studies()[name]
    kept = tuple(each for each in study.learners if each.name in ("ibmap", "rise"))
    rows = run_study(
        replace(study, problems=study.problems[:2], learners=kept, repetitions=2), tmp_path, n_jobs=1
    )
    assert rows["learner"].to_list() == ["ibmap", "rise"] * 4
    lines = [each for finding in sum_up(study, rows) for each in finding.comparisons]
    assert {"IBMAP", "RISE EBIC"} <= {each.column for each in lines if each.n_runs > 0}


def test_short_data_is_sixteen_cells_of_five_networks():
    study = recommended_studies()["recommended-short"]
    assert (len(study.problems), study.repetitions) == (16, 5)
    assert study.reports[1].table.keys == ("family",)
