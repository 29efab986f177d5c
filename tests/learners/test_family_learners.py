"""The learners of the family through the common door: options, results, the command line, the study."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

from cli_runner import run_fixture  # noqa: F401
from ibmap import SearchResult
from ibmap.errors import InvalidOptionError, SearchWarning, StopSearch
from ibmap.graph import MarkovGraph
from ibmap.independence.bayesian import BayesianTest
from ibmap.learners import LEARNERS, GSMNOptions, learn_gsmn
from ibmap.reproduce.family import LARGE, SMALL, draw_cost, family_studies
from ibmap.reproduce.reports import sum_up
from ibmap.reproduce.runner import run_study
from ibmap.reproduce.study import Study
from ibmap.result.words import how_ended, how_learned
from ibmap.score import local_score, total_score
from ibmap.score.graph_score import JointScore
from ibmap.score.likelihood import MarginalScore, PenalisedScore
from score.test_family_scores import sampled

FAMILY = ("hhc", "beam", "restarts", "bjp", "mpl", "pic", "pfmn")
pytestmark = pytest.mark.compiled_only("learners as a whole say nothing new about kernels")


def learned(name, table, **options):
    entry = LEARNERS[name]
    return entry.learn(table, entry.options(**options))


@pytest.mark.parametrize("name", FAMILY)
def test_a_learner_finds_a_strong_edge_and_its_result_survives_a_file(name):
    rows = np.random.default_rng(0).integers(0, 2, (400, 4))
    rows[:, 1] = rows[:, 0]
    table = sampled(4, 400, 0)
    table = type(table).from_codes(rows, [2] * 4)
    result = learned(name, table)
    assert result.graph.edges == ((0, 1),)
    again = SearchResult.from_json(result.to_json())
    assert (again.graph, again.score, again.n_tests, again.test_cost) == (
        result.graph, result.score, result.n_tests, result.test_cost
    )  # fmt: skip
    assert (result.test_cost is not None) == (name == "pfmn")
    assert result.is_complete and how_learned(result) and how_ended(result)


def test_scores_are_those_of_the_structures_found():
    table = sampled(6, 200, 1)
    test = BayesianTest(table)
    scores = {
        "hhc": lambda graph: total_score(local_score(test), graph),
        "beam": lambda graph: total_score(local_score(test), graph),
        "restarts": lambda graph: total_score(local_score(test), graph),
        "bjp": JointScore(test).total,
        "mpl": lambda graph: total_score(MarginalScore(table), graph),
        "pic": lambda graph: total_score(PenalisedScore(table), graph),
    }
    for name, score in scores.items():
        result = learned(name, table)
        assert result.score == pytest.approx(score(result.graph))
        assert result.n_ascents == len(result.trace)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("beam", {"width": 1, "patience": 0}), ("restarts", {"restarts": 0}), ("bjp", {"ties": "mean"}),
        ("mpl", {"dirichlet": "laplace"}), ("mpl", {"dirichlet_size": 50.0}), ("pic", {"factor": 0.01}),
        ("pfmn", {"random_state": 1}), ("pfmn", {"structure_prior": "counts"}), ("pfmn", {"particles": 10}),
        ("pfmn", {"choice": "information"}), ("pfmn", {"pool": "blankets"}), ("pfmn", {"candidates": 5}),
        ("pfmn", {"moves": 1}), ("pfmn", {"patience": 1}),
    ],
)  # fmt: skip
def test_every_option_matters(name, options):
    def outcome(**given):
        result = learned(name, sampled(8, 60, 4), **given)
        return result.score, result.n_tests, result.test_cost, result.n_iterations

    assert outcome(**options) != outcome()


def test_restarts_take_their_options():
    table = sampled(8, 60, 4)
    found = {
        json.dumps(
            [
                learned("restarts", table, **options).n_iterations,
                learned("restarts", table, **options).n_tests,
            ]
        )
        for options in ({}, {"restart": "random"}, {"shaken": 20}, {"random_state": 3})
    }
    assert len(found) == 4


@pytest.mark.parametrize("name", ["restarts", "mpl", "pic"])
def test_threads_change_nothing(name):
    entry, table = LEARNERS[name], sampled(8, 100, 2)
    one, three = (entry.learn(table, entry.options(), n_threads=k) for k in (1, 3))
    assert (one.graph, one.score, one.trace) == (three.graph, three.score, three.trace)


@pytest.mark.parametrize("name", FAMILY)
def test_a_learner_that_is_stopped_says_so(name):
    def impatient(progress):
        raise StopSearch

    entry = LEARNERS[name]
    with pytest.warns(SearchWarning, match="interrupted"):
        result = entry.learn(sampled(6, 200, 0), entry.options(), callback=impatient)
    assert result.stopped == "interrupted"


def test_a_start_is_used_and_a_wrong_one_refused():
    table = sampled(5, 100, 0)
    full = MarkovGraph(~np.eye(5, dtype=bool), table.names)
    for name in ("hhc", "beam", "restarts", "bjp", "mpl", "pic"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SearchWarning)
            result = learned(name, table, start=full, max_ascents=0)
        assert result.graph == full and result.start == "graph"
        with pytest.raises(InvalidOptionError, match="start must be"):
            learned(name, table, start="best")


def test_gsmn_takes_the_argumentative_test_by_name():
    table = sampled(6, 60, 3)
    plain, argued = learn_gsmn(table, GSMNOptions()), learn_gsmn(table, GSMNOptions(test="argumentative"))
    assert argued.provenance.options["max_arguments"] == 1000
    assert "max_arguments" not in plain.provenance.options
    assert argued.n_tests > plain.n_tests
    trusting = learn_gsmn(table, GSMNOptions(test="argumentative", max_arguments=1))
    assert trusting.graph == plain.graph


@pytest.mark.parametrize("name", FAMILY)
def test_the_command_line_runs_it(name, tmp_path, run):
    path = tmp_path / "table.csv"
    rows = np.random.default_rng(0).integers(0, 2, (400, 3))
    rows[:, 1] = rows[:, 0]
    path.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in rows))
    done = run("learn", str(path), "--algorithm", name, "--json")
    content = json.loads(done.out)
    assert ["a", "b"] in content["edge_names"]
    assert content["evidence"]
    summary = run("learn", str(path), "--algorithm", name).out
    words = {"mpl": "blankets weighed", "pfmn": "variables in all", "bjp": "Blankets' joint posterior"}
    assert words.get(name, "Cost") in summary


def test_options_of_other_learners_are_refused(tmp_path, run):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n0,1\n1,0\n")
    done = run("learn", str(path), "--algorithm", "mpl", "--width", "3")
    assert "--width belongs to --algorithm beam" in done.err


def test_the_studies_name_their_learners_and_run():
    studies = family_studies()
    assert {each.name for each in SMALL} > {each.name for each in LARGE}
    assert all(isinstance(each, Study) for each in studies.values())
    instance = studies["family"].problems[2].draw(np.random.default_rng(0))
    for learner in SMALL:
        found = learner.learn(instance.table)
        assert found.graph.n_variables == 12 and found.counters["n_tests"] > 0
        assert ("test_cost" in found.counters) == (
            learner.name in ("gsmn", "gsmn-arguments", "gsimn", "pfmn")
        )


def test_a_study_is_run_and_reported_with_a_figure(tmp_path):
    study = family_studies()["family"]
    few = tuple(each for each in study.learners if each.name in ("ibmap", "gsmn", "mpl"))
    small = replace(study, problems=study.problems[1:3], learners=few, repetitions=1)
    rows = run_study(small, tmp_path, seed=1, n_jobs=1)
    assert len(rows) == 6
    found = {finding.table.name: finding for finding in sum_up(small, rows)}
    assert len(found["family-edge-errors"].comparisons) == 2 * len(study.learners)
    figure = draw_cost(rows)
    assert {text.get_text() for text in figure.axes[0].texts} == {"IBMAP", "GSMN", "MPL"}
