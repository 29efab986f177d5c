"""``ibmap predict``: one column of a table predicted from the others by a model."""

from __future__ import annotations

from typing import Annotated

import typer

from ibmap.cli.arguments import MissingMarks, NoHeader, Separator, TableFile, TextEncoding
from ibmap.cli.console import interruptible, say, warnings_as_messages
from ibmap.cli.model_options import ModelFile, TableOutput, Unseen, UnseenChoice, read_model, read_rows
from ibmap.cli.options import text_options
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import check_table_output, write_table


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("predict")(interruptible(_predict))


def _predict(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    model: ModelFile,
    table: TableFile,
    column: Annotated[str, typer.Option(metavar="VARIABLE", help="What is predicted.", show_default=False)],
    path: TableOutput = "-",
    unseen: UnseenChoice = Unseen.error,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
) -> None:
    """Predict one column of each row of a TABLE from the others, by a MODEL.

    The most probable state, then the probability of each state.
    """
    import polars as pl

    check_table_output(path)
    with warnings_as_messages(), Waiting("predicting"):
        network = read_model(model)
        rows = read_rows(table, text_options(separator, encoding, na, no_header))
        shares = network.predict_proba(rows, column, unseen=unseen.value)
    labels = network.states[network.variables.index(column)]
    best = pl.Series(column, [str(labels[k]) for k in shares.argmax(axis=1).tolist()], pl.String)
    each = [pl.Series(f"P({column}={label})", shares[:, k]) for k, label in enumerate(labels)]
    write_table(pl.DataFrame([best, *each]), path)
    if path != "-":
        say(f"written: {path}")
