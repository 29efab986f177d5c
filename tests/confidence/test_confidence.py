import json
import pickle

import numpy as np
import pytest

import ibmap
from ibmap.confidence import Confidence
from ibmap.confidence.calibration import calibration_error, log_loss, recommended_temperature
from ibmap.confidence.exact import exact_posterior
from ibmap.errors import FileFormatError, InvalidOptionError, InvalidTableError
from ibmap.independence.bayesian import BayesianTest
from ibmap.score import local_score
from ibmap.simulate import random_network


def confidence(values, mixed=None, **more):
    p = np.zeros((3, 3))
    p[np.triu_indices(3, 1)] = values
    return Confidence(("a", "b", "c"), p + p.T, "sampled", 1.0, mixed, more)


@pytest.fixture(scope="module")
def rows():
    return random_network(6, 2, signs="random", random_state=1).sample(200, random_state=1)


def test_verdicts_are_given_at_ten_to_one():
    sure = confidence([10 / 11, 0.5, 1 / 11])
    assert sure.verdicts[0].tolist() == ["", "present", "undecided"]
    assert sure.verdicts[1, 2] == "absent"
    assert sure.counts == {"present": 1, "undecided": 1, "absent": 1}
    assert confidence([0.76, 0.74, 0.2]).verdicts_at(3)[0].tolist() == ["", "present", "undecided"]


def test_a_pair_that_has_not_mixed_is_undecided_however_sure_it_seems():
    mixed = np.ones((3, 3), bool)
    mixed[0, 1] = mixed[1, 0] = False
    assert confidence([1.0, 0.999, 0.0], mixed).verdicts[0].tolist() == ["", "undecided", "present"]


def test_the_median_network_joins_what_is_above_a_half():
    sure = confidence([0.51, 0.5, 0.3])
    assert sure.graph().edges == ((0, 1),) and sure.graph(0.2).n_edges == 3
    assert sure.graph().names == ("a", "b", "c")


def test_json_brings_back_the_same_value():
    mixed = np.ones((3, 3), bool)
    mixed[0, 2] = mixed[2, 0] = False
    sure = confidence([0.1 + 0.2, 1e-300, 1.0], mixed, stopped="precise", n_steps=5)
    again = Confidence.from_json(sure.to_json())
    assert again.to_json() == sure.to_json()
    assert (again.edge_probabilities == sure.edge_probabilities).all()
    assert (again.verdicts == sure.verdicts).all() and again.diagnostics["n_steps"] == 5


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "no",
        '{"format": "other", "format_version": 1}',
        '{"format": "ibmap-confidence", "format_version": 9}',
    ],
)
def test_other_files_are_refused(text):
    with pytest.raises(FileFormatError, match=r"ibmap-confidence|other|not JSON|version 9"):
        Confidence.from_json(text)


def test_frames_list_all_pairs_the_most_probable_first():
    sure = confidence([0.2, 0.95, 0.01])
    polars, pandas = sure.to_frame(), sure.to_frame("pandas")
    assert polars.rows()[0] == ("a", "c", 0.95, "present")
    assert polars.columns == list(pandas.columns) == ["x", "y", "probability", "verdict"]
    assert pandas["probability"].tolist() == [0.95, 0.2, 0.01]


def test_what_is_no_probability_is_refused():
    with pytest.raises(InvalidOptionError, match="between 0 and 1"):
        confidence([1.5, 0, 0])
    with pytest.raises(InvalidOptionError, match=r"shape \(2, 2\)"):
        Confidence(("a", "b"), np.zeros((3, 3)), "exact")


def test_probabilities_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        confidence([0.1, 0.2, 0.3]).edge_probabilities[0, 1] = 1


@pytest.mark.parametrize("make", [ibmap.IBMAPHC, ibmap.IBMAPTS])
def test_the_papers_learners_give_their_own_posterior(make, rows):
    sure = make().fit(rows).confidence()
    exact = exact_posterior(local_score(BayesianTest(rows)))
    assert sure.temperature == 1.0 and sure.method == "exact"
    np.testing.assert_allclose(sure.edge_probabilities, exact.edge_probabilities, atol=1e-12)


