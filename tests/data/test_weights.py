"""Weighted tables: counts are repetitions to the last bit, survey weights are scaled."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from cli_runner import run_fixture  # noqa: F401 - a fixture
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import IbmapError, InvalidTableError, SearchWarning
from ibmap.learners import LEARNERS, HillClimbingOptions, learn_hc

N_ROWS = 40


def frame(seed=1):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, N_ROWS)
    b = np.where(rng.random(N_ROWS) < 0.6, a, rng.integers(0, 3, N_ROWS))
    return pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, N_ROWS), "d": rng.normal(size=N_ROWS) + b})


def counts(scale, seed=2):
    return np.random.default_rng(seed).integers(0, 6, N_ROWS) * scale


def content(result):
    """All that a result says, but when and from which rows."""
    found = json.loads(result.to_json())
    return found | {"provenance": {**found["provenance"], "fingerprint": "", "seconds": 0, "notes": []}}


@pytest.mark.parametrize("scale", [1, 60])  # repeated in full, and merged
@pytest.mark.parametrize("name", LEARNERS)
def test_counts_are_repetitions_for_every_learner(name, scale):
    table, weights, learner = frame(), counts(scale), LEARNERS[name]
    weighted = learner.learn(encode(table, bins="auto", weights=weights), learner.options())
    expanded = learner.learn(encode(table.loc[table.index.repeat(weights)], bins="auto"), learner.options())
    assert content(weighted) == content(expanded)


@pytest.mark.parametrize("scale", [1, 60])
def test_everything_after_learning_knows_counts(scale):
    table, weights = frame(), counts(scale)
    first = ibmap.IBMAP().fit(table, sample_weight=weights)
    second = ibmap.IBMAP().fit(table.loc[table.index.repeat(weights)])
    assert content(first.result_) == content(second.result_)
    for method in ("posterior", "bootstrap"):
        sure = [each.confidence(method, n_fits=5).edge_probabilities for each in (first, second)]
        assert (sure[0] == sure[1]).all()
    models = [each.fit_parameters() for each in (first, second)]
    assert models[0].marginals("a") == models[1].marginals("a")
    likely = [each.log_likelihood(table).tolist() for each in models]
    assert likely[0] == likely[1]
    said = [each.result_.explain("a", "b", data=each._table).to_dict() for each in (first, second)]
    assert said[0] == said[1]
    assert (
        ibmap.SearchResult.from_json(first.result_.to_json()).provenance.notes
        == first.result_.provenance.notes
    )


def both_ways(scale):
    """The same table with counts, and repeated."""
    table, weights = frame(), counts(scale)
    expanded = table.loc[table.index.repeat(weights)]
    return encode(table, bins="auto", weights=weights), encode(expanded, bins="auto")


@pytest.mark.parametrize("scale", [1, 60])
def test_distances_to_a_weighted_table_are_those_to_the_expanded_one(scale):
    weighted, expanded = both_ways(scale)
    graph = ibmap.IBMAP().fit(weighted).result_.graph
    plain = encode(frame(), bins="auto")
    found = [
        ibmap.metrics.independence_hamming(graph, each, n_triplets=200, random_state=1)
        for each in (weighted, expanded, plain)
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("scale", [1, 60])
def test_a_search_on_a_weighted_table_goes_on_where_it_was_cut(scale, tmp_path):
    weighted, expanded = both_ways(scale)
    options, steps = HillClimbingOptions(start="empty"), iter(range(3))

    def stop_soon(_progress):
        if next(steps, None) is None:
            raise ibmap.StopSearch

    with pytest.warns(SearchWarning, match="interrupted"):
        cut = learn_hc(weighted, options, callback=stop_soon, checkpoint=tmp_path / "kept.json")
    assert cut.stopped == "interrupted"
    whole = learn_hc(weighted, options, resume=tmp_path / "kept.json")
    assert content(whole) == content(learn_hc(expanded, options))
    other = encode(frame(), bins="auto", weights=counts(scale, seed=3))
    with pytest.raises(IbmapError, match="another table"):
        learn_hc(other, options, resume=tmp_path / "kept.json")


@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")  # of few rows columns may be constant
@given(
    st.lists(st.integers(0, 5), min_size=N_ROWS, max_size=N_ROWS).filter(any),
    st.sampled_from([None, "frequency"]),
)
def test_the_rows_of_a_weighted_table_are_those_of_the_expanded_one(weights, bins):
    table = frame().assign(d=lambda x: (x.d * 100).astype(int)) if bins else frame()[["a", "b", "c"]]
    short = encode(table, bins=bins, weights=weights)
    long = encode(table.loc[table.index.repeat(weights)], bins=bins)
    assert short.codes.tolist() == long.codes.tolist()
    assert short.labels == long.labels


def test_missing_rows_count_as_often_as_they_occur():
    table = pd.DataFrame({"a": [0, None, 1], "b": [0, 1, 1]})
    found = encode(table, missing="drop", weights=[2, 3, 1])
    assert (found.n_samples, found.preparation.n_rows_dropped, found.preparation.missing) == (3, 3, {"a": 3})


def test_survey_weights_sum_to_the_effective_number_of_rows():
    weights = np.random.default_rng(0).exponential(size=N_ROWS)
    table = encode(frame(), bins="auto", weights=weights)
    assert table.weights.sum() == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert np.allclose(table.weights / table.weights[0], weights / weights[0])
    assert "effective number" in table.preparation.notes[0]


def test_equal_survey_weights_are_no_weights():
    plain = ibmap.IBMAP().fit(frame())
    weighted = ibmap.IBMAP().fit(frame(), sample_weight=np.full(N_ROWS, 0.3))
    assert weighted.score_ == pytest.approx(plain.score_, rel=1e-9)
    assert (weighted.adjacency_ == plain.adjacency_).all()


def test_fractions_are_no_counts_to_either_implementation():
    """The evidence of full tables is a smooth function of the weights."""
    table, weights = frame(), np.full(N_ROWS, 1.0)
    weights[0] = 1.5
    scores = [
        ibmap.AveragedTest(EncodedTable.from_codes(encode(table, bins="auto").codes, weights=w), 0.5)
        for w in (weights, np.where(weights > 1, 1.500001, 1.0), np.where(weights > 1, 1.0, 1.0))
    ]
    near, same, plain = (each.log_probabilities(0, 1).independent for each in scores)
    assert near == pytest.approx(same, rel=1e-4)
    assert near != plain


def test_survey_weights_go_all_the_way():
    weights = np.random.default_rng(0).exponential(size=N_ROWS)
    learner = ibmap.IBMAP().fit(frame(), sample_weight=weights)
    assert learner.confidence("bootstrap", n_fits=3).edge_probabilities.shape == (4, 4)
    learner.confidence("posterior")
    model = learner.fit_parameters(prior_strength=1.0)
    share = weights[frame().c == 0].sum() / weights.sum()
    assert model.marginals("c")[0] == pytest.approx(share, abs=0.05)
    learner.result_.explain("a", "b", data=learner._table)


@pytest.mark.parametrize("make", [ibmap.BayesianTest, ibmap.ChiSquareTest, lambda t: ibmap.IBMAPHC().fit(t)])
def test_full_tables_refuse_survey_weights_by_name(make):
    table = encode(frame(), bins="auto", weights=np.linspace(0.1, 1, N_ROWS))
    with pytest.raises(InvalidTableError, match=r"survey weights.*IBMAP"):
        make(table)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1.0] * 3, "shape"),
        ([-1] * N_ROWS, "negative value in row 0"),
        ([0] * N_ROWS, "only zeros"),
        ([float("nan")] * N_ROWS, "no number in row 0"),
        (["x"] * N_ROWS, "not made of numbers"),
        ([1e300] * N_ROWS, "2\\*\\*53"),
        ("nope", "which the table does not have"),
    ],
)
def test_bad_weights_are_refused(weights, says):
    with pytest.raises(IbmapError, match=says):
        encode(frame(), bins="auto", weights=weights)


def test_the_command_line_takes_a_column_of_counts(run, tmp_path):
    table = frame()[["a", "b", "c"]]
    weights = counts(3)
    table.assign(Freq=weights).to_csv(tmp_path / "short.csv", index=False)
    table.loc[table.index.repeat(weights)].to_csv(tmp_path / "long.csv", index=False)
    short = run("learn", str(tmp_path / "short.csv"), "--weights", "Freq", "--json")
    long = run("learn", str(tmp_path / "long.csv"), "--json")
    found = [json.loads(each.out) for each in (short, long)]
    assert found[0]["provenance"]["options"]["weights"] == "Freq"
    assert found[0]["edges"] == found[1]["edges"]
    summary = run("learn", str(tmp_path / "short.csv"), "--weights", "Freq").out
    assert "counts rows" in summary
    bad = run("learn", str(tmp_path / "short.csv"), "--weights", "freq")
    assert bad.code == 2 and "Freq" in bad.err
