"""Twelve tables that other packages ship learn with no option and a summary that a person agrees with."""

from __future__ import annotations

import importlib
import json
import re

import pytest
from sklearn import datasets

from cli_runner import run_fixture  # noqa: F401 - a fixture

# table: (numbers, a note that must be there, edges that must and that must not be there)
FACTS = {
    "iris": (
        {"petal length (cm)"}, "", {"petal length (cm)--petal width (cm)", "sepal width (cm)--target"}, set(),
    ),
    "wine": ({"alcohol"}, "", {"alcohol--target", "total_phenols--flavanoids"}, {"magnesium--hue"}),
    "diabetes": ({"bmi"}, "", {"s1--s2", "s3--s4", "bmi--target", "s5--target"}, {"sex--s6"}),
    "linnerud": ({"Chins"}, "", {"Weight--Waist"}, {"Jumps--Pulse"}),
    "fair": ({"affairs"}, "", {"age--yrs_married", "rate_marriage--affairs", "educ--occupation"}, set()),
    "anes96": (
        {"age", "income"}, "'logpopul' says the same as 'popul'",
        {"PID--vote", "educ--income", "TVnews--age"}, {"TVnews--vote"},
    ),
    "heart": ({"survival", "age"}, "", {"survival--censors"}, {"survival--age"}),
    "ccard": ({"INCOME"}, "'INCOMESQ' says the same as 'INCOME'", {"AVGEXP--INCOME"}, {"AGE--AVGEXP"}),
    "spector": ({"GPA", "TUCE"}, "", set(), {"TUCE--PSI"}),
    "engel": ({"income", "foodexp"}, "", {"income--foodexp"}, set()),
    "grunfeld": (
        {"invest", "year"}, "", {"value--firm", "invest--value", "capital--firm"}, {"value--capital"},
    ),
    "modechoice": (
        {"ttme", "hinc"}, "they number groups of rows: 'individual'",
        {"mode--ttme", "mode--invc", "invt--gc"}, {"choice--psize"},
    ),
}  # fmt: skip


def load(name):
    if hasattr(datasets, f"load_{name}"):
        return getattr(datasets, f"load_{name}")(as_frame=True).frame
    pytest.importorskip("statsmodels")
    return importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data


@pytest.mark.parametrize("name", FACTS)
def test_a_table_learns_with_no_option_and_its_summary_is_one_a_person_agrees_with(name, run, tmp_path):
    cut, note, present, absent = FACTS[name]
    table, network = load(name), tmp_path / "network.json"
    table.to_csv(tmp_path / "t.csv", index=False)
    outcome = run("learn", tmp_path / "t.csv", "--output", network)
    assert outcome.code == 0, outcome.err
    said = " ".join(outcome.out.split())
    assert note in said
    binned = re.search(r"Numbers are (?:kept as they are|cut into bins).*?: (.*?)\. To ", said).group(1)
    assert cut <= set(re.findall(r"'([^']+)' \(\d\)", binned))
    for column in table.columns:  # a few numbers are states, many are not
        if table[column].nunique() <= 10:
            assert f"'{column}' (" not in binned
    edges = set(map(frozenset, json.loads(network.read_text())["edge_names"]))
    assert {frozenset(each.split("--")) for each in present} <= edges
    assert not {frozenset(each.split("--")) for each in absent} & edges
