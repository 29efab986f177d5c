"""The bundled tables tell the stories they are there for."""

import numpy as np

import ibmap
from ibmap import datasets
from ibmap.datasets.bundled import QUESTIONNAIRE


def edges(learner):
    return {frozenset(each) for each in learner.graph_.edges}


def test_the_titanic_has_the_published_margins():
    table = datasets.load_titanic()
    assert len(table) == 2201
    assert dict(table["class"].value_counts().rows()) == {
        "first": 325,
        "second": 285,
        "third": 706,
        "crew": 885,
    }
    assert dict(table["sex"].value_counts().rows()) == {"male": 1731, "female": 470}
    assert frozenset({"sex", "survived"}) in edges(ibmap.IBMAP().fit(table))


def test_admissions_have_the_published_margins_and_their_story():
    counts = datasets.load_admissions()
    totals = dict(
        counts.group_by("sex", "decision").agg(count=counts["count"].sum()).select("sex", "count").rows()
    )
    assert set(totals) == {"male", "female"}
    men = counts.filter(sex="male")
    assert (men["count"].sum(), men.filter(decision="admitted")["count"].sum()) == (2691, 1198)
    women = counts.filter(sex="female")
    assert (women["count"].sum(), women.filter(decision="admitted")["count"].sum()) == (1835, 557)
    learner = ibmap.IBMAP().fit(counts.drop("count"), sample_weight=counts["count"].to_numpy())
    assert {frozenset({"department", "sex"}), frozenset({"department", "decision"})} <= edges(learner)


def test_the_questionnaire_is_always_the_same_and_most_of_its_network_is_found():
    table = datasets.load_questionnaire()
    assert table.equals(datasets.load_questionnaire())
    truth = {frozenset({item, source}) for item, sources in QUESTIONNAIRE.items() for source in sources}
    learner = ibmap.IBMAP().fit(table)
    assert truth <= edges(learner)
    probabilities, names = learner.confidence().edge_probabilities, learner.result_.graph.names
    sure = {
        frozenset((names[i], names[j])) for i, j in zip(*np.nonzero(probabilities >= 10 / 11), strict=True)
    }
    assert len(sure - truth) <= 1  # most wrong edges are told to be undecided
    holes = np.mean([table[name].null_count() / len(table) for name in table.columns])
    assert 0.05 < holes < 0.09


def test_the_survey_is_the_demonstration():
    table = datasets.load_survey()
    assert table.rows() == [tuple(row) for row in datasets.demo.demo_rows()[1:]]
