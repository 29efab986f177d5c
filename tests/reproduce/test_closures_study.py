"""Closures side by side: each is the closure of its structure, and the page shows what is measured."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from ibmap.blankets.grow_shrink import gsmn_operator
from ibmap.blankets.gsmn_star import star_operator
from ibmap.blankets.operator import run
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.separation import SeparationTest
from ibmap.reproduce.closures import as_markdown, closures, example, run_closure, side_by_side
from ibmap.score import closure_score
from strategies import graphs

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


@settings(max_examples=30)
@given(graphs(5))
def test_a_closure_holds_in_its_structure_and_leads_to_it(graph):
    right = SeparationTest(graph)
    for operator in (gsmn_operator(right), star_operator(right), star_operator(right, infers=True)):
        asserted = run_closure(operator, graph)
        assert closure_score(right, asserted) == 0.0
        assert run(operator, right) == graph


def test_no_structure_scores_higher_than_the_best_and_the_truth_is_among_them():
    table, truth = example()
    named = closures(BayesianTest(table))
    for line in side_by_side():
        assert line.log_score <= line.log_best
        assert line.n_assertions == len(named[line.closure](truth)) >= line.n_distinct


def test_the_page_shows_the_table():
    page = Path(__file__).parents[2] / "docs" / "family.md"
    assert as_markdown(side_by_side()) in page.read_text()
