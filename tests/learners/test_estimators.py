import dataclasses
import json
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import ibmap
from ibmap import (
    GSIMN,
    GSMN,
    HITON,
    IAMB,
    IBMAP,
    IBMAPHC,
    IBMAPTS,
    GSMNStar,
    MarkovGraph,
    SearchResult,
    SeparationTest,
    StopSearch,
    encode,
    ib_score,
)
from ibmap.errors import InvalidGraphError, InvalidOptionError, InvalidTableError, SearchWarning
from ibmap.learners.estimators import n_threads_of
from oracles import naive
from strategies import edge_set


# One check is exempt, for its time; check_array_api_input skips itself unless SCIPY_ARRAY_API is set.
@parametrize_with_checks(
    [
        IBMAP(),
        IBMAP(bins=3, missing="state"),
        GSMN(),
        IBMAPHC(),
        IBMAPTS(),
        IBMAPHC(test="pairwise"),
        GSMNStar(),
        GSIMN(),
        IAMB(),
        HITON(),
        GSMN(bins=3),
        IBMAPHC(bins=3),
        IBMAPHC(bins="frequency", missing="state"),
    ]
)
@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")  # the checks' tables have constant columns
@pytest.mark.compiled_only("scikit-learn asks about what is around the kernels")
def test_scikit_learn_contract(estimator, check):
    if check.func.__name__ == "check_sample_weight_equivalence_on_dense_data":
        pytest.skip(
            "38 rows of 30 columns take minutes; tests/data/test_weights.py has this law on smaller ones"
        )
    check(estimator)


