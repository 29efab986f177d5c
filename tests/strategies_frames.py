"""Rows of plain values, and the same rows in every container ibmap takes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)
KINDS = [
    TEXT,
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(2**62), 2**62),
    st.integers(-3, 3).map(float),
]


@st.composite
def rows(draw, with_missing=False, min_rows=1):
    """Draw a table of two to four columns, each of one kind of value, few enough to repeat."""
    n_rows = draw(st.integers(min_rows, 15))
    columns = []
    for _ in range(draw(st.integers(2, 4))):
        pool = draw(st.lists(draw(st.sampled_from(KINDS)), min_size=1, max_size=4))
        values = st.sampled_from(pool + [None] * with_missing)
        columns.append(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
    return [list(row) for row in zip(*columns, strict=True)]


def in_every_container(table):
    """Give the same rows as a list, NumPy objects, pandas, polars and pyarrow."""
    columns = {f"x{k}": list(column) for k, column in enumerate(zip(*table, strict=True))}
    array = np.empty((len(table), len(columns)), dtype=object)
    for k, column in enumerate(columns.values()):
        array[:, k] = column
    typed = {name: pd.Series(values, dtype=_pandas_type(values)) for name, values in columns.items()}
    return {
        "list": table,
        "tuples": tuple(map(tuple, table)),
        "numpy": array,
        "pandas": pd.DataFrame(typed),
        "pandas objects": pd.DataFrame(columns, dtype=object),
        "polars": pl.DataFrame(columns, strict=False),
        "pyarrow": pa.table(columns),
    }


def _pandas_type(values):
    """Name the pandas type that can hold the values and missing ones."""
    kinds = {type(value) for value in values} - {type(None)}
    return {bool: "boolean", int: "Int64", float: "Float64", str: "str"}[kinds.pop()] if kinds else object


def decoded(table):
    """Look up the label behind each code."""
    return [
        [table.labels[k][code] for k, code in enumerate(row)] for row in table.codes.tolist()
    ]  # fmt: skip
