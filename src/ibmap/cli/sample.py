"""``ibmap sample``: new rows from a model."""

from __future__ import annotations

from typing import Annotated

import typer

from ibmap.cli.console import interruptible, say, warnings_as_messages
from ibmap.cli.model_options import ModelFile, Seed, TableOutput, read_model
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import check_table_output, write_table


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("sample")(interruptible(_sample))


def _sample(
    model: ModelFile,
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="Number of rows.", show_default=False)],
    seed: Seed = None,
    path: TableOutput = "-",
) -> None:
    """Draw new rows from a MODEL."""
    check_table_output(path)
    with warnings_as_messages(), Waiting("sampling"):
        frame = read_model(model).sample(rows, random_state=seed)
    write_table(frame, path)
    if path != "-":
        say(f"written: {path}")
