"""The studies of tables with numbers and of states in order: their problems and baselines."""

from dataclasses import replace

import numpy as np
import pytest

from ibmap.data.encoding import encode
from ibmap.graph import MarkovGraph
from ibmap.reproduce.mixed import FAMILIES, LEARNERS, TREES, MixedSample, mixed_studies
from ibmap.reproduce.mixed_baselines import ebic_glasso, false_discovery, mixed_l1
from ibmap.reproduce.ordered import FAMILIES as ORDERED_FAMILIES
from ibmap.reproduce.ordered import OrderedSample, ordered_studies
from ibmap.reproduce.runner import run_study

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


def chain(n_rows=600):
    """A chain of two numbers, a binary variable and a number."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=n_rows)
    b = a + rng.normal(size=n_rows)
    c = (b + rng.logistic(size=n_rows) > 0).astype(float)
    d = 2 * c + rng.normal(size=n_rows)
    return encode(np.column_stack([a, b, c, d]), bins="keep")


@pytest.mark.parametrize("learn", [mixed_l1, ebic_glasso, false_discovery])
def test_baselines_find_a_chain(learn):
    found = learn(chain()).graph
    assert {(0, 1), (1, 2), (2, 3)} <= {*found.edges}
    assert (0, 3) not in found.edges or learn is ebic_glasso  # whose penalty leaves a weak one too many


@pytest.mark.parametrize("learn", [mixed_l1, ebic_glasso, false_discovery])
def test_baselines_find_nothing_in_noise(learn):
    rows = np.random.default_rng(2).normal(size=(200, 6))
    assert learn(encode(rows, bins="keep")).graph.n_edges <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_problems_have_the_kinds_of_columns_that_they_say(family):
    problem = MixedSample(family, 8, 2, 60)
    instance = problem.draw(np.random.default_rng(1))
    assert [*instance.table.numbers] == [v for v, k in enumerate(problem.n_states) if k == 0]
    assert isinstance(instance.reference, MarkovGraph)
    assert instance.reference.n_edges == (7 if family in TREES else 8)


def test_a_small_study_runs(tmp_path):
    study = mixed_studies()["mixed"]
    problems = tuple(MixedSample(family, 6, 2, 150) for family in ("gaussian", "mixed"))
    rows = run_study(replace(study, problems=problems, repetitions=1), tmp_path, n_jobs=1)
    assert {*rows["learner"]} == {each.name for each in LEARNERS}


@pytest.mark.parametrize("family", ORDERED_FAMILIES)
def test_states_said_to_be_in_order_are_drawn(family):
    instance = OrderedSample(family, 6, 4, 100).draw(np.random.default_rng(1))
    assert instance.table.ordered.all()
    assert instance.table.codes.max() == 3
    assert instance.reference.n_edges == 9


def test_a_small_study_of_states_in_order_runs(tmp_path):
    study = ordered_studies()["ordered"]
    problems = (OrderedSample("linear", 5, 3, 100),)
    rows = run_study(replace(study, problems=problems, repetitions=1), tmp_path, n_jobs=1)
    assert {*rows["learner"]} == {"averaged", "slopes", "states"}