def test_the_recommended_learner_is_calibrated_and_uses_the_prior_it_learned(rows):
    learner = ibmap.IBMAP().fit(rows)
    sure = learner.confidence()
    assert sure.temperature == recommended_temperature(200) == 1.5
    score = local_score(ibmap.AveragedTest(rows, prior=learner.prior_))
    exact = exact_posterior(score, temperature=1.5)
    np.testing.assert_allclose(sure.edge_probabilities, exact.edge_probabilities, atol=1e-9)
    assert learner.confidence(temperature=1).temperature == 1.0


@pytest.mark.parametrize("make", [ibmap.IBMAP, ibmap.IBMAPHC, ibmap.GSMN, ibmap.IAMB, ibmap.HITON])
def test_every_learner_can_be_bootstrapped(make, rows):
    learner = make().fit(rows)
    sure = learner.confidence("bootstrap", n_fits=6)
    again = learner.confidence("bootstrap", n_fits=6, n_threads=2)
    assert (sure.edge_probabilities == again.edge_probabilities).all()
    assert sure.method == "bootstrap" and sure.diagnostics["n_fits"] == 6
    assert set((sure.edge_probabilities * 6).round(9).ravel()) <= set(range(7))


def test_what_cannot_be_is_refused_with_the_remedy(rows):
    with pytest.raises(InvalidOptionError, match="method='bootstrap'"):
        ibmap.GSMN().fit(rows).confidence()
    learner = ibmap.IBMAP().fit(rows)
    with pytest.raises(InvalidOptionError, match="method must be one of"):
        learner.confidence("jackknife")
    with pytest.raises(InvalidOptionError, match="temperature must be"):
        learner.confidence(temperature=0)
    with pytest.raises(InvalidOptionError, match="option of method='posterior'"):
        learner.confidence("bootstrap", temperature=1.0)
    with pytest.raises(InvalidTableError, match="fit it again"):
        pickle.loads(pickle.dumps(learner)).confidence()


def test_diagnostics_are_plain_json(rows):
    wide = random_network(11, 2, random_state=2).sample(150, random_state=2)
    sure = ibmap.IBMAP().fit(wide).confidence(random_state=3)
    assert json.loads(sure.to_json())["diagnostics"]["n_not_mixed"] == 0
    assert sure.diagnostics["stopped"] in ("precise", "max_steps")


def test_calibration_errors_are_what_claims_exceed_shares_by():
    claims, truths = np.array([0.9] * 10 + [0.1] * 10), np.array([True] * 7 + [False] * 3 + [False] * 10)
    assert calibration_error(claims, truths) == pytest.approx((0.2 * 10 + 0.1 * 10) / 20)
    assert log_loss(np.array([0.0, 1.0]), np.array([True, True])) == pytest.approx(
        -(np.log(0.001) + np.log(0.999)) / 2
    )


def test_temperatures_fall_to_one_with_the_rows():
    found = [recommended_temperature(n) for n in (1, 100, 200, 1000, 10**6)]
    assert found[0] == 1.6 and found == sorted(found, reverse=True) and found[-1] < 1.001


def test_the_graph_and_the_result_tell_what_was_found():
    rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10 + [[0, 1, 0]]
    learner = ibmap.IBMAP().fit(rows)
    assert "probability" not in learner.graph_.edges["x0", "x1"]
    sure = learner.confidence()
    assert learner.graph_.edges["x0", "x1"]["probability"] == sure.edge_probabilities[0, 1]
    assert learner.result_.confidence is sure
    learner.confidence("bootstrap", n_fits=4)
    assert "probability" not in learner.graph_.edges["x0", "x1"]
    assert (
        learner.graph_.edges["x0", "x1"]["frequency"] == learner.result_.confidence.edge_probabilities[0, 1]
    )
    assert learner.fit(rows).result_.confidence is None
