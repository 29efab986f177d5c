"""Any table in: the laws of encoding, and every table that must be refused."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.data.binning import bin_codes, bin_edges, interval_labels, sturges
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import DataWarning, InvalidOptionError, InvalidTableError
from strategies_frames import decoded, in_every_container, rows


def quietly(X, **options):
    """Encode without the remarks on constant columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return encode(X, **options)


def refused(X, *parts, error=InvalidTableError, **options):
    """Check that a table is refused with a message that has all these parts."""
    with pytest.raises(error) as caught:
        quietly(X, **options)
    for part in parts:
        assert part in str(caught.value)


# --- laws


@given(rows())
def test_every_container_gives_the_same_table(table):
    reference = quietly(table)
    for name, container in in_every_container(table).items():
        encoded = quietly(container)
        assert encoded.codes.tolist() == reference.codes.tolist(), name
        assert encoded.labels == reference.labels, name
        assert encoded.cardinalities.tolist() == reference.cardinalities.tolist(), name
        assert encoded.names == reference.names, name
        assert encoded.fingerprint == reference.fingerprint, name


@given(rows(with_missing=True))
def test_every_container_gives_the_same_table_with_missing_values(table):
    reference = quietly(table, missing="state")
    for name, container in in_every_container(table).items():
        encoded = quietly(container, missing="state")
        assert encoded.codes.tolist() == reference.codes.tolist(), name
        assert encoded.labels == reference.labels, name
        assert encoded.preparation == reference.preparation, name


@given(rows(with_missing=True))
def test_decoding_gives_the_original_values(table):
    encoded = quietly(table, missing="state")
    assert decoded(encoded) == table
    kinds = [[type(value) for value in row] for row in table]
    assert [[type(value) for value in row] for row in decoded(encoded)] == kinds


@given(rows(with_missing=True), st.randoms(use_true_random=False))
def test_permuting_rows_permutes_codes(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    plain, permuted = (quietly(t, missing="state") for t in (table, [table[k] for k in order]))
    assert permuted.labels == plain.labels
    assert permuted.codes.tolist() == plain.codes[order].tolist()


@given(rows(with_missing=True))
def test_dropping_missing_rows_is_encoding_the_others(table):
    whole = [row for row in table if None not in row]
    if not whole:
        refused(table, "every row has a missing value", "drop=[", missing="drop")
        return
    encoded, expected = quietly(table, missing="drop"), quietly(whole)
    assert encoded.fingerprint == expected.fingerprint
    assert encoded.preparation.n_rows_read == len(table)
    assert encoded.preparation.n_rows_dropped == len(table) - len(whole)


@given(rows())
def test_states_are_sorted_and_all_observed(table):
    encoded = quietly(table)
    for k, labels in enumerate(encoded.labels):
        assert list(labels) == sorted(labels)
        assert set(encoded.codes[:, k].tolist()) == set(range(len(labels)))
    assert encoded.codes.dtype == np.uint16
    assert encoded.codes.flags.f_contiguous
    assert encoded.weights.tolist() == [1] * len(table)


NUMBERS = st.lists(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float), min_size=1, max_size=60
)


@given(NUMBERS, st.sampled_from(["width", "frequency", 2, 7]))
def test_bins_cover_every_value_and_differ(values, rule):
    array = np.array(values)
    edges = bin_edges(array, rule)
    codes = bin_codes(array, edges)
    assert edges[0] == array.min()
    assert edges[-1] == array.max()
    assert codes.max() < len(edges) - 1
    assert (edges[codes] <= array).all()
    assert (array <= edges[codes + 1]).all()
    assert len(edges) == 2 or (np.diff(edges[:-1]) > 0).all()
    labels = interval_labels(edges)
    assert len(set(labels)) == len(labels) == len(edges) - 1


@given(NUMBERS)
def test_bins_of_equal_frequency_are_never_empty(values):
    array = np.array(values)
    edges = bin_edges(array, "frequency")
    assert set(bin_codes(array, edges).tolist()) == set(range(len(edges) - 1))


