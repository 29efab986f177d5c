"""A table that is not in memory is learned from as the same table in memory."""

import subprocess
import sys

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from ibmap.data.containers import is_lazy
from ibmap.errors import InvalidOptionError, InvalidTableError


def as_relation(frame):
    connection = duckdb.connect()
    connection.register("held", frame.to_arrow())
    return connection.sql("SELECT * FROM held")


LAZY = {
    "polars": lambda frame: frame.lazy().filter(pl.lit(value=True)),
    "duckdb": as_relation,
    "dask": lambda frame: dd.from_pandas(frame.to_pandas(), npartitions=3),
}


@st.composite
def frames(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n = draw(st.sampled_from([20, 1200])), draw(st.integers(2, 4))
    first = rng.integers(0, 2, n_rows)
    columns = {"a": first}
    for k in range(1, n):
        own = rng.integers(0, draw(st.integers(2, 6)), n_rows)
        columns[f"b {k}'\""] = np.where(rng.random(n_rows) < 0.7, first, own)
    columns["number"] = rng.normal(size=n_rows) if draw(st.booleans()) else rng.integers(0, 3, n_rows)
    frame = pl.DataFrame(columns)
    if draw(st.booleans()):
        frame = frame.with_columns(pl.col("a").replace_strict({0: "no", 1: "yes"}))
    if draw(st.booleans()):
        frame = frame.with_columns(pl.when(pl.Series(rng.random(n_rows) > 0.1)).then(pl.col("a")).alias("a"))
    return frame


def same(left, right):
    assert left.graph.edges == right.graph.edges
    assert (left.score, left.evidence) == (right.score, right.evidence)
    assert (left.relations, left.descriptions) == (right.relations, right.descriptions)


@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
@pytest.mark.parametrize("library", LAZY)
@given(frame=frames(), missing=st.sampled_from(["drop", "state", "use"]))
@settings(max_examples=5)
def test_a_lazy_table_learns_what_the_table_in_memory_learns(library, frame, missing):
    lazy = LAZY[library](frame)
    frame = lazy.compute() if library == "dask" else frame  # as pandas has it: 1.0 where 0 was missing
    assert is_lazy(lazy) and not is_lazy(frame)
    read = ibmap.encode(lazy, bins="auto", missing=missing)
    held = ibmap.encode(frame, bins="auto", missing=missing)
    assert (read.names, read.labels, read.n_samples) == (held.names, held.labels, held.n_samples)
    ours, theirs = read.compressed(), held.compressed()
    assert ours.codes.tolist() == theirs.codes.tolist()
    assert ours.weights.tolist() == theirs.weights.tolist()
    left, right = (ibmap.IBMAP(missing=missing).fit(each) for each in (lazy, frame))
    same(left.result_, right.result_)
    assert left.feature_names_in_.tolist() == right.feature_names_in_.tolist() == list(frame.columns)
    assert left.n_features_in_ == frame.shape[1]


@pytest.mark.parametrize("library", LAZY)
def test_rows_of_a_lazy_table_may_have_weights(library):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 3000)
    columns = {"a": a, "b": np.where(rng.random(3000) < 0.8, a, 1 - a), "c": rng.integers(0, 3, 3000)}
    counts, shares = rng.integers(0, 5, 3000), rng.random(3000)
    frame = pl.DataFrame(columns | {"n": counts, "w": shares})
    for weights, others in (("n", "w"), ("w", "n")):
        table, held = (
            ibmap.encode(each, weights=weights, drop=[others]) for each in (LAZY[library](frame), frame)
        )
        assert table.n_samples == held.n_samples and table.preparation.weights_column == weights
        same(ibmap.IBMAP().fit(table).result_, ibmap.IBMAP().fit(held).result_)
    rows = frame.select("a", "b", "c")
    learners = [ibmap.IBMAP().fit(each, sample_weight=shares) for each in (LAZY[library](rows), rows)]
    same(*(learner.result_ for learner in learners))


