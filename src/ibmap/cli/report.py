"""``ibmap report``: a network in, a page to look at out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibmap.cli.console import interruptible, say
from ibmap.cli.options import check_folder
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from ibmap.export import Network
    from ibmap.table import EncodedTable


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("report")(interruptible(_report))


def _report(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK",
            help="A network: .json (best, it holds everything), .graphml, or .csv (edges or matrix).",
            show_default=False,
        ),
    ],
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="Where to write it: an .html file.", show_default=False)
    ],
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Above the page. (default: the file's name)", show_default=False),
    ] = None,
) -> None:
    """Write a PAGE to look at about a NETWORK: one file that opens in any browser."""
    from ibmap.export import read_network

    check_page(page)
    write_page(read_network(network), page, Path(network).name if title is None else title)
    say(f"written: {page}")


def check_page(path: str) -> None:
    """Refuse a page that could not be written, before any work is done.

    Parameters
    ----------
    path : str
        Where it shall go.

    Raises
    ------
    InvalidOptionError
        If the name is not that of a page.
    MissingLibraryError
        If the library for pages is not installed.
    """
    from ibmap.report.page import find_library

    if Path(path).suffix.lower() not in (".html", ".htm"):
        msg = f"cannot write the page {path!r}: the name must end in .html"
        raise InvalidOptionError(msg)
    check_folder(path)
    find_library()


def write_page(network: Network, path: str, title: str, table: EncodedTable | None = None) -> None:
    """Write the page about a network.

    Parameters
    ----------
    network : SearchResult or MarkovGraph
        What to show.
    path : str
        Where to write it.
    title : str
        What it is of.
    table : EncodedTable, optional
        What it was learned from.
    """
    from ibmap.report import write_report

    write_report(network, path, title=title, table=table)


def source_name(table: str) -> str:
    """Name a table read from a file or from standard input.

    Parameters
    ----------
    table : str
        A path, or ``-``.

    Returns
    -------
    str
        What to call it.
    """
    return "standard input" if table == "-" else table