def test_bins_of_equal_frequency_hold_equally_many_distinct_values():
    array = np.random.default_rng(0).normal(size=1000)
    counts = np.bincount(bin_codes(array, bin_edges(array, "frequency")))
    assert len(counts) == sturges(1000) == 11
    assert counts.max() - counts.min() <= 1


# --- what becomes a state


def test_declared_levels_count_in_their_order_seen_or_not():
    levels, seen = ["low", "mid", "high"], ["high", "low", None]
    other = [1, 2, 2]
    dictionary = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(levels))
    for frame in (
        pd.DataFrame({"a": pd.Categorical(seen, categories=levels), "b": other}),
        pl.DataFrame({"a": pl.Series(seen, dtype=pl.Enum(levels)), "b": other}),
        pa.table({"a": dictionary, "b": other}),
    ):
        encoded = encode(frame, missing="state")
        assert encoded.labels == (("low", "mid", "high", None), (1, 2))
        assert encoded.codes[:, 0].tolist() == [2, 0, 3]
        assert encoded.cardinalities.tolist() == [4, 2]


def test_polars_categoricals_are_sorted_strings():
    frame = pl.DataFrame({"a": pl.Series(["z", "b", "z"], dtype=pl.Categorical), "b": [1, 2, 2]})
    assert encode(frame).labels[0] == ("b", "z")


def test_arrow_dictionaries_may_repeat_values_hold_null_and_come_in_chunks():
    chunk = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["b", "a", "b", None]))
    column = pa.chunked_array([chunk, chunk])
    encoded = encode(pa.table({"a": column, "b": [1, 2] * 4}), missing="state")
    assert decoded(encoded)[:4] == [["b", 1], ["a", 2], ["b", 1], [None, 2]]


def test_intervals_of_pandas_cut_become_readable_labels():
    frame = pd.DataFrame({"a": pd.cut([0.5, 1.5, 1.6], [0, 1, 2, 3]), "b": [1, 2, 1]})
    assert encode(frame).labels[0] == ("(0, 1]", "(1, 2]", "(2, 3]")


def test_integral_floats_are_categories():
    assert encode(np.array([[1.0, -0.0], [2.0, 5.0], [1.0, 0.0]])).labels == ((1.0, 2.0), (0.0, 5.0))


def test_codes_that_do_not_occur_are_no_states():
    assert encode(np.array([[0, 7], [2, 7], [0, 9]])).labels == ((0, 2), (7, 9))


def test_mixed_values_are_told_apart_by_type():
    encoded = encode([[1, "a"], [True, "b"], ["1", "a"], [1.0, "a"]])
    assert encoded.labels[0] == (True, 1.0, 1, "1")
    assert [type(label) for label in encoded.labels[0]] == [bool, float, int, str]
    assert len(set(encoded.codes[:, 0].tolist())) == 4


def test_integers_of_any_width_keep_their_order():
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        encoded = encode(np.array([[high, 1], [low, 2]], dtype=dtype))
        assert encoded.labels[0] == (low, high)
    assert encode([[2**70, 1], [-(2**70), 2], [3, 1]]).labels[0] == (-(2**70), 3, 2**70)


def test_half_precision_floats_are_numbered_exactly():
    values = np.array([[60000.0, 1], [59968.0, 2], [1.0, 1]], dtype=np.float16)
    assert encode(values).labels[0] == (1.0, 59968.0, 60000.0)


def test_fixed_width_strings_bytes_and_decimals_are_labels():
    assert encode(np.array([["b", "x"], ["a", "y"]])).labels == (("a", "b"), ("x", "y"))
    assert encode([[b"b", Decimal(2)], [b"a", Decimal(1)]]).labels == (("b'a'", "b'b'"), (1.0, 2.0))