def test_every_estimator_takes_a_lazy_table():
    frame = pl.DataFrame({"a": [0, 1] * 600, "b": [0, 1, 1, 1] * 300, "c": [0, 0, 1] * 400})
    for learner in (ibmap.IBMAP, ibmap.IBMAPHC, ibmap.IBMAPTS, ibmap.GSMN, ibmap.IAMB, ibmap.HITON):
        lazy, held = learner().fit(frame.lazy()), learner().fit(frame)
        assert (lazy.adjacency_ == held.adjacency_).all()
        assert lazy.get_feature_names_out().tolist() == ["a", "b", "c"]
    assert lazy.fit_parameters(frame.lazy()).names == ("a", "b", "c")


@pytest.mark.parametrize("n_rows", [30, 3000])
def test_declared_categories_keep_their_order_and_unseen_levels(n_rows):
    rng = np.random.default_rng(n_rows)
    sizes = rng.choice(["small", "large"], n_rows)
    numbers = rng.integers(1, 3, n_rows)
    levels = ["small", "middle", "large"]
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(sizes, levels, ordered=True),
            "kind": pd.Categorical(np.where(rng.random(n_rows) < 0.1, None, numbers), [3, 1, 2]),
            5: rng.integers(0, 2, n_rows),
        }
    )
    held = ibmap.encode(frame, missing="use")
    lazy = dd.from_pandas(frame, npartitions=2)
    read = ibmap.encode(lazy, missing="use")
    assert read.labels == held.labels and read.ordered.tolist() == held.ordered.tolist()
    assert read.compressed().codes.tolist() == held.compressed().codes.tolist()
    assert 5 in ibmap.IBMAP().fit(lazy).graph_
    typed = pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Enum(levels)), "n": numbers})
    table, same_table = ibmap.encode(typed.lazy()), ibmap.encode(typed)
    assert table.labels == same_table.labels and table.ordered.tolist() == same_table.ordered.tolist()


def test_a_column_without_values_in_one_partition_has_the_type_of_the_others():
    frame = pd.DataFrame(
        {"a": pd.Series([None] * 10 + [True, False] * 10, dtype=object), "b": [0, 1, 1] * 10}
    )
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = dd.from_pandas(frame, npartitions=3, sort=False)
    read, held = (ibmap.encode(each, missing="use") for each in (lazy, frame))
    assert read.labels == held.labels and (read.codes == held.codes).all()


def test_what_is_wrong_with_a_lazy_table_is_told_in_our_words():
    lazy = pl.LazyFrame({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(InvalidTableError, match=r"X, a LazyFrame, cannot be read: .*nothing"):
        ibmap.encode(lazy.select("nothing"))
    with pytest.raises(InvalidTableError, match="continuous columns: 'b'"):
        ibmap.encode(lazy.with_columns(pl.col("b") / 3))
    with pytest.raises(InvalidTableError, match="the table has no rows"):
        ibmap.IBMAP().fit(lazy.filter(pl.col("a") > 2))
    with pytest.raises(InvalidTableError, match="one column, 'a'"):
        ibmap.IBMAP().fit(lazy.select("a"))
    with pytest.raises(InvalidTableError, match="weights has shape"):
        ibmap.IBMAP().fit(lazy, sample_weight=[1.0])
    large = pl.LazyFrame({"a": range(10_001)}).with_columns(b=pl.col("a") % 3)
    with pytest.raises(InvalidOptionError, match="numbers cannot be kept"):
        ibmap.encode(large, bins="keep")
    with pytest.raises(InvalidTableError, match=r"X\.collect\(\)"):
        ibmap.MarkovNetwork.fit(lazy.collect(), ibmap.IBMAP().fit(lazy).graph_).predict_proba(lazy, "a")


def test_nothing_that_reads_lazy_tables_is_loaded_with_the_package():
    loaded = "[each for each in ('dask', 'duckdb', 'ibmap.data.scans') if each in sys.modules]"
    asked = f"import sys, ibmap; ibmap.encode([[0, 1], [1, 0]]); print({loaded})"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
