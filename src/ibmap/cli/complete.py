"""``ibmap complete``: the gaps of a table filled by a model."""

from __future__ import annotations

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
    app.command("complete")(interruptible(_complete))


def _complete(  # noqa: PLR0917 - a command's options are its parameters
    model: ModelFile,
    table: TableFile,
    path: TableOutput = "-",
    unseen: UnseenChoice = Unseen.error,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
) -> None:
    """Fill the missing values of each row of a TABLE by their most probable states under a MODEL."""
    check_table_output(path)
    with warnings_as_messages(), Waiting("completing"):
        rows = read_rows(table, text_options(separator, encoding, na, no_header))
        frame = read_model(model).complete(rows, unseen=unseen.value)
    write_table(frame, path)
    if path != "-":
        say(f"written: {path}")