def test_every_kind_of_missing_value_is_missing():
    gaps = [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN")]
    table = [[gap, "x"] for gap in gaps] + [["a", "y"]]
    encoded = encode(table, missing="state")
    assert encoded.labels[0] == ("a", None)
    assert encoded.preparation.missing == {"x0": len(gaps)}


def test_masked_arrays_miss_what_is_masked():
    array = np.ma.masked_array([[1, 2], [3, 4], [3, 2]], mask=[[0, 0], [1, 0], [0, 0]])
    assert encode(array, missing="state").labels == ((1, 3, None), (2, 4))


def test_a_column_without_any_value_is_one_state():
    frame = pl.DataFrame({"a": [None, None], "b": [1, 2]})
    with pytest.warns(DataWarning, match="constant columns.*'a'"):
        assert encode(frame, missing="state").labels == ((None,), (1, 2))


def test_the_input_is_not_changed():
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": [0.5, np.nan, 2.5]})
    array = np.array([[0.5, 1.0], [np.nan, 2.0], [1.5, 1.0]])
    before = frame.copy(deep=True), array.copy()
    encode(frame, missing="state", bins={"b": 2})
    encode(array, missing="state", bins=2)
    pd.testing.assert_frame_equal(frame, before[0])
    np.testing.assert_array_equal(array, before[1])


def test_names_come_from_the_table_or_the_caller():
    assert encode(pd.DataFrame([[1, 2], [2, 1]], columns=[2020, 2021])).names == ("2020", "2021")
    assert encode([[1, 2], [2, 1]]).names == ("x0", "x1")
    assert encode([[1, 2], [2, 1]], names=["a", "b"]).names == ("a", "b")


def test_record_batches_are_tables():
    batch = pa.RecordBatch.from_pydict({"a": [1, 2], "b": ["x", "y"]})
    assert encode(batch).labels == ((1, 2), ("x", "y"))


# --- intervals


def test_whole_table_bins_leave_columns_of_few_values_alone():
    values = np.arange(64) / 4
    frame = pl.DataFrame({"wide": values, "few": [0.5, 1.5] * 32, "word": ["a", "b"] * 32})
    encoded = encode(frame, bins="width")
    assert encoded.cardinalities.tolist() == [7, 2, 2]
    assert encoded.labels[0][0] == "[0, 2.25)"
    assert encoded.labels[1] == (0.5, 1.5)
    assert encoded.preparation.bin_edges == {"wide": tuple(np.linspace(0, 15.75, 8).tolist())}
    assert encode(frame, bins=4).cardinalities.tolist() == [4, 2, 2]


def test_bins_per_column_cut_exactly_those():
    frame = pl.DataFrame({"a": [0.5, 1.5, 2.5, 9.5], "b": [1, 2, 3, 4]})
    encoded = encode(frame, bins={"a": 2})
    assert encoded.labels == (("[0.5, 5)", "[5, 9.5]"), (1, 2, 3, 4))
    assert encoded.codes[:, 0].tolist() == [0, 0, 0, 1]


def test_missing_values_of_a_binned_column_are_a_state():
    encoded = encode([[0.5, 1], [None, 2], [2.5, 1]], missing="state", bins={"x0": 2})
    assert encoded.labels[0] == ("[0.5, 1.5)", "[1.5, 2.5]", None)
    assert encoded.codes[:, 0].tolist() == [0, 2, 1]


def test_sturges_rounds_up():
    assert [sturges(n) for n in (1, 2, 3, 4, 5, 8, 9, 1000)] == [2, 2, 3, 3, 4, 4, 5, 11]


@pytest.mark.parametrize("bins", ["widht", 1, 0, True, 2.5, 70000, {"x0": "x"}])
def test_bins_that_are_no_rule_are_refused(bins):
    refused([[0.5, 1], [1, 2]], "bins", "'frequency'", error=InvalidOptionError, bins=bins)


def test_bins_for_unknown_or_wordy_columns_are_refused():
    frame = pl.DataFrame({"price": [0.5, 1.5], "make": ["a", "b"]})
    refused(frame, "'prise'", "did you mean 'price'", bins={"prise": 2})
    refused(frame, "not numbers", "'make'", "bins=", bins={"price": 2, "make": 2})


# --- choosing columns


def test_drop_and_keep_choose_columns_by_name_or_number():
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    assert encode(frame, drop=["b"]).names == ("a", "c")
    assert encode(frame, drop="b").names == ("a", "c")
    assert encode(frame, drop=[0]).names == ("b", "c")
    assert encode(frame, keep=["c", "a"]).names == ("a", "c")
    assert encode(frame, drop=["b"]).preparation.dropped_columns == ("b",)


def test_columns_left_out_are_never_looked_at():
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 2], "c": [0.5, None], "d": [[1], [2]]})
    assert encode(frame, drop=["c", "d"]).names == ("a", "b")


