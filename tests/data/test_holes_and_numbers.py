"""What a table carries beside its codes: order, holes, numbers, weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ibmap
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable, take_columns, take_rows, with_weights
from ibmap.errors import IbmapError, InvalidTableError

SQUARES = [k * k for k in range(24)]
HOLED = pd.DataFrame(
    {"size": [1.5, None, 3.5, 4.25] * 6, "colour": ["red", "blue", None, "red"] * 6, "n": SQUARES}
)


def test_holes_are_kept_where_they_are():
    table = encode(HOLED, missing="use", bins="auto")
    assert table.missing is not None
    assert table.missing.tolist() == HOLED.isna().to_numpy().tolist()
    assert (table.codes[table.missing] == 0).all()
    assert table.preparation.missing == {"size": 6, "colour": 6}
    assert table.n_samples == 24


def test_rows_that_show_nothing_are_left_out_and_counted():
    frame = pd.DataFrame({"a": [0, None, 1, None, 1], "b": [None, None, 1, None, 0]})
    table = encode(frame, missing="use")
    assert (table.n_rows, table.preparation.n_rows_dropped) == (3, 2)
    assert table.preparation.missing == {"b": 1}
    assert table.fingerprint == encode(frame.iloc[[0, 2, 4]], missing="use").fingerprint


def test_a_table_without_holes_has_no_mask():
    assert encode([[0, 1], [1, 0]], missing="use").missing is None


def test_a_column_of_holes_has_one_state():
    table = encode(pd.DataFrame({"a": [None, None], "b": [0, 1]}), missing="use")
    assert table.cardinalities.tolist() == [1, 2]
    assert table.missing is not None and table.missing[:, 0].all()


def test_numbers_are_kept_beside_their_bins():
    table = encode(HOLED, missing="use", bins="keep")
    assert list(table.numbers) == [2]
    assert table.numbers[2].tolist() == SQUARES
    assert encode(HOLED, missing="use", bins="auto").numbers == {}
    holed = HOLED.assign(n=[None, *SQUARES[1:]])
    kept = encode(holed, missing="use", bins="keep").numbers[2]
    np.testing.assert_array_equal(kept, [np.nan, *SQUARES[1:]])


def test_holes_and_numbers_travel_with_rows_and_columns():
    table = encode(HOLED, missing="use", bins="keep")
    assert table.missing is not None
    rows = np.array([5, 2, 2])
    part = take_columns(take_rows(table, rows), [2, 1])
    assert part.missing is not None
    assert part.missing.tolist() == table.missing[rows][:, [2, 1]].tolist()
    assert part.numbers[0].tolist() == [25, 4, 4]
    assert part.ordered.tolist() == [True, False]
    assert take_rows(table, np.array([0])).missing is None


def test_rows_with_other_holes_or_numbers_are_different_rows():
    holes = encode(pd.DataFrame({"a": [0, None, 0, 1], "b": [0, 0, 0, 1]}), missing="use").compressed()
    assert holes.weights.tolist() == [2, 1, 1]
    assert holes.missing is not None and int(holes.missing.sum()) == 1
    frame = pd.DataFrame({"a": np.repeat(np.arange(20.0), 2), "b": [0] * 20 + [1] * 20})
    numbers = encode(frame, bins="keep").compressed()
    assert numbers.n_rows == 20 and numbers.numbers[0].tolist() == list(range(20))


def test_the_fingerprint_tells_holes_numbers_and_order_apart():
    plain = encode([["a", 0], ["b", 1], ["a", 1]])
    holed = encode([["a", 0], ["b", 1], ["a", None]], missing="use")
    assert holed.fingerprint != replace(holed, missing=None).fingerprint
    assert plain.fingerprint != replace(plain, ordered=np.array([True, True])).fingerprint
    assert plain.fingerprint == replace(plain, ordered=np.array([False, False])).fingerprint
    kept = encode(HOLED, missing="use", bins="keep")
    assert kept.fingerprint != replace(kept, numbers={}).fingerprint


@pytest.mark.parametrize(
    ("column", "ordered"),
    [
        (pd.Series(["lo", "hi"], dtype=pd.CategoricalDtype(["lo", "hi"], ordered=True)), True),
        (pd.Series(["lo", "hi"], dtype="category"), False),
        (pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])), True),
        (pl.Series(["lo", "hi"]), False),
        (pa.array(["lo", "hi"]).dictionary_encode(), False),
        (pa.DictionaryArray.from_arrays([0, 1], ["lo", "hi"], ordered=True), True),
        (np.array([3, 7]), True),
    ],
)
def test_the_source_says_which_states_are_in_order(column, ordered):
    if isinstance(column, pa.Array):
        frame = pa.table({"a": column, "b": pa.array(["x", "y"])})
    elif isinstance(column, pl.Series):
        frame = pl.DataFrame({"a": column, "b": ["x", "y"]})
    else:
        frame = pd.DataFrame({"a": column, "b": ["x", "y"]})
    assert encode(frame).ordered.tolist() == [ordered, False]


def test_rows_of_weight_zero_are_left_out_with_all_they_carry():
    table = with_weights(encode(HOLED, missing="use", bins="keep"), np.arange(24) % 2)
    assert table.n_rows == 12 and table.numbers[2].tolist() == SQUARES[1::2]


@pytest.mark.parametrize("use", [ibmap.BayesianTest, ibmap.PairwiseTest, lambda t: ibmap.IBMAPHC().fit(t)])
def test_what_cannot_use_holes_refuses_them_by_name(use):
    with pytest.raises(InvalidTableError, match=r"'size' \(6 of 24\).*missing='drop'"):
        use(encode(HOLED, missing="use", bins="auto"))


def test_an_encoded_table_can_drop_its_rows_with_holes():
    table = encode(encode(HOLED, missing="use", bins="auto"), missing="drop")
    assert (table.n_rows, table.missing, table.preparation.n_rows_dropped) == (12, None, 12)


def test_only_the_recommended_learner_keeps_numbers_or_uses_holes():
    with pytest.raises(IbmapError, match="recommended learner"):
        ibmap.IBMAPHC(bins="keep").fit(HOLED.dropna())
    with pytest.raises(IbmapError, match="missing must be one of"):
        ibmap.IBMAPHC(missing="use").fit(HOLED)


def test_the_recommended_learner_reads_numbers_as_people_do():
    rng = np.random.default_rng(0)
    income = rng.normal(size=200)
    frame = pd.DataFrame({"income": income, "rich": income > 0, "visits": rng.integers(0, 3, 200)})
    learner = ibmap.IBMAP().fit(frame)
    assert sorted(learner.graph_.edges) == [("income", "rich")]
    assert isinstance(learner._table, EncodedTable)
    assert list(learner._table.preparation.bin_edges) == ["income"]


def test_numbers_are_kept_beside_their_bins_where_rows_are_few(monkeypatch):
    monkeypatch.setattr("ibmap.data.column_codes.MAX_KEPT", 24)
    frame = pd.DataFrame({"n": SQUARES, "colour": ["red", "blue"] * 12})
    assert encode(frame, bins="both").numbers.keys() == {0}
    assert encode(frame, bins={"n": "both"}).numbers.keys() == {0}
    large = pd.concat([frame, frame.iloc[:1]])
    assert not encode(large, bins="both").numbers
    assert not encode(frame, bins="both", weights=[2] + [1] * 23).numbers  # the same rows
    assert encode(large, bins={"*": "both", "n": "keep"}).numbers.keys() == {0}
    assert "keep" in encode(large, bins="both").preparation.notes[0]
    assert encode(HOLED, missing="use", bins="both").numbers.keys() == {2}


def test_missing_numbers_that_are_a_state_are_no_numbers():
    holed = HOLED.assign(n=[None, *SQUARES[1:]], m=SQUARES[::-1])
    table = encode(holed, missing="state", bins="keep")
    assert table.numbers.keys() == {3}


def test_a_column_that_is_left_out_does_not_decide_how_numbers_are_read():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.integers(0, 2, 60)})
    frame["name"] = [None, *(f"n{k}" for k in range(59))]
    learner = ibmap.IBMAP().fit(frame)
    assert learner.result_.graph.names == ("a", "b")
    assert "kept" in " ".join(learner.result_.provenance.notes)
    learner.result_.explain("a", "b", data=frame)  # the same table again


def test_numbers_that_say_the_same_have_the_same_ranks():
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    others = {f"c{k}": rng.integers(0, 2, 40) for k in range(3)}
    near = np.where(np.arange(40) == np.argsort(a)[0], a[np.argsort(a)[1]] + 1e-9, a)  # in the same bins
    frame = pd.DataFrame({"a": a, "cube": a**3, "turned": -a, "near": near, **others})
    assert encode(frame, bins="keep").preparation.copies == {"cube": "a", "turned": "a"}
    assert encode(frame, bins="auto").preparation.copies == {"cube": "a", "turned": "a", "near": "a"}
