"""Get a benchmark set: from its rule, from a folder, or from OpenML; and prepare it as the paper did.

The paper's preparation: rows with missing values dropped, identifiers dropped, numbers binned.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl

from ibmap.data.binning import BinRule
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.datasets.catalogue import Dataset, find_dataset
from ibmap.errors import DataWarning, FileFormatError, UnavailableDataError

MISSING = ("?", "")


def load(name: str, folder: str | Path | None = None) -> pl.DataFrame:
    """Get a benchmark set, without identifiers and incomplete rows.

    Parameters
    ----------
    name : str
        As in the paper, such as ``car`` or ``glass``.
    folder : str or Path, optional
        Holds ``NAME.csv``, with a header and ``?`` for missing values. Sets that follow from rules do not
        need it. What has no rule and no file is fetched from OpenML, if there is a network.

    Returns
    -------
    polars.DataFrame
        Labels and numbers as published.

    Raises
    ------
    UnavailableDataError
        If there is neither a rule, nor a file, nor a network.
    FileFormatError
        If the file is not that set.

    Examples
    --------
    >>> load("lenses").shape
    (24, 5)
    """
    dataset = find_dataset(name)
    path = None if folder is None else Path(folder) / f"{name}.csv"
    if path is not None and path.exists():
        return _prepared(dataset, _read(path), str(path))
    if dataset.make is not None:
        return dataset.make()
    return _prepared(dataset, _fetch(dataset, folder), "OpenML")


def benchmark_table(name: str, folder: str | Path | None = None, *, bins: BinRule = "width") -> EncodedTable:
    """Get a benchmark set ready to learn from, with its numbers binned.

    Parameters
    ----------
    name : str
        As in the paper.
    folder : str or Path, optional
        As for `load`.
    bins : {"width", "frequency"} or int
        How columns of many numbers are cut; see `ibmap.encode`.

    Returns
    -------
    EncodedTable
        All complete rows.

    Examples
    --------
    >>> table = benchmark_table("car")
    >>> table.n_samples, table.n_variables
    (1728, 7)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # flare2 is known to have a constant column
        return encode(load(name, folder), bins=bins)


def _read(path: Path) -> pl.DataFrame:
    """Read a file with a header and marked gaps."""
    try:
        return pl.read_csv(path, null_values=list(MISSING), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        msg = f"{str(path)!r} is not a table of comma-separated values with a header: {error}"
        raise FileFormatError(msg) from error


def _fetch(dataset: Dataset, folder: str | Path | None) -> pl.DataFrame:
    from sklearn.datasets import fetch_openml

    name, version = dataset.openml or (dataset.name, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that are not active, and of networks that fail
            found = fetch_openml(name, version=version, as_frame=True, parser="auto", n_retries=1).frame
    except (OSError, ValueError, ImportError) as error:
        where = "no folder was given" if folder is None else f"{str(folder)!r} has no {dataset.name}.csv"
        msg = (
            f"the benchmark set {dataset.name!r} does not follow from a rule, {where}, and it could not be "
            f"fetched from OpenML ({type(error).__name__}: {str(error)[:120]}). Download it from the UCI "
            f"repository and give its folder (command line: --data FOLDER)"
        )
        raise UnavailableDataError(msg) from error
    columns = {str(name): found[name].astype(object).tolist() for name in found.columns}
    return pl.DataFrame({name: _without_gaps(values) for name, values in columns.items()}, strict=False)


def _without_gaps(values: list[Any]) -> list[Any]:
    """Mark missing values; NaN is not itself."""
    return [None if value != value or value in MISSING else value for value in values]  # noqa: PLR0124


def _prepared(dataset: Dataset, frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Drop identifiers and incomplete rows; refuse what is another set."""
    unwanted = {name.casefold() for name in dataset.drop}
    complete = frame.drop([name for name in frame.columns if name.casefold() in unwanted]).drop_nulls()
    wanted = (dataset.n_rows, dataset.n_variables)
    if complete.shape != wanted:
        msg = (
            f"{source} is not the set {dataset.name!r} of the UCI repository: it has {complete.shape[0]} "
            f"complete rows of {complete.shape[1]} variables, not {wanted[0]} of {wanted[1]}"
        )
        raise FileFormatError(msg)
    return complete
