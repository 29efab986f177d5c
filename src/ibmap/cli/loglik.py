"""``ibmap loglik``: how probable a model holds the rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.cli.arguments import MissingMarks, NoHeader, Separator, TableFile, TextEncoding
from ibmap.cli.console import interruptible, output, print_json, warnings_as_messages
from ibmap.cli.model_options import ModelFile, Unseen, UnseenChoice, read_model, read_rows
from ibmap.cli.options import text_options
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import write_table

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ibmap.model import MarkovNetwork


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("loglik")(interruptible(_loglik))


def _loglik(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    model: ModelFile,
    table: TableFile,
    per_row: Annotated[bool, typer.Option("--rows", help="Print a line for each row, as CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    unseen: UnseenChoice = Unseen.error,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
) -> None:
    """Give the log-likelihood and pseudo-log-likelihood of a TABLE under a MODEL, in natural logs.

    Missing values are summed out; such rows have no pseudo-log-likelihood.
    """
    with warnings_as_messages(), Waiting("reading"):
        network = read_model(model)
        rows = read_rows(table, text_options(separator, encoding, na, no_header))
        joint = network.log_likelihood(rows, unseen=unseen.value)
        conditional = _conditional(network, rows, unseen.value)
    if per_row:
        _write_rows(joint, conditional)
        return
    figures = _figures(joint, conditional)
    if as_json:
        print_json(figures)
    else:
        _print(figures)


def _conditional(network: MarkovNetwork, rows: pl.DataFrame, unseen: str) -> NDArray[np.float64]:
    """Give the pseudo-log-likelihood of each complete row, NaN for the others."""
    import numpy as np

    codes = network.variables.read(rows, gaps=True, unseen=unseen)
    values = np.full(len(codes), np.nan)
    complete = (codes >= 0).all(axis=1)
    if complete.any():
        values[complete] = network.pseudo_log_likelihood(rows.filter(complete.tolist()), unseen=unseen)
    return values


def _figures(joint: NDArray[np.float64], conditional: NDArray[np.float64]) -> dict[str, Any]:
    """Sum up."""
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


def _write_rows(joint: NDArray[np.float64], conditional: NDArray[np.float64]) -> None:
    """Write a line for each row."""
    import polars as pl

    columns = {"log_likelihood": joint, "pseudo_log_likelihood": conditional}
    write_table(pl.DataFrame(columns).fill_nan(None), "-")


def _print(figures: dict[str, Any]) -> None:
    """Write the figures for people."""
    from rich.table import Table

    def shown(value: float | None) -> str:
        return "-inf" if value is None else f"{value:.6f}"

    facts = [
        ("Rows", f"{figures['n_rows']:,}"),
        ("Log-likelihood", shown(figures["log_likelihood"])),
        ("a row", shown(figures["mean_log_likelihood"])),
    ]
    if figures["n_complete_rows"]:
        facts.append(("Pseudo-log-likelihood a row", shown(figures["mean_pseudo_log_likelihood"])))
    if figures["n_complete_rows"] < figures["n_rows"]:
        facts.append(("Rows with missing values", f"{figures['n_rows'] - figures['n_complete_rows']:,}"))
    if figures["n_impossible_rows"]:
        facts.append(("Rows of probability zero", f"{figures['n_impossible_rows']:,}"))
    grid = Table.grid(padding=(0, 2))
    for fact in facts:
        grid.add_row(*fact)
    output().print(grid)
