"""``ibmap loglik``: how probable a model holds the rows of a table."""

import math
from typing import TYPE_CHECKING, Any

from ibmap.cli.console import print_facts, print_json, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.options import TABLE, TextFile
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import MODEL, UNSEEN, Unseen, read_model, write_table

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ibmap.model import MarkovNetwork


def loglik(
    model: str = MODEL,
    table: str = TABLE,
    per_row: bool = flag(False, "Print a line for each row, as CSV.", None, "--rows"),
    as_json: bool = flag(False, "Print the figures as JSON.", None, "--json"),
    unseen: Unseen = UNSEEN,
    *,
    text: TextFile,
) -> None:
    """Give the log-likelihood and pseudo-log-likelihood of a TABLE under a MODEL, in natural logs.

    Missing values are summed out; such rows have no pseudo-log-likelihood.
    """
    import polars as pl

    from ibmap.data.files import read_table

    with warnings_as_messages(), Waiting("reading"):
        network = read_model(model)
        rows = read_table(table, **text.text)
        joint = network.log_likelihood(rows, unseen=unseen)
        conditional = _conditional(network, rows, unseen)
    if per_row:
        columns = {"log_likelihood": joint, "pseudo_log_likelihood": conditional}
        write_table(pl.DataFrame(columns).fill_nan(None), "-")
        return
    figures = _figures(joint, conditional)
    if as_json:
        print_json(figures)
    else:
        _print(figures)


def _conditional(network: "MarkovNetwork", rows: "pl.DataFrame", unseen: str) -> "NDArray[np.float64]":
    """Give the pseudo-log-likelihood of each complete row, NaN for the others."""
    import numpy as np

    codes = network.variables.read(rows, gaps=True, unseen=unseen)
    values = np.full(len(codes), np.nan)
    complete = (codes >= 0).all(axis=1)
    if complete.any():
        values[complete] = network.pseudo_log_likelihood(rows.filter(complete.tolist()), unseen=unseen)
    return values


def _figures(joint: "NDArray[np.float64]", conditional: "NDArray[np.float64]") -> dict[str, Any]:
    import numpy as np

    complete = ~np.isnan(conditional)
    return {
        "n_rows": len(joint),
        "n_impossible_rows": int(np.isneginf(joint).sum()),
        "log_likelihood": _number(joint.sum()),
        "mean_log_likelihood": _number(joint.mean()),
        "n_complete_rows": int(complete.sum()),
        "mean_pseudo_log_likelihood": _number(conditional[complete].mean()) if complete.any() else None,
    }


def _number(value: Any) -> float | None:
    """Give a finite number, or None where JSON has none."""
    return float(value) if math.isfinite(value) else None


def _print(figures: dict[str, Any]) -> None:
    """Write the figures for people."""

    def shown(value: float | None) -> str:
        return "-inf" if value is None else f"{value:.6f}"

    n_rows, n_complete = figures["n_rows"], figures["n_complete_rows"]
    n_gaps, n_impossible = n_rows - n_complete, figures["n_impossible_rows"]
    facts = [
        ("Rows", f"{n_rows:,}"),
        ("Log-likelihood", shown(figures["log_likelihood"])),
        ("a row", shown(figures["mean_log_likelihood"])),
        ("Pseudo-log-likelihood a row", n_complete and shown(figures["mean_pseudo_log_likelihood"])),
        ("Rows with missing values", n_gaps and f"{n_gaps:,}"),
        ("Rows of probability zero", n_impossible and f"{n_impossible:,}"),
    ]
    print_facts((name, value) for name, value in facts if value)
