"""What a person would say of a table is said, and done, by the recommended reading."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

import ibmap
from cli_runner import run_fixture  # noqa: F401 - a fixture
from ibmap.data.encoding import encode
from ibmap.errors import DataWarning, InvalidTableError
from ibmap.report.views import view_variables

RNG = np.random.default_rng(0)
N = 200


def frame():
    city = RNG.integers(0, 9, N)
    return pd.DataFrame(
        {
            "person": [f"Name {k % 150}" for k in range(N)],
            "row": np.arange(N),
            "patient_id": RNG.permutation(N) * 7 + 3,
            "city": [f"city {k}" for k in city],
            "region": city // 3,
            "city_code": 100 + city,
            "age": RNG.integers(18, 90, N),
            "when": pd.date_range("2024-01-01", periods=N),
            "smokes": RNG.choice(["yes", "no"], N),
        }
    )


def notes(table):
    return "\n".join(table.preparation.notes)


def test_the_recommended_reading_leaves_out_what_people_would_and_says_so():
    table = encode(frame(), bins="auto")
    assert table.names == ("city", "region", "age", "smokes")
    said = notes(table)
    for name in ("person", "row", "patient_id", "when"):
        assert repr(name) in said
    assert "'city_code' says the same as 'city'" in said
    assert "'region' follows from 'city'" in said
    assert "bins: 'age'" in said and "bins={'age': 3}" in said
    assert not table.preparation.warnings


@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
def test_columns_that_are_named_stay():
    table = encode(frame(), bins="auto", keep=["city", "city_code", "row", "smokes", "region"])
    assert table.names == ("row", "city", "region", "city_code", "smokes")


def test_whole_numbers_of_many_values_become_bins():
    values = RNG.permutation(np.r_[np.arange(131), RNG.integers(0, 131, 58)]) * 3
    table = encode(pd.DataFrame({"weight": values, "b": RNG.integers(0, 2, 189)}), bins="auto")
    assert 2 <= table.cardinalities[0] <= 5


def test_identical_columns_do_not_multiply_edges():
    column = RNG.integers(0, 2, 300)
    noise = np.where(RNG.random(300) < 0.8, column, 1 - column)
    X = np.column_stack([column] * 200 + [noise])
    learner = ibmap.IBMAP().fit(X)
    assert sorted(learner.graph_.edges) == [("x0", "x200")]
    assert learner.n_features_in_ == 201
    assert len(learner.get_feature_names_out()) == 2
    assert learner.score(X) == pytest.approx(learner.score_)
    assert learner.fit_parameters(X).graph.n_variables == 2
    (note,) = learner.result_.provenance.notes
    assert note.startswith("'x1', 'x2'") and note.endswith("say the same as 'x0', which stands for all.")
    again = ibmap.SearchResult.from_json(learner.result_.to_json())
    assert again.provenance.copies == {f"x{k}": "x0" for k in range(1, 200)}
    assert view_variables(again)[0].copies == tuple(f"x{k}" for k in range(1, 200))


@pytest.mark.parametrize("kind", [int, float])
def test_totals_are_told_with_their_parts_and_how_to_leave_them_out(kind, run, tmp_path):
    parts = pd.DataFrame(RNG.integers(0, 40, (N, 4)).astype(kind), columns=list("abcd"))
    if kind is float:
        parts += RNG.normal(size=parts.shape)
    table = parts.assign(some=parts["a"] + parts["b"], all=parts.sum(axis=1), near=parts["c"] + parts["d"])
    table.loc[N - 1, "near"] += 1
    said = notes(encode(table, bins="auto"))
    assert "'some' is the sum of 'a', 'b': " in said and "drop=['some']" in said
    assert "'all' is the sum of 'a', 'b', 'c', 'd': " in said
    assert said.count("is the sum of") == 2
    table.to_csv(tmp_path / "t.csv", index=False)
    out = " ".join(run("learn", tmp_path / "t.csv", "--confidence", "none").out.split())
    assert "'some' is the sum of 'a', 'b'" in out and "--drop some" in out
    assert "sum of" not in notes(encode(table, bins="auto", drop=["a", "c"]))


def test_two_columns_of_a_small_table_that_are_the_same_are_joined():
    assert ibmap.IBMAP().fit([[0, 0], [1, 1]] * 20).graph_.number_of_edges() == 1


def test_few_rows_follow_from_each_other_by_chance_and_nothing_is_said():
    rows = pd.DataFrame(RNG.integers(0, 3, (6, 6)).astype(str), columns=list("abcdef"))
    assert "follows" not in notes(encode(rows, bins="auto"))


@pytest.mark.parametrize("name", ["Freq", "count", "n", "amount"])
def test_a_count_is_pointed_out_with_what_uses_it(name, run, tmp_path):
    crossed = [(*each, 3 + k % 5) for k, each in enumerate(itertools.product("ab", "xyz", "01"))]
    table = pd.DataFrame(crossed, columns=["u", "v", "w", name])
    with pytest.warns(DataWarning, match=f"'{name}' looks like a count.*sample_weight"):
        encode(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encode(table, weights=name).n_samples == table[name].sum()
    table.to_csv(tmp_path / "t.csv", index=False)
    assert f"--weights {name}" in run("learn", tmp_path / "t.csv").err


def test_all_problems_are_told_at_once():
    table = frame().assign(smokes=[None, *["yes"] * (N - 1)], height=RNG.normal(size=N))
    with pytest.raises(InvalidTableError) as caught:
        encode(table)
    for part in ("'smokes'", "'height'", "'when'"):
        assert part in str(caught.value)


def test_the_command_line_names_options_and_python_arguments(run, tmp_path):
    table = frame().assign(smokes=[None, *["yes"] * (N - 1)])
    table.to_csv(tmp_path / "t.csv", index=False)
    error = run("learn", tmp_path / "t.csv", "--algorithm", "gsmn").err
    assert "--missing drop" in error and "missing='drop'" not in error and "drop=[" not in error
    with pytest.raises(InvalidTableError) as caught:
        encode(table.drop(columns="when"))
    assert "missing='drop'" in str(caught.value) and "--" not in str(caught.value)


def test_a_dict_of_bins_leaves_the_others_to_the_learner():
    table = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
    learner = ibmap.IBMAP(bins={"a": 3}).fit(table)
    assert len(learner.result_.states[0]) == 3
    assert learner.result_.provenance.options["bins"] == {"*": "both", "a": 3}


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_frequent_number_has_a_bin_of_its_own(share):
    values = np.where(RNG.random(1000) < share, 0.0, RNG.normal(5, 1, 1000))
    table = encode(pd.DataFrame({"a": values, "b": RNG.integers(0, 2, 1000)}), bins="auto")
    assert table.cardinalities[0] >= 2
    assert (table.codes[values == 0, 0] == 0).all() and (table.codes[values > 0, 0] > 0).all()


@pytest.mark.parametrize("begin", [0, 1])
def test_a_column_that_numbers_the_rows_of_an_aggregated_table_is_left_out(begin):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"row": range(begin, begin + 32), "a": [0, 1] * 16, "b": [0, 0, 1, 1] * 8})
    counts = rng.integers(0, 20, 32)
    counts[:3] = 0  # rows that never occur do not hide it
    found = encode(table, bins="auto", weights=counts)
    assert found.names == ("a", "b")
    assert any("'row'" in note for note in found.preparation.notes)
    years = table.assign(row=table.row + 1950)
    assert encode(years, bins="auto", weights=counts).names == ("row", "a", "b")


@pytest.mark.filterwarnings("error")
def test_rows_that_differ_by_their_numbers_alone_make_no_column_a_count():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"weight": rng.integers(50, 90, 60), "height": rng.normal(size=60)})
    frame = frame.assign(a=rng.integers(0, 2, 60), b=rng.integers(0, 3, 60))
    encode(frame, bins="both")


@pytest.mark.parametrize("name", ["x0", "Unnamed: 0"])
def test_whole_numbers_without_a_name_that_all_differ_are_row_names(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.permutation(300)[:60], "a": rng.integers(0, 2, 60), "b": [0, 1, 1] * 20})
    assert encode(frame, bins="auto").names == ("a", "b")
    assert encode(frame.rename(columns={name: "size"}), bins="auto").names == ("size", "a", "b")
    assert len(encode(frame.to_numpy(), bins="auto").names) == 3  # none has a name
