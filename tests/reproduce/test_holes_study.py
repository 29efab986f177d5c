"""The study of missing cells: what it punches out, and what each treatment makes of it."""

import numpy as np
import pytest

from ibmap.reproduce.families import Family
from ibmap.reproduce.holes import TITLES, Holed, hole_studies, learn_holed

SMALL = Family("signed", 6, 2, 300)


def test_holes_have_the_share_asked_for_and_hide_what_stands_there():
    table = Holed(SMALL, 0.3).draw(np.random.default_rng(1)).table
    assert table.missing.mean() == pytest.approx(0.3, abs=0.04)
    assert table.codes[table.missing].any()


def test_uneven_holes_depend_on_the_first_column_which_has_none():
    table = Holed(SMALL, 0.3, depends=True).draw(np.random.default_rng(1)).table
    first = table.codes[:, 0]
    assert not table.missing[:, 0].any()
    assert table.missing[first == 0, 1:].mean() < 0.1
    assert table.missing[first == 1, 1:].mean() > 0.5


@pytest.mark.parametrize("treatment", TITLES)
def test_what_is_hidden_changes_nothing_but_for_the_whole_table(treatment):
    table = Holed(SMALL, 0.3).draw(np.random.default_rng(1)).table
    edges = learn_holed(table, treatment).graph.edges
    table.codes[table.missing] = 1 - table.codes[table.missing]
    is_same = learn_holed(table, treatment).graph.edges == edges
    assert is_same or treatment in ("whole", "fewer")


def test_a_table_of_holes_in_every_row_leaves_nothing_to_rows_that_are_whole():
    table = Holed(SMALL, 0.9).draw(np.random.default_rng(1)).table
    table.missing[:, 0] = True
    assert learn_holed(table, "drop").graph.n_edges == 0


def test_the_study_has_a_cell_for_each_sample_and_kind_of_holes():
    study = hole_studies()["holes"]
    assert len(study.problems) == 20
    assert {each.name for each in study.learners} == set(TITLES)
    assert len(study.shortened().problems) < 20
