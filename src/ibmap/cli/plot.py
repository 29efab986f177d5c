"""``ibmap plot``: a network in, a picture out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibmap.cli.console import interruptible, say
from ibmap.cli.options import check_folder
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ibmap.export import Network


class Kind(StrEnum):
    """What to draw."""

    network = "network"
    matrix = "matrix"
    trace = "trace"


class Layout(StrEnum):
    """Where to put the variables."""

    stress = "stress"
    circle = "circle"
    spring = "spring"


class Colour(StrEnum):
    """What colours tell."""

    group = "group"
    degree = "degree"
    none = "none"


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("plot")(interruptible(_plot))


def _plot(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK",
            help="A network: .json (with the evidence), .graphml, or .csv (edges or matrix).",
            show_default=False,
        ),
    ],
    picture: Annotated[
        str,
        typer.Argument(
            metavar="PICTURE", help="Where to draw it: a .png, .svg or .pdf file.", show_default=False
        ),
    ],
    kind: Annotated[
        Kind, typer.Option(help="The network, its matrix in blocks, or the score during the search.")
    ] = Kind.network,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Another network: draw edges in both, missing and extra ones.",
            show_default=False,
        ),
    ] = None,
    layout: Annotated[
        Layout | None,
        typer.Option(
            help="Distances as in the network, a circle, or springs. (default: stress)", show_default=False
        ),
    ] = None,
    colour: Annotated[
        Colour | None,
        typer.Option(
            help="By group, by number of neighbours, or not at all. (default: group)", show_default=False
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Above the picture.", show_default=False)
    ] = None,
) -> None:
    """Draw a NETWORK as a PICTURE."""
    from ibmap.export import read_network
    from ibmap.io import write_atomically
    from ibmap.plotting.canvas import picture_bytes

    given = {"layout": layout, "colour": colour, "reference": reference}
    _refuse_inapplicable(kind, {name: value for name, value in given.items() if value is not None})
    suffix = check_picture(picture)
    other = None if reference is None else read_network(reference)
    options = {name: str(value) for name, value in given.items() if value is not None and name != "reference"}
    figure = _draw(read_network(network), kind, other, {**options, "title": title})
    write_atomically(picture, picture_bytes(figure, suffix))
    say(f"written: {picture}")


def check_picture(path: str) -> str:
    """Refuse a picture that could not be written, before any work is done.

    Parameters
    ----------
    path : str
        Where it shall go.

    Returns
    -------
    str
        Its format, as the extension.
    """
    from ibmap.plotting.canvas import FORMATS, need_matplotlib

    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        msg = f"cannot draw {path!r}: the name must end in one of {', '.join(FORMATS)}"
        raise InvalidOptionError(msg)
    check_folder(path)
    need_matplotlib()
    return suffix


def _refuse_inapplicable(kind: Kind, given: dict[str, object]) -> None:
    """Refuse options that the picture would not use."""
    for name in given:
        if kind != Kind.network:
            msg = f"--{name} belongs to --kind network; leave it out with --kind {kind}"
            raise InvalidOptionError(msg)
    if "colour" in given and "reference" in given:
        msg = "--colour cannot be used with --reference, where colours tell the kinds of edges; leave one out"
        raise InvalidOptionError(msg)


def _draw(network: Network, kind: Kind, other: Network | None, options: dict[str, str | None]) -> Figure:
    """Draw what was asked for."""
    from ibmap.export import as_result, graph_of
    from ibmap.plotting import plot_comparison, plot_matrix, plot_network, plot_trace
    from ibmap.plotting.canvas import new_figure

    growth = min(max(1.0, (graph_of(network).n_variables / 10) ** 0.5), 1.8)  # room for more names
    sizes = {Kind.network: (9 * growth, 6 * growth), Kind.matrix: (8.5, 8.0), Kind.trace: (8.5, 4.5)}
    figure = new_figure(sizes[kind])
    ax = figure.add_subplot()
    if other is not None:
        plot_comparison(network, other, ax, **options)  # type: ignore[arg-type]
    elif kind == Kind.network:
        plot_network(network, ax, **options)  # type: ignore[arg-type]
    elif kind == Kind.matrix:
        plot_matrix(network, ax, title=options["title"])
    else:
        plot_trace(as_result(network), ax, title=options["title"])
    return figure