def test_unknown_columns_are_refused_with_near_names():
    frame = pl.DataFrame({"Age": [1, 2], "sex": [1, 2]})
    refused(frame, "drop", "'age'", "did you mean 'Age'", drop=["age"])
    refused(frame, "keep", "'zzz'", "the columns are 'Age', 'sex'", keep=["zzz", "sex"])
    refused(frame, "drop", "7", drop=[7])


def test_an_encoded_table_is_returned_as_it_is():
    table = EncodedTable.from_codes([[0, 1, 1], [1, 0, 1]], names=["a", "b", "c"])
    assert encode(table) is table
    part = encode(table, drop=["b"])
    assert part.names == ("a", "c")
    assert part.codes.tolist() == [[0, 1], [1, 1]]
    assert part.codes.flags.f_contiguous
    assert part.preparation.dropped_columns == ("b",)
    refused(table, "one column", "'c'", keep=["c"])


# --- what is refused


def test_missing_values_are_refused_with_columns_counts_and_both_remedies():
    frame = pd.DataFrame({"a": ["x", None, None], "b": [1, 2, 3], "c": [np.nan, 1, 2]})
    parts = (
        "'a' (2 of 3)",
        "'c' (1 of 3)",
        "missing='drop'",
        "rows with any (3)",
        "missing='state'",
        "missing='drop'",
    )
    refused(frame, *parts)
    refused(frame, "every row", "'a' (2 of 3)", "missing='state'", missing="drop")


def test_continuous_columns_are_all_named_with_an_example():
    frame = pl.DataFrame({"a": [1.5, 2.0], "b": [1, 2], "c": [Decimal("0.25"), Decimal(1)]})
    refused(frame, "continuous", "'a' (such as 1.5)", "'c' (such as 0.25)", "bins='auto'")


def test_infinite_values_are_refused_also_with_bins():
    frame = pl.DataFrame({"a": [1.5, float("-inf")], "b": [1, 2]})
    refused(frame, "infinite", "'a' (-inf)", "missing")
    refused(frame, "infinite", "'a'", bins=2)


def test_dates_are_refused_whatever_holds_them():
    day = datetime.datetime(2020, 1, 2)
    frames = [
        pd.DataFrame({"when": [day, day], "b": [1, 2]}),
        pd.DataFrame({"when": pd.to_timedelta([1, 2], unit="D"), "b": [1, 2]}),
        pl.DataFrame({"when": [day, day.replace(day=3)], "b": [1, 2]}),
        pa.table({"when": [day, day], "b": [1, 2]}),
        pd.DataFrame({"when": [day.date(), day.date()], "b": [1, 2]}, dtype=object),
    ]
    for frame in frames:
        refused(frame, "dates or times", "'when'", "drop=[")
    refused(np.array([["2020-01-02", "2020-01-02"]], "datetime64[D]"), "dates", "'x0'", "'x1'")


def test_nested_complex_and_unhashable_values_are_refused():
    class Unhashable:
        __hash__ = None

    refused(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]}), "nested", "'a'", "List", "drop=[")
    refused(pd.DataFrame({"a": [{"k": 1}, {}], "b": [1, 2]}), "nested", "'a'", "dict")
    refused([[(1, 2), 1], [(1, 3), 2]], "nested", "'x0'", "tuple")
    refused(np.array([[1j, 2], [2, 1]]), "complex", "'x0'", "drop=[")
    refused([[Unhashable(), 1], [Unhashable(), 2]], "hash", "'x0'", "Unhashable", "strings")


def test_all_unusable_columns_are_named_in_one_message():
    frame = pl.DataFrame({"price": [0.5, 1.5], "when": [datetime.date(2020, 1, 1)] * 2, "b": [1, 2]})
    refused(frame, "'price'", "'when'")