def chain(seed=7, n_variables=5, n_rows=60, n_states=3):
    """Rows in which every variable mostly follows the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n_states, n_rows)]
    for _ in range(n_variables - 1):
        noise = rng.integers(0, n_states, n_rows)
        columns.append(np.where(rng.random(n_rows) < 0.55, columns[-1], noise))
    return np.stack(columns, axis=1)


def oracle(rows, **options):
    return naive.CountingTest(rows.tolist(), [3] * rows.shape[1], **options)


def stripped(result):
    """Every field of a result, without how long it took."""
    return {
        **{field.name: getattr(result, field.name) for field in dataclasses.fields(result)},
        "provenance": dataclasses.replace(result.provenance, seconds=0.0),
    }


# --- what is promised after fit


def test_gsmn_stores_what_is_promised():
    X = chain()
    learner = GSMN()
    assert learner.fit(X) is learner
    assert isinstance(learner.graph_, nx.Graph)
    assert list(learner.graph_.nodes) == ["x0", "x1", "x2", "x3", "x4"]
    assert learner.adjacency_.dtype == bool
    assert np.array_equal(learner.adjacency_, nx.to_numpy_array(learner.graph_).astype(bool))
    assert learner.feature_names_in_.tolist() == list(learner.graph_.nodes)
    assert learner.n_features_in_ == 5
    assert learner.n_tests_ == learner.result_.n_tests > 0
    assert not hasattr(learner, "score_")
    assert learner.result_.score is None


def test_hill_climbing_stores_what_is_promised():
    learner = IBMAPHC(start="empty").fit(chain())
    assert isinstance(learner.graph_, nx.Graph)
    assert learner.adjacency_.shape == (5, 5)
    assert np.array_equal(learner.adjacency_, nx.to_numpy_array(learner.graph_).astype(bool))
    assert isinstance(learner.score_, float)
    assert learner.n_ascents_ == len(learner.result_.trace) == learner.n_iterations_ - 1 > 0
    assert (learner.score_, learner.n_tests_) == (learner.result_.score, learner.result_.n_tests)
    assert learner.result_.stopped == "optimum"
    assert learner.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]


def test_the_attributes_are_the_learners_own():
    learner = IBMAPHC().fit(chain())
    learner.adjacency_[:] = False
    learner.get_feature_names_out()[:] = "?"
    assert learner.result_.graph.n_edges > 0
    assert learner.feature_names_in_[0] == "x0"


@pytest.mark.parametrize("learner", [GSMN(), IBMAPHC()])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_are_kept_throughout(learner, library):
    names = ["rain", "wet", "slip", "fall", "cast"]
    frame = library(dict(zip(names, chain().T, strict=True)))
    fitted = clone(learner).fit(frame)
    assert fitted.feature_names_in_.tolist() == names
    assert fitted.get_feature_names_out().tolist() == names
    assert list(fitted.graph_.nodes) == names
    assert fitted.result_.graph.names == tuple(names)
    assert [v["name"] for v in json.loads(fitted.result_.to_json())["variables"]] == names
    assert np.array_equal(fitted.adjacency_, clone(learner).fit(chain()).adjacency_)


def test_other_feature_names_are_refused():
    learner = IBMAPHC().fit(chain())
    assert learner.get_feature_names_out(["x0", "x1", "x2", "x3", "x4"]).tolist()[4] == "x4"
    with pytest.raises(InvalidOptionError, match="input_features"):
        learner.get_feature_names_out(["a", "b", "c", "d", "e"])
    with pytest.raises(NotFittedError):
        IBMAPHC().get_feature_names_out()


@pytest.mark.parametrize("options", [{}, {"start": "empty"}, {"hyperparameters": "bdeu"}])
def test_the_number_of_threads_changes_nothing(options):
    X = chain(seed=3, n_variables=6, n_rows=80)
    one, two = (IBMAPHC(n_jobs=k, **options).fit(X) for k in (1, 2))
    assert stripped(one.result_) == stripped(two.result_)
    assert (one.score_, one.n_tests_) == (two.score_, two.n_tests_)


# --- equality with the definition


@pytest.mark.parametrize("seed", range(3))
def test_gsmn_is_the_definition(seed):
    X = chain(seed)
    expected = oracle(X)
    edges = naive.gsmn(expected.ask, expected.log_support, 5)
    learner = GSMN().fit(X)
    assert edge_set(learner.result_.graph) == edges
    assert learner.n_tests_ == len(expected.asked)


@pytest.mark.parametrize("start", ["gsmn", "empty"])
@pytest.mark.parametrize("seed", range(2))
def test_hill_climbing_is_the_definition(seed, start):
    X = chain(seed, n_variables=4)
    expected = oracle(X)
    first = naive.gsmn(expected.ask, expected.log_support, 4) if start == "gsmn" else set()
    climb = naive.hill_climb(expected, 4, first)
    learner = IBMAPHC(start=start).fit(X)
    assert edge_set(learner.result_.graph) == climb["edges"]
    assert learner.score_ == pytest.approx(climb["score"], abs=1e-9)
    assert learner.n_ascents_ == climb["ascents"]
    assert learner.n_iterations_ == climb["iterations"]
    assert learner.n_tests_ == len(climb["asked"])


# --- options are used


@pytest.mark.parametrize(
    "options",
    [
        {"prior": 0.2},
        {"hyperparameters": "ones"},
        {"hyperparameters": "bdeu"},
        {"hyperparameters": "bdeu", "equivalent_sample_size": 10.0},
        {"slices": "seen"},
    ],
    ids=str,
)
def test_options_of_the_test_reach_the_score(options):
    X = chain(n_variables=4, n_rows=20)
    learner = IBMAPHC(**options).fit(X)
    expected = naive.ib_score(X.tolist(), [3] * 4, edge_set(learner.result_.graph), **options)
    assert learner.score_ == pytest.approx(expected, abs=1e-9)
    assert learner.score(X) == pytest.approx(learner.score_, rel=1e-12)
    assert learner.score_ != pytest.approx(ib_score(X, learner.graph_), abs=1e-6)
    assert learner.result_.provenance.options.items() >= options.items()


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (7, {"rule": "and"}),
        (7, {"grow": "repeat"}),
        (7, {"order": "columns"}),
        (7, {"prior": 0.2}),
        (7, {"hyperparameters": "ones"}),
        (7, {"hyperparameters": "bdeu", "equivalent_sample_size": 3.0}),
        (271, {"slices": "seen"}),
    ],
    ids=str,
)
def test_options_change_the_graph_of_gsmn(seed, options):
    X = chain(seed)
    learner = GSMN(**options).fit(X)
    joins = {k: v for k, v in options.items() if k in ("rule", "grow", "order")}
    expected = oracle(X, **{k: v for k, v in options.items() if k not in joins})
    assert edge_set(learner.result_.graph) == naive.gsmn(expected.ask, expected.log_support, 5, **joins)
    assert learner.result_.graph != GSMN().fit(X).result_.graph
    assert learner.result_.provenance.options.items() >= options.items()


def test_gsmn_asks_the_test_named():
    asked = [("bayesian", 0.05), ("chi-square", 0.05), ("g", 0.05), ("g", 0.001)]
    found = [GSMN(test=test, significance=level).fit(chain(4)) for test, level in asked]
    assert len({learner.result_.graph for learner in found}) == 4
    assert found[0].result_.graph == GSMN().fit(chain(4)).result_.graph


def test_gsmn_asks_a_test_given_as_a_function():
    true = MarkovGraph.from_edges(5, [(0, 4), (1, 2)])

    def perfect(table):
        assert table.n_samples == 60
        return SeparationTest(true)

    frame = pd.DataFrame(chain(), columns=list("abcde"))
    learner = GSMN(test=perfect).fit(frame)
    assert sorted(learner.graph_.edges) == [("a", "e"), ("b", "c")]
    assert learner.result_.provenance.options["test"] == "perfect"
    with pytest.raises(InvalidGraphError, match="different variables"):
        GSMN(test=lambda table: SeparationTest(MarkovGraph(true.adjacency, list("vwxyz")))).fit(frame)


@pytest.mark.parametrize("learner", [GSMN(), IBMAPHC()])
def test_missing_values_are_treated_as_asked(learner):
    X = chain().astype(float)
    X[:6, 0] = np.nan
    with pytest.raises(InvalidTableError, match=r"'x0' \(6 of 60\)"):
        clone(learner).fit(X)
    dropped = clone(learner).set_params(missing="drop").fit(X)
    assert dropped.result_.provenance.n_rows_dropped == 6
    assert stripped(dropped.result_)["graph"] == clone(learner).fit(X[6:]).result_.graph
    kept = clone(learner).set_params(missing="state").fit(X)
    assert kept.result_.states[0] == (0.0, 1.0, 2.0, None)


@pytest.mark.parametrize("learner", [GSMN(), IBMAPHC()])
def test_continuous_columns_are_cut_as_asked(learner):
    rng = np.random.default_rng(1)
    first = rng.normal(size=200)
    X = np.stack([first, first + 0.1 * rng.normal(size=200), rng.normal(size=200)], axis=1)
    with pytest.raises(InvalidTableError, match="bins"):
        clone(learner).fit(X)
    three = clone(learner).set_params(bins=3).fit(X)
    assert [len(states) for states in three.result_.states] == [3, 3, 3]
    assert ("x0", "x1") in three.graph_.edges
    each = clone(learner).set_params(bins={"x0": 2, "x1": "frequency", "x2": 4}).fit(X)
    assert [len(states) for states in each.result_.states] == [2, 9, 4]


def test_the_start_is_where_the_climb_begins():
    X = chain()
    names = ["a", "b", "c", "d", "e"]
    frame = pd.DataFrame(X, columns=names)
    matrix = np.zeros((5, 5), int)
    matrix[0, 4] = matrix[4, 0] = 1
    by_name = nx.Graph([("e", "a")])
    by_number = nx.Graph([(0, 4)])
    graph = MarkovGraph(matrix, names)
    climbs = [
        IBMAPHC(start=start).fit(frame) for start in (matrix, matrix.tolist(), graph, by_name, by_number)
    ]
    assert len({climb.result_.trace for climb in climbs}) == 1
    assert climbs[0].result_.trace[0].score > ib_score(frame, matrix)
    assert climbs[0].result_.trace != IBMAPHC(start="empty").fit(frame).result_.trace
    assert climbs[0].result_.provenance.options["start"] == "graph"
    optimum = IBMAPHC().fit(frame)
    again = IBMAPHC(start=optimum.graph_).fit(frame)
    assert (again.n_ascents_, again.n_iterations_, again.score_) == (0, 1, optimum.score_)
    assert matrix.sum() == 2


# --- limits


@pytest.mark.parametrize("limit", [{"max_ascents": 1}, {"max_seconds": 1e-9}, {"max_ascents": 0}])
def test_a_limit_gives_the_best_so_far_and_warns(limit):
    name = next(iter(limit))
    with pytest.warns(SearchWarning, match=name) as caught:
        learner = IBMAPHC(start="empty", **limit).fit(chain())
    assert [w.filename for w in caught if w.category is SearchWarning] == [__file__]
    assert learner.n_ascents_ == limit.get("max_ascents", 0)
    assert learner.graph_.number_of_edges() == learner.n_ascents_
    assert learner.result_.stopped == name
    assert not learner.result_.is_complete
    assert learner.score_ == pytest.approx(ib_score(chain(), learner.graph_), abs=1e-9)
    assert SearchResult.from_json(learner.result_.to_json()).stopped == name


def test_a_limit_that_is_not_reached_is_silent():
    assert IBMAPHC(max_ascents=1000, max_seconds=1000).fit(chain()).result_.is_complete


def test_a_callback_hears_of_the_search():
    heard = []
    learner = IBMAPHC(start="empty", callback=heard.append).fit(chain())
    assert heard[-1].n_ascents == learner.n_ascents_
    assert heard[-1].score == learner.score_


# --- results as JSON


@pytest.mark.parametrize("learner", [GSMN(), IBMAPHC(start="empty"), IBMAPHC(prior=0.3, missing="drop")])
def test_results_round_trip_exactly(learner, tmp_path):
    result = clone(learner).fit(chain()).result_
    path = tmp_path / "net.json"
    text = result.to_json(path)
    for again in (SearchResult.from_json(text), SearchResult.from_json(path)):
        for field in dataclasses.fields(SearchResult):
            assert getattr(again, field.name) == getattr(result, field.name), field.name
        assert again.to_json() == text


# --- bad input


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (GSMN(test="fisher"), "test"),
        (GSMN(rule="xor"), "rule"),
        (GSMN(grow="twice"), "grow"),
        (GSMN(order="random"), "order"),
        (GSMN(prior=1.0), "prior"),
        (GSMN(hyperparameters="zeros"), "hyperparameters"),
        (GSMN(slices="some"), "slices"),
        (GSMN(equivalent_sample_size=0), "equivalent_sample_size"),
        (GSMN(test="g", significance=2), "significance"),
        (GSMN(missing="impute"), "missing"),
        (GSMN(bins=0), "bins"),
        (IBMAPHC(start="random"), "start"),
        (IBMAPHC(start=3), "start"),
        (IBMAPHC(start=np.eye(5)), "start"),
        (IBMAPHC(start=np.zeros((3, 3))), "start"),
        (IBMAPHC(start=nx.Graph([("a", "b")])), "start"),
        (IBMAPHC(start=nx.DiGraph([(0, 1)])), "start"),
        (IBMAPHC(prior="high"), "prior"),
        (IBMAPHC(max_ascents=-1), "max_ascents"),
        (IBMAPHC(max_ascents=1.5), "max_ascents"),
        (IBMAPHC(max_seconds=0), "max_seconds"),
        (IBMAPHC(max_seconds="1"), "max_seconds"),
        (IBMAPHC(n_jobs=0), "n_jobs"),
        (IBMAPHC(n_jobs="all"), "n_jobs"),
        (IBMAPHC(missing=None), "missing"),
        (IBMAPHC(bins="log"), "bins"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_option_is_named(learner, name):
    with pytest.raises(InvalidOptionError, match=name):
        learner.fit(chain())
    assert not hasattr(learner, "result_")


def test_options_are_keyword_only():
    with pytest.raises(TypeError):
        IBMAPHC("gsmn")
    with pytest.raises(TypeError):
        GSMN("bayesian")


@pytest.mark.parametrize("learner", [GSMN(), IBMAPHC()])
def test_unusable_tables_are_refused(learner):
    from scipy.sparse import csr_array

    X = chain()
    for bad, message in [
        (csr_array(X), "sparse"),
        (X * 1j, "Complex data not supported"),
        (X[:, 0], "shape"),
        (X[:0], "no rows"),
        (X[:, :1], r"1 feature\(s\).*at least two variables"),
        (X[:, :0], r"0 feature\(s\)"),
        (pd.DataFrame(X[:, :1]), "at least two variables"),
        ([[1], [2]], "at least two variables"),
        ([[1, 2], [3]], "row 1"),
        (np.where(X == 0, np.inf, X), "infinite"),
        ("table.csv", "give a pandas"),
        (None, "give a pandas"),
    ]:
        with pytest.raises(InvalidTableError, match=message):
            clone(learner).fit(bad)


def test_a_failed_fit_leaves_an_earlier_one_as_it_was():
    learner = IBMAPHC().fit(chain())
    before = stripped(learner.result_)
    with pytest.raises(InvalidTableError):
        learner.fit([[1]])
    assert stripped(learner.result_) == before
    assert learner.n_features_in_ == 5


# --- the score on a table


def test_the_score_is_the_whole_ib_score_of_the_structure():
    train, test = chain(1), chain(2, n_rows=90)
    learner = IBMAPHC().fit(train)
    assert learner.score(train) == pytest.approx(learner.score_, rel=1e-12)
    assert learner.score(test) == pytest.approx(ib_score(test, learner.graph_), abs=1e-9)
    assert learner.score(encode(test)) == learner.score(test.tolist()) == learner.score(test)


def test_the_score_finds_columns_by_name_and_else_by_place():
    train, test = chain(1), chain(2)
    names = ["a", "b", "c", "d", "e"]
    learner = IBMAPHC().fit(pd.DataFrame(train, columns=names))
    frame = pd.DataFrame(test, columns=names)
    assert learner.score(frame[names[::-1]]) == pytest.approx(learner.score(frame), abs=1e-9)
    assert learner.score(test) == learner.score(frame)
    assert IBMAPHC().fit(train).score(frame) == learner.score(frame)
    with pytest.raises(InvalidGraphError, match="'z'"):
        learner.score(frame.rename(columns={"a": "z"}))
    for narrow in (test[:, :3], frame[["a", "b", "c"]]):
        with pytest.raises(InvalidTableError, match="X has 3 features, but IBMAPHC is expecting 5"):
            learner.score(narrow)
    with pytest.raises(InvalidGraphError):
        learner.score(test[:, :3].tolist())
    with pytest.raises(NotFittedError):
        IBMAPHC().score(test)


# --- scikit-learn's tools


def test_learners_clone_and_pickle():
    matrix = np.zeros((5, 5), bool)
    learner = IBMAPHC(start=matrix, bins={"x0": 2}, prior=0.3)
    twin = clone(learner)
    assert np.array_equal(twin.start, matrix)
    assert (twin.bins, twin.prior) == ({"x0": 2}, 0.3)
    learner = IBMAPHC().fit(chain())
    again = pickle.loads(pickle.dumps(learner))
    assert stripped(again.result_) == stripped(learner.result_)
    assert again.score(chain()) == pytest.approx(learner.score_, rel=1e-12)
    assert learner.set_params(prior=0.2).fit(chain()).score_ != again.score_


def test_cross_validation_scores_every_fold():
    X = chain(n_rows=90)
    folds = KFold(3)
    found = cross_val_score(IBMAPHC(), X, cv=folds)
    expected = [IBMAPHC().fit(X[train]).score(X[test]) for train, test in folds.split(X)]
    assert found.tolist() == expected


def test_grid_search_chooses_among_learners():
    X = chain(n_rows=90)

    def held_still(learner, X, y=None):
        return ib_score(X, learner.graph_)

    search = GridSearchCV(IBMAPHC(), {"prior": [0.1, 0.5, 0.9]}, scoring=held_still, cv=3).fit(X)
    assert search.best_estimator_.graph_.number_of_nodes() == 5
    by_itself = GridSearchCV(IBMAPHC(), {"start": ["gsmn", "empty"]}, cv=3).fit(
        pd.DataFrame(X, columns=[*"abcde"])
    )
    assert by_itself.best_estimator_.feature_names_in_.tolist() == [*"abcde"]
    assert GridSearchCV(GSMN(), {"rule": ["or", "and"]}, scoring=held_still, cv=3).fit(X).best_params_


def test_learners_end_a_pipeline():
    rng = np.random.default_rng(0)
    first = rng.normal(size=100)
    X = pd.DataFrame({"a": first, "b": first + 0.1 * rng.normal(size=100), "c": rng.normal(size=100)})
    cut = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    pipeline = make_pipeline(cut.set_output(transform="pandas"), IBMAPHC()).fit(X)
    assert sorted(pipeline[-1].graph_.edges) == [("a", "b")]
    assert pipeline.score(X) == pytest.approx(pipeline[-1].score_, rel=1e-12)
    assert pipeline.get_feature_names_out().tolist() == ["a", "b", "c"]


def test_jobs_are_counted_as_scikit_learn_does():
    assert n_threads_of(None) == 1
    assert n_threads_of(np.int64(2)) == 2
    assert n_threads_of(-1) >= 1
    assert n_threads_of(-1000) == 1


# --- importing


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numba", "sklearn", "polars", "networkx", "pandas", "scipy", "numpy", "matplotlib", "pyarrow")
    code = f"import sys, ibmap; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_loaded():
    import ibmap

    assert set(ibmap.__all__) <= set(dir(ibmap))
    for name in set(ibmap.__all__) - {"metrics"}:
        assert getattr(ibmap, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'IBMAPXX'"):
        _ = ibmap.IBMAPXX


@pytest.mark.parametrize("n_states", [2, 4])
@pytest.mark.parametrize("max_seconds", [1e-6, 0.05])
@pytest.mark.filterwarnings("ignore::ibmap.errors.SearchWarning")  # whether it is late depends on the machine
def test_a_search_that_ran_out_of_time_tells_finite_evidence_only(n_states, max_seconds):
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_states, (300, 12))
    learner = IBMAPHC(max_seconds=max_seconds, start=np.ones((12, 12)) - np.eye(12)).fit(X)
    assert all(np.isfinite(pair.loss) for pair in learner.result_.evidence)
    assert SearchResult.from_json(learner.result_.to_json()).graph == learner.result_.graph


def test_a_structure_without_evidence_is_called_so():
    noise = np.random.default_rng(0).integers(0, 2, (20, 40))
    with pytest.warns(SearchWarning, match="ibmap.IBMAP"):
        IBMAPHC(start=np.ones((40, 40)) - np.eye(40), max_ascents=None).fit(noise)


def test_the_recommended_learner_scores_another_table_with_the_prior_it_learned():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (400, 5))
    rows[:, 1] = np.where(rng.random(400) < 0.8, rows[:, 0], rows[:, 1])
    learner = IBMAP().fit(rows)
    assert 0.5 < learner.prior_ < 1
    assert learner.score(rows) == pytest.approx(learner.score_, abs=1e-9)
    same = IBMAP(prior=learner.prior_).fit(rows)
    assert (same.score_, same.adjacency_.tolist()) == (learner.score_, learner.adjacency_.tolist())


def test_edges_know_what_the_score_loses_without_them():
    rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    for learner in (IBMAP(), IBMAPHC()):
        result = learner.fit(rows).result_
        assert learner.graph_.edges["x0", "x1"]["loss"] == result.evidence[0].loss > 0


def test_a_limit_is_told_and_gives_the_best_so_far():
    rng = np.random.default_rng(2)
    rows = np.repeat(rng.integers(0, 2, (300, 3)), 3, axis=1)
    rows ^= rng.random(rows.shape) < 0.05  # columns that are the same would stand for each other
    with pytest.warns(SearchWarning, match="limit max_ascents after 1 ascent;"):
        learner = IBMAP(max_ascents=1).fit(rows)
    assert (learner.n_ascents_, learner.result_.stopped) == (1, "max_ascents")
    assert learner.adjacency_.sum() == 2
    told = []

    def stop(progress):
        told.append(progress.phase)
        if progress.phase == "ascending":
            raise StopSearch

    with pytest.warns(SearchWarning, match="was interrupted after 1 ascent;"):
        learner = IBMAP(callback=stop).fit(rows)
    assert {"scoring", "ascending"} <= set(told)


def test_column_names_that_are_whole_numbers_stay_so():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 300)
    X = pd.DataFrame(
        {2: first, 0: np.where(rng.random(300) < 0.9, first, 1 - first), "c": rng.integers(0, 3, 300)}
    )
    learner = ibmap.IBMAP().fit(X)
    assert list(learner.graph_) == [2, 0, "c"] and list(learner.graph_.edges) == [(2, 0)]
    learner.confidence()
    assert learner.graph_.edges[2, 0]["probability"] > 0.9 and learner.graph_.edges[2, 0]["loss"] > 1
    assert ibmap.ib_score(X, learner.graph_) == ibmap.ib_score(X, learner.result_.graph)
    again = ibmap.IBMAPHC(start=learner.graph_).fit(X)
    assert list(again.graph_) == [2, 0, "c"]


def test_a_user_of_pandas_gets_pandas_back():
    X = pd.DataFrame({7: ["a", "b"] * 20, 8: [1, 2] * 20}, index=range(100, 140))
    model = ibmap.IBMAP().fit(X).fit_parameters()
    holes = X.astype(object).mask(X == "b").iloc[:4]
    filled = model.complete(holes)
    assert isinstance(filled, pd.DataFrame) and filled.equals(X.iloc[:4])
    assert isinstance(model.complete(pl.DataFrame({"7": [None], "8": [2]})), pl.DataFrame)


def test_rows_drawn_for_a_user_of_pandas_are_in_a_frame_with_its_names(tmp_path):
    X = pd.DataFrame({7: ["a", "b"] * 20, "c": [1, 2] * 20})
    learner = ibmap.IBMAP().fit(X)
    for model in (
        learner.fit_parameters(),
        learner.fit_parameters(X),
        ibmap.MarkovNetwork.fit(X, learner.graph_),
    ):
        drawn = model.sample(5, random_state=1)
        assert isinstance(drawn, pd.DataFrame) and drawn.columns.tolist() == [7, "c"]
        assert drawn["c"].dtype == X["c"].dtype and {*drawn[7]} <= {"a", "b"}
    model.save(tmp_path / "m.json")  # a file knows no library
    again = ibmap.MarkovNetwork.load(tmp_path / "m.json").sample(5, random_state=1)
    assert isinstance(again, pl.DataFrame) and again.rows() == [*drawn.itertuples(index=False, name=None)]
    by_rows = ibmap.IBMAP().fit([["a", 1], ["b", 2]] * 20).fit_parameters()
    assert isinstance(by_rows.sample(2, random_state=1), pl.DataFrame)
