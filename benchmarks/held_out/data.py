"""The binary density-estimation sets: files NAME.train.data.gz, NAME.valid.data.gz, NAME.test.data.gz."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ibmap.data.table import EncodedTable

SETS = ("nltcs", "msnbc", "kdd", "plants", "jester")


@dataclass(frozen=True)
class Split:
    """One data set in three parts, as distinct rows with weights."""

    name: str
    train: EncodedTable
    valid: EncodedTable
    test: EncodedTable


def load(folder: Path, name: str) -> Split:
    """Read a data set."""
    return Split(name, *(read(folder / f"{name}.{part}.data.gz") for part in ("train", "valid", "test")))


def read(path: Path) -> EncodedTable:
    """Read rows of 0 and 1; both are states of every variable, seen or not."""
    with gzip.open(path, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.uint8)
    return EncodedTable.from_codes(rows, [2] * rows.shape[1]).compressed()


def mean(values: np.ndarray, table: EncodedTable) -> float:
    """Average a value a distinct row over all rows."""
    return float(values @ table.weights / table.n_samples)