@pytest.mark.parametrize("kind", ["int", "text", "far", "object", "categories"])
def test_more_states_than_codes_can_tell_apart_are_refused(kind):
    many = np.arange(65536)
    column = {
        "int": many,
        "text": many.astype(str),
        "far": many * 10**9,
        "object": [("n", b"%d" % k)[1] for k in many],
        "categories": pd.Categorical([0] * 65536, categories=many),
    }[kind]
    frame = pd.DataFrame({"id": column, "b": many % 2})
    refused(frame, "65535 states", "'id' (65536 different values)", "drop=[")


def test_the_state_of_missing_values_counts_too():
    many = [*range(65535), None]
    refused(pl.DataFrame({"id": many, "b": [0, 1] * 32768}), "65535 states", "'id'", missing="state")


@pytest.mark.parametrize(
    ("table", "parts"),
    [
        (np.empty((0, 3)), ("no rows",)),
        (pl.DataFrame({"a": [], "b": []}), ("no rows", "'a', 'b'")),
        ([], ("no columns",)),
        (pd.DataFrame(index=[0, 1]), ("no columns",)),
        (np.empty((3, 0)), ("no columns",)),
        ([[1], [2]], ("one column, 'x0'", "two variables", "--separator")),
        ([[1, 2], [3]], ("row 1", "1 values", "has 2", "None where")),
        (["ab", "cd"], ("row 0", "str", "list of rows")),
        ([{"a": 1}], ("row 0", "dict")),
        ([1, 2], ("row 0", "int")),
        (np.arange(3), ("shape (3,)", "two-dimensional")),
        ({"a": [1], "b": [2]}, ("dict", "pandas, polars or pyarrow")),
        (pd.Series([1, 2]), ("Series", "pandas, polars or pyarrow")),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), ("'a' names columns 0 and 2", "rename")),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), ("'1' names columns 0 and 1",)),
        (pa.table([[1], [2]], names=["a", "a"]), ("'a' names columns 0 and 1",)),
    ],
)
def test_what_is_no_table_is_refused(table, parts):
    refused(table, *parts)


def test_sparse_matrices_are_refused_with_the_remedy():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    refused(scipy_sparse.csr_array(np.eye(2)), "sparse", "toarray")


def test_wrong_names_and_options_are_refused():
    refused([[1, 2]], "names has 1 entries", "2 columns", names=["a"])
    refused([[1, 2]], "'a' names columns 0 and 1", names=["a", "a"])
    refused([[1, 2]], "missing is 'drp'", "'state'", error=InvalidOptionError, missing="drp")
    refused([[1, 2]], "no columns after drop", drop=["x0", "x1"])


# --- what is only remarked


def test_identifiers_and_constants_are_remarked_by_name():
    frame = pl.DataFrame({"id": [f"p{k}" for k in range(50)], "one": [1] * 50, "b": [0, 1] * 25})
    with pytest.warns(DataWarning) as caught:
        encoded = encode(frame)
    messages = [str(each.message) for each in caught]
    assert len(messages) == 2
    assert "identifiers" in messages[0]
    assert "'id'" in messages[0]
    assert "drop=['id']" in messages[0]
    assert "constant" in messages[1]
    assert "'one'" in messages[1]
    assert encoded.preparation.warnings == tuple(messages)
    assert caught[0].filename == __file__


def test_row_numbers_are_remarked_even_if_cut_into_intervals():
    frame = pl.DataFrame({"id": range(100), "x": np.random.default_rng(0).normal(size=100)})
    with pytest.warns(DataWarning, match="identifiers.*'id';"):
        encode(frame, bins="width")


def test_small_tables_and_declared_levels_are_left_in_peace():
    frame = pd.DataFrame({"a": pd.Categorical(["u", "v"] * 15, categories=["u", "v", *map(str, range(40))])})
    for table in ([[k, k % 2] for k in range(20)], [["x", "y"]], frame.assign(b=[0, 1, 1] * 10)):
        assert encode(table).n_variables == 2  # a warning would be an error here
